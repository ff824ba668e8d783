"""Dates and numbers written as text: what they are, if they are any."""

import datetime
import re
from collections.abc import Sequence

PLAIN_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
PLAIN_NUMBER = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")
WHOLE = re.compile(r"[-+]?[0-9]+")
YEAR, MONTH = re.compile(r"[0-9]{4}"), re.compile(r"[0-9]{4}-[0-9]{2}")

MISSING = frozenset({"", "NA", "N/A", "NaN", "nan", "NaT", "null", "NULL", "None", "<NA>"})


def read_date(text: str) -> tuple[datetime.datetime, str] | None:
    """The moment a date begins and how precise it is ("year", "month", "day"); None if it is no ISO date.

    Unknown months and days may be written XX, as sequence databases do: 2009-XX-XX is the year 2009.
    """
    text = text.replace("-XX", "")
    try:
        if YEAR.fullmatch(text):
            return datetime.datetime(int(text), 1, 1), "year"
        if MONTH.fullmatch(text):
            return datetime.datetime(int(text[:4]), int(text[5:]), 1), "month"
        return datetime.datetime.fromisoformat(text).replace(tzinfo=None), "day"
    except ValueError:
        return None


def as_numbers(texts: Sequence[str]) -> list[int] | list[float] | None:
    """All texts as whole numbers, or all as numbers; None if one of them is neither."""
    if all(WHOLE.fullmatch(text) for text in texts):
        return [int(text) for text in texts]
    if all(PLAIN_NUMBER.fullmatch(text) for text in texts):
        return [float(text) for text in texts]
    return None


def as_plain_integers(texts: Sequence[str]) -> list[int] | None:
    """All texts as whole numbers if they are written plainly: 7 but not 007, which would be another name."""
    if all(PLAIN_INTEGER.fullmatch(text) and text != "-0" for text in texts):
        return [int(text) for text in texts]
    return None
