"""Nearest neighbours by cosine similarity; every row is its own first neighbour.

Similarities are rounded to twelve digits, so that ties are ties in whatever order they were summed, and ties are broken
without favouring any row, the same way on every machine. scikit-learn's ``NearestNeighbors`` does neither.

For many rows there is an approximation whose time grows linearly with their number. Common words cause almost all of
the work and carry the least information. So only the rarest words of a row propose candidates: as many words as occur
in ``BUDGET`` rows in all (one word at least). The rows that share most of them are compared in full.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Lists = NDArray[np.int32]  # (rows, k) neighbours by rank, −1 where there are no more
Progress = Callable[[float], None]

ENTRIES_AT_ONCE = 4_000_000  # of a matrix of all pairs, some 100 MB while they are sorted
DIGITS = 12
BUDGET = 20_000  # rows that the words of a row may name, counted with repetition
PER_NEIGHBOUR = 10  # candidates compared in full for every neighbour wanted
ROWS_AT_ONCE = 500  # for which candidates are proposed


def nearest(rows: "csr_matrix", k: int, progress: Progress | None = None, *, chunk: int | None = None) -> Lists:
    """The k nearest neighbours of every row among all rows that share something with it; the first is the row itself.

    ``rows`` have length 1. ``chunk`` rows at a time bound the memory and change nothing else.
    """
    columns = rows.T.tocsr()
    step = chunk or max(1, ENTRIES_AT_ONCE // rows.shape[0])
    return _lists(rows.shape[0], k, step, lambda begin: rows[begin : begin + step] @ columns, progress)


def nearest_among_candidates(
    rows: "csr_matrix",
    k: int,
    progress: Progress | None = None,
    *,
    budget: int = BUDGET,
    chunk: int = ROWS_AT_ONCE,
) -> Lists:
    """Like :func:`nearest`, but neighbours that share only common words may be missed."""
    columns, proposing = rows.T.tocsr(), rarest_words(rows, budget)

    def alike(begin: int) -> "csr_matrix":
        proposed, _ = best_of_rows(_rounded(proposing[begin : begin + chunk] @ columns), PER_NEIGHBOUR * k, begin)
        return _compared(rows, proposed, begin)

    return _lists(rows.shape[0], k, chunk, alike, progress)


def unit_rows(X: "csr_matrix", weights: NDArray[np.float64] | None = None) -> "csr_matrix":
    """Rows of 0 and 1, none of them empty, scaled to length 1; columns may have weights."""
    from sklearn.preprocessing import normalize

    rows = X.astype(np.float64)
    if weights is not None:
        rows.data = weights[rows.indices]
    rows.sort_indices()
    return normalize(rows, copy=False)


def rarity(X: "csr_matrix") -> NDArray[np.float64]:
    """Weights of columns: log((n + 1) / m) for one that is set in m of n rows."""
    used = np.bincount(X.indices, minlength=X.shape[1])
    weights: NDArray[np.float64] = np.log((X.shape[0] + 1) / np.maximum(used, 1))
    return weights


def rarest_words(rows: "csr_matrix", budget: int) -> "csr_matrix":
    """Every row with the entries of its rarest words only."""
    from scipy.sparse import csr_matrix

    n, starts = rows.shape[0], rows.indptr[:-1]
    used = np.bincount(rows.indices, minlength=rows.shape[1]).astype(np.int64)
    row = np.repeat(np.arange(n), np.diff(rows.indptr))
    order = np.lexsort((rows.indices, used[rows.indices], row))  # within every row the rarest first
    running = np.cumsum(used[rows.indices[order]])
    before_row = np.concatenate([[0], running])[starts]
    kept = running - before_row[row] <= budget
    kept[starts] = True
    entries = order[kept]
    rare = csr_matrix((rows.data[entries], (row[kept], rows.indices[entries])), rows.shape)
    rare.sort_indices()
    return rare


def _lists(n: int, k: int, step: int, alike: Callable[[int], "csr_matrix"], progress: Progress | None) -> Lists:
    """Neighbours of n rows, ``step`` at a time; ``alike`` gives the similarities of the rows from a number on."""
    lists = np.full((n, k), -1, dtype=np.int32)
    for begin in range(0, n, step):
        lists[begin : begin + step] = best_of_rows(_rounded(alike(begin)), k, begin)[0]
        if progress is not None:
            progress(min(1.0, (begin + step) / n))
    return lists


def _rounded(alike: "csr_matrix") -> "csr_matrix":
    """The same matrix with similarities that can be compared."""
    np.round(alike.data, DIGITS, out=alike.data)
    return alike


def _compared(rows: "csr_matrix", proposed: NDArray[np.int32], begin: int) -> "csr_matrix":
    """Similarities of rows and the rows proposed for them, and of every row and itself, proposed or not."""
    from scipy.sparse import csr_matrix

    itself = np.arange(begin, begin + len(proposed))
    row, place = np.nonzero((proposed >= 0) & (proposed != itself[:, None]))
    row, other = np.append(row, itself - begin), np.append(proposed[row, place], itself)
    alike = np.asarray(rows[begin + row].multiply(rows[other]).sum(axis=1)).ravel()
    return csr_matrix((alike, (row, other)), (len(proposed), rows.shape[0]))


def best_of_rows(values: "csr_matrix", at_most: int, first: int) -> tuple[Lists, NDArray[np.float64]]:
    """Columns and values of the largest entries of every row, largest first; −1 and 0 where a row has fewer.

    The rows are ``first``, ``first + 1``, … of a square matrix. Among equal values the column that comes next after
    the number of the row wins, in a circle: no column is favoured by all rows.
    """
    n_rows, n = values.shape
    columns = np.full((n_rows, at_most), -1, dtype=np.int32)
    largest = np.zeros((n_rows, at_most))
    ends = values.indptr.tolist()
    for row in range(n_rows):
        entries = slice(ends[row], ends[row + 1])
        where, value = values.indices[entries], values.data[entries]
        if len(value) > at_most:
            least = np.partition(value, len(value) - at_most)[len(value) - at_most]
            kept = np.flatnonzero(value >= least)
            where, value = where[kept], value[kept]
        order = np.lexsort(((where - (first + row)) % n, -value))[:at_most]
        columns[row, : len(order)] = where[order]
        largest[row, : len(order)] = value[order]
    return columns, largest
