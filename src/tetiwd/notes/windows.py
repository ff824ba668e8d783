"""Time windows of notes, counted from the first note of every object or by the calendar."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import Setting, SettingsError

Days = NDArray[np.datetime64]  # datetime64[D]
Ints = NDArray[np.int64]

WRITTEN = re.compile(r"([1-9][0-9]{0,3})\s*([ymwd])")
DAYS, MONTHS = {"d": 1, "w": 7}, {"m": 1, "y": 12}


@dataclass(frozen=True)
class Length:
    """A number of years, months, weeks or days."""

    number: int
    unit: str

    @property
    def days(self) -> int | None:
        """Number of days; None for months and years, which vary."""
        return self.number * DAYS[self.unit] if self.unit in DAYS else None

    @property
    def months(self) -> int:
        """Number of months."""
        return self.number * MONTHS[self.unit]


def as_length(text: Any) -> Length:
    """The length that is written "1y", "6m", "2w" or "90d"."""
    parts = WRITTEN.fullmatch(text.strip().lower()) if isinstance(text, str) else None
    if parts is None:
        fault = f' must be a number of years, months, weeks or days such as "1y", "6m", "2w" or "90d", not {text!r}'
        raise SettingsError([Setting("window"), fault])
    return Length(int(parts[1]), parts[2])


def own_windows(days: Days, whose: Ints, length: Length) -> tuple[Ints, list[Any]]:
    """Window of every note counted from the first note of its object, and the labels 1, 2, … of all windows.

    Years and months go by the day: a year begins on the day of the year of the first note.
    """
    first = np.full(int(whose.max()) + 1, np.datetime64("9999-12-31", "D"))
    np.minimum.at(first, whose, days)
    begin = first[whose]
    if length.days is not None:
        number = (days - begin).astype(np.int64) // length.days
    else:
        not_yet = _day_of_month(days) < _day_of_month(begin)
        number = (_months(days) - _months(begin) - not_yet) // length.months
    return number, list(range(1, int(number.max()) + 2))


def calendar_windows(days: Days, length: Length) -> tuple[Ints, list[Any]]:
    """Window of every note by the calendar, and the labels of all windows, with and without notes.

    Months are counted from January of the year of the first note, weeks from the Monday before it, days from it. One
    year is labelled by its number, several years by the first and the last, all others by the day or month they begin.
    """
    first = days.min()
    if length.days is not None:
        monday = (int(first.astype(np.int64)) + 3) % 7 if length.unit == "w" else 0  # 1 January 1970 was a Thursday
        begin = first - np.timedelta64(monday, "D")
        number = (days - begin).astype(np.int64) // length.days
        starts = begin + (length.days * np.arange(int(number.max()) + 1)).astype("timedelta64[D]")
        return number, [str(day) for day in starts]
    january = first.astype("datetime64[Y]").astype("datetime64[M]")
    number = (days.astype("datetime64[M]") - january).astype(np.int64) // length.months
    starts = january + (length.months * np.arange(int(number.max()) + 1)).astype("timedelta64[M]")
    if length.unit == "m":
        return number, [str(month) for month in starts]
    years = starts.astype("datetime64[Y]").astype(np.int64) + 1970
    if length.number == 1:
        return number, years.tolist()
    return number, [f"{year}-{year + length.number - 1}" for year in years.tolist()]


def narrate(length: Length, aligned: str) -> str:
    """What a window is, for people."""
    unit = {"y": "year", "m": "month", "w": "week", "d": "day"}[length.unit]
    lasts = f"one {unit}" if length.number == 1 else f"{length.number} {unit}s"
    return f"windows of {lasts}, " + (
        "counted from the first note of every object" if aligned == "object" else "the same for all objects"
    )


def windows_of(days: Days, whose: Ints, length: Length, aligned: str) -> tuple[Ints, Sequence[Any]]:
    """The window of every note and the labels of all windows."""
    return own_windows(days, whose, length) if aligned == "object" else calendar_windows(days, length)


def _months(days: Days) -> Ints:
    return days.astype("datetime64[M]").astype(np.int64)


def _day_of_month(days: Days) -> Ints:
    return (days - days.astype("datetime64[M]")).astype(np.int64)
