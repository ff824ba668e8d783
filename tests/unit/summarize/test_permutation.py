"""The permutation test within strata against all reshufflings."""

from itertools import combinations, product

import numpy as np
import pytest

from reference import SEED
from tetiwd.summarize.permutation import compare_within, q_values, ranks_within
from tetiwd.summarize.strata import Strata


def test_moments_are_those_of_all_reshufflings():
    rng = np.random.default_rng(SEED)
    values, strata = rng.gamma(1, size=11), np.repeat([3, 7], [6, 5])
    inside = np.zeros(11, dtype=bool)
    inside[[0, 4, 7, 9, 10]] = True
    found = compare_within(values[:, None], inside[:, None], Strata.of(strata))
    parts = [
        [values[rows][list(some)].sum() - len(some) * values[rows].mean() for some in combinations(range(len(rows)), n)]
        for rows, n in ((np.arange(6), 2), (np.arange(6, 11), 3))
    ]
    every = np.array([sum(pair) for pair in product(*parts)])
    assert every.mean() == pytest.approx(0, abs=1e-12)
    assert found.variance[0] == pytest.approx((every**2).mean())
    assert found.third[0] == pytest.approx((every**3).mean())
    in_tail = min((every >= found.excess[0] - 1e-12).mean(), (every <= found.excess[0] + 1e-12).mean())
    assert found.p[0] == pytest.approx(min(1, 2 * in_tail), abs=0.08)


def test_rare_values_are_no_surprise_to_small_groups():
    """Two of a hundred are 1, and both are among five members: probability 5·4/(100·99). A normal tail says 1e-9."""
    values, inside = np.zeros((100, 1)), np.arange(100)[:, None] < 5
    values[:2] = 1
    exact = 5 * 4 / (100 * 99)
    found = compare_within(values, inside, Strata.of(np.zeros(100, dtype=int)))
    assert exact < found.p[0] < 4 * exact
    assert found.difference[0] == pytest.approx(2 / 5)


def test_unknown_values_and_groups_too_small_to_compare():
    values = np.array([[1.0, np.nan], [2.0, np.nan], [3.0, 1.0], [4.0, 2.0], [5.0, 3.0], [6.0, 4.0]])
    found = compare_within(values, np.arange(6)[:, None] < 3, Strata.of(np.zeros(6, dtype=int)))
    assert found.n_inside.tolist() == [3, 1]
    assert np.isfinite(found.p).tolist() == [True, False]
    assert np.isnan(found.difference[1])
    same = compare_within(np.ones((6, 1)), np.arange(6)[:, None] < 3, Strata.of(np.zeros(6, dtype=int)))
    assert same.p[0] == 1


def test_differences_of_ranks_are_half_of_cliffs_delta():
    rng = np.random.default_rng(SEED)
    values, epoch = rng.integers(5, size=(30, 1)).astype(float), np.repeat([0, 1], [18, 12])
    inside = rng.random(30) < 0.4
    ranks = ranks_within(values, epoch)
    for t in (0, 1):
        a, b = values[(epoch == t) & inside, 0], values[(epoch == t) & ~inside, 0]
        delta = np.sign(a[:, None] - b[None, :]).mean()
        halves = ranks[(epoch == t) & inside].mean() - ranks[(epoch == t) & ~inside].mean()
        assert 2 * halves == pytest.approx(delta)
        assert ranks[epoch == t].mean() == pytest.approx(0, abs=1e-12)


def test_q_values_are_those_of_benjamini_and_hochberg():
    p = np.array([0.01, np.nan, 0.5, 0.02, 0.9])
    assert q_values(p) == pytest.approx([0.04, np.nan, 2 / 3, 0.04, 0.9], nan_ok=True)
    assert np.isnan(q_values(np.array([np.nan]))).all()


@pytest.mark.parametrize(("n", "n_members", "share"), [(40, 4, 0.04), (100, 5, 0.4), (60, 20, None), (300, 8, 0.04)])
def test_p_values_hold_their_level(n, n_members, share):
    rng = np.random.default_rng(SEED)
    repeats, strata = 20_000, np.arange(n) % 2
    values = rng.normal(size=(n, repeats)) if share is None else (rng.random((n, repeats)) < share).astype(float)
    inside = np.zeros((n, 1), dtype=bool)
    inside[rng.permutation(n)[:n_members]] = True
    p = compare_within(values if share else ranks_within(values, strata), inside, Strata.of(strata)).p
    for level in (0.05, 0.01, 0.001):
        error = np.sqrt(level * (1 - level) / repeats)
        assert (p <= level).mean() <= level + 4 * error
