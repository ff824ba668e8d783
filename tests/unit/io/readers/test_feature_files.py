"""Features in npy, npz and h5ad files: the same series as from the rows themselves, and the same errors."""

import numpy as np
import pytest
from scipy.sparse import csr_array, save_npz

from reference import rng_for
from tetiwd import DistanceSeries, memory
from tetiwd.errors import DataError, MemoryLimitError, SettingsError
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.read import read_series

X = np.round(rng_for(90).standard_normal((12, 3)), 2)
TIME = np.array([2, 1, 2] * 4)
NAMES = [f"cell{i}" for i in range(12)]
FEATURES = DataSettings(format="features")


def assert_same(found, rows=X, ids=None, **options):
    """The series that was read is the one of these rows."""
    wanted = DistanceSeries.from_features(rows, time=TIME, ids=ids, **options)
    assert found.times == wanted.times
    assert found.has_matrices == wanted.has_matrices
    assert all(np.array_equal(a[:], b[:]) for a, b in zip(found.D, wanted.D, strict=True))
    known = [None if series.ids is None else [own.tolist() for own in series.ids] for series in (found, wanted)]
    assert known[0] == known[1]


@pytest.mark.parametrize("matrix", [None, False])
def test_an_archive_with_rows_called_x_is_recognised(here, matrix):
    np.savez("all.npz", X=X, time=TIME, ids=NAMES)
    found = read_series(["all.npz"], DataSettings(matrix=matrix))
    assert found.format == "feature-arrays"
    assert_same(found.series, ids=NAMES, matrix=matrix)
    assert "features used: 3" in found.remarks


def test_one_array_with_a_table_of_objects(here):
    np.save("x.npy", X)
    lines = [f"{name},{time}" for name, time in zip(NAMES, TIME, strict=True)]
    (here / "who.csv").write_text("\n".join(["id,time", *lines]) + "\n")
    found = read_series(["x.npy"], DataSettings(format="features", objects="who.csv", metric="cosine"))
    assert_same(found.series, ids=NAMES, metric="cosine")


@pytest.mark.parametrize("write", [np.save, lambda name, rows: save_npz(name, csr_array(rows))])
def test_one_file_per_time(here, write):
    ending = "npy" if write is np.save else "npz"
    for t in (1, 2):
        write(f"x_{t}.{ending}", X[t == TIME])
    found = read_series([f"x_2.{ending}", f"x_1.{ending}"], FEATURES)
    assert_same(found.series, X if ending == "npy" else csr_array(X))


def test_a_single_array_is_one_time(here):
    np.save("x.npy", X)
    assert read_series(["x.npy"], FEATURES).series.n_objects == (12,)


@pytest.mark.parametrize("form", ["tocsr", "tocsc"])
def test_sparse_rows_stay_sparse(here, form):
    save_npz("x.npz", getattr(csr_array(X), form)())
    found = read_series(["x.npz"])
    assert found.series.matrices[0].is_sparse
    assert np.allclose(found.series.D[0][:], DistanceSeries.from_features(X, time=[0] * 12).D[0], atol=1e-12)


FAULTS = {
    "NaN": (lambda: np.where(np.eye(12, 3) > 0, np.nan, X), "X has nan at row 0, column 0 (3 entries are not finite)"),
    "constant": (lambda: np.ones((12, 3)), "is zero everywhere"),
    "large": (lambda: np.where(np.eye(12, 3) > 0, 1e308, X), "divide the features by a constant"),
    "text": (lambda: np.array([["a", "b", "c"]] * 12), "holds text; convert it to real numbers"),
    "flat": (lambda: np.ones(12), "is of shape (6,); give one row per object and one column per feature"),
}


@pytest.mark.parametrize("matrix", [True, False])
@pytest.mark.parametrize("fault", FAULTS)
def test_faulty_features_are_refused(here, fault, matrix):
    make, says = FAULTS[fault]
    rows = make()
    for t in (1, 2):
        np.save(f"x_{t}.npy", rows[:6] if t == 1 else rows[6:])
    with pytest.raises(DataError) as error:
        read_series(["x_1.npy", "x_2.npy"], DataSettings(format="features", matrix=matrix))
    assert "x_1.npy" in str(error.value)
    assert says in str(error.value)


