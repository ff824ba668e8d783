"""The log joint is the sum of its parts, each taken here from another source than the package's own fast forms."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import gamma, truncnorm, wishart

from reference import log_urn, random_covariance, random_distances, rng_for
from tetiwd import Gamma, Hyperparameters, log_joint
from tetiwd.model import log_likelihood_dense, log_likelihood_similarity_dense

# Lineage 4 is born at epoch 1, lineage 2 ends after it, and lineage 0 has a gap, so that it is new at epoch 2.
LABELS = [np.array([2, 0, 2, 7]), np.array([4, 2, 2, 7, 4]), np.array([0, 7, 7, 4, 0, 0])]
LINEAGES = [[0, 2, 7], [2, 4, 7], [0, 4, 7]]
DOF = (2.0, 7.5, 4.0)
DF_A = 6.5
VALUES = {"alpha": 0.7, "xi": 1.6, "new_scale": 0.4, "kappa": 0.6}
PRIORS = {"alpha": (2.0, 0.5), "xi": (3.0, 0.8), "new_scale": (1.5, 0.3), "kappa": (2.5, 0.5)}
GAMMAS = {name: Gamma(shape, scale) for name, (shape, scale) in PRIORS.items()}


def geometry(kind: str) -> list[np.ndarray]:
    if kind == "isotropic":
        return [VALUES["new_scale"] * np.eye(3)] * 3
    return [random_covariance(rng_for(30, t), 3, 0.4) for t in range(3)]


def data(kind: str) -> list[np.ndarray]:
    rng = rng_for(31)
    if kind == "distances":
        return [random_distances(rng, len(labels), 4) for labels in LABELS]
    X = [rng.standard_normal((len(labels), 4)) for labels in LABELS]
    return [x @ x.T / 4 for x in X]


def expected_scales(A: list[np.ndarray], coupling: bool) -> list[np.ndarray]:
    """P_1 … P_3, written out for the lineages above."""
    s = VALUES["new_scale"]
    P = [s * np.eye(3) for _ in range(3)]
    if coupling:
        P[1][np.ix_([0, 2], [0, 2])] = A[0][np.ix_([1, 2], [1, 2])]  # lineages 2 and 7
        P[2][np.ix_([1, 2], [1, 2])] = A[1][np.ix_([1, 2], [1, 2])]  # lineages 4 and 7
    return P


@pytest.mark.parametrize("kind", ["distances", "similarities"])
@pytest.mark.parametrize("geometry_kind", ["full", "isotropic"])
@pytest.mark.parametrize("coupling", [True, False])
@pytest.mark.parametrize("max_clusters", [None, 4])
def test_joint_is_the_sum_of_its_parts(kind, geometry_kind, coupling, max_clusters):
    h = Hyperparameters(
        dof=DOF, df_A=DF_A, max_clusters=max_clusters, geometry=geometry_kind, coupling=coupling, **GAMMAS
    )
    A, matrices = geometry(geometry_kind), data(kind)
    likelihood = log_likelihood_dense if kind == "distances" else log_likelihood_similarity_dense
    rows = [np.searchsorted(lineages, labels) for lineages, labels in zip(LINEAGES, LABELS, strict=True)]
    runs = [LABELS] if coupling else [[labels] for labels in LABELS]
    scales = sum(gamma.logpdf(VALUES[name], shape, scale=scale) for name, (shape, scale) in PRIORS.items())
    partitions = sum(log_urn(run, VALUES["xi"], max_clusters, VALUES["kappa"]) for run in runs)
    wisharts = [wishart.logpdf(A[t], DF_A, P / DF_A) for t, P in enumerate(expected_scales(A, coupling))]
    likelihoods = [likelihood(matrices[t], rows[t], A[t], VALUES["alpha"], DOF[t]) for t in range(3)]
    expected = scales + partitions + sum(likelihoods) + (sum(wisharts) if geometry_kind == "full" else 0.0)
    assert log_joint(matrices, LABELS, A, h, **VALUES, kind=kind) == pytest.approx(expected, rel=1e-10)


def test_spreads_of_their_own_have_a_prior_and_change_the_likelihood_alone():
    """tau and all spreads have densities; the rest is the likelihood by definition with other variances."""
    A, matrices, tau = geometry("full"), data("distances"), 0.6
    spreads = [np.exp(rng_for(32, t).uniform(-1, 1, size=3)) for t in range(3)]
    h = Hyperparameters(dof=DOF, df_A=DF_A, tau=Gamma(2.0, 0.4), **GAMMAS)
    rows = [np.searchsorted(lineages, labels) for lineages, labels in zip(LINEAGES, LABELS, strict=True)]
    equal = [log_likelihood_dense(matrices[t], rows[t], A[t], VALUES["alpha"], DOF[t]) for t in range(3)]
    own = [log_likelihood_dense(matrices[t], rows[t], A[t], VALUES["alpha"], DOF[t], spreads[t]) for t in range(3)]
    far = np.log(3.0) / tau
    prior = truncnorm.logpdf(np.log(np.concatenate(spreads)), -far, far, scale=tau).sum()
    expected = log_joint(matrices, LABELS, A, replace(h, tau=0.0), **VALUES) + sum(own) - sum(equal)
    expected += prior + gamma.logpdf(tau, 2.0, scale=0.4)
    found = log_joint(matrices, LABELS, A, h, **VALUES, tau=tau, spreads_by_epoch=spreads)
    assert found == pytest.approx(expected, rel=1e-10)
    spreads[1][2] = 3.001
    assert log_joint(matrices, LABELS, A, h, **VALUES, tau=tau, spreads_by_epoch=spreads) == -np.inf
    with pytest.raises(ValueError, match="spreads_by_epoch"):
        log_joint(matrices, LABELS, A, h, **VALUES, tau=tau)


def test_fixed_scales_need_not_be_given_and_add_nothing():
    A, matrices = geometry("full"), data("distances")
    fixed = Hyperparameters(dof=DOF, df_A=DF_A, **VALUES)
    free = Hyperparameters(dof=DOF, df_A=DF_A, **GAMMAS)
    priors = sum(prior.log_density(VALUES[name]) for name, prior in GAMMAS.items())
    joint = log_joint(matrices, LABELS, A, fixed)
    assert joint == pytest.approx(log_joint(matrices, LABELS, A, free, **VALUES) - priors, rel=1e-12)
    assert log_joint(matrices, LABELS, A, fixed, **VALUES) == joint
    with pytest.raises(ValueError, match="xi has a Gamma prior, so its value must be given"):
        log_joint(matrices, LABELS, A, free, alpha=1.0, new_scale=1.0, kappa=1.0)


@pytest.mark.parametrize("geometry_kind", ["full", "isotropic"])
@pytest.mark.parametrize("max_clusters", [None, 4])
@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("value", [0.0, -1.0, np.inf, np.nan])
def test_an_impossible_scale_has_density_zero(geometry_kind, max_clusters, name, value):
    A, matrices = geometry(geometry_kind), data("distances")
    settings = {"dof": DOF, "df_A": DF_A, "geometry": geometry_kind, "max_clusters": max_clusters}
    scales = VALUES | {name: value}
    for given in (GAMMAS, VALUES):
        h = Hyperparameters(**settings, **given)
        assert log_joint(matrices, LABELS, A, h, **scales) == -np.inf


def test_what_another_prior_forbids_has_density_zero():
    A, matrices = geometry("full"), data("distances")
    two = Hyperparameters(dof=DOF, df_A=1.5, max_clusters=2, **VALUES)  # df_A is too small for the third cluster
    assert log_joint(matrices, LABELS, A, two) == -np.inf
    h = Hyperparameters(dof=DOF, df_A=DF_A, **VALUES)
    for t in range(3):
        negative = [-50 * own if s == t else own for s, own in enumerate(A)]
        assert log_joint(matrices, LABELS, negative, h) == -np.inf


def test_a_df_A_that_is_sampled_has_its_prior_and_leaves_room_for_the_clusters():
    A, matrices = geometry("full"), data("distances")
    fixed = Hyperparameters(dof=DOF, df_A=DF_A, **VALUES)
    free = replace(fixed, df_A=Gamma(4.0, 2.0))
    prior = gamma.logpdf(DF_A, 4.0, scale=2.0)
    joint = log_joint(matrices, LABELS, A, fixed)
    assert log_joint(matrices, LABELS, A, free, df_A=DF_A) == pytest.approx(joint + prior, rel=1e-12)
    assert np.isfinite(log_joint(matrices, LABELS, A, free, df_A=2.01))
    for too_small in (2.0, 0.5, 0.0, -3.0):
        assert log_joint(matrices, LABELS, A, free, df_A=too_small) == -np.inf
    alike = replace(free, geometry="isotropic")  # there is no law of A that df_A could be of
    same = [VALUES["new_scale"] * np.eye(3)] * 3
    assert log_joint(matrices, LABELS, same, alike) == log_joint(matrices, LABELS, same, replace(alike, df_A=50.0))


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="kind must be"):
        log_joint([np.zeros((1, 1))], [[0]], [[[1.0]]], Hyperparameters(dof=1, alpha=1.0, new_scale=1.0), kind="D")
