"""Windows of notes: lengths, counting from the first note, and the calendar."""

import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tetiwd import SettingsError
from tetiwd.notes.windows import as_length, calendar_windows, narrate, own_windows, windows_of


def days(*texts):
    return np.array(texts, dtype="datetime64[D]")


@pytest.mark.parametrize(
    ("text", "number", "unit"), [("1y", 1, "y"), ("6m", 6, "m"), ("90d", 90, "d"), ("2w", 2, "w"), (" 1 Y ", 1, "y")]
)
def test_lengths(text, number, unit):
    length = as_length(text)
    assert (length.number, length.unit) == (number, unit)


@pytest.mark.parametrize("text", ["", "y", "0y", "-1y", "1.5y", "year", "1y6m", "1h", 1, None, "99999d"])
def test_lengths_that_are_none(text):
    with pytest.raises(SettingsError, match="such as"):
        as_length(text)


def test_years_begin_with_the_first_note_of_every_object():
    when = days("2013-05-20", "2014-05-19", "2014-05-20", "2016-05-20", "2011-01-31", "2012-01-30", "2012-01-31")
    number, labels = own_windows(when, np.array([0, 0, 0, 0, 1, 1, 1]), as_length("1y"))
    assert number.tolist() == [0, 0, 1, 3, 0, 0, 1]
    assert labels == [1, 2, 3, 4]


def test_a_year_from_the_29th_of_february_ends_on_the_1st_of_march():
    when = days("2012-02-29", "2013-02-28", "2013-03-01", "2016-02-28", "2016-02-29")
    number, _ = own_windows(when, np.zeros(5, dtype=np.int64), as_length("1y"))
    assert number.tolist() == [0, 0, 1, 3, 4]


def test_the_first_note_need_not_stand_first():
    number, _ = own_windows(days("2014-06-01", "2013-05-20"), np.array([0, 0]), as_length("1y"))
    assert number.tolist() == [1, 0]


@given(
    st.dates(datetime.date(1900, 1, 1), datetime.date(2100, 1, 1)),
    st.integers(0, 4000),
    st.sampled_from(["1y", "2y", "6m", "1m", "90d", "2w"]),
)
def test_own_windows_against_counting_by_hand(first, later, text):
    """The window is the number of whole lengths that have passed, length by adding one length after the other."""
    length, last = as_length(text), first + datetime.timedelta(days=later)
    passed = 0
    while _after(first, length, passed + 1) <= last:
        passed += 1
    number, _ = own_windows(np.array([first, last], dtype="datetime64[D]"), np.array([0, 0]), length)
    assert number.tolist() == [0, passed]


def _after(first, length, times):
    """The day on which so many windows have passed; the day after the month if the month has no such day."""
    if length.days is not None:
        return first + datetime.timedelta(days=length.days * times)
    months = first.year * 12 + first.month - 1 + length.months * times
    try:
        return datetime.date(months // 12, months % 12 + 1, first.day)
    except ValueError:
        return datetime.date((months + 1) // 12, (months + 1) % 12 + 1, 1)


CALENDAR = {
    "1y": ([0, 0, 1, 3], [2013, 2014, 2015, 2016]),
    "2y": ([0, 0, 0, 1], ["2013-2014", "2015-2016"]),
    "6m": ([0, 1, 2, 6], ["2013-01", "2013-07", "2014-01", "2014-07", "2015-01", "2015-07", "2016-01"]),
}


@pytest.mark.parametrize(("text", "expected"), CALENDAR.items(), ids=CALENDAR.keys())
def test_calendar_windows(text, expected):
    when = days("2013-05-20", "2013-12-31", "2014-01-01", "2016-01-01")
    number, labels = calendar_windows(when, as_length(text))
    assert (number.tolist(), labels) == expected


def test_weeks_begin_on_mondays_and_days_with_the_first_note():
    when = days("2024-05-15", "2024-05-19", "2024-05-20")  # a Wednesday, a Sunday, a Monday
    number, labels = calendar_windows(when, as_length("1w"))
    assert (number.tolist(), labels) == ([0, 0, 1], ["2024-05-13", "2024-05-20"])
    number, labels = calendar_windows(when, as_length("4d"))
    assert (number.tolist(), labels) == ([0, 1, 1], ["2024-05-15", "2024-05-19"])


def test_which_windows_are_meant():
    when, whose = days("2013-05-20", "2014-01-01"), np.array([0, 0])
    assert windows_of(when, whose, as_length("1y"), "object")[0].tolist() == [0, 0]
    assert windows_of(when, whose, as_length("1y"), "calendar")[0].tolist() == [0, 1]


def test_windows_narrate():
    assert narrate(as_length("1y"), "object") == "windows of one year, counted from the first note of every object"
    assert narrate(as_length("90d"), "calendar") == "windows of 90 days, the same for all objects"
