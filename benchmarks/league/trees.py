"""Trees of objects, cut in three ways: at the true number of clusters, by silhouettes, and branch by branch."""

from contextlib import redirect_stdout
from io import StringIO
from unittest.mock import patch

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.metrics import silhouette_score

from benchmarks.league.objects import Floats, Ints, Objects, with_singletons

MOST_CLUSTERS = 15
SMALLEST_BRANCH = 5  # objects, as for HDBSCAN


def tree_of(objects: Objects, how: str) -> Floats:
    """The tree of plain distances."""
    return linkage(squareform(objects.distances, checks=False), how)


def ward_told_k(objects: Objects) -> Ints:
    """Ward's tree, cut at the true number of clusters."""
    return fcluster(tree_of(objects, "ward"), objects.true_k, "maxclust")


def ward_by_silhouette(objects: Objects) -> Ints:
    """Ward's tree, cut where the mean silhouette is largest."""
    return best_cut(objects, tree_of(objects, "ward"))


def average_by_silhouette(objects: Objects) -> Ints:
    """The tree of average linkage, cut where the mean silhouette is largest."""
    return best_cut(objects, tree_of(objects, "average"))


def best_cut(objects: Objects, tree: Floats) -> Ints:
    """Of the cuts into 2 to 15 clusters the one with the largest mean silhouette; ties may make a cut coarser."""
    cuts = [fcluster(tree, k, "maxclust") for k in range(2, min(MOST_CLUSTERS, len(objects) - 1) + 1)]
    cuts = [labels for labels in cuts if labels.max() > 1]
    if not cuts:
        return np.zeros(len(objects), dtype=np.int64)
    return max(cuts, key=lambda labels: silhouette_score(objects.distances, labels, metric="precomputed"))


def dynamic_tree_cut(objects: Objects) -> Ints:
    """Average linkage with every branch cut by its shape; unassigned objects are clusters of their own."""
    from dynamicTreeCut import cutreeHybrid

    tree, distances = tree_of(objects, "average"), squareform(objects.distances, checks=False)
    old_name = patch.object(np, "in1d", np.isin, create=True)  # which numpy has dropped and the package still uses
    with old_name, redirect_stdout(StringIO()):
        labels = np.asarray(cutreeHybrid(tree, distances, minClusterSize=SMALLEST_BRANCH)["labels"])
    return with_singletons(labels, labels == 0)
