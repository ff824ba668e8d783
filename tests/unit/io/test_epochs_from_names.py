"""Labels and order of epochs: from names of files, from times, from dates."""

import re
import time

import pytest

from tetiwd.data.time_order import read_date
from tetiwd.errors import DataError, Where
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.epochs_from_names import epochs_from_names
from tetiwd.io.text_values import as_numbers, as_plain_integers
from tetiwd.io.windows import describe_order, epochs_of


def at(row):
    return Where(row=row)


NAMES = {
    "years": (["D_2003", "D_2001", "D_2010"], [2001, 2003, 2010], [1, 0, 2]),
    "shared digits stay": (["D_2010", "D_2020"], [2010, 2020], [0, 1]),
    "numbers sort as numbers": (["day10", "day9", "day120"], [9, 10, 120], [1, 0, 2]),
    "something on both sides": (["a1_x", "a3_x", "a2_x"], [1, 2, 3], [0, 2, 1]),
    "digits on both sides": (["run7_1_v2", "run7_10_v2"], [1, 10], [0, 1]),
    "decimals": (["t0.5", "t1.5", "t1.0"], [0.5, 1.0, 1.5], [0, 2, 1]),
    "shared decimals": (["t1.5", "t0.5"], [0.5, 1.5], [1, 0]),
    "a hyphen is no sign": (["D-2", "D-1"], [1, 2], [1, 0]),
    "a sign": (["D-1", "D1"], [-1, 1], [0, 1]),
    "numbers only": (["3", "1"], [1, 3], [1, 0]),
    "leading zeros": (["t02", "t01", "t10"], [1, 2, 10], [1, 0, 2]),
    "dates": (["x_2014-09-01", "x_2014-08-30"], ["2014-08-30", "2014-09-01"], [1, 0]),
    "dates with a tail": (["2014-09_D", "2013-10_D"], ["2013-10", "2014-09"], [1, 0]),
    "no date": (["x_2014-13-01", "x_2014-14-01"], [13, 14], [0, 1]),
    "two dates": (["2014-01-01_2014-02-01", "2014-02-01_2014-03-01"], None, [0, 1]),
    "seasons": (["D_2001-02", "D_1999-00", "D_2000-01"], ["1999-00", "2000-01", "2001-02"], [1, 2, 0]),
    "quarters": (["2004_Q1", "2003_Q4"], ["2003_Q4", "2004_Q1"], [1, 0]),
    "words": (["visit_second", "visit_first"], ["second", "first"], [0, 1]),
    "words are not cut": (["alpha", "alto"], ["alpha", "alto"], [0, 1]),
    "words on both sides": (["D_early_v1", "D_late_v1"], ["early", "late"], [0, 1]),
    "nothing left": (["D", "D_b"], ["D", "D_b"], [0, 1]),
    "overlap": (["a_b", "a_b_b"], ["a_b", "a_b_b"], [0, 1]),
    "mixed": (["D_2001", "D_later"], ["2001", "later"], [0, 1]),
    "only one": (["D_2001"], ["D_2001"], [0]),
}


@pytest.mark.parametrize("case", NAMES)
def test_epochs_from_names(case):
    names, labels, order = NAMES[case]
    assert epochs_from_names(names) == (labels or names, order)


def test_kind_of_numbers():
    labels, _ = epochs_from_names(["a1", "a2"])
    assert all(type(label) is int for label in labels)
    labels, _ = epochs_from_names(["a1", "a2.5"])
    assert all(type(label) is float for label in labels)


TIMES = {
    "numbers": ([3, 1, 2, 1], [3, 1, 2, 1], [1, 2, 3]),
    "numbers as text": (["10", "9", "10"], [10, 9, 10], [9, 10]),
    "decimals as text": (["0.5", "10", "2"], [0.5, 10.0, 2.0], [0.5, 2.0, 10.0]),
    "dates": (["2014-08-05", "2013-12-31"], None, ["2013-12-31", "2014-08-05"]),
    "dates of any precision": (["2014-08-05", "2014", "2014-08"], None, ["2014", "2014-08", "2014-08-05"]),
    "moments": (["2014-08-05T10:00", "2014-08-05T09:00"], None, ["2014-08-05T09:00", "2014-08-05T10:00"]),
    "one text": (["late", "late"], None, ["late"]),
    "seasons": (["2000/01", "1999/00", "2000/01"], None, ["1999/00", "2000/01"]),
}


@pytest.mark.parametrize("case", TIMES)
def test_epochs_from_times(case):
    times, labels, order = TIMES[case]
    epochs = epochs_of(times, DataSettings(), at)
    assert list(epochs) == (labels or times)
    assert list(epochs.categories) == order


def test_order_is_not_guessed():
    with pytest.raises(DataError, match="order in time is not known: '2014-08-05', 'before', '2013-01-01'"):
        epochs_of(["2014-08-05", "before", "2013-01-01"], DataSettings(), at)


