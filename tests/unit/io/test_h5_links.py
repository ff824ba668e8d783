"""Links in HDF5 files: those to other files are not followed, and many names of few things are not looked at."""

import h5py
import numpy as np
import pandas as pd
import pytest
import xarray as xr

from tetiwd.data import DistanceSeries
from tetiwd.errors import DataError
from tetiwd.io import h5_links
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.metadata_table import read_metadata
from tetiwd.io.netcdf import reading, write_netcdf
from tetiwd.io.read import read_series

N = 9
NAMES = list("abcdefghi")
SERIES = DistanceSeries.from_distances([1.0 - np.eye(3)] * 3, squared=True, ids=[NAMES[:3], NAMES[3:6], NAMES[6:]])
READ = {
    "distances": lambda path: read_series([path], DataSettings(squared=True)),
    "features": lambda path: read_series([path], DataSettings(obsm="X")),
    "metadata": lambda path: read_metadata(path, SERIES),
}
anyhow = pytest.mark.parametrize("read", READ.values(), ids=READ)


@pytest.fixture
def file(here):
    anndata = pytest.importorskip("anndata")
    data = anndata.AnnData(np.eye(N, 2), obs=pd.DataFrame({"time": [1, 2, 1] * 3, "age": np.arange(9.0)}, index=NAMES))
    data.obsp["distances"] = 1 - np.eye(N)
    data.write_h5ad("x.h5ad")
    data.write_h5ad("other.h5ad")
    for read in READ.values():
        read(here / "x.h5ad")
    return here / "x.h5ad"


@pytest.fixture
def stored(tmp_path):
    path = tmp_path / "a.nc"
    write_netcdf(path, xr.Dataset({"x": ("n", np.arange(5.0))}))
    return path


def open_netcdf(path):
    with reading(path, "write it again"), xr.open_dataset(path, engine="h5netcdf") as data:
        return data["x"].to_numpy()


def many_names(file, group, last):
    """A million names of one array."""
    groups = [group, file.create_group("more"), file.create_group("most")]
    for here, inner in zip(groups, [*groups[1:], last], strict=True):
        for i in range(100):
            here[f"name {i}"] = inner


@anyhow
@pytest.mark.parametrize("name", ["obs/time", "obsp/distances", "X", "obs"])
def test_other_files_are_not_read(file, read, name):
    with h5py.File(file, "a") as changed:
        del changed[name]
        changed[name] = h5py.ExternalLink(str(file.with_name("other.h5ad")), f"/{name}")
    with pytest.raises(DataError, match=rf"x\.h5ad: is not an h5ad file, or damaged \(/{name} is in another file\)"):
        read(file)


@anyhow
def test_other_files_are_not_read_by_a_detour(file, read):
    with h5py.File(file, "a") as changed:
        changed["elsewhere"] = h5py.ExternalLink(str(file.with_name("other.h5ad")), "/")
        for name in ("obs", "obsp"):
            del changed[name]
            changed[name] = h5py.SoftLink(f"/elsewhere/{name}")
    with pytest.raises(DataError, match=r"\(/elsewhere is in another file\)"):
        read(file)


def test_other_files_are_not_read_for_a_run(stored):
    with h5py.File(stored, "a") as changed:
        del changed["x"]
        changed["x"] = h5py.ExternalLink("other.nc", "/x")
    with pytest.raises(DataError, match=r"a\.nc cannot be read \(/x is in another file\); write it again"):
        open_netcdf(stored)


@anyhow
def test_many_names_of_few_arrays_are_refused(file, read):
    with h5py.File(file, "a") as changed:
        del changed["obs/time"]
        many_names(changed, changed.create_group("obs/time"), changed["X"])
    with pytest.raises(DataError, match=r"\(groups and arrays at /obs(/time)? are there under thousands of names\)"):
        read(file)


def test_many_names_of_few_arrays_of_a_run_are_refused(stored):
    with h5py.File(stored, "a") as changed:
        many_names(changed, changed.create_group("w"), changed["x"])
    with pytest.raises(DataError, match=r"\(groups and arrays at / are there under thousands of names\)"):
        open_netcdf(stored)


@anyhow
def test_more_links_than_a_file_has_are_refused(file, read, monkeypatch):
    monkeypatch.setattr(h5_links, "MOST_LINKS", 10)
    with pytest.raises(DataError, match=r"\(there are more than 10 links, or 32 groups within groups\)"):
        read(file)
    monkeypatch.setattr(h5_links, "MOST_LINKS", 10**5)
    with h5py.File(file, "a") as changed:
        changed["/".join(["deep"] * 50)] = 1.0
    with pytest.raises(DataError, match=r"\(there are more than 100,000 links, or 32 groups within groups\)"):
        read(file)


@anyhow
def test_links_within_a_file_are_followed(file, read):
    with h5py.File(file, "a") as changed:
        changed.move("obs/time", "times")
        changed["obs/time"] = h5py.SoftLink("/times")
        changed["distances"] = changed["obsp/distances"]
    read(file)
