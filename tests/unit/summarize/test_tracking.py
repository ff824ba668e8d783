"""Tracking by cross-time distances: the embedding, which clusters are linked, and how far they come."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import rng_for
from tetiwd import DataError, DistanceSeries, MemoryLimitError, SettingsError, simulate_independent
from tetiwd.data.negative_type import inspect
from tetiwd.model.simulation import squared_distances
from tetiwd.summarize.clustering import Clustering, each_alone
from tetiwd.summarize.tracking import embed, track


def series_of(X, times=None):
    """Points of every epoch as a series with D*, whose squared distances are not divided by anything."""
    D = squared_distances(np.vstack(X)) * X[0].shape[1]
    ends = np.cumsum([len(own) for own in X])
    blocks = tuple(D[end - len(own) : end, end - len(own) : end] for end, own in zip(ends, X, strict=True))
    return DistanceSeries(blocks, "distances", tuple(range(len(X)) if times is None else times), None, D)


def around(centres, n=6, *, spread=0.0, rng=None):
    """n objects around every centre, and their labels."""
    labels = np.repeat(np.arange(len(centres)), n)
    X = np.asarray(centres, dtype=float)[labels]
    return (X + spread * rng.standard_normal(X.shape) if spread else X), labels


def scene(*centres_by_epoch, times=None, **how):
    """A series and labels: clusters around the centres of every epoch, numbered anew at every epoch."""
    epochs = [around(centres, **how) for centres in centres_by_epoch]
    return series_of([X for X, _ in epochs], times), [labels for _, labels in epochs]


def squared_between(points):
    return ((points[:, None] - points[None]) ** 2).sum(-1)


FAR = [10.0, 0.0, 0.0]
HOME = [0.0, 0.0, 0.0]


class TestEmbedding:
    def test_reproduces_euclidean_distances(self):
        X = [rng_for(71, t).standard_normal((n, 4)) for t, n in enumerate((7, 1, 5))]
        series = series_of(X)
        found = embed(series)
        assert found.points.shape == (13, 4)
        assert found.points.dtype == np.float64
        assert [own.shape for own in found.coordinates] == [(7, 4), (1, 4), (5, 4)]
        np.testing.assert_allclose(squared_between(found.points), series.cross, atol=1e-10)
        assert found.explained == pytest.approx(1)
        assert found.negative_share == 0
        assert found.times == series.times

    def test_axes_are_centred_and_in_order_of_variance(self):
        found = embed(series_of([rng_for(72).standard_normal((20, 5))]))
        np.testing.assert_allclose(found.points.mean(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(found.points.T @ found.points, np.diag(found.eigenvalues), atol=1e-10)
        assert (np.diff(found.eigenvalues) < 0).all()

    def test_fewer_components_explain_less(self):
        series = series_of([rng_for(73).standard_normal((20, 5))])
        whole, part = embed(series), embed(series, n_components=2)
        np.testing.assert_array_equal(part.points, whole.points[:, :2])
        assert part.explained == pytest.approx(whole.eigenvalues[:2].sum() / whole.eigenvalues.sum())
        assert embed(series, n_components=99).n_components == 5

    def test_of_many_objects_equals_that_of_few(self, monkeypatch):
        X = rng_for(74).standard_normal((250, 30)) * 0.8 ** np.arange(30)
        for dtype, how_close in (("float64", 1e-6), ("float32", 1e-4)):
            D = squared_distances(X).astype(dtype)
            exact = embed(D, n_components=8)
            with monkeypatch.context() as context:
                context.setattr("tetiwd.summarize.embedding.MOST_FOR_ALL_EIGENVALUES", 249)
                found, again, other = (embed(D, n_components=8, seed=seed) for seed in (0, 0, 1))
            assert found.points.dtype == np.float64
            np.testing.assert_allclose(found.points, exact.points, atol=how_close)
            np.testing.assert_allclose(other.points, exact.points, atol=how_close)
            np.testing.assert_array_equal(found.points, again.points)
            assert found.explained == pytest.approx(exact.explained, abs=1e-4)
            assert found.negative_share is None
            assert "at most" in repr(found)
        monkeypatch.setattr("tetiwd.summarize.embedding.MOST_FOR_ALL_EIGENVALUES", 249)
        assert embed(squared_distances(X)).negative_share == 0  # 50 of 250 are so many that all are computed

    def test_of_many_objects_copes_with_few_dimensions_and_with_negative_eigenvalues(self, monkeypatch):
        monkeypatch.setattr("tetiwd.summarize.embedding.MOST_FOR_ALL_EIGENVALUES", 10)
        flat = embed(squared_distances(rng_for(75).standard_normal((250, 2))), n_components=8)
        assert flat.n_components == 2
        assert flat.explained == pytest.approx(1)
        bent = embed(squared_distances(rng_for(75).standard_normal((250, 2))) ** 2, n_components=8)
        assert 0 < bent.explained <= 1
        assert (bent.eigenvalues > 0).all()

    def test_says_how_much_is_not_euclidean(self):
        D = squared_distances(rng_for(76).standard_normal((30, 3))) ** 2
        assert embed(D).negative_share == pytest.approx(inspect(D, "distances").negative_share)
        assert embed(D).negative_share > 0.01

    @pytest.mark.parametrize("n", [1, 2, 3])
    def test_of_very_few_objects(self, n):
        found = embed(squared_distances(np.arange(n, dtype=float)[:, None]))
        assert found.points.shape == (n, min(1, n - 1))
        assert found.explained == pytest.approx(1)

    def test_of_equal_objects_has_no_axes(self):
        assert embed(series_of([np.ones((4, 2))])).points.shape == (4, 0)

    def test_refuses_what_does_not_fit(self, monkeypatch):
        monkeypatch.setattr("tetiwd.memory.available_memory", lambda: (1000, "in a test"))
        D = squared_distances(rng_for(77).standard_normal((200, 3)))
        with pytest.raises(MemoryLimitError, match="embedding 200 objects takes"):
            embed(D)
        monkeypatch.setattr("tetiwd.summarize.embedding.MOST_FOR_ALL_EIGENVALUES", 10)
        with pytest.raises(MemoryLimitError, match="fewer n_components"):
            embed(D, n_components=2)

    def test_refuses_nonsense(self):
        series = series_of([np.eye(3)])
        for nonsense in (0, -1, 1.5, True, "all"):
            with pytest.raises(SettingsError, match="n_components"):
                embed(series, n_components=nonsense)
        with pytest.raises(DataError, match=r"D\*"):
            embed(np.array([[0.0, 1.0], [2.0, 0.0]]))
        with pytest.raises(DataError, match="cross="):
            embed(DistanceSeries.from_distances(series.D, squared=True))


class TestLinks:
    def test_distance_travelled(self):
        series, labels = scene([HOME, FAR], [[0, 0, 3], FAR], [[0, 0, 3], [10, 4, 0]], times=[1990, 1991, 1995])
        found = track(series, labels)
        rows = found.distances()
        assert list(rows.columns) == ["track", "from_time", "to_time", "n_skipped", "distance", "raw_distance"]
        np.testing.assert_allclose(rows.distance, [3, 0, 0, 4], atol=1e-6)
        assert rows.track.tolist() == [0, 0, 1, 1]
        assert rows.from_time.tolist() == [1990, 1991] * 2
        assert rows.to_time.tolist() == [1991, 1995] * 2
        assert (rows.n_skipped == 0).all()

    def test_automatic_gate_is_three_quarters_of_the_squared_distance_to_the_nearest(self):
        series, labels = scene([HOME, FAR], [HOME, FAR])
        assert track(series, labels).gate == pytest.approx(10 * np.sqrt(0.75))
        for alone in (scene([HOME], [FAR]), scene([HOME, HOME], [FAR, FAR])):
            found = track(*alone)
            assert found.gate == np.inf
            assert found.n_tracks == len(np.unique(alone[1][0]))

    def test_absent_and_back(self):
        series, labels = scene([HOME, FAR], [HOME], [HOME, [10, 1, 0]])
        found = track(series, labels)
        steps = found.distances().set_index("track")
        assert steps.loc[1, "n_skipped"] == 1
        assert steps.loc[1, "distance"] == pytest.approx(1)
        table = found.table().set_index("track")
        assert table.loc[1, ["first", "last", "n_epochs", "n_returns"]].tolist() == [0, 2, 2, 1]
        assert table.loc[1, ["size at 0", "size at 1", "size at 2"]].tolist() == [6, 0, 6]
        assert track(series, labels, max_gap=1).n_tracks == 2
        assert track(series, labels, max_gap=0).n_tracks == 3

    def test_a_jump_beyond_the_gate_is_a_new_track(self):
        series, labels = scene([HOME, FAR], [HOME, [10, 30, 0]])
        assert track(series, labels).n_tracks == 3
        assert track(series, labels, gate=29.9).n_tracks == 3
        assert track(series, labels, gate=30.1).n_tracks == 2
        assert track(series, labels, gate=np.inf).n_tracks == 2

    def test_staying_alone_is_weighed_against_links_not_filtered_afterwards(self):
        # Linking both would be least in sum without a gate; with it, one good link is better than one bad and none.
        series, labels = scene([[0.0], [10.0]], [[9.0], [24.0]])
        found = track(series, labels, gate=12)
        assert found.n_tracks == 3
        assert found.distances().distance.tolist() == pytest.approx([1])

    def test_without_a_gate_as_many_as_possible_are_linked(self):
        series, labels = scene([HOME, FAR], [[900, 0, 0]], [[0, 900, 0], [1, 900, 0], [0, 0, 900]])
        found = track(series, labels, gate=np.inf)
        assert found.n_tracks == 3
        assert [len(np.unique(own)) for own in found.labels] == [2, 1, 3]

    def test_whole_picture_decides_not_the_nearest_pair(self):
        series, labels = scene([[0.0], [3.0]], [[2.0], [5.0]])
        assert track(series, labels, gate=np.inf).distances().distance.tolist() == pytest.approx([2, 2])

    def test_labels_of_epochs_have_nothing_to_do_with_each_other(self):
        series, labels = scene([HOME, FAR], [HOME, FAR])
        expected = track(series, labels).labels
        swapped = track(series, [labels[0], 7 - 5 * labels[1]]).labels
        for own, other in zip(expected, swapped, strict=True):
            np.testing.assert_array_equal(own, other)

    def test_numbered_by_first_epoch_then_size(self):
        X = np.array([[0.0], [10], [10], [20], [20], [20]])
        labels = [np.array([0, 1, 1, 2, 2, 2]), np.array([0, 1, 1, 2, 2, 2])]
        found = track(series_of([X, X + 100]), labels, gate=1)
        assert found.labels[0].tolist() == [2, 1, 1, 0, 0, 0]
        assert found.labels[1].tolist() == [5, 4, 4, 3, 3, 3]

    def test_takes_a_clustering_and_draws_means_in_the_space_it_is_given(self):
        series, labels = scene([HOME, FAR], [HOME], [FAR, HOME], spread=0.3, rng=rng_for(78))
        space = embed(series)
        found = track(series, Clustering(labels, series.times, 0.0, "vi", "given"), embedding=space)
        assert found.means.shape == (3, 2, 3)
        for t, (X, own) in enumerate(zip(space.coordinates, found.labels, strict=True)):
            for j in range(2):
                mean = X[own == j].mean(axis=0) if (own == j).any() else np.full(3, np.nan)
                np.testing.assert_allclose(found.means[t, j], mean, atol=1e-10)
        own_space = track(series, labels).means
        for means in (found.means, own_space):
            moved = np.linalg.norm(means[2, 0] - means[1, 0])
            assert found.distances().raw_distance[1] == pytest.approx(moved)

    def test_distances_are_those_of_the_means_of_the_embedding(self):
        truth = simulate_independent(3, n_by_epoch=(40, 30, 50))
        series = DistanceSeries.from_distances(truth.D, squared=True, cross=truth.cross)
        found = track(series, truth.labels, gate=np.inf, embedding=embed(series))
        moved = np.linalg.norm(np.diff(found.means, axis=0), axis=2).T.ravel()
        np.testing.assert_allclose(found.distances().raw_distance, moved)

    def test_table_sums_up_the_steps(self):
        series, labels = scene([HOME], [[3, 0, 0]], [[3, 4, 0]])
        row = track(series, labels).table().iloc[0]
        assert row.travelled == pytest.approx(7)
        assert row.straight == pytest.approx(5)


class TestNoise:
    def test_distances_are_right_on_average(self):
        """Small noisy clusters seem to move even where they stand still; the squared distance must not say so."""
        squared = []
        for key in range(200):
            rng = rng_for(79, key)
            series, labels = scene([HOME, FAR], [HOME, FAR], n=4, spread=1.0, rng=rng)
            clusters = track(series, labels).clusters
            squared.append([clusters.raw[0, 2], clusters.debiased[0, 2]])
        raw, debiased = np.mean(squared, axis=0)
        assert raw == pytest.approx(3 * (1 / 4 + 1 / 4), rel=0.15)
        assert abs(debiased) < 4 * np.std(squared, axis=0)[1] / np.sqrt(200)

    def test_lone_objects_borrow_the_variance_of_other_epochs(self):
        X = rng_for(80).standard_normal((9, 2))
        lone = track(series_of([X, X[:3]]), [np.zeros(9, dtype=int), np.arange(3)]).clusters
        v = X.var(axis=0, ddof=1).sum()
        np.testing.assert_allclose((lone.raw - lone.debiased)[1, 2], 2 * v)
        np.testing.assert_allclose((lone.raw - lone.debiased)[0, 1], v / 9 + v)
        all_lone = track(series_of([X]), [np.arange(9)]).clusters
        np.testing.assert_array_equal(all_lone.raw, all_lone.debiased)

    def test_float32_and_float64_agree(self):
        truth = simulate_independent(4, n_by_epoch=(60,) * 3, variance=2)
        found = []
        for dtype in ("float32", "float64"):
            D = [own.astype(dtype) for own in truth.D]
            series = DistanceSeries.from_distances(D, squared=True, cross=truth.cross.astype(dtype))
            found.append(track(series, truth.labels).distances().distance)
        np.testing.assert_allclose(*found, atol=1e-4)


def right_links(truth, gate="auto", at_least=1, key=0):
    """Of all clusters that go on: is each linked to the one it comes from? Labels are shuffled at every epoch."""
    rng = rng_for(81, key)
    series = DistanceSeries.from_distances(truth.D, squared=True, cross=truth.cross)
    k = truth.n_clusters[0]
    found = track(series, [rng.permutation(k)[own] for own in truth.labels], gate=gate)
    names = [[int(f[own == c][0]) for c in range(k)] for f, own in zip(found.labels, truth.labels, strict=True)]
    sizes = np.array([np.bincount(own) for own in truth.labels])
    return [
        names[t][c] == names[t - 1][c]
        for t in range(1, len(names))
        for c in range(k)
        if min(sizes[t, c], sizes[t - 1, c]) >= at_least
    ]


class TestRecovery:
    def test_well_separated(self):
        right = [right_links(simulate_independent(seed, variance=0.5), key=seed) for seed in range(6)]
        assert np.mean(np.concatenate(right)) >= 0.99

    def test_overlapping_as_in_the_paper(self):
        """Clusters of a few objects are too noisy for any gate, hence at least ten; without a gate all are linked."""
        truths = [simulate_independent(seed) for seed in range(8)]
        gated = [right_links(truth, at_least=10, key=seed) for seed, truth in enumerate(truths)]
        assert np.mean(np.concatenate(gated)) >= 0.95
        free = [right_links(truth, gate=np.inf, key=seed) for seed, truth in enumerate(truths)]
        assert np.mean(np.concatenate(free)) >= 0.95


@st.composite
def labelled_epochs(draw):
    sizes = draw(st.lists(st.integers(1, 8), min_size=1, max_size=5))
    labels = [np.array(draw(st.lists(st.integers(-2, 4), min_size=n, max_size=n))) for n in sizes]
    grid = st.integers(-3, 3)
    X = [np.array(draw(st.lists(st.tuples(grid, grid), min_size=n, max_size=n)), dtype=float) for n in sizes]
    gate = draw(st.one_of(st.just("auto"), st.just(np.inf), st.floats(0.1, 10)))
    return X, labels, gate, draw(st.one_of(st.none(), st.integers(0, 2)))


@settings(max_examples=150, deadline=None)
@given(labelled_epochs())
def test_tracks_are_lineages_of_whole_clusters(case):
    X, labels, gate, max_gap = case
    found = track(series_of(X), labels, gate=gate, max_gap=max_gap)
    alone = [each_alone(labels_t) for labels_t in labels]  # −1 is no cluster
    for t, (own, given_labels) in enumerate(zip(found.labels, alone, strict=True)):
        pairs = set(zip(own.tolist(), given_labels.tolist(), strict=True))
        assert len(pairs) == len(np.unique(own)) == len(np.unique(given_labels))
        np.testing.assert_array_equal(found.sizes[t], np.bincount(own, minlength=found.n_tracks))
    assert found.sizes.sum() == sum(map(len, X))
    assert (found.sizes.sum(axis=0) > 0).all()
    for axis in range(found.means.shape[2]):
        np.testing.assert_array_equal(np.isnan(found.means[:, :, axis]), found.sizes == 0)
    table, steps = found.table(), found.distances()
    assert len(table) == found.n_tracks
    assert table["n_epochs"].sum() == len(steps) + found.n_tracks
    assert (np.diff((found.sizes > 0).argmax(axis=0)) >= 0).all()
    assert (steps.distance <= found.gate + 1e-9).all()
    assert (steps.distance <= steps.raw_distance + 1e-12).all()
    assert max_gap is None or (steps.n_skipped <= max_gap).all()
    np.testing.assert_allclose(steps.groupby("track").distance.sum(), table[table.n_epochs > 1].travelled)


class TestEdges:
    def test_one_epoch(self):
        found = track(*scene([HOME, FAR], times=["only"]))
        assert found.n_tracks == 2
        assert found.distances().empty
        assert found.distances().columns[0] == "track"
        assert found.table()["size at only"].tolist() == [6, 6]
        assert "2 tracks with 0 links over 1 epochs" in repr(found)

    def test_one_object_per_epoch(self):
        found = track(*scene([HOME], [FAR], n=1))
        assert found.n_tracks == 1
        assert found.distances().distance.tolist() == pytest.approx([10])

    def test_refuses_nonsense(self):
        series, labels = scene([HOME, FAR], [HOME, FAR])
        for gate in (0, -1.0, np.nan, "wide", None, True, [1.0]):
            with pytest.raises(SettingsError, match="gate must be"):
                track(series, labels, gate=gate)
        for max_gap in (-1, 0.5, "all"):
            with pytest.raises(SettingsError, match="max_gap must be"):
                track(series, labels, max_gap=max_gap)
        wrong = ([labels[0]], [labels[0], labels[1][:-1]], [labels[0], labels[1] * 1.0], np.zeros(23, dtype=int), None)
        for nonsense in wrong:
            with pytest.raises(DataError, match=r"^the clustering (must be|has shape)"):
                track(series, nonsense)
        with pytest.raises(DataError, match="cross="):
            track(DistanceSeries.from_distances(series.D, squared=True), labels)
        with pytest.raises(DataError, match=r"use embed\(series\)"):
            track(series, labels, embedding=embed(series.D[0]))
