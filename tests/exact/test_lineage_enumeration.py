"""Moving centres: the sampler visits all 203 divisions of six objects into lineages as often as it should."""

from collections import Counter
from math import exp

import numpy as np
import pytest

from lineage_worlds import FIXED, exact_joint, moving, partition_of, series_of, small_cross
from reference import rng_for, set_partitions
from tetiwd.kernels import log_likelihood_of_nodes, move_spreads
from tetiwd.model.moving import draw_lineages
from tetiwd.model.simulation import squared_distances
from tetiwd.model.urn import log_prior_lineages
from tetiwd.moves.lineages import update_links, update_objects, update_splits
from tetiwd.node_state import NodeState, motion_of, start_parameters
from visits import check_visits, normalised

SIZES = {"three epochs": (2, 2, 2), "four epochs, one empty": (2, 1, 0, 3), "one epoch": (6,)}
MOVES = {
    "objects": lambda s, m, rng: update_objects(s, m, 2, rng),
    "splits": lambda s, m, rng: update_splits(s, m, 1, rng),
    "links": lambda s, m, rng: update_links(s, m, 1, rng),
    "spreads": lambda s, m, rng: move_spreads(rng, s.work, s.nodes, m, 1.0),
}
SETS = ["objects", "objects splits", "objects links", "splits links", "objects splits links"]


def one_lineage(series, h, labels=None):
    labels = np.zeros(sum(series.n_objects), dtype=np.int64) if labels is None else labels
    state = NodeState(series, labels, unit=1.0, capacity=2)  # it has to grow
    start_parameters(state, h)
    return state


def run(state, h, n, moves, seed, dof_factor=1.0):
    """Divisions visited by repeating some moves."""
    rng, visited = rng_for(seed), []
    motion = motion_of(state, h, dof_factor=dof_factor)
    for _ in range(n):
        for name in moves.split():
            MOVES[name](state, motion, rng)
        visited.append(partition_of(state))
    state.check_invariants()
    return visited


def exact_law(series, h):
    log_p = {}
    for labels in set_partitions(6):
        state = one_lineage(series, h, labels)
        log_p[tuple(labels.tolist())] = exact_joint(state, h)
    return normalised(log_p)


@pytest.mark.parametrize("moves", SETS)
@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_posterior_of_lineages(sizes, moves):
    h, series = moving(**FIXED), small_cross(8, sizes)
    if "objects" not in moves and len(sizes) == 1:
        pytest.skip("lineages of one epoch cannot exchange anything")
    visited = run(one_lineage(series, h), h, 8_000, moves, seed=9)
    check_visits(visited, exact_law(series, h))


def errors_of_chains(law, moves, n_chains=16, n_sweeps=4_000, **how):
    """(chains, cells) differences of what independent chains visit from what they should; they do not mix alike."""
    h, series, rows = moving(**FIXED), small_cross(8, SIZES["four epochs, one empty"]), []
    for chain in range(n_chains):
        seen = Counter(run(one_lineage(series, h), h, n_sweeps, moves, seed=60 + chain, **how))
        assert set(seen) <= set(law)
        rows.append([seen[cell] / n_sweeps - p for cell, p in law.items()])
    return np.array(rows)


def is_unbiased(errors):
    """Do the errors of chains cancel as those of chance do? Then their signs do not matter to the mean."""
    signs = rng_for(61).choice([-1.0, 1.0], size=(2_000, len(errors)))
    by_chance = np.abs(signs @ errors / len(errors)).sum(axis=1) / 2
    return np.abs(errors.mean(axis=0)).sum() / 2 < np.quantile(by_chance, 0.999)


@pytest.mark.slow
@pytest.mark.parametrize("moves", [*SETS, "splits", "objects splits links spreads"])
def test_errors_of_independent_chains_cancel(moves):
    """A slow move visits all divisions too unevenly, but several chains of a right one err in different ways."""
    series = small_cross(8, SIZES["four epochs, one empty"])
    assert is_unbiased(errors_of_chains(exact_law(series, moving(**FIXED)), moves))


@pytest.mark.slow
def test_a_small_bias_of_all_chains_is_noticed():
    series = small_cross(8, SIZES["four epochs, one empty"])
    law = exact_law(series, moving(**FIXED))
    assert not is_unbiased(errors_of_chains(law, "objects splits links", dof_factor=0.8))


@pytest.mark.parametrize(("delta", "kappa", "rho"), [(1.0, 1.0, 0.3), (0.2, 3.0, 1.0)])
def test_posterior_of_lineages_with_other_parameters(delta, kappa, rho):
    h, series = moving(**FIXED | {"delta": delta, "kappa": kappa, "rho": rho}), small_cross(8, (2, 1, 0, 3))
    visited = run(one_lineage(series, h), h, 8_000, "objects splits links", seed=9)
    check_visits(visited, exact_law(series, h))


