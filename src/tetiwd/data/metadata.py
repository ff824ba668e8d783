"""What is known about objects besides their distances: columns of a table, joined to the objects of a series.

A column holds numbers, dates, yes or no, or words for categories; which of these is seen from its values. An object has
one value, or, where rows of the table have times, one value per time.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.labels import is_missing, plain
from tetiwd.data.time_order import read_date
from tetiwd.errors import DataError, Setting, Text, Where, plural

CovariateKind = Literal["number", "date", "yes or no", "category", "names"]
YES, NO = {"1", "1.0", "true", "yes"}, {"0", "0.0", "false", "no"}
MOST_LEVELS = 60  # words of a category; a column with more is taken for names
Table = Mapping[str, Sequence[Any]]


@dataclass(frozen=True, eq=False)
class Covariate:
    """One column as numbers: as they are, days since year 1, 1 or 0, or the position of a word in ``levels``."""

    name: str
    kind: CovariateKind
    values: NDArray[np.float64]  # (N,) of all objects of all epochs, NaN where unknown
    levels: tuple[str, ...] = ()

    @property
    def known(self) -> NDArray[np.bool_]:
        """Where there is a value."""
        return np.isfinite(self.values)


@dataclass(frozen=True, eq=False)
class Metadata:
    """Columns with a value for every object of every epoch, None where it is not known."""

    columns: dict[str, list[Any]]  # name → (N,)
    remarks: tuple[str, ...] = ()
    varies: bool = field(default=False)  # True if values were joined by time, too

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.columns)

    def check_size(self, n_objects: int) -> None:
        """Refuse columns that do not have one value per object."""
        for name, values in self.columns.items():
            if len(values) != n_objects:
                fault = (
                    f"metadata are about other objects: {name!r} has {plural(len(values), 'value')} for {n_objects:,}"
                )
                raise DataError(fault, "join them to the objects of these data")

    def covariate(self, name: str) -> Covariate:
        """A column as numbers."""
        if name not in self.columns:
            raise DataError(f"has no column {name!r}", f"its columns are {', '.join(self.names)}")
        return as_covariate(name, self.columns[name])

    def words(self, name: str) -> list[str | None]:
        """A column as words, whatever it holds."""
        self.covariate(name)
        return [None if is_missing(value) else as_text(value) for value in self.columns[name]]


def as_covariate(name: str, values: Sequence[Any]) -> Covariate:
    """A column as numbers, of the kind that all its values allow."""
    texts = [None if is_missing(value) else as_text(value) for value in values]
    known = [text for text in texts if text is not None]
    if not known:
        raise DataError(f"no value of {name!r} is known for any of the objects", "look at ids and missing values")
    ways: list[tuple[CovariateKind, Callable[[str], float | None]]] = [
        ("yes or no", _yes_or_no),
        ("number", _number),
        ("date", _day),
    ]
    for kind, read in ways:
        read_of = {text: read(text) for text in set(known)}
        if all(value is not None for value in read_of.values()):
            return Covariate(name, kind, _filled(texts, read_of))
    levels = tuple(sorted(set(known)))
    kind = "category" if len(levels) <= MOST_LEVELS else "names"
    return Covariate(name, kind, _filled(texts, {word: float(code) for code, word in enumerate(levels)}), levels)


def join(
    table: Table,
    *,
    ids: Sequence[Any] | None,
    times: Sequence[Any] | None,
    series_ids: tuple[NDArray[Any], ...] | None,
    series_times: Sequence[Any],
    n_objects: Sequence[int],
    where: Callable[[int], Where] = lambda row: Where(row=row + 1),
) -> Metadata:
    """Columns of a table for the objects of a series.

    ``ids`` and ``times`` are those of the rows. Rows belong to objects by id, and by id and time where both are known;
    where the series has no ids, rows of a time belong to its objects in their order. Ids and times are compared as
    text.
    """
    if series_ids is None:
        rows = _by_order(times, series_times, n_objects)
        return Metadata({name: [values[row] for row in rows] for name, values in table.items()}, varies=True)
    if ids is None:
        raise DataError("has no column of ids", ["name it with ", Setting("id")])
    keys: list[Any] = [as_text(id) for id in ids]
    if times is not None:
        keys = [(id, as_text(time)) for id, time in zip(keys, times, strict=True)]
    row_of: dict[Any, int] = {}
    for row, key in enumerate(keys):
        if key in row_of:
            at = "" if times is None else f" at {as_text(times[row])}"
            remedy: Text = "give it one row"
            if times is None:
                remedy = ["give every object one row, or name the column of times with ", Setting("time")]
            raise DataError(f"the id {ids[row]!r} occurs twice{at}", remedy, where=where(row))
        row_of[key] = row
    wanted: list[Any] = []
    for at_time, own in zip(series_times, series_ids, strict=True):
        texts = [as_text(id) for id in own.tolist()]
        wanted += texts if times is None else [(text, as_text(at_time)) for text in texts]
    found = [row_of.get(key) for key in wanted]
    lacking = sum(row is None for row in found)
    if lacking == len(found):
        example = wanted[0] if isinstance(wanted[0], str) else f"{wanted[0][0]} at {wanted[0][1]}"
        raise DataError(f"no row belongs to an object of the data; they have {example!r}, for example", "look at ids")
    remarks = (f"{lacking} of {len(found)} objects {'has' if lacking == 1 else 'have'} no row",) if lacking else ()
    columns = {name: [None if row is None else plain(values[row]) for row in found] for name, values in table.items()}
    return Metadata(columns, remarks, varies=times is not None)


def _by_order(times: Sequence[Any] | None, series_times: Sequence[Any], n_objects: Sequence[int]) -> list[int]:
    """The row of every object where objects have no ids: rows of a time in their order."""
    if times is None:
        raise DataError(
            "the data have no ids, so rows are found by their time and order",
            ["name the column of times with ", Setting("time")],
        )
    of_time: dict[str, list[int]] = {}
    for row, time in enumerate(times):
        of_time.setdefault(as_text(time), []).append(row)
    rows = []
    for time, n in zip(series_times, n_objects, strict=True):
        own = of_time.get(as_text(time), [])
        if len(own) != n:
            fault = f"has {plural(len(own), 'row')} for time {as_text(time)}, but the data have "
            fault += f"{plural(n, 'object')} there, without ids"
            raise DataError(fault, "give one row per object, in the order of the data")
        rows += own
    return rows


def as_text(value: Any) -> str:
    """A value as it is compared: 1 and 1.0 are the same, and so are a date and its midnight."""
    value = plain(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip().removesuffix(" 00:00:00").removesuffix("T00:00:00")


def _filled(texts: Sequence[str | None], values: Mapping[str, float | None]) -> NDArray[np.float64]:
    return np.array([np.nan if text is None else values[text] for text in texts], dtype=float)


def _yes_or_no(text: str) -> float | None:
    word = text.lower()
    return 1.0 if word in YES else 0.0 if word in NO else None


def _number(text: str) -> float | None:
    try:
        number = float(text) if "_" not in text else np.nan
    except ValueError:
        return None
    return number if np.isfinite(number) else None


def _day(text: str) -> float | None:
    date = read_date(text)
    return None if date is None else date[0].toordinal() + date[0].hour / 24
