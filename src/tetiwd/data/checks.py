"""Every fault a matrix can have, each with one error that says where it is, how bad, and what to do.

Matrices are scanned in blocks of rows, so checking needs no second copy of them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import DataError, Setting, Text, Where, give

Matrix = NDArray[np.floating[Any]]
BLOCK_ENTRIES = 1 << 20  # 8 MiB of float64
LARGEST_VALUE = 1e140  # squares of sums of many of them are finite; 1 over it is the smallest for the same reason

AS_SIMILARITIES = give("kind", "similarities", python="use DistanceSeries.from_similarities")
AS_DISTANCES = give("kind", "distances", python="use DistanceSeries.from_distances(…, squared=…)")


class Place:
    """How errors name a matrix and its objects: ``D[2] (2003)`` and ``('p17', 'p40')``."""

    def __init__(self, name: str, ids: Any = None, epoch: int | None = None) -> None:
        self.name = name
        self.ids = ids
        self.epoch = epoch  # position of the time point, if the matrix belongs to one

    def pair(self, i: int, j: int) -> str:
        """Two objects by id, or by position where ids are unknown."""
        return f"({self.object(i)}, {self.object(j)})"

    def object(self, i: int) -> str:
        """One object by id, or by position where ids are unknown."""
        if self.ids is None:
            return str(i)
        value = self.ids[i]
        return repr(value.item() if isinstance(value, np.generic) else value)

    def fail(self, fault: Text, remedy: Text) -> NoReturn:
        """Raise the error for this fault."""
        raise DataError(fault, remedy, where=Where(matrix=self.name, epoch=self.epoch))


@contextmanager
def located(**known: Any) -> Iterator[None]:
    """Errors about data learn what is known about their place."""
    try:
        yield
    except DataError as error:
        error.located(**known)
        raise


def check_finite(matrix: Matrix, place: Place) -> None:
    """No NaN, no infinity."""
    for rows, block in row_blocks(matrix):
        finite = np.isfinite(block)
        if finite.all():
            continue
        i, j = np.argwhere(~finite)[0]
        pair, n_bad = place.pair(rows.start + i, j), count_not_finite(matrix)
        if np.isnan(block[i, j]):
            place.fail(
                f"has NaN at {pair} ({not_finite(n_bad)})",
                "leave out objects with missing distances, or impute them first",
            )
        place.fail(
            f"has an infinite value at {pair} ({not_finite(n_bad)})",
            "replace it by a large finite distance, or leave out the object",
        )


def not_finite(n: int) -> str:
    """How many entries are not finite."""
    return "1 entry is not finite" if n == 1 else f"{n} entries are not finite"


def check_symmetric(matrix: Matrix, place: Place) -> None:
    """Equal to its transpose up to rounding."""
    worst, (i, j) = worst_gap(matrix, matrix.T)
    if worst > tolerance(matrix):
        place.fail(
            f"is not symmetric at {place.pair(i, j)}: {matrix[i, j]:.6g} and {matrix[j, i]:.6g}",
            [give("symmetrize", "mean"), " to average them"],
        )


def check_distances(matrix: Matrix, place: Place, *, was_integer: bool = False) -> None:
    """Zero diagonal, nothing negative, not all zero (after the checks above)."""
    slack = tolerance(matrix)
    diagonal = np.abs(np.diagonal(matrix))
    if diagonal.max() > slack:
        worst = int(diagonal.argmax())
        similar = len(matrix) > 1 and np.diagonal(matrix).mean() > matrix.mean()
        remedy: Text = ["these look like similarities: ", AS_SIMILARITIES]
        if not similar:
            remedy = "an object is at distance 0 from itself: set the diagonal to 0"
        place.fail(f"has a nonzero diagonal: {matrix[worst, worst]:.6g} at object {place.object(worst)}", remedy)
    smallest = matrix.min()
    if smallest < -slack:
        remedy = ["distances cannot be negative; if these are similarities, ", AS_SIMILARITIES]
        if was_integer:
            remedy = "integers may have overflowed when they were squared: compute in float64"
        pair = place.pair(*np.argwhere(matrix == smallest)[0])
        place.fail(f"has a negative value at {pair}: {smallest:.6g}", remedy)
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
            ["these look like distances: ", AS_DISTANCES],
        )


def check_range(matrix: Matrix, place: Place) -> None:
    """Squares and sums of the entries (squared distances or similarities) are within the range of numbers."""
    largest = float(max(matrix.max(initial=0), -matrix.min(initial=0)))
    if largest > LARGEST_VALUE:
        place.fail(
            f"has squared distances or similarities up to {largest:.3g}, and their squares are beyond float64",
            "divide all matrices by a constant",
        )
    if 0 < largest < 1 / LARGEST_VALUE:
        place.fail(
            f"has no squared distance or similarity above {largest:.3g}, and their squares are 0 in float64",
            "multiply all matrices by a constant",
        )


def check_size(n: int, min_objects: int, place: Place) -> None:
    """Enough objects to cluster."""
    if not isinstance(min_objects, Integral) or isinstance(min_objects, bool) or min_objects < 1:
        raise DataError([Setting("min_objects"), f" must be a whole number, 1 or more, not {min_objects!r}"])
    if n == 0:
        place.fail("has no objects", "leave this epoch out")
    if n < min_objects:
        place.fail(
            f"has {n} object{'s' if n > 1 else ''}, too few to learn clusters from",
            [
                "merge it with a neighbouring time, ",
                give("drop_small", True, python="leave it out"),
                ", or ",
                give("min_objects", n),
                " to keep it",
            ],
        )


def check_cross(cross: Matrix, rows: slice, matrix: Matrix, place: Place) -> None:
    """The block of D* that belongs to an epoch equals the matrix of that epoch."""
    block = cross[rows, rows]
    worst, (i, j) = worst_gap(block, matrix)
    if worst > tolerance(matrix) + tolerance(cross):
        place.fail(
            f"and D* disagree at {place.pair(i, j)}: {matrix[i, j]:.6g} and {block[i, j]:.6g}",
            "both must be on one scale, in the same order of objects",
        )


def tolerance(matrix: Matrix) -> float:
    """What counts as rounding noise: a small multiple of the largest entry."""
    largest = max(matrix.max(initial=0), -matrix.min(initial=0))
    return float(largest) * (1e-5 if matrix.dtype == np.float32 else 1e-10)


def row_blocks(matrix: Matrix) -> Iterator[tuple[slice, Matrix]]:
    """Runs of whole rows, with the slice they come from."""
    step = max(1, BLOCK_ENTRIES // max(1, matrix.shape[1]))
    for start in range(0, matrix.shape[0], step):
        yield slice(start, start + step), matrix[start : start + step]


def worst_gap(first: Matrix, second: Matrix) -> tuple[float, tuple[int, int]]:
    """Largest difference of two matrices and where it is."""
    worst, at = 0.0, (0, 0)
    for rows, block in row_blocks(first):
        gap = np.abs(block - second[rows])
        if gap.max() > worst:
            worst = float(gap.max())
            i, j = np.unravel_index(int(gap.argmax()), gap.shape)
            at = (int(i) + rows.start, int(j))
    return worst, at


def count_not_finite(matrix: Matrix) -> int:
    """Number of entries that are NaN or infinite."""
    return sum(int((~np.isfinite(block)).sum()) for _, block in row_blocks(matrix))
