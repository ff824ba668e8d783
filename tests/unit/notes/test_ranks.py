"""Ranked neighbourhood comparison: true squared distances, against definitions written out slowly; and the ties."""

import numpy as np
import pytest

from reference import rng_for
from tetiwd.notes.louvain import ties_of
from tetiwd.notes.ranks import rows_of_ranks, squared_distances

COMPARISONS = ["ranks", "overlap"]


def random_lists(rng, n, k, *, short=False):
    """Every thing itself first, then others in random order; some lists end early."""
    lists = np.array([[i, *rng.permutation(np.delete(np.arange(n), i))[: k - 1]] for i in range(n)], dtype=np.int32)
    if short:
        for row in lists:
            row[rng.integers(1, k + 1) :] = -1
    return lists


def slow_similarity(one, other, comparison, p):
    """Similarity of two lists before it is scaled, from the definitions."""
    a, b, k = [v for v in one if v >= 0], [v for v in other if v >= 0], len(one)
    if comparison == "ranks":
        return sum((k - a.index(v)) * (k - b.index(v)) for v in a if v in b)
    return sum(p ** (d - 1) * len(set(a[:d]) & set(b[:d])) / d for d in range(1, k + 1))


def slow_S(lists, comparison, p):
    S = np.array([[slow_similarity(one, other, comparison, p) for other in lists] for one in lists])
    lengths = np.sqrt(np.diag(S))
    return S / lengths / lengths[:, None]


@pytest.mark.parametrize("comparison", COMPARISONS)
@pytest.mark.parametrize("case", range(6))
def test_similarity_is_as_defined(comparison, case):
    rng = rng_for(920, case)
    lists = random_lists(rng, 20, int(rng.integers(1, 10)), short=case % 2 == 1)
    W = rows_of_ranks(lists, comparison, 0.8)
    np.testing.assert_allclose((W @ W.T).toarray(), slow_S(lists, comparison, 0.8), rtol=0, atol=1e-13)


def test_full_lists_have_the_classical_rank_biased_overlap_up_to_a_constant():
    """The same list twice has overlap Σ p^(d−1) over the depths, which scaling makes 1."""
    p, k = 0.9, 6
    lists = random_lists(rng_for(921), 12, k)
    whole = sum(p ** (d - 1) for d in range(1, k + 1))
    expected = [[slow_similarity(a, b, "overlap", p) / whole for b in lists] for a in lists]
    W = rows_of_ranks(lists, "overlap", p)
    np.testing.assert_allclose((W @ W.T).toarray(), expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize("comparison", COMPARISONS)
def test_no_eigenvalue_is_negative_and_distances_are_those_of_points(comparison):
    lists = random_lists(rng_for(922), 40, 7, short=True)
    W = rows_of_ranks(lists, comparison, 0.9)
    S = (W @ W.T).toarray()
    rounding = len(S) * np.finfo(float).eps * np.linalg.norm(S, 2)
    assert np.linalg.eigvalsh(S).min() >= -rounding
    points = W.toarray()
    D = squared_distances(W)
    np.testing.assert_allclose(D, ((points[:, None] - points[None]) ** 2).sum(-1), rtol=0, atol=1e-13)
    centre = np.eye(len(D)) - 1 / len(D)
    assert np.linalg.eigvalsh(-centre @ D @ centre / 2).min() >= -rounding
    np.testing.assert_array_equal(D, D.T)
    assert not np.diag(D).any()


@pytest.mark.parametrize("comparison", COMPARISONS)
def test_a_neighbour_that_is_nearer_counts_more(comparison):
    """List 0 shares its first neighbour with list 1 and its last one with list 2."""
    lists = np.array(
        [[0, 3, 4, 5], [1, 3, 6, 7], [2, 8, 9, 5], *([i, -1, -1, -1] for i in range(3, 10))], dtype=np.int32
    )
    D = squared_distances(rows_of_ranks(lists, comparison, 0.9))
    assert D[0, 1] < D[0, 2] < D[1, 2] == pytest.approx(2)


def test_equal_lists_but_for_themselves_are_near_but_not_the_same():
    lists = np.array([[0, 1, 2], [1, 0, 2], [2, 1, 0]], dtype=np.int32)
    D = squared_distances(rows_of_ranks(lists, "ranks", 0.9))
    assert (D[np.triu_indices(3, 1)] > 0).all()


@pytest.mark.parametrize("comparison", COMPARISONS)
def test_ties_are_the_largest_similarities_of_either_end(comparison):
    lists = random_lists(rng_for(923), 30, 6)
    W = rows_of_ranks(lists, comparison, 0.9)
    S = (W @ W.T).toarray()
    np.fill_diagonal(S, 0)
    expected = {}
    for i in range(30):
        order = sorted((j for j in range(30) if S[i, j] > 0), key=lambda j: (-S[i, j], (j - i) % 30))
        expected |= {(min(i, j), max(i, j)): S[i, j] for j in order[:4]}
    ties = ties_of(W, 4)
    assert ties.n == 30
    assert list(zip(ties.one.tolist(), ties.other.tolist(), strict=True)) == sorted(expected)
    np.testing.assert_allclose(ties.weight, [expected[pair] for pair in sorted(expected)], rtol=1e-12)
    for chunk in (1, 7):
        for one, other in zip(ties, ties_of(W, 4, chunk=chunk), strict=True):
            np.testing.assert_array_equal(one, other)


def test_things_without_common_neighbours_have_no_ties():
    ties = ties_of(rows_of_ranks(np.array([[0], [1]], dtype=np.int32), "ranks", 0.9), 5)
    assert ties.n == 2
    assert len(ties.one) == len(ties.weight) == 0
