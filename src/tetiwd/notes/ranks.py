"""Ranked neighbourhood comparison: two things are similar if their lists of nearest neighbours are.

Every thing becomes a row of W with one entry for each of its neighbours, itself included; S = W Wᵀ. So S has no
negative eigenvalue, and S_ii + S_jj − 2 S_ij are squared Euclidean distances whatever the lists are. All rows of W have
length 1, so that S_ii = 1.

ranks     W_iv falls evenly with the rank r of v in the list of i: k − r, for r = 0 … k − 1.
overlap   truncated rank-biased overlap: the share of the first d neighbours that are common to both lists, with weight
          p^(d − 1), summed over the depths d = 1 … k. W has an entry √(p^(d − 1) / d) for every depth d and every
          neighbour v among the first d.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tetiwd.notes.neighbours import Lists

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Floats = NDArray[np.float64]


def rows_of_ranks(lists: Lists, comparison: str, persistence: float) -> "csr_matrix":
    """W, with rows of length 1."""
    from scipy.sparse import csr_matrix

    n, k = lists.shape
    if comparison == "ranks":
        row, rank = np.nonzero(lists >= 0)
        column, value = lists[row, rank].astype(np.int64), (k - rank).astype(np.float64)
        n_columns = n
    else:
        row, column, value = _by_depth(lists, persistence)
        n_columns = n * k
    W = csr_matrix((value, (row, column)), (n, n_columns))
    W.sort_indices()
    lengths = np.sqrt(np.bincount(row, weights=value * value, minlength=n))
    W.data /= np.repeat(lengths, np.diff(W.indptr))
    return W


def squared_distances(W: "csr_matrix", others: "csr_matrix | None" = None) -> Floats:
    """Squared distances between rows of length 1, 2 − 2 S_ij; within one set they are zero on the diagonal."""
    D = (W @ (W if others is None else others).T).toarray()
    D *= -2.0
    D += 2.0
    np.maximum(D, 0.0, out=D)
    if others is None:
        np.fill_diagonal(D, 0.0)
    return D


def _by_depth(lists: Lists, persistence: float) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """Entries of W for the overlap: row, column (neighbour and depth) and value."""
    k = lists.shape[1]
    rank, depth = np.triu_indices(k)  # a neighbour of rank r is among the first d = r + 1, r + 2, … (depth = d − 1)
    value = np.sqrt(persistence**depth / (depth + 1.0))
    neighbour = lists[:, rank].astype(np.int64)  # (n, k (k + 1) / 2)
    row, entry = np.nonzero(neighbour >= 0)
    return row, neighbour[row, entry] * k + depth[entry], value[entry]
