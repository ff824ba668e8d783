"""Every method through the one interface that the experiments use."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from reference import rng_for
from tetiwd import DistanceSeries, SettingsError
from tetiwd.params import Hyperparameters
from tetiwd.partitions import Partitions
from tetiwd_experiments.baselines.answer import answer_from_draws, split_by_epoch
from tetiwd_experiments.baselines.linkage import hdbscan_clusters, linkage_clusters
from tetiwd_experiments.baselines.methods import METHODS, OURS, Task, methods_named
from tetiwd_experiments.baselines.wishart import Effort, pooled_clusters
from tetiwd_experiments.designs import DESIGNS
from tetiwd_experiments.repeat import series_of


@pytest.fixture(scope="module")
def easy():
    simulation = DESIGNS["control"].variants["control"](0)
    return simulation, series_of(simulation)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_solves_the_easy_control(easy, name):
    simulation, series = easy
    answer = METHODS[name].find(Task(series, 10, Effort(60, 60, seed=1), simulation.n_clusters))
    scores = [adjusted_rand_score(*pair) for pair in zip(simulation.labels, answer.labels, strict=True)]
    assert np.mean(scores) >= 0.95


@pytest.mark.parametrize("name", ["static TIWD", "static full-A"])
def test_static_methods_know_nothing_of_other_epochs(name):
    X = [DESIGNS["separated"].variants["separated"](3).X[0], 100 * rng_for(84).standard_normal((31, 100))]
    alone, beside = (
        DistanceSeries.from_distances([((X[:, None] - X[None]) ** 2).sum(-1) for X in some], squared=True)
        for some in (X[:1], X)
    )
    labels = [METHODS[name].find(Task(series, 100, Effort(10, 10, seed=4))).labels[0] for series in (alone, beside)]
    np.testing.assert_array_equal(*labels)


@pytest.mark.parametrize("name", [OURS, "static TIWD", "pooled TIWD", "Te-Gauss"])
def test_the_same_seed_gives_the_same_answer(name):
    task = Task(series_of(DESIGNS["separated"].variants["separated"](2)), 100, Effort(10, 10, seed=4))
    twice = [METHODS[name].find(task).labels for _ in range(2)]
    for a, b in zip(*twice, strict=True):
        np.testing.assert_array_equal(a, b)


def test_linkage_is_cut_at_the_number_it_is_told(easy):
    _, series = easy
    for how in ("ward", "complete", "single"):
        assert linkage_clusters(series, [2, 3, 4], how).n_clusters == [2, 3, 4]


def test_ward_takes_plain_distances():
    """Ward's tree of points is the tree of their Euclidean distances; squared ones would merge in another order."""
    from scipy.cluster.hierarchy import fcluster, linkage

    X = rng_for(81).standard_normal((40, 3))
    series = DistanceSeries.from_distances([((X[:, None] - X[None]) ** 2).sum(-1)], squared=True)
    expected = fcluster(linkage(X, "ward"), 5, "maxclust")
    assert adjusted_rand_score(linkage_clusters(series, [5], "ward").labels[0], expected) == 1


def test_noise_of_hdbscan_is_one_cluster():
    rng = rng_for(82)
    near, far = (rng.standard_normal((30, 2)) * 0.1 + place for place in (0, 9))
    lost = np.array([[50, 0], [0, 70], [-60, -90], [200, 100]])
    X = np.vstack([near, far, lost])
    series = DistanceSeries.from_distances([((X[:, None] - X[None]) ** 2).sum(-1)], squared=True)
    labels = hdbscan_clusters(series).labels[0]
    assert len(np.unique(labels)) == 3
    assert len(np.unique(labels[60:])) == 1


def test_answer_has_no_more_clusters_than_the_median_draw():
    rng = rng_for(83)
    truth = np.repeat([0, 1, 2], 12)
    draws = np.array([np.where(rng.random(36) < 0.15, rng.integers(3, 8, 36), truth) for _ in range(80)])
    answer = answer_from_draws(Partitions.from_labels(draws))
    median = np.median([len(np.unique(labels)) for labels in draws])
    assert answer.n_clusters[0] <= median
    assert adjusted_rand_score(truth, answer.labels[0]) == 1


def test_pooled_clusters_are_split_by_epoch(easy):
    _, series = easy
    answer = pooled_clusters(series, Hyperparameters(dof=20, coupling=False, geometry="isotropic"), Effort(30, 30))
    assert [len(labels) for labels in answer.labels] == [100, 100, 100]
    split = split_by_epoch(np.arange(300), series.n_objects)
    np.testing.assert_array_equal(split.labels[1], np.arange(100, 200))


def test_pooling_needs_distances_across_time(easy):
    alone = DistanceSeries.from_distances(easy[0].D, squared=True)
    with pytest.raises(SettingsError, match="across time"):
        pooled_clusters(alone, Hyperparameters(dof=20), Effort(5, 5))


def test_unknown_methods_are_refused_and_ours_comes_first():
    assert [method.name for method in methods_named(["Ward", "pooled TIWD"])] == [OURS, "pooled TIWD", "Ward"]
    with pytest.raises(SettingsError, match=r"no method 'k-means'.*HDBSCAN"):
        methods_named(["k-means"])
