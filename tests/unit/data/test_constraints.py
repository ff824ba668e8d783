"""Constraints: which objects they mean, what follows from them, and what is refused."""

import copy
import pickle
from math import inf

import numpy as np
import pytest

from tetiwd import Constraints, DataError, DistanceSeries

IDS = [["a", "b", "c", "d"], ["b", "c", "a", "e"]]


def series(ids=IDS, times=(2001, 2002)):
    rng = np.random.default_rng(0)
    matrices = [((x[:, None] - x) ** 2).sum(-1) for x in rng.standard_normal((2, 4, 3))]
    return DistanceSeries.from_distances(matrices, squared=True, ids=ids, times=times)


def components(known, **options):
    return series(**options).bound_by(known).ties.component.tolist()


def test_ids_mean_every_time_at_which_both_are_there():
    assert components(Constraints(must_link=[("a", "b"), ("c", "d")])) == [0, 0, 1, 1, 2, -1, 2, -1]


def test_a_time_and_an_id_mean_one_object():
    assert components(Constraints(must_link=[((2002, "a"), (2002, "e"))])) == [-1, -1, -1, -1, -1, -1, 0, 0]


def test_what_follows_is_known_too():
    ties = series().bound_by(Constraints(must_link=[("a", "b"), ("b", "c")], cannot_link=[("d", "c")])).ties
    assert ties.component.tolist() == [0, 0, 0, 1, 2, 2, 2, -1]
    assert ties.apart.tolist() == [[0, 1]]
    assert not ties.across


def test_labels_bind_within_times_or_lineages():
    labels = {"a": "x", "b": "x", "c": "y", (2002, "a"): "y"}
    ties = series().bound_by(Constraints(labels=labels)).ties
    assert ties.component.tolist() == [0, 0, 1, -1, 2, 3, 3, -1]
    assert ties.apart.tolist() == [[0, 1], [2, 3]]
    assert not ties.across
    ties = series().bound_by(Constraints(labels=labels, lineages=True)).ties
    assert ties.component.tolist() == [0, 0, 1, -1, 0, 1, 1, -1]
    assert ties.apart.tolist() == [[0, 1]]
    assert ties.across


def test_objects_without_ids_are_rows():
    assert components(Constraints(must_link=[((2001, 0), (2001, 3))]), ids=None) == [0, -1, -1, 0, -1, -1, -1, -1]


def test_numbers_may_be_written_as_text():
    assert components(Constraints(must_link=[(("2002", "1"), ("2002", "3"))]), ids=None)[4:] == [-1, 0, -1, 0]


def test_weights():
    known = Constraints(must_link=[("a", "b", 2.0)], cannot_link=[("b", "c")], weight=0.5)
    ties = series().bound_by(known).ties
    lineage = np.array([0, 0, 0, 1, 2, 2, 3, 4])  # a, b and c together, then b and c alone
    assert ties.log_weight(lineage) == pytest.approx(2.0 - 0.5 - 0.5)
    assert ties.log_weight(np.arange(8)) == 0


def test_log_weight_of_broken_constraints():
    ties = series().bound_by(Constraints(must_link=[("a", "b")], cannot_link=[("c", "a")])).ties
    assert ties.log_weight(np.array([0, 0, 1, 1, 2, 3, 2, 3])) == 0
    assert ties.log_weight(np.array([0, 1, 1, 1, 2, 3, 2, 3])) == -inf
    assert ties.log_weight(np.array([0, 0, 0, 1, 2, 3, 2, 3])) == -inf


def test_parts_of_a_series_keep_what_is_known_of_them():
    whole = series().bound_by(Constraints(must_link=[("a", "c"), ("a", "b")], cannot_link=[((2001, "a"), (2001, "d"))]))
    assert whole.until(1).ties.component.tolist() == [0, 0, 0, 1]
    part = whole.restricted([np.array([1, 2]), np.array([0, 1])]).ties  # without a, b and c still belong together
    assert part.component.tolist() == [0, 0, 2, 2]
    assert part.apart.tolist() == []
    for twin in (copy.copy(whole), pickle.loads(pickle.dumps(whole))):
        assert twin.ties.component.tolist() == whole.ties.component.tolist()


@pytest.mark.parametrize(
    ("known", "message"),
    [
        (Constraints(must_link=[("a", "b"), ("b", "c")], cannot_link=[("a", "c")]), "'a' at 2001 and 'c' at 2001"),
        (Constraints(must_link=[("a", "b")], labels={"a": 1, "b": 2}), "contradict each other: 'a' at 2001"),
        (Constraints(must_link=[("a", "z")]), "there is no object 'z', which a constraint names"),
        (Constraints(must_link=[((2001, "e"), (2001, "a"))]), "there is no object 'e' at 2001"),
        (Constraints(must_link=[("d", "e")]), "'d' and 'e' are never present at the same time; give \\(time, id\\)"),
        (Constraints(must_link=[("a", "a")]), "pairs 'a' at 2001 with itself"),
        (Constraints(must_link=["ab"]), "must_link has 'ab'; give pairs of objects"),
        (Constraints(cannot_link=[("a", "b", -1)]), "cannot_link has the weight -1; weights are positive"),
        (Constraints(cannot_link=[("a", "b", "much")]), "cannot_link has the weight 'much'"),
    ],
)
def test_faults(known, message):
    with pytest.raises(DataError, match=message):
        series().bound_by(known)


def test_rows_need_a_time():
    with pytest.raises(DataError, match="the object 0 of a constraint has no time; ids are unknown"):
        series(ids=None).bound_by(Constraints(must_link=[(0, 1)]))
