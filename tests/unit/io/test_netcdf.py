"""Files with a checksum after their end: any change is noticed, and other programs read them."""

import zlib

import h5py
import numpy as np
import pytest
import xarray as xr

from tetiwd import memory
from tetiwd.errors import DataError, MemoryLimitError
from tetiwd.io.netcdf import SEALED, reading, write_netcdf


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.nc"
    write_netcdf(path, xr.Dataset({"x": ("n", np.arange(5.0)), "id": ("n", np.array(list("pqrst"), dtype=object))}))
    return path


def names(path):
    with reading(path, "write it again"), xr.open_dataset(path, engine="h5netcdf") as data:
        return data["id"].to_numpy().tolist()


def test_any_changed_byte_is_noticed(file):
    whole = file.read_bytes()
    assert names(file) == list("pqrst")
    for at in range(0, len(whole) - SEALED, 211):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(DataError, match=r"a.nc cannot be read \(its checksum is wrong\); write it again"):
            names(file)


def test_without_a_checksum_it_is_read_as_it_is(file):
    file.write_bytes(file.read_bytes()[:-SEALED])
    assert names(file) == list("pqrst")


def test_other_programs_may_change_it(file):
    with h5py.File(file, "r+") as stored:
        stored["x"][0] = 7.0
    assert names(file) == list("pqrst")


def many(stored):
    stored.create_dataset("y", (10**9,), "f8", chunks=(10**6,), compression="gzip")


def long_texts(stored):
    stored.create_dataset("y", (20_000,), h5py.string_dtype(), fillvalue="x" * 10**5)


@pytest.mark.parametrize(("spoil", "size"), [(many, "7.45"), (long_texts, "16.77")])
def test_more_than_memory_holds_is_refused_before_it_is_read(file, spoil, size, monkeypatch):
    with h5py.File(file, "r+") as stored:
        spoil(stored)
    assert file.stat().st_size < 10**6
    monkeypatch.setattr(memory, "available_memory", lambda: (10**9, "says the test"))
    with pytest.raises(MemoryLimitError, match=rf"reading a\.nc takes {size} GiB of memory, but only 0\.93 GiB"):
        names(file)


def test_a_chunk_that_swells_is_refused(file):
    with h5py.File(file, "r+") as stored:
        data = stored.create_dataset("y", (100,), "f8", chunks=(100,), compression="gzip")
        data.id.write_direct_chunk((0,), zlib.compress(bytes(10**9), 1))
    says = r"a\.nc cannot be read \(a chunk of /y unpacks to more than it should hold\); write it again"
    with pytest.raises(DataError, match=says):
        names(file)
