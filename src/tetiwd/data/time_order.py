"""Text that is about time, in order of time: dates, months, quarters, weeks, seasons, ranges, numbered visits.

A label counts only if it can be read in one way. Where a set of labels is written in different ways, or means nothing
certain ("late", "winter 2003" beside "spring 2003", which depends on the hemisphere), there is no order.
"""

import datetime
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

Key = tuple[Any, ...]


class Span(NamedTuple):
    """From one number to another."""

    start: int
    end: int


MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
SEASONS = ("spring", "summer", "autumn", "fall", "winter", "season")
PARTS = {"q": 4, "h": 2, "w": 53}  # quarters, halves and weeks of a year
LONGEST = 100  # characters; what is longer is not about time

YEAR, MONTH = re.compile(r"\d{4}"), re.compile(r"\d{4}-\d{2}")
SLASHES = re.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})(.*)", re.DOTALL)
RANGE = re.compile(r"(\d+) ?(?:-|–|/|to) ?(\d+)")
YEAR_AND_TWO_DIGITS = re.compile(r"(?P<year>\d{4}) ?[-/–] ?(?P<month>\d{2})")
MONTH_OF_YEAR = (YEAR_AND_TWO_DIGITS, re.compile(r"(?P<month>\d{1,2})[/.](?P<year>\d{4})"))
WORD_AND_YEARS = (
    re.compile(r"(?P<word>[a-z]+)\.?[ _-]?(?P<years>\d{4}(?: ?[-/–] ?\d{2,4})?)"),
    re.compile(r"(?P<years>\d{4}(?: ?[-/–] ?\d{2,4})?)[ _-]?(?P<word>[a-z]+)\.?"),
)
PART_OF_YEAR = (
    re.compile(r"(?P<part>[qhw])(?P<number>\d{1,2})[ _/-]?(?P<year>\d{4})"),
    re.compile(r"(?P<year>\d{4})[ _/-]?(?P<part>[qhw])(?P<number>\d{1,2})"),
)
NUMBERED = re.compile(r"(\D*?)[ _-]?(\d+(?:\.\d+)?)(\D*)")


def in_order_of_time(labels: Sequence[str]) -> list[str] | None:
    """Different labels in order of time; None where that cannot be said."""
    if len(labels) < 2:
        return list(labels)
    texts = [" ".join(label.split()).lower() for label in labels]
    if max(map(len, texts)) > LONGEST:
        return None
    for read in WAYS:
        keys = [read(text) for text in texts]
        known = [key for key in keys if key is not None]
        if len(known) == len(keys) and _comparable(known) and len(set(known)) == len(keys):
            return [label for _, label in sorted(zip(known, labels, strict=True))]
    return None


def read_date(text: str) -> tuple[datetime.datetime, str] | None:
    """The moment a date begins and how precise it is ("year", "month", "day"); None if it is no ISO date.

    Slashes or points may stand between year, month and day. Unknown months and days may be written XX, as sequence
    databases do: 2009-XX-XX is the year 2009.
    """
    text = text.replace("-XX", "").replace("-xx", "")
    slashes = SLASHES.fullmatch(text)
    if slashes is not None:
        text = f"{slashes[1]}-{int(slashes[2]):02}-{int(slashes[3]):02}{slashes[4]}"
    try:
        if YEAR.fullmatch(text):
            return datetime.datetime(int(text), 1, 1), "year"
        if MONTH.fullmatch(text):
            return datetime.datetime(int(text[:4]), int(text[5:]), 1), "month"
        return datetime.datetime.fromisoformat(text.upper()).replace(tzinfo=None), "day"
    except ValueError:
        return None


def _comparable(keys: Sequence[Key]) -> bool:
    """Whether keys have one order: their words are the same, and none is a range within another one."""
    if isinstance(keys[0][0], str):
        return len({key[0] for key in keys}) == 1
    ends = [key.end for key in sorted(keys) if isinstance(key, Span)]
    return ends == sorted(ends)


def _season(text: str) -> Key | None:
    """2003/04: the second year follows the first."""
    match = YEAR_AND_TWO_DIGITS.fullmatch(text)
    if match is None or (int(match[1]) + 1) % 100 != int(match[2]):
        return None
    return (int(match[1]),)


def _year_and_month(text: str) -> Key | None:
    """2004/03, 03/2004, Jan 2004 or 2004 January."""
    numbers, words = _parts(text, MONTH_OF_YEAR), _parts(text, WORD_AND_YEARS)
    if numbers:
        year, month = int(numbers["year"]), int(numbers["month"])
    elif words and words["years"].isdigit() and len(words["word"]) > 2:
        starts = [name.startswith(words["word"]) for name in MONTHS]
        year, month = int(words["years"]), starts.index(True) + 1 if any(starts) else 0
    else:
        return None
    return (year, month) if 1 <= month <= 12 else None


def _part_of_year(text: str) -> Key | None:
    """2004 Q1, Q1 2004, 2004-H2 or 2004-W07."""
    parts = _parts(text, PART_OF_YEAR)
    if not parts or not 1 <= int(parts["number"]) <= PARTS[parts["part"]]:
        return None
    return parts["part"], int(parts["year"]), int(parts["number"])


def _named_season(text: str) -> Key | None:
    """Winter 2003 or winter 2003/04, in order if all are the same season."""
    words = _parts(text, WORD_AND_YEARS)
    if not words or words["word"] not in SEASONS:
        return None
    season, years = "autumn" if words["word"] == "fall" else words["word"], words["years"]
    if years.isdigit():
        return (f"{season} of one year", int(years))
    first = _season(years) or _range(years)
    return None if first is None else (f"{season} of two years", first[0])


def _range(text: str) -> Key | None:
    """2001-2003, or a year by itself between such ranges."""
    if text.isdecimal():
        return Span(int(text), int(text))
    match = RANGE.fullmatch(text)
    if match is None or len(match[2]) < len(match[1]) or int(match[2]) < int(match[1]):
        return None
    return Span(int(match[1]), int(match[2]))


def _numbered(text: str) -> Key | None:
    """Day 30, visit 2, 1990s: a number with the same words around it."""
    match = NUMBERED.fullmatch(text)
    return None if match is None else (f"{match[1]} {match[3]}", float(match[2]))


def _parts(text: str, ways: Sequence[re.Pattern[str]]) -> dict[str, str]:
    """The named parts of a text that is written in one of several ways; none if it is not."""
    matches = (way.fullmatch(text) for way in ways)
    return next((match.groupdict() for match in matches if match is not None), {})


WAYS: tuple[Callable[[str], Key | None], ...] = (
    read_date,
    _season,
    _year_and_month,
    _part_of_year,
    _named_season,
    _range,
    _numbered,
)
