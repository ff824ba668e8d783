"""The Wishart process of A_t: its density, its rows, and how rows come and go."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wishart

from reference import random_covariance, rng_for
from tetiwd.model import draw_row, log_prior_geometry, log_row_density, log_wishart, prior_scale

seeds = st.integers(0, 2**32 - 1)


@given(seed=seeds, k=st.integers(1, 7), extra=st.floats(0.1, 60))
def test_density_is_scipys_with_mean_equal_scale(seed, k, extra):
    rng = rng_for(seed)
    A, P, df = random_covariance(rng, k), random_covariance(rng, k), k - 1 + extra
    assert log_wishart(A, P, df) == pytest.approx(wishart.logpdf(A, df, P / df), rel=1e-9, abs=1e-8)


@given(seed=seeds, k=st.integers(1, 6), extra=st.floats(0.1, 60))
def test_density_factorises_into_the_rest_and_one_row(seed, k, extra):
    """log W(A) = log W(A_11) + log density of the last row given A_11, for dense P as well."""
    rng = rng_for(seed)
    A, P, df = random_covariance(rng, k + 1), random_covariance(rng, k + 1), k + extra
    parts = log_wishart(A[:k, :k], P[:k, :k], df) + log_row_density(A, P, df)
    assert parts == pytest.approx(log_wishart(A, P, df), rel=1e-9, abs=1e-8)


def test_the_first_row_needs_no_others():
    row = draw_row(np.empty((0, 0)), [[2.0]], 5.0, rng_for(1))
    assert row.shape == (1,)
    assert log_row_density([[1.5]], [[2.0]], 5.0) == pytest.approx(log_wishart([[1.5]], [[2.0]], 5.0))


def moments(draws):
    """Means and variances of the draws with standard errors."""
    n = len(draws)
    centred = draws - draws.mean(0)
    variance = (centred**2).mean(0)
    return draws.mean(0), np.sqrt(variance / n), variance, np.sqrt(((centred**2 - variance) ** 2).mean(0) / n)


@pytest.mark.parametrize("df", [4.5, 30.0])
def test_drawn_rows_complete_a_wishart_matrix(df):
    """A_11 from scipy, the row from draw_row: mean P and variance (P_ij² + P_ii P_jj)/ν within Monte Carlo error."""
    rng = rng_for(3)
    P = random_covariance(rng, 4, 0.3)
    draws = np.empty((20_000, 4, 4))
    for A in draws:
        A[:3, :3] = wishart.rvs(df, P[:3, :3] / df, random_state=rng)
        A[3] = A[:, 3] = draw_row(A[:3, :3], P, df, rng)
    mean, mean_error, variance, variance_error = moments(draws)
    assert np.abs((mean - P) / mean_error).max() < 4
    expected = (P**2 + np.outer(np.diagonal(P), np.diagonal(P))) / df
    assert np.abs((variance - expected) / variance_error).max() < 5


def test_scale_keeps_linked_rows_and_starts_new_ones():
    A = np.array([[1.0, 0.2, 0.3], [0.2, 2.0, 0.4], [0.3, 0.4, 3.0]])
    P = prior_scale(A, [4, 6, 9], [2, 6, 9], new_scale=0.5)
    assert P.tolist() == [[0.5, 0, 0], [0, 2.0, 0.4], [0, 0.4, 3.0]]


def test_lineage_density_is_the_sum_of_its_transitions():
    rng = rng_for(4)
    A1, A2 = random_covariance(rng, 2), random_covariance(rng, 3)
    P2 = np.zeros((3, 3))
    P2[:2, :2], P2[2, 2] = A1, 0.7
    expected = log_wishart(A1, 0.7 * np.eye(2), 9) + log_wishart(A2, P2, 9)
    assert log_prior_geometry([A1, A2], [[0, 1], [0, 1, 5]], 9, 0.7) == pytest.approx(expected, abs=1e-12)


def test_too_few_degrees_of_freedom_are_refused():
    with pytest.raises(ValueError, match=r"needs more than 2 degrees of freedom, not 1\.5"):
        log_wishart(np.eye(3), np.eye(3), 1.5)
    with pytest.raises(ValueError, match="row of a 4×4 Wishart matrix needs more than 3 degrees of freedom, not 3"):
        draw_row(np.eye(3), np.eye(4), 3.0, rng_for(0))
    with pytest.raises(ValueError, match="row of a 4×4 Wishart matrix needs more than 3 degrees of freedom, not 3"):
        log_row_density(np.eye(4), np.eye(4), 3.0)


def test_matrices_that_are_not_symmetric_are_refused():
    crooked = [[1.0, 0.2], [0.1, 1.0]]
    with pytest.raises(ValueError, match=r"A is not symmetric: entries across its diagonal differ by 0\.1"):
        log_wishart(crooked, np.eye(2), 5)
    with pytest.raises(ValueError, match="scale is not symmetric"):
        log_wishart(np.eye(2), crooked, 5)
    with pytest.raises(ValueError, match="A is not symmetric"):
        log_row_density(crooked, np.eye(2), 5)
    with pytest.raises(ValueError, match="scale is not symmetric"):
        draw_row([[1.0]], crooked, 5, rng_for(0))
    with pytest.raises(ValueError, match=r"A must be a square matrix, not of shape \(1, 2\)"):
        log_wishart([[1.0, 0.2]], np.eye(2), 5)


def test_a_lineage_has_one_row_per_epoch():
    with pytest.raises(ValueError, match=r"lineage ids repeat: \[3, 3\]"):
        log_prior_geometry([np.eye(2)], [[3, 3]], 9, 1.0)


def test_outside_the_cone_the_density_is_zero():
    assert log_wishart([[1.0, 2.0], [2.0, 1.0]], np.eye(2), 5) == -np.inf
    assert log_row_density([[1.0, 2.0], [2.0, 1.0]], np.eye(2), 5) == -np.inf
    assert log_row_density(np.diag([-1.0, 1.0]), np.eye(2), 5) == -np.inf
    assert log_row_density(np.diag([0.0, 1.0]), np.eye(2), 5) == -np.inf
    assert log_prior_geometry([-np.eye(2), np.eye(2)], [[0, 1], [0, 1]], 5, 1.0) == -np.inf
    assert log_prior_geometry([np.eye(1), np.eye(3)], [[0], [0, 1, 2]], 2.0, 1.0) == -np.inf  # no room for a third
