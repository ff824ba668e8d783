"""Markers and characteristic sites: planted ones are found at the stated rate, and clusters of nothing have none."""

import numpy as np
import pytest
from scipy.cluster.vq import kmeans2

from reference import SEED
from tetiwd.data.features import FeatureSpace
from tetiwd.errors import DataError
from tetiwd.partitions import Partitions
from tetiwd.summarize.alignment import align
from tetiwd.summarize.markers import markers
from tetiwd.summarize.permutation import compare_within, q_values, ranks_within
from tetiwd.summarize.sites import characteristic_sites
from tetiwd.summarize.strata import Strata

RATE = 0.1


def aligned(labels, sizes, ids=None):
    cut = np.split(np.asarray(labels), np.cumsum(sizes)[:-1])
    return align(Partitions.from_labels([own[None] for own in cut], ids=ids), cut)


def space_of(X, sizes, **options):
    return FeatureSpace(tuple(np.split(X, np.cumsum(sizes)[:-1])), "euclidean", None, **options)


def found_clusters(X, k, rng):
    """Clusters as a method finds them from the same data: the best of several runs of k-means."""
    runs = [kmeans2(X, k, minit="++", seed=int(rng.integers(2**31)), iter=30) for _ in range(6)]
    _, labels = min(runs, key=lambda run: ((X - run[0][run[1]]) ** 2).sum())
    return np.unique(labels, return_inverse=True)[1]


def planted(rng, n=200, p=60, n_markers=12, effect=1.8, k=3):
    """Every lineage has its own third of the markers; the other features are noise."""
    truth = rng.integers(k, size=n)
    centres = np.zeros((k, p))
    for j in range(n_markers):
        centres[j % k, j] = effect
    return centres[truth] + rng.normal(size=(n, p)), n_markers


def test_planted_markers_are_found_at_the_stated_rate():
    rng = np.random.default_rng(SEED)
    false, power = [], []
    for _ in range(25):
        X, n_markers = planted(rng)
        result = markers(aligned(found_clusters(X, 3, rng), [120, 80]), space_of(X, [120, 80]))
        which = result.found(RATE).feature.str.removeprefix("feature ").astype(int)
        false.append((which >= n_markers).mean() if len(which) else 0.0)
        power.append(len(set(which[which < n_markers])) / n_markers)
    assert np.mean(false) <= RATE + 3 * np.std(false) / np.sqrt(len(false))
    assert np.mean(power) > 0.8


def on_the_clusters_themselves(X, labels):
    """The test that uses the features twice: to find clusters, and to test them."""
    one = np.zeros(len(X), dtype=int)
    ranks = ranks_within(X, one)
    p = [compare_within(ranks, (labels == g)[:, None], Strata.of(one)).p for g in range(labels.max() + 1)]
    return q_values(np.concatenate(p))


@pytest.mark.parametrize(("p", "k"), [(2, 2), (5, 2), (20, 3)])
def test_clusters_of_a_single_cloud_have_no_markers(p, k):
    rng = np.random.default_rng([SEED, p])
    n_wrong, n_naive, repeats = 0, 0, 30
    for _ in range(repeats):
        X = rng.normal(size=(150, p))
        labels = found_clusters(X, k, rng)
        n_wrong += len(markers(aligned(labels, [80, 70]), space_of(X, [80, 70])).found(RATE)) > 0
        n_naive += (on_the_clusters_themselves(X, labels) <= RATE).any()
    assert n_wrong / repeats <= RATE + 3 * np.sqrt(RATE * (1 - RATE) / repeats)
    assert n_naive == repeats  # what would happen without this care


def test_effects_are_in_units_of_the_data_and_within_times():
    rng = np.random.default_rng(SEED)
    labels = np.tile(np.repeat([0, 1], 50), 2)
    X = np.column_stack([labels * 2.0 + rng.normal(size=200), rng.normal(size=200), 2 * labels - rng.normal(size=200)])
    X[100:] += 30  # at the second time everything is larger
    given = X * [1.0, 2.0, 3.0] + 100
    centre, spread = given.mean(axis=0), given.std(axis=0)
    space = space_of((given - centre) / spread, [100, 100], names=("a", "b", "c"), centre=centre, spread=spread)
    table = markers(aligned(labels, [100, 100]), space).table().set_index(["lineage", "feature"])
    assert table.loc[(1, "a")].here == pytest.approx(given[labels == 1, 0].mean())
    assert table.loc[(1, "a")].elsewhere == pytest.approx(given[labels == 0, 0].mean())
    assert table.loc[(1, "a")].difference == pytest.approx(2, abs=0.4)
    pairs = [X[:100][labels[:100] == 1, 0][:, None] > X[:100][labels[:100] == 0, 0]]
    pairs += [X[100:][labels[100:] == 1, 0][:, None] > X[100:][labels[100:] == 0, 0]]
    assert table.loc[(1, "a")].auc == pytest.approx(np.mean(pairs))
    assert table.loc[(0, "a")].auc == pytest.approx(1 - table.loc[(1, "a")].auc)
    assert table.loc[(1, "a")].q < RATE < table.loc[(1, "b")].q


