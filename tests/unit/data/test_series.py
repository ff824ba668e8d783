"""DistanceSeries keeps what it is given, read-only, whichever door it came through."""

import copy
import pickle
import tracemalloc

import numpy as np
import pytest

from reference import rng_for
from tetiwd import DistanceSeries
from tetiwd.errors import DataError
from tetiwd.model.simulation import squared_distances


def points(n=12, p=3, key=0):
    return rng_for(9, key).standard_normal((n, p))


def test_plain_and_squared_distances_agree():
    D = squared_distances(points())
    plain = DistanceSeries.from_distances([np.sqrt(D)], squared=False)
    assert np.allclose(plain.D[0], DistanceSeries.from_distances([D], squared=True).D[0])


def test_arrays_are_shared_and_read_only():
    D = squared_distances(points())
    series = DistanceSeries.from_distances([D], squared=True)
    assert np.shares_memory(series.D[0], D)
    with pytest.raises(ValueError, match="read-only"):
        series.D[0][0, 1] = 5
    assert D.flags.writeable
    assert not np.shares_memory(DistanceSeries.from_distances([D], squared=True, copy=True).D[0], D)


def test_float32_stays_and_integers_become_float64():
    D = np.rint(100 * squared_distances(points()))
    assert DistanceSeries.from_distances([D.astype(np.float32)], squared=True).D[0].dtype == np.float32
    small = DistanceSeries.from_distances(
        [np.full((3, 3), 200, np.uint8) * (1 - np.eye(3, dtype=np.uint8))], squared=False
    )
    assert small.D[0].max() == 40_000


def test_rounding_noise_is_removed():
    D = squared_distances(points())
    D[0, 1] *= 1 + 1e-14
    D[2, 2] = 1e-14
    D[3, 4] = D[4, 3] = -1e-14
    clean = DistanceSeries.from_distances([D], squared=True).D[0]
    assert np.array_equal(clean, clean.T)
    assert not np.diagonal(clean).any()
    assert clean.min() == 0


def test_symmetrize_averages():
    D = squared_distances(points())
    skew = D + np.triu(np.ones_like(D), 1)
    series = DistanceSeries.from_distances([skew], squared=True, symmetrize="mean")
    assert np.allclose(series.D[0], D + 0.5 * (1 - np.eye(len(D))))


def test_small_epochs_can_be_kept():
    D = squared_distances(points())
    series = DistanceSeries.from_distances([D, D[:1, :1], D[:2, :2]], squared=True, min_objects=1)
    assert series.n_objects == (12, 1, 2)


def test_epochs_of_one_table_come_in_order_of_time():
    X, time = points(), np.array([3, 1, 2] * 4)
    ids = np.array([f"p{i}" for i in range(12)])
    series = DistanceSeries.from_features(X, time=time, ids=ids, metric="sqeuclidean")
    assert series.times == (1, 2, 3)
    assert series.ids[0].tolist() == ["p1", "p4", "p7", "p10"]
    assert np.allclose(series.D[2], 3 * squared_distances(X[time == 3]))
    assert np.allclose(series.cross[:4, 4:8], 3 * squared_distances(X)[np.ix_(time == 1, time == 2)])
    assert DistanceSeries.from_features(X, time=time, cross=False).cross is None


@pytest.mark.parametrize(
    "metric", ["euclidean", "cosine", "hellinger", "cityblock", "hamming", "jaccard", "braycurtis"]
)
def test_features_equal_their_pooled_distances(metric):
    X, time = np.abs(np.rint(2 * points())), np.array(["2004 Q1", "2003 Q4"] * 6)
    X[:, 0] += 1
    with_cross = DistanceSeries.from_features(X, time=time, metric=metric, cross=True)
    without = DistanceSeries.from_features(X, time=time, metric=metric)
    for a, b in zip(with_cross.D, without.D, strict=True):
        assert np.allclose(a, b)
    assert with_cross.cross.shape == (12, 12)
    again = DistanceSeries.from_distances(with_cross.D, squared=True, cross=with_cross.cross)
    assert np.array_equal(again.cross, with_cross.cross)


def test_pooled_matrix_can_be_dropped():
    D = squared_distances(points())
    series = DistanceSeries.from_pooled(D, time=[2] * 6 + [1] * 6, squared=True, keep_cross=False)
    assert series.cross is None
    assert np.array_equal(series.D[0], D[6:, 6:])


