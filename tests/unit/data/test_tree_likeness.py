"""How tree-like distances are."""

import numpy as np
import pytest

from tetiwd import DistanceSeries
from tetiwd.data.tree_likeness import _fours, mean_delta


def tree_distances(rng, n):
    """Path lengths on a random tree: objects join it one after the other, at a random point of a random branch."""
    D = np.zeros((n, n))
    D[0, 1] = D[1, 0] = rng.exponential()
    for new in range(2, n):
        i, j = rng.choice(new, 2, replace=False)
        at = rng.random() * D[i, j]  # from i, on the way to j
        to_path = np.maximum(D[i, :new] - at, D[j, :new] - (D[i, j] - at))  # four-point condition
        D[new, :new] = D[:new, new] = to_path + rng.exponential()
    return D


def naive_delta(D, fours):
    found = []
    for a, b, c, d in fours.T:
        small, middle, large = sorted([D[a, b] + D[c, d], D[a, c] + D[b, d], D[a, d] + D[b, c]])
        if large - small > 1e-9:
            found.append((large - middle) / (large - small))
    return np.mean(found)


def test_on_a_tree_it_is_zero():
    assert mean_delta(tree_distances(np.random.default_rng(0), 40)) < 1e-9


def test_it_is_the_mean_over_fours():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((30, 3))
    D = ((X[:, None] - X) ** 2).sum(-1)
    expected = naive_delta(D, _fours(30, 500, np.random.default_rng(7)))
    assert mean_delta(D, 500, seed=7) == pytest.approx(expected, rel=1e-12)
    assert expected > 0.25


def test_the_objects_of_a_four_differ_and_all_fours_occur_equally_often():
    fours = np.sort(_fours(6, 30_000, np.random.default_rng(2)), axis=0)
    assert (np.diff(fours, axis=0) > 0).all()
    _, counts = np.unique(fours, axis=1, return_counts=True)
    assert len(counts) == 15
    assert np.abs(counts - 2000).max() < 5 * np.sqrt(2000)


@pytest.mark.parametrize("D", [np.zeros((3, 3)), np.zeros((9, 9)), 1.0 - np.eye(9)])
def test_without_fours_that_differ_there_is_no_tree(D):
    assert mean_delta(D) == 1.0


def test_duplicates_do_not_hide_a_tree():
    D = tree_distances(np.random.default_rng(3), 20)
    twice = np.repeat(np.repeat(D, 2, axis=0), 2, axis=1)
    assert mean_delta(twice) < 1e-9


def test_it_is_the_same_every_time_and_in_every_unit():
    D = tree_distances(np.random.default_rng(4), 12) + (1 - np.eye(12)) * np.random.default_rng(5).random((12, 12))
    D = (D + D.T) / 2
    assert mean_delta(D) == mean_delta(D)
    assert mean_delta(1e-9 * D) == pytest.approx(mean_delta(D), rel=1e-6)


def test_features_give_the_same_as_their_matrix():
    X = np.random.default_rng(6).standard_normal((40, 3))
    with_matrix, without = (
        DistanceSeries.from_features(X, time=np.repeat([0, 1], 20), matrix=matrix, cross=True)
        for matrix in (True, False)
    )
    assert mean_delta(without.cross) == pytest.approx(mean_delta(with_matrix.cross), rel=1e-6)


def test_some_of_many_objects_are_enough(monkeypatch):
    D = tree_distances(np.random.default_rng(7), 120)
    monkeypatch.setattr("tetiwd.data.tree_likeness.MOST_OBJECTS", 30)
    assert mean_delta(D) < 1e-9
