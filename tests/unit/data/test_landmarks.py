"""Distances to a few landmarks, from which all others follow approximately."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.metrics import adjusted_rand_score

from reference import rng_for
from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings, run_chains
from tetiwd.data.landmarks import compared
from tetiwd.errors import DataError, SettingsError
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.read import read_series
from tetiwd.io.series_file import read_series_file, write_series
from tetiwd.report.details import data_facts

N, T = 150, 3


def groups(p, n=N, apart=3.0):
    """Rows of four groups, their groups and their times."""
    rng = rng_for(31, p)
    group = rng.integers(4, size=n)
    return rng.standard_normal((n, p)) + apart * rng.standard_normal((4, p))[group], group, np.arange(n) % T


@pytest.mark.parametrize("cross", [False, True])
def test_distances_are_exact_where_landmarks_span_the_space(cross):
    X, _, time = groups(6)
    series = DistanceSeries.from_features(X, time=time, landmarks=20, cross=cross)
    for t, D in enumerate(series.D):
        assert_allclose(np.asarray(D), cdist(X[time == t], X[time == t], "sqeuclidean"), atol=1e-9)
    assert (series.cross is not None) is cross
    assert series.approximation.near == pytest.approx(1.0)
    if cross:
        order = np.argsort(time, kind="stable")
        assert_allclose(np.asarray(series.cross), cdist(X[order], X[order], "sqeuclidean"), atol=1e-9)


def test_heights_make_up_for_what_landmarks_do_not_see():
    X, group, time = groups(200, n=600)
    series = DistanceSeries.from_features(X, time=time, landmarks=60)
    true, D = cdist(X[time == 0], X[time == 0], "sqeuclidean"), np.asarray(series.D[0])
    together = np.equal.outer(group[time == 0], group[time == 0])
    about = series.approximation
    assert about.lowest < D[together].sum() / true[together].sum() < about.highest
    assert 0.95 < about.lowest < about.near < 1.1
    assert 0.97 < D.sum() / true.sum() < 1.05
    feet = series.D[0].rows[:, :59].toarray()
    assert cdist(feet, feet, "sqeuclidean")[together].sum() < 0.7 * true[together].sum()


def test_any_metric_and_the_clusters_are_those_of_all_distances():
    X, group, time = groups(30)
    model, settings = Hyperparameters(dof=10.0), SamplerSettings(n_chains=1, n_warmup=30, n_draws=30, anneal=None)
    for landmarks in (None, 60):
        series = DistanceSeries.from_features(X - X.min(), time=time, metric="braycurtis", landmarks=landmarks)
        draws = run_chains(series, model, settings).draws[0]
        assert np.mean([adjusted_rand_score(group[time == t], draws.labels_at(t)[-1]) for t in range(T)]) > 0.9


def test_a_matrix_on_disk_is_read_in_part(tmp_path):
    X, _, time = groups(5)
    np.save(tmp_path / "D.npy", squareform(pdist(X)))
    matrix = np.load(tmp_path / "D.npy", mmap_mode="r")
    series = DistanceSeries.from_pooled(matrix, time=time, squared=False, landmarks=12)
    assert_allclose(np.asarray(series.D[1]), cdist(X[time == 1], X[time == 1], "sqeuclidean"), atol=1e-9)
    assert series.features is None
    DistanceSeries.from_pooled(pd.DataFrame(np.asarray(matrix)), time=time, squared=False, landmarks=12)
    assert "12 landmarks" in repr(series)


def test_files_and_pickles_keep_what_is_known_of_the_approximation(tmp_path):
    X, _, time = groups(40)
    series = DistanceSeries.from_features(X, time=time, landmarks=10, ids=np.arange(N))
    write_series(tmp_path / "data.nc", series)
    for again in (read_series_file(tmp_path / "data.nc"), pickle.loads(pickle.dumps(series))):
        assert again.approximation == series.approximation
        assert_allclose(np.asarray(again.D[2]), np.asarray(series.D[2]), atol=1e-12)
        assert_allclose(again.features.rows[1], series.features.rows[1])
    assert any("from those to 10 landmarks" in fact for fact in data_facts(series))


def test_identical_objects_stay_together():
    X, _, _ = groups(30, n=12)
    X = np.repeat(X, 20, axis=0)
    for metric in ("euclidean", "cityblock"):
        series = DistanceSeries.from_features(X, time=np.zeros(240), metric=metric, landmarks=8)
        D = np.asarray(series.D[0])
        assert_allclose(D[:20, :20], 0, atol=1e-9)
        assert D[0, 20] > 1


def test_a_rough_approximation_is_called_so():
    true = squareform(pdist(groups(3)[0], "sqeuclidean"))
    assert not compared(true, 1.01 * true, 7).is_rough
    assert compared(true, 1.05 * true, 7).is_rough
    assert compared(true, 0.9 * true, 7).warning == "7 landmarks are few for these data: clusters may differ; take more"
    duplicates = np.kron(true[:5, :5], np.ones((4, 4)))
    assert compared(duplicates, duplicates + 1 - np.eye(20), 7).is_rough


def test_what_is_shown_is_measured_on_near_objects():
    true = squareform(pdist(groups(3)[0], "sqeuclidean"))
    assert compared(true, 1.25 * true, 7).near == pytest.approx(1.25)
    assert str(compared(true, true, 7)).startswith("distances are approximate, from those to 7 landmarks: in a sample")
    duplicates = np.zeros((5, 5))
    assert compared(duplicates, duplicates, 3).near == 1.0


@pytest.mark.parametrize("landmarks", [2, N + 1, 10.5, "many", True])
def test_numbers_that_cannot_be(landmarks):
    X, _, time = groups(4)
    with pytest.raises(DataError, match="landmarks must be a whole number from 3 to 150"):
        DistanceSeries.from_features(X, time=time, landmarks=landmarks)


def test_faults():
    X, _, time = groups(4)
    with pytest.raises(DataError, match="without a matrix"):
        DistanceSeries.from_features(X, time=time, landmarks=10, matrix=True)
    D = squareform(pdist(X))
    for wrong, message in ((np.nan, "not finite"), (-1.0, "negative")):
        E = D.copy()
        E[:, 3] = E[3] = wrong
        with pytest.raises(DataError, match=message):
            DistanceSeries.from_pooled(E, time=time, squared=False, landmarks=149)
    for wrong, message in ((1 / (1 + D), "nonzero diagonal"), (D + np.triu(D), "not symmetric")):
        with pytest.raises(DataError, match=message):
            DistanceSeries.from_pooled(wrong, time=time, squared=True, landmarks=20)
    with pytest.raises(DataError, match="symmetrize needs the whole matrix"):
        DistanceSeries.from_pooled(D, time=time, squared=True, landmarks=20, symmetrize="mean")
    with pytest.raises(DataError, match="sparse rows"):
        DistanceSeries.from_features(csr_array(np.abs(X)), time=time, metric="braycurtis", landmarks=20)
    X[:3] = 0
    with pytest.raises(DataError, match=r"braycurtis distance between rows \d and \d is nan"):
        DistanceSeries.from_features(np.abs(X), time=time, metric="braycurtis", landmarks=149)
    with pytest.raises(DataError, match="square"):
        DistanceSeries.from_pooled(D[:, :5], time=time, squared=False, landmarks=10)
    with pytest.raises(DataError, match="identical"):
        DistanceSeries.from_features(np.ones((N, 2)), time=time, landmarks=10)


def test_a_table_read_with_landmarks_says_how_close_they_come(tmp_path):
    X, _, time = groups(4)
    pd.DataFrame(X - X.min()).add_prefix("x").assign(time=time).to_csv(tmp_path / "x.csv", index=False)
    found = read_series([tmp_path / "x.csv"], DataSettings(metric="braycurtis", landmarks=25))
    assert found.series.approximation.n_landmarks == 25
    assert any("from those to 25 landmarks" in remark for remark in found.remarks)
    with pytest.raises(SettingsError, match="landmarks must be a whole number, at least 3"):
        DataSettings(landmarks=1)


def test_one_matrix_on_disk_per_epoch(tmp_path):
    matrices, wanted = [], []
    for t, n in enumerate((90, 120)):
        X, _, _ = groups(6 + t, n)
        wanted.append(cdist(X, X, "sqeuclidean"))
        np.save(tmp_path / f"{t}.npy", np.sqrt(wanted[-1]))
        matrices.append(np.load(tmp_path / f"{t}.npy", mmap_mode="r"))
    series = DistanceSeries.from_distances(matrices, squared=False, landmarks=30, times=[2001, 2003])
    assert not series.has_matrices
    assert series.times == (2001, 2003)
    for D, true in zip(series.D, wanted, strict=True):
        assert_allclose(np.asarray(D), true, atol=1e-8)
    assert series.approximation.n_landmarks == 30
    assert series.approximation.near == pytest.approx(1.0)
    fitted = run_chains(series, Hyperparameters(dof=5.0), SamplerSettings(n_chains=1, n_warmup=3, n_draws=3))
    assert fitted.complete
    matrices[1] = np.array(matrices[1])
    matrices[1][3] = matrices[1][:, 3] = np.nan
    with pytest.raises(DataError, match=r"^D\[1\] \(2003\) has values that are not finite"):
        DistanceSeries.from_distances(matrices, squared=False, landmarks=120, times=[2001, 2003])
    with pytest.raises(DataError, match="symmetrize needs whole matrices; leave out landmarks"):
        DistanceSeries.from_distances(matrices, squared=False, landmarks=30, symmetrize="mean")


def test_directions_that_carry_next_to_nothing_go_into_heights():
    rng = rng_for(33)
    X = rng.standard_normal((300, 60)) * np.where(np.arange(60) < 25, 3.0, 0.02)
    series = DistanceSeries.from_features(X, time=np.zeros(300, dtype=int), landmarks=100)
    assert series.D[0].rows.indptr[1] == 25 + 1  # and the height
    assert_allclose(np.asarray(series.D[0]).sum(), cdist(X, X, "sqeuclidean").sum(), rtol=1e-3)
