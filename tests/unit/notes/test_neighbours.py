"""Nearest neighbours: against comparing all pairs by hand, in chunks, with ties, and among candidates only."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from reference import rng_for
from tetiwd.notes.neighbours import best_of_rows, nearest, nearest_among_candidates, rarest_words, rarity, unit_rows


def random_bags(rng, n, n_words, most=8):
    """Rows of 1 to ``most`` words, common ones more often; as in a language, many words are rare."""
    shares = 1 / np.arange(1, n_words + 1)
    X = np.zeros((n, n_words), dtype=np.int32)
    for row in X:
        row[rng.choice(n_words, size=rng.integers(1, most + 1), replace=False, p=shares / shares.sum())] = 1
    return csr_matrix(X)


def slow_lists(X, k, weights=None):
    """Every pair with its cosine, sorted; among equals the next in the circle first."""
    dense = X.toarray() * (1.0 if weights is None else weights)
    n = len(dense)
    lists = np.full((n, k), -1)
    for i in range(n):
        candidates = []
        for j in range(n):
            if (dense[i] * dense[j]).sum() > 0:
                cosine = (dense[i] * dense[j]).sum() / np.sqrt((dense[i] ** 2).sum() * (dense[j] ** 2).sum())
                candidates.append((-round(cosine, 12), (j - i) % n, j))
        for rank, (_, _, j) in enumerate(sorted(candidates)[:k]):
            lists[i, rank] = j
    return lists


@pytest.mark.parametrize("case", range(8))
@pytest.mark.parametrize("weighted", [False, True])
def test_lists_are_those_of_comparing_all_pairs(case, weighted):
    rng = rng_for(910, case)
    X = random_bags(rng, int(rng.integers(2, 60)), int(rng.integers(1, 30)), most=1 + case % 3)
    X = random_bags(rng, 50, 12, most=4) if case == 7 else X
    weights = rarity(X) if weighted else None
    k = int(rng.integers(1, 12))
    np.testing.assert_array_equal(nearest(unit_rows(X, weights), k), slow_lists(X, k, weights))


def test_every_row_is_its_own_nearest_even_among_equals():
    X = csr_matrix(np.ones((5, 3), dtype=np.int32))
    assert nearest(unit_rows(X), 3).tolist() == [[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 0], [4, 0, 1]]


def test_chunks_change_nothing():
    X = random_bags(rng_for(911), 300, 60)
    whole = nearest(unit_rows(X), 10)
    for chunk in (1, 7, 299, 1000):
        np.testing.assert_array_equal(nearest(unit_rows(X), 10, chunk=chunk), whole)
    approximate = nearest_among_candidates(unit_rows(X), 10, budget=50)
    for chunk in (1, 7, 1000):
        np.testing.assert_array_equal(nearest_among_candidates(unit_rows(X), 10, budget=50, chunk=chunk), approximate)


def test_a_shorter_list_is_the_beginning_of_a_longer_one():
    rows = unit_rows(random_bags(rng_for(912), 200, 40))
    np.testing.assert_array_equal(nearest(rows, 5), nearest(rows, 30)[:, :5])


def test_ties_favour_nobody():
    """All rows are equally alike: each is on the lists of as many others."""
    lists = nearest(unit_rows(csr_matrix(np.ones((40, 1), dtype=np.int32))), 7)
    assert np.bincount(lists.ravel()).tolist() == [7] * 40


def test_rare_columns_weigh_more():
    X = csr_matrix(np.array([[1, 1, 0], [1, 0, 0], [0, 1, 0], [1, 0, 1], [1, 0, 1]], dtype=np.int32))
    assert nearest(unit_rows(X), 2)[0].tolist() == [0, 1]
    assert nearest(unit_rows(X, rarity(X)), 2)[0].tolist() == [0, 2]


def test_with_a_large_budget_candidates_are_all():
    rows = unit_rows(random_bags(rng_for(913), 150, 40))
    np.testing.assert_array_equal(nearest_among_candidates(rows, 15, budget=10**9), nearest(rows, 15))


def found_share(rows, lists, exact):
    """Mean cosine of the neighbours candidates over that of the exact ones: lists of equals are equally good."""
    dense = rows.toarray()
    cosines = dense @ dense.T

    def total(lists):
        row, rank = np.nonzero(lists >= 0)
        return cosines[row, lists[row, rank]].sum()

    return total(lists) / total(exact)


def test_candidates_find_nearly_as_close_neighbours_with_less_work():
    """Words that go together by chance only are the hardest case. Measured with a half, a quarter and a tenth of the
    work of comparing all: 0.972, 0.939 and 0.885 of the similarity of the exact neighbours."""
    X = random_bags(rng_for(914), 3000, 1500, most=12)
    rows, k = unit_rows(X), 10
    exact = nearest(rows, k)
    work = (np.bincount(X.indices).astype(float) ** 2).sum() / X.shape[0]  # rows named per row
    budgets = [int(share * work) for share in (0.5, 0.25, 0.1)]
    shares = [found_share(rows, nearest_among_candidates(rows, k, budget=budget), exact) for budget in budgets]
    assert shares[0] > 0.97
    assert shares[1] > 0.93
    assert shares[2] > 0.88


def test_the_rarest_words_within_the_budget_propose():
    X = csr_matrix(np.array([[1, 1, 1], [1, 1, 0], [1, 0, 0], [1, 0, 0]], dtype=np.int32))  # used by 4, 2, 1 rows
    kept = [rarest_words(X, budget).toarray()[0].tolist() for budget in (0, 1, 2, 3, 6, 7)]
    assert kept == [[0, 0, 1], [0, 0, 1], [0, 0, 1], [0, 1, 1], [0, 1, 1], [1, 1, 1]]
    assert rarest_words(X, 0).toarray().sum(axis=1).tolist() == [1, 1, 1, 1]  # one word proposes whatever it costs


def test_best_of_rows_pads_short_rows():
    S = csr_matrix(np.array([[0.0, 3.0, 1.0], [0.0, 0.0, 0.0]]))
    columns, values = best_of_rows(csr_matrix(np.vstack([S.toarray(), [[2.0, 2.0, 2.0]]])), 2, 0)
    assert columns.tolist() == [[1, 2], [-1, -1], [2, 0]]
    assert values.tolist() == [[3.0, 1.0], [0.0, 0.0], [2.0, 2.0]]


def test_progress_reaches_the_end():
    rows = unit_rows(random_bags(rng_for(915), 100, 20))
    for find in (nearest, nearest_among_candidates):
        seen = []
        find(rows, 3, seen.append, chunk=30)
        assert seen == sorted(seen)
        assert seen[-1] == 1.0


def test_a_row_is_on_its_own_list_even_if_hundreds_are_proposed_before_it():
    """Short rows of the one rare word come closer to it than the row itself, as far as that word goes."""
    n_short = 400
    X = np.zeros((2 * n_short, 4), dtype=np.int32)
    X[:n_short, 3] = 1
    X[n_short:, :3] = 1
    X[-1, 3] = 1
    lists = nearest_among_candidates(unit_rows(csr_matrix(X)), 2, budget=1)
    assert (lists[:, 0] == np.arange(2 * n_short)).all()
