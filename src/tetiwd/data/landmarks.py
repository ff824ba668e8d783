"""Distances to a few objects, the landmarks, from which all others follow approximately.

Landmarks span a space. Every object has a foot in it and stands above it at some height, which is known from its
distances to the landmarks. Heights of different objects are taken to be at right angles, so that

    D_ij ≈ ‖x_i − x_j‖² + e_i + e_j,    x the foot and e the squared height.

Without heights, sums of distances within clusters would be far too small. What near objects have in common of their
heights is found on a sample, and left out. An object's height is a column of its own in a sparse matrix of features, so
that nothing else has to know of landmarks. How close this comes is seen on another sample.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.checks import Place
from tetiwd.data.feature_distances import FeatureDistances, Rows, squared_between
from tetiwd.errors import DataError, Setting
from tetiwd.memory import SMALLER_DATA, require_memory
from tetiwd.params import is_whole

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Between = Callable[[Ints, Ints], Floats]  # squared distances between some objects and others

FEWEST = 3
ROUGH, ROUGH_RANGE = 0.02, 0.15  # above which clusters have been seen to differ
ROWS_AT_ONCE = 4096
N_SAMPLED = 400  # objects between which distances are compared with the true ones
NEAR = 0.1  # share of them that are the near ones of an object
SMALLEST_EIGENVALUE = 1e-9  # relative to the largest; below it a direction is rounding noise
KEPT = 0.999  # share of the variance of the landmarks in the directions that are kept; the rest goes into heights
FEWEST_DIRECTIONS = 20  # that are not worth leaving out


@dataclass(frozen=True)
class Approximation:
    """How close distances from landmarks come to the true ones, from a sample of objects that are no landmarks.

    For every object of the sample, the distances to the nearest tenth of the others of its epoch are added up:
    approximate ÷ true. The nearest are so by both together.
    """

    n_landmarks: int
    near: float  # mean over objects
    lowest: float  # 95 % of the objects are between these two
    highest: float

    def __str__(self) -> str:
        return (
            f"distances are approximate, from those to {self.n_landmarks} landmarks: in a sample, distances between "
            f"near objects add up to {self.near:.1%} of the true ones ({self.lowest:.1%} to {self.highest:.1%} for "
            "95 % of the objects)"
        )

    @property
    def is_rough(self) -> bool:
        """True if clusters may differ from those of the true distances."""
        return abs(self.near - 1) > ROUGH or self.highest - self.lowest > ROUGH_RANGE

    @property
    def warning(self) -> str:
        """What to do if it is."""
        return f"{self.n_landmarks} landmarks are few for these data: clusters may differ; take more"


def check_landmarks(n_landmarks: Any, n_objects: int) -> int:
    """The number of landmarks, if it can be one."""
    if not is_whole(n_landmarks, FEWEST) or n_landmarks > n_objects:
        raise DataError(
            [Setting("landmarks"), f" must be a whole number from {FEWEST} to {n_objects}, not {n_landmarks!r}"]
        )
    return int(n_landmarks)


def some_of_matrix(matrix: Any, squared: bool, place: Place) -> Between:
    """Entries of a matrix of distances, squared if they are not; only those are read and checked."""

    def between(some: Ints, others: Ints) -> Floats:
        D = np.array(matrix[some][:, others] if len(some) <= len(others) else matrix[:, others][some], dtype=float)
        if not np.isfinite(D).all():
            place.fail("has values that are not finite", "drop or impute missing values first")
        if (D < 0).any():
            place.fail("has negative distances", "check how they were computed")
        if np.array_equal(some, others):
            if np.diagonal(D).any():
                place.fail("has a nonzero diagonal: these are not distances", "for similarities there are no landmarks")
            if not np.allclose(D, D.T, rtol=1e-6, atol=1e-9 * float(D.max())):
                place.fail("is not symmetric", "average D and its transpose first")
        return D if squared else D**2

    if getattr(matrix, "ndim", 0) != 2 or matrix.shape[0] != matrix.shape[1]:
        place.fail(f"must be a square array, not of shape {getattr(matrix, 'shape', None)}", "give one row per object")
    return between


def points_from_landmarks(
    between: Between, n_landmarks: int, epoch: Ints, *, cross: bool
) -> tuple[Rows, Approximation]:
    """Rows whose squared Euclidean distances approximate those of the objects, and how closely.

    Objects of different epochs are compared only if ``cross`` is true.
    """
    n, apart = len(epoch), np.zeros_like(epoch) if cross else epoch
    rng = np.random.default_rng(0)
    order = rng.permutation(n)
    landmarks, others = np.sort(order[:n_landmarks]), order[n_landmarks:]
    require_memory(8 * n_landmarks**2 + 20 * n * n_landmarks, f"distances to {n_landmarks} landmarks", SMALLER_DATA)
    axes = _axes(between(landmarks, landmarks))
    feet, heights, columns = np.empty((n, axes.directions.shape[1])), np.empty(n), _OwnColumns()
    own = np.empty(n, dtype=np.int64)
    for start in range(0, n, ROWS_AT_ONCE):
        some = np.arange(start, min(start + ROWS_AT_ONCE, n))
        to_landmarks = between(some, landmarks)
        feet[some], heights[some] = axes.placed(to_landmarks)
        own[some] = columns.of(apart[some], to_landmarks)
    if len(others) < 2 * FEWEST:
        others = order
    first, second = np.sort(others[::2][:N_SAMPLED]), np.sort(others[1::2][:N_SAMPLED])
    heights *= _share_of_its_own(between(first, first), feet[first], heights[first], epoch[first])
    rows = _with_own_columns(feet, np.sqrt(heights), own)
    sample = FeatureDistances(_with_own_columns(feet[second], np.sqrt(heights[second]), own[second]))
    return rows, compared(between(second, second), sample[:], n_landmarks, epoch[second])


def points_of_epochs(
    matrices: Sequence[Any], squared: bool, n_landmarks: int, places: Sequence[Place]
) -> tuple[list[Rows], Approximation]:
    """The same for one matrix per epoch, each with landmarks of its own, of which only their columns are read."""
    found = []
    for matrix, place in zip(matrices, places, strict=True):
        between = some_of_matrix(matrix, squared, place)
        n = check_landmarks(min(n_landmarks, len(matrix)), len(matrix))
        found.append(points_from_landmarks(between, n, np.zeros(len(matrix), dtype=np.int64), cross=False))
    about = [one for _, one in found]
    near = float(np.average([one.near for one in about], weights=[len(matrix) for matrix in matrices]))
    lowest, highest = min(one.lowest for one in about), max(one.highest for one in about)
    return [rows for rows, _ in found], Approximation(n_landmarks, near, lowest, highest)


class _OwnColumns:
    """Numbers of columns; identical objects, which have the same distances to all landmarks, share one."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, bytes], int] = {}
        self.n_taken: dict[int, int] = {}

    def of(self, apart: Ints, to_landmarks: Floats) -> Ints:
        """Columns of some objects. Those that are never compared may have the same."""
        found = np.empty(len(apart), dtype=np.int64)
        for i, (where, row) in enumerate(zip(apart.tolist(), to_landmarks, strict=True)):
            key = where, blake2b(row.tobytes(), digest_size=16).digest()
            if key not in self.known:
                self.known[key] = self.n_taken[where] = self.n_taken.get(where, -1) + 1
            found[i] = self.known[key]
        return found


