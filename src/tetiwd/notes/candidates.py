"""Approximate nearest neighbours for many rows, in time that grows linearly with their number.

Common words cause almost all of the work and carry the least information. Here only the rarest words of a row propose
candidates: as many words as occur in ``BUDGET`` rows in all (one word at least). The rows that share most of them are
compared in full.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tetiwd.notes.nearest import Lists, Progress, rounded
from tetiwd.notes.top_k import best_of_rows

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

BUDGET = 20_000  # rows that the words of a row may name, counted with repetition
PER_NEIGHBOUR = 10  # candidates compared in full for every neighbour wanted
ROWS_AT_ONCE = 500


def nearest_among_candidates(
    rows: "csr_matrix",
    k: int,
    progress: Progress | None = None,
    *,
    budget: int = BUDGET,
    chunk: int = ROWS_AT_ONCE,
) -> Lists:
    """Like :func:`tetiwd.notes.nearest.nearest`, but neighbours that share only common words may be missed."""
    n = rows.shape[0]
    lists = np.full((n, k), -1, dtype=np.int32)
    columns, proposing = rows.T.tocsr(), rarest_words(rows, budget)
    for begin in range(0, n, chunk):
        proposed, _ = best_of_rows(rounded(proposing[begin : begin + chunk] @ columns), PER_NEIGHBOUR * k, begin)
        alike = rounded(_compared(rows, proposed, begin))
        lists[begin : begin + chunk] = best_of_rows(alike, k, begin)[0]
        if progress is not None:
            progress(min(1.0, (begin + chunk) / n))
    return lists


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


def _compared(rows: "csr_matrix", proposed: NDArray[np.int32], begin: int) -> "csr_matrix":
    """Similarities of rows and the rows proposed for them, and of every row and itself, proposed or not."""
    from scipy.sparse import csr_matrix

    itself = np.arange(begin, begin + len(proposed))
    row, place = np.nonzero((proposed >= 0) & (proposed != itself[:, None]))
    row, other = np.append(row, itself - begin), np.append(proposed[row, place], itself)
    alike = np.asarray(rows[begin + row].multiply(rows[other]).sum(axis=1)).ravel()
    return csr_matrix((alike, (row, other)), (len(proposed), rows.shape[0]))
