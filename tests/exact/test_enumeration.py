"""The sampler visits every linked partition as often as the exact posterior says."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise, product
from math import exp

import numpy as np
import pytest
from arviz_stats.base import array_stats
from scipy.special import roots_genlaguerre
from scipy.stats import gamma, truncnorm

from reference import canonical, linked_partitions, rng_for
from small_worlds import random_state, small_series
from tetiwd import Gamma, Hyperparameters
from tetiwd.model import log_joint, log_prior_partitions
from tetiwd.model.spreads import LIMIT
from tetiwd.moves import assignments, link_greedily, split_merge
from tetiwd.state import models_of
from visits import FIXED, check_visits, law_with_own_spreads, normalised, one_cluster_each, run


def exact_posterior(series, h):
    """Normalised probabilities of all linked partitions with A = new_scale · I."""
    log_p = {}
    for labels in linked_partitions(series.n_objects):
        A = [FIXED["new_scale"] * np.eye(len(np.unique(own))) for own in labels]
        log_p[canonical(labels)] = log_joint(series.matrices, labels, A, h, kind=series.kind)
    return normalised(log_p)


MOVES = ["assignments", "split and merge", "sweep"]
CASES = [
    *product(["distances"], [(3, 3)], MOVES),
    ("distances", (2, 3, 2), "sweep"),  # an epoch with neighbours on both sides
    ("distances", (2, 3, 2), "sweep of spread epochs"),
    ("similarities", (3, 3), "sweep"),
    *(pytest.param("distances", (4, 4), move, marks=pytest.mark.slow) for move in MOVES),
    *(pytest.param("distances", (3, 3, 3), move, marks=pytest.mark.slow) for move in MOVES),
    pytest.param("similarities", (3, 3), "split and merge", marks=pytest.mark.slow),
    pytest.param("similarities", (3, 3), "sweep of spread epochs", marks=pytest.mark.slow),
    pytest.param("distances", (3, 3, 3), "sweep of spread epochs", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("max_clusters", [None, 3])
@pytest.mark.parametrize(("kind", "sizes", "move"), CASES, ids=str)
def test_posterior_of_linked_partitions(kind, sizes, move, max_clusters):
    h = Hyperparameters(dof=1.5, df_A=9, max_clusters=max_clusters, geometry="isotropic", **FIXED)
    series = small_series(8, sizes, kind)
    visited = run(one_cluster_each(series, h), h, 6_000, move=move, seed=9)
    check_visits(visited, exact_posterior(series, h))


OTHER_URNS = [
    *product(["assignments"], [None], [0.3]),
    *product(["split and merge"], [3], [0.3]),
    *product(["sweep"], [None, 3], [0.3, 2.5]),
]


@pytest.mark.parametrize(("move", "max_clusters", "kappa"), OTHER_URNS, ids=str)
def test_posterior_where_the_past_counts_less_or_more(move, max_clusters, kappa):
    h = Hyperparameters(dof=1.5, df_A=9, max_clusters=max_clusters, geometry="isotropic", kappa=kappa, **FIXED)
    series = small_series(8, (2, 3, 2) if move == "sweep" else (3, 3))
    visited = run(one_cluster_each(series, h), h, 6_000, move=move, seed=17)
    check_visits(visited, exact_posterior(series, h))


@pytest.mark.parametrize("max_clusters", [None, 3])
def test_posterior_with_kappa_learned(max_clusters):
    """The law of linked partitions, averaged over kappa by quadrature; and so the mean of kappa."""
    prior, series = Gamma(1.5, 0.8), small_series(8, (3, 3))
    h = Hyperparameters(dof=1.5, df_A=9, max_clusters=max_clusters, geometry="isotropic", kappa=prior, **FIXED)
    nodes, weights = roots_genlaguerre(30, prior.shape - 1)
    log_p, first_moment = {}, {}
    for labels in linked_partitions(series.n_objects):
        A = [FIXED["new_scale"] * np.eye(len(np.unique(own))) for own in labels]
        log_one = log_joint(series.matrices, labels, A, replace(h, kappa=1.0)) - log_prior_partitions(
            labels, FIXED["xi"], max_clusters
        )
        urn = np.exp([log_prior_partitions(labels, FIXED["xi"], max_clusters, prior.scale * x) for x in nodes])
        cell = canonical(labels)
        if (weights @ urn) > 0:
            log_p[cell] = log_one + np.log(weights @ urn)
            first_moment[cell] = (weights * prior.scale * nodes) @ urn / (weights @ urn)
    law = normalised(log_p)
    state, kappas = one_cluster_each(series, h), []
    visited = run(state, h, 8_000, move="sweep", seed=18, look=lambda: kappas.append(state.kappa))
    check_visits(visited, law)
    expected = sum(p * first_moment[cell] for cell, p in law.items())
    error = np.std(kappas) / np.sqrt(array_stats.ess(np.array(kappas)[None], method="mean"))
    assert abs(np.mean(kappas) - expected) < 4 * error
    assert error < 0.1 * expected


@pytest.mark.parametrize("move", ["assignments", pytest.param("split and merge", marks=pytest.mark.slow)])
def test_trying_only_some_of_the_time_changes_nothing(monkeypatch, move):
    """Births are offered to some objects only, and large changes are tried now and then."""
    monkeypatch.setattr(assignments, "OFFERS", 1)
    monkeypatch.setattr(split_merge, "WORTHWHILE", 2)
    h = Hyperparameters(dof=1.5, df_A=9, geometry="isotropic", **FIXED)
    series = small_series(8, (4, 4))
    visited = run(one_cluster_each(series, h), h, 8_000, move=move, seed=16)
    check_visits(visited, exact_posterior(series, h))


PRIORS = [
    *product([(3, 3), (2, 3, 2)], [None, 3], [True], [1.0]),
    ((3, 3), None, False, 1.0),
    ((2, 3, 2), None, True, 0.3),
    ((3, 3), 3, True, 2.5),
    *(
        pytest.param(*case, False, 1.0, marks=pytest.mark.slow)
        for case in (((3, 3), 3), ((2, 3, 2), None), ((2, 3, 2), 3))
    ),
]


@pytest.mark.parametrize(("sizes", "max_clusters", "coupling", "kappa"), PRIORS, ids=str)
def test_with_the_likelihood_off_the_prior_is_left(sizes, max_clusters, coupling, kappa):
    """Full geometry: rows are born, die and are linked, and the partitions still follow their prior exactly."""
    h = Hyperparameters(dof=1, df_A=9, max_clusters=max_clusters, coupling=coupling, kappa=kappa, **FIXED)
    visited = run(one_cluster_each(small_series(8, sizes), h), h, 6_000, move="sweep", seed=10, dof_factor=0.0)
    if coupling:
        law = {canonical(s): exp(log_prior_partitions(s, 1.3, max_clusters, kappa)) for s in linked_partitions(sizes)}
    else:
        unlinked = [s for s in linked_partitions(sizes) if not any(set(a) & set(b) for a, b in pairwise(s))]
        law = {canonical(s): exp(sum(log_prior_partitions([own], 1.3, max_clusters) for own in s)) for s in unlinked}
    assert sum(law.values()) == pytest.approx(1)
    check_visits(visited, law)


@pytest.mark.parametrize("sizes", [(3, 3), (2, 3, 2)], ids=str)
def test_a_learned_df_A_has_room_for_the_clusters_and_else_follows_its_prior(sizes):
    """Likelihood off: the prior is that of partitions and df_A, where k_t < df_A + 1 at all epochs, and 0 elsewhere."""
    prior = Gamma(3, 0.8)
    h = Hyperparameters(dof=1, df_A=prior, **FIXED)
    state, found = one_cluster_each(small_series(8, sizes), h), []
    visited = run(state, h, 12_000, move="sweep", seed=19, dof_factor=0.0, look=lambda: found.append(state.df_A))
    law, mean = {}, {}
    for labels in linked_partitions(sizes):
        least = max(len(np.unique(own)) for own in labels) - 1
        room = gamma.sf(least, prior.shape, scale=prior.scale)
        law[canonical(labels)] = exp(log_prior_partitions(labels, FIXED["xi"])) * room
        mean[canonical(labels)] = prior.mean * gamma.sf(least, prior.shape + 1, scale=prior.scale) / room
    total = sum(law.values())
    assert total < 0.95  # what has no room matters here
    law = {cell: p / total for cell, p in law.items()}
    check_visits(visited, law)
    expected = sum(p * mean[cell] for cell, p in law.items())
    error = np.std(found) / np.sqrt(array_stats.ess(np.array(found)[None], method="mean"))
    assert abs(np.mean(found) - expected) < 4 * error
    assert error < 0.05 * expected


@pytest.mark.parametrize("geometry", ["full", "isotropic"])
@pytest.mark.parametrize("max_clusters", [None, 6])
def test_links_alone_visit_every_matching(geometry, max_clusters):
    """Clusters and geometry fixed: only links move."""
    h = Hyperparameters(dof=2, df_A=9, geometry=geometry, max_clusters=max_clusters, **FIXED)
    state = random_state(3, (6, 6), h)
    for name, value in FIXED.items():
        setattr(state, name, value)
    if geometry == "isotropic":
        for t, k in enumerate(state.n_clusters):
            state.A[t, range(k), range(k)] = FIXED["new_scale"]
    assert list(state.n_clusters) == [4, 4]
    A = [state.A[t, :k, :k].copy() for t, k in enumerate(state.n_clusters)]
    log_p = {}
    for labels in linked_partitions((4, 4)):
        if len(np.unique(labels[0])) == len(np.unique(labels[1])) == 4:
            series = [labels[0][state.z[0]], labels[1][state.z[1]]]
            orders = [np.argsort(own) for own in labels]
            sorted_A = [a[np.ix_(order, order)] for a, order in zip(A, orders, strict=True)]
            log_p[canonical(series)] = log_joint(state.series.matrices, series, sorted_A, h)
    link_greedily(state, 0, models_of(state, h)[0])  # at most six clusters at a time: some must be linked to begin with
    visited = run(state, h, 20_000, move="links", seed=11)
    check_visits(visited, normalised({cell: value for cell, value in log_p.items() if np.isfinite(value)}))


def test_one_epoch_without_data_is_ewens():
    h = Hyperparameters(dof=1, df_A=20, alpha=1.0, xi=1.7, new_scale=1.0)
    visited = run(one_cluster_each(small_series(1, (7,)), h), h, 6_000, move="sweep", seed=12, dof_factor=0.0)
    law = Counter()
    for labels in linked_partitions((7,)):
        law[len(np.unique(labels[0]))] += exp(log_prior_partitions(labels, 1.7))
    check_visits([max(cell[0]) + 1 for cell in visited], law)


def test_sampled_scales_do_not_disturb_the_prior():
    """Likelihood off, xi sampled: k_t against direct simulation with xi drawn from its prior."""
    from tetiwd.model.simulation import draw_partitions

    prior = Gamma(3, 0.5)
    h = Hyperparameters(dof=1, df_A=12, alpha=Gamma(2, 0.5), xi=prior, new_scale=Gamma(3, 0.3))
    visited = run(one_cluster_each(small_series(2, (5, 4)), h), h, 6_000, move="sweep", seed=13, dof_factor=0.0)
    rng = rng_for(14)
    simulated = Counter()
    n = 40_000
    for _ in range(n):
        labels = draw_partitions((5, 4), rng.gamma(prior.shape, prior.scale), None, rng)
        simulated[tuple(len(np.unique(own)) for own in labels)] += 1
    law = {cell: count / n for cell, count in simulated.items()}
    found = [tuple(len(set(own)) for own in cell) for cell in visited]
    noise = sum(np.sqrt(2 * p * (1 - p) / np.pi / n) for p in law.values()) / 2  # of the simulated law itself
    check_visits(found, law, extra=noise)


@pytest.mark.parametrize("move", ["assignments and spreads", "split and merge", "split, merge and spreads", "sweep"])
def test_posterior_with_spreads_of_their_own(move):
    h = Hyperparameters(dof=3, geometry="isotropic", tau=0.7, **FIXED)
    series = small_series(8, (3, 3))
    coarse, law = (law_with_own_spreads(series, h, n_nodes) for n_nodes in (8, 12))
    assert law == pytest.approx(coarse, abs=1e-4)
    equal = exact_posterior(series, replace(h, tau=0.0))
    assert sum(abs(equal[cell] - p) for cell, p in law.items()) / 2 > 0.05  # spreads matter here
    visited = run(one_cluster_each(series, h), h, 8_000, move=move, seed=20)
    check_visits(visited, law)


def test_with_the_likelihood_off_spreads_follow_their_prior():
    """Full geometry: spreads are born, split, merged and moved, and tau is learned."""
    prior = Gamma(4, 0.15)
    h = Hyperparameters(dof=1, df_A=9, tau=prior, **FIXED)
    state, taus, squares = one_cluster_each(small_series(8, (2, 3, 2)), h), [], []

    def look():
        taus.append(state.tau)
        squares.append(np.mean(np.concatenate(state.log_spreads()) ** 2))

    visited = run(state, h, 12_000, move="sweep", seed=21, dof_factor=0.0, look=look)
    check_visits(visited, {canonical(s): exp(log_prior_partitions(s, 1.3)) for s in linked_partitions((2, 3, 2))})
    grid = (np.arange(400) + 0.5) / 100
    chances = gamma.pdf(grid, prior.shape, scale=prior.scale) / 100
    expected = {"tau": prior.mean, "square": chances @ truncnorm(-LIMIT / grid, LIMIT / grid, 0, grid).var()}
    for found, mean in zip((taus, squares), expected.values(), strict=True):
        error = np.std(found) / np.sqrt(array_stats.ess(np.array(found)[None], method="mean"))
        assert abs(np.mean(found) - mean) < 4 * error
        assert error < 0.05 * mean
