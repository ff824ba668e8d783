"""Moving centres: the likelihood collapsed to nodes equals its definition, and so do its rank-one changes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import random_distances, rng_for
from tetiwd.model import log_likelihood_dense
from tetiwd.model.nodes import (
    NodeTerms,
    lineage_covariance,
    log_likelihood_nodes,
    log_likelihood_nodes_dense,
    node_statistics,
)
from tetiwd.model.simulation import squared_distances

close = {"rel": 1e-9, "abs": 1e-9}


class Case:
    """A few objects at some epochs, some of which may be empty, in lineages of which some are absent."""

    def __init__(self, seed: int, n: int, T: int, C: int, rho: float, own: bool, shift: float) -> None:
        rng = rng_for(seed)
        self.rng, self.T, self.C, self.shift = rng, T, C, shift
        self.epochs = np.sort(rng.integers(T, size=n))
        self.lineages = rng.integers(C, size=n)
        self.cross = random_distances(rng, n, d=int(rng.integers(1, 30)))
        self.alpha, scale = (10 ** rng.uniform(-1, 1, size=2)).tolist()
        self.spreads = self.alpha * np.exp(0.7 * rng.standard_normal(C) * own)
        self.A_1 = lineage_covariance(T, rho, scale)
        self.dof = float(rng.uniform(0.5, 60))

    @property
    def rest(self):
        return self.lineages, self.epochs, self.A_1, self.spreads, self.dof, self.shift

    def terms(self, keep=slice(None)):
        D = self.cross[keep][:, keep]
        statistics = node_statistics(D, self.lineages[keep], self.epochs[keep], self.C, self.T)
        return NodeTerms.build(*statistics, self.A_1, self.spreads, self.shift)

    def row_sums(self, obj):
        r = np.zeros((self.C, self.T))
        np.add.at(r, (self.lineages, self.epochs), self.cross[obj])
        return r


cases = st.builds(
    Case,
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 30),
    T=st.integers(1, 6),
    C=st.integers(1, 6),
    rho=st.sampled_from([1e-5, 0.3, 0.9, 1 - 1e-6, 1.0]),
    own=st.booleans(),
    shift=st.sampled_from([0.0, 1e-6, 0.4, 30.0]),
)


@given(cases)
def test_collapsed_equals_dense(case):
    dense = log_likelihood_nodes_dense(case.cross, *case.rest)
    assert log_likelihood_nodes(case.cross, *case.rest) == pytest.approx(dense, **close)


@given(cases)
def test_prediction_of_one_object_is_a_ratio_of_likelihoods(case):
    obj = int(case.rng.integers(len(case.lineages)))
    others = np.arange(len(case.lineages)) != obj
    distance, variance = case.terms(others).predict(case.row_sums(obj), case.epochs[obj])
    predicted = -case.dof / 2 * (np.log(variance) + distance / variance)
    likelihoods = []
    for c in range(case.C):
        lineages = np.where(others, case.lineages, c)
        likelihoods.append(log_likelihood_nodes_dense(case.cross, lineages, *case.rest[1:]))
    assert np.allclose(predicted - predicted[0], np.array(likelihoods) - likelihoods[0], rtol=1e-9, atol=1e-7)


@given(cases)
def test_joining_and_leaving_equal_building_anew(case):
    obj = int(case.rng.integers(len(case.lineages)))
    others, where = np.arange(len(case.lineages)) != obj, (case.lineages[obj], case.epochs[obj])
    without, whole, r = case.terms(others), case.terms(), case.row_sums(obj)
    for built, changed in [(whole, without.after(*where, r, 1)), (without, whole.after(*where, r, -1))]:
        for name in ("counts", "S", "V", "Y", "log_det", "weight"):
            scale = max(1.0, np.abs(getattr(built, name)).max())
            assert np.allclose(getattr(changed, name), getattr(built, name), rtol=1e-8, atol=1e-8 * scale), name


@given(cases)
def test_without_a_displacement_nothing_is_displaced(case):
    """Neither if it goes to 0, nor at a single epoch, where it is one more unknown origin."""
    *rest, shift = case.rest
    still = log_likelihood_nodes(case.cross, *rest)
    assert log_likelihood_nodes(case.cross, *rest, 1e-14) == pytest.approx(still, rel=1e-9, abs=1e-9)
    moved = log_likelihood_nodes(case.cross, *rest, shift)
    if len(np.unique(case.epochs)) == 1:
        assert moved == pytest.approx(still, **close)
    elif shift > 0.1:
        assert moved != pytest.approx(still, **close)


@given(cases)
def test_a_displacement_of_an_epoch_costs_little_if_displacements_are_large(case):
    """Objects of one epoch somewhere else: the likelihood hardly changes, but for no displacement it collapses."""
    rng = case.rng
    X = rng.standard_normal((len(case.epochs), 12))
    away = X + 100 * (case.epochs == case.epochs[-1])[:, None] / np.sqrt(12)
    if len(np.unique(case.epochs)) == 1:
        return
    loss = {}
    for shift in (0.0, 1e7):
        before, after = (log_likelihood_nodes(squared_distances(x), *case.rest[:4], 12.0, shift) for x in (X, away))
        loss[shift] = before - after
    assert loss[1e7] < 0.1 * loss[0.0]


@given(cases)
def test_centres_that_stay_are_pooled_objects(case):
    """With rho = 1 epochs do not matter: the static model of all objects at once."""
    A_1 = lineage_covariance(case.T, 1.0, 1.7)
    spreads = np.full(case.C, case.alpha)
    moving = log_likelihood_nodes(case.cross, case.lineages, case.epochs, A_1, spreads, case.dof)
    pooled = log_likelihood_dense(case.cross, case.lineages, 1.7 * np.eye(case.C), case.alpha, case.dof)
    assert moving == pytest.approx(pooled, **close)


@given(cases)
def test_centres_without_memory_are_clusters_of_their_own(case):
    """With rho = 0 every node is a cluster of the static model."""
    nodes, A_1 = case.lineages * case.T + case.epochs, lineage_covariance(case.T, 1e-300, 0.6)
    moving = log_likelihood_nodes(case.cross, case.lineages, case.epochs, A_1, np.full(case.C, case.alpha), case.dof)
    static = log_likelihood_dense(case.cross, nodes, 0.6 * np.eye(case.C * case.T), case.alpha, case.dof)
    assert moving == pytest.approx(static, **close)
