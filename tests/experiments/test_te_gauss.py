"""Te-Gauss: its densities by other means, and its sampler against the exact posterior."""

from dataclasses import replace
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import numpy as np
import pytest
from scipy import integrate, stats

from reference import canonical, linked_partitions, random_labels, rng_for
from tetiwd import Gamma
from tetiwd.model import log_prior_partitions
from tetiwd_experiments.baselines import te_gauss
from tetiwd_experiments.baselines.gauss_kernels import View, log_predictive
from tetiwd_experiments.baselines.te_gauss import (
    GaussPriors,
    GaussState,
    embed,
    log_joint,
    log_likelihood,
    log_partitions,
    sweep,
)
from visits import check_visits, normalised

XI, WITHIN, BETWEEN = 1.3, 0.6, 1.1


def state_of(X, labels) -> GaussState:
    """A state with these lineages: equal integers at consecutive epochs are linked."""
    state = GaussState.start(X, labels)
    for t in range(len(X) - 1):
        here, there = np.unique(labels[t]), np.unique(labels[t + 1])
        for c, f in zip(*np.nonzero(here[:, None] == there[None, :]), strict=True):
            state.epochs[t].forward[c], state.epochs[t + 1].back[f] = f, c
    return state


def small_data(sizes, p=2):
    rng = rng_for(71)
    return [rng.standard_normal((n, p)) + 1.5 * rng.integers(2, size=(n, 1)) for n in sizes]


def test_likelihood_is_that_of_one_large_gaussian():
    rng = rng_for(72)
    X, z = rng.standard_normal((7, 3)), random_labels(rng, 7, 3)
    together = z[:, None] == z[None, :]
    law = stats.multivariate_normal(cov=WITHIN * np.eye(7) + BETWEEN * together)
    expected = sum(law.logpdf(column) for column in X.T)
    assert log_likelihood(state_of([X], [z]).epochs[0], WITHIN, BETWEEN) == pytest.approx(expected, rel=1e-12)


def test_predictive_is_the_ratio_of_likelihoods():
    rng = rng_for(73)
    X, z = rng.standard_normal((7, 3)), np.array([0, 0, 0, 1, 1, 2, 0])
    for last in (0, 1, 2, 3):  # 3 is a cluster of its own
        z[-1] = last
        epoch = state_of([X], [z]).epochs[0]
        whole = log_likelihood(epoch, WITHIN, BETWEEN)
        without = log_likelihood(state_of([X[:-1]], [z[:-1]]).epochs[0], WITHIN, BETWEEN)
        epoch.counts[last] -= 1
        epoch.sums[last] -= X[-1]
        found = log_predictive(View(*epoch), 6, last, WITHIN, BETWEEN) - 1.5 * np.log(2 * np.pi)
        assert found == pytest.approx(whole - without, rel=1e-11)


def test_prior_is_that_of_our_model():
    X = small_data((3, 2, 3))
    for labels in list(linked_partitions((3, 2, 3)))[::7]:
        assert log_partitions(state_of(X, labels), XI) == pytest.approx(log_prior_partitions(labels, XI), rel=1e-12)


def test_lineage_labels_give_back_what_the_state_was_made_from():
    X = small_data((3, 3, 2))
    for labels in list(linked_partitions((3, 3, 2)))[::11]:
        assert canonical(state_of(X, labels).lineage_labels()) == canonical(labels)


@pytest.mark.parametrize("sizes", [(3, 3), (2, 3, 2), (4,), pytest.param((3, 3, 3), marks=pytest.mark.slow)], ids=str)
def test_sampler_visits_linked_partitions_as_often_as_it_should(monkeypatch, sizes):
    monkeypatch.setattr(te_gauss, "_update_variance", lambda *_: 0.0)
    X, priors = small_data(sizes), GaussPriors(xi=XI, origin="centroid")
    log_p = {}
    for labels in linked_partitions(sizes):
        state = replace(state_of(X, labels), within=WITHIN, between=BETWEEN)
        log_p[canonical(labels)] = log_joint(state, priors)
    state = GaussState.start(X, [np.zeros(n, dtype=np.int64) for n in sizes])
    state.within, state.between = WITHIN, BETWEEN
    rng, visited = rng_for(74), []
    for _ in range(12_000):
        sweep(state, priors, rng)
        visited.append(canonical(state.lineage_labels()))
    check_visits(visited, normalised(log_p))


@pytest.mark.parametrize("sizes", [(3, 3), (4,)], ids=str)
def test_with_a_free_origin_it_does_so_as_well(monkeypatch, sizes):
    """Exact: the origin integrated out, which leaves what every column says up to a shift."""
    monkeypatch.setattr(te_gauss, "_update_variance", lambda *_: 0.0)
    X, priors = small_data(sizes), GaussPriors(xi=XI, origin="sampled")
    log_p = {}
    for labels in linked_partitions(sizes):
        log_p[canonical(labels)] = log_prior_partitions(labels, XI) + sum(map(log_shift_free, X, labels))
    state = GaussState.start([own + 3 for own in X], [np.zeros(n, dtype=np.int64) for n in sizes])
    state.within, state.between = WITHIN, BETWEEN
    rng, visited = rng_for(78), []
    for _ in range(12_000):
        sweep(state, priors, rng)
        visited.append(canonical(state.lineage_labels()))
    check_visits(visited, normalised(log_p))


