"""Every fault of input files: one error that says what, where and what to do, in parts that any door can render.

A case writes files and returns what a user says about them: names of files, and settings as in a settings file.
"""

import gzip
import os
import tomllib
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tetiwd import DistanceSeries
from tetiwd.errors import NO_VALUE, DataError, MemoryLimitError, SettingsError
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.metadata_table import read_outcomes
from tetiwd.io.new_objects import read_new_objects
from tetiwd.io.read import read_series
from written_distances import (
    IDS,
    SECOND,
    TIME,
    WHOLE,
    X,
    as_condensed,
    as_h5ad,
    as_long,
    as_npy,
    as_npz,
    as_parquet,
    as_pooled,
    pairs,
    spoilt,
)

DATA, SETTINGS, MEMORY = DataError, SettingsError, MemoryLimitError
D = WHOLE[:6, :6]

IN_ROWS = {as_long: "line 40, column distance", as_parquet: "row 39, column distance"}
FORMATS = pytest.mark.parametrize("write", SECOND, ids=lambda write: write.__name__[3:])


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def dialect(setting):
    """Settings as they stand out in a text: <symmetrize=mean>."""
    return f"<{setting.name}>" if setting.value is NO_VALUE else f"<{setting.name}={setting.value}>"


def read(words):
    """Read files with settings, both given as words: ``d.csv squared=false``."""
    files = [word for word in words if "=" not in word]
    return read_series(files, DataSettings(**tomllib.loads("\n".join(word for word in words if "=" in word))))


def refused(kind, says, words):
    """Reading fails with this kind of error, which says these words and names a remedy; nothing is written."""
    before = set(Path.cwd().rglob("*"))
    with pytest.raises(kind) as caught:
        read(words)
    error, text = caught.value, caught.value.told(dialect)
    assert type(error) is kind
    assert set(Path.cwd().rglob("*")) == before
    for word in says:
        assert word in text, (word, text)
    if kind is not SettingsError:
        assert error.where.file is not None
        assert error.remedy
    return error


@FORMATS
def test_sound_data_pass(write):
    assert read(write(WHOLE)).series.times == (2001, 2002)


@FORMATS
@pytest.mark.parametrize(
    ("value", "what", "remedy"),
    [
        (np.nan, "NaN", "leave out objects with missing distances"),
        (np.inf, "infinite", "leave out the object"),
        (-2.5, "negative value", "<kind=similarities>"),
    ],
)
def test_a_value_no_distance_has(value, what, remedy, write):
    file, pair = SECOND[write]
    if write in IN_ROWS and not np.isfinite(value):
        what = "there is no value" if np.isnan(value) else "finite"
        pair, remedy = IN_ROWS[write], "<missing=drop>" if np.isnan(value) else "leave out the row"
    shown = ["-2.5"] if value == -2.5 else []
    refused(DATA, [f"{file}: ", pair, what, remedy, *shown], write(spoilt(value, value)))


@FORMATS
def test_two_values_for_one_pair(write):
    if write is as_condensed:
        pytest.skip("a condensed matrix has one value per pair")
    file, pair = SECOND[write]
    refused(DATA, [f"{file}: ", "2002", pair, "9.25", "1.25", "<symmetrize=mean>"], write(spoilt(9.25, 1.25)))


@FORMATS
def test_a_distance_to_itself(write):
    if write is as_condensed:
        pytest.skip("a condensed matrix has no diagonal")
    W = WHOLE.copy()
    W[7, 7] = 3.5
    file, pair = SECOND[write]
    one = pair.removeprefix("(").split(", ")[0]
    refused(DATA, [f"{file}: ", one, "3.5", "2002", "0"], write(W))


@FORMATS
def test_all_objects_of_a_time_identical(write):
    W = WHOLE.copy()
    W[6:, 6:] = 0
    says = [f"{SECOND[write][0]}: D[1] (2002) is zero everywhere", "all 6 objects", "leave this epoch out"]
    refused(DATA, says, write(W))


@FORMATS
def test_nobody_said_whether_squared(write):
    refused(SETTINGS, ["<squared=True>", "<squared=False>", "never guessed"], write(WHOLE)[:-1])


# Everything else: a short function per fault that writes files and returns what is typed after the command


@dataclass(frozen=True)
class Case:
    kind: type[Exception]
    says: tuple[str, ...]
    write: Callable[[], list[str]]


CASES: dict[str, Case] = {}


def fault(code, *says):
    def register(write):
        CASES[write.__name__] = Case(code, says, write)
        return write

    return register


def put(name, content, encoding="utf-8"):
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return name


def add(name, code, says, file, content, *options, encoding="utf-8"):
    """A fault that one file with this content shows."""
    CASES[name] = Case(code, tuple(says), lambda: [put(file, content, encoding), *options])


def add_array(name, says, array, *options, file="d.npy", code=DATA):
    def write():
        np.save(file, array)
        return [file, *(options or ["squared=false"])]

    CASES[name] = Case(code, tuple(says), write)


def add_arrays(name, says, *options, code=DATA, **arrays):
    def write():
        np.savez("d.npz", **arrays)
        return ["d.npz", *(options or ["squared=false"])]

    CASES[name] = Case(code, tuple(says), write)


# Too few objects

