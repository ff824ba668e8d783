"""What an id or a time label may be: one hashable value, not missing, all of one kind."""

import datetime
from collections.abc import Mapping, Sequence
from decimal import Decimal
from numbers import Real
from reprlib import repr as short
from typing import Any

import numpy as np

from tetiwd.errors import DataError


def as_list(values: Any, name: str, wanted: str) -> list[Any]:
    """Values as a list of plain Python values; a set or dict has no order to rely on, and text is one value."""
    if isinstance(values, str | bytes | Mapping | set | frozenset) or not is_iterable(values):
        raise DataError(f"{name} must be a list with {wanted}, not {short(values)}")
    return [plain(value) for value in values]


def is_iterable(values: Any) -> bool:
    """Can be walked through; a zero-dimensional array only looks as if it could."""
    try:
        iter(values)
    except TypeError:
        return False
    return True


def plain(value: Any) -> Any:
    """A numpy scalar as a Python value; dates stay, because only numpy has dates finer than a microsecond."""
    return value.item() if isinstance(value, np.generic) and value.dtype.kind not in "mM" else value


def check_values(values: Sequence[Any], each: str, together: str, positions: Sequence[int] | None = None) -> None:
    """None missing, all hashable, one kind; an error calls one of them ``each`` and its position."""
    for i, value in zip(positions or range(len(values)), values, strict=True):
        if is_missing(value):
            raise DataError(f"{each} {i} is missing", "fill it in, or leave it out")
        try:
            hash(value)
        except TypeError:
            raise DataError(
                f"{each} {i} is a {type(value).__name__}, {short(value)}", "use text, numbers or dates"
            ) from None
    kinds = {kind_of(value): value for value in reversed(values)}
    if len(kinds) > 1:
        examples = " and ".join(f"{kind} ({kinds[kind]!r})" for kind in sorted(kinds))
        raise DataError(f"{together} mix {examples}", "convert them all to one type")


def kind_of(value: Any) -> str:
    """Values of one kind can be compared: text, numbers, one of the sorts of dates, or else the type."""
    if isinstance(value, str):
        return "text"
    if isinstance(value, Real | Decimal) and not isinstance(value, bool):
        return "numbers"
    if isinstance(value, datetime.datetime):
        return "datetime" if value.tzinfo is None else "datetime with a time zone"
    return type(value).__name__


def is_missing(value: Any) -> bool:
    """None, NaN and NaT, which differ from themselves, and NA, which cannot tell."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:
        return True
    except ValueError:  # an array: no single value, but not missing
        return False