def test_cross_is_kept_if_it_is_known():
    D, time = squared_distances(points()), [2] * 6 + [1] * 6
    options = {"squared": True, "keep_cross": "if known"}
    known = DistanceSeries.from_pooled(D, time=time, **options)
    always = DistanceSeries.from_pooled(D, time=time, squared=True)
    assert np.array_equal(known.cross, always.cross)
    assert all(np.array_equal(a, b) for a, b in zip(known.D, always.D, strict=True))
    assert DistanceSeries.from_pooled(D, time=[1] * 12, **options).cross is None
    D[0, 11] = D[11, 0] = np.nan
    unknown = DistanceSeries.from_pooled(D, time=time, **options)
    assert unknown.cross is None
    assert all(np.array_equal(a, b) for a, b in zip(unknown.D, always.D, strict=True))
    D[0, 1] = D[1, 0] = np.nan
    with pytest.raises(DataError, match=r"^D\[1\] \(2\) has NaN at \(0, 1\)") as error:
        DistanceSeries.from_pooled(D, time=time, **options)
    assert error.value.where.epoch == 1


def test_matrices_are_changed_only_if_that_is_allowed():
    plain = np.sqrt(squared_distances(points()))
    given = plain.copy()
    kept = DistanceSeries.from_distances([given], squared=False)
    assert np.array_equal(given, plain)
    handed_over = DistanceSeries.from_distances([given], squared=False, overwrite=True)
    assert np.shares_memory(handed_over.D[0], given)
    assert np.array_equal(handed_over.D[0], kept.D[0])


def test_unit_makes_the_mean_half_distance_one():
    series = DistanceSeries.from_distances([squared_distances(points(n, key=n)) for n in (5, 9)], squared=True)
    scaled = series.rescaled()
    pairs = np.concatenate([D[np.triu_indices(len(D), 1)] for D in scaled])
    assert pairs.mean() / 2 == pytest.approx(1)


def test_similarities_have_the_unit_of_their_distances():
    kernels = [X @ X.T for X in (points(6), points(8, key=1))]
    series = DistanceSeries.from_similarities(kernels)
    distances = series.to_distances()
    assert series.unit == pytest.approx(distances.unit)
    assert np.allclose(distances.D[1], 3 * squared_distances(points(8, key=1)))
    assert distances.to_distances() is distances


def test_repr_counts_and_shows_no_ids():
    D = squared_distances(points(4))
    series = DistanceSeries.from_distances([D] * 3, squared=True, ids=[["Ada", "Bob", "Cy", "Dee"]] * 3)
    assert repr(series) == "DistanceSeries(3 epochs; 4, 4, 4 objects; squared distances; ids known)"
    assert repr(DistanceSeries.from_distances([D], squared=True)) == (
        "DistanceSeries(1 epoch; 4 objects; squared distances; no ids)"
    )
    assert "4 to 4 objects" in repr(DistanceSeries.from_distances([D] * 9, squared=True))
    assert len(series) == 3


def test_dates_are_time_labels():
    D = squared_distances(points(4))
    dates = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]")
    assert DistanceSeries.from_distances([D, D], squared=True, times=dates).times == tuple(dates)


def test_copies_and_pickles_are_read_only_too():
    D = squared_distances(points())
    series = DistanceSeries.from_pooled(D, time=[1] * 6 + [2] * 6, squared=True, ids=range(12))
    for twin in (series, pickle.loads(pickle.dumps(series)), copy.deepcopy(series), series.repair("clip")):
        for array in (*twin.matrices, *twin.ids, twin.cross):
            assert not array.flags.writeable
        assert twin.times == series.times
        assert np.array_equal(twin.cross, D)


def test_ids_of_the_user_stay_writable():
    ids = np.arange(12)
    assert (
        not DistanceSeries.from_distances([squared_distances(points())], squared=True, ids=[ids]).ids[0].flags.writeable
    )
    assert ids.flags.writeable


def test_arrays_are_row_major():
    D = squared_distances(points())
    for options in ({}, {"copy": True}):
        made = DistanceSeries.from_distances([np.asfortranarray(D)], squared=True, **options)
        assert made.D[0].flags.c_contiguous
        kernel = DistanceSeries.from_similarities([np.asfortranarray(np.eye(4))], **options)
        assert kernel.matrices[0].flags.c_contiguous
    cut = DistanceSeries.from_pooled(D.T, time=[1, 2] * 6, squared=True).repair("shift")
    assert all(array.flags.c_contiguous for array in (*cut.D, cut.cross))


