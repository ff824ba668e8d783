"""Forward simulation and the densities describe one and the same model."""

from collections import Counter
from itertools import pairwise
from math import exp

import numpy as np
import pytest
from scipy.stats import chi2

from reference import SEED, canonical, linked_partitions, rng_for
from tetiwd import Gamma, Hyperparameters, log_joint, simulate, simulate_independent, simulate_overlapping
from tetiwd.errors import SettingsError
from tetiwd.model import log_prior_partitions, simulate_separated
from tetiwd.model.simulation import draw_partitions

N_SIMULATIONS = 20_000


def chi_square_tail(observed: Counter, expected: dict, n: int) -> float:
    """p-value of Pearson's statistic, cells with an expectation under 5 pooled."""
    assert set(observed) <= set(expected)
    big = [cell for cell in expected if n * expected[cell] >= 5]
    rest = 1 - sum(expected[cell] for cell in big)
    rest_seen = n - sum(observed[cell] for cell in big)
    terms = [(observed[c] - n * expected[c]) ** 2 / (n * expected[c]) for c in big]
    if n * rest >= 1:
        terms.append((rest_seen - n * rest) ** 2 / (n * rest))
    return float(chi2.sf(sum(terms), len(terms) - 1))


def exact_law(sizes, xi, max_clusters, of):
    law = Counter()
    for series in linked_partitions(sizes):
        law[of(series)] += exp(log_prior_partitions(series, xi, max_clusters))
    return law


def cluster_counts(series):
    return tuple(len(set(np.asarray(labels).tolist())) for labels in series)


@pytest.mark.parametrize("max_clusters", [None, 3])
@pytest.mark.parametrize("of", [canonical, cluster_counts], ids=["linked partitions", "k_t"])
def test_urn_has_the_law_of_the_partition_prior(max_clusters, of):
    sizes, xi = (3, 2, 3), 1.4
    rng = rng_for(5)
    seen = Counter(of(draw_partitions(sizes, xi, max_clusters, rng)) for _ in range(N_SIMULATIONS))
    assert chi_square_tail(seen, exact_law(sizes, xi, max_clusters, of), N_SIMULATIONS) > 1e-4


def test_a_wrong_rate_would_be_noticed():
    sizes = (3, 2, 3)
    rng = rng_for(6)
    seen = Counter(cluster_counts(draw_partitions(sizes, 1.6, None, rng)) for _ in range(N_SIMULATIONS))
    assert chi_square_tail(seen, exact_law(sizes, 1.4, None, cluster_counts), N_SIMULATIONS) < 1e-4


def expected_score(kind: str, name: str, n: int, *, truth: dict, at: float) -> tuple[float, float]:
    """Mean and standard error of ∂ log joint / ∂ log(name) at a value, over data simulated from the truth."""
    h = Hyperparameters(dof=4, df_A=12, alpha=truth["alpha"], xi=truth["xi"], new_scale=truth["new_scale"])
    free = Hyperparameters(dof=4, df_A=12, alpha=Gamma(1, 1e12), xi=Gamma(1, 1e12), new_scale=Gamma(1, 1e12))
    step, scores = 1e-4, []
    for i in range(n):
        s = simulate([4, 5, 3], h, rng_for(7, i))
        data = s.D if kind == "distances" else s.similarity

        def density(value, s=s, data=data):
            return log_joint(data, s.labels, s.A, free, **(truth | {name: value}), kind=kind)

        scores.append((density(at * exp(step)) - density(at * exp(-step))) / (2 * step))
    return float(np.mean(scores)), float(np.std(scores) / np.sqrt(n))


TRUTH = {"alpha": 0.8, "xi": 1.5, "new_scale": 0.6}


@pytest.mark.parametrize("kind", ["distances", "similarities"])
@pytest.mark.parametrize("name", ["alpha", "xi", "new_scale"])
def test_expected_score_is_zero_at_the_truth(kind, name):
    """E[∂ log p] = 0 ties simulate to the likelihood, both priors and their constants."""
    mean, error = expected_score(kind, name, 600, truth=TRUTH, at=TRUTH[name])
    assert abs(mean) < 4 * error


@pytest.mark.parametrize("name", ["alpha", "xi", "new_scale"])
def test_expected_score_is_not_zero_elsewhere(name):
    mean, error = expected_score("distances", name, 600, truth=TRUTH, at=1.5 * TRUTH[name])
    assert abs(mean) > 4 * error