MIN = "<min_objects="
for n in (0, 1, 2):
    few = ("has no objects",) if n == 0 else (f"has {n} object", "too few", "<drop_small=True>", f"{MIN}{n}>")
    add_arrays(f"npz_{n}", ["d.npz: D[1] (2002)", *few], D_2001=D, D_2002=WHOLE[:n, :n])
    if n == 0:
        continue
    square = "\n".join(",".join(map(str, row)) for row in WHOLE[:n, :n]) + "\n"
    labelled = pd.DataFrame(WHOLE[:n, :n], IDS[:n], IDS[:n]).to_csv()
    add(f"square_{n}", DATA, ["d.csv: D[0]", *few], "d.csv", square, "squared=false", "format='matrix'")
    add(f"lsmat_{n}", DATA, ["d.csv: D[0]", *few], "d.csv", labelled, "squared=false", "format='matrix'")
    table = pd.DataFrame(X[: 6 + n], columns=list("abc")).assign(time=TIME[: 6 + n])
    add(f"features_{n}", DATA, ["x.csv: D[1] (2002)", *few], "x.csv", table.to_csv(index=False))
    sequences = "".join(f">s{i}|{TIME[i]}\nAC{'ACGT'[i % 4]}\n" for i in range(6 + n))
    add(f"fasta_{n}", DATA, ["s.fasta: D[1] (2002)", *few], "s.fasta", sequences)
add(
    "long_2",
    DATA,
    ["d.csv: D[0] (d)", "2 objects", "<drop_small=True>"],
    "d.csv",
    "i,j,distance\na,b,1\n",
    "squared=false",
)
add(
    "all_too_small",
    DATA,
    ["x.csv", "no epoch has 3", "<min_objects>"],
    "x.csv",
    "time,a\n1,2\n1,3\n",
    "drop_small=true",
)

# Shapes

SAME_OBJECT = "row i and column i must be the same object"
add_array("npy_not_square", ["d.npy: D[0] (d)", "(4, 6)", SAME_OBJECT], np.ones((4, 6)))
add_array("npy_three_dimensions", ["d.npy", "(2, 4, 4)", SAME_OBJECT], np.ones((2, 4, 4)))
add_array("npy_one_number", ["d.npy", "not square", "()"], np.array(3.0))
add_array("npy_no_number", ["d.npy", "0 numbers", "n(n − 1)/2"], np.ones(0))
add_array("condensed_of_no_n", ["d.npy", "7 numbers", "4 objects have 6 pairs", "n(n − 1)/2"], np.ones(7))
add_arrays("npz_not_square", ["d.npz: D[1] (2)", "(4, 6)"], D_1=D, D_2=np.ones((4, 6)))
add_arrays("npz_condensed_of_no_n", ["d.npz", "'D_2'", "7 numbers"], D_1=np.ones(6), D_2=np.ones(7))
add_arrays("pooled_not_square", ["d.npz: D*", "(12, 10)"], D=np.ones((12, 10)), time=TIME)
add_arrays(
    "similarities_not_square",
    ["d.npz", "(12, 10)", "per object"],
    "kind='similarities'",
    D=np.ones((12, 10)),
    time=TIME,
)
add_arrays("times_of_other_rows", ["d.npz", "'time'", "(10,)", "one time per row"], D=WHOLE, time=TIME[:10])
add("csv_not_square", DATA, ["d.csv", "3 rows for 4"], "d.csv", "0,1,2,3\n1,0,2,3\n1,2,0,3\n", "squared=false")
add("csv_ragged", DATA, ["d.csv: line 2", "2 numbers"], "d.csv", "0,1,2\n1,0\n1,2,0\n", "squared=false")

# Ids

SWAPPED = "\ta\tb\tc\na\t0\t1\t2\nc\t2\t3\t0\nb\t1\t0\t3\n"
TWICE = "\ta\tb\ta\na\t0\t1\t2\nb\t1\t0\t3\na\t2\t3\t0\n"
add("labels_in_other_order", DATA, ["d.tsv", "'c'", "'b'", "sort the columns"], "d.tsv", SWAPPED, "squared=false")
add(
    "other_labels", DATA, ["d.tsv", "'x'", "'b'", "label both"], "d.tsv", SWAPPED.replace("\nc", "\nx"), "squared=false"
)
add("lsmat_id_twice", DATA, ["d.tsv: epoch 0 (d)", "'a' twice", "rename"], "d.tsv", TWICE, "squared=false")
add_arrays("npz_id_twice", ["d.npz: epoch 0 (d)", "'a' twice", "0 and 3"], D=D, ids=list("abcaef"))
add_arrays("pooled_id_twice", ["d.npz: epoch 0 (2001)", "'a' twice"], D=WHOLE, time=TIME, ids=["a"] * 12)
add_arrays("too_few_ids", ["d.npz: D[0] (d)", "6 objects but 5 ids"], D=D, ids=list("abcde"))
add_arrays("ids_of_some", ["d.npz: D_2", "no ids", "every epoch or at none"], D_1=D, D_2=D, ids_1=IDS[:6])
add_arrays("mixed_ids", ["d.npz", "text", "numbers", "convert"], D_1=D, D_2=D, ids_1=IDS[:6], ids_2=np.arange(9, 15))
add_arrays("ids_are_objects", ["d.npz", "'ids'", ".astype(str)"], D=D, ids=np.array(IDS[:6], object))
add_arrays("ids_are_fractions", ["d.npz", "'ids'", "whole numbers"], D=D, ids=np.arange(6) / 2)
FEATURES = pd.DataFrame(X, columns=list("abc")).assign(time=TIME)
SAME_ID = FEATURES.assign(id="p")
add("features_id_twice", DATA, ["x.csv: epoch 0 (2001)", "'p' twice"], "x.csv", SAME_ID.to_csv(index=False))
add(
    "fasta_id_twice",
    DATA,
    ["s.fasta: epoch 0 (2001)", "'a' twice"],
    "s.fasta",
    ">a|2001\nAC\n>b|2001\nAG\n>a|2001\nAA\n",
)


