"""With constraints the sampler visits linked partitions as often as the posterior, conditioned on them, says."""

from itertools import product
from math import inf

import numpy as np
import pytest

from reference import canonical, linked_partitions, rng_for
from small_worlds import small_series
from tetiwd import Constraints, DistanceSeries, Hyperparameters
from tetiwd.model import log_joint, log_prior_partitions
from tetiwd.params import SamplerSettings
from tetiwd.start import start_chain
from visits import FIXED, check_visits, law_with_own_spreads, normalised, run

TOGETHER = Constraints(must_link=[((0, 0), (0, 2)), ((1, 1), (1, 2))])
APART = Constraints(cannot_link=[((0, 0), (0, 1)), ((1, 0), (1, 2)), ((1, 1), (1, 2))])
MIXED = Constraints(
    must_link=[((0, 0), (0, 1)), ((1, 0), (1, 1), 1.2)],
    cannot_link=[((0, 1), (0, 2)), ((1, 1), (1, 2), 0.7)],
)
MIXED_OF_THREE = Constraints(must_link=[((0, 0), (0, 1))], cannot_link=[((1, 1), (1, 2)), ((1, 0), (1, 1), 0.8)])
LABELS = Constraints(labels={(0, 0): "a", (0, 2): "a", (0, 3): "b", (1, 1): "b", (1, 2): "a"})


def conditioned(series, h):
    """Normalised probabilities of all linked partitions with A = new_scale · I that respect what is known."""
    log_p = {}
    for labels in linked_partitions(series.n_objects):
        A = [FIXED["new_scale"] * np.eye(len(np.unique(own))) for own in labels]
        known = series.ties.log_weight(np.concatenate(labels))
        if known > -inf:
            log_p[canonical(labels)] = known + log_joint(series.matrices, labels, A, h, kind=series.kind)
    return normalised(log_p)


def started(series, h, init="one"):
    settings = SamplerSettings(init=init, n_chains=1)
    state = start_chain(series, h, settings, 0, unit=1.0)
    assert series.ties.log_weight(np.concatenate(state.labels())) > -inf
    return state


WITHIN = {"together": TOGETHER, "apart": APART, "mixed": MIXED, "labels": LABELS}
FAST = [("mixed", "assignments", "distances"), ("mixed", "split and merge", "distances")]
FAST += [("labels", "sweep", "distances"), ("mixed", "sweep", "similarities")]
CASES = product(WITHIN, ["assignments", "split and merge", "sweep"], ["distances", "similarities"])


@pytest.mark.parametrize(
    ("name", "move", "kind"),
    [*FAST, *(pytest.param(*case, marks=pytest.mark.slow) for case in CASES if case not in FAST)],
)
def test_posterior_with_constraints_within_times(name, move, kind):
    h = Hyperparameters(dof=1.5, df_A=9, geometry="isotropic", **FIXED)
    series = small_series(8, (4, 3), kind).bound_by(WITHIN[name])
    visited = run(started(series, h), h, 6_000, move=move, seed=9)
    check_visits(visited, conditioned(series, h))


@pytest.mark.parametrize(("max_clusters", "kappa"), [(3, 1.0), (None, 0.3), (3, 2.5)], ids=str)
def test_posterior_with_other_urns(max_clusters, kappa):
    h = Hyperparameters(dof=1.5, df_A=9, max_clusters=max_clusters, geometry="isotropic", kappa=kappa, **FIXED)
    series = small_series(8, (2, 4, 2)).bound_by(
        Constraints(must_link=[((1, 0), (1, 3))], cannot_link=[((1, 1), (1, 3))])
    )
    visited = run(started(series, h), h, 6_000, move="sweep", seed=17)
    check_visits(visited, conditioned(series, h))


@pytest.mark.parametrize("tau", [0.0, 0.7])
def test_with_the_likelihood_off_the_prior_is_left(tau):
    """Full geometry: rows of groups are born, die and are linked."""
    h = Hyperparameters(dof=1, df_A=9, tau=tau, **FIXED)
    series = small_series(8, (3, 3)).bound_by(MIXED_OF_THREE)
    visited = run(started(series, h), h, 6_000, move="sweep", seed=10, dof_factor=0.0)
    log_p = {}
    for labels in linked_partitions((3, 3)):
        known = series.ties.log_weight(np.concatenate(labels))
        if known > -inf:
            log_p[canonical(labels)] = known + log_prior_partitions(labels, FIXED["xi"])
    check_visits(visited, normalised(log_p))


def test_posterior_with_spreads_of_their_own():
    h = Hyperparameters(dof=3, geometry="isotropic", tau=0.7, **FIXED)
    free = small_series(8, (3, 3))
    series = free.bound_by(Constraints(must_link=[((0, 0), (0, 2))], cannot_link=[((1, 1), (1, 2))]))
    law = law_with_own_spreads(free, h, 8)
    kept = {cell: p for cell, p in law.items() if series.ties.log_weight(np.concatenate(cell)) > -inf}
    visited = run(started(series, h), h, 8_000, move="sweep", seed=20)
    check_visits(visited, {cell: p / sum(kept.values()) for cell, p in kept.items()})


