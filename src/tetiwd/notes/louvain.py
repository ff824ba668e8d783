"""Clusters of sentences by igraph's Louvain method, made reproducible.

In the graph, sentences are tied if their neighbour lists are among the most similar.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetiwd.notes.neighbours import Progress, best_of_rows
from tetiwd.notes.requirements import text_module

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

ROWS_AT_ONCE = 1000
_GENERATOR = Lock()  # igraph has one random number generator per process


class Ties(NamedTuple):
    """Undirected ties, each once, in order."""

    n: int  # nodes
    one: NDArray[np.int32]  # the smaller number
    other: NDArray[np.int32]
    weight: NDArray[np.float64]


def ties_of(W: "csr_matrix", at_most: int, progress: Progress | None = None, *, chunk: int = ROWS_AT_ONCE) -> Ties:
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


def louvain(ties: Ties, sizes: NDArray[np.int64], resolution: float, seed: int) -> NDArray[np.int64]:
    """The cluster of every bag, 0 being the cluster with most sentences; ``sizes`` are sentences per bag."""
    igraph = text_module("igraph")
    graph = igraph.Graph(n=ties.n, edges=np.column_stack([ties.one, ties.other]))
    with _own_generator(igraph, seed):
        clustering = graph.community_multilevel(weights=ties.weight.tolist(), resolution=resolution)
    return by_size(np.array(clustering.membership, dtype=np.int64), sizes)


def by_size(labels: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same clusters, numbered from the largest; equal ones in the order of their first member."""
    _, first, labels = np.unique(labels, return_index=True, return_inverse=True)
    order = np.lexsort((first, -np.bincount(labels, weights=sizes)))
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    return number[labels]


def strengths(ties: Ties, labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sum of the ties of every bag inside its cluster: the strongest is the most typical."""
    inside = labels[ties.one] == labels[ties.other]
    ends = np.concatenate([ties.one[inside], ties.other[inside]])
    return np.bincount(ends, weights=np.tile(ties.weight[inside], 2), minlength=ties.n).astype(np.float64)


@contextmanager
def _own_generator(igraph: Any, seed: int) -> Iterator[None]:
    """Seed igraph's random numbers; its default generator is restored afterwards."""
    with _GENERATOR:
        igraph.set_random_number_generator(random.Random(seed))
        try:
            yield
        finally:
            igraph.set_random_number_generator(random)