def _share_of_its_own(true: Floats, feet: Floats, heights: Floats, epoch: Ints) -> float:
    """How much of the squared height of an object it does not have in common with those near it."""
    within = squared_between(feet, feet)
    above = heights[:, None] + heights
    some, near = _nearest(true, within + above, epoch)
    total, rest = (np.take_along_axis(D[some], near, axis=1).sum() for D in (above, true - within))
    return float(np.clip(rest / total, 0.0, 1.0)) if total > 0 else 1.0


@dataclass(frozen=True)
class _Axes:
    """The space of the landmarks."""

    directions: Floats  # (L, p), divided by the roots of their eigenvalues
    mean: Floats  # (L,) of the distances between landmarks, by column
    landmarks: Floats  # (L, p)
    left_out: float  # mean square of the landmarks in directions that are not kept

    def placed(self, to_landmarks: Floats) -> tuple[Floats, Floats]:
        """Feet and squared heights of objects with these distances to the landmarks."""
        feet = 0.5 * (self.mean - to_landmarks) @ self.directions
        within = (feet**2).sum(axis=1)[:, None] + (self.landmarks**2).sum(axis=1) - 2 * feet @ self.landmarks.T
        return feet, np.maximum((to_landmarks - within).mean(axis=1) - self.left_out, 0.0)


