"""Labels and order of epochs from the names of files or arrays.

What all names have in common is left out: ``D_2001.npy`` and ``D_2003.npy`` are the epochs 2001 and 2003.
"""

import re
from collections.abc import Sequence
from typing import Any

from tetiwd.data.time_order import in_order_of_time, read_date
from tetiwd.io.text_values import as_numbers

DATE = re.compile(r"(?<!\d)\d{4}-\d{2}(-\d{2})?(?!\d)")
NUMBER_AT_END, NUMBER_AT_START = re.compile(r"(?<!\d)\d+(\.\d*)?$"), re.compile(r"^(\d*\.)?\d+")
SEPARATORS = re.compile(r"[\s_]")


def epochs_from_names(names: Sequence[str]) -> tuple[list[Any], list[int]]:
    """A label per epoch and the positions of the names, both in order of time.

    Numbers, dates and other text about time (seasons, quarters, ranges) are sorted. Anything else keeps the order in
    which the user gave it.
    """
    if len(names) == 1:
        return [names[0]], [0]
    dates = _dates(names)
    if dates is not None:
        order = sorted(range(len(names)), key=lambda i: read_date(dates[i]) or ())
        return [dates[i] for i in order], order
    numbers = as_numbers(_without(names, NUMBER_AT_END, NUMBER_AT_START))
    if numbers is not None:
        order = sorted(range(len(names)), key=lambda i: numbers[i])
        return [numbers[i] for i in order], order
    texts = _texts(names)
    ordered = in_order_of_time(texts) or texts
    return ordered, [texts.index(text) for text in ordered]


def _dates(names: Sequence[str]) -> list[str] | None:
    """The one date in every name, if the rest of the names is the same."""
    matches = [list(DATE.finditer(name)) for name in names]
    if any(len(dates) != 1 for dates in matches):
        return None
    dates = [one for (one,) in matches]
    rests = {(name[: at.start()], name[at.end() :]) for name, at in zip(names, dates, strict=True)}
    values = [at.group() for at in dates]
    return values if len(rests) == 1 and all(read_date(value) for value in values) else None


def _without(names: Sequence[str], at_end: re.Pattern[str], at_start: re.Pattern[str]) -> list[str]:
    """Names without their common start and end, never splitting a number."""
    prefix = at_end.sub("", _common_start(names))
    rests = [name[len(prefix) :] for name in names]
    suffix = at_start.sub("", _common_end(rests))
    return [rest[: len(rest) - len(suffix)] for rest in rests]


def _texts(names: Sequence[str]) -> list[str]:
    """Names without their common words; whole names if one would become empty."""
    prefix, suffix = _common_start(names), _common_end(names)
    ends = [at.end() for at in SEPARATORS.finditer(prefix)]
    starts = [at.start() for at in SEPARATORS.finditer(suffix)]
    front, back = (ends[-1] if ends else 0), (len(suffix) - starts[0] if starts else 0)
    labels = [name[front : len(name) - back] for name in names]
    sound = all(labels) and all(len(name) > front + back for name in names) and len(set(labels)) == len(names)
    return labels if sound else list(names)


def _common_start(names: Sequence[str]) -> str:
    """The longest text all names begin with."""
    first, last = min(names), max(names)
    n = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:n]


def _common_end(names: Sequence[str]) -> str:
    """The longest text all names end with."""
    return _common_start([name[::-1] for name in names])[::-1]