@fault(DATA, "x.parquet: epoch 0 (2001)", "'p' twice")
def parquet_id_twice():
    SAME_ID.to_parquet("x.parquet")
    return ["x.parquet"]


@fault(DATA, "x_1.parquet, x_2.parquet", "numbers at epoch 0", "text at epoch 1", "convert")
def parquet_mixed_ids():
    FEATURES[:6].drop(columns="time").assign(id=range(6)).to_parquet("x_1.parquet")
    FEATURES[6:].drop(columns="time").assign(id=list("abcdef")).to_parquet("x_2.parquet")
    return ["x_1.parquet", "x_2.parquet"]


@fault(DATA, "x_2.csv", "no column id", "at every epoch or at none")
def ids_in_one_file():
    put("x_1.csv", "id,a\n1,2\n2,3\n3,5\n")
    put("x_2.csv", "a\n2\n3\n5\n")
    return ["x_1.csv", "x_2.csv"]


@fault(DATA, "d.h5ad: epoch 0 (2001)", "'x' twice")
def h5ad_id_twice():
    return as_h5ad(WHOLE, names=["x"] * 12)


# Kinds of numbers

INTEGERS = np.array([[0, 12, 1], [12, 0, 1], [1, 1, 0]], dtype=np.int8)
add_array("integers_overflowed", ["d.npy: D[0] (d)", "(0, 1)", "-112", "float64"], INTEGERS * INTEGERS, "squared=true")
add_array("squares_overflow", ["d.npy: D[0] (d)", "overflows", "divide"], D * 1e200)
add_array("squares_overflow_float32", ["d.npy: D[0] (d)", "overflows", "float32"], (D * 1e30).astype(np.float32))
add_array("too_large_for_float32", ["d.npy", "<dtype=float32>"], D * 1e50, "squared=false", "dtype='float32'")
add("features_overflow", DATA, ["x.csv", "divide"], "x.csv", (FEATURES * 1e200).assign(time=TIME).to_csv(index=False))
add_array("objects", ["d.npy", "Python objects", ".astype(float)"], D.astype(object))
add_array("complex", ["d.npy", "complex numbers", "real numbers"], D * 1j)
add_array("text", ["d.npy", "holds text", ".astype(float)"], D.astype(str))
add_array("records", ["d.npy", "real numbers"], np.zeros((3, 3), [("a", "f8"), ("b", "f8")]))
add_arrays("npz_objects", ["d.npz", "'D'", "Python objects"], D=D.astype(object))
add_arrays("npz_text", ["d.npz", "'D_2'", "holds text"], D_1=D, D_2=D.astype(str))

# One matrix and a table of its objects

NAMED = {"D": WHOLE, "ids": [f"o{i}" for i in range(12)]}


def add_objects(name, says, table, *options, code=DATA, named=False):
    def write():
        np.savez("d.npz", **NAMED) if named else np.savez("d.npz", D=WHOLE)
        put("objects.csv", table if isinstance(table, str | bytes) else table.to_csv(index=False))
        return ["d.npz", "objects='objects.csv'", "squared=false", *options]

    CASES[f"objects_{name}"] = Case(code, tuple(says), write)


OBJECTS = pd.DataFrame({"id": NAMED["ids"], "time": TIME})
add_objects("too_short", ["d.npz", "12 rows", "objects.csv has 10", "one row per object"], OBJECTS[:10])
add_objects("lack_some", ["objects.csv", "2 of 12", "'o10'", "add them"], OBJECTS[:10], named=True)
add_objects("twice", ["objects.csv", "'o0' twice", "lines 2 and 14"], pd.concat([OBJECTS, OBJECTS[:1]]), named=True)
add_objects("without_ids", ["objects.csv", "<id>"], OBJECTS[["time"]], named=True)
add_objects("without_time", ["objects.csv", "<time>", "year"], OBJECTS.rename(columns={"time": "year"}))
add_objects("with_a_gap", ["objects.csv", "line 2, column time"], OBJECTS.assign(time=["", *TIME[1:]]))
add_objects("with_no_id", ["objects.csv", "line 2, column id"], OBJECTS.assign(id=[None, *NAMED["ids"][1:]]))
add_objects("without_rows", ["objects.csv", "no rows"], "id,time\n")
add_objects("in_latin_1", ["objects.csv", "0xe4", "UTF-8"], ("id,time\n" + "ä,1\n" * 12).encode("latin-1"))


@fault(DATA, "nowhere.csv", "no such file")
def objects_nowhere():
    return [*as_npy(WHOLE)[:1], "objects='nowhere.csv'", "squared=false"]