def log_shift_free(X, z):
    """Log density of all differences between objects: the flat origin integrated out, up to a constant."""
    n = len(X)
    contrast = np.linalg.qr(np.column_stack([np.ones(n), np.eye(n)[:, 1:]]))[0][:, 1:].T
    cov = WITHIN * np.eye(n) + BETWEEN * (z[:, None] == z[None, :])
    law = stats.multivariate_normal(cov=contrast @ cov @ contrast.T)
    return sum(law.logpdf(contrast @ column) for column in X.T)


def test_state_stays_whole():
    """After many sweeps, counts, sums and links are what labels say."""
    rng, X = rng_for(75), small_data((9, 7, 8), p=3)
    state = GaussState.start(X, [np.arange(len(own)) % 3 for own in X])
    for _ in range(300):
        sweep(state, GaussPriors(), rng)
    for t, epoch in enumerate(state.epochs):
        used = epoch.order[: epoch.size[0]]
        assert sorted(used) == sorted(set(epoch.z))
        assert sorted(epoch.order) == list(range(len(epoch.z)))
        np.testing.assert_array_equal(np.bincount(epoch.z, minlength=len(epoch.z)), epoch.counts)
        for c in used:
            np.testing.assert_allclose(epoch.sums[c], epoch.X[epoch.z == c].sum(axis=0), atol=1e-10)
            if epoch.back[c] >= 0:
                assert state.epochs[t - 1].forward[epoch.back[c]] == c
            if epoch.forward[c] >= 0:
                assert state.epochs[t + 1].back[epoch.forward[c]] == c
        idle = epoch.order[epoch.size[0] :]
        assert (epoch.back[idle] == -1).all()
        assert (epoch.forward[idle] == -1).all()


@pytest.fixture
def uncompiled():
    """The kernels as plain Python, whether or not they are compiled."""
    file = Path(te_gauss.__file__).with_name("gauss_kernels.py")
    loader = SourceFileLoader("uncompiled_gauss_kernels", str(file))
    module = module_from_spec(spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def test_compiled_and_plain_kernels_draw_the_same(monkeypatch, uncompiled):
    def run():
        rng, X = rng_for(79), small_data((19, 17, 18), p=3)
        state = GaussState.start(X, [np.arange(len(own)) % 3 for own in X])
        drawn = []
        for _ in range(100):
            sweep(state, GaussPriors(xi=3.0), rng)
            drawn.append((*np.concatenate(state.lineage_labels()), state.within, state.between))
        return np.array(drawn)

    as_installed = run()
    for name in ("View", "update_objects", "update_links"):
        monkeypatch.setattr(te_gauss, name, getattr(uncompiled, name))
    np.testing.assert_array_equal(run(), as_installed)


def test_variances_have_their_posterior(monkeypatch):
    """Their means by quadrature over the joint density, partitions held fixed."""
    rng = rng_for(76)
    X, z = rng.standard_normal((6, 2)), np.array([0, 0, 1, 1, 1, 2])
    priors = GaussPriors(within=Gamma(2.0, 0.5), between=Gamma(3.0, 0.4), origin="centroid")
    state = state_of([X], [z])

    def density(between, within):
        return np.exp(log_joint(replace(state, within=within, between=between), priors) + 20)

    total, _ = integrate.dblquad(density, 1e-6, 8, 1e-6, 10)
    means = [
        integrate.dblquad(lambda b, w, f=f: f(b, w) * density(b, w), 1e-6, 8, 1e-6, 10)[0] / total
        for f in (lambda b, w: np.log(w), lambda b, w: np.log(b))
    ]
    drawn = []
    state.steps = {"within": 0.7, "between": 1.0}
    for _ in range(12_000):
        for name in state.steps:
            te_gauss._update_variance(state, priors, name, rng)
        drawn.append([np.log(state.within), np.log(state.between)])
    drawn = np.array(drawn)
    from arviz_stats.base import array_stats

    for j in range(2):
        error = drawn[:, j].std() / np.sqrt(array_stats.ess(drawn[None, :, j], method="mean"))
        assert abs(drawn[:, j].mean() - means[j]) < 4 * error


def test_embedding_keeps_the_distances():
    X = rng_for(77).standard_normal((12, 4))
    D = ((X[:, None] - X[None]) ** 2).sum(-1)
    Y = embed(D)
    assert Y.shape == (12, 4)
    np.testing.assert_allclose(((Y[:, None] - Y[None]) ** 2).sum(-1), D, atol=1e-9)
    fewer = embed(D, 0.5)
    assert fewer.shape[1] < 4
    assert (fewer**2).sum() >= 0.5 * (Y**2).sum()
