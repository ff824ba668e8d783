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


@pytest.mark.parametrize("compressed", [False, True])
def test_it_is_what_xarray_would_have_written(compressed, tmp_path):
    values = {
        "numbers": (("row", "column"), np.array([[0.5, np.nan, -0.0], [1e300, -np.inf, 2.0]])),
        "small": (("row",), np.array([1, 2], dtype=np.uint16)),
        "none": (("row", "nobody"), np.empty((2, 0))),
        "letters": (("column",), np.array(["ä", "", "\N{GREEK SMALL LETTER ALPHA}b"], dtype=object)),
    }
    data = xr.Dataset(values, {"row": [3, 5], "nobody": np.array([], dtype=object)}, {"every": 10, "text": ""})
    tree = xr.DataTree.from_dict({"/": xr.Dataset(attrs={"share": 0.25}), "posterior": data, "alone": data[["small"]]})
    write_netcdf(tmp_path / "ours.nc", tree, compressed=compressed)
    tree.to_netcdf(tmp_path / "theirs.nc", engine="h5netcdf")
    found = [xr.open_datatree(tmp_path / name, engine="h5netcdf").load() for name in ("ours.nc", "theirs.nc")]
    assert found[0].identical(found[1])
    assert all(found[0]["posterior"][name].dtype == found[1]["posterior"][name].dtype for name in values)
    with h5py.File(tmp_path / "ours.nc") as stored:
        numbers = stored["posterior/numbers"]
        assert numbers.compression == ("gzip" if compressed else None)
        assert [scale[0].name for scale in numbers.dims] == ["/posterior/row", "/posterior/column"]
