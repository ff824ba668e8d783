"""How good an answer is: agreement with the truth, number of clusters, and links."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from benchmarks.league.objects import n_labels

ByEpoch = Sequence[NDArray[Any]]


def agreement(truth: ByEpoch, labels: ByEpoch) -> float:
    """Adjusted Rand index, the mean over epochs with more than one true label."""
    pairs = [pair for pair in zip(truth, labels, strict=True) if n_labels(pair[0]) > 1]
    return float(np.mean([adjusted_rand_score(*pair) for pair in pairs])) if pairs else np.nan


def size_ratio(truth: ByEpoch, labels: ByEpoch) -> float:
    """Number of clusters found ÷ true number, both summed over all epochs."""
    return sum(map(n_labels, labels)) / sum(map(n_labels, truth))


def links(truth: ByEpoch, labels: ByEpoch) -> tuple[int, int]:
    """Links between consecutive epochs that join clusters with the same majority, and all that are claimed."""
    majorities = [majority_by_cluster(*pair) for pair in zip(truth, labels, strict=True)]
    joined = [(a[c], b[c]) for a, b in pairwise(majorities) for c in a.keys() & b.keys()]
    return sum(here == there for here, there in joined), len(joined)


def majority_by_cluster(truth: NDArray[Any], labels: NDArray[Any]) -> dict[Any, Any]:
    """The most frequent true label of every cluster."""
    found = {}
    for cluster in np.unique(labels):
        values, counts = np.unique(truth[labels == cluster], return_counts=True)
        found[cluster] = values[counts.argmax()]
    return found
