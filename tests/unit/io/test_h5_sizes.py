"""What h5ad files take in memory, before they are read: long texts that hide among short ones, chunks that swell."""

import re
import zlib

import numpy as np
import pandas as pd
import pytest

from tetiwd import memory
from tetiwd.data import DistanceSeries
from tetiwd.errors import DataError, MemoryLimitError
from tetiwd.io import h5_sizes
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.h5_attributes import length_of_attributes
from tetiwd.io.h5_sizes import BYTES_PER_LETTER, bytes_of
from tetiwd.io.metadata_table import read_metadata
from tetiwd.io.read import read_series

h5py = pytest.importorskip("h5py")
anndata = pytest.importorskip("anndata")

N, LONG, ROOM = 5_000, 10**6, 10**9
SEEN = np.linspace(0, N - 1, 30).round().astype(int)  # rows that look harmless
STORED = {
    "one piece": {},
    "chunks": {"chunks": (1000,)},
    "packed": {"chunks": (1000,), "compression": "gzip"},
    "packed otherwise": {"chunks": (1000,), "compression": "lzf"},
}
SETTINGS = {"distances": DataSettings(squared=True), "features": DataSettings(obsm="X")}
SERIES = DistanceSeries.from_distances([1.0 - np.eye(3)] * 2, squared=True, ids=[["a", "b", "c"], ["b", "c", "d"]])


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A file of nine objects that can be read, and little memory."""
    monkeypatch.chdir(tmp_path)
    data = anndata.AnnData(
        np.zeros((9, 2)),
        obs=pd.DataFrame({"time": [1, 2, 1] * 3, "kind": pd.Categorical(list("abc") * 3)}, index=list("abcdefghi")),
    )
    data.obsp["distances"] = 1 - np.eye(9)
    data.write_h5ad("x.h5ad")
    monkeypatch.setattr(memory, "available_memory", lambda: (ROOM, "says the test"))
    monkeypatch.setattr(h5_sizes, "available_memory", lambda: (ROOM, "says the test"))
    return tmp_path / "x.h5ad"


def hide(path, name, stored):
    """Put texts there of which almost all are one and the same long one; a text is a length and a place in the file."""
    with h5py.File(path, "a") as file:
        file["both"] = np.array(["short", "x" * LONG], dtype=h5py.string_dtype())
        place = file["both"].id.get_offset()
    short, long = (path.read_bytes()[place + 16 * i :][:16] for i in (0, 1))
    texts = [short if row in SEEN else long for row in range(N)]
    with h5py.File(path, "a") as file:
        attributes = dict(file[name].attrs)
        del file[name], file["both"]
        column = file.create_dataset(name, (N,), h5py.string_dtype(), **STORED[stored])
        column.attrs.update(attributes | {"encoding-type": "string-array", "encoding-version": "0.2.0"})
        if column.chunks is None:
            column[:] = "short"
            place = column.id.get_offset()
        for first in range(0, N, 1000) if column.chunks else ():
            chunk, left_out = b"".join(texts[first : first + 1000]), int(column.compression == "lzf")
            chunk = zlib.compress(chunk) if column.compression == "gzip" else chunk
            column.id.write_direct_chunk((first,), chunk, left_out)
    if stored == "one piece":
        with path.open("r+b") as stream:
            stream.seek(place)
            stream.write(b"".join(texts))
    with h5py.File(path) as file:
        column = file[name]
        assert [len(column[row]) for row in (*SEEN, 1, N // 2, N - 2)] == [5] * 30 + [LONG] * 3
    assert path.stat().st_size < 3 * LONG


def peak():
    """The most MiB that this process has taken so far."""
    resource = pytest.importorskip("resource")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@pytest.mark.parametrize("stored", STORED)
@pytest.mark.parametrize("name", ["obs/_index", "obs/time", "obs/kind/categories", "var/_index"])
def test_long_texts_that_hide_among_short_ones_are_counted(small, name, stored):
    hide(small, name, stored)
    before = peak()
    with pytest.raises(MemoryLimitError, match=r"x\.h5ad: the table of 5,000 rows takes ([0-9.]+) GiB") as refusal:
        read_series(["x.h5ad"], SETTINGS["features"]) if "kind" not in name else read_metadata(small, SERIES)
    assert float(re.search(r"takes ([0-9.]+) GiB", str(refusal.value))[1]) > 40
    assert peak() < before + 200


@pytest.mark.parametrize("name", ["obs/_index", "obs/time"])
def test_distances_and_new_objects_are_looked_at_as_well(small, name):
    hide(small, name, "packed")
    with pytest.raises(MemoryLimitError, match=r"^x\.h5ad: the table of 5,000 rows takes 41\.\d\d GiB"):
        read_series(["x.h5ad"], SETTINGS["distances"])


def test_texts_that_can_only_be_read_are_read_few_at_a_time(small, monkeypatch):
    hide(small, "obs/_index", "packed otherwise")
    monkeypatch.setattr(h5_sizes, "LZF", -1)  # as if it were a filter that is not known here
    before = peak()
    with pytest.raises(MemoryLimitError, match=r"^x\.h5ad: the table of 5,000 rows takes 0\.9\d GiB"):
        read_series(["x.h5ad"], SETTINGS["features"])
    assert peak() < before + 200


def test_all_texts_are_counted_whatever_their_layout(tmp_path):
    texts = np.array([["", "a", "é"], ["long" * 50, "b", "c"]], dtype=object)
    length = sum(len(text.encode()) for text in texts.flat)
    ways = [{}, {"chunks": (2, 2)}, {"chunks": (2, 2), "compression": "gzip"}, {"chunks": (2, 2), "compression": "lzf"}]
    with h5py.File(tmp_path / "x", "w", userblock_size=512) as file:
        for i, way in enumerate(ways):
            file.create_dataset(f"two {i}", (2, 3), h5py.string_dtype(), **way)[:] = texts
        file.create_dataset("line", (6,), h5py.string_dtype(), chunks=(4,), compression="lzf")[:] = texts.ravel()
        file["one"] = "hello"
        file.create_dataset("none", (4,), h5py.string_dtype())
        file.create_dataset("few", (9,), h5py.string_dtype(), chunks=(3,))[4] = "12345"
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_layout(h5py.h5d.COMPACT)
        kind = h5py.h5t.py_create(h5py.string_dtype(), logical=True)
        h5py.h5d.create(file.id, b"compact", kind, h5py.h5s.create_simple((6,)), properties)
        file["compact"][:] = texts.ravel()
    with h5py.File(tmp_path / "x") as file:
        each = h5_sizes.BYTES_PER_TEXT + file["one"].dtype.itemsize
        found = {name: (bytes_of(file[name]) - each * max(1, file[name].size)) / BYTES_PER_LETTER for name in file}
    others = {"line": length, "one": 5, "none": 0, "few": 5, "compact": length}
    assert found == {f"two {i}": length for i in range(4)} | others


@pytest.mark.parametrize("libver", ["earliest", "latest"])
@pytest.mark.parametrize("userblock", [0, 512])
def test_texts_in_attributes_are_counted(tmp_path, libver, userblock):
    with h5py.File(tmp_path / "x", "w", libver=libver, userblock_size=userblock) as file:
        group, data, apart = file.create_group("group"), file.create_dataset("data", (3,), "f4"), file.create_group("m")
        group.attrs.update({"many": np.array([f"{i:04}" for i in range(500)], dtype=h5py.string_dtype()), "n": [1, 2]})
        data.attrs.update(
            {"one": "12345", "two": np.array([["a", "b"]], dtype=h5py.string_dtype()), "short": np.bytes_("xx")}
        )
        apart.attrs.update({f"number {i}": "x" * i for i in range(20)})
    with h5py.File(tmp_path / "x") as file:
        found = [length_of_attributes(file[name]) for name in ("group", "data", "m")]
        at_most = 20 * file.id.get_filesize()
    assert found == [2000, 7, 190 if libver == "earliest" else at_most]


def test_a_list_of_columns_whose_names_are_one_long_text_is_refused(small):
    with h5py.File(small, "a") as file:
        names = np.array([*["short"] * 2000, "x" * LONG], dtype=h5py.string_dtype())
        file["obs"].attrs["column-order"] = names
    content = small.read_bytes()
    lengths = np.frombuffer(content[: len(content) // 4 * 4], "<u4")
    place = next(4 * i for i in np.flatnonzero(lengths == LONG) if content[4 * i - 16 : 4 * i - 12] == b"\5\0\0\0")
    long = content[place : place + 16]
    small.write_bytes(content[: place - 2000 * 16] + long * 2000 + content[place:])
    with h5py.File(small) as file:
        assert h5py.h5a.open(file["obs"].id, b"column-order").shape == (2001,)
    before = peak()
    for read in (lambda: read_series(["x.h5ad"], SETTINGS["features"]), lambda: read_metadata(small, SERIES)):
        with pytest.raises(MemoryLimitError, match=r"x\.h5ad: reading what obs is takes 16\.77 GiB"):
            read()
    assert peak() < before + 200


def test_a_column_listed_twice_is_refused(small):
    with h5py.File(small, "a") as file:
        file["obs"].attrs["column-order"] = np.array(["time"] * 100, dtype=h5py.string_dtype())
    with pytest.raises(DataError, match=r"x\.h5ad: has two columns named 'time'"):
        read_metadata(small, SERIES)


@pytest.mark.parametrize("name", ["X", "obs/time", "obsp/distances"])
def test_a_chunk_that_unpacks_to_more_than_it_holds_is_refused(small, name):
    with h5py.File(small, "a") as file:
        attributes, shape = dict(file[name].attrs), file[name].shape
        del file[name]
        data = file.create_dataset(name, shape, "f8", chunks=shape, compression="gzip")
        data.attrs.update(attributes)
        packing = zlib.compressobj()
        swelling = b"".join(packing.compress(bytes(2**20)) for _ in range(1500)) + packing.flush()
        data.id.write_direct_chunk((0,) * len(shape), swelling)
    before = peak()
    settings = SETTINGS["distances" if "obsp" in name else "features"]
    with pytest.raises(
        DataError, match=rf"^x\.h5ad: is not .* damaged \(a chunk of /{name} unpacks to more than it should hold\)"
    ):
        read_series(["x.h5ad"], settings)
    assert peak() < before + 200


def test_a_chunk_that_almost_fits_into_its_packing_is_looked_into(tmp_path, monkeypatch):
    monkeypatch.setattr(h5_sizes, "available_memory", lambda: (10**8, "says the test"))
    with h5py.File(tmp_path / "x", "w") as file:
        data = file.create_dataset("x", (10**5,), "i1", chunks=(10**5,), compression="gzip", fletcher32=True)
        data[:] = np.random.default_rng(1).integers(0, 60, 10**5)
    with h5py.File(tmp_path / "x") as file:
        assert bytes_of(file["x"]) == 10**5
    with h5py.File(tmp_path / "x", "a") as file:
        data = file.create_dataset("y", (10**5,), "i1", chunks=(10**5,), compression="gzip")
        data.id.write_direct_chunk((0,), zlib.compress(bytes(7 * 10**7)))
        with pytest.raises(ValueError, match="a chunk of /y unpacks to more than it should hold"):
            bytes_of(data)


def test_a_chunk_that_is_larger_than_its_array_is_counted(small):
    with h5py.File(small, "a") as file:
        del file["obs/time"]
        time = file.create_dataset("obs/time", (9,), "f8", maxshape=(None,), chunks=(1 << 28,), compression="gzip")
        time.attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
    with pytest.raises(MemoryLimitError, match=r"^x\.h5ad: the table of 9 rows takes 2\.00 GiB"):
        read_series(["x.h5ad"], SETTINGS["features"])


def test_groups_within_groups_are_refused(small):
    with h5py.File(small, "a") as file:
        del file["obs/time"]
        file["obs/time/a"] = file["obs"]  # without end
    with pytest.raises(
        DataError, match=r"^x\.h5ad: is not .* damaged \(there are groups within groups at /obs/time/a/time/a"
    ):
        read_series(["x.h5ad"], SETTINGS["features"])


def other_file(file):
    layout = h5py.VirtualLayout((9,), h5py.string_dtype())
    layout[:] = h5py.VirtualSource("other.h5", "x", (9,))
    return file.create_virtual_dataset("obs/time", layout)


def sequences(file):
    return file.create_dataset("obs/time", (9,), h5py.vlen_dtype(np.int32))


def records(file):
    return file.create_dataset("obs/time", (9,), np.dtype([("a", h5py.string_dtype()), ("b", "i4")]))


WRONG = {
    "values of /obs/time are in other files": other_file,
    "/obs/time holds neither text nor numbers": sequences,
    "/obs/time holds neither text nor numbers\\); write it again": records,
}


@pytest.mark.parametrize("says", WRONG)
def test_values_that_no_such_file_has_are_refused(small, says):
    with h5py.File(small, "a") as file:
        del file["obs/time"]
        WRONG[says](file).attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
    with pytest.raises(DataError, match=rf"^x\.h5ad: is not .* damaged \({says}"):
        read_series(["x.h5ad"], SETTINGS["features"])


def test_distances_that_are_texts_are_refused(small):
    with h5py.File(small, "a") as file:
        del file["obsp/distances"]
        file.create_dataset("obsp/distances", (9, 9), h5py.string_dtype(), fillvalue="x" * LONG)
    with pytest.raises(DataError, match=r"^x\.h5ad: obsp 'distances' does not hold numbers"):
        read_series(["x.h5ad"], SETTINGS["distances"])


@pytest.mark.parametrize("way", STORED)
def test_ordinary_files_are_read_as_before(small, way):
    with h5py.File(small, "a") as file:
        written = file["obs/_index"]  # newer versions of pandas have anndata write a group
        names = [*(written["values"] if isinstance(written, h5py.Group) else written).asstr()]
        del file["obs/_index"]
        way = {"maxshape": (None,)} | STORED[way] if STORED[way] else {}
        column = file.create_dataset("obs/_index", (9,), h5py.string_dtype(), **way)
        column[:] = names
        column.attrs.update({"encoding-type": "string-array", "encoding-version": "0.2.0"})
    series = read_series(["x.h5ad"], SETTINGS["distances"]).series
    assert [ids.tolist() for ids in series.ids] == [list("acdfgi"), list("beh")]


def test_rows_without_columns_are_counted(small):
    with h5py.File("x.h5ad", "a") as file:
        del file["obs/kind/categories"]
        texts = file.create_dataset("obs/kind/categories", (10**8, 0), h5py.string_dtype())
        texts.attrs.update({"encoding-type": "string-array"})
    with pytest.raises(MemoryLimitError):
        read_series(["x.h5ad"], DataSettings(squared=True, time="kind"))


def test_a_matrix_without_anything_is_refused(small):
    with h5py.File("x.h5ad", "a") as file:
        del file["X"]
        file["X"] = h5py.Empty("f8")
    with pytest.raises(DataError, match="X is empty"):
        read_series(["x.h5ad"], SETTINGS["features"])
