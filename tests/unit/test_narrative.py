"""Sentences say what the numbers say."""

from dataclasses import replace

import numpy as np
import pytest

from runs import MODEL, SETTINGS
from tetiwd import Analysis, DistanceSeries, run_chains
from tetiwd.draws import Draws
from tetiwd.narrative import listed, narrate, plural
from tetiwd.params import AnswerSettings
from tetiwd.sample import Sample


def analysis_of(labels, ids=None, **options):
    """An analysis all of whose draws are one clustering, given by epoch."""
    sizes = [len(own) for own in labels]
    rng = np.random.default_rng(0)
    matrices = []
    for n in sizes:
        X = rng.standard_normal((n, 2))
        matrices.append(((X[:, None] - X[None]) ** 2).sum(-1))
    times = [2001 + t for t in range(len(sizes))]
    series = DistanceSeries.from_distances(matrices, squared=True, times=times, ids=ids)
    real = run_chains(series, replace(MODEL, dof=6), replace(SETTINGS, n_draws=5, n_warmup=2, n_uncoupled=0))
    arrays = real.draws[0].to_arrays() | {"geometry_every": np.array(0), "geometry": np.empty(0)}
    arrays["labels"] = np.tile(np.concatenate(labels), (5, 1)).astype(np.uint16)
    arrays["n_clusters"] = np.tile([len(set(own)) for own in labels], (5, 1))
    draws = [Draws.from_arrays(sizes, arrays, real.draws[0].axes)]
    sample = Sample(series, MODEL, SETTINGS, draws, [], remarks=("a note",))
    return Analysis(replace(sample, **options))


def test_lives_of_lineages():
    found = analysis_of([[0, 0, 0, 1, 1, 2], [0, 0, 0, 1, 1], [0, 0, 3, 3]])
    said = narrate(Analysis(found.sample, AnswerSettings(min_size=1)))
    assert said[0] == "15 objects at 3 times (2001 to 2003) form 2 to 3 clusters at a time, 4 lineages in all."
    assert "Lineage 0 is present at all times." in said
    assert "1 of the lineages is a single object that fits nowhere." in said
    assert "Lineage 1 ends after 2002." in said
    assert "Lineage 3 appears at 2003." in said
    assert "An object belongs to its cluster with probability 1.00 on average; for none it is below 0.7." in said
    assert said[-1] == "a note"


def test_a_lineage_with_a_doubtful_link_does_not_simply_last(monkeypatch):
    found = analysis_of([[0, 0, 0, 1, 1], [0, 0, 0, 1, 1]])
    assert "Lineages 0 and 1 are present at all times." in narrate(found)
    table = found.lineages.table().assign(weakest_link=[0.9, 0.4])
    monkeypatch.setattr(type(found.lineages), "table", lambda self: table)
    said = narrate(found)
    assert "Lineage 0 is present at all times." in said
    assert "Lineage 1 is shown at all times, but at least one of its links is uncertain (below 0.7)." in said


def test_objects_that_fit_nowhere():
    labels = [[0, 0, 0, 1, 1, 2], [0, 0, 0, 1, 1], [0, 0, 3, 3]]
    said = narrate(analysis_of(labels))
    assert said[0] == "15 objects at 3 times (2001 to 2003) form 2 clusters at a time, 3 lineages in all."
    assert said[1] == "1 object was not assigned to a cluster: it fits nowhere with probability 1.00."
    assert "Lineage 2 appears at 2003." in said
    assert not any("single object" in sentence for sentence in said)
    ids = [["a", "b", "c"], ["a", "b", "c"]]
    nowhere = "2 observations were not assigned to a cluster: they fit nowhere with probability 1.00 on average."
    assert nowhere in narrate(analysis_of([[0, 0, 1], [0, 0, 1]], ids))
    assert not any("not assigned" in sentence for sentence in narrate(analysis_of([[0, 0, 0]])))


def test_one_time():
    said = narrate(analysis_of([[0, 0, 0, 1, 1]]))
    assert said[0] == "5 objects at one time form 2 clusters."
    assert not any("link" in sentence for sentence in said)


def test_names_count_objects_once():
    ids = [["a", "b", "c"], ["a", "b", "c", "d"]]
    assert narrate(analysis_of([[0, 0, 1], [0, 0, 1, 1]], ids))[0].startswith("7 observations of 4 objects at 2 times")


def test_objects_that_never_return_are_no_observations():
    said = narrate(analysis_of([[0, 0, 1], [0, 0, 1, 1]], [["a", "b", "c"], ["d", "e", "f", "g"]]))
    assert said[0].startswith("7 objects at 2 times")
    said = narrate(analysis_of([[0, 0, 1], [0, 0, 1]], [["a", "b", "c"], ["d", "e", "f"]]))
    assert "2 objects were not assigned to a cluster: they fit nowhere with probability 1.00 on average." in said


def test_a_run_that_was_stopped_says_so():
    said = narrate(analysis_of([[0, 0, 0]], ended="stopped"))
    assert "The run was stopped early; it can be continued." in said


def test_many_births_and_deaths_are_counted():
    labels = [[t, t, t + 20, t + 20] for t in range(10)]
    said = narrate(analysis_of(labels))
    assert "18 of the lineages appear after 2001, and 18 end before 2010." in said


@pytest.mark.parametrize(
    ("names", "text"),
    [([1], "1"), ([1, 2], "1 and 2"), ([1, 2, 3], "1, 2 and 3"), (range(9), "0, 1, 2, 3, 4, 5 and 3 more")],
)
def test_lists(names, text):
    assert listed(list(names)) == text


def test_plural():
    assert [plural(n, "cluster") for n in (0, 1, 2)] == ["0 clusters", "1 cluster", "2 clusters"]