def test_sparse_rows_and_returning_objects():
    from scipy.sparse import csr_array

    rng = np.random.default_rng(SEED)
    X, _ = planted(rng, n=160, effect=3.0)
    labels = found_clusters(X, 3, rng)
    dense = markers(aligned(labels, [80, 80]), space_of(X, [80, 80])).table()
    rows = tuple(csr_array(part) for part in (X[:80], X[80:]))
    sparse = markers(aligned(labels, [80, 80]), FeatureSpace(rows, "euclidean", None)).table()
    assert sparse.auc.to_numpy() == pytest.approx(dense.auc.to_numpy())
    assert sparse.q.to_numpy() == pytest.approx(dense.q.to_numpy())
    twice, ids = np.concatenate([X[:80], X[:80]]), [list(range(80))] * 2
    once = markers(aligned(labels[:80], [80]), space_of(X[:80], [80])).table()
    both = markers(aligned(np.tile(labels[:80], 2), [80, 80], ids), space_of(twice, [80, 80])).table()
    ordered = [table.sort_values(["lineage", "feature"]) for table in (once, both)]
    assert ordered[1].p.to_numpy() == pytest.approx(ordered[0].p.to_numpy())  # copies are no evidence


def test_one_lineage_or_one_feature_has_nothing_to_compare():
    X = np.random.default_rng(SEED).normal(size=(20, 3))
    assert markers(aligned(np.zeros(20, dtype=int), [20]), space_of(X, [20])).table().p.isna().all()
    assert markers(aligned(np.arange(20) % 2, [20]), space_of(X[:, :1], [20])).table().p.isna().all()


def test_characteristic_sites():
    rng = np.random.default_rng(SEED)
    labels = np.tile(np.repeat([0, 1, 2], 20), 2)
    codes = rng.integers(2, size=(120, 40)).astype(np.uint8)
    codes[:, :6] = 0
    for g in range(3):
        codes[np.ix_(labels == g, [2 * g, 2 * g + 1])] = 3
    codes[:, 39] = 255
    found = characteristic_sites(aligned(labels, [60, 60]), codes, "ACGT")
    listed = found.found(RATE)
    assert {(row.lineage, row.site) for row in listed[listed.letter == "T"].itertuples()} == {
        (g, 2 * g + s) for g in range(3) for s in (1, 2)
    }
    planted_rows = listed[listed.letter == "T"]
    assert (planted_rows.here == 1).all()
    assert (planted_rows.elsewhere == 0).all()
    assert (listed.site > 6).mean() <= 0.2
    assert found.table().site.max() == 39
    with pytest.raises(DataError, match="120 sequences for 119 objects"):
        characteristic_sites(aligned(labels[:119], [60, 59]), codes, "ACGT")


def test_sites_of_sequences_without_clusters():
    rng = np.random.default_rng(SEED)
    wrong, repeats = 0, 25
    for _ in range(repeats):
        codes = rng.integers(2, size=(100, 15)).astype(np.uint8)
        labels = found_clusters(codes.astype(float), 2, rng)
        wrong += len(characteristic_sites(aligned(labels, [100]), codes, "ACGT").found(RATE)) > 0
    assert wrong / repeats <= RATE + 3 * np.sqrt(RATE * (1 - RATE) / repeats)


def test_objects_that_change_lineage_do_not_make_impossible_probabilities():
    """Ranks are among all appearances, but an object has the mean of those in which it is a member."""
    n = 10
    first = np.repeat([0, 1], n)
    second = np.where(np.arange(2 * n) == n - 1, 1, first)  # one object goes from lineage 0 to lineage 1
    value = np.concatenate([10.0 * first, 10.0 * second]) + np.tile(np.arange(2 * n) % n, 2)
    X = np.column_stack([value, np.arange(4 * n) % 7])
    alignment = aligned(np.concatenate([first, second]), [2 * n, 2 * n], ids=[np.arange(2 * n)] * 2)
    auc = markers(alignment, space_of(X, [2 * n, 2 * n])).table().auc
    assert auc.between(0, 1).all()
    assert auc.max() == 1
