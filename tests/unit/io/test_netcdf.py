"""Files with a checksum after their end: any change is noticed, and other programs read them."""

import h5py
import numpy as np
import pytest
import xarray as xr

from tetiwd.errors import DataError
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