def _axes(D: Floats) -> _Axes:
    """Classical scaling of the landmarks, without directions that carry next to nothing."""
    mean = D.mean(axis=0)
    similarity = -0.5 * (D - mean - mean[:, None] + mean.mean())
    values, vectors = np.linalg.eigh(similarity)
    kept = values > SMALLEST_EIGENVALUE * values[-1]
    if not kept.any():
        raise DataError("all landmarks are identical objects", ["take more ", Setting("landmarks")])
    beyond = np.cumsum(values[kept]) <= (1 - KEPT) * values[kept].sum()  # from the smallest on
    beyond[-FEWEST_DIRECTIONS:] = False
    left_out = float(values[kept][beyond].sum()) / len(D)
    kept[kept] = ~beyond
    roots = np.sqrt(values[kept])
    return _Axes(vectors[:, kept] / roots, mean, vectors[:, kept] * roots, left_out)


def _with_own_columns(feet: Floats, heights: Floats, own_column: Ints) -> Rows:
    """Feet, and the height of every object in its own column after them, as a sparse matrix."""
    from scipy.sparse import csr_array

    n, p = feet.shape
    values = np.column_stack([feet, heights]).ravel()
    columns = np.column_stack([np.tile(np.arange(p), (n, 1)), p + own_column]).ravel()
    ends = np.arange(n + 1) * (p + 1)
    return csr_array((values, columns, ends), shape=(n, p + int(own_column.max()) + 1))


def compared(true: Floats, approximate: Floats, n_landmarks: int, epoch: Ints | None = None) -> Approximation:
    """How close approximate distances between some objects, of these epochs, come to the true ones."""
    epoch = np.zeros(len(true), dtype=np.int64) if epoch is None else epoch
    some, nearest = _nearest(true, approximate, epoch)
    found, wanted = (np.take_along_axis(D[some], nearest, axis=1).sum(axis=1) for D in (approximate, true))
    usual = true.mean() * nearest.shape[1] or 1.0
    shares = np.where(
        wanted > 0, found / np.where(wanted > 0, wanted, 1.0), 1 + found / usual
    )  # identical ones: 0 is right
    return Approximation(n_landmarks, float(shares.mean()), *(float(q) for q in np.quantile(shares, [0.025, 0.975])))


def _nearest(true: Floats, approximate: Floats, epoch: Ints) -> tuple[Ints, Ints]:
    """Objects with others of their epoch, and the nearest tenth of those, (m, few).

    They are the nearest by both together: either alone would choose its own errors.
    """
    together = np.equal.outer(epoch, epoch)
    if (together.sum(axis=1) < FEWEST).all():  # epochs of one or two objects
        together[:] = True
    np.fill_diagonal(together, False)
    n_others = together.sum(axis=1)
    n_near = max(1, round(NEAR * float(np.median(n_others))))
    some = np.flatnonzero(n_others >= n_near)
    others = np.where(together, true + approximate, np.inf)[some]
    return some, np.argsort(others, axis=1, kind="stable")[:, :n_near]
