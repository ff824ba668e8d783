"""The collapsed likelihood equals its definition, and has the invariances it must have."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import random_covariance, random_distances, random_labels, rng_for
from tetiwd.model import (
    CandidateTerms,
    block_statistics,
    log_likelihood,
    log_likelihood_dense,
    log_likelihood_from_blocks,
    log_likelihood_similarity,
    log_likelihood_similarity_dense,
)


class Case:
    """A small epoch with everything the likelihood needs."""

    def __init__(self, seed: int, n: int, k: int, spread: float) -> None:
        rng = rng_for(seed)
        self.k = min(k, n)
        self.labels = random_labels(rng, n, self.k)
        self.A = random_covariance(rng, self.k, spread)
        self.D = random_distances(rng, n, d=int(rng.integers(1, 30)))
        X = rng.standard_normal((n, int(rng.integers(1, 30))))
        self.K = X @ X.T / X.shape[1]
        self.alpha = float(10 ** rng.uniform(-1.5, 1.5))
        self.dof = float(rng.uniform(0.5, 80))
        self.rng = rng

    @property
    def rest(self):
        return self.labels, self.A, self.alpha, self.dof


cases = st.builds(
    Case,
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 60),
    k=st.integers(1, 8),
    spread=st.sampled_from([0.3, 1.0, 3.0]),  # up to condition number 10^6
)
close = {"rel": 1e-9, "abs": 1e-9}


@given(cases)
def test_collapsed_equals_dense_for_distances(case):
    assert log_likelihood(case.D, *case.rest) == pytest.approx(log_likelihood_dense(case.D, *case.rest), **close)


@given(cases)
def test_collapsed_equals_dense_for_similarities(case):
    collapsed, dense = (
        log_likelihood_similarity(case.K, *case.rest),
        log_likelihood_similarity_dense(case.K, *case.rest),
    )
    assert collapsed == pytest.approx(dense, **close)


def test_singular_geometry_is_no_problem():
    case = Case(seed=1, n=30, k=4, spread=1.0)
    direction = case.rng.standard_normal(4)
    A = np.outer(direction, direction)  # rank one
    rest = case.labels, A, case.alpha, case.dof
    assert log_likelihood(case.D, *rest) == pytest.approx(log_likelihood_dense(case.D, *rest), **close)


@given(cases)
def test_empty_rows_of_A_do_not_matter(case):
    bigger = random_covariance(case.rng, case.k + 2)
    bigger[: case.k, : case.k] = case.A
    extended = log_likelihood(case.D, case.labels, bigger, case.alpha, case.dof)
    assert extended == pytest.approx(log_likelihood(case.D, *case.rest), **close)


@given(cases)
def test_static_model_is_a_multiple_of_the_identity(case):
    """Lemma 1 of the paper: A = βI is the covariance αI + βB of the static model."""
    beta = 0.7
    B = (case.labels[:, None] == case.labels[None]).astype(float)
    W = np.linalg.inv(case.alpha * np.eye(len(B)) + beta * B)
    s = W.sum(1)
    W_tilde = W - np.outer(s, s) / s.sum()
    eigenvalues = np.linalg.eigvalsh(W_tilde)[1:]
    static = case.dof / 2 * np.log(eigenvalues).sum() + case.dof / 4 * np.trace(W_tilde @ case.D)
    ours = log_likelihood(case.D, case.labels, beta * np.eye(case.k), case.alpha, case.dof)
    assert ours == pytest.approx(static, **close)


@given(cases)
def test_translation_leaves_the_likelihood_unchanged(case):
    v = case.rng.uniform(0, 2, size=case.k)
    moved = case.A + v[:, None] + v[None, :]
    if np.linalg.eigvalsh(moved)[0] <= 0:  # still a covariance, or there is nothing to compare
        moved = case.A + 3.0
    expected = log_likelihood(case.D, *case.rest)
    assert log_likelihood(case.D, case.labels, moved, case.alpha, case.dof) == pytest.approx(expected, **close)


@given(cases)
def test_names_and_order_do_not_matter(case):
    expected = log_likelihood(case.D, *case.rest)
    names = case.rng.permutation(case.k)
    A = np.empty_like(case.A)
    A[np.ix_(names, names)] = case.A
    assert log_likelihood(case.D, names[case.labels], A, case.alpha, case.dof) == pytest.approx(expected, **close)
    order = case.rng.permutation(len(case.D))
    shuffled = log_likelihood(case.D[np.ix_(order, order)], case.labels[order], case.A, case.alpha, case.dof)
    assert shuffled == pytest.approx(expected, **close)


@given(cases)
def test_a_common_factor_adds_a_constant(case):
    """(D, α, A) → c(D, α, A) multiplies W̃ by 1/c: n − 1 eigenvalues, the trace unchanged."""
    c = 3.7
    scaled = log_likelihood(c * case.D, case.labels, c * case.A, c * case.alpha, case.dof)
    constant = -case.dof / 2 * (len(case.D) - 1) * np.log(c)
    assert scaled == pytest.approx(log_likelihood(case.D, *case.rest) + constant, **close)


@given(cases.filter(lambda case: len(case.D) > 1))
def test_joining_formulas_equal_recomputation(case):
    """Rank-one candidate formulas against the likelihood of the enlarged epoch, empty clusters included."""
    out = int(case.rng.integers(len(case.D)))
    others = np.delete(np.arange(len(case.D)), out)
    counts, block_sums = block_statistics(case.D[np.ix_(others, others)], case.labels[others], case.k)
    terms = CandidateTerms.build(counts, block_sums, case.A, case.alpha)
    without = log_likelihood_from_blocks(counts, block_sums, case.A, case.alpha, case.dof)
    assert terms.log_likelihood(case.dof) == pytest.approx(without, rel=1e-8, abs=1e-8)
    row_sums = np.bincount(case.labels[others], weights=case.D[out, others], minlength=case.k)
    joined = terms.log_likelihood_joining(row_sums, case.dof)
    for c in range(case.k):
        labels = case.labels.copy()
        labels[out] = c
        expected = log_likelihood(case.D, labels, case.A, case.alpha, case.dof)
        assert joined[c] == pytest.approx(expected, rel=1e-8, abs=1e-8)


def test_one_object_has_nothing_to_say():
    assert log_likelihood([[0.0]], [0], [[2.0]], 1.3, 7) == pytest.approx(0.0)


def test_labels_that_do_not_fit_are_refused():
    D = random_distances(rng_for(0), 4, 2)
    with pytest.raises(ValueError, match="3 labels do not fit"):
        log_likelihood(D, [0, 0, 0], [[1.0]], 1.0, 1.0)
    with pytest.raises(ValueError, match="must index the 1 rows"):
        log_likelihood(D, [0, 0, 0, 1], [[1.0]], 1.0, 1.0)
