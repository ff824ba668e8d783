"""The collapsed likelihood equals its definition, and has the invariances it must have."""

from dataclasses import fields, replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plain_kernels import plain
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
        self.spreads = np.exp(rng.uniform(-1, 1, size=self.k))
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
def test_collapsed_equals_dense_with_spreads_of_their_own(case):
    found = log_likelihood(case.D, *case.rest, case.spreads)
    assert found == pytest.approx(log_likelihood_dense(case.D, *case.rest, case.spreads), **close)
    larger = log_likelihood(
        case.D, case.labels, case.A, 2 * case.alpha, case.dof, case.spreads / 2
    )  # the same variances
    assert larger == pytest.approx(found, **close)


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
    assert terms.log_likelihood(case.dof) == pytest.approx(without, **close)
    row_sums = np.bincount(case.labels[others], weights=case.D[out, others], minlength=case.k)
    joined = terms.log_likelihood_joining(row_sums, case.dof)
    for c in range(case.k):
        labels = case.labels.copy()
        labels[out] = c
        expected = log_likelihood(case.D, labels, case.A, case.alpha, case.dof)
        assert joined[c] == pytest.approx(expected, **close)
        moved = terms.after(c, row_sums, 1)
        assert moved.log_likelihood(case.dof) == pytest.approx(expected, **close)


def assert_same_terms(found: CandidateTerms, expected: CandidateTerms) -> None:
    """Equal to 1e-9 of the largest entry, or of 1 where all are smaller: y is a difference of numbers near 1."""
    for field in fields(CandidateTerms):
        ours, theirs = (np.asarray(getattr(terms, field.name)) for terms in (found, expected))
        scale = max(1.0, np.abs(theirs).max())
        assert np.abs(ours - theirs).max() <= 1e-9 * scale, field.name


def one_object_out(case: Case, matrix: np.ndarray):
    """Statistics without one object and with it, its cluster, and its row sums over the others."""
    out = int(case.rng.integers(len(matrix)))
    others = np.delete(np.arange(len(matrix)), out)
    without = block_statistics(matrix[np.ix_(others, others)], case.labels[others], case.k)
    row_sums = np.bincount(case.labels[others], weights=matrix[out, others], minlength=case.k)
    return without, block_statistics(matrix, case.labels, case.k), out, row_sums


@given(cases.filter(lambda case: len(case.D) > 1))
def test_terms_after_joining_and_leaving_equal_those_from_scratch(case):
    without, whole, out, row_sums = one_object_out(case, case.D)
    before, after = (CandidateTerms.build(*blocks, case.A, case.alpha) for blocks in (without, whole))
    c = case.labels[out]
    joined = before.after(c, row_sums, 1)
    assert_same_terms(joined, after)
    assert_same_terms(after.after(c, row_sums, -1), before)
    assert_same_terms(joined.after(c, row_sums, -1), before)


@given(case=cases.filter(lambda case: len(case.D) > 1), kind=st.sampled_from(["distances", "similarities"]))
def test_compiled_change_of_one_count_equals_the_terms(case, kind):
    """The kernel joins and leaves; for similarities, where an object has a dot product with itself, as well."""
    matrix = case.D if kind == "distances" else case.K
    without, whole, out, row_sums = one_object_out(case, matrix)
    c, own = int(case.labels[out]), float(matrix[out, out])
    before, after = (CandidateTerms.build(*blocks, case.A, case.alpha) for blocks in (without, whole))
    expected = {1: after, -1: before}
    if kind == "distances":
        expected = {1: before.after(c, row_sums, 1), -1: after.after(c, row_sums, -1)}
    for sign, start, blocks, end_blocks in ((1, before, without, whole), (-1, after, whole, without)):
        terms = plain.Terms(case.k)
        counts, block_sums = (blocks[0].copy(), blocks[1].copy())
        plain.build_terms(terms, case.k, counts, block_sums, np.ones(case.k), case.A, case.alpha)
        plain.change_count(terms, case.k, counts, block_sums, c, row_sums, own, float(sign))
        found = replace(
            expected[sign],
            **{name: getattr(terms, name) for name in ("M", "Q", "y", "p", "total_y", "ySy")},
            trace_MS=terms.trace,
            log_det_M=terms.log_ratio + start.log_det_A,
        )
        assert_same_terms(found, expected[sign])
        assert np.array_equal(counts, end_blocks[0])
        assert np.allclose(block_sums, end_blocks[1], rtol=1e-9, atol=1e-9)


