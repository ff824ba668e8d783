"""Metrics by name: every value by hand, and what cannot be one."""

import re

import numpy as np
import pytest

from reference import rng_for
from tetiwd import DistanceSeries
from tetiwd.data.metrics import SQUARED_AS_IS
from tetiwd.errors import DataError

ROWS = np.array([[1, 2, 0, 0], [1, 0, 3, 0]])
BY_HAND = {
    "euclidean": 2**2 + 3**2,
    "sqeuclidean": 2**2 + 3**2,
    "cosine": 1 - 1 / np.sqrt(5 * 10),
    "hellinger": 1 - np.sqrt(1 / 3 * 1 / 4),
    "cityblock": 2 + 3,
    "hamming": 2 / 4,
    "jaccard": 2 / 3,  # columns where both are 0 do not count
    "braycurtis": (2 + 3) / (2 + 2 + 3),
}


def features(X=None, **options):
    X = np.arange(24.0).reshape(8, 3) ** 2 if X is None else X
    return DistanceSeries.from_features(X, **({"time": [1] * 4 + [2] * 4} | options))


def test_every_metric_has_a_value_by_hand():
    assert BY_HAND.keys() == SQUARED_AS_IS.keys()


@pytest.mark.parametrize("metric", BY_HAND)
def test_squared_distance_by_hand(metric):
    series = DistanceSeries.from_features(ROWS, time=[1, 1], metric=metric, min_objects=2)
    assert series.D[0][0, 1] == pytest.approx(BY_HAND[metric])


def test_squared_overrules_what_is_known():
    plain = DistanceSeries.from_features(ROWS, time=[1, 1], metric="cityblock", squared=False, min_objects=2)
    assert plain.D[0][0, 1] == 25
    with pytest.raises(DataError, match="euclidean distances are plain, which is known; leave out squared"):
        DistanceSeries.from_features(ROWS, time=[1, 1], metric="euclidean", squared=True, min_objects=2)


@pytest.mark.parametrize("cross", [False, True])
def test_a_metric_of_ones_own(cross):
    X = rng_for(14).standard_normal((12, 3))
    ours = features(X, time=[1] * 12, metric=lambda a, b: abs(a - b).max(), squared=False, cross=cross)
    assert np.allclose(ours.D[0], np.abs(X[:, None] - X[None]).max(-1) ** 2)


def mahalanobis(u, v, VI=None):
    return float(abs(u - v).sum())


STANDARDISE = 'every epoch would have another; pass standardize=True and metric="euclidean"'
FAULTS = {
    "unknown": ({"metric": "manhatten"}, "metric 'manhatten' is not one of euclidean, sqeuclidean, cosine"),
    "unknown to scipy": ({"metric": "manhatten", "squared": True}, "metric 'manhatten' failed"),
    "a function says nothing of squares": ({"metric": lambda u, v: 1.0}, "say with squared=True or squared=False"),
    "no metric": ({"metric": 3, "squared": True}, "metric must be a name or a function of two rows, not 3"),
    "scale of the rows": ({"metric": "seuclidean", "squared": False}, STANDARDISE),
    "covariance of the rows": ({"metric": "mahalanobis", "squared": False}, STANDARDISE),
    "short name": ({"metric": "SE", "squared": True, "cross": True}, STANDARDISE),
    "function scipy takes for its own": ({"metric": mahalanobis, "squared": True}, STANDARDISE),
    "squared is no flag": ({"squared": "no"}, "squared must be True, False or None (known from the metric), not 'no'"),
    "squared is a number": ({"squared": 0, "cross": True}, "squared must be True, False or None"),
    "cosine of nothing": ({"X": np.zeros((8, 2)), "metric": "cosine"}, "D* has NaN at (0, 1)"),
    "Bray–Curtis of debts": (
        {"X": np.arange(16.0).reshape(8, 2) - 5, "metric": "braycurtis"},
        "braycurtis needs numbers that are not negative",
    ),
    "hellinger of nothing": (
        {"X": np.zeros((8, 2)), "metric": "hellinger"},
        "hellinger needs nonnegative rows with a positive sum",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault(fault):
    options, message = FAULTS[fault]
    with pytest.raises(DataError, match=re.escape(message)):
        features(**options)
