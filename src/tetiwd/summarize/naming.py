"""Names of lineages that stay from run to run: numbers that are never used twice, and names that a user gave.

The number of a lineage is its name, and its colour follows from it. A run that knows of an earlier one takes over its
numbers: a lineage keeps the number of the earlier one with which it shares most objects, if these are at least half of
either. New lineages get numbers that no earlier run has given.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from reprlib import repr as short
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.errors import DataError
from tetiwd.partitions import Ints
from tetiwd.summarize.clustering import UNASSIGNED, Clustering

LEAST_SHARE = 0.5  # of the objects of one of the two lineages
ROWS_AT_ONCE = 256
CALLED = {  # column of lineages → column with their names
    "lineage": "name",
    "cluster": "name",
    "from_lineage": "from_name",
    "to_lineage": "to_name",
    "next_lineage": "next_name",
    "best": "name",
    "next": "next_name",
}


@dataclass(frozen=True)
class LineageName:
    """What a user calls a lineage."""

    name: str
    colour: str | None = None  # "#RRGGBB"


@dataclass(frozen=True, eq=False)
class Names:
    """What is known of names before the clusters of a run are."""

    before: tuple[Ints, ...] | None = None  # T × (n_t,) earlier number of every object, UNASSIGNED where there is none
    n_given: int = 0  # numbers that have ever been given: 0 … n_given − 1
    by_user: Mapping[int, LineageName] = field(default_factory=dict)

    def applied(self, clustering: Clustering) -> Clustering:
        """The clustering with the numbers that its lineages keep."""
        if self.before is None:
            return replace(clustering, names=dict(self.by_user))
        number = numbers_kept(clustering.flat, np.concatenate(self.before), self.n_given)
        labels = [np.where(own == UNASSIGNED, UNASSIGNED, number[own]) for own in clustering.labels]
        return replace(clustering, labels=labels, names=dict(self.by_user))


def numbers_kept(labels: Ints, before: Ints, n_given: int) -> Ints:
    """The number of every lineage 0, 1, …: that of its predecessor, or a new one."""
    pairs = matched(labels, before)
    number = np.full(int(labels.max()) + 1, UNASSIGNED, dtype=np.int64)
    for g, h in pairs:
        number[g] = h
    new = np.flatnonzero(number == UNASSIGNED)
    number[new] = max(n_given, int(before.max(initial=-1)) + 1) + np.arange(len(new))
    return number


def matched(labels: Ints, before: Ints, least: float = LEAST_SHARE) -> list[tuple[int, int]]:
    """Lineages of two clusterings that are the same: most objects in common, at least a share of one of the two.

    Only objects that both clusterings assign have a say.
    """
    from scipy.optimize import linear_sum_assignment

    known = (labels != UNASSIGNED) & (before != UNASSIGNED)
    if not known.any():
        return []
    mine, here = np.unique(labels[known], return_inverse=True)
    theirs, there = np.unique(before[known], return_inverse=True)
    both = np.zeros((len(mine), len(theirs)))
    np.add.at(both, (here, there), 1)
    smaller = np.minimum(both.sum(axis=1)[:, None], both.sum(axis=0)[None, :])
    both[both < least * smaller] = 0
    pairs = zip(*linear_sum_assignment(both, maximize=True), strict=True)
    return [(int(mine[g]), int(theirs[h])) for g, h in pairs if both[g, h] > 0]


def names_from(earlier: DistanceSeries, clustering: Clustering, series: DistanceSeries, *, n_given: int = 0) -> Names:
    """Names for the lineages of another series, from a clustering of an earlier one.

    Objects of the same time are known by their ids; without ids by their rows, if there are as many; or else by place:
    every object stands for the earlier one whose features are nearest. Where the two have no time in common, objects
    that return by id take over the last lineage they had.
    """
    used = max(n_given, clustering.n_lineages)
    before = [np.full(n, UNASSIGNED, dtype=np.int64) for n in series.n_objects]
    times = {str(time): t for t, time in enumerate(earlier.times)}
    common = [(t, times[str(time)]) for t, time in enumerate(series.times) if str(time) in times]
    for t, s in common:
        places = places_of(series, t, earlier, s)
        if places is not None:
            before[t] = np.where(places >= 0, clustering.labels[s][places], UNASSIGNED)
    if not common and series.ids is not None and earlier.ids is not None:
        _by_return(before, series, earlier, clustering)
    if all((own == UNASSIGNED).all() for own in before):
        raise DataError(
            "lineages cannot be named after the earlier run: the two have no objects in common",
            "objects are matched by id, by row if a time has as many objects as before, or by features",
        )
    return Names(tuple(before), used, dict(clustering.names))


def places_of(series: DistanceSeries, t: int, earlier: DistanceSeries, s: int) -> Ints | None:
    """Places of the objects of epoch t among those of an earlier series, −1 for none; None if that is not known."""
    if series.ids is not None and earlier.ids is not None:
        place = {str(id): i for i, id in enumerate(earlier.ids[s].tolist())}
        return np.array([place.get(str(id), -1) for id in series.ids[t].tolist()], dtype=np.int64)
    if series.n_objects[t] == earlier.n_objects[s]:
        return np.arange(series.n_objects[t])
    if series.features is None or earlier.features is None:
        return None
    if series.features.n_features != earlier.features.n_features:
        return None
    rows = series.features.rows[t]
    if series.features.centre is not None and series.features.spread is not None:
        rows = rows * series.features.spread + series.features.centre
    blocks = [rows[i : i + ROWS_AT_ONCE] for i in range(0, rows.shape[0], ROWS_AT_ONCE)]
    return np.concatenate([earlier.features.squared_distances(block, s).argmin(axis=1) for block in blocks])


def _by_return(before: list[Ints], series: DistanceSeries, earlier: DistanceSeries, clustering: Clustering) -> None:
    """Objects that return take over the lineage they had last, at their first time."""
    last: dict[str, int] = {}
    for ids, labels in zip(earlier.ids or (), clustering.labels, strict=True):
        last |= {str(id): int(label) for id, label in zip(ids.tolist(), labels.tolist(), strict=True)}
    for ids, own in zip(series.ids or (), before, strict=True):
        own[:] = [last.pop(str(id), UNASSIGNED) for id in ids.tolist()]


_shown: ContextVar[Mapping[int, LineageName]] = ContextVar("lineage_names", default={})  # noqa: B039 # never changed


@contextmanager
def named(names: Mapping[int, LineageName]) -> Iterator[None]:
    """In here, pictures, tables and sentences call lineages by these names."""
    token = _shown.set(names)
    try:
        yield
    finally:
        _shown.reset(token)


def names_in(what: Any) -> Mapping[int, LineageName]:
    """Names that a user gave, from what a picture is made of: a clustering, or something about one.

    If it knows of no clustering, the names that are in use already.
    """
    for name in ("clustering", "alignment", "whole"):
        if hasattr(what, name):
            return names_in(getattr(what, name))
    return what.names if isinstance(what, Clustering) else _shown.get()


def lineage_name(lineage: int) -> str:
    """The name that a user gave a lineage, or its number."""
    known = _shown.get().get(int(lineage))
    return str(lineage) if known is None else known.name


def lineage_words(lineage: int) -> str:
    """ "lineage 3", or "lineage 3 (Delta)"."""
    known = _shown.get().get(int(lineage))
    return f"lineage {lineage}" if known is None else f"lineage {lineage} ({known.name})"


def given_colour(lineage: int) -> str | None:
    """The colour that a user gave a lineage."""
    known = _shown.get().get(int(lineage))
    return None if known is None else known.colour


def given_colours() -> dict[int, str]:
    """All colours that a user gave."""
    return {g: known.colour for g, known in _shown.get().items() if known.colour is not None}


def with_names(table: Any, names: Mapping[int, LineageName]) -> Any:
    """A table with a column of names after every column of lineages, if a user gave any."""
    if not names:
        return table
    told = table.copy()
    for column, called in CALLED.items():
        if column in told.columns and called not in told.columns:
            told.insert(list(told.columns).index(column) + 1, called, names_of(told[column], names))
    return told


def names_of(lineages: Iterable[Any], names: Mapping[int, LineageName]) -> list[str]:
    """Names of lineages, "" where there is none: −1, words such as "new", and lineages without a name."""
    numbers = (int(g) if isinstance(g, int | np.integer) else UNASSIGNED for g in lineages)
    return [names[g].name if g in names else "" for g in numbers]


def check_names(rows: Sequence[tuple[Any, str, str | None]]) -> dict[int, LineageName]:
    """Names by lineage: short text, each given once, colours such as #2B6CB8."""
    names: dict[int, LineageName] = {}
    seen: set[str] = set()
    for row in rows:
        g, known = checked_name(*row)
        if g in names or known.name in seen:
            raise DataError(f"lineage {g} or the name {known.name!r} occurs twice", "name every lineage once")
        names[g] = known
        seen.add(known.name)
    return names


def checked_name(lineage: Any, name: Any, colour: Any) -> tuple[int, LineageName]:
    """The number of a lineage and its name, if they are what they should be."""
    from re import fullmatch

    text = " ".join(str(name).split())
    if not fullmatch(r"[0-9]{1,9}", str(lineage).strip()):
        raise DataError(f"{short(lineage)} is not the number of a lineage", "give numbers as in lineages.csv")
    if not text or len(text) > 40 or not text.isprintable():
        raise DataError(f"{short(name)} is not a name", "give 1 to 40 printable characters")
    if colour is not None and not fullmatch(r"#[0-9A-Fa-f]{6}", str(colour)):
        raise DataError(f"{short(colour)} is not a colour", "write it as in #2B6CB8")
    return int(lineage), LineageName(text, colour)


def as_array(values: Sequence[int]) -> NDArray[np.int64]:
    """Numbers of lineages from a file."""
    return np.asarray(values, dtype=np.int64)
