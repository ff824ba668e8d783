"""Forward simulation and the densities describe one and the same model."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from math import exp

import numpy as np
import pytest
from scipy.stats import chi2, gamma, kstest

from reference import SEED, canonical, linked_partitions, rng_for
from tetiwd import Gamma, Hyperparameters, log_joint, simulate, simulate_independent, simulate_overlapping
from tetiwd.errors import SettingsError
from tetiwd.model import log_prior_partitions, simulate_separated
from tetiwd.model.designs import draw_sizes
from tetiwd.model.simulation import draw_geometry, draw_partitions

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


def exact_law(sizes, xi, max_clusters, of, kappa=1.0):
    law = Counter()
    for series in linked_partitions(sizes):
        law[of(series)] += exp(log_prior_partitions(series, xi, max_clusters, kappa))
    return law


def cluster_counts(series):
    return tuple(len(set(np.asarray(labels).tolist())) for labels in series)


@pytest.mark.parametrize("max_clusters", [None, 3])
@pytest.mark.parametrize("of", [canonical, cluster_counts], ids=["linked partitions", "k_t"])
@pytest.mark.parametrize("kappa", [1.0, 0.3])
def test_urn_has_the_law_of_the_partition_prior(max_clusters, of, kappa):
    sizes, xi = (3, 2, 3), 1.4
    rng = rng_for(5)
    seen = Counter(of(draw_partitions(sizes, xi, max_clusters, rng, kappa)) for _ in range(N_SIMULATIONS))
    assert chi_square_tail(seen, exact_law(sizes, xi, max_clusters, of, kappa), N_SIMULATIONS) > 1e-4


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
    """E[∂ log p] = 0 ties simulate to what of the likelihood and of both priors depends on the scales."""
    mean, error = expected_score(kind, name, 600, truth=TRUTH, at=TRUTH[name])
    assert abs(mean) < 4 * error


@pytest.mark.parametrize("name", ["alpha", "xi", "new_scale"])
def test_expected_score_is_not_zero_elsewhere(name):
    mean, error = expected_score("distances", name, 600, truth=TRUTH, at=1.5 * TRUTH[name])
    assert abs(mean) > 4 * error


SCALES = {"alpha": Gamma(3, 0.3), "xi": Gamma(4, 0.4), "new_scale": Gamma(5, 0.15), "kappa": Gamma(3, 0.3)}
SAMPLED = Hyperparameters(dof=3, df_A=8, **SCALES)
NEARBY = {
    "df_A": replace(SAMPLED, df_A=9),
    "alpha": replace(SAMPLED, alpha=Gamma(3.3, 0.28)),
    "xi": replace(SAMPLED, xi=Gamma(4.3, 0.38)),
    "new_scale": replace(SAMPLED, new_scale=Gamma(5.3, 0.145)),
    "kappa": replace(SAMPLED, kappa=Gamma(3.5, 0.3)),
}


def importance_z(drawn_from: Hyperparameters, n: int = 500) -> dict[str, float]:
    """How far E[p_2/p_1] is from one for every nearby p_2, in standard errors; p_1 is SAMPLED."""
    log_ratios = {name: [] for name in NEARBY}
    for i in range(n):
        s = simulate([4, 5, 4], drawn_from, rng_for(8, i))
        state, scales = (s.D, s.labels, s.A), {name: getattr(s, name) for name in SCALES}
        here = log_joint(*state, SAMPLED, **scales)
        for name, h in NEARBY.items():
            log_ratios[name].append(log_joint(*state, h, **scales) - here)
    ratios = {name: np.exp(values) for name, values in log_ratios.items()}
    return {name: float((r.mean() - 1) / (r.std() / np.sqrt(n))) for name, r in ratios.items()}


def test_ratios_of_nearby_joints_average_to_one():
    """E[p_2/p_1] = 1 under p_1 ties simulate to the whole density of geometry and scales, constants included."""
    z = importance_z(SAMPLED)
    assert max(abs(value) for value in z.values()) < 4, z


def test_a_simulation_of_another_model_would_be_noticed():
    wider = {name: Gamma(prior.shape, 1.5 * prior.scale) for name, prior in SCALES.items()}
    z = importance_z(replace(SAMPLED, df_A=11, **wider))
    assert min(abs(value) for value in z.values()) > 4, z


def test_geometry_has_the_moments_of_its_wishart_process():
    """Given A_{t−1}, A_t has mean P_t and variances (P_ij² + P_ii P_jj)/ν; lineage 1 has a gap and starts anew."""
    df_A, s, n = 9.0, 0.6, 3_000
    labels = [np.array([2, 0, 1, 1]), np.array([5, 2, 0]), np.array([2, 1, 5])]
    rng = rng_for(9)
    draws = [draw_geometry(labels, df_A, s, rng) for _ in range(n)]
    A = [np.array([series[t] for series in draws]) for t in range(3)]  # T × (n, 3, 3)
    P = [np.tile(s * np.eye(3), (n, 1, 1)) for _ in range(3)]
    P[1][:, [[0], [1]], [0, 1]] = A[0][:, [[0], [2]], [0, 2]]  # lineages 0 and 2 go on, 5 is new
    P[2][:, [[1], [2]], [1, 2]] = A[1][:, [[1], [2]], [1, 2]]  # lineages 2 and 5 go on
    for drawn, mean in zip(A, P, strict=True):
        diagonal = np.diagonal(mean, axis1=1, axis2=2)
        residual = (drawn - mean) / np.sqrt((mean**2 + diagonal[:, :, None] * diagonal[:, None, :]) / df_A)
        outwards = np.where(mean < 0, -1, 1) * residual  # a mean drawn towards zero cannot hide behind its sign
        assert np.abs(outwards.mean(0) / (residual.std(0) / np.sqrt(n))).max() < 4
        squares = residual**2
        assert np.abs((squares.mean(0) - 1) / (squares.std(0) / np.sqrt(n))).max() < 4.5


@pytest.mark.parametrize("name", SCALES)
def test_scales_are_drawn_from_their_priors(name):
    prior = getattr(SAMPLED, name)
    values = [getattr(simulate([1], SAMPLED, rng_for(10, i)), name) for i in range(1_000)]
    assert kstest(values, gamma(prior.shape, scale=prior.scale).cdf).pvalue > 1e-4


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
    lineages = [{int(c) for c in labels} for labels in simulate([15] * 6, h, SEED).labels]
    pairs = list(pairwise(lineages))
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
    assert np.array_equal(design(rng_for(1)).cross, design(rng_for(1)).cross)
    assert not np.array_equal(design().cross, design().cross)


def test_designs_of_one_seed_share_no_random_numbers():
    one, other = simulate_overlapping(SEED), simulate_independent(SEED)
    assert not any(np.array_equal(a, b) for a, b in zip(one.labels, other.labels, strict=True))


def test_centres_of_the_independent_design_walk_by_their_step():
    """Objects almost without scatter show the centres: autoregressive with coefficient √(1 − step²), spread 1."""
    step, epochs = 0.6, 8
    s = simulate_independent(
        SEED, n_by_epoch=(30,) * epochs, n_clusters=4, n_dimensions=1_000, variance=1e-12, step=step
    )
    centres = np.array([[X[own == c][0] for c in range(4)] for X, own in zip(s.X, s.labels, strict=True)])
    before, after = centres[:-1].ravel(), centres[1:].ravel()
    error = 1 / np.sqrt(before.size)  # of a correlation, and of a mean square divided by √2
    assert np.corrcoef(before, after)[0, 1] == pytest.approx(np.sqrt(1 - step**2), abs=4 * error)
    moved = after - np.sqrt(1 - step**2) * before
    assert np.mean(moved**2) == pytest.approx(step**2, rel=4 * np.sqrt(2) * error)
    assert abs(np.corrcoef(before, moved)[0, 1]) < 4 * error
    for own in centres:
        assert np.mean(own**2) == pytest.approx(1, rel=4 * np.sqrt(2 / own.size))


def test_sizes_of_designs_follow_those_of_the_epoch_before():
    """Dirichlet–multinomial: mean n·p with p ∝ n_c + 1/k, variance n·p(1 − p)(n + W)/(1 + W) with W = Σ weights."""
    n, k, repeats = 500, 3, 2_000
    rng = rng_for(14)
    sizes = np.array(
        [[np.bincount(own, minlength=k) for own in draw_sizes((n, n), k, rng, 5.0)] for _ in range(repeats)]
    )
    before, after = sizes[:, 0], sizes[:, 1]
    total = n + 1
    p = (before + 1 / k) / total
    z = (after - n * p) / np.sqrt(n * p * (1 - p) * (n + total) / (1 + total))
    for statistic in (z, z * (before > n / k), z**2 - 1):
        assert np.abs(statistic.mean(0) / (statistic.std(0) / np.sqrt(repeats))).max() < 4
    first_share = (before / n).var(0) - (1 / 3 * 2 / 3 / n)  # Dirichlet(5, 5, 5) has variance 2/9/16
    assert first_share == pytest.approx(2 / 9 / 16, rel=0.15)


def test_overlapping_designs_are_hard_and_separated_ones_easy_for_ward():
    from scipy.cluster.hierarchy import fcluster, ward
    from scipy.spatial.distance import squareform
    from sklearn.metrics import adjusted_rand_score

    def ward_score(design):
        scores = []
        for seed in range(20):
            s = design(seed)
            for D, labels, k in zip(s.D, s.labels, s.n_clusters, strict=True):
                found = fcluster(ward(np.sqrt(squareform(D, checks=False))), k, "maxclust")
                scores.append(adjusted_rand_score(labels, found))
        return np.mean(scores)

    assert ward_score(simulate_separated) > 0.9
    assert ward_score(simulate_overlapping) == pytest.approx(0.3, abs=0.03)
    assert ward_score(simulate_independent) == pytest.approx(0.3, abs=0.03)


def test_epochs_of_unequal_dimensions_have_no_cross_time_distances():
    s = simulate([3, 4], Hyperparameters(dof=(2, 5)), SEED)
    assert [X.shape for X in s.X] == [(3, 2), (4, 5)]
    with pytest.raises(SettingsError, match=r"live in \[2, 5\] dimensions"):
        _ = s.cross


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simulate([], Hyperparameters(dof=2)), "at least one epoch"),
        (lambda: simulate([3, 0], Hyperparameters(dof=2)), "at least one object, not 0"),
        (lambda: simulate([3], Hyperparameters(dof=2.5)), "whole number of dimensions"),
        (lambda: simulate([3, 3], Hyperparameters(dof=(2, 3)), persistence=0.5), "dof is the same at all epochs"),
        (lambda: simulate([3], Hyperparameters(dof=2), persistence=2), "between 0 and 1"),
        (lambda: simulate([40], Hyperparameters(dof=2, xi=1000.0, df_A=2.0), 0), "need df_A >"),
        (lambda: simulate([3, 3], Hyperparameters(dof=(2, 3, 4))), "3 values for 2 epochs"),
        (lambda: simulate_independent(0, n_by_epoch=(9, 4)), "4 objects cannot fill 5 clusters"),
        (lambda: simulate_independent(0, step=1.5), "step must lie between 0 and 1"),
    ],
)
def test_nonsense_is_refused(call, message):
    with pytest.raises(SettingsError, match=message):
        call()


def test_a_learned_df_A_is_drawn_together_with_partitions_that_it_has_room_for():
    h = Hyperparameters(dof=2, df_A=Gamma(2, 1), alpha=1.0, new_scale=0.7, xi=2.0)
    drawn = [simulate([5], h, rng_for(11, i)) for i in range(2_000)]
    assert all(s.df_A > max(s.n_clusters) - 1 for s in drawn)
    law, prior = Counter(), gamma(2, scale=1)
    for series in linked_partitions((5,)):
        counts = cluster_counts(series)
        law[counts] += exp(log_prior_partitions(series, 2.0)) * prior.sf(max(counts) - 1)
    total = sum(law.values())
    assert total < 0.9
    law = Counter({counts: p / total for counts, p in law.items()})
    assert chi_square_tail(Counter(cluster_counts(s.labels) for s in drawn), law, len(drawn)) > 1e-4
    alike = [simulate([5], replace(h, geometry="isotropic"), rng_for(12, i)) for i in range(200)]
    assert any(s.df_A <= max(s.n_clusters) - 1 for s in alike)  # there is no Wishart process that needs room


def test_simulation_follows_the_options_of_the_model():
    h = Hyperparameters(dof=4, alpha=1.0, new_scale=0.7, xi=2.0, geometry="isotropic", coupling=False)
    s = simulate([8, 8, 8], h, SEED)
    lineages = [set(own.tolist()) for own in s.labels]
    assert not any(a & b for a, b in pairwise(lineages))
    assert all(np.array_equal(A, 0.7 * np.eye(len(own))) for A, own in zip(s.A, lineages, strict=True))
    assert np.isfinite(log_joint(s.D, s.labels, s.A, h))
