"""Clusters of sentences by igraph's Louvain method, made reproducible."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.notes.graph import Ties
from tetiwd.notes.requirements import text_module

_GENERATOR = Lock()  # igraph has one random number generator per process


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
