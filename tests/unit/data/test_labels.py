"""Ids and time labels: what they may be, what order they bring, and the labels of tables."""

import datetime
import re

import numpy as np
import pytest

from reference import rng_for
from tetiwd import DistanceSeries
from tetiwd.errors import DataError
from tetiwd.model.simulation import squared_distances

IDS = ["p17", "p40", "p41", "p99"]
NOON = datetime.datetime(2001, 1, 1, 12)
UTC = datetime.UTC


def good(n=4):
    return squared_distances(rng_for(15, n).standard_normal((n, 3)))


def distances_of(matrices, **options):
    return DistanceSeries.from_distances(matrices, **({"squared": True} | options))


def distances(D, **options):
    """Three epochs with ids and times, D in the middle."""
    return distances_of([good(), D, good()], **({"ids": [IDS] * 3, "times": [2001, 2003, 2007]} | options))


def pooled(**options):
    return DistanceSeries.from_pooled(good(8), **({"time": [1] * 4 + [2] * 4, "squared": True} | options))


def features(**options):
    X = rng_for(16).standard_normal((8, 2))
    return DistanceSeries.from_features(X, **({"time": [1] * 4 + [2] * 4} | options))


class Table:
    """As much of a DataFrame as the package looks at."""

    def __init__(self, values, index=None, columns=None):
        self.values = np.asarray(values)
        self.shape = self.values.shape
        self.index = range(len(self.values)) if index is None else index
        self.columns = self.index if columns is None else columns

    def __array__(self, dtype=None, copy=None):
        return self.values


class Unknown:
    """Like pandas' NA: its comparisons are neither true nor false."""

    def __ne__(self, other):
        return self

    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")

    __hash__ = object.__hash__


class Categories:
    """As much of a pandas Categorical as the package looks at."""

    def __init__(self, values, categories, ordered=True):
        self.values, self.categories, self.ordered = values, categories, ordered

    def __iter__(self):
        return iter(self.values)


class Column(list):
    """A column of a table that holds a Categorical."""

    cat: Categories