@pytest.mark.parametrize("move", ["assignments", "split and merge"])
def test_without_its_bonds_a_chain_is_caught(monkeypatch, move):
    """Bonds that the moves do not see, while the law does: the test of this file must fail."""
    h = Hyperparameters(dof=1.5, df_A=9, geometry="isotropic", **FIXED)
    series = small_series(8, (4, 3)).bound_by(Constraints(must_link=[((0, 0), (0, 1), 2.0)]))
    state = started(series, h)
    for bonds in state.bonds:
        np.asarray(bonds.weight)[:] = 0
    visited = run(state, h, 6_000, move=move, seed=9)
    with pytest.raises(AssertionError):
        check_visits(visited, conditioned(series, h))


def test_groups_from_features_are_those_from_a_matrix():
    """Sums inside groups come from whatever the distances come from."""
    X = rng_for(3).standard_normal((12, 3))
    known = Constraints(must_link=[((0, 0), (0, 1)), ((0, 1), (0, 4))], cannot_link=[((0, 2), (0, 4))])
    h = Hyperparameters(dof=2, df_A=9, **FIXED)
    visited = []
    for matrix in (True, False):
        series = DistanceSeries.from_features(X, time=np.zeros(12, int), matrix=matrix).bound_by(known)
        visited.append(run(started(series, h), h, 60, move="sweep", seed=4))
    assert visited[0] == visited[1]


def test_starts_of_all_kinds_agree():
    """Chains from one cluster, from Ward's clusters and from labels end up in the same law."""
    h = Hyperparameters(dof=1.5, df_A=9, geometry="isotropic", **FIXED)
    series = small_series(8, (4, 3)).bound_by(MIXED)
    law = conditioned(series, h)
    for init in ("one", "ward", [np.array([0, 0, 1, 2]), np.array([0, 1, 2])]):
        check_visits(run(started(series, h, init), h, 4_000, move="sweep", seed=5), law)


ACROSS = {
    "together": ((3, 3), Constraints(must_link=[((0, 0), (1, 1))])),
    "apart": ((3, 3), Constraints(cannot_link=[((0, 0), (1, 0)), ((0, 1), (1, 2))])),
    "weights": ((3, 3), Constraints(must_link=[((0, 0), (1, 1))], cannot_link=[((0, 2), (1, 0))], weight=1.5)),
    "over a gap": ((2, 3, 2), Constraints(must_link=[((0, 0), (2, 1))])),
    "apart over a gap": ((2, 3, 2), Constraints(cannot_link=[((0, 0), (2, 1)), ((0, 1), (2, 0), 1.2)])),
    "a weight over a gap": ((2, 1, 2), Constraints(must_link=[((0, 0), (2, 1), 2.0)])),
    "two lineages, or one": ((3, 3), Constraints(must_link=[((0, 0), (1, 1)), ((0, 1), (1, 0)), ((0, 1), (0, 2))])),
    "labels": (
        (3, 3),
        Constraints(labels={(0, 0): "a", (0, 1): "b", (1, 0): "a", (1, 2): "a"}, lineages=True),
    ),
    "labels that come later": (
        (2, 3, 2),
        Constraints(labels={(0, 0): "a", (1, 0): "b", (1, 2): "b", (2, 1): "a"}, lineages=True),
    ),
}


SLOW_ACROSS = ["apart", "over a gap", "apart over a gap", "a weight over a gap", "labels"]
MOVES_ACROSS = [  # two lineages become one only if both change at all their epochs at once, which single objects cannot
    *((name, "sweep") for name in ACROSS if name not in SLOW_ACROSS),
    *(pytest.param(name, "sweep", marks=pytest.mark.slow) for name in SLOW_ACROSS),
    *(pytest.param(name, "split and merge", marks=pytest.mark.slow) for name in ACROSS),
    *(pytest.param(name, "assignments", marks=pytest.mark.slow) for name in ACROSS if name != "two lineages, or one"),
]


@pytest.mark.parametrize(("name", "move"), MOVES_ACROSS)
def test_posterior_with_constraints_across_time(name, move):
    sizes, known = ACROSS[name]
    h = Hyperparameters(dof=1.5, df_A=9, geometry="isotropic", **FIXED)
    series = small_series(8, sizes).bound_by(known)
    assert series.ties.across
    visited = run(started(series, h), h, 6_000, move=move, seed=9)
    check_visits(visited, conditioned(series, h))


@pytest.mark.slow
@pytest.mark.parametrize("name", ACROSS)
def test_full_geometry_with_constraints_across_time(name):
    """Likelihood off: links are exchanged with rows, which only the full geometry does."""
    sizes, known = ACROSS[name]
    h = Hyperparameters(dof=1, df_A=9, **FIXED)
    series = small_series(8, sizes).bound_by(known)
    visited = run(started(series, h), h, 6_000, move="sweep", seed=10, dof_factor=0.0)
    log_p = {}
    for labels in linked_partitions(sizes):
        weight = series.ties.log_weight(np.concatenate(labels))
        if weight > -inf:
            log_p[canonical(labels)] = weight + log_prior_partitions(labels, FIXED["xi"])
    check_visits(visited, normalised(log_p))
