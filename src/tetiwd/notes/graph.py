"""The graph for Louvain clustering: sentences are tied if their neighbour lists are among the most similar."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetiwd.notes.top_k import best_of_rows

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

ROWS_AT_ONCE = 1000


class Ties(NamedTuple):
    """Undirected ties, each once, in order."""

    n: int  # nodes
    one: NDArray[np.int32]  # the smaller number
    other: NDArray[np.int32]
    weight: NDArray[np.float64]


def ties_of(
    W: "csr_matrix", at_most: int, progress: Callable[[float], None] | None = None, *, chunk: int = ROWS_AT_ONCE
) -> Ties:
    """The largest entries of every row of S = W Wᵀ; a tie stays if it is one of the largest for either end."""
    n = W.shape[0]
    others = W.T.tocsr()
    parts = []
    for begin in range(0, n, chunk):
        S = (W[begin : begin + chunk] @ others).tocsr()
        columns, values = best_of_rows(S, at_most + 1, begin)  # one more, because the row itself is among them
        row, place = np.nonzero(columns >= 0)
        one, other, weight = row + begin, columns[row, place], values[row, place]
        proper = one != other
        one, other, weight = one[proper], other[proper], weight[proper]
        low, high = np.minimum(one, other).astype(np.int64), np.maximum(one, other).astype(np.int64)
        parts.append((low * n + high, weight))
        if progress is not None:
            progress(min(1.0, (begin + chunk) / n))
    pair, first = np.unique(np.concatenate([pair for pair, _ in parts]), return_index=True)
    weights = np.concatenate([weight for _, weight in parts])[first]
    return Ties(n, (pair // n).astype(np.int32), (pair % n).astype(np.int32), weights)
