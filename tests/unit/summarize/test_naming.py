"""Lineages keep their numbers; new ones get numbers that nobody had."""

import time

import numpy as np
import pandas as pd
import pytest

from tetiwd import DataError, DistanceSeries
from tetiwd.summarize.clustering import Clustering
from tetiwd.summarize.naming import (
    LineageName,
    Names,
    check_names,
    lineage_name,
    lineage_words,
    matched,
    named,
    names_from,
    numbers_kept,
    with_names,
)


def clustering(*labels, names=None):
    arrays = [np.array(own) for own in labels]
    return Clustering(arrays, tuple(range(len(arrays))), 0.0, "vi", "given", None, names or {})


def series(ids=None, times=None, n=(4, 4), seed=0):
    rng = np.random.default_rng(seed)
    X = [rng.normal(size=(m, 2)) for m in n]
    D = [((x[:, None] - x[None]) ** 2).sum(axis=2) for x in X]
    return DistanceSeries.from_distances(D, squared=True, ids=ids, times=times)


def test_most_objects_in_common_decide_and_half_of_one_is_the_least():
    before = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2, 2])
    now = np.array([5, 5, 5, 6, 6, 6, 6, 7, 8, 9])
    assert matched(now, before) == [(5, 0), (6, 1), (7, 2)]
    assert matched(np.array([0, 1, 1, 1]), np.array([3, 3, 4, -1])) == [(0, 3), (1, 4)]
    assert matched(np.array([0] * 10), np.arange(10)) == [(0, 0)]  # all of one of them is in the other
    scattered = np.repeat([0, 1, 2], 4)
    assert matched(scattered, np.tile([0, 1, 2, 3], 3)) == []  # no pair has half of either


def test_new_lineages_get_numbers_that_were_never_given():
    before = np.array([0, 0, 2, 2, -1, -1])
    now = np.array([1, 1, 0, 0, 2, 2])
    assert numbers_kept(now, before, 7).tolist() == [2, 0, 7]
    assert numbers_kept(now, before, 0).tolist() == [2, 0, 3]


def test_objects_are_known_by_ids_by_rows_or_by_return():
    ids = [list("abcd"), list("cdef")]
    earlier, old = series(ids, [2001, 2002]), clustering([0, 0, 1, 1], [1, 1, 2, 2])
    shuffled = series([list("dcba")], [2001], n=(4,))
    assert names_from(earlier, old, shuffled).before[0].tolist() == [1, 1, 0, 0]
    later = series([list("efzc")], [2009], n=(4,))
    assert names_from(earlier, old, later).before[0].tolist() == [2, 2, -1, 1]
    by_rows = names_from(series(times=[2001, 2002]), old, series(times=[2002, 2003]))
    assert [own.tolist() for own in by_rows.before] == [[1, 1, 2, 2], [-1] * 4]
    with pytest.raises(DataError, match="no objects in common"):
        names_from(series(times=[2001, 2002]), old, series(times=[2003, 2004]))
    with pytest.raises(DataError, match="no objects in common"):
        names_from(series(times=[2001, 2002]), old, series(times=[2001], n=(5,)))


def test_without_ids_objects_stand_for_the_nearest_earlier_ones():
    X = np.array([[0.0], [0.1], [5.0], [5.1]])
    earlier = DistanceSeries.from_features(X, time=[1] * 4)
    new = DistanceSeries.from_features(np.array([[5.2], [0.2], [4.9]]), time=[1] * 3)
    assert names_from(earlier, clustering([0, 0, 1, 1]), new).before[0].tolist() == [1, 0, 1]


def test_numbers_travel_through_a_run_that_lacks_a_lineage():
    first = clustering([0, 0, 1, 1], [1, 1, 2, 2])
    data = series(times=[1, 2])
    second = names_from(data, first, data).applied(clustering([0, 0, 0, 0], [0, 0, 1, 1]))
    assert second.lineages.tolist() == [1, 2]
    third = names_from(data, second, data, n_given=3).applied(clustering([0, 0, 1, 1], [1, 1, 2, 2]))
    assert third.lineages.tolist() == [1, 2, 3]  # 0 is not used again


def test_names_of_users_are_carried_over_and_shown():
    called = {1: LineageName("Delta", "#112233")}
    old, data = clustering([0, 0, 1, 1], [1, 1, 2, 2], names=called), series(times=[1, 2])
    assert names_from(data, old, data).applied(clustering([1, 1, 0, 0], [0, 0, 2, 2])).names == called
    assert Names(by_user=called).applied(old).labels is old.labels
    with named(called):
        assert (lineage_name(1), lineage_words(1), lineage_words(2)) == ("Delta", "lineage 1 (Delta)", "lineage 2")
    assert lineage_name(1) == "1"


def test_columns_of_names_follow_those_of_lineages():
    called = {1: LineageName("Delta")}
    table = pd.DataFrame({"from_lineage": [1, -1], "to_lineage": [0, 1], "objects": [5, 6]})
    told = with_names(table, called)
    assert told.columns.tolist() == ["from_lineage", "from_name", "to_lineage", "to_name", "objects"]
    assert told.from_name.tolist() == ["Delta", ""]
    assert told.to_name.tolist() == ["", "Delta"]
    assert with_names(told, called).equals(told)
    assert with_names(table, {}) is table
    forecast = pd.DataFrame({"cluster": pd.Series([1, "other", "new"], dtype=object)})
    assert with_names(forecast, called).name.tolist() == ["Delta", "", ""]


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ([("x", "A", None)], "not the number"),
        ([("1", "", None)], "not a name"),
        ([("1", "A" * 41, None)], "not a name"),
        ([("1", "A", "red")], "not a colour"),
        ([("1", "A", None), ("1", "B", None)], "twice"),
        ([("1", "A", None), ("2", "A", None)], "twice"),
    ],
)
def test_faults_of_names(rows, fault):
    with pytest.raises(DataError, match=fault):
        check_names(rows)


def test_very_many_names_are_checked_at_once():
    rows = [(str(g), f"name {g}", None) for g in range(200_000)]
    began = time.monotonic()
    assert len(check_names(rows)) == len(rows)
    assert time.monotonic() - began < 10
    with pytest.raises(DataError, match="occurs twice"):
        check_names([*rows, ("200000", "name 0", None)])


def test_a_number_of_very_many_digits_is_none():
    with pytest.raises(DataError, match="is not the number of a lineage"):
        check_names([("9" * 10_000, "a", None)])