def test_plain_cross_time_distances_are_squared():
    D = squared_distances(points())
    pooled = DistanceSeries.from_pooled(np.sqrt(D), time=[1, 2] * 6, squared=False)
    order = [*range(0, 12, 2), *range(1, 12, 2)]
    assert np.allclose(pooled.cross, D[np.ix_(order, order)])
    assert np.allclose(pooled.D[1], D[1::2, 1::2])
    given = DistanceSeries.from_distances([np.sqrt(D)], squared=False, cross=np.sqrt(D))
    assert np.allclose(given.cross, D)


def test_without_cross_time_distances_only_epochs_are_looked_at():
    D = squared_distances(points())
    D[:6, 6:] = D[6:, :6] = np.nan
    options = {"time": [1] * 6 + [2] * 6, "squared": True}
    assert DistanceSeries.from_pooled(D, keep_cross=False, **options).n_objects == (6, 6)
    with pytest.raises(DataError, match="has NaN"):
        DistanceSeries.from_pooled(D, **options)


def test_similarities_become_exactly_symmetric():
    K = points() @ points().T
    K[0, 1] *= 1 + 1e-13
    clean = DistanceSeries.from_similarities([K]).matrices[0]
    assert np.array_equal(clean, clean.T)


def test_similarities_keep_their_precision_as_distances():
    K = (points() @ points().T).astype(np.float32)
    assert DistanceSeries.from_similarities([K]).to_distances().D[0].dtype == np.float32


def test_checks_need_no_second_matrix(monkeypatch):
    monkeypatch.setattr("tetiwd.data.checks.BLOCK_ENTRIES", 1000)
    D = squared_distances(points(600))
    for squared, own_copies in [(True, 0), (False, 2)]:  # plain distances are squared into new arrays
        tracemalloc.start()
        DistanceSeries.from_distances([D], squared=squared, cross=D)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < (own_copies + 0.1) * D.nbytes


def asymmetric(D, amount):
    D[0, 1] += amount


def diagonal(D, amount):
    D[2, 2] += amount


def negative(D, amount):
    D[3, 4] = D[4, 3] = -amount


@pytest.mark.parametrize("spoil", [asymmetric, diagonal, negative])
@pytest.mark.parametrize(("dtype", "slack"), [(np.float32, 1e-5), (np.float64, 1e-10)])
@pytest.mark.parametrize("scale", [1e-6, 1, 1e6])
def test_rounding_is_relative_to_the_largest_entry(spoil, dtype, slack, scale):
    for excess, fine in [(0.5, True), (2, False)]:
        D = scale * squared_distances(points())
        spoil(D, excess * slack * D.max())
        if fine:
            DistanceSeries.from_distances([D.astype(dtype)], squared=True)
        else:
            with pytest.raises(DataError):
                DistanceSeries.from_distances([D.astype(dtype)], squared=True)


@pytest.mark.parametrize(("dtype", "slack"), [(np.float32, 1e-5), (np.float64, 1e-10)])
@pytest.mark.parametrize("scale", [1e-6, 1, 1e6])
def test_cross_time_distances_agree_up_to_the_rounding_of_both(dtype, slack, scale):
    for excess, fine in [(1.5, True), (3, False)]:
        D = scale * squared_distances(points())
        cross = D.copy()
        cross[0, 1] = cross[1, 0] = D[0, 1] + excess * slack * D.max()
        arguments = [D.astype(dtype)], cross.astype(dtype)
        if fine:
            DistanceSeries.from_distances(arguments[0], squared=True, cross=arguments[1])
        else:
            with pytest.raises(DataError, match="disagree at"):
                DistanceSeries.from_distances(arguments[0], squared=True, cross=arguments[1])


def test_what_to_keep_of_a_pooled_matrix_is_never_guessed():
    with pytest.raises(DataError, match="keep_cross must be True or False, not 'foo'"):
        DistanceSeries.from_pooled(np.ones((6, 6)) - np.eye(6), time=[1] * 6, squared=True, keep_cross="foo")
