"""Numbers written as text, and the usual ways to write that there is no value."""

import re
from collections.abc import Sequence
from math import isfinite

PLAIN_INTEGER = re.compile(r"-?(0|[1-9][0-9]{,99})")  # a longer one is a name
PLAIN_NUMBER = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")
WHOLE = re.compile(r"[-+]?[0-9]{1,100}")

MISSING = frozenset({"", "NA", "N/A", "n/a", "NaN", "nan", "NaT", "null", "NULL", "None", "<NA>"})


def as_numbers(texts: Sequence[str]) -> list[int] | list[float] | None:
    """All texts as whole numbers, or all as numbers; None if one of them is neither, or too large."""
    if all(WHOLE.fullmatch(text) for text in texts):
        return [int(text) for text in texts]
    if all(PLAIN_NUMBER.fullmatch(text) for text in texts):
        numbers = [float(text) for text in texts]
        return numbers if all(map(isfinite, numbers)) else None
    return None


def as_plain_integers(texts: Sequence[str]) -> list[int] | None:
    """All texts as whole numbers if none has a leading zero or sign; 007 is a name, not the number 7."""
    if all(PLAIN_INTEGER.fullmatch(text) and text != "-0" for text in texts):
        return [int(text) for text in texts]
    return None
