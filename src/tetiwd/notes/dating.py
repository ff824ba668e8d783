"""Dates of notes, in ISO format or in a format given by the user."""

import datetime
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.time_order import read_date
from tetiwd.errors import DataError, Setting
from tetiwd.io.tables import is_missing

NO_DATE = np.datetime64("NaT", "D")
EARLIEST = datetime.date(1800, 1, 1)  # earlier dates are typing errors, such as the year 0015


class Dates:
    """The days of all rows, and which of them could not be read."""

    def __init__(self, values: Sequence[Any], format: str | None) -> None:
        known: dict[Any, tuple[datetime.date | None, str]] = {}
        for value in values:
            if value not in known:
                known[value] = _day(value, format)
        self.days: NDArray[np.datetime64] = np.array(
            [NO_DATE if (day := known[value][0]) is None else np.datetime64(day, "D") for value in values],
            dtype="datetime64[D]",
        )
        how = [known[value][1] for value in values]
        self.missing = np.array([precision == "missing" for precision in how], dtype=bool)
        self.unreadable = np.array([precision == "unreadable" for precision in how], dtype=bool)
        self.imprecise = np.array([precision in ("year", "month") for precision in how], dtype=bool)
        if len(how) and not (~self.missing & ~self.unreadable).any():
            example = next((value for value, (_, precision) in known.items() if precision == "unreadable"), None)
            raise _no_dates(example, format)


def _day(value: Any, format: str | None) -> tuple[datetime.date | None, str]:
    """A day and how precise it is."""
    if isinstance(value, datetime.date):  # a Timestamp is one too
        return _plausible(datetime.date(value.year, value.month, value.day), "day")
    if is_missing(value) or (isinstance(value, str) and not value.strip()):
        return None, "missing"
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # a column of years with gaps
    text = str(value).strip()
    if format is not None:
        try:
            return _plausible(datetime.datetime.strptime(text, format).date(), "day")
        except ValueError:
            return None, "unreadable"
    date = read_date(text)
    return (None, "unreadable") if date is None else _plausible(date[0].date(), date[1])


def _plausible(day: datetime.date, precision: str) -> tuple[datetime.date | None, str]:
    return (day, precision) if day >= EARLIEST else (None, "unreadable")


def _no_dates(example: Any, format: str | None) -> DataError:
    if example is None:
        return DataError("no row has a date", ["name the column of dates with ", Setting("date")])
    if format is not None:
        fault = f"no date is written as {format!r}: {example!r} is not"
        return DataError(fault, ["correct ", Setting("date_format"), ", or name the column with ", Setting("date")])
    how: list[str | Setting] = [
        "say with ",
        Setting("date_format"),
        ' how they are written (such as "%m/%d/%Y"), or name the column with ',
    ]
    return DataError(
        f"no date can be read, {example!r} for example", ["write dates as 2014-08-05, ", *how, Setting("date")]
    )