@fault(DATA, "<objects> goes with one matrix", "leave out <objects>")
def objects_of_two_files():
    put("objects.csv", OBJECTS.to_csv(index=False))
    return [*as_npy(WHOLE), "objects='objects.csv'"]


# Damaged files


def cut(name, n):
    put(name, Path(name).read_bytes()[:n])
    return [name, "squared=false"]


def header(shape):
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


JUNK = b"\x89PNG\r\n\x1a\n\0\0\0" + bytes(range(256)) * 4
PACKED = gzip.compress(pairs(WHOLE).to_csv(index=False).encode())
HUGE = (10**6, 10**6)
for ending in ("npy", "npz", "csv", "tsv", "csv.gz", "parquet", "h5ad", "fasta"):
    add(f"empty_{ending}", DATA, [f"d.{ending}: is empty", "check how"], f"d.{ending}", b"")
    options = [] if ending == "fasta" else ["squared=false"]
    add(f"junk_{ending}", DATA, [f"d.{ending}: is not"], f"d.{ending}", JUNK, *options)
add("cut_gz", DATA, ["d.csv.gz", "cut off", "again"], "d.csv.gz", PACKED[:-20], "squared=false")
add("damaged_gz", DATA, ["d.csv.gz", "again"], "d.csv.gz", PACKED[:60] + b"\xff" * 20 + PACKED[80:], "squared=false")
add("gz_that_is_none", DATA, ["d.csv.gz", "no rows"], "d.csv.gz", b"hello", "squared=false")
add("huge_header", DATA, ["d.npy", "1000000 × 1000000", "cut off"], "d.npy", header(HUGE), "squared=false")
add("negative_shape", DATA, ["d.npy", "(-3, 3)", "np.save"], "d.npy", header((-3, 3)), "squared=false")
add(
    "npy_version_9",
    DATA,
    ["d.npy", "np.save"],
    "d.npy",
    header((3, 3)).replace(b"\x01\0", b"\x09\0", 1),
    "squared=false",
)
add_arrays("npz_without_matrix", ["d.npz", "only ids", "call the matrix D"], ids=IDS)


@fault(DATA, "d_2001.npy: is cut off", "288 bytes", "279")
def cut_npy():
    as_npy(WHOLE)
    return cut("d_2001.npy", -9)


@fault(DATA, "d_2001.npy", "np.save")
def cut_npy_header():
    as_npy(WHOLE)
    return cut("d_2001.npy", 40)


@fault(DATA, "d.npz", "cut off", "np.savez")
def cut_npz():
    as_npz(WHOLE)
    return cut("d.npz", -30)


@fault(DATA, "d.npz", "damaged", "np.savez")
def damaged_npz():
    np.savez_compressed("d.npz", D=D)
    whole = Path("d.npz").read_bytes()
    put("d.npz", whole[:120] + bytes(20) + whole[140:])
    return ["d.npz", "squared=false"]


@fault(DATA, "d.npz", "no arrays", "np.savez")
def zip_of_other_things():
    with zipfile.ZipFile("d.npz", "w") as archive:
        archive.writestr("readme.txt", "hello")
    return ["d.npz", "squared=false"]


@fault(DATA, "d.npz", "'D'", "cut off")
def npz_with_huge_header():
    with zipfile.ZipFile("d.npz", "w") as archive:
        archive.writestr("D.npy", header(HUGE))
    return ["d.npz", "squared=false"]


@fault(MEMORY, "d.npy", "1000000 × 1000000", "GiB", "fewer objects")
def npy_larger_than_memory():
    with open("d.npy", "wb") as file:
        file.write(header(HUGE))
        file.truncate(128 + 8 * 10**12)  # takes no room on disk
    return ["d.npy", "squared=false"]


@fault(DATA, "d.parquet", "damaged", "write it again")
def cut_parquet():
    as_parquet(WHOLE)
    return cut("d.parquet", -30)


@fault(DATA, "d.h5ad", "damaged", "write it again")
def cut_h5ad():
    as_h5ad(WHOLE)
    return cut("d.h5ad", 3000)


@fault(DATA, "s.fasta.gz", "cut off")
def cut_fasta():
    put("s.fasta.gz", gzip.compress(b">a|2001\nACGT\n" * 50)[:-12])
    return ["s.fasta.gz"]


# Text and tables

