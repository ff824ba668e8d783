"""Squared Euclidean distances between rows of features, without a matrix of them.

``FeatureDistances`` stands for the (n, n) array: what is looked at is computed, and sums over clusters follow from what
the rows of a cluster add up to,

    Σ_{j∈c} ‖x_l − x_j‖² = n_c ‖x_l‖² + Σ_{j∈c} ‖x_j‖² − 2 x_l · Σ_{j∈c} x_j.

Rows are taken from their centre there, for what they have in common would cost digits; sums of whole numbers are exact.
Nothing here calls BLAS, whose
rounding depends on the number of threads.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.checks import Place
from tetiwd.memory import require_memory

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Rows = Any  # (n, p): an array in single or double precision, or a csr_array

ENTRIES_AT_ONCE = 1 << 20
FARTHEST_CENTRE = 1e6  # square of the centre of sparse rows, which is not taken off, over the mean square around it


class FeatureDistances:
    """Squared distances between rows, in their order, times a factor. The rows are looked at, never changed."""

    ndim = 2
    dtype = np.dtype(np.float64)

    def __init__(self, rows: Rows, factor: float = 1.0) -> None:
        self.factor = factor
        self.is_sparse = is_sparse(rows)
        self.rows: Rows = as_csr(rows) if self.is_sparse else np.ascontiguousarray(rows).view()
        if not self.is_sparse:
            self.rows.flags.writeable = False
        n, p = rows.shape
        self.shape = (n, n)
        self.centre = np.zeros(p) if self.is_sparse or n == 0 else self._find_centre()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.rows, self.factor)

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def width(self) -> int:
        """Numbers that :meth:`sums` keeps for a cluster."""
        return int(self.rows.shape[1]) + 2

    def restricted(self, some: Any) -> "FeatureDistances":
        """Between some of the objects; columns in which all of these are zero are left out if rows are sparse."""
        rows = self.rows[some]
        return FeatureDistances(rows[:, np.unique(rows.indices)] if self.is_sparse else rows, self.factor)

    def __getitem__(self, key: Any) -> Floats:
        """Entries of the array: rows of it, or ``[rows, columns]`` where both are slices or come from ``np.ix_``."""
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        every = np.arange(len(self))
        here, there = every[rows], every[columns]
        X, Y = self.rows[np.atleast_1d(here).ravel()], self.rows[there.ravel()]
        D = self.factor * squared_between(X, Y)
        if self.is_sparse:  # rounding leaves something of the distance of a row to itself
            D[np.atleast_1d(here).reshape(-1, 1) == there.ravel()] = 0.0
        return D if np.ndim(here) else D[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        require_memory(8 * len(self) ** 2, f"all distances between {len(self)} objects", "look at some of them")
        return self[:].astype(dtype or float, copy=False)

    def sum(self, dtype: Any = None) -> float:
        """Sum of all entries."""
        return float(self.block_sums(self.sums(np.zeros(len(self), dtype=np.int64), 1))[0, 0])

    def any(self) -> bool:
        """True if two rows differ."""
        if self.is_sparse:
            return bool((self.rows.max(axis=0) != self.rows.min(axis=0)).nnz)
        return any((self.rows[some] != self.rows[0]).any() for some in self._blocks(np.arange(len(self))))

    def sums(self, labels: Ints, n_clusters: int, first: int = 0) -> Floats:
        """What the rows of every cluster add up to, (n_clusters, width): Σ x, Σ ‖x‖², and their number.

        Labels are those of all objects, or of a run of them from ``first`` on.
        """
        found = np.zeros((n_clusters, self.width))
        for some in self._blocks(np.arange(len(labels))):
            X = self._centred(first + some)
            total = _one_hot(labels[some], n_clusters).T @ X
            found[:, :-2] += total.toarray() if self.is_sparse else total
            found[:, -2] += np.bincount(labels[some], _squares(X), minlength=n_clusters)
        found[:, -1] = np.bincount(labels, minlength=n_clusters)
        return found

    def block_sums(self, sums: Floats, others: Floats | None = None) -> Floats:
        """Distances between the members of one cluster and another, summed, (k, m), from :meth:`sums` of them."""
        others = sums if others is None else others
        total = sums[:, -1:] * others[:, -2] + sums[:, -2:-1] * others[:, -1]
        return np.asarray(self.factor * (total - 2 * np.einsum("if,jf->ij", sums[:, :-2], others[:, :-2])))

    def times_similarity(self, columns: Floats) -> Floats:
        """−½ D times columns that sum to zero, (n, m)."""
        X = self.rows if self.is_sparse else self._centred(np.arange(len(self)))
        return np.asarray(self.factor * (X @ (X.T @ columns)))

    def n_identical_pairs(self) -> int:
        """Pairs of objects whose rows are equal."""
        rows = self.rows
        if self.is_sparse:
            ends = rows.indptr.tolist()
            names = [rows.indices[a:b].tobytes() + rows.data[a:b].tobytes() for a, b in pairwise(ends)]
        else:
            names = [row.tobytes() for row in rows + 0.0]  # no negative zero
        return sum(n * (n - 1) // 2 for n in Counter(names).values())

    def row_sums(self, sums: Floats, some: Any = slice(None)) -> Floats:
        """Distances from objects to the members of every cluster, summed, (m, k)."""
        every = np.arange(len(self))[some]
        parts = [np.empty((0, len(sums)))]
        for part in self._blocks(every):
            X = self._centred(part)
            dots = X @ sums[:, :-2].T if self.is_sparse else np.einsum("if,jf->ij", X, sums[:, :-2])
            parts.append(self.factor * (_squares(X)[:, None] * sums[:, -1] + sums[:, -2] - 2 * dots))
        return np.concatenate(parts)

    def _find_centre(self) -> Floats:
        """The mean of the rows, rounded to a power of two within their spread: whole numbers stay whole or halved."""
        with np.errstate(all="ignore"):  # numbers out of range are refused later
            mean, squares = self.rows.mean(axis=0, dtype=float), np.zeros(self.rows.shape[1])
            for some in self._blocks(np.arange(len(self))):
                squares += ((self.rows[some] - mean) ** 2).sum(axis=0)
            grid = 2.0 ** np.floor(np.log2(np.sqrt(squares / len(self))))
            return np.where(grid > 0, np.round(mean / grid) * grid, self.rows[0])

    def _blocks(self, every: Ints) -> Iterator[Ints]:
        """Some rows at a time."""
        step = max(1, ENTRIES_AT_ONCE // max(1, self.rows.shape[1]))
        if self.is_sparse:
            step = max(step, 1 << 12)
        for start in range(0, len(every), step):
            yield every[start : start + step]

    def _centred(self, some: Ints) -> Any:
        return self.rows[some] if self.is_sparse else self.rows[some] - self.centre


def among(matrix: Any, some: Any) -> Any:
    """The distances between some of the objects, given by a slice or their places."""
    if isinstance(matrix, FeatureDistances):
        return matrix.restricted(some)
    return matrix[some, some] if isinstance(some, slice) else matrix[np.ix_(some, some)]


def cut(rows: Rows, sizes: Sequence[int]) -> tuple[Rows, ...]:
    """The rows of every epoch, which come one after the other."""
    ends = np.cumsum(sizes).tolist()
    return tuple(rows[start:end] for start, end in zip([0, *ends], ends, strict=False))


def squared_between(X: Rows, Y: Rows) -> Floats:
    """Squared distances from every row of X to every row of Y."""
    from scipy.spatial.distance import cdist

    if not is_sparse(X) and not is_sparse(Y):
        return np.asarray(cdist(X, Y, "sqeuclidean"))
    X, Y = as_csr(X), as_csr(Y)
    D = _squares(X)[:, None] + _squares(Y) - 2 * (X @ Y.T).toarray()
    return np.asarray(np.maximum(D, 0.0, out=D))


def check_features(D: FeatureDistances, place: Place) -> None:
    """Rows that differ, whose squares are within the range of numbers, and, if sparse, near zero."""
    if len(D) > 1 and not D.any():
        place.fail(
            f"is zero everywhere: all {len(D)} objects are identical",
            "leave this epoch out, or check how the features were computed",
        )
    with np.errstate(over="ignore", invalid="ignore"):
        total = D.sum()
        mean = np.asarray(D.rows.mean(axis=0)).ravel() if D.is_sparse else np.zeros(1)
        away = float(mean @ mean)
    if not np.isfinite(total):
        place.fail("has squared distances beyond float64", "divide the features by a constant")
    if D.factor * away > FARTHEST_CENTRE * total / (2 * len(D) ** 2):
        place.fail("has rows that are much alike but far from zero, which costs digits", "pass X.toarray()")


def is_sparse(rows: Any) -> bool:
    """True for a sparse matrix."""
    return hasattr(rows, "tocsr")


def as_csr(rows: Any) -> Any:
    """Rows as the kernels take them: in double precision, with every entry once."""
    from scipy.sparse import csr_array

    X = csr_array(rows, dtype=float)
    X.sum_duplicates()
    return X


def _one_hot(labels: Ints, n_clusters: int) -> Any:
    from scipy.sparse import csr_array

    n = len(labels)
    return csr_array((np.ones(n), labels, np.arange(n + 1)), shape=(n, n_clusters))


def _squares(X: Rows) -> Floats:
    """Squared length of every row."""
    if is_sparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.asarray(np.einsum("if,if->i", X, X))
