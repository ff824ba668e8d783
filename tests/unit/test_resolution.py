"""Paths from coarse to fine clusters: which step is taken, what is said about it, and the file that keeps it."""

import json
from math import isnan

import numpy as np
import pytest

from tetiwd.errors import DataError
from tetiwd.io.resolution_file import read_resolution, write_resolution
from tetiwd.merit import Merit
from tetiwd.resolution import NEXT_TO_IT, Neighbours, Part, ResolutionPath, Step

COARSE, MIDDLE, FINE = np.repeat([0, 1], 6), np.repeat([0, 1, 2], 4), np.repeat(np.arange(6), 2)
ALONE = np.zeros(12, dtype=np.int64)


def a_step(labels, dof=1.0, merit=0.5):
    return Step((dof,), (np.asarray(labels, dtype=np.int64),), Merit(merit, 1.0), 0.9)


def a_path(*merits, labels=None, usual=-1):
    """Steps of dof 1, 2, 4, … with these merits, and clusters; the last one is the estimate, or another one."""
    labels = labels or [MIDDLE] * len(merits)
    steps = [a_step(of, 2.0**i, one) for i, (one, of) in enumerate(zip(merits, labels, strict=True))]
    return ResolutionPath(tuple(steps), range(len(steps))[usual])


def test_scores_are_merits_with_a_share_of_the_steps_next_to_them():
    path = a_path(0.1, 0.4, 0.2)
    w = NEXT_TO_IT
    expected = np.array([0.1 + w * 0.4, 0.4 + w * 0.3, 0.2 + w * 0.4]) / (1 + 2 * w)
    assert path.scores == pytest.approx(expected)
    assert path.chosen == 1
    assert path.best is path.steps[1]


def test_a_lucky_step_loses_against_one_that_lasts():
    assert a_path(0.0, 0.31, 0.0, 0.3, 0.3, 0.3).chosen == 4


def test_of_steps_that_are_as_good_the_one_nearest_to_the_estimate_is_taken():
    assert a_path(0.5, 0.5, 0.5, 0.5, 0.5, 0.5, usual=3).chosen == 3
    assert a_path(0.0, 0.5, 0.49, 0.0, usual=3).chosen == 2
    assert a_path(0.0, 0.5, 0.3, 0.0, usual=3).chosen == 1


def test_on_a_tree_the_coarsest_of_good_clusters_are_taken():
    steps = a_path(0.0, 0.46, 0.5, 0.49, 0.7, usual=3).steps
    assert ResolutionPath(steps, 3).chosen == 3
    path = ResolutionPath(steps, 3, of_tree=True)
    assert path.chosen == 1  # at least nine tenths of the best merit
    assert path.scores.tolist() == [0.0, 0.46, 0.5, 0.49, 0.7]
    assert "every clade consists of smaller ones" in path.sentences()[0]
    assert ResolutionPath(a_path(0.0, 0.44, 0.5, usual=2).steps, 2, of_tree=True).chosen == 2
    assert ResolutionPath(a_path(0.0, 0.0, 0.01, usual=1).steps, 1, of_tree=True).chosen == 1


def test_a_value_above_the_estimate_is_never_taken():
    assert a_path(0.2, 0.3, 0.9, 0.9, usual=1).chosen == 1
    path = a_path(0.0, 0.0, 0.0, 0.9, usual=1)
    assert path.chosen == 1
    assert not path.informative


def test_the_estimate_is_taken_if_clusters_overlap_too_much():
    path = a_path(0.0, 0.001, 0.009, usual=1)
    assert not path.informative
    assert path.chosen == 1
    (first, second) = path.sentences()
    assert "overlap too much" in first
    assert "2 is an estimate" in first
    assert "half the dof" in second


def test_what_half_and_double_would_give_is_said():
    path = a_path(0.1, 0.5, 0.1, labels=[COARSE, MIDDLE, FINE])
    (choice, around, doubt) = path.sentences()
    assert "In short runs 3 values from 1 to 4 were tried. Of those up to 4, an estimate" in choice
    assert "2 gave clusters as good as any" in choice
    assert around.startswith("There were 3.0 clusters at a time; half the dof gave 2.0 (adjusted Rand index with these")
    assert "twice the dof gave 6.0" in around
    assert around.endswith("). So half the dof or twice the dof would give another answer.")
    assert doubt == "No other value came close with different clusters."


def test_only_values_that_give_another_answer_are_said_to_do_so():
    (around,) = Neighbours(a_step(MIDDLE), a_step(MIDDLE), a_step(COARSE)).sentences()
    assert around.endswith(" So twice the dof would give another answer.")
    (around,) = Neighbours(a_step(MIDDLE), a_step(MIDDLE), None).sentences()
    assert around.endswith("half the dof gave 3.0 (adjusted Rand index with these 1.00).")
    assert Neighbours(a_step(MIDDLE), None, None).sentences() == []


def test_a_path_tells_of_neighbours_that_another_model_has():
    path = a_path(0.1, 0.5, 0.1, labels=[COARSE, MIDDLE, FINE])
    told = Neighbours(a_step(FINE), a_step(FINE), a_step(COARSE))
    assert path.sentences(told)[1:-1] == tuple(told.sentences())