FAULTS = {
    "single table": (lambda: distances_of(Table(good())), "got a single matrix; wrap it in a list: [D]"),
    "rows and columns in another order": (
        lambda: distances_of([Table(good(), IDS, ["p17", "p41", "p40", "p99"])]),
        "D[0] has rows and columns in a different order: row 1 is 'p40' and column 1 is 'p41'; sort the columns",
    ),
    "rows and columns with other labels": (
        lambda: distances_of([Table(good(), IDS, range(4))]),
        "D[0] has different labels on rows and columns: row 0 is 'p17' and column 0 is 0; label both",
    ),
    "table not square": (lambda: distances_of([Table(good()[:, :3], IDS, IDS[:3])]), "D[0] is not square"),
    "labels and ids": (
        lambda: distances_of([Table(good(), IDS)], ids=[["p17", "p41", "p40", "p99"]]),
        "D[0] has the label 'p40' at row 1, where ids has 'p41'; give ids in the order of the rows",
    ),
    "labels at one epoch only": (
        lambda: distances_of([good(), Table(good(), IDS)]),
        "D[1] has labelled rows but D[0] has none; label the rows of every epoch, or pass ids",
    ),
    "labels of D* and ids": (
        lambda: distances(good(), cross=Table(np.kron(np.ones((3, 3)), good()), IDS * 2 + IDS[::-1])),
        "D* has the label 'p99' at row 8, where ids has 'p17'",
    ),
    "labels of a pooled table": (
        lambda: DistanceSeries.from_pooled(Table(good(), IDS, IDS[::-1]), time=[1] * 4, squared=True),
        "D* has rows and columns in a different order",
    ),
    "labels of a pooled table and ids": (
        lambda: DistanceSeries.from_pooled(Table(good(), IDS), time=[1] * 4, squared=True, ids=IDS[::-1]),
        "D* has the label 'p17' at row 0, where ids has 'p99'",
    ),
    "id lists": (lambda: distances(good(), ids=[IDS, IDS]), "there are 3 epochs but 2 lists of ids"),
    "one id list": (lambda: distances(good(), ids=[IDS]), "there are 3 epochs but 1 list of ids"),
    "number of ids": (
        lambda: distances(good(), ids=[IDS, IDS[:3], IDS]),
        "D[1] (2003) has 4 objects but 3 ids; give one id per object",
    ),
    "duplicate ids": (
        lambda: distances(good(), ids=[IDS, ["a", "b", "c", "b"], IDS]),
        "epoch 1 (2003) has the id 'b' twice, at positions 1 and 3; an object appears once per epoch",
    ),
    "mixed ids": (
        lambda: distances(good(), ids=[IDS, ["a", 2, "c", "d"], IDS]),
        "the ids of epoch 1 (2003) mix numbers (2) and text ('a'); convert them all to one type",
    ),
    "missing id": (
        lambda: distances(good(), ids=[IDS, ["a", None, "c", "d"], IDS]),
        "the id of epoch 1 (2003) at position 1 is missing; fill it in",
    ),
    "one time": (lambda: distances(good(), times=[1]), "3 epochs but times has 1 label; give one per epoch"),
    "number of times": (lambda: distances(good(), times=[1, 2]), "3 epochs but times has 2 labels"),
    "duplicate times": (
        lambda: distances(good(), times=[2001, 2003, 2001]),
        "the time label 2001 occurs twice, at epochs 0 and 2",
    ),
    "time backwards": (
        lambda: distances(good(), times=[2001, 2007, 2003]),
        "time runs backwards: epoch 1 is 2007 and epoch 2 is 2003; sort the epochs",
    ),
    "missing time label": (lambda: distances(good(), times=[1, None, 3]), "the time label of epoch 1 is missing"),
    "ids of no epoch": (lambda: distances(good(), ids=5), "ids must be a list with the ids of every epoch, not 5"),
    "ids of one epoch None": (
        lambda: distances(good(), ids=[IDS, None, IDS]),
        "the ids of epoch 1 (2003) must be a list with one id per object, not None",
    ),
    "ids a set": (
        lambda: distances(good(), ids=[IDS, {"p17"}, IDS]),
        "the ids of epoch 1 (2003) must be a list with one id per object, not {'p17'}",
    ),
    "ids a dict": (lambda: distances(good(), ids={0: IDS}), "ids must be a list with the ids of every epoch, not {0:"),
    "ids one text": (lambda: distances(good(), ids=["p17p"] * 3), "must be a list with one id per object, not 'p17p'"),
    "pooled ids twice": (
        lambda: pooled(ids=list("abcdefgf")),
        "epoch 1 (2) has the id 'f' twice, at positions 5 and 7; an object appears once per epoch, so merge",
    ),
    "pooled id missing": (
        lambda: pooled(ids=[1, 2, 3, 4, 5, 6, 7, None]),
        "the id of epoch 1 (2) at position 7 is missing",
    ),
    "pooled ids a set": (lambda: pooled(ids=set("abcdefgh")), "ids must be a list with one id per row, not {"),
    "ids are lists": (
        lambda: distances(good(), ids=[IDS, [["a"], ["b"], ["c"], ["d"]], IDS]),
        "the id of epoch 1 (2003) at position 0 is a list, ['a']; use text, numbers or dates",
    ),
    "ids text here, numbers there": (
        lambda: distances(good(), ids=[IDS, [1, 2, 3, 4], IDS]),
        "ids are text at epoch 0 (2001) and numbers at epoch 1 (2003); convert them all, for example with str",
    ),
    "equal large numbers": (
        lambda: distances(good(), ids=[[2**60, 2.0**60, 1, 2], [1, 2, 3, 4], [1, 2, 3, 4]]),
        "epoch 0 (2001) has the id 1.152921504606847e+18 twice, at positions 0 and 1",
    ),
    "times a number": (lambda: distances(good(), times=5), "times must be a list with one label per epoch, not 5"),
    "times a set": (lambda: distances(good(), times={1, 2, 3}), "times must be a list with one label per epoch, not {"),
    "times unknown": (lambda: distances(good(), times=[1, Unknown(), 3]), "the time label of epoch 1 is missing"),
    "date and datetime": (
        lambda: distances(good(), times=[NOON.date(), NOON + datetime.timedelta(1), NOON + datetime.timedelta(2)]),
        "time labels mix date (datetime.date(2001, 1, 1)) and datetime (",
    ),
    "with and without time zone": (
        lambda: distances(good(), times=[NOON, NOON.replace(year=2002, tzinfo=UTC), NOON.replace(year=2003)]),
        "and datetime with a time zone (",
    ),
    "number and date": (lambda: distances(good(), times=[1, NOON, 3]), "time labels mix datetime ("),
    "times without order": (lambda: distances(good(), times=[1j, 2j, 3j]), "times cannot be put in order ("),
    "times are lists": (
        lambda: distances(good(), times=[[1], [2], [3]]),
        "the time label of epoch 0 is a list, [1]; use text, numbers or dates",
    ),
    "time column": (lambda: pooled(time=[1, 2]), "D* has 8 rows but time has shape (2,); give one value per row"),
    "missing time": (
        lambda: features(time=[1, 1, 1, np.nan, 2, 2, 2, 2]),
        "time at row 3 is missing; fill it in, or leave it out",
    ),
    "mixed times": (
        lambda: features(time=np.array([1, 1, 1, 1, "b", "b", "b", "b"], dtype=object)),
        "the values of time mix numbers (1) and text ('b'); convert them all",
    ),
    "time no column": (lambda: features(time=5), "time must be a list with one value per row, not 5"),
    "time two-dimensional": (lambda: features(time=np.ones((8, 1))), "X has 8 rows but time has shape (8, 1)"),
    "missing time among text": (
        lambda: features(time=["a", "a", "a", float("nan"), "b", "b", "b", "b"]),
        "time at row 3 is missing",
    ),
    "unknown time": (lambda: features(time=[1, 1, 1, 1, 2, 2, 2, Unknown()]), "time at row 7 is missing"),
    "mixed times in a list": (
        lambda: features(time=[1, 1, 1, 1, "b", "b", "b", "b"]),
        "the values of time mix numbers (1) and text ('b')",
    ),
    "dates and numbers in a column": (lambda: features(time=[NOON] * 4 + [2] * 4), "the values of time mix datetime ("),
    "times of a column without order": (lambda: features(time=[1j] * 4 + [2j] * 4), "times cannot be put in order ("),
    "pooled ids": (lambda: pooled(ids=["a"]), "there are 8 rows but 1 id; give one id per row"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault(fault):
    call, message = FAULTS[fault]
    with pytest.raises(DataError, match=re.escape(message)):
        call()


DAYS = ["day 30"] * 3 + ["day 120"] * 3 + ["day 7"] * 3


@pytest.mark.parametrize("cross", [False, True])
def test_text_about_time_is_sorted(cross):
    X = rng_for(17).standard_normal((9, 2))
    series = DistanceSeries.from_features(X, time=DAYS, cross=cross)
    assert series.times == ("day 7", "day 30", "day 120")
    assert np.allclose(series.D[2], 2 * squared_distances(X[3:6]))


def test_the_order_of_other_text_is_not_guessed():
    message = "text whose order in time is not known: 'late', 'early'; write dates as 2023-06-13, or list all times in "
    with pytest.raises(DataError, match=message):
        features(time=["late"] * 4 + ["early"] * 4)
    assert features(time=["late"] * 8).times == ("late",)


def test_an_ordered_categorical_brings_its_order():
    order = ["day 7", "day 30", "day 60", "day 120"]
    column = Column(DAYS)
    column.cat = Categories(DAYS, order)
    for time in (Categories(DAYS, order), column):
        series = DistanceSeries.from_pooled(good(9), time=time, squared=True)
        assert series.times == ("day 7", "day 30", "day 120")
        assert np.array_equal(series.D[0], good(9)[6:, 6:])
    falling = DistanceSeries.from_pooled(good(9), time=Categories([1] * 4 + [2] * 5, [2, 1]), squared=True)
    assert falling.times == (2, 1)
    unordered = DistanceSeries.from_pooled(good(9), time=Categories(DAYS, order, ordered=False), squared=True)
    assert unordered.times == ("day 7", "day 30", "day 120")


def test_numbers_and_dates_are_sorted():
    assert features(time=[10] * 4 + [9.5] * 4).times == (9.5, 10)
    dates = np.array(["2021-03-01"] * 4 + ["2020-05-01"] * 4, dtype="datetime64[D]")
    assert features(time=dates).times == (dates[4], dates[0])
    aware = [NOON.replace(tzinfo=UTC)] * 4 + [NOON.replace(year=1999, tzinfo=UTC)] * 4
    assert features(time=aware).times == (aware[4], aware[0])


@pytest.mark.parametrize(
    "ids",
    [
        [("a", 1), ("a", 2), ("b", 1), ("b", 2)],
        [2**60 + 1, 2.0**60, 2**60 - 1, 0.5],
        ["a", "a\x00", "b", "b\x00"],
        [2**63, -(2**63), 1, 2**64],
    ],
)
def test_ids_stay_what_they_are(ids):
    (own,) = distances_of([good()], ids=[ids]).ids
    assert own.shape == (4,)
    assert own.tolist() == ids


def test_whole_numbers_are_an_array_of_numbers():
    assert distances_of([good()], ids=[np.array([3, 1, 2, 5], dtype=np.uint8)]).ids[0].dtype == np.int64


def test_any_iterable_will_do():
    series = distances_of((good() for _ in range(2)), ids=iter([IDS, tuple(IDS)]), times=(t for t in (1, 2)))
    assert series.times == (1, 2)
    assert series.ids[1].tolist() == IDS
    by_name = {2001: good(), 2003: good()}
    assert distances_of(list(by_name.values()), times=by_name.keys()).times == (2001, 2003)


def test_labels_of_tables_are_ids():
    later = ["p40", "p41", "p99", "p17"]
    series = distances_of([Table(good(), IDS), Table(good(), later)])
    assert [own.tolist() for own in series.ids] == [IDS, later]
    assert distances_of([Table(good(), IDS)], ids=[IDS]).ids[0].tolist() == IDS
    cross = np.kron(np.ones((2, 2)), good())
    assert distances_of([good()] * 2, ids=[IDS] * 2, cross=Table(cross, IDS * 2)).cross.shape == (8, 8)


def test_tables_without_labels_have_no_ids():
    assert distances_of([Table(good())] * 2).ids is None
    assert distances_of([Table(good())], ids=[IDS]).ids[0].tolist() == IDS


def test_a_count_from_zero_is_a_label_where_other_epochs_have_labels():
    series = distances_of([Table(good()), Table(good(), [2, 3, 4, 5])])
    assert [own.tolist() for own in series.ids] == [[0, 1, 2, 3], [2, 3, 4, 5]]


def test_labels_of_a_pooled_table_are_ids():
    series = DistanceSeries.from_pooled(Table(good(8), IDS + IDS[::-1]), time=[2] * 4 + [1] * 4, squared=True)
    assert [own.tolist() for own in series.ids] == [IDS[::-1], IDS]