add("blank_csv", DATA, ["x.csv", "no lines"], "x.csv", "\n\n")
add("comments_only", DATA, ["x.csv", "comments"], "x.csv", "# one\n# two\n")
add("header_only", DATA, ["x.csv", "time, a, b", "no rows"], "x.csv", "time,a,b\n")
add("header_only_long", DATA, ["d.csv", "no rows"], "d.csv", "time,i,j,distance\n", "squared=false")
add("header_only_square", DATA, ["d.csv", "0 rows for 3"], "d.csv", ",a,b,c\n", "squared=false", "format='matrix'")
add("latin_1", DATA, ["x.csv", "0xf6", "UTF-8"], "x.csv", "time,größe\n1,2\n1,3\n1,4\n", encoding="latin-1")
add("latin_1_square", DATA, ["d.csv", "0xe4"], "d.csv", ",ä,b\nä,0,1\nb,1,0\n", "squared=false", encoding="latin-1")
add("latin_1_fasta", DATA, ["s.fasta", "0xe4"], "s.fasta", ">ä|2001\nACGT\n", encoding="latin-1")
add("utf_16", DATA, ["x.csv", "UTF-8"], "x.csv", "time,a\n1,2\n1,3\n1,4\n", encoding="utf-16")
POINT = "write decimals with a point"
add(
    "commas_in_features",
    DATA,
    ["x.csv: line 2, column a", "'2,5'", POINT],
    "x.csv",
    "time;a;b\n1;2,5;1\n1;3,5;2\n1;4,1;3\n",
)
add(
    "commas_in_long",
    DATA,
    ["d.csv: line 2", "'2,5'", POINT],
    "d.csv",
    "i;j;distance\na;b;2,5\na;c;3,5\nb;c;4\n",
    "squared=false",
)
add(
    "commas_in_square",
    DATA,
    ["d.csv: line 1, column 2", "'2,5'", POINT],
    "d.csv",
    "0;2,5;1\n2,5;0;3\n1;3;0\n",
    "squared=false",
)
add(
    "commas_in_lsmat",
    DATA,
    ["d.csv: line 2, column b", POINT],
    "d.csv",
    ";a;b;c\na;0;2,5;1\nb;2,5;0;3\nc;1;3;0\n",
    "squared=false",
)
add(
    "text_in_features",
    DATA,
    ["x.csv: line 3, column a", "'x'", "<columns>"],
    "x.csv",
    "time,a,b\n1,2,3\n1,x,4\n1,4,5\n",
)
add(
    "text_in_column",
    DATA,
    ["x.csv: line 3, column a", "'x'"],
    "x.csv",
    "time,a,b\n1,2,3\n1,x,4\n1,4,5\n",
    "columns=['a']",
)
add("text_in_long", DATA, ["d.csv: line 3", "'far'"], "d.csv", "i,j,distance\na,b,2\na,c,far\nb,c,4\n", "squared=false")
add(
    "text_in_square",
    DATA,
    ["d.csv: line 3, column c", "'far'"],
    "d.csv",
    ",a,b,c\na,0,2,1\nb,2,0,far\nc,1,3,0\n",
    "squared=false",
)
add("text_only", DATA, ["x.csv", "no columns of numbers", "time, a"], "x.csv", "time,a\n1,x\n1,y\n1,z\n")
add("gap_in_features", DATA, ["x.csv: line 3, column a", "<missing=drop>"], "x.csv", "time,a,b\n1,2,3\n1,,4\n1,4,5\n")
add("infinite_feature", DATA, ["x.csv: line 3, column a", "'inf'"], "x.csv", "time,a,b\n1,2,3\n1,inf,4\n1,4,5\n")
add("gaps_only", DATA, ["x.csv", "every row"], "x.csv", "time,a,b\n1,,3\n1,,4\n", "columns=['a']", "missing='drop'")
add("identical_features", DATA, ["x.csv: D[0] (1)", "identical"], "x.csv", "time,a,b\n" + "1,2,3\n" * 4)
GOOD = FEATURES.to_csv(index=False)
add("no_such_columns", DATA, ["x.csv", "no column q", "a, b, c"], "x.csv", GOOD, "columns=['a','q']")
add("no_such_id", DATA, ["x.csv", "'patient'", "<id>", "a, b, c"], "x.csv", GOOD, "id='patient'")
add("no_such_time", DATA, ["x.csv", "'year'", "<time>", "a, b, c"], "x.csv", GOOD, "time='year'")
add(
    "no_distance",
    DATA,
    ["d.csv", "'distance'", "<distance>"],
    "d.csv",
    "i,j,d\na,b,3\n",
    "squared=false",
    "format='long'",
)
add("time_as_feature", DATA, ["x.csv", "column time", "cannot be a feature"], "x.csv", GOOD, "columns=['a','time']")
add("column_twice", DATA, ["x.csv", "two columns named 'a'"], "x.csv", "time,a,a\n1,2,3\n")
add("no_time", DATA, ["x.csv: line 3, column time", "<missing=drop>"], "x.csv", "time,a\n1,2\n,3\n1,4\n")
add(
    "no_time_long",
    DATA,
    ["d.csv: line 3, column time"],
    "d.csv",
    "time,i,j,distance\n1,a,b,3\n,a,c,4\n1,b,c,5\n",
    "squared=false",
)
add("ragged", DATA, ["x.csv: line 3", "2 fields", "separator"], "x.csv", "time,a,b\n1,2,3\n1,2\n1,4,5\n")
add("stray_quote", DATA, ["x.csv: line 3", "quotation mark"], "x.csv", 'time,a,b\n1,2,3\n1,"2"x,4\n1,4,5\n')
add("open_quote", DATA, ["x.csv: line 4", "quotation mark"], "x.csv", 'time,a,b\n1,2,3\n1,"2,4\n1,4,5\n')
ALL = "i,j,distance\na,b,3\na,c,4\nb,c,5\n"
add(
    "contradiction",
    DATA,
    ["d.csv: epoch d", "('a', 'b')", "3 and 7", "<symmetrize=mean>"],
    "d.csv",
    ALL + "b,a,7\n",
    "squared=false",
)
add(
    "missing_pair", DATA, ["d.csv: epoch d", "('b', 'c')", "1 of its 3", "add them"], "d.csv", ALL[:-6], "squared=false"
)
add(
    "self_pair",
    DATA,
    ["d.csv: epoch d", "1.5", "'b' and itself", "leave out"],
    "d.csv",
    ALL + "b,b,1.5\n",
    "squared=false",
)
add("no_self_similarity", DATA, ["d.csv: epoch d", "'a' and itself"], "d.csv", ALL, "kind='similarities'")