def test_an_open_choice_is_said_to_be_open():
    path = a_path(0.49, 0.5, 0.5, labels=[ALONE, FINE, FINE])
    assert path.rivals == []  # the first one has nothing on its other side
    path = a_path(0.5, 0.49, 0.5, 0.5, labels=[COARSE, COARSE, FINE, FINE], usual=2)
    assert path.rivals == [1]
    assert path.sentences()[-1] == "The choice is open: 2 (2.0 clusters) came close with different clusters."


def test_values_that_are_not_taken_are_no_rivals():
    path = a_path(0.2, 0.3, 0.9, 0.9, labels=[COARSE, COARSE, FINE, FINE], usual=1)
    assert path.rivals == []
    assert path.sentences()[-1] == "No other value came close with different clusters."


def test_likeness_is_a_weighted_mean_over_epochs():
    same, other = np.repeat([0, 1], 3), np.array([0, 1, 0, 1, 0, 1])
    one = Step((1.0, 1.0), (MIDDLE, same), Merit(1, 1), 1.0)
    two = Step((1.0, 1.0), (MIDDLE, other), Merit(1, 1), 1.0)
    from sklearn.metrics import adjusted_rand_score

    assert one.likeness(two) == pytest.approx((12 * 1.0 + 6 * adjusted_rand_score(same, other)) / 18)
    assert one.n_clusters == 2.5


def test_persistence_counts_objects_of_lineages_that_were_there_before():
    labels = (np.array([0, 0, 1]), np.array([0, 0, 1, 2]), np.array([3, 3, 2, 2]))
    assert Step((1.0,) * 3, labels, Merit(1, 1), 1.0).persistence == pytest.approx((3 + 2) / 8)
    assert isnan(Step((1.0,), labels[:1], Merit(1, 1), 1.0).persistence)


def test_the_table_has_a_row_per_step():
    table = a_path(0.1, 0.5, 0.1, labels=[COARSE, MIDDLE, FINE]).table()
    assert table.dof.tolist() == [1, 2, 4]
    assert table.clusters.tolist() == [2, 3, 6]
    assert table.chosen.tolist() == [False, True, False]
    assert table.like_chosen[1] == 1
    assert isnan(table.like_next[2])


def test_a_file_keeps_everything(tmp_path):
    path = a_path(0.1, 0.5, 0.1, labels=[COARSE, MIDDLE, FINE], usual=2)
    write_resolution(tmp_path / "it.json", path)
    back = read_resolution(tmp_path / "it.json", [12])
    assert back.table().equals(path.table())
    assert back.usual == 2
    assert all(np.array_equal(a.labels[0], b.labels[0]) for a, b in zip(back.steps, path.steps, strict=True))


def test_a_path_of_a_tree_comes_back_from_its_file(tmp_path):
    path = ResolutionPath(a_path(0.0, 0.46, 0.5).steps, 2, of_tree=True)
    write_resolution(tmp_path / "it.json", path)
    back = read_resolution(tmp_path / "it.json", [12])
    assert (back.of_tree, back.chosen, back.sentences()) == (True, 1, path.sentences())
    text = (tmp_path / "it.json").read_text()
    (tmp_path / "it.json").write_text(text.replace('"tree": true, ', ""))  # as earlier versions wrote it
    assert not read_resolution(tmp_path / "it.json", [12]).of_tree
    endless = json.loads((tmp_path / "it.json").read_text())
    endless["steps"][0]["lineages"][0][0] = float("inf")
    (tmp_path / "it.json").write_text(json.dumps(endless))
    with pytest.raises(DataError, match="is damaged"):
        read_resolution(tmp_path / "it.json", [12])


def test_what_a_run_took_is_read_from_its_file(tmp_path):
    path = a_path(0.1, 0.5, 0.1)
    write_resolution(tmp_path / "it.json", path)
    text = (tmp_path / "it.json").read_text()
    (tmp_path / "it.json").write_text(text.replace('"chosen": 1', '"chosen": 2'))
    assert read_resolution(tmp_path / "it.json", [12]).chosen == 2
    for damage in (('"chosen": 1', '"chosen": 3'), ('"usual": 2', '"usual": -1')):
        (tmp_path / "it.json").write_text(text.replace(*damage))
        with pytest.raises(DataError, match="damaged"):
            read_resolution(tmp_path / "it.json", [12])
    (tmp_path / "it.json").write_text(text)
    with pytest.raises(DataError, match="damaged"):
        read_resolution(tmp_path / "it.json", [11])


@pytest.mark.parametrize("text", ["", "{}", '{"steps": [], "usual": 0}', '{"steps": [{}], "usual": 0}', "[1]"])
def test_a_damaged_file_is_refused(tmp_path, text):
    (tmp_path / "it.json").write_text(text)
    with pytest.raises(DataError, match="damaged"):
        read_resolution(tmp_path / "it.json", [12])


def test_a_path_of_some_objects_comes_back_from_its_file(tmp_path):
    steps = a_path(0.1, 0.4).steps
    path = ResolutionPath(steps, 1, part=Part((np.arange(0, 24, 2),), (30,)))
    write_resolution(tmp_path / "it.json", path)
    back = read_resolution(tmp_path / "it.json", [30])
    assert np.array_equal(back.part.rows[0], path.part.rows[0])
    assert back.sentences() == path.sentences()
    assert "12 of the 30 objects, drawn at random. " in back.sentences()[1]
    for others in ([22], [12], [30, 30]):
        with pytest.raises(DataError, match="damaged"):
            read_resolution(tmp_path / "it.json", others)