def test_distances_are_those_of_the_objects():
    s = simulate([6, 4], Hyperparameters(dof=7), SEED)
    for X, D, K in zip(s.X, s.D, s.similarity, strict=True):
        assert X.shape[1] == 7
        assert np.allclose(D, ((X[:, None] - X[None]) ** 2).sum(-1) / 7)
        assert np.allclose(D, np.diagonal(K)[:, None] + np.diagonal(K) - 2 * K)
    assert s.cross.shape == (10, 10)
    assert np.allclose(s.cross[6:, 6:], s.D[1])


def test_same_seed_same_data():
    h = Hyperparameters(dof=5)
    a, b, c = (simulate([5, 5], h, seed) for seed in (1, 1, 2))
    assert np.array_equal(a.cross, b.cross)
    assert not np.array_equal(a.cross, c.cross)


def test_clusters_are_born_die_and_last():
    h = Hyperparameters(dof=2, xi=3.0, alpha=1.0, new_scale=1.0)
    chains = [{int(c) for c in labels} for labels in simulate([15] * 6, h, SEED).labels]
    pairs = list(pairwise(chains))
    assert any(later - earlier for earlier, later in pairs)
    assert any(earlier - later for earlier, later in pairs)
    assert any(earlier & later for earlier, later in pairs)


def test_persistence_moves_centres_less_and_leaves_each_epoch_alone():
    h = Hyperparameters(dof=50, df_A=200, alpha=0.1, new_scale=1.0, max_clusters=3)

    def travelled(persistence):
        s = simulate([30] * 3, h, SEED, persistence=persistence)
        lasting = set(s.labels[0].tolist()) & set(s.labels[1].tolist())
        ends = [[X[labels == c].mean(0) for X, labels in zip(s.X[:2], s.labels[:2], strict=True)] for c in lasting]
        return np.mean([np.sum((a - b) ** 2) / 50 for a, b in ends]), s.labels

    (far, labels), (near, same_labels) = travelled(0.0), travelled(0.95)
    assert all(np.array_equal(a, b) for a, b in zip(labels, same_labels, strict=True))
    assert near < far / 3


@pytest.mark.parametrize(
    ("design", "shape", "k"),
    [(simulate_separated, (20, 100), 3), (simulate_overlapping, (200, 40), 5), (simulate_independent, (200, 40), 5)],
)
def test_designs_have_the_sizes_of_the_paper(design, shape, k):
    s = design(SEED)
    assert [X.shape for X in s.X] == [shape] * 5
    assert s.n_clusters == [k] * 5
    assert s.cross.shape == (5 * shape[0],) * 2
    assert np.array_equal(design(SEED).cross, s.cross)
    assert not np.array_equal(design(SEED + 1).cross, s.cross)


def test_overlapping_designs_are_hard_and_separated_ones_easy_for_ward():
    from scipy.cluster.hierarchy import fcluster, ward
    from scipy.spatial.distance import squareform
    from sklearn.metrics import adjusted_rand_score

    def ward_score(design):
        scores = []
        for seed in range(5):
            s = design(seed)
            for D, labels, k in zip(s.D, s.labels, s.n_clusters, strict=True):
                found = fcluster(ward(np.sqrt(squareform(D, checks=False))), k, "maxclust")
                scores.append(adjusted_rand_score(labels, found))
        return np.mean(scores)

    assert ward_score(simulate_separated) > 0.9
    assert 0.2 < ward_score(simulate_overlapping) < 0.4
    assert 0.2 < ward_score(simulate_independent) < 0.4


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simulate([3, 0], Hyperparameters(dof=2)), "at least one object, not 0"),
        (lambda: simulate([3], Hyperparameters(dof=2.5)), "whole number of dimensions"),
        (lambda: simulate([3, 3], Hyperparameters(dof=(2, 3)), persistence=0.5), "dof is the same at all epochs"),
        (lambda: simulate([3], Hyperparameters(dof=2), persistence=2), "between 0 and 1"),
        (lambda: simulate([40], Hyperparameters(dof=2, xi=1000.0, df_A=2.0), 0), "need df_A >"),
        (lambda: simulate([3, 3], Hyperparameters(dof=(2, 3, 4))), "3 values for 2 epochs"),
    ],
)
def test_nonsense_is_refused(call, message):
    with pytest.raises(SettingsError, match=message):
        call()