@given(cases.filter(lambda case: len(case.D) > 1))
def test_terms_with_spreads_of_their_own_after_joining_and_leaving_are_those_from_scratch(case):
    without, whole, out, row_sums = one_object_out(case, case.D)
    c = int(case.labels[out])
    for sign, blocks, end_blocks in ((1, without, whole), (-1, whole, without)):
        found, expected = plain.Terms(case.k), plain.Terms(case.k)
        counts, block_sums = (blocks[0].copy(), blocks[1].copy())
        plain.build_terms(found, case.k, counts, block_sums, case.spreads, case.A, case.alpha)
        plain.change_count(found, case.k, counts, block_sums, c, row_sums, 0.0, float(sign))
        plain.build_terms(expected, case.k, *end_blocks, case.spreads, case.A, case.alpha)
        for name in ("M", "Q", "y", "p", "n", "S", "total_y", "trace", "ySy", "log_ratio", "log_spreads"):
            ours, theirs = np.asarray(getattr(found, name)), np.asarray(getattr(expected, name))
            assert np.abs(ours - theirs).max() <= 1e-9 * max(1.0, np.abs(theirs).max()), name


@given(cases.filter(lambda case: len(case.D) > 1))
def test_kernels_weigh_clusters_with_spreads_of_their_own_as_the_definition_does(case):
    _, whole, out, row_sums = one_object_out(case, case.D)
    c, terms, left = int(case.labels[out]), plain.Terms(case.k), plain.Without(case.k)
    model = SimpleNamespace(dof=case.dof, alpha=case.alpha, similarity=False, tau=1.0, limit=1.0)
    plain.build_terms(terms, case.k, *whole, case.spreads, case.A, case.alpha)
    found = plain.modules["terms"].log_likelihood(terms, case.k, len(case.D), 0.0, model, case.alpha)
    rest = (case.A, case.alpha, case.dof, case.spreads)
    assert found == pytest.approx(log_likelihood_dense(case.D, case.labels, *rest), **close)
    if whole[0][c] > 1:
        plain.take_out(left, terms, case.k, c, row_sums / case.spreads, 0.0, False)
        left.spread[: case.k] = case.spreads
        plain.weigh_joining(left, model, 0.0, 0, case.k)
        moved = np.tile(case.labels, (case.k, 1))
        moved[:, out] = range(case.k)
        expected = np.array([log_likelihood_dense(case.D, labels, *rest) for labels in moved])
        weights = left.fit[: case.k] - case.dof / 2 * np.log(left.volume[: case.k])
        assert np.ptp(weights - expected) <= 1e-8 * max(1.0, np.abs(expected).max())


def test_block_sums_of_single_precision_data_are_added_in_double_precision():
    rng = rng_for(8)
    D = random_distances(rng, 300, 5).astype(np.float32)
    labels = random_labels(rng, 300, 2)
    counts, block_sums = block_statistics(D, labels, 2)
    Z = np.eye(2)[labels]
    assert block_sums == pytest.approx(Z.T @ D.astype(float) @ Z, rel=1e-12)
    assert counts.tolist() == Z.sum(0).tolist()


def test_one_object_has_nothing_to_say():
    assert log_likelihood([[0.0]], [0], [[2.0]], 1.3, 7) == pytest.approx(0.0)


def test_labels_that_do_not_fit_are_refused():
    D = random_distances(rng_for(0), 4, 2)
    with pytest.raises(ValueError, match="3 labels do not fit"):
        log_likelihood(D, [0, 0, 0], [[1.0]], 1.0, 1.0)
    for function in (log_likelihood, log_likelihood_dense, log_likelihood_similarity, log_likelihood_similarity_dense):
        for wrong in (1, -1):
            with pytest.raises(ValueError, match="must index the 1 rows"):
                function(D, [0, 0, 0, wrong], [[1.0]], 1.0, 1.0)
