"""Nearest neighbours by cosine similarity; every row is its own first neighbour.

Similarities are rounded to twelve digits, so that ties are ties in whatever order they were summed, and
:mod:`tetiwd.notes.top_k` breaks them without favouring any row. scikit-learn's ``NearestNeighbors`` does neither.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tetiwd.notes.top_k import best_of_rows

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Lists = NDArray[np.int32]  # (rows, k) neighbours by rank, −1 where there are no more
Progress = Callable[[float], None]

ENTRIES_AT_ONCE = 4_000_000  # of a matrix of all pairs, some 100 MB while they are sorted
DIGITS = 12


def nearest(rows: "csr_matrix", k: int, progress: Progress | None = None, *, chunk: int | None = None) -> Lists:
    """The k nearest neighbours of every row among all rows that share something with it; the first is the row itself.

    ``rows`` have length 1. ``chunk`` rows at a time bound the memory and change nothing else.
    """
    n = rows.shape[0]
    lists = np.full((n, k), -1, dtype=np.int32)
    columns = rows.T.tocsr()
    step = chunk or max(1, ENTRIES_AT_ONCE // n)
    for begin in range(0, n, step):
        alike = rounded(rows[begin : begin + step] @ columns)
        lists[begin : begin + step] = best_of_rows(alike, k, begin)[0]
        if progress is not None:
            progress(min(1.0, (begin + step) / n))
    return lists


def unit_rows(X: "csr_matrix", weights: NDArray[np.float64] | None = None) -> "csr_matrix":
    """Rows of 0 and 1, none of them empty, scaled to length 1; columns may have weights."""
    from scipy.sparse import csr_matrix

    value = np.ones(len(X.indices)) if weights is None else weights[X.indices]
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    lengths = np.sqrt(np.bincount(row, weights=value * value, minlength=X.shape[0]))
    rows = csr_matrix((value / lengths[row], X.indices, X.indptr), X.shape, copy=True)
    rows.sort_indices()
    return rows


def rarity(X: "csr_matrix") -> NDArray[np.float64]:
    """Weights of columns: log((n + 1) / m) for one that is set in m of n rows."""
    used = np.bincount(X.indices, minlength=X.shape[1])
    weights: NDArray[np.float64] = np.log((X.shape[0] + 1) / np.maximum(used, 1))
    return weights


def rounded(alike: "csr_matrix") -> "csr_matrix":
    """The same matrix with similarities that can be compared."""
    np.round(alike.data, DIGITS, out=alike.data)
    return alike