@fault(DATA, "x.parquet: row 2, column a", "not finite", "leave out the row")
def parquet_infinite():
    pd.DataFrame({"time": [1, 1, 1], "a": [1, np.inf, 2]}).to_parquet("x.parquet")
    return ["x.parquet"]


@fault(DATA, "x.parquet: row 2, column a", "no value", "<missing=drop>")
def parquet_gap():
    pd.DataFrame({"time": [1, 1, 1], "a": [1, np.nan, 2]}).to_parquet("x.parquet")
    return ["x.parquet"]


@fault(DATA, "x.parquet", "column a", "string", "convert it")
def parquet_text():
    pd.DataFrame({"time": [1, 1, 1], "a": list("xyz")}).to_parquet("x.parquet")
    return ["x.parquet", "columns=['a']"]


@fault(DATA, "d.parquet", "no rows")
def parquet_without_rows():
    pairs(WHOLE)[:0].to_parquet("d.parquet")
    return ["d.parquet", "squared=false"]


@fault(DATA, "d.h5ad", "'year'", "<time>")
def h5ad_no_such_time():
    return [*as_h5ad(WHOLE), "time='year'"]


@fault(DATA, "d.h5ad", "'name'", "<id>")
def h5ad_no_such_id():
    return [*as_h5ad(WHOLE), "id='name'"]


@fault(DATA, "d.h5ad", "'other'", "<obsp>", "distances")
def h5ad_no_such_matrix():
    return [*as_h5ad(WHOLE), "obsp='other'"]


@fault(DATA, "d.h5ad", "column time, row 0", "fill it in")
def h5ad_no_time():
    return as_h5ad(WHOLE, time=[np.nan, *TIME[1:].astype(float)])


# Sequences

ALIGNED = ">a|2001\nACGT\n>b|2001\nACGA\n>c|2001\nAAAA\n"
add("fasta_unequal", DATA, ["s.fasta: line 3", "'b'", "3 sites", "align"], "s.fasta", ALIGNED.replace("ACGA", "ACG"))
add(
    "fasta_one_without_date",
    DATA,
    ["s.fasta: line 3", "'b'", "<missing=drop>"],
    "s.fasta",
    ALIGNED.replace("b|2001", "b"),
)
add("fasta_no_dates", DATA, ["s.fasta: line 1", "3 of 3"], "s.fasta", ALIGNED.replace("|2001", ""), "by='year'")
add("fasta_coarse_dates", DATA, ["s.fasta: line 1", "'2001'", "<by>"], "s.fasta", ALIGNED, "by='month'")
add("fasta_empty_sequence", DATA, ["s.fasta: line 3", "'b' is empty"], "s.fasta", ALIGNED.replace("ACGA\n", ""))
add("fasta_no_id", DATA, ["s.fasta: line 3", "no id"], "s.fasta", ALIGNED.replace("b|2001", ""))
add("fasta_no_sequences", DATA, ["s.fasta", ">name"], "s.fasta", "; nothing\n")
add("fasta_is_none", DATA, ["s.fasta: line 1", "not a FASTA file"], "s.fasta", "hello\n" + ALIGNED)
add("fasta_digit", DATA, ["s.fasta: line 3", "'b'", "'1'", "site 3"], "s.fasta", ALIGNED.replace("ACGA", "AC1A"))
add("fasta_identical", DATA, ["s.fasta: D[0] (2001)", "identical"], "s.fasta", ">a|2001\nA\n>b|2001\nA\n>c|2001\nA\n")
add("fasta_metric", SETTINGS, ["<metric>", "p-distance", "'cosine'"], "s.fasta", ALIGNED, "metric='cosine'")
NOTHING_SHARED = ALIGNED.replace("ACGT", "AC--").replace("ACGA", "--GA")
add(
    "fasta_nothing_shared",
    DATA,
    ["s.fasta", "'a' and 'b'", "<metric=hamming>"],
    "s.fasta",
    NOTHING_SHARED,
    "metric='p-distance'",
)


@fault(DATA, "s_2.fasta", "3 sites", "s_1.fasta", "align them together")
def fasta_files_unequal():
    put("s_1.fasta", ">a\nACGT\n>b\nACGA\n>c\nAAAA\n")
    put("s_2.fasta", ">a\nACG\n>b\nACT\n>c\nAAA\n")
    return ["s_1.fasta", "s_2.fasta"]


# Options that do not fit the data, or each other


def add_options(name, code, says, *options, write=None):
    make = write or (lambda _: [put("x.csv", GOOD)])
    CASES[name] = Case(code, tuple(says), lambda: [*make(WHOLE), *options])