def test_other_faults_of_arrays(here):
    np.savez("two.npz", A=X, B=X)
    with pytest.raises(DataError, match=r"^two\.npz: holds 2 arrays \(A, B\) where one is expected; call the rows of"):
        read_series(["two.npz"], FEATURES)
    np.savez("time.npz", X=X, time=TIME[1:])
    with pytest.raises(DataError, match=r"the array 'time' has shape \(11,\) for 12 rows; give one time per row"):
        read_series(["time.npz"])
    np.savez("records.npz", X=X, time=np.zeros(12, [("a", "f8"), ("b", "U3")]))
    with pytest.raises(DataError, match=r"^records\.npz: the array 'time' holds neither text nor numbers nor dates"):
        read_series(["records.npz"])
    np.save("a_1.npy", X)
    np.save("a_2.npy", X[:, :2])
    with pytest.raises(DataError, match=r"^a_2\.npy: has 2 features, but a_1\.npy has 3; give the same features"):
        read_series(["a_1.npy", "a_2.npy"], FEATURES)
    with pytest.raises(DataError, match=r"^a_1\.npy: has no array 'day', which time names"):
        read_series(["a_1.npy"], DataSettings(format="features", time="day"))
    np.savez("bad.npz", data=np.ones(2), indices=np.array([0, 9]), indptr=np.array([0, 2]), shape=np.array([1, 3]))
    with pytest.raises(DataError, match=r"^bad\.npz: holds a sparse matrix that is damaged"):
        read_series(["bad.npz"])


@pytest.fixture
def write(here):
    """Write x.h5ad with features in X or obsm."""
    anndata = pytest.importorskip("anndata")
    pd = pytest.importorskip("pandas")

    def write_file(rows=X, **obsm):
        data = anndata.AnnData(rows, obs=pd.DataFrame({"time": TIME}, index=NAMES))
        for name, values in obsm.items():
            data.obsm[name] = values
        data.write_h5ad("x.h5ad")
        return here / "x.h5ad"

    return write_file


def test_features_in_x(write):
    write()
    for settings in (FEATURES, DataSettings(obsm="X")):
        found = read_series(["x.h5ad"], settings)
        assert found.format == "h5ad-features"
        assert_same(found.series, ids=NAMES)
        assert found.series.features.names == ("0", "1", "2")


@pytest.mark.parametrize("form", ["tocsr", "tocsc"])
def test_sparse_features_in_x(write, form):
    from scipy.sparse import csr_matrix

    write(getattr(csr_matrix(X), form)())
    found = read_series(["x.h5ad"], FEATURES).series
    assert found.matrices[0].is_sparse
    assert_same(found, csr_array(X), ids=NAMES)


def test_features_in_obsm(write):
    pd = pytest.importorskip("pandas")
    other = rng_for(91).standard_normal((12, 2))
    write(X_pca=other, named=pd.DataFrame(other, index=NAMES, columns=["a", "b"]))
    assert_same(
        read_series(["x.h5ad"], DataSettings(obsm="X_pca", matrix=False)).series, other, ids=NAMES, matrix=False
    )
    found = read_series(["x.h5ad"], DataSettings(obsm="named")).series
    assert found.features.names == ("a", "b")
    assert_same(found, other, ids=NAMES)
    with pytest.raises(DataError, match=r"^x\.h5ad: obsm has no 'X_umap'; name one with obsm \(there are .*X_pca"):
        read_series(["x.h5ad"], DataSettings(obsm="X_umap"))


def test_faulty_h5ad_features_are_refused(write):
    pd = pytest.importorskip("pandas")
    h5py = pytest.importorskip("h5py")
    write(np.where(np.eye(12, 3) > 0, np.nan, X))
    with pytest.raises(DataError, match=r"^x\.h5ad: X has nan at row 0, column 0"):
        read_series(["x.h5ad"], FEATURES)
    write(mixed=pd.DataFrame({"a": np.arange(12.0), "b": list("abcdefabcdef")}, index=NAMES))
    with pytest.raises(DataError, match=r"^x\.h5ad: obsm 'mixed' has columns that are no numbers"):
        read_series(["x.h5ad"], DataSettings(obsm="mixed"))
    path = write()
    with h5py.File(path, "a") as stored:
        kept = dict(stored["X"].attrs)
        del stored["X"]
        stored["X"] = np.zeros((12, 7))
        stored["X"].attrs.update(kept)
    with pytest.raises(DataError, match=r"^x\.h5ad: X has shape \(12, 7\) for 3 features; write it again"):
        read_series(["x.h5ad"], FEATURES)
    with h5py.File(path, "a") as stored:
        del stored["X"]
    with pytest.raises(DataError, match=r"^x\.h5ad: has no X; name a matrix with obsm \(there are none\)"):
        read_series(["x.h5ad"], FEATURES)


def test_large_h5ad_features_are_refused_before_they_are_read(write, monkeypatch):
    h5py = pytest.importorskip("h5py")
    with h5py.File(write(), "a") as stored:
        del stored["X"]
        stored.create_dataset("X", shape=(12, 10**9), chunks=(1, 1000), dtype=float)
    monkeypatch.setattr(memory, "available_memory", lambda: (10**9, "says the test"))
    with pytest.raises(MemoryLimitError, match=r"^x\.h5ad: X takes 89\.4"):
        read_series(["x.h5ad"], FEATURES)


def test_names_in_obsm_mean_nothing_for_other_files(here):
    (here / "x.csv").write_text("time,a\n" + "1,2\n1,3\n1,5\n")
    with pytest.raises(SettingsError, match=r'obsm="X_pca" is for the format h5ad-features, but x\.csv is read as'):
        read_series(["x.csv"], DataSettings(obsm="X_pca"))
