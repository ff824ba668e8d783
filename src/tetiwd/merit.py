"""How good a clustering is, judged by the distances alone: clusters apart from each other, neighbours together.

Two scores that no model makes. *Separation* is the mean silhouette (Rousseeuw 1987): an object is closer to its own
cluster than to the next one. *Agreement* is the adjusted Rand index of the clusters with those that the nearest
neighbours of every object belong to. Clusters that are too coarse are not apart, and those that are too fine divide
neighbours; so their product, the *merit*, has its maximum in between. It compares answers of different models.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.data.checks import Matrix

N_NEIGHBOURS = 5
MOST_OBJECTS = 1000  # that are looked at


@dataclass(frozen=True)
class Merit:
    """Scores of a clustering; of clusters at every epoch, means over epochs weighted by their numbers of objects."""

    separation: float  # −1 to 1
    agreement: float  # about 0 to 1

    @property
    def product(self) -> float:
        """The merit; 0 if clusters are not apart, or neighbours do not agree."""
        return max(self.separation, 0.0) * max(self.agreement, 0.0)


def merit(series: DistanceSeries, labels: Sequence[NDArray[Any]]) -> Merit:
    """The merit of clusters at every epoch. Epochs with a single cluster have none."""
    scores, weights = [], []
    for t, labels_t in enumerate(labels):
        seen, D = series.sampled_distances(t, MOST_OBJECTS)
        clusters = np.unique(np.asarray(labels_t)[seen], return_inverse=True)[1]
        scores.append((separation(D, clusters), agreement(D, clusters)))
        weights.append(len(labels_t))
    return Merit(*np.average(scores, axis=0, weights=weights).tolist())


def merit_of_lineages(series: DistanceSeries, labels: Sequence[NDArray[Any]]) -> Merit:
    """The merit of lineages over all epochs, from distances between them, which must be known."""
    lineages = np.concatenate(list(labels))
    n = len(lineages)
    seen = np.linspace(0, n - 1, min(n, MOST_OBJECTS)).round().astype(np.int64)
    found = np.unique(lineages[seen], return_inverse=True)[1]
    D = series.cross[np.ix_(seen, seen)]  # type: ignore[index]
    return Merit(separation(D, found), agreement(D, found))


def separation(D: Matrix, labels: NDArray[np.int64]) -> float:
    """Mean silhouette from squared distances; 0 if all objects are together or each is alone."""
    from sklearn.metrics import silhouette_score

    if not 1 < labels.max() + 1 < len(labels):
        return 0.0
    plain = np.sqrt(np.asarray(D, dtype=float))
    np.fill_diagonal(plain, 0.0)
    return float(silhouette_score(plain, labels, metric="precomputed"))


def agreement(D: Matrix, labels: NDArray[np.int64]) -> float:
    """Adjusted Rand index of clusters with those of the nearest neighbours; 0 if all objects are together."""
    n, k = len(labels), int(labels.max()) + 1
    if not 1 < k < n:
        return 0.0
    apart = np.array(D, dtype=float)
    np.fill_diagonal(apart, np.inf)
    nearest = np.argsort(apart, axis=1, kind="stable")[:, : min(N_NEIGHBOURS, n - 1)]
    votes = np.zeros((n, k))
    vote = 1 + 0.1 * 0.5 ** np.arange(nearest.shape[1])  # between clusters with equally many votes the nearest decide
    np.add.at(votes, (np.arange(n)[:, None], labels[nearest]), vote)
    return adjusted_rand(labels, votes.argmax(axis=1))


def adjusted_rand(mine: NDArray[Any], theirs: NDArray[Any]) -> float:
    """Adjusted Rand index of two clusterings of the same objects: scikit-learn's number, without its checks."""
    mine, theirs = (np.unique(labels, return_inverse=True)[1] for labels in (mine, theirs))
    wide = int(theirs.max(initial=0)) + 1
    in_one, in_other, in_both = (
        int((np.bincount(labels) ** 2).sum()) for labels in (mine, theirs, mine * wide + theirs)
    )  # ordered pairs of objects in one cluster, with themselves
    only_one, only_other = in_one - in_both, in_other - in_both
    if only_one == only_other == 0:
        return 1.0
    together, apart = in_both - len(mine), len(mine) ** 2 - in_both - only_one - only_other
    agreeing = 2.0 * (together * apart - only_one * only_other)
    return agreeing / ((together + only_one) * (only_one + apart) + (together + only_other) * (only_other + apart))