add_options("metric_unknown", DATA, ["x.csv", "'strange'", "euclidean"], "metric='strange'")
add_options("metric_not_told", DATA, ["x.csv", "'canberra'", "<squared=True> or <squared=False>"], "metric='canberra'")
add_options("metric_unknown_to_all", DATA, ["x.csv", "'strange'"], "metric='strange'", "squared=false")
add_options(
    "metric_with_own_scale", DATA, ["'seuclidean'", "<standardize=True>", "<metric=euclidean>"], "metric='seuclidean'"
)
add_options("hellinger_of_negatives", DATA, ["x.csv", "nonnegative"], "metric='hellinger'")
add_options(
    "metric_of_matrices", SETTINGS, ["<metric=cosine>", "d_2001.npy", "<format>"], "metric='cosine'", write=as_npy
)
add(
    "constant_column",
    DATA,
    ["x.csv", "'a'", "standardised", "<columns>"],
    "x.csv",
    "time,a,b\n1,2,3\n1,2,4\n1,2,5\n",
    "standardize=true",
)
add(
    "by_without_dates",
    DATA,
    ["x.csv: line 2", "'spring'", "<by=year>"],
    "x.csv",
    "time,a\nspring,2\nspring,3\n",
    "by='year'",
)
add("by_without_times", DATA, ["x.csv", "<by=year>", "<time>", "a, b"], "x.csv", "a,b\n1,2\n2,3\n4,3\n", "by='year'")
add(
    "by_with_coarse_dates",
    DATA,
    ["x.csv: line 2", "'2001'", "longer <by>"],
    "x.csv",
    "time,a\n2001,2\n",
    "by='month'",
)
add_options("by_of_files", DATA, ["d_2001.npy", "<by=year>", "<times>"], "by='year'", write=as_npy)
add_arrays("by_of_pooled", ["d.npz", "'time', row 0", "'x'"], "squared=false", "by='day'", D=WHOLE, time=["x"] * 12)
add_options("times_too_many", DATA, ["d_2001.npy", "2 epochs", "<times>", "3 labels"], "times=[1,2,3]", write=as_npy)
add_options("times_twice", DATA, ["2001 occurs twice", "one epoch"], "times=[2001,2001]", write=as_npy)
add_options("times_backwards", DATA, ["2002", "2001", "sort"], "times=[2002,2001]", write=as_npy)
add_options("times_mixed", DATA, ["2002", "'late'", "one type"], "times=[2002,'late']", write=as_npy)
add_options("times_of_rows", DATA, ["x.csv", "column time", "leave out <times>"], "times=[1,2]")
add_options("times_of_pooled", DATA, ["d.npz", "leave out <times>"], "times=[1,2]", write=as_pooled)
add_options(
    "times_of_h5ad",
    DATA,
    ["d.h5ad", "only the data have 2001", "leave out <times>"],
    "times=[1,2]",
    write=as_h5ad,
)
add("unknown_ending", DATA, ["d.xlsx", ".csv", "<format>"], "d.xlsx", "1,2")
add_options("unknown_format", SETTINGS, ["<format>", "fasta", "'excel'"], "format='excel'")
add_options("wrong_format_fasta", DATA, ["x.csv: line 1", "not a FASTA"], "format='fasta'")
add_options("wrong_format_h5ad", DATA, ["x.csv", "not an h5ad"], "format='h5ad'", "squared=false")
add_options("wrong_format_arrays", DATA, ["x.csv", "not an npy"], "format='arrays'", "squared=false")
add_options(
    "wrong_format_long",
    DATA,
    ["d_2001.npy", "not UTF-8"],
    "format='long'",
    "squared=true",
    write=lambda W: as_npy(W)[:2],
)
add_options(
    "two_formats", DATA, ['"features"', '"arrays"', "<format>"], write=lambda W: [put("x.csv", GOOD), *as_npy(W)]
)
add_options("file_twice", DATA, ["x.csv", "twice"], "x.csv")
add_options("no_such_file", DATA, ["no.csv", "no such file", "check the name"], "no.csv")
add_options("a_folder", DATA, ["folder", "name the files in it"], write=lambda _: [os.mkdir("folder") or "folder"])
SIM = "kind='similarities'"
add_options("similarities_of_features", SETTINGS, ["<kind=similarities>", "x.csv", "<format>"], SIM)
add_options(
    "distances_as_similarities",
    DATA,
    ["d_2001.npy: K[0] (2001)", "<kind=distances>"],
    SIM,
    write=lambda W: as_npy(W)[:2],
)
add_array("similarities_as_distances", ["d.npy: D[0] (d)", "5.1", "<kind=similarities>"], np.eye(4) * 5 + 0.1)
add_array("negative_length", ["d.npy: K[0] (d)", "-1", "object 1"], np.diag([1.0, -1, 1]), SIM)
add_options("standardize_matrices", SETTINGS, ["<standardize=True>", "d_2001.npy"], "standardize=true", write=as_npy)
add_options("columns_of_matrices", SETTINGS, ["<columns>", "d_2001.npy"], "columns=['a','b']", write=as_npy)
add_options("symmetrize_features", SETTINGS, ["<symmetrize=mean>", "x.csv"], "symmetrize='mean'")
add_options("drop_missing_distances", SETTINGS, ["<missing=drop>", "d_2001.npy"], "missing='drop'", write=as_npy)
add_options("objects_of_features", SETTINGS, ["<objects=o.csv>", "x.csv"], "objects='o.csv'")
add_options(
    "cross_of_separate",
    DATA,
    ["d_2001.npy", "<cross=True> needs", "leave out <cross>"],
    "cross=true",
    write=as_npy,
)
add_options("cross_of_long", SETTINGS, ["<cross=True>", "d.csv"], "cross=true", write=as_long)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_fault(case):
    refused(case.kind, case.says, case.write())


