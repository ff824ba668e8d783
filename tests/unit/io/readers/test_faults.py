"""Faults of files as such, whatever is in them, and the choice of the format."""

import gzip
import re
import subprocess
import sys

import numpy as np
import pytest

from reference import rng_for
from tetiwd.errors import DataError, TetiwdError
from tetiwd.io import files
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.read import read_series

SQUARED = DataSettings(squared=True)
TABLE = "id,time,a,b\np,1,0,1\nq,1,1,0\nr,1,2,5\n"


FAULTS = {
    "empty": (b"", "is empty; check how it was written"),
    "latin-1": ("id,a\nMünster,1\n".encode("latin-1"), "is not UTF-8 text (byte 0xfc); save it as UTF-8"),
    "utf-16": (TABLE.encode("utf-16"), "is not UTF-8 text (byte 0xff); save it as UTF-8"),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is not UTF-8 text (byte 0x89)"),
    "zeros": (b"\0" * 100, "line 1: holds a NUL byte; this is not a text file"),
    "zeros later": (TABLE.encode() + b"s,1,2,\0\n", "line 5: holds a NUL byte"),
    "blank": (b"\n\n  \n", "holds no lines but comments"),
    "comments": (b"# nothing\n", "holds no lines but comments"),
    "gz cut off": (gzip.compress(TABLE.encode())[:-12], "is damaged or cut off ("),
    "gz damaged": (gzip.compress(TABLE.encode())[:20] + b"xxxx" * 9, "is damaged or cut off ("),
    "gz of nothing": (gzip.compress(b""), "holds no lines but comments"),
    "header only": (b"id,time,a\n", "has a line of names (id, time, a) but no rows"),
    "a long field": (
        b"id,a\n" + b"x" * 200_000 + b",1\n",
        "line 2: cannot be taken apart (field larger than field limit",
    ),
}


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.txt", "x.csv.gz"])
@pytest.mark.parametrize("fault", FAULTS)
def test_fault_of_text(here, name, fault):
    content, message = FAULTS[fault]
    (here / name).write_bytes(content)
    with pytest.raises(DataError, match="^" + re.escape(f"{name}: ")) as error:
        read_series([name], SQUARED)
    if not name.endswith(("tsv", "txt")) or "," not in content.decode("latin-1"):
        assert str(error.value).startswith(f"{name}: {message}")


def test_a_line_without_end(here, monkeypatch):
    monkeypatch.setattr(files, "LONGEST_LINE", 100)
    (here / "x.csv").write_text("id,a\n" + "1," * 200)
    with pytest.raises(DataError, match=r"^x\.csv: line 2: has more than 100 characters; this is not a table"):
        read_series(["x.csv"])


def test_an_archive_that_swells_from_the_beginning_is_not_opened(here, monkeypatch):
    monkeypatch.setattr(files, "MUCH", 1 << 20)
    (here / "x.csv.gz").write_bytes(gzip.compress(b"1,0.5,2\n" * 300_000))
    file = files.find_file("x.csv.gz")
    with pytest.raises(DataError, match="unpacks to more than 1 MiB, over 100 times its size"), files.unpacked(file):
        pytest.fail("it was opened")


def test_an_archive_that_swells_later_is_not_read_to_its_end(here, monkeypatch):
    """Its beginning looks like data: a megabyte of one digit comes after numbers that hardly shrink."""
    for name in ("MUCH", "BLOCK"):
        monkeypatch.setattr(files, name, 1 << 10)
    (here / "x.csv.gz").write_bytes(gzip.compress(rng_for(83).bytes(1 << 10).hex().encode() + b"0" * 10**6))
    with files.unpacked(files.find_file("x.csv.gz")) as stream, pytest.raises(DataError, match="unpacks to more than"):
        stream.read()


JUNK = {
    "zero": b"\0",
    "text": b"junk",
    "npy": b"\x93NUMPY",
    "zip": b"PK\x03\x04" + b"\0" * 40,
    "gz": b"\x1f\x8b\x08",
    "hdf5": b"\x89HDF\r\n\x1a\n",
    "parquet": b"PAR1",
    "fasta": b">",
    "comment": b"#\n",
}


@pytest.mark.parametrize("ending", ["npy", "npz", "csv", "tsv.gz", "lsmat", "parquet", "h5ad", "fasta", "fa.gz"])
@pytest.mark.parametrize("junk", JUNK)
def test_junk_is_refused_in_every_format(here, ending, junk):
    name = f"x.{ending}"
    (here / name).write_bytes(JUNK[junk])
    with pytest.raises(TetiwdError, match="^" + re.escape(f"{name}: ")) as error:
        read_series([name], DataSettings() if "fa" in ending else SQUARED)
    assert error.value.where.file == name
    assert error.value.remedy


