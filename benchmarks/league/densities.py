"""Methods that go by density: HDBSCAN and Gaussian mixtures."""

import warnings

import numpy as np
from sklearn.cluster import HDBSCAN
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from benchmarks.league.objects import Floats, Ints, Objects, with_singletons

MOST_CLUSTERS = 15
SHAPES = ("full", "tied", "diag", "spherical")
MOST_DIMENSIONS, SMALLEST_VARIANCE = 5, 0.05  # the best of 3, 5, 10 and 0.001, 0.01, 0.05 by the labels of ten sets


def hdbscan(objects: Objects) -> Ints:
    """HDBSCAN with its own settings; noise objects are clusters of their own."""
    labels = HDBSCAN(metric="precomputed", copy=True).fit_predict(objects.distances)
    return with_singletons(labels, labels < 0)


def gaussian_mixture(objects: Objects) -> Ints:
    """The Gaussian mixture of 1 to 15 clusters and any shape of covariance with the smallest BIC."""
    X = coordinates(objects)
    mixtures = [
        GaussianMixture(k, covariance_type=shape, reg_covar=SMALLEST_VARIANCE, random_state=0)
        for shape in SHAPES
        for k in range(1, min(MOST_CLUSTERS, len(objects) - 1) + 1)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # also where k-means finds fewer different objects than k
        fitted = [mixture.fit(X) for mixture in mixtures]
    return min(fitted, key=lambda mixture: mixture.bic(X)).predict(X)


def coordinates(objects: Objects) -> Floats:
    """Features if they are few, otherwise the first coordinates of classical scaling; their mean variance is 1."""
    few = objects.X is not None and objects.X.shape[1] <= MOST_DIMENSIONS
    X = objects.X if few else classical_scaling(objects.D)
    return X / np.sqrt(X.var(axis=0).mean())


def classical_scaling(D: Floats) -> Floats:
    """At most five coordinates whose squared distances approximate D."""
    centred = D - D.mean(axis=0)
    values, vectors = np.linalg.eigh(-0.5 * (centred - centred.mean(axis=1, keepdims=True)))
    largest = np.argsort(values)[::-1][:MOST_DIMENSIONS]
    kept = largest[values[largest] > 1e-9 * values.max()]
    return vectors[:, kept] * np.sqrt(values[kept])
