"""Sparse matrices in files: what points outside is refused before scipy would follow it, and crash."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csc_matrix, csr_array, csr_matrix, save_npz

from reference import rng_for
from tetiwd import memory
from tetiwd.data import DistanceSeries
from tetiwd.errors import DataError, MemoryLimitError
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.metadata_table import read_metadata
from tetiwd.io.netcdf import SEALED
from tetiwd.io.read import read_series
from tetiwd.io.series_file import read_series_file, write_series
from tetiwd.io.sparse_parts import check_sparse

N, P = 12, 3
X = np.round(rng_for(94).standard_normal((N, P)), 2)
TIME = [1, 2] * 6
SERIES = DistanceSeries.from_features(X, time=TIME, ids=[f"cell{i}" for i in range(N)])
FEATURES, DISTANCES = DataSettings(obsm="X"), DataSettings(squared=True)


def to_place(value):
    return lambda parts: parts["indices"].__setitem__(5, value)


def to_end(value, at=2):
    return lambda parts: parts["indptr"].__setitem__(at, value)


def longer(name):
    return lambda parts: parts.__setitem__(name, np.append(parts[name], parts[name][-1]))


SPOIL = {
    "a place too far": (to_place(40), "has values outside its"),
    "a place far away": (to_place(2**31), "has values outside its"),
    "a place before the first": (to_place(-1), "has values outside its"),
    "an end too far": (to_end(10**12), "has ends that do not rise from 0 to that"),
    "an end before the first": (to_end(-(10**6)), "has ends that do not rise from 0 to that"),
    "another start": (to_end(1, at=0), "has ends that do not rise from 0 to that"),
    "another last end": (to_end(10**9, at=-1), "has ends that do not rise from 0 to that"),
    "too many ends": (longer("indptr"), r"has \d+ ends"),
    "too many places": (longer("indices"), r"has \d+ values at \d+ places"),
    "too many values": (longer("data"), "has ends that do not rise from 0 to that"),
    "places between places": (
        lambda parts: parts.__setitem__("indices", parts["indices"] + 0.5),
        "are not lists of numbers",
    ),
}
all_faults = pytest.mark.parametrize(("spoil", "says"), SPOIL.values(), ids=SPOIL)


def spoil_h5(path, group, names, spoil):
    """Change the parts of a matrix that is in an HDF5 file."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "a") as file:
        where, kept = file[group], {}
        parts = {}
        for part, name in names.items():
            parts[part] = where[name][()].astype(float if part == "data" else np.int64)
            kept[part] = dict(where[name].attrs)
        spoil(parts)
        for part, name in names.items():
            del where[name]
            where[name] = parts[part]
            where[name].attrs.update({key: value for key, value in kept[part].items() if key.startswith("encoding")})


@pytest.fixture
def write(here):
    anndata = pytest.importorskip("anndata")

    def write_file(rows, form):
        obs = pd.DataFrame({"time": TIME}, index=[f"cell{i}" for i in range(N)])
        data = anndata.AnnData(form(rows), obs=obs)
        data.obsp["distances"] = form(np.ones((N, N)) - np.eye(N))
        data.write_h5ad("x.h5ad")

    return write_file


@all_faults
@pytest.mark.parametrize(("group", "settings"), [("X", FEATURES), ("obsp/distances", DISTANCES)])
@pytest.mark.parametrize("form", [csr_matrix, csc_matrix])
def test_in_h5ad_files(write, form, group, settings, spoil, says):
    write(X, form)
    read_series(["x.h5ad"], settings)
    spoil_h5("x.h5ad", group, {name: name for name in ("data", "indices", "indptr")}, spoil)
    with pytest.raises(DataError, match=rf"^x\.h5ad: is not an h5ad file, or damaged \(.*{says}"):
        read_series(["x.h5ad"], settings)


def test_within_tables_of_h5ad_files(here, write):
    h5py = pytest.importorskip("h5py")
    write(X, csr_matrix)
    with h5py.File("x.h5ad", "a") as file:
        file["obs/kind/indptr"] = np.arange(3)
        file["obs/kind"].attrs["encoding-type"] = "csr_matrix"
    with pytest.raises(DataError, match=r"damaged \(there is a sparse matrix within /obs"):
        read_metadata(here / "x.h5ad", SERIES)


@all_faults
@pytest.mark.parametrize("form", ["tocsr", "tocsc"])
def test_in_npz_files(here, form, spoil, says):
    save_npz("x.npz", getattr(csr_array(X), form)())
    read_series(["x.npz"], DataSettings(format="features"))
    with np.load("x.npz") as stored:
        parts = {name: stored[name] for name in stored.files}
    for name in ("indices", "indptr"):
        parts[name] = parts[name].astype(np.int64)
    spoil(parts)
    np.savez("x.npz", **parts)
    with pytest.raises(DataError, match=rf"^x\.npz: holds a sparse matrix that is damaged \(.*{says}"):
        read_series(["x.npz"], DataSettings(format="features"))


@all_faults
def test_in_run_folders(tmp_path, spoil, says):
    path = tmp_path / "data.nc"
    write_series(path, DistanceSeries.from_features(csr_array(X), time=TIME))
    read_series_file(path)
    path.write_bytes(path.read_bytes()[:-SEALED])
    h5py = pytest.importorskip("h5py")
    with h5py.File(path) as file:
        width = int(file["rows_ends"][-1])
    names = {"data": "rows_values", "indices": "rows_columns", "indptr": "rows_ends"}

    def spoil_but_width(parts):
        parts["indptr"] = parts["indptr"][:-1]
        spoil(parts)
        parts["indptr"] = np.append(parts["indptr"], width)

    spoil_h5(path, "/", names, spoil_but_width)
    with pytest.raises(DataError, match=r"^data\.nc cannot be read \("):
        read_series_file(path)


def test_columns_beyond_memory_are_refused_before_anything_is_kept_of_them(monkeypatch):
    parts = np.ones(1), np.zeros(1, int), np.array([0, 1])
    monkeypatch.setattr(memory, "available_memory", lambda: (10**9, "says the test"))
    check_sparse(*parts, (1, 10**6))
    with pytest.raises(MemoryLimitError, match=r"of 1 row and 1,000,000,000 columns takes 59\.60 GiB"):
        check_sparse(*parts, (1, 10**9))
    with pytest.raises(MemoryLimitError, match=r"of 1,000,000,000 rows and 1 column takes 59\.60 GiB"):
        check_sparse(*parts, (10**9, 1), "csc")
