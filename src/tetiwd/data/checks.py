"""Every fault a matrix, an id list or a time list can have, each with one error: where, how bad, what to do.

Matrices are scanned in blocks of rows, so checking needs no second copy of them.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import DataError

Matrix = NDArray[np.floating[Any]]
_BLOCK = 1 << 22  # entries per block: 32 MiB of float64


class Place:
    """What an error calls a matrix and its objects: ``D[2] (2003)`` and ``('p17', 'p40')``."""

    def __init__(self, name: str, ids: Any = None) -> None:
        self.name = name
        self.ids = ids

    def pair(self, i: int, j: int) -> str:
        """Two objects by id, or by position where ids are unknown."""
        return f"({self.object(i)}, {self.object(j)})"

    def object(self, i: int) -> str:
        """One object by id, or by position where ids are unknown."""
        if self.ids is None:
            return str(i)
        value = self.ids[i]
        return repr(value.item() if isinstance(value, np.generic) else value)

    def fail(self, fault: str, remedy: str) -> NoReturn:
        """Raise the one error of this fault."""
        raise DataError(f"{self.name} {fault}; {remedy}")


def check_finite(matrix: Matrix, place: Place) -> None:
    """No NaN, no infinity."""
    for rows, block in row_blocks(matrix):
        finite = np.isfinite(block)
        if finite.all():
            continue
        i, j = np.argwhere(~finite)[0]
        pair, n_bad = place.pair(rows.start + i, j), _count_not_finite(matrix)
        if np.isnan(block[i, j]):
            place.fail(
                f"has NaN at {pair} ({n_bad} entries are not finite)",
                "leave out objects with missing distances, or impute them first",
            )
        place.fail(
            f"has an infinite value at {pair} ({n_bad} entries are not finite)",
            "replace it by a large finite distance, or leave out the object",
        )


def check_symmetric(matrix: Matrix, place: Place) -> None:
    """Equal to its transpose up to rounding."""
    worst, i, j = 0.0, 0, 0
    for rows, block in row_blocks(matrix):
        gap = np.abs(block - matrix[:, rows].T)
        if gap.max() > worst:
            worst = float(gap.max())
            row, column = np.unravel_index(int(gap.argmax()), gap.shape)
            i, j = int(row) + rows.start, int(column)
    if worst > tolerance(matrix):
        place.fail(
            f"is not symmetric at {place.pair(i, j)}: {matrix[i, j]:.6g} and {matrix[j, i]:.6g}",
            'pass symmetrize="mean" to average them',
        )


def check_distances(matrix: Matrix, place: Place, *, was_integer: bool = False) -> None:
    """Zero diagonal, nothing negative, not all zero (after the checks above)."""
    slack = tolerance(matrix)
    diagonal = np.abs(np.diagonal(matrix))
    if diagonal.max() > slack:
        worst = int(diagonal.argmax())
        similar = len(matrix) > 1 and np.diagonal(matrix).mean() > matrix.mean()
        remedy = (
            "these look like similarities: use DistanceSeries.from_similarities"
            if similar
            else "an object is at distance 0 from itself: set the diagonal with np.fill_diagonal(D, 0)"
        )
        place.fail(f"has a nonzero diagonal: {matrix[worst, worst]:.6g} at object {place.object(worst)}", remedy)
    smallest, at = smallest_entry(matrix)
    if smallest < -slack:
        remedy = (
            "integers may have overflowed when they were squared: compute in float64"
            if was_integer
            else "distances cannot be negative; similarities go to DistanceSeries.from_similarities"
        )
        place.fail(f"has a negative value at {place.pair(*at)}: {smallest:.6g}", remedy)
    if len(matrix) > 1 and not matrix.any():
        place.fail(
            f"is zero everywhere: all {len(matrix)} objects are identical",
            "leave this epoch out, or check how the distances were computed",
        )


def check_similarities(matrix: Matrix, place: Place) -> None:
    """Dot products: a nonnegative, not all-zero diagonal (after the checks above)."""
    diagonal = np.diagonal(matrix)
    if diagonal.min() < -tolerance(matrix):
        worst = int(diagonal.argmin())
        place.fail(
            f"has a negative diagonal entry: {diagonal[worst]:.6g} at object {place.object(worst)}",
            "the similarity of an object with itself is its squared length, which cannot be negative",
        )
    if not diagonal.any():
        place.fail(
            "has a zero diagonal",
            "these look like distances: use DistanceSeries.from_distances(…, squared=…)",
        )


def check_size(n: int, min_objects: int, place: Place) -> None:
    """Enough objects to cluster."""
    if n == 0:
        place.fail("has no objects", "leave this epoch out")
    if n < min_objects:
        place.fail(
            f"has {n} object{'s' if n > 1 else ''}, too few to learn clusters from",
            f"merge it with a neighbouring epoch, leave it out, or pass min_objects={n} to keep it",
        )


def tolerance(matrix: Matrix) -> float:
    """What counts as rounding noise: a small multiple of the largest entry."""
    largest = max((float(np.abs(block).max()) for _, block in row_blocks(matrix)), default=0.0)
    return largest * (1e-5 if matrix.dtype == np.float32 else 1e-10)


def check_ids(ids: Any, n: int, place: Place) -> NDArray[Any]:
    """One id per object, no duplicates, one type, none missing."""
    values = list(ids)
    if len(values) != n:
        place.fail(f"has {n} objects but {len(values)} ids", "give one id per object")
    for position, value in enumerate(values):
        if _is_missing(value):
            place.fail(f"has no id at position {position}", "give every object an id")
    plain = [value.item() if isinstance(value, np.generic) else value for value in values]
    types = sorted({"text" if isinstance(v, str) else "numbers" if _is_number(v) else type(v).__name__ for v in plain})
    if len(types) > 1:
        place.fail(f"mixes ids of different types: {' and '.join(types)}", "convert them all, for example with str")
    seen: dict[Any, int] = {}
    for position, value in enumerate(plain):
        if value in seen:
            place.fail(
                f"has the id {value!r} twice, at positions {seen[value]} and {position}",
                "an object appears once per epoch; merge or rename its copies",
            )
        seen[value] = position
    return np.array(plain, dtype=None if types[0] in ("text", "numbers") else object)


def check_times(times: Any, n_epochs: int) -> tuple[Any, ...]:
    """One label per epoch, all different, increasing where they are numbers or dates."""
    values = tuple(v.item() if isinstance(v, np.generic) and v.dtype.kind != "M" else v for v in times)
    if len(values) != n_epochs:
        raise DataError(f"there are {n_epochs} epochs but {len(values)} time labels; give one per epoch")
    for t, value in enumerate(values):
        if _is_missing(value):
            raise DataError(f"the time label of epoch {t} is missing; give one per epoch")
        if value in values[:t]:
            raise DataError(
                f"the time label {value!r} occurs twice, at epochs {values.index(value)} and {t}; "
                "put the objects of one time point into one epoch"
            )
    for t, (earlier, later) in enumerate(pairwise(values)):
        if not isinstance(later, str) and not isinstance(earlier, str) and later < earlier:
            raise DataError(
                f"time runs backwards: epoch {t} is {earlier} and epoch {t + 1} is {later}; sort the epochs"
            )
    return values


def check_time_column(time: Any, n: int, what: str) -> NDArray[Any]:
    """One time value per object, none missing."""
    values = np.asarray(time)
    if values.ndim != 1 or len(values) != n:
        raise DataError(f"{what} has {n} rows but time has shape {values.shape}; give one time value per row")
    for position, value in enumerate(values):
        if _is_missing(value):
            raise DataError(f"time is missing at row {position}; drop the row or fill it in")
    if values.dtype == object and len({isinstance(v, str) for v in values}) > 1:
        raise DataError("time mixes text and other values; convert it to one type")
    return values


def row_blocks(matrix: Matrix) -> Iterator[tuple[slice, Matrix]]:
    """Runs of whole rows, with the slice they come from."""
    step = max(1, _BLOCK // max(1, matrix.shape[1]))
    for start in range(0, len(matrix), step):
        yield slice(start, start + step), matrix[start : start + step]


def smallest_entry(matrix: Matrix) -> tuple[float, tuple[int, int]]:
    """Smallest entry and where it is."""
    smallest, at = np.inf, (0, 0)
    for rows, block in row_blocks(matrix):
        if block.min() < smallest:
            smallest = float(block.min())
            i, j = np.unravel_index(int(block.argmin()), block.shape)
            at = (int(i) + rows.start, int(j))
    return smallest, at


def _count_not_finite(matrix: Matrix) -> int:
    return sum(int((~np.isfinite(block)).sum()) for _, block in row_blocks(matrix))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_missing(value: Any) -> bool:
    if value is None:
        return True
    try:
        return bool(value != value)  # NaN and NaT differ from themselves
    except (TypeError, ValueError):
        return False
