"""Prototypes, passages between lineages, and growth."""

import numpy as np
import pytest

from reference import SEED
from tetiwd import DistanceSeries
from tetiwd.errors import SettingsError
from tetiwd.partitions import Partitions
from tetiwd.summarize.alignment import align
from tetiwd.summarize.clustering import as_clustering
from tetiwd.summarize.growth import growth
from tetiwd.summarize.prototypes import prototypes
from tetiwd.summarize.transitions import transitions


def cloud(sizes=(12, 10), **options):
    rng = np.random.default_rng(SEED)
    X = rng.normal(size=(sum(sizes), 3))
    return X, DistanceSeries.from_features(X, time=np.repeat(np.arange(len(sizes)), sizes), **options)


def aligned(labels, ids=None, n_draws=1):
    draws = [np.tile(np.asarray(own), (n_draws, 1)) for own in labels]
    return align(Partitions.from_labels(draws, ids=ids), [np.asarray(own) for own in labels])


@pytest.mark.parametrize("matrix", [True, False])
def test_prototypes_are_medoids(matrix):
    X, series = cloud(matrix=matrix)
    labels = [np.repeat([0, 1, -1], [6, 5, 1]), np.repeat([0, 1], [9, 1])]
    table = prototypes(series, as_clustering(aligned(labels).partitions, labels)).set_index(["lineage", "time"])
    D = ((X[:12, None] - X[:12]) ** 2).sum(axis=2)
    means = D[:6, :6].sum(axis=1) / 5
    row = table.loc[(0, 0)]
    assert row.object == means.argmin()
    assert row.to_members == pytest.approx(means.min())
    assert row.to_others == pytest.approx(D[means.argmin(), 6:].mean())
    assert table.loc[(1, 1)].object == 9
    assert np.isnan(table.loc[(1, 1)].to_members)
    K = series.matrices[0][:] if matrix else np.asarray(series.matrices[0])
    centred = -0.5 * (K - K.mean(0) - K.mean(1)[:, None] + K.mean())
    similar = DistanceSeries.from_similarities([centred])
    again = prototypes(similar, as_clustering(aligned(labels[:1]).partitions, labels[:1]))
    assert again.object[0] == means.argmin()
    assert again.to_members[0] == pytest.approx(means.min())


def test_passages_of_returning_objects():
    ids = [[f"p{i}" for i in range(40)]] * 2
    labels = [np.repeat([1, 0], 20), np.repeat([1, 0, 0], [15, 5, 20])]
    _, series = cloud((40, 40), ids=ids[0] * 2)
    found = transitions(aligned(labels, ids, n_draws=300), series)
    assert found.by == "ids"
    table = found.table().set_index(["from_lineage", "to_lineage"]).sort_index()
    row = table.loc[(1, 0)]
    assert (row.objects, row.expected) == (5, 5)
    assert row.goes == pytest.approx((5 + 1 / 3) / 21, abs=0.03)
    assert row.came == pytest.approx((5 + 1 / 3) / 26, abs=0.03)
    assert row.goes_lower < row.goes < row.goes_upper
    assert row.goes_upper == pytest.approx(0.42, abs=0.05)  # the 95 % quantile of Beta(5⅓, 15⅔)
    assert found.over_all_times().expected.sum() == 40


def test_passages_by_place_without_ids():
    """Three places; at the second time the third one is filled from where it is nearest."""
    rng = np.random.default_rng(SEED)
    centres = np.array([[0.0, 0], [10, 0], [12, 0]])
    labels = [np.repeat([0, 1], 10), np.repeat([0, 1, 2], 10)]
    X = np.concatenate([centres[own] + rng.normal(0, 0.3, (len(own), 2)) for own in labels])
    for matrix in (True, False):
        series = DistanceSeries.from_features(X, time=np.repeat([0, 1], [20, 30]), matrix=matrix)
        found = transitions(aligned(labels, n_draws=5), series)
        assert found.by == "places"
        table = found.table().set_index(["from_lineage", "to_lineage"]).sort_index()
        assert table.loc[(1, 2)].objects == 10
        assert table.loc[(1, 2)].came > 0.9
        assert np.isnan(table.loc[(1, 2)].goes)
        assert (0, 2) not in table.index
    alone = DistanceSeries.from_features(X, time=np.repeat([0, 1], [20, 30]), cross=False, matrix=True)
    assert transitions(aligned(labels), alone) is None


def test_growth_rates_are_slopes_of_log_odds():
    odds = np.exp(-1.5 + 0.6 * np.arange(5))
    counts = np.round(2000 * odds / (1 + odds)).astype(int)
    labels = [np.repeat([0, 1], [2000 - n, n]) for n in counts]
    table = growth(aligned(labels)).table()
    assert table.rate[1] == pytest.approx(0.6, abs=0.05)
    assert table.rate[0] == pytest.approx(-0.6, abs=0.05)
    assert table.lower[1] < 0.6 < table.upper[1]
    assert table.probability_growing.tolist() == [0, 1]
    assert not table.emerges.any()  # both were there at first


def test_growth_intervals_cover():
    rng = np.random.default_rng(SEED)
    share, inside = 1 / (1 + np.exp(-(-1 + 0.3 * np.arange(4)))), 0
    for _ in range(80):
        counts = rng.binomial(60, share)
        row = growth(aligned([np.repeat([0, 1], [60 - n, n]) for n in counts])).table().iloc[1]
        inside += row.lower <= 0.3 <= row.upper
    assert abs(inside / 80 - 0.9) <= 3 * 0.034


def test_emerging_lineages():
    labels = [np.zeros(100, dtype=int)] * 3 + [np.repeat([0, 1], [100 - n, n]) for n in (5, 15, 40)]
    found = growth(aligned(labels))
    assert found.table().emerges.tolist() == [False, True]
    assert found.sentences()[0].startswith("Lineage 1 (40% now, odds of its share × ")
    steady = growth(aligned(labels[:3] + [np.repeat([0, 1], [80, 20])] * 3))
    assert not steady.table().emerges.any()
    assert steady.sentences() == [
        "No lineage is emerging (new, at least 5% of the objects now, growing with probability 0.9 or more)."
    ]
    small = growth(aligned(labels), least_share=0.5)
    assert not small.table().emerges.any()
    late = growth(aligned(labels[:5]), recent=1)
    assert not late.table().emerges.any()
    just_seen = growth(aligned(labels[:4])).table()
    assert just_seen.new.tolist() == [False, True]
    assert np.isnan(just_seen.rate[1])
    assert not just_seen.emerges[1]
    with pytest.raises(SettingsError, match="recent must be a whole number"):
        growth(aligned(labels), recent=0)
