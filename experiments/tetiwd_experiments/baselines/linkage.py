"""Methods for one epoch at a time that draw nothing: linkage trees and HDBSCAN."""

from collections.abc import Sequence

import numpy as np

from tetiwd.data import DistanceSeries
from tetiwd_experiments.baselines.answer import Answer


def linkage_clusters(series: DistanceSeries, n_clusters: Sequence[int], how: str) -> Answer:
    """Ward, complete or single linkage, every epoch cut at a given number of clusters."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    labels = []
    for D, k in zip(series.to_distances().matrices, n_clusters, strict=True):
        tree = linkage(np.sqrt(squareform(np.asarray(D, dtype=float), checks=False)), how)
        labels.append(fcluster(tree, k, "maxclust").astype(np.int64))
    return Answer(labels)


def hdbscan_clusters(series: DistanceSeries) -> Answer:
    """HDBSCAN with its own defaults; objects that it calls noise are one more cluster."""
    from sklearn.cluster import HDBSCAN

    matrices = series.to_distances().matrices
    finder = HDBSCAN(metric="precomputed", copy=True)
    return Answer([finder.fit_predict(np.sqrt(np.asarray(D, dtype=float))).astype(np.int64) for D in matrices])
