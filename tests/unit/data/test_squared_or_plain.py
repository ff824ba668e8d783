"""Plain and squared distances are told apart where that is possible, and nobody is alarmed where it is not."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from reference import rng_for
from tetiwd import DistanceSeries
from tetiwd.data.squared_or_plain import read_as_squared, share_of_detours, suspect_wrong_choice


def distances(n, p, seed=0, power=2):
    """Distances of points in three clusters, to a power (2: squared)."""
    rng = rng_for(seed)
    X = rng.standard_normal((n, p)) + 3 * rng.integers(3, size=(n, 1))
    return ((X[:, None] - X[None]) ** 2).sum(-1) ** (power / 2)


def told(values, squared):
    return suspect_wrong_choice(DistanceSeries.from_distances([values], squared=squared), squared)


@pytest.mark.parametrize("p", [1, 2, 4, 10, 19])
def test_few_dimensions_betray_the_wrong_reading(p):
    assert "said to be squared distances, but may be plain ones" in told(distances(40, p, power=1), True)
    assert "said to be plain distances, but may be squared ones" in told(distances(40, p), False)


@pytest.mark.parametrize("p", [1, 2, 4, 10, 19, 40, 200])
@pytest.mark.parametrize("digits", [2, 15])
def test_no_alarm_when_told_right(p, digits):
    assert told(np.round(distances(40, p, power=1), digits), False) is None
    assert told(np.round(distances(40, p), digits), True) is None


@pytest.mark.parametrize("p", [40, 200])
def test_squared_ones_break_the_triangle_inequality_in_many_dimensions_too(p):
    assert "the way round is shorter" in told(distances(60, p), False)


def test_city_block_distances_alarm_nobody():
    X = rng_for(1).standard_normal((40, 30))
    D = np.abs(X[:, None] - X[None]).sum(-1)
    assert told(D, True) is None
    assert told(D, False) is None  # a metric like any other; that its root is Euclidean does not make it squared


def test_small_epochs_and_similarities_are_left_alone():
    assert told(distances(9, 2, power=1), True) is None
    X = rng_for(2).standard_normal((20, 3))
    assert suspect_wrong_choice(DistanceSeries.from_similarities([X @ X.T]), True) is None


def test_eigenvalues_of_points_on_a_line():
    reading = read_as_squared(distances(20, 1))
    assert reading.few_dimensions
    assert not read_as_squared(distances(20, 1, power=1)).few_dimensions
    assert not read_as_squared(distances(20, 30)).few_dimensions


def test_detours():
    assert share_of_detours(distances(30, 1, power=1)) == 0
    assert share_of_detours(distances(30, 1)) > 0.2


@pytest.mark.parametrize("metric", ["braycurtis", "jaccard", "cosine"])
def test_dissimilarities_between_0_and_1_are_squared_distances(metric):
    rng = rng_for(64)
    counts = rng.poisson(rng.gamma(0.5, 8.0, size=(3, 20))[np.arange(60) % 3] + 1e-3)
    table = (counts > 1 if metric == "jaccard" else counts).astype(float)
    from_features = DistanceSeries.from_features(table, time=[0] * 60, metric=metric)
    D = squareform(pdist(table, metric))
    from_matrix = DistanceSeries.from_distances([D], squared=True)
    assert np.array_equal(from_features.D[0], from_matrix.D[0])  # one answer for one meaning
    assert from_features.dof() == from_matrix.dof()
    assert told(D, True) is None
    assert "may be squared ones" in told(D, False)


def test_plain_distances_between_0_and_1_are_not_suspected():
    D = distances(60, 5, power=1)
    assert told(np.round(D / D.max(), 4), False) is None
