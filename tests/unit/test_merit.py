"""The score of a clustering that no model makes."""

import numpy as np
import pytest
from sklearn.metrics import silhouette_score

from reference import rng_for
from tetiwd import DistanceSeries
from tetiwd.merit import Merit, agreement, merit, merit_of_lineages, separation


def three_groups(n=20, apart=6.0):
    rng = rng_for(1201)
    labels = np.repeat([0, 1, 2], n)
    X = apart * rng.standard_normal((3, 4))[labels] + rng.standard_normal((3 * n, 4))
    return X, ((X[:, None] - X[None]) ** 2).sum(axis=2), labels


def test_separation_is_the_silhouette():
    X, D, labels = three_groups()
    assert separation(D, labels) == pytest.approx(silhouette_score(X, labels), abs=1e-9)


def test_neighbours_agree_about_groups_and_not_about_parts_of_them():
    _, D, labels = three_groups()
    at_random = rng_for(1202).integers(2, size=len(labels))
    assert agreement(D, labels) == 1.0
    assert agreement(D, labels * 2 + at_random) < 0.8
    assert abs(agreement(D, at_random)) < 0.2


@pytest.mark.parametrize("labels", [np.zeros(12, int), np.arange(12)])
def test_one_cluster_or_only_clusters_of_one_have_no_merit(labels):
    _, D, _ = three_groups(4)
    assert separation(D, labels) == agreement(D, labels) == 0.0


def test_groups_have_more_merit_than_coarser_and_finer_clusters():
    _, D, labels = three_groups()
    series = DistanceSeries.from_distances([D, D], squared=True)
    coarse, fine = np.minimum(labels, 1), labels * 2 + np.tile([0, 1], 30)
    right, *others = (merit(series, [some, some]).product for some in (labels, coarse, fine))
    assert right > max(others)


def test_epochs_count_by_their_objects():
    _, D, labels = three_groups()
    few = D[::4, ::4]
    series = DistanceSeries.from_distances([D, few], squared=True)
    found = merit(series, [labels, np.zeros(len(few), int)])
    assert found.separation == pytest.approx(separation(D, labels) * 60 / 75)
    assert found.agreement == pytest.approx(60 / 75)


def test_negative_parts_give_no_merit():
    assert Merit(-0.2, -0.1).product == 0.0


def test_similarities_and_large_epochs_are_looked_at_too():
    X, _, labels = three_groups(400)
    series = DistanceSeries.from_similarities([X @ X.T])
    assert 0.5 < merit(series, [labels]).product < 1.0


def test_lineages_are_judged_over_all_epochs():
    rng, groups = np.random.default_rng(1), np.arange(20) % 2
    X = np.concatenate([5.0 * groups[:, None] + rng.standard_normal((20, 2)) for _ in range(2)])
    series = DistanceSeries.from_features(X, time=np.repeat([0, 1], 20))
    right = merit_of_lineages(series, [groups, groups])
    crossed = merit_of_lineages(series, [groups, 1 - groups])
    apart = merit_of_lineages(series, [groups, groups + 2])
    assert right.product > 0.5
    assert crossed.product < 0.05
    assert apart.product < right.product / 2
    assert merit(series, [groups, groups]) == merit(series, [groups, 1 - groups])  # which epochs alone do not tell


def test_agreement_does_not_depend_on_the_names_of_clusters():
    rng = np.random.default_rng(3)
    X, labels = rng.standard_normal((40, 2)), rng.integers(4, size=40)
    D = ((X[:, None] - X) ** 2).sum(axis=2)
    found = {round(agreement(D, rng.permutation(4)[labels]), 12) for _ in range(20)}
    assert len(found) == 1