# Names and ids that want to do harm reach the error as they are; doors show them in one line.

HOSTILE = ["a\nb", "=cmd()", "\u202egnp.exe", "\x1b[31mred", "it's", "x" * 10_000]


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
@pytest.mark.parametrize("format", ["npz", "csv"])
def test_hostile_ids(name, format):
    if format == "npz":
        np.savez("d.npz", D=D, ids=[name, "b", "c", "d", "e", name])
        words = ["d.npz", "squared=false"]
    else:
        pd.DataFrame({"id": [name, "b", name], "a": [1, 2, 4]}).to_csv("x.csv", index=False)
        words = ["x.csv"]
    error = refused(DATA, ["twice", "rename its copies", repr(name)], words)
    assert error.where.epoch == 0


# New objects and outcomes

NEW_TABLES = {
    "missing column": (["'b'", "a, b"], "id,a\nu,1\n"),
    "other columns": (["'a'", "a, b"], "id,c,d\nu,1,2\n"),
    "text": (["line 2, column b", "'x'"], "id,a,b\nu,1,x\n"),
    "text among numbers": (["line 3, column b", "'x'"], "id,a,b\nu,1,2\nv,1,x\n"),
    "gap": (["line 2, column b", "no value"], "id,a,b\nu,1,\n"),
    "gap among numbers": (["line 3, column b", "no value"], "id,a,b\nu,1,2\nv,1,\n"),
    "infinite": (["line 2, column b", "'inf'"], "id,a,b\nu,1,inf\n"),
    "decimal comma": (["line 2, column a", "'1,5'", "point"], "id;a;b\nu;1,5;2,5\n"),
    "ragged": (["line 2", "4 fields"], "id,a,b\nu,1,2,3\n"),
    "header only": (["no rows"], "id,a,b\n"),
    "empty": (["is empty"], ""),
    "binary": (["UTF-8"], JUNK),
    "latin-1": (["0xe4", "UTF-8"], "id,a,b\nä,1,2\n".encode("latin-1")),
}


@pytest.mark.parametrize(("says", "table"), NEW_TABLES.values(), ids=NEW_TABLES.keys())
def test_new_objects_in_a_bad_table(says, table):
    put("new.csv", table)
    with pytest.raises(DataError) as caught:
        read_new_objects(Path("new.csv"), None, DataSettings(), ["a", "b"])
    text = caught.value.told(dialect)
    assert text.startswith("new.csv: ")
    assert caught.value.remedy
    assert all(word in text for word in says), text


def test_new_objects_that_are_not_there():
    os.mkdir("far")
    for name, id, says in (
        ("no.csv", None, "no such file"),
        ("far", None, "is a folder"),
        (put("new.csv", "a,b\n1,2\n"), "name", "has no column 'name', which <id> names; its columns are a, b"),
        (put("new.xlsx", "a"), None, "new objects come as a table"),
    ):
        with pytest.raises(DataError) as caught:
            read_new_objects(Path(name), id, DataSettings(), ["a", "b"])
        assert says in caught.value.told(dialect)
        assert caught.value.where.file == name


NEW_ARRAYS = {
    "columns": (["has 5 columns", "give 2: a, b"], np.ones((2, 5))),
    "one row": (["(6,)", "one row per new object"], np.ones(6)),
    "complex": (["complex numbers"], np.ones((2, 2)) * 1j),
    "text": (["text"], np.ones((2, 2)).astype(str)),
    "objects": (["Python objects"], np.ones((2, 2)).astype(object)),
    "junk": (["not an npy file"], JUNK),
    "cut off": (["1000000 × 1000000", "cut off"], header(HUGE)),
}


@pytest.mark.parametrize(("says", "array"), NEW_ARRAYS.values(), ids=NEW_ARRAYS.keys())
def test_new_objects_in_a_bad_array(says, array):
    put("new.npy", array) if isinstance(array, bytes) else np.save("new.npy", array)
    with pytest.raises(DataError) as caught:
        read_new_objects(Path("new.npy"), None, DataSettings(), ["a", "b"])
    text = caught.value.told(dialect)
    assert text.startswith("new.npy: ")
    assert all(word in text for word in says), text


THREE = DistanceSeries.from_distances([1.0 - np.eye(3)], squared=True, ids=[["a", "b", "c"]])
OUTCOMES = {
    "no ids": (["has no column 'id'", "<id>", "name, died"], "name,died\na,1\n"),
    "several": (["<outcome>", "died, ill"], "id,died,ill\na,1,0\n"),
    "neither": (["line 3, column died: 'perhaps' is neither yes nor no"], "id,died\na,1\nb,perhaps\n"),
    "twice": (["line 3, column id: the id 'a' occurs twice"], "id,died\na,1\na,1\n"),
}


@pytest.mark.parametrize(("says", "table"), OUTCOMES.values(), ids=OUTCOMES.keys())
def test_bad_outcomes(says, table):
    put("outcomes.csv", table)
    with pytest.raises(DataError) as caught:
        read_outcomes(Path("outcomes.csv"), None, None, THREE)
    text = caught.value.told(dialect)
    assert text.startswith("outcomes.csv: ")
    assert all(word in text for word in says), text