def test_listed_times_are_compared_as_text():
    assert list(epochs_of(["1.0", "2.5"], DataSettings(times=(1, 2.5)), at).categories) == [1.0, 2.5]
    assert list(epochs_of(["b", "7"], DataSettings(times=("b", 7)), at).categories) == ["b", "7"]


def test_declared_order_wins():
    epochs = epochs_of(["b", "a", "b"], DataSettings(), at, declared=["c", "b", "a"])
    assert list(epochs.categories) == ["b", "a"]


def test_times_of_two_kinds():
    with pytest.raises(DataError, match="row 2: 'b' and 1 are times of different kinds"):
        epochs_of([1, 2, "b"], DataSettings(), at)


DATES = ["2014-12-31", "2014-07-01", "2015-01-01", "2014-08-05T23:59:00+09:00"]
WINDOWS = {
    "year": ([2014, 2014, 2015, 2014], [2014, 2015]),
    "quarter": (["2014-Q4", "2014-Q3", "2015-Q1", "2014-Q3"], ["2014-Q3", "2014-Q4", "2015-Q1"]),
    "month": (["2014-12", "2014-07", "2015-01", "2014-08"], ["2014-07", "2014-08", "2014-12", "2015-01"]),
    "week": (["2015-W01", "2014-W27", "2015-W01", "2014-W32"], ["2014-W27", "2014-W32", "2015-W01"]),
    "day": (
        ["2014-12-31", "2014-07-01", "2015-01-01", "2014-08-05"],
        ["2014-07-01", "2014-08-05", "2014-12-31", "2015-01-01"],
    ),
}


@pytest.mark.parametrize("by", WINDOWS)
def test_windows(by):
    epochs = epochs_of(DATES, DataSettings(by=by), at)
    assert (list(epochs), list(epochs.categories)) == WINDOWS[by]


def test_bare_years_and_months():
    assert list(epochs_of([2014, 2013], DataSettings(by="year"), at).categories) == [2013, 2014]
    assert list(epochs_of(["2014-08", "2014"], DataSettings(by="year"), at).categories) == [2014]
    assert list(epochs_of(["2014-08", "2013-02"], DataSettings(by="quarter"), at).categories) == ["2013-Q1", "2014-Q3"]


@pytest.mark.parametrize(
    ("times", "by", "message"),
    [
        (["2014-08-05", "soon"], "year", "row 1: 'soon' is not a date, which by=\"year\" needs"),
        ([3.5], "year", "row 0: 3.5 is not a date"),
        (["2014-02-30"], "month", "row 0: '2014-02-30' is not a date"),
        ([2014], "month", "row 0: 2014 does not say which month it is; give whole dates, or use a longer by, such as"),
        (["2014-08"], "week", "row 0: '2014-08' does not say which week it is"),
        (["2014-08"], "day", "'2014-08' does not say which day it is"),
    ],
)
def test_no_windows_without_dates(times, by, message):
    with pytest.raises(DataError, match=re.escape(message)):
        epochs_of(times, DataSettings(by=by), at)


def test_some_of_the_rows():
    some = epochs_of(["b", "a", "c"], DataSettings(times=("a", "b", "c")), at).take([2, 1]).remove_unused_categories()
    assert list(some) == ["c", "a"]
    assert list(some.categories) == ["a", "c"]


def test_a_long_order_is_cut():
    assert describe_order(range(30), "by number") == "order of epochs (by number): 0, 1, 2, 3, 4, …, 25, 26, 27, 28, 29"


def test_what_texts_are():
    assert as_numbers(["1", "+2", "-03"]) == [1, 2, -3]
    assert as_numbers(["1", "2e3", ".5"]) == [1.0, 2000.0, 0.5]
    assert as_numbers(["1", "nan"]) is None
    assert as_numbers(["1_000"]) is None
    assert as_numbers(["1", "7" * 5000]) is None  # more digits than Python turns into a number
    assert as_numbers(["1", "1e999"]) is None
    assert as_plain_integers(["1", "7" * 5000]) is None
    assert as_plain_integers(["7", "-12", "0"]) == [7, -12, 0]
    for odd in ("007", "-0", "+7", "7.0", " 7", "٧", ""):
        assert as_plain_integers(["7", odd]) is None
    assert read_date("2014")[1] == "year"
    assert read_date("2014-08")[1] == "month"
    assert read_date("2014-08-05")[1] == "day"
    assert read_date("0000") is None


def test_names_of_very_many_digits_take_no_longer_than_others():
    began = time.process_time()
    assert epochs_from_names(["7" * 60_000 + "aX", "7" * 60_000 + "aY"])[1] == [0, 1]
    assert time.process_time() - began < 5
