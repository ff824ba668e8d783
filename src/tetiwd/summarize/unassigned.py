"""Objects that fit nowhere: those of a lineage that never has ``min_size`` objects at one time are unassigned.

A lineage that is small at one time and large at another is a cluster all the time; an object that stays alone at every
time is not. In a draw, an object counts as unassigned if its cluster has fewer than ``min_size`` objects, unless that
is a cluster which is as small in the clustering and still part of a lineage there.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.feature_distances import FeatureDistances
from tetiwd.partitions import Ints, numbered
from tetiwd.summarize.clustering import UNASSIGNED, Clustering

if TYPE_CHECKING:
    from tetiwd.data import DistanceSeries
    from tetiwd.summarize.alignment import Alignment

Floats = NDArray[np.float64]


def assigned_labels(clustering: Clustering, min_size: int) -> list[Ints]:
    """Labels of a clustering, UNASSIGNED in lineages that never have ``min_size`` objects at one time."""
    large = np.append(clustering.sizes.max(axis=0, initial=0) >= min_size, False)  # UNASSIGNED is the last one
    return [np.where(large[labels], labels, UNASSIGNED) for labels in clustering.labels]


def unassigned_probabilities(alignment: "Alignment", min_size: int) -> list[Floats]:
    """Share of draws in which every object is unassigned, T × (n_t,)."""
    small = np.column_stack([alignment.clustering.sizes < min_size, np.zeros(alignment.partitions.n_epochs, bool)])
    shares = []
    for t in range(alignment.partitions.n_epochs):
        in_small_lineage = small[t, alignment.words_at(t)]  # OTHER is the last one
        unassigned = (_own_sizes(alignment.partitions.at(t)) < min_size) & ~in_small_lineage
        shares.append(unassigned.mean(axis=0))
    return shares


def unassigned_given_others(found: Floats, cluster: Ints, sizes: Ints, lineages: Ints, min_size: int) -> Floats:
    """Probability of every object of one epoch to be unassigned if all others stay as they are, (n,).

    ``found`` are its probabilities for every cluster, of these ``sizes`` and ``lineages``, and for a new one; it is in
    ``cluster``.
    """
    with_it = np.append(sizes, 0) + 1 - (cluster[:, None] == np.arange(len(sizes) + 1))
    return (found * ((with_it < min_size) & (lineages == UNASSIGNED))).sum(axis=1)


def nearest_lineages(series: "DistanceSeries", clustering: Clustering) -> list[Ints]:
    """For every unassigned object, the lineage of its time whose mean is nearest; −1 if there is none, and for others.

    ‖x − mean_c‖² is the mean distance to the members, less half the mean distance among them.
    """
    nearest = [np.full(len(labels), -1, dtype=np.int64) for labels in clustering.labels]
    for t, labels in enumerate(clustering.labels):
        alone, lineages = np.flatnonzero(labels == UNASSIGNED), clustering.lineages_at(t)
        if not len(alone) or not len(lineages):
            continue
        nearest[t][alone] = lineages[_from_means(series, t, labels, alone, lineages).argmin(axis=1)]
    return nearest


def _from_means(series: "DistanceSeries", t: int, labels: Ints, alone: Ints, lineages: Ints) -> Floats:
    """Squared distances of some objects from the means of lineages."""
    D = series.matrices[t]
    if isinstance(D, FeatureDistances):
        slots = np.where(labels == UNASSIGNED, len(lineages), np.searchsorted(lineages, labels))
        sums = D.sums(slots, len(lineages) + 1)[:-1]
        n = sums[:, -1]
        return D.row_sums(sums, alone) / n - np.diagonal(D.block_sums(sums)) / (2 * n**2)
    D = _squared_distances(series, t)
    members = [np.flatnonzero(labels == g) for g in lineages]
    return np.array([D[np.ix_(alone, own)].mean(axis=1) - D[np.ix_(own, own)].mean() / 2 for own in members]).T


def _squared_distances(series: "DistanceSeries", t: int) -> NDArray[Any]:
    """D_ij, or K_ii + K_jj − 2K_ij; a hint needs no check that these are distances."""
    matrix = series.matrices[t]
    if series.kind == "distances":
        return matrix
    own = np.diagonal(matrix)
    return own[:, None] + own - 2 * matrix


def _own_sizes(drawn: NDArray[np.int32]) -> Ints:
    """Size of the cluster of every object in every draw of one epoch, (S, n)."""
    labels = numbered(drawn).astype(np.int64)
    S, k = len(labels), int(labels.max()) + 1
    cells = np.arange(S)[:, None] * k + labels
    return np.bincount(cells.ravel(), minlength=S * k)[cells]
