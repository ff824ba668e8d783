"""Methods that make similarities of distances: spectral clustering, Leiden communities and affinity propagation."""

import warnings

import numpy as np
from sklearn.cluster import AffinityPropagation, SpectralClustering
from sklearn.exceptions import ConvergenceWarning

from benchmarks.league.objects import Floats, Ints, Objects

MOST_CLUSTERS = 15
NEIGHBOUR_OF_SCALE = 7  # whose distance is the scale of an object, as its authors advise
N_NEIGHBOURS = 15  # of the graph, with the object itself, as scanpy does
SMALLEST_BANDWIDTH = 1e-3  # times the mean distance: objects may be identical


def spectral(objects: Objects) -> Ints:
    """Spectral clustering with a scale for every object, and 2 to 15 clusters by the largest gap of eigenvalues."""
    affinity = self_tuning(objects)
    root = np.sqrt(affinity.sum(axis=1))
    values = np.linalg.eigvalsh(np.eye(len(objects)) - affinity / np.outer(root, root))[: MOST_CLUSTERS + 1]
    k = 2 + int(np.diff(values)[1:].argmax())
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Graph is not fully connected")
        return SpectralClustering(k, affinity="precomputed", random_state=0).fit_predict(affinity)


def self_tuning(objects: Objects) -> Floats:
    """exp(−d² / (s_i s_j)), where s is the distance of an object to its seventh neighbour."""
    nearest = np.sort(objects.distances, axis=1)
    scale = nearest[:, min(NEIGHBOUR_OF_SCALE, len(objects) - 1)]
    scale = np.maximum(scale, SMALLEST_BANDWIDTH * objects.distances.mean())
    return np.exp(-objects.D / np.outer(scale, scale))


def leiden(objects: Objects) -> Ints:
    """Leiden communities, resolution 1, in the graph of nearest neighbours with UMAP's weights."""
    import igraph
    import leidenalg

    weights = np.triu(neighbour_weights(objects.distances), 1)
    first, second = np.nonzero(weights)
    graph = igraph.Graph(n=len(objects), edges=np.column_stack([first, second]).tolist())
    how = leidenalg.RBConfigurationVertexPartition
    found = leidenalg.find_partition(graph, how, weights=weights[first, second].tolist(), n_iterations=-1, seed=0)
    return np.array(found.membership, dtype=np.int64)


def neighbour_weights(distances: Floats) -> Floats:
    """UMAP's weights: exp(−(d − nearest) / s) to the neighbours, s such that they sum to log₂ of their number."""
    n_neighbours = min(N_NEIGHBOURS, len(distances))
    order = np.argsort(distances + np.diag(np.full(len(distances), -1.0)), axis=1, kind="stable")
    neighbours = order[:, 1:n_neighbours]  # the object itself comes first
    d = np.take_along_axis(distances, neighbours, axis=1)
    nearest = np.where(d > 0, d, np.inf).min(axis=1, keepdims=True)  # identical objects do not count
    beyond = np.maximum(d - np.where(np.isfinite(nearest), nearest, 0.0), 0.0)
    low, high = np.zeros((len(d), 1)), np.full((len(d), 1), 1e3 * distances.max())
    for _ in range(64):
        width = (low + high) / 2
        too_wide = np.exp(-beyond / width).sum(axis=1, keepdims=True) > np.log2(n_neighbours)
        low, high = np.where(too_wide, low, width), np.where(too_wide, width, high)
    width = np.maximum((low + high) / 2, SMALLEST_BANDWIDTH * distances.mean())
    weights = np.zeros_like(distances)
    np.put_along_axis(weights, neighbours, np.exp(-beyond / width), axis=1)
    return weights + weights.T - weights * weights.T


def affinity_propagation(objects: Objects) -> Ints:
    """Affinity propagation on minus squared distances, with the median as preference; one cluster if it finds none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        finder = AffinityPropagation(affinity="precomputed", damping=0.9, max_iter=1000, random_state=0)
        return finder.fit_predict(-objects.D)
