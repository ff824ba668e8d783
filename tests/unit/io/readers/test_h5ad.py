"""AnnData files: the matrix in obsp, names and times from obs."""

import re
import sys

import numpy as np
import pytest

from reference import random_distances, rng_for
from tetiwd import memory
from tetiwd.errors import DataError, MemoryLimitError
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.read import read_series

SQUARED = DataSettings(squared=True)
D = random_distances(rng_for(82), 9, 3)
TIME = [2, 1, 2] * 3
NAMES = [f"cell{i}" for i in range(9)]


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write x.h5ad with a matrix and the columns of obs."""
    anndata = pytest.importorskip("anndata")
    pd = pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)

    def write_file(matrix=D, name="distances", index=NAMES, **obs):
        data = anndata.AnnData(np.zeros((len(index), 2)), obs=pd.DataFrame(obs or {"time": TIME}, index=index))
        if matrix is not None:
            data.obsp[name] = matrix
        data.write_h5ad("x.h5ad")
        return tmp_path / "x.h5ad"

    return write_file


def settings(**options):
    return DataSettings(**({"squared": True} | options))


def test_round_trip(write):
    write()
    found = read_series(["x.h5ad"], settings(cross=True))
    rows = [np.flatnonzero(np.array(TIME) == t) for t in (1, 2)]
    assert found.format == "h5ad"
    assert found.series.times == (1, 2)
    assert [own.tolist() for own in found.series.ids] == [[NAMES[i] for i in own] for own in rows]
    assert all(np.array_equal(a, D[np.ix_(own, own)]) for a, own in zip(found.series.D, rows, strict=True))
    order = np.concatenate(rows)
    assert np.array_equal(found.series.cross, D[np.ix_(order, order)])
    assert read_series(["x.h5ad"], settings(cross=False)).series.cross is None


def test_other_names(write):
    write(np.sqrt(D), "plain", day=["2004 Q1", "Q3 2003", "2004 Q1"] * 3, donor=[f"d{i}" for i in range(9)])
    found = read_series(["x.h5ad"], settings(squared=False, obsp="plain", time="day", id="donor"))
    assert found.series.times == ("Q3 2003", "2004 Q1")
    assert found.series.ids[0].tolist() == ["d1", "d4", "d7"]
    assert np.array_equal(found.series.D[0], np.sqrt(D)[1::3, 1::3] ** 2)


def test_text_without_order(write):
    write(time=["b", "a", "b"] * 3)
    with pytest.raises(DataError, match=r"^x\.h5ad: these times are text whose order in time is not known: 'b', 'a'"):
        read_series(["x.h5ad"], SQUARED)
    assert read_series(["x.h5ad"], settings(times=("a", "b"))).series.times == ("a", "b")


def test_ordered_categories_and_dates(write):
    pd = pytest.importorskip("pandas")
    write(time=pd.Categorical(["late", "early", "late"] * 3, ["early", "mid", "late"], ordered=True))
    assert read_series(["x.h5ad"], SQUARED).series.times == ("early", "late")
    write(time=["2014-08-05", "2013-01-01", "2014-01-02"] * 3)
    assert read_series(["x.h5ad"], settings(by="year")).series.times == (2013, 2014)


@pytest.mark.parametrize("diagonal", [False, True])
def test_sparse_and_complete(write, diagonal):
    sparse = pytest.importorskip("scipy.sparse")
    rows, columns = np.nonzero(np.ones((9, 9)) if diagonal else 1 - np.eye(9))
    same = D.copy()
    same[0, 3] = same[3, 0] = 0  # stored, therefore known
    write(sparse.csr_matrix((same[rows, columns], (rows, columns)), shape=(9, 9)))
    assert np.array_equal(read_series(["x.h5ad"], SQUARED).series.D[1], same[np.ix_(*[[0, 2, 3, 5, 6, 8]] * 2)])


def test_sparse_with_gaps(write):
    sparse = pytest.importorskip("scipy.sparse")
    write(sparse.csr_matrix(np.where(np.median(D) > D, D, 0)))
    message = (
        r"^x\.h5ad: obsp 'distances' is sparse and holds \d+ of 72 values; those that are not stored are unknown, not 0"
    )
    with pytest.raises(DataError, match=message):
        read_series(["x.h5ad"], SQUARED)
    rows, columns = np.nonzero(np.ones((9, 9)))
    keep = (rows != 0) | (columns != 4)
    write(sparse.csr_matrix((D[rows, columns][keep] + 1, (rows[keep], columns[keep])), shape=(9, 9)))
    with pytest.raises(DataError, match="holds 71 of 72 values"):
        read_series(["x.h5ad"], SQUARED)


def test_similarities(write):
    sparse = pytest.importorskip("scipy.sparse")
    X = rng_for(83).integers(1, 9, size=(9, 2)).astype(float)
    kernel = DataSettings(kind="similarities")
    write(X @ X.T)
    assert np.array_equal(read_series(["x.h5ad"], kernel).series.matrices[0], (X @ X.T)[1::3, 1::3])
    write(sparse.csr_matrix(X @ X.T - np.diag(np.diag(X @ X.T))))
    with pytest.raises(DataError, match="holds 72 of 81 values"):
        read_series(["x.h5ad"], kernel)


def spoiled(i, j, value):
    bad = D.copy()
    bad[i, j] = bad[j, i] = value
    return bad


FAULTS = {
    "no obsp": ({"matrix": None}, {}, "obsp has no 'distances'; name one with obsp (there are none)"),
    "other obsp": ({}, {"obsp": "other"}, "obsp has no 'other'; name one with obsp (there are distances)"),
    "no time": ({"day": TIME}, {}, "obs has no column 'time'; name it with time (its columns are day)"),
    "no id": ({}, {"id": "who"}, "obs has no column 'who', which id names"),
    "time missing": ({"time": [1.0, 1.0, np.nan] * 3}, {}, "obs, column time, row 2: there is no time"),
    "category missing": ({"time": ["a", None, "a"] * 3}, {}, "obs, column time, row 1: there is no time"),
    "no dates": ({"time": ["soon"] * 9}, {"by": "year"}, "obs, column time, row 0: 'soon' is not a date"),
    "NaN": ({"matrix": spoiled(0, 2, np.nan)}, {}, "D[1] (2) has NaN at ('cell0', 'cell2')"),
    "negative": ({"matrix": spoiled(0, 2, -1.0)}, {}, "D[1] (2) has a negative value at ('cell0', 'cell2'): -1"),
    "diagonal": ({"matrix": spoiled(4, 4, 1.0)}, {}, "D[0] (1) has a nonzero diagonal: 1 at object 'cell4'"),
    "complex": ({"matrix": D.astype(complex)}, {}, "D* holds complex numbers"),
    "small epoch": ({"time": [1] * 8 + [2]}, {}, "D[1] (2) has 1 object, too few"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault(write, fault):
    content, options, message = FAULTS[fault]
    write(**content)
    with pytest.raises(DataError, match="^" + re.escape(f"x.h5ad: {message}")):
        read_series(["x.h5ad"], settings(**options))


@pytest.mark.filterwarnings("ignore:Observation names are not unique")
def test_names_twice(write):
    write(index=["a"] * 9)
    with pytest.raises(DataError, match=re.escape("x.h5ad: epoch 0 (1) has the id 'a' twice")):
        read_series(["x.h5ad"], SQUARED)


def test_not_an_h5ad_file(write):
    path = write()
    h5py = pytest.importorskip("h5py")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"^x\.h5ad: is not an h5ad file, or damaged \("):
        read_series(["x.h5ad"], SQUARED)
    path.write_bytes(b"junk" * 100)
    with pytest.raises(DataError, match=r"^x\.h5ad: is not an h5ad file, or damaged \("):
        read_series(["x.h5ad"], SQUARED)
    with h5py.File(path, "w") as stored:
        stored["other"] = 1
    with pytest.raises(DataError, match=r"^x\.h5ad: has no obs; this is not an h5ad file"):
        read_series(["x.h5ad"], SQUARED)
    with h5py.File(path, "w") as stored:
        stored["obs"] = np.zeros(3, dtype=[("time", int)])
    with pytest.raises(DataError, match=r"^x\.h5ad: has its obs in an old form"):
        read_series(["x.h5ad"], SQUARED)


def test_a_matrix_of_another_size(write):
    path = write()
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "a") as stored:
        del stored["obsp/distances"]
        stored["obsp/distances"] = np.ones((8, 8))
    with pytest.raises(DataError, match=r"^x\.h5ad: obsp has shape \(8, 8\) for 9 objects"):
        read_series(["x.h5ad"], SQUARED)


def test_several_files(write):
    path = write()
    (path.parent / "y.h5ad").write_bytes(path.read_bytes())
    with pytest.raises(DataError, match=r"^y\.h5ad: one h5ad file with the times of all objects is expected"):
        read_series(["x.h5ad", "y.h5ad"], SQUARED)


def test_without_anndata(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.h5ad").write_bytes(b"junk")
    for name in ("anndata", "anndata.io", "anndata.experimental"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(
        DataError, match=re.escape("x.h5ad: h5ad files need anndata, which is not installed; install it with")
    ):
        read_series(["x.h5ad"], SQUARED)


def test_size_is_checked_from_the_file(write, monkeypatch):
    path = write()
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "a") as stored:
        del stored["obsp/distances"]
        stored["obsp"].create_dataset("distances", shape=(10**6, 10**6), chunks=(100, 100), dtype=float)
    monkeypatch.setattr(memory, "available_memory", lambda: (10**9, "says the test"))
    with pytest.raises(
        MemoryLimitError, match=re.escape("x.h5ad: obsp 'distances' of shape (1000000, 1000000) takes 7,450.58")
    ):
        read_series(["x.h5ad"], SQUARED)


def dataset(parent, name, shape, kind):
    """Takes no room on disk."""
    del parent[name]
    found = parent.create_dataset(name, shape, kind, chunks=(10**6,))
    found.attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})


MANY = {
    "names": (lambda stored, h5py: dataset(stored["obs"], "_index", (5 * 10**8,), h5py.string_dtype()), "96.86"),
    "times": (lambda stored, h5py: dataset(stored["obs"], "time", (5 * 10**8,), "i1"), "47.03"),
}


@pytest.mark.parametrize("which", MANY)
@pytest.mark.parametrize("options", [{}, {"obsm": "X"}], ids=["distances", "features"])
def test_rows_of_obs_are_counted_before_they_are_read(write, which, options, monkeypatch):
    path = write()
    h5py = pytest.importorskip("h5py")
    spoil, size = MANY[which]
    with h5py.File(path, "a") as stored:
        spoil(stored, h5py)
    monkeypatch.setattr(memory, "available_memory", lambda: (10**9, "says the test"))
    with pytest.raises(MemoryLimitError, match=rf"^x\.h5ad: the table of 500,000,000 rows takes {size} GiB"):
        read_series(["x.h5ad"], DataSettings(**options) if options else SQUARED)


@pytest.mark.parametrize("options", [{}, {"obsm": "X"}], ids=["distances", "features"])
def test_a_long_text_that_rows_share_is_counted(write, options, monkeypatch):
    path = write()
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "a") as stored:
        del stored["obs/_index"]
        names = stored["obs"].create_dataset("_index", (5_000,), h5py.string_dtype(), fillvalue="x" * 10**6)
        names.attrs.update({"encoding-type": "string-array", "encoding-version": "0.2.0"})
    assert path.stat().st_size < 3 * 10**6
    monkeypatch.setattr(memory, "available_memory", lambda: (10**9, "says the test"))
    with pytest.raises(MemoryLimitError, match=r"^x\.h5ad: the table of 5,000 rows takes 41\.91 GiB"):
        read_series(["x.h5ad"], DataSettings(**options) if options else SQUARED)


def test_what_is_stored_of_a_sparse_matrix_is_counted(write, monkeypatch):
    sparse = pytest.importorskip("scipy.sparse")
    path = write(sparse.csr_matrix(D + 1))
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "a") as stored:
        for name, kind in (("data", "f8"), ("indices", "i4")):
            dataset(stored["obsp/distances"], name, (5 * 10**8,), kind)
    monkeypatch.setattr(memory, "available_memory", lambda: (10**9, "says the test"))
    with pytest.raises(MemoryLimitError, match=r"^x\.h5ad: obsp 'distances' of shape \(9, 9\) takes 24\.21 GiB"):
        read_series(["x.h5ad"], SQUARED)
