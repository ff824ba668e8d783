"""Series of features without matrices: when they are made, what they hold, and what is refused."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from reference import rng_for
from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings, memory
from tetiwd.chains import check_run
from tetiwd.data import series
from tetiwd.data.feature_distances import FeatureDistances
from tetiwd.data.fingerprint import fingerprint
from tetiwd.errors import DataError, MemoryLimitError
from tetiwd.io.series_file import read_series_file, write_series
from tetiwd.run_memory import bytes_of_chains

TIME = np.repeat([2, 1, 3], [5, 6, 4])  # not in order


def table(p=3):
    return rng_for(5).standard_normal((len(TIME), p))


def without(X=None, **options):
    options = {"time": TIME, "matrix": False} | options
    return DistanceSeries.from_features(table() if X is None else X, **options)


def test_epochs_are_in_order_of_time_with_their_rows():
    X = table()
    found, expected = without(X), DistanceSeries.from_features(X, time=TIME, matrix=True)
    assert found.n_objects == expected.n_objects == (6, 5, 4)
    assert not found.has_matrices
    assert expected.has_matrices
    for D, E in zip((*found.D, found.cross), (*expected.D, expected.cross), strict=True):
        assert_allclose(np.asarray(D), E, atol=1e-12)
    assert found.dof("moments") == pytest.approx(expected.dof("moments"))
    assert [report.holds for report in found.negative_type()] == [True] * 3
    assert found.repair("clip") is found
    assert "without matrices" in repr(found)
    assert without(X, cross=False).cross is None


def test_rows_are_looked_at_not_copied():
    X = np.ascontiguousarray(table()[np.argsort(TIME)])
    found = without(X, time=np.sort(TIME))
    assert all(np.shares_memory(D.rows, X) for D in (*found.matrices, found.cross))
    assert X.flags.writeable
    assert not found.matrices[0].rows.flags.writeable
    single = without(X.astype(np.float32), time=np.sort(TIME))
    assert single.matrices[0].rows.dtype == np.float32
    assert without(X, time=np.sort(TIME), dtype="float32").matrices[0].rows.dtype == np.float32


def test_parts_of_a_series():
    found, expected = without(), DistanceSeries.from_features(table(), time=TIME, matrix=True)
    some = [np.array([0, 2, 3]), np.array([1, 2, 4]), np.array([0, 1, 3])]
    for part, other in (
        (found.until(2), expected.until(2)),
        (found.restricted(some), expected.restricted(some)),
        (pickle.loads(pickle.dumps(found)), expected),
    ):
        assert isinstance(part.matrices[0], FeatureDistances)
        for D, E in zip((*part.D, part.cross), (*other.D, other.cross), strict=True):
            assert_allclose(np.asarray(D), E, atol=1e-12)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("kind", [np.asarray, np.float32, csr_array])
def test_a_file_keeps_every_bit(tmp_path, kind, metric):
    given = without(kind(table()), metric=metric)
    write_series(tmp_path / "data.nc", given)
    found = read_series_file(tmp_path / "data.nc")
    assert fingerprint(found) == fingerprint(given)
    assert found.unit == given.unit
    assert found.times == given.times
    assert (found.cross is None) == (given.cross is None)
    new = table()[:2]
    assert_array_equal(found.features.squared_distances(new, 1), given.features.squared_distances(new, 1))
    assert_allclose(
        given.features.squared_distances(new, 1),
        DistanceSeries.from_features(table(), time=TIME, metric=metric).features.squared_distances(new, 1),
        rtol=1e-5 if kind is np.float32 else 1e-9,
        atol=1e-6 if kind is np.float32 else 1e-12,
    )


def test_fingerprints_tell_features_apart():
    assert len({fingerprint(s) for s in (without(), without(2 * table()), without(csr_array(table())))}) == 3


def test_large_matrices_are_not_made_unasked(monkeypatch):
    monkeypatch.setattr(series, "LARGEST_MATRIX", 8 * (36 + 25 + 16) - 1)
    assert not DistanceSeries.from_features(table(), time=TIME).has_matrices
    assert DistanceSeries.from_features(table(), time=TIME, dtype="float32").has_matrices
    assert DistanceSeries.from_features(table(), time=TIME, matrix=True).has_matrices
    assert DistanceSeries.from_features(table(), time=TIME, metric="cityblock").has_matrices
    monkeypatch.setattr(series, "LARGEST_MATRIX", 8 * (36 + 25 + 16))
    assert DistanceSeries.from_features(table(), time=TIME).has_matrices
    monkeypatch.setattr(series, "available_memory", lambda: (100, "a test"))
    assert not DistanceSeries.from_features(table(), time=TIME).has_matrices


def test_memory_of_chains_by_hand():
    """37 objects of 3 epochs with 4 features: 32 clusters with 6 sums at every epoch, and a label of 8 bytes."""
    settings = SamplerSettings(n_chains=1, n_draws=100, geometry_every=0, anneal=None)
    assert bytes_of_chains((14, 11, 12), settings, 1, 4) == 8 * (3 * 32 * 6 + 37) + 37 * 100 * 4
    assert bytes_of_chains((14, 11, 12), settings, 3, 4) == bytes_of_chains((14, 11, 12), settings, 1, 4)


def test_a_run_is_refused_by_what_features_take(monkeypatch):
    """A million objects need a matrix of 8 TB, or chains with 256 MB of row sums; here they take 16 bytes each."""
    many = without(rng_for(1).standard_normal((10**5, 2)), time=np.zeros(10**5, int))
    settings = SamplerSettings(n_chains=1, n_draws=4, geometry_every=0, anneal=None)
    monkeypatch.setattr(memory, "available_memory", lambda: (3 * 10**6, "a test"))
    check_run(many, Hyperparameters(dof=2.0), settings)
    with pytest.raises(MemoryLimitError, match="100000 objects takes"):
        check_run(many, Hyperparameters(dof=2.0), replace(settings, n_draws=10))


def spoiled(value):
    X = table()
    X[7, 1] = value
    return X


FAULTS = {
    "NaN": (lambda: without(spoiled(np.nan)), "X has nan at row 7, column 1 (1 entry is not finite)"),
    "infinite": (lambda: without(spoiled(np.inf)), "X has inf at row 7, column 1"),
    "sparse NaN": (lambda: without(csr_array(spoiled(np.nan))), "X has nan at row 7, column 1 (1 entry is not"),
    "text": (lambda: without([["a", 1.0]] * 15), "X cannot be read as numbers"),
    "huge": (lambda: without(1e308 * np.sign(table())), "has squared distances beyond float64; divide the features"),
    "huge in single": (lambda: without(1e39 * table(), dtype="float32"), "are beyond float32"),
    "all the same": (lambda: without(np.ones((15, 2))), "D[0] (1) is zero everywhere: all 6 objects are identical"),
    "all the same, sparse": (lambda: without(csr_array(np.ones((15, 2)))), "all 6 objects are identical"),
    "zero row": (lambda: without(table() * (TIME > 1)[:, None], metric="cosine"), "cosine needs rows with a number"),
    "negative": (lambda: without(metric="hellinger"), "hellinger needs nonnegative rows"),
    "not Euclidean": (lambda: without(metric="cityblock"), "metric 'cityblock' needs a matrix of distances"),
    "a function": (lambda: without(metric=lambda x, y: 0.0, squared=True), "needs a matrix of distances"),
    "sparse and far": (lambda: without(csr_array(table() + 1e5)), "which costs digits; pass X.toarray()"),
    "sparse, standardised": (lambda: without(csr_array(table()), standardize=True), "pass X.toarray()"),
    "constant, standardised": (
        lambda: without(np.column_stack([table(), np.ones(15)]), standardize=True),
        "column 3 is the same for all objects and cannot be standardised",
    ),
    "flag": (lambda: without(matrix="no"), "matrix must be True or False, not 'no'"),
    "one-dimensional": (lambda: without(table()[:, 0]), "X must have one row per object"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault(fault):
    call, message = FAULTS[fault]
    with pytest.raises(DataError) as error:
        call()
    assert message in str(error.value)
