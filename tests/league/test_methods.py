import numpy as np
import pytest
from benchmarks.labelled import Labelled
from benchmarks.league import scores
from benchmarks.league.densities import classical_scaling
from benchmarks.league.methods import METHODS
from benchmarks.league.objects import UnsuitableError
from benchmarks.league.similarities import neighbour_weights
from scipy.optimize import brentq
from sklearn.metrics import homogeneity_score

from reference import SEED
from tetiwd import DistanceSeries

CENTRES = 20.0 * np.eye(3)
PACKAGES = {"leiden": "leidenalg", "leiden_pooled": "leidenalg", "tree_cut": "dynamicTreeCut"}
SPLIT_FURTHER = ("affinity", "leiden_pooled")  # clusters are larger than they look for


@pytest.fixture(scope="module")
def points():
    """Two epochs of 60 points in three clusters that anything can tell apart."""
    rng = np.random.default_rng(SEED)
    labels = np.tile(np.repeat(np.arange(3), 20), 2)
    return CENTRES[labels] + rng.normal(size=(120, 3)), labels, np.repeat([0, 1], 60)


@pytest.fixture(scope="module")
def separated(points):
    X, labels, time = points
    series = DistanceSeries.from_features(X, time=time)
    return Labelled(series, [labels[time == t] for t in series.times])


@pytest.mark.parametrize("name", METHODS)
def test_clear_clusters_are_found(name, separated):
    if name in PACKAGES:
        pytest.importorskip(PACKAGES[name])
    labels = METHODS[name].find(separated)
    pairs = list(zip(separated.labels, labels, strict=True))
    assert min(homogeneity_score(*pair) for pair in pairs) > 0.99
    if name not in SPLIT_FURTHER:
        assert scores.agreement(separated.labels, labels) > 0.95
    if METHODS[name].pooled:
        right, claimed = scores.links(separated.labels, labels)
        assert right == claimed >= 3


def test_pooling_needs_distances_between_times(separated):
    alone = Labelled(DistanceSeries.from_distances(separated.series.matrices, squared=True), separated.labels)
    with pytest.raises(UnsuitableError, match="between times"):
        METHODS["ward_pooled"].find(alone)
    assert len(METHODS["ward"].find(alone)) == 2


def test_scaling_gives_the_distances_back(separated):
    D = separated.series.matrices[0]
    X = classical_scaling(D)
    assert X.shape[1] == 3
    np.testing.assert_allclose(((X[:, None] - X) ** 2).sum(axis=2), D, atol=1e-9)


def test_weights_of_neighbours_are_those_of_their_definition(separated):
    distances = np.sqrt(separated.series.matrices[0])
    one_way = np.zeros_like(distances)
    for i, own in enumerate(distances):
        near = [j for j in np.argsort(own) if j != i][:14]
        beyond = own[near] - own[near].min()
        width = brentq(lambda s, beyond=beyond: np.exp(-beyond / s).sum() - np.log2(15), 1e-6, 1e6, xtol=1e-14)
        one_way[i, near] = np.exp(-beyond / width)
    expected = 1 - (1 - one_way) * (1 - one_way.T)
    np.testing.assert_allclose(neighbour_weights(distances), expected, rtol=1e-6, atol=1e-9)