@pytest.mark.parametrize("moves", SETS)
def test_posterior_of_lineages_with_displaced_epochs(moves):
    rng, sizes, h = rng_for(53), SIZES["three epochs"], moving(4.0, **FIXED | {"shift": 2.0})
    X = np.tile(rng.standard_normal((2, 4)), (3, 1)) + 0.6 * rng.standard_normal((6, 4))
    series = series_of(squared_distances(X + np.repeat(1.5 * rng.standard_normal((3, 4)), 2, axis=0)), sizes)
    law, still = exact_law(series, h), exact_law(series, moving(4.0, **FIXED))
    assert sum(abs(law[cell] - still[cell]) for cell in law) / 2 > 0.2  # or little would be tested
    visited = run(one_lineage(series, h), h, 8_000, moves, seed=9)
    check_visits(visited, law)


def law_with_own_spreads(series, h, n):
    """Spreads averaged over their prior; and the error that this leaves in the total variation."""
    log_p, errors, rng = {}, {}, rng_for(51)
    for labels in set_partitions(6):
        state = one_lineage(series, h, labels)
        C, motion, likelihoods = int(state.size[0]), motion_of(state, h), []
        for _ in range(n):
            state.spreads[:C] = state.alpha * np.exp(state.tau * rng.standard_normal(C))
            likelihoods.append(exp(log_likelihood_of_nodes(state.work, state.nodes, motion)))
        cell = tuple(labels.tolist())
        prior = log_prior_lineages(np.split(labels, state.first[1:-1]), state.xi, state.delta, state.kappa)
        log_p[cell] = prior + np.log(np.mean(likelihoods))
        errors[cell] = np.std(likelihoods) / np.mean(likelihoods) / np.sqrt(n)
    law = normalised(log_p)
    return law, sum(law[cell] * errors[cell] for cell in law) / 2


@pytest.mark.parametrize("shift", [0.0, 1.5])
@pytest.mark.parametrize(
    "moves", ["objects", "objects splits spreads", "splits links spreads", "objects links spreads"]
)
def test_posterior_of_lineages_with_spreads_of_their_own(moves, shift):
    h, series = moving(**FIXED | {"tau": 0.6, "shift": shift}), small_cross(8, (2, 1, 0, 3))  # 10 is far out for 0.6
    law, error = law_with_own_spreads(series, h, 1_500)
    visited = run(one_lineage(series, h), h, 8_000, moves, seed=9)
    check_visits(visited, law, extra=error)


@pytest.mark.parametrize("sizes", [(2, 1, 0, 3), (3, 3)])
def test_with_the_likelihood_off_the_urn_is_left(sizes):
    h = moving(**FIXED | {"tau": 0.5})
    visited = run(one_lineage(small_cross(8, sizes), h), h, 8_000, "objects splits links", seed=10, dof_factor=0.0)
    law = Counter()
    ends = np.cumsum(sizes)[:-1]
    for labels in set_partitions(6):
        law[tuple(labels.tolist())] = exp(log_prior_lineages(np.split(labels, ends), 1.3, 0.6, 0.5))
    check_visits(visited, law)


def test_numbers_of_clusters_gaps_and_returns_are_those_of_the_simulated_urn():
    sizes, h, n = (4, 3, 5, 4), moving(**FIXED), 20_000

    def facts(labels):
        present = [set(own.tolist()) for own in labels]
        returns = sum(
            c in present[s] and c not in present[t - 1]
            for t in range(2, len(present))
            for c in present[t]
            for s in range(t - 1)
            if c in present[s] and not any(c in present[r] for r in range(s + 1, t))
        )
        return tuple(len(own) for own in present), returns

    rng = rng_for(52)
    simulated = Counter(facts(draw_lineages(sizes, 1.3, 0.6, 0.5, rng)) for _ in range(n))
    series = small_cross(8, sizes)
    state, visited, motion = one_lineage(series, h), [], None
    motion = motion_of(state, h, dof_factor=0.0)
    for _ in range(6_000):
        for move in ("objects", "splits", "links"):
            MOVES[move](state, motion, rng)
        visited.append(facts(state.labels()))
    law = {cell: count / n for cell, count in simulated.items()}
    noise = sum(np.sqrt(2 * p * (1 - p) / np.pi / n) for p in law.values()) / 2
    check_visits([cell if cell in law else next(iter(law)) for cell in visited], law, extra=noise)
    assert sum(cell not in law for cell in visited) < 0.01 * len(visited)