def test_files_that_are_not_there(here):
    (here / "folder.csv").mkdir()
    with pytest.raises(DataError, match=r"^gone\.csv: there is no such file"):
        read_series(["gone.csv"])
    with pytest.raises(DataError, match=r"^folder\.csv: is a folder; name the files in it"):
        read_series(["folder.csv"])
    with pytest.raises(DataError, match=r"^/dev/null: is not a plain file"):
        read_series(["/dev/null"])
    with pytest.raises(DataError, match="there are no input files; name at least one"):
        read_series([])
    with pytest.raises(DataError, match="expected the name of a file, not 5"):
        read_series([5])
    with pytest.raises(DataError, match="expected the name of a file, not ''"):
        read_series([""])
    with pytest.raises(DataError, match="there is no such file"):
        read_series(["a\0b.csv"])


def test_a_file_named_twice(here):
    (here / "x.csv").write_text(TABLE)
    with pytest.raises(DataError, match=r"^x\.csv: is named twice"):
        read_series(["x.csv", "x.csv"])


def test_errors_of_the_system_are_ours():
    with (
        pytest.raises(DataError, match=r"^x\.csv: cannot be read \(Permission denied\); check that you may read it"),
        files.in_file("x.csv"),
    ):
        raise PermissionError(13, "Permission denied")
    with pytest.raises(MemoryError, match=r"^x\.csv: does not fit into memory; use fewer"), files.in_file("x.csv"):
        raise MemoryError
    says = r"^x\.csv: does not fit into memory \(Unable to allocate 2\.00 EiB for an array .*\); use fewer objects"
    with pytest.raises(MemoryError, match=says), files.in_file("x.csv"):
        np.empty((1 << 29, 1 << 29))


def test_a_name_is_given_once():
    with pytest.raises(DataError, match=r"^x\.csv: oh$"), files.in_file("x.csv"), files.in_file("x.csv"):
        raise DataError("oh")


def test_names_as_they_were_given(here):
    (here / "sub").mkdir()
    path = here / "sub" / "x.csv"
    path.write_text(TABLE + "s,1,u,2\n")
    for given in ("sub/x.csv", path):
        with pytest.raises(DataError, match="^" + re.escape(f"{given}: line 5, column a: 'u' is not a number")):
            read_series([given])
    path.write_text(TABLE)
    assert list(read_series([path]).hashes) == [str(path)]


FORMATS = {
    "features": ("x.csv", TABLE),
    "features without names of note": ("x.csv", "a,b\n1,2\n3,4\n5,9\n"),
    "long": ("x.csv", "i,j,distance\na,b,1\na,c,2\nb,c,1\n"),
    "long with more columns": ("x.tsv", "distance\tx\tj\ti\n1\t0\ta\tb\n2\t0\ta\tc\n1\t0\tb\tc\n"),
    "matrix": ("x.csv", "0,1,2\n1,0,1\n2,1,0\n"),
    "matrix with ids": ("x.txt", "\ta\tb\tc\na\t0\t1\t2\nb\t1\t0\t1\nc\t2\t1\t0\n"),
    "matrix by name": ("x.lsmat", "\ta\tb\tc\na\t0\t1\t2\nb\t1\t0\t1\nc\t2\t1\t0\n"),
    "fasta": ("x.fa", ">a\nAC\n>b\nAG\n>c\nTC\n"),
}


@pytest.mark.parametrize("case", FORMATS)
def test_formats_are_found(here, case):
    name, text = FORMATS[case]
    (here / name).write_text(text)
    format = case.split()[0]
    options = {} if format in ("features", "fasta") else {"squared": True}
    found = read_series([name], DataSettings(**options))
    assert found.format == format
    assert found.series.n_objects == (3,)
    assert read_series([name], DataSettings(format=format, **options)).format == format


def test_formats_that_cannot_be_found(here):
    (here / "x.dat").write_text("0 1 2\n1 0 1\n2 1 0\n")
    with pytest.raises(DataError, match=r"^x\.dat: has a name that says nothing about its format; rename it \(\.npy, "):
        read_series(["x.dat"], SQUARED)
    assert read_series(["x.dat"], DataSettings(squared=True, format="matrix")).series.n_objects == (3,)
    (here / "y.csv").write_text(TABLE)
    np.save("z.npy", np.ones((3, 3)))
    with pytest.raises(DataError, match=r'^z\.npy: looks like the format "arrays", but y\.csv like "features"'):
        read_series(["y.csv", "z.npy"], SQUARED)


def test_nothing_heavy_is_loaded_before_it_is_needed():
    heavy = {"pandas", "scipy", "pyarrow", "h5py", "anndata", "tetiwd.kernels", "sklearn", "matplotlib"}
    code = f"import sys, tetiwd.io.read, tetiwd.io.data_settings; print(sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
