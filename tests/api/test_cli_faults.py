"""Every fault of the input through the command line: one line that says what, where and what to do; nothing written."""

import gzip
import os
import re
import shutil
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from reference import rng_for
from tetiwd.cli import app

DATA, SETTINGS, MEMORY, FOLDER, USAGE = 3, 4, 5, 6, 2
X = rng_for(12).standard_normal((12, 3))
WHOLE = np.sqrt(((X[:, None] - X[None]) ** 2).sum(-1))  # six objects at each of two times
TIME = np.repeat([2001, 2002], 6)
IDS = [f"p{i % 6}" for i in range(12)]
D = WHOLE[:6, :6]

IN_OTHER_WORDS = re.compile(
    r"\b(kind|symmetrize|squared|missing|cross|standardize|drop_small|min_objects|by|metric|format|times|dtype) = "
    r"|(symmetrize|squared|resume|copy)=|DistanceSeries|repair\(|pickle"
)  # those of settings, and of Python


def contents(folder):
    """Everything below a folder: bytes of files (a few of huge ones), None for folders."""

    def inside(path):
        with path.open("rb") as file:
            return path.stat().st_size, file.read(1 << 20)

    return {str(path): inside(path) if path.is_file() else None for path in Path(folder).rglob("*")}


def refused(folder, code, says, *words):
    """Run a command that must fail with this code and one line that holds these words, and leave no trace."""
    before = contents(folder)
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == code, (result.exit_code, result.output, result.exception)
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert contents(folder) == before
    if code != USAGE:  # these are shown by the library that takes commands apart
        assert result.stderr.startswith("Error: ")
        assert result.stderr.count("\n") == 1
        assert result.stderr.endswith("\n")
        assert result.stderr[:-1].isprintable()
        assert not IN_OTHER_WORDS.search(result.stderr)
    for word in says:
        assert word in result.stderr, word
    return result.stderr


# Matrices with a fault at one pair of the second time, in every format


def blocks(W):
    return {"2001": W[:6, :6], "2002": W[6:, 6:]}


def as_npy(W):
    for label, own in blocks(W).items():
        np.save(f"d_{label}.npy", own)
    return ["d_2001.npy", "d_2002.npy", "--plain"]


def as_npz(W):
    arrays = {f"D_{label}": own for label, own in blocks(W).items()}
    np.savez("d.npz", **arrays, ids_2001=IDS[:6], ids_2002=IDS[6:])
    return ["d.npz", "--plain"]


def as_condensed(W):
    for label, own in blocks(W).items():
        np.save(f"d_{label}.npy", own[np.triu_indices(6, 1)])
    return ["d_2001.npy", "d_2002.npy", "--plain"]


def as_pooled(W):
    np.savez("d.npz", D=W, time=TIME, ids=IDS)
    return ["d.npz", "--plain"]


def as_matrix_and_objects(W):
    np.save("d.npy", W)
    pd.DataFrame({"id": IDS, "time": TIME}).to_csv("objects.csv", index=False)
    return ["d.npy", "--objects", "objects.csv", "--plain"]


def as_square(W):
    for label, own in blocks(W).items():
        np.savetxt(f"d_{label}.csv", own, delimiter=",")
    return ["d_2001.csv", "d_2002.csv", "--plain"]


def as_lsmat(W):
    for label, own in blocks(W).items():
        pd.DataFrame(own, IDS[:6], IDS[:6]).to_csv(f"d_{label}.tsv.gz", sep="\t")
    return ["d_2001.tsv.gz", "d_2002.tsv.gz", "--plain"]


def pairs(W):
    rows = [
        (TIME[i], IDS[i], IDS[j], W[i, j])
        for i in range(12)
        for j in range(12)
        if TIME[i] == TIME[j] and (i != j or W[i, j])
    ]
    return pd.DataFrame(rows, columns=["time", "i", "j", "distance"])


def as_long(W):
    pairs(W).to_csv("d.csv", index=False)
    return ["d.csv", "--plain"]


def as_parquet(W):
    pairs(W).to_parquet("d.parquet")
    return ["d.parquet", "--plain"]


def as_h5ad(W, time=TIME, names=None):
    import anndata

    names = [f"{own}@{t}" for own, t in zip(IDS, TIME, strict=True)] if names is None else names
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stored = anndata.AnnData(obs=pd.DataFrame({"time": time}, index=names))
        stored.obsp["distances"] = W
        stored.write_h5ad("d.h5ad")
    return ["d.h5ad", "--plain"]


SECOND = {  # the file that holds the second time, and how its objects 1 and 4 are called
    as_npy: ("d_2002.npy", "(1, 4)"),
    as_npz: ("d.npz", "('p1', 'p4')"),
    as_condensed: ("d_2002.npy", "(1, 4)"),
    as_pooled: ("d.npz", "('p1', 'p4')"),
    as_matrix_and_objects: ("d.npy", "('p1', 'p4')"),
    as_square: ("d_2002.csv", "(1, 4)"),
    as_lsmat: ("d_2002.tsv.gz", "('p1', 'p4')"),
    as_long: ("d.csv", "('p1', 'p4')"),
    as_parquet: ("d.parquet", "('p1', 'p4')"),
    as_h5ad: ("d.h5ad", "('p1@2002', 'p4@2002')"),
}
IN_ROWS = {as_long: "line 40, column distance", as_parquet: "row 39, column distance"}
FORMATS = pytest.mark.parametrize("write", SECOND, ids=lambda write: write.__name__[3:])


def spoilt(first, second):
    W = WHOLE.copy()
    W[7, 10], W[10, 7] = first, second
    return W


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def both_refuse(code, says, words):
    """``check`` and ``fit`` say the same."""
    folder = Path.cwd()
    checked = refused(folder, code, says, "check", *words, "-q")
    fitted = refused(folder, code, says, "fit", *words, "-q", "--out", "run")
    room = re.compile(r"[\d.,]+ GiB can be had")  # changes from moment to moment
    assert room.sub("", fitted) == room.sub("", checked)


@FORMATS
def test_sound_data_pass(write):
    result = CliRunner().invoke(app, ["check", *write(WHOLE), "-q"])
    assert (result.exit_code, result.stderr) == (0, "")


@FORMATS
@pytest.mark.parametrize(
    ("value", "what", "remedy"),
    [
        (np.nan, "NaN", "leave out objects with missing distances"),
        (np.inf, "infinite", "leave out the object"),
        (-2.5, "negative value", "need --similarities"),
    ],
)
def test_a_value_no_distance_has(value, what, remedy, write):
    file, pair = SECOND[write]
    if write in IN_ROWS and not np.isfinite(value):
        what = "there is no value" if np.isnan(value) else "finite"
        pair, remedy = IN_ROWS[write], "--drop-missing" if np.isnan(value) else "leave out the row"
    shown = ["-2.5"] if value == -2.5 else []
    both_refuse(DATA, [f"Error: {file}: ", pair, what, remedy, *shown], write(spoilt(value, value)))


@FORMATS
def test_two_values_for_one_pair(write):
    if write is as_condensed:
        pytest.skip("a condensed matrix has one value per pair")
    file, pair = SECOND[write]
    both_refuse(DATA, [f"Error: {file}: ", "2002", pair, "9.25", "1.25", "--symmetrize"], write(spoilt(9.25, 1.25)))


@FORMATS
def test_a_distance_to_itself(write):
    if write is as_condensed:
        pytest.skip("a condensed matrix has no diagonal")
    W = WHOLE.copy()
    W[7, 7] = 3.5
    file, pair = SECOND[write]
    one = pair.removeprefix("(").split(", ")[0]
    both_refuse(DATA, [f"Error: {file}: ", one, "3.5", "2002", "0"], write(W))


@FORMATS
def test_all_objects_of_a_time_identical(write):
    W = WHOLE.copy()
    W[6:, 6:] = 0
    says = [f"Error: {SECOND[write][0]}: D[1] (2002) is zero everywhere", "all 6 objects", "leave this epoch out"]
    both_refuse(DATA, says, write(W))


@FORMATS
def test_nobody_said_whether_squared(write):
    both_refuse(SETTINGS, ["--squared", "--plain", "never guessed"], write(WHOLE)[:-1])


# Everything else: a short function per fault that writes files and returns what is typed after the command


@dataclass(frozen=True)
class Case:
    code: int
    says: tuple[str, ...]
    write: Callable[[], list[str]]


CASES: dict[str, Case] = {}
FIT_CASES: dict[str, Case] = {}


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
        return [file, *(options or ["--plain"])]

    CASES[name] = Case(code, tuple(says), write)


def add_arrays(name, says, *options, code=DATA, **arrays):
    def write():
        np.savez("d.npz", **arrays)
        return ["d.npz", *(options or ["--plain"])]

    CASES[name] = Case(code, tuple(says), write)


# Too few objects

MIN = "--set data.min_objects="
for n in (0, 1, 2):
    few = ("has no objects",) if n == 0 else (f"has {n} object", "too few", "--drop-small", f"{MIN}{n}")
    add_arrays(f"npz_{n}", ["d.npz: D[1] (2002)", *few], D_2001=D, D_2002=WHOLE[:n, :n])
    if n == 0:
        continue
    square = "\n".join(",".join(map(str, row)) for row in WHOLE[:n, :n]) + "\n"
    labelled = pd.DataFrame(WHOLE[:n, :n], IDS[:n], IDS[:n]).to_csv()
    add(f"square_{n}", DATA, ["d.csv: D[0]", *few], "d.csv", square, "--plain", "--format", "matrix")
    add(f"lsmat_{n}", DATA, ["d.csv: D[0]", *few], "d.csv", labelled, "--plain", "--format", "matrix")
    table = pd.DataFrame(X[: 6 + n], columns=list("abc")).assign(time=TIME[: 6 + n])
    add(f"features_{n}", DATA, ["x.csv: D[1] (2002)", *few], "x.csv", table.to_csv(index=False))
    sequences = "".join(f">s{i}|{TIME[i]}\nAC{'ACGT'[i % 4]}\n" for i in range(6 + n))
    add(f"fasta_{n}", DATA, ["s.fasta: D[1] (2002)", *few], "s.fasta", sequences)
add("long_2", DATA, ["d.csv: D[0] (d)", "2 objects", "--drop-small"], "d.csv", "i,j,distance\na,b,1\n", "--plain")
add("all_too_small", DATA, ["x.csv", "no epoch has 3", MIN[:-1]], "x.csv", "time,a\n1,2\n1,3\n", "--drop-small")

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
    "similarities_not_square", ["d.npz", "(12, 10)", "per object"], "--similarities", D=np.ones((12, 10)), time=TIME
)
add_arrays("times_of_other_rows", ["d.npz", "'time'", "(10,)", "one time per row"], D=WHOLE, time=TIME[:10])
add("csv_not_square", DATA, ["d.csv", "3 rows for 4"], "d.csv", "0,1,2,3\n1,0,2,3\n1,2,0,3\n", "--plain")
add("csv_ragged", DATA, ["d.csv: line 2", "2 numbers"], "d.csv", "0,1,2\n1,0\n1,2,0\n", "--plain")

# Ids

SWAPPED = "\ta\tb\tc\na\t0\t1\t2\nc\t2\t3\t0\nb\t1\t0\t3\n"
TWICE = "\ta\tb\ta\na\t0\t1\t2\nb\t1\t0\t3\na\t2\t3\t0\n"
add("labels_in_other_order", DATA, ["d.tsv", "'c'", "'b'", "sort the columns"], "d.tsv", SWAPPED, "--plain")
add("other_labels", DATA, ["d.tsv", "'x'", "'b'", "label both"], "d.tsv", SWAPPED.replace("\nc", "\nx"), "--plain")
add("lsmat_id_twice", DATA, ["d.tsv: epoch 0 (d)", "'a' twice", "rename"], "d.tsv", TWICE, "--plain")
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


@fault(DATA, "x_2.csv", "no column id", "add it")
def ids_in_one_file():
    put("x_1.csv", "id,a\n1,2\n2,3\n3,5\n")
    put("x_2.csv", "a\n2\n3\n5\n")
    return ["x_1.csv", "x_2.csv"]


@fault(DATA, "d.h5ad: epoch 0 (2001)", "'x' twice")
def h5ad_id_twice():
    return as_h5ad(WHOLE, names=["x"] * 12)


# Kinds of numbers

INTEGERS = np.array([[0, 12, 1], [12, 0, 1], [1, 1, 0]], dtype=np.int8)
add_array("integers_overflowed", ["d.npy: D[0] (d)", "(0, 1)", "-112", "float64"], INTEGERS * INTEGERS, "--squared")
add_array("squares_overflow", ["d.npy: D[0] (d)", "overflows", "divide"], D * 1e200)
add_array("squares_overflow_float32", ["d.npy: D[0] (d)", "overflows", "float32"], (D * 1e30).astype(np.float32))
add_array(
    "too_large_for_float32", ["d.npy", "--set data.dtype=float32"], D * 1e50, "--plain", "--set", "data.dtype=float32"
)
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
        return ["d.npz", "--objects", "objects.csv", "--plain", *options]

    CASES[f"objects_{name}"] = Case(code, tuple(says), write)


OBJECTS = pd.DataFrame({"id": NAMED["ids"], "time": TIME})
add_objects("too_short", ["d.npz", "12 rows", "objects.csv has 10", "one row per object"], OBJECTS[:10])
add_objects("lack_some", ["objects.csv", "2 of 12", "'o10'", "add them"], OBJECTS[:10], named=True)
add_objects("twice", ["objects.csv", "'o0' twice", "lines 2 and 14"], pd.concat([OBJECTS, OBJECTS[:1]]), named=True)
add_objects("without_ids", ["objects.csv", "--id"], OBJECTS[["time"]], named=True)
add_objects("without_time", ["objects.csv", "--time", "year"], OBJECTS.rename(columns={"time": "year"}))
add_objects("with_a_gap", ["objects.csv", "line 2, column time"], OBJECTS.assign(time=["", *TIME[1:]]))
add_objects("with_no_id", ["objects.csv", "line 2, column id"], OBJECTS.assign(id=[None, *NAMED["ids"][1:]]))
add_objects("without_rows", ["objects.csv", "no rows"], "id,time\n")
add_objects("in_latin_1", ["objects.csv", "0xe4", "UTF-8"], ("id,time\n" + "ä,1\n" * 12).encode("latin-1"))


@fault(DATA, "nowhere.csv", "no such file")
def objects_nowhere():
    return [*as_npy(WHOLE)[:1], "--objects", "nowhere.csv", "--plain"]


@fault(DATA, "--objects goes with one matrix", "leave out --objects")
def objects_of_two_files():
    put("objects.csv", OBJECTS.to_csv(index=False))
    return [*as_npy(WHOLE), "--objects", "objects.csv"]


# Damaged files


def cut(name, n):
    put(name, Path(name).read_bytes()[:n])
    return [name, "--plain"]


def header(shape):
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


JUNK = b"\x89PNG\r\n\x1a\n\0\0\0" + bytes(range(256)) * 4
PACKED = gzip.compress(pairs(WHOLE).to_csv(index=False).encode())
HUGE = (10**6, 10**6)
for ending in ("npy", "npz", "csv", "tsv", "csv.gz", "parquet", "h5ad", "fasta"):
    add(f"empty_{ending}", DATA, [f"d.{ending}: is empty", "check how"], f"d.{ending}", b"")
    options = [] if ending == "fasta" else ["--plain"]
    add(f"junk_{ending}", DATA, [f"d.{ending}: is not"], f"d.{ending}", JUNK, *options)
add("cut_gz", DATA, ["d.csv.gz", "cut off", "again"], "d.csv.gz", PACKED[:-20], "--plain")
add("damaged_gz", DATA, ["d.csv.gz", "again"], "d.csv.gz", PACKED[:60] + b"\xff" * 20 + PACKED[80:], "--plain")
add("gz_that_is_none", DATA, ["d.csv.gz", "no rows"], "d.csv.gz", b"hello", "--plain")
add("huge_header", DATA, ["d.npy", "1000000 × 1000000", "cut off"], "d.npy", header(HUGE), "--plain")
add("negative_shape", DATA, ["d.npy", "(-3, 3)", "np.save"], "d.npy", header((-3, 3)), "--plain")
add("npy_version_9", DATA, ["d.npy", "np.save"], "d.npy", header((3, 3)).replace(b"\x01\0", b"\x09\0", 1), "--plain")
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
    return ["d.npz", "--plain"]


@fault(DATA, "d.npz", "no arrays", "np.savez")
def zip_of_other_things():
    with zipfile.ZipFile("d.npz", "w") as archive:
        archive.writestr("readme.txt", "hello")
    return ["d.npz", "--plain"]


@fault(DATA, "d.npz", "'D'", "cut off")
def npz_with_huge_header():
    with zipfile.ZipFile("d.npz", "w") as archive:
        archive.writestr("D.npy", header(HUGE))
    return ["d.npz", "--plain"]


@fault(MEMORY, "d.npy", "1000000 × 1000000", "GiB", "fewer objects")
def npy_larger_than_memory():
    with open("d.npy", "wb") as file:
        file.write(header(HUGE))
        file.truncate(128 + 8 * 10**12)  # takes no room on disk
    return ["d.npy", "--plain"]


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
add("header_only_long", DATA, ["d.csv", "no rows"], "d.csv", "time,i,j,distance\n", "--plain")
add("header_only_square", DATA, ["d.csv", "0 rows for 3"], "d.csv", ",a,b,c\n", "--plain", "--format", "matrix")
add("latin_1", DATA, ["x.csv", "0xf6", "UTF-8"], "x.csv", "time,größe\n1,2\n1,3\n1,4\n", encoding="latin-1")
add("latin_1_square", DATA, ["d.csv", "0xe4"], "d.csv", ",ä,b\nä,0,1\nb,1,0\n", "--plain", encoding="latin-1")
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
    "--plain",
)
add(
    "commas_in_square",
    DATA,
    ["d.csv: line 1, column 2", "'2,5'", POINT],
    "d.csv",
    "0;2,5;1\n2,5;0;3\n1;3;0\n",
    "--plain",
)
add(
    "commas_in_lsmat",
    DATA,
    ["d.csv: line 2, column b", POINT],
    "d.csv",
    ";a;b;c\na;0;2,5;1\nb;2,5;0;3\nc;1;3;0\n",
    "--plain",
)
add(
    "text_in_features",
    DATA,
    ["x.csv: line 3, column a", "'x'", "--columns"],
    "x.csv",
    "time,a,b\n1,2,3\n1,x,4\n1,4,5\n",
)
add(
    "text_in_column",
    DATA,
    ["x.csv: line 3, column a", "'x'"],
    "x.csv",
    "time,a,b\n1,2,3\n1,x,4\n1,4,5\n",
    "--columns",
    "a",
)
add("text_in_long", DATA, ["d.csv: line 3", "'far'"], "d.csv", "i,j,distance\na,b,2\na,c,far\nb,c,4\n", "--plain")
add(
    "text_in_square",
    DATA,
    ["d.csv: line 3, column c", "'far'"],
    "d.csv",
    ",a,b,c\na,0,2,1\nb,2,0,far\nc,1,3,0\n",
    "--plain",
)
add("text_only", DATA, ["x.csv", "no columns of numbers", "time, a"], "x.csv", "time,a\n1,x\n1,y\n1,z\n")
add("gap_in_features", DATA, ["x.csv: line 3, column a", "--drop-missing"], "x.csv", "time,a,b\n1,2,3\n1,,4\n1,4,5\n")
add("infinite_feature", DATA, ["x.csv: line 3, column a", "'inf'"], "x.csv", "time,a,b\n1,2,3\n1,inf,4\n1,4,5\n")
add("gaps_only", DATA, ["x.csv", "every row"], "x.csv", "time,a,b\n1,,3\n1,,4\n", "--columns", "a", "--drop-missing")
add("identical_features", DATA, ["x.csv: D[0] (1)", "identical"], "x.csv", "time,a,b\n" + "1,2,3\n" * 4)
GOOD = FEATURES.to_csv(index=False)
add("no_such_columns", DATA, ["x.csv", "no column q", "a, b, c"], "x.csv", GOOD, "--columns", "a,q")
add("no_such_id", DATA, ["x.csv", "'patient'", "--id", "a, b, c"], "x.csv", GOOD, "--id", "patient")
add("no_such_time", DATA, ["x.csv", "'year'", "--time", "a, b, c"], "x.csv", GOOD, "--time", "year")
add(
    "no_distance",
    DATA,
    ["d.csv", "'distance'", "--set data.distance"],
    "d.csv",
    "i,j,d\na,b,3\n",
    "--plain",
    "--format",
    "long",
)
add("time_as_feature", DATA, ["x.csv", "column time", "cannot be a feature"], "x.csv", GOOD, "--columns", "a,time")
add("column_twice", DATA, ["x.csv", "two columns named 'a'"], "x.csv", "time,a,a\n1,2,3\n")
add("column_asked_for_twice", SETTINGS, ["--columns", "'a' twice"], "x.csv", GOOD, "--columns", "a,a")
add("column_without_name", SETTINGS, ["--columns"], "x.csv", GOOD, "--columns", "a,")
add("no_time", DATA, ["x.csv: line 3, column time", "--drop-missing"], "x.csv", "time,a\n1,2\n,3\n1,4\n")
add(
    "no_time_long",
    DATA,
    ["d.csv: line 3, column time"],
    "d.csv",
    "time,i,j,distance\n1,a,b,3\n,a,c,4\n1,b,c,5\n",
    "--plain",
)
add("ragged", DATA, ["x.csv: line 3", "2 fields", "separator"], "x.csv", "time,a,b\n1,2,3\n1,2\n1,4,5\n")
add("stray_quote", DATA, ["x.csv: line 3", "quotation mark"], "x.csv", 'time,a,b\n1,2,3\n1,"2"x,4\n1,4,5\n')
add("open_quote", DATA, ["x.csv: line 4", "quotation mark"], "x.csv", 'time,a,b\n1,2,3\n1,"2,4\n1,4,5\n')
ALL = "i,j,distance\na,b,3\na,c,4\nb,c,5\n"
add(
    "contradiction",
    DATA,
    ["d.csv: epoch d", "('a', 'b')", "3 and 7", "--symmetrize"],
    "d.csv",
    ALL + "b,a,7\n",
    "--plain",
)
add("missing_pair", DATA, ["d.csv: epoch d", "('b', 'c')", "1 of its 3", "add them"], "d.csv", ALL[:-6], "--plain")
add("self_pair", DATA, ["d.csv: epoch d", "1.5", "'b' and itself", "leave out"], "d.csv", ALL + "b,b,1.5\n", "--plain")
add("no_self_similarity", DATA, ["d.csv: epoch d", "'a' and itself"], "d.csv", ALL, "--similarities")


@fault(DATA, "x.parquet: row 2, column a", "not finite", "leave out the row")
def parquet_infinite():
    pd.DataFrame({"time": [1, 1, 1], "a": [1, np.inf, 2]}).to_parquet("x.parquet")
    return ["x.parquet"]


@fault(DATA, "x.parquet: row 2, column a", "no value", "--drop-missing")
def parquet_gap():
    pd.DataFrame({"time": [1, 1, 1], "a": [1, np.nan, 2]}).to_parquet("x.parquet")
    return ["x.parquet"]


@fault(DATA, "x.parquet", "column a", "string", "convert it")
def parquet_text():
    pd.DataFrame({"time": [1, 1, 1], "a": list("xyz")}).to_parquet("x.parquet")
    return ["x.parquet", "--columns", "a"]


@fault(DATA, "d.parquet", "no rows")
def parquet_without_rows():
    pairs(WHOLE)[:0].to_parquet("d.parquet")
    return ["d.parquet", "--plain"]


@fault(DATA, "d.h5ad", "'year'", "--time")
def h5ad_no_such_time():
    return [*as_h5ad(WHOLE), "--time", "year"]


@fault(DATA, "d.h5ad", "'name'", "--id")
def h5ad_no_such_id():
    return [*as_h5ad(WHOLE), "--id", "name"]


@fault(DATA, "d.h5ad", "'other'", "--set data.obsp", "distances")
def h5ad_no_such_matrix():
    return [*as_h5ad(WHOLE), "--set", "data.obsp=other"]


@fault(DATA, "d.h5ad", "column time: row 0", "fill it in")
def h5ad_no_time():
    return as_h5ad(WHOLE, time=[np.nan, *TIME[1:].astype(float)])


# Sequences

ALIGNED = ">a|2001\nACGT\n>b|2001\nACGA\n>c|2001\nAAAA\n"
add("fasta_unequal", DATA, ["s.fasta: line 3", "'b'", "3 sites", "align"], "s.fasta", ALIGNED.replace("ACGA", "ACG"))
add(
    "fasta_one_without_date",
    DATA,
    ["s.fasta: line 3", "'b'", "--drop-missing"],
    "s.fasta",
    ALIGNED.replace("b|2001", "b"),
)
add("fasta_no_dates", DATA, ["s.fasta: line 1", "3 of 3"], "s.fasta", ALIGNED.replace("|2001", ""), "--by", "year")
add("fasta_coarse_dates", DATA, ["s.fasta: line 1", "'2001'", "--by"], "s.fasta", ALIGNED, "--by", "month")
add("fasta_empty_sequence", DATA, ["s.fasta: line 3", "'b' is empty"], "s.fasta", ALIGNED.replace("ACGA\n", ""))
add("fasta_no_id", DATA, ["s.fasta: line 3", "no id"], "s.fasta", ALIGNED.replace("b|2001", ""))
add("fasta_no_sequences", DATA, ["s.fasta", ">name"], "s.fasta", "; nothing\n")
add("fasta_is_none", DATA, ["s.fasta: line 1", "not a FASTA file"], "s.fasta", "hello\n" + ALIGNED)
add("fasta_digit", DATA, ["s.fasta: line 3", "'b'", "'1'", "site 3"], "s.fasta", ALIGNED.replace("ACGA", "AC1A"))
add("fasta_identical", DATA, ["s.fasta: D[0] (2001)", "identical"], "s.fasta", ">a|2001\nA\n>b|2001\nA\n>c|2001\nA\n")
add("fasta_metric", SETTINGS, ["--metric", "p-distance", "'cosine'"], "s.fasta", ALIGNED, "--metric", "cosine")
NOTHING_SHARED = ALIGNED.replace("ACGT", "AC--").replace("ACGA", "--GA")
add(
    "fasta_nothing_shared",
    DATA,
    ["s.fasta", "'a' and 'b'", "--metric hamming"],
    "s.fasta",
    NOTHING_SHARED,
    "--metric",
    "p-distance",
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


add_options("metric_unknown", DATA, ["x.csv", "'strange'", "euclidean"], "--metric", "strange")
add_options("metric_not_told", DATA, ["x.csv", "'canberra'", "--squared or --plain"], "--metric", "canberra")
add_options("metric_unknown_to_all", DATA, ["x.csv", "'strange'"], "--metric", "strange", "--plain")
add_options(
    "metric_with_own_scale", DATA, ["'seuclidean'", "--standardize", "--metric euclidean"], "--metric", "seuclidean"
)
add_options("hellinger_of_negatives", DATA, ["x.csv", "nonnegative"], "--metric", "hellinger")
add_options(
    "metric_of_matrices", SETTINGS, ["--metric cosine", "d_2001.npy", "--format"], "--metric", "cosine", write=as_npy
)
add(
    "constant_column",
    DATA,
    ["x.csv", "'a'", "standardised", "--columns"],
    "x.csv",
    "time,a,b\n1,2,3\n1,2,4\n1,2,5\n",
    "--standardize",
)
add(
    "by_without_dates",
    DATA,
    ["x.csv: line 2", "'spring'", "--by year"],
    "x.csv",
    "time,a\nspring,2\nspring,3\n",
    "--by",
    "year",
)
add("by_without_times", DATA, ["x.csv", "--by year", "--time", "a, b"], "x.csv", "a,b\n1,2\n2,3\n4,3\n", "--by", "year")
add(
    "by_with_coarse_dates",
    DATA,
    ["x.csv: line 2", "'2001'", "longer --by"],
    "x.csv",
    "time,a\n2001,2\n",
    "--by",
    "month",
)
add_options("by_of_files", DATA, ["d_2001.npy", "--by year", "--times"], "--by", "year", write=as_npy)
add_options("by_decade", SETTINGS, ["--by", "quarter", "'decade'"], "--by", "decade")
add_arrays("by_of_pooled", ["d.npz", "'time', row 0", "'x'"], "--plain", "--by", "day", D=WHOLE, time=["x"] * 12)
add_options("times_too_many", DATA, ["d_2001.npy", "2 epochs", "--times", "3 labels"], "--times", "1,2,3", write=as_npy)
add_options("times_twice", DATA, ["2001 occurs twice", "one epoch"], "--times", "2001,2001", write=as_npy)
add_options("times_backwards", DATA, ["2002", "2001", "sort"], "--times", "2002,2001", write=as_npy)
add_options("times_mixed", DATA, ["2002", "'late'", "one type"], "--times", "2002,late", write=as_npy)
add_options("times_of_rows", DATA, ["x.csv", "column time", "leave out --times"], "--times", "1,2")
add_options("times_of_pooled", DATA, ["d.npz", "leave out --times"], "--times", "1,2", write=as_pooled)
add_options("times_of_h5ad", SETTINGS, ["d.h5ad", "leave --times out"], "--times", "1,2", write=as_h5ad)
add("unknown_ending", DATA, ["d.xlsx", ".csv", "--format"], "d.xlsx", "1,2")
add_options("unknown_format", SETTINGS, ["--format", "fasta", "'excel'"], "--format", "excel")
add_options("wrong_format_fasta", DATA, ["x.csv: line 1", "not a FASTA"], "--format", "fasta")
add_options("wrong_format_h5ad", DATA, ["x.csv", "not an h5ad"], "--format", "h5ad", "--plain")
add_options("wrong_format_arrays", DATA, ["x.csv", "not an npy"], "--format", "arrays", "--plain")
add_options(
    "wrong_format_features", DATA, ["d_2001.npy", "not UTF-8"], "--format", "features", write=lambda W: as_npy(W)[:2]
)
add_options(
    "two_formats", DATA, ['"features"', '"arrays"', "--format"], write=lambda W: [put("x.csv", GOOD), *as_npy(W)]
)
add_options("file_twice", DATA, ["x.csv", "twice"], "x.csv")
add_options("no_such_file", DATA, ["no.csv", "no such file", "check the name"], "no.csv")
add_options("a_folder", DATA, ["folder", "name the files in it"], write=lambda _: [os.mkdir("folder") or "folder"])
SIM = "--similarities"
add_options("similarities_squared", SETTINGS, ["--squared", SIM], SIM, "--squared", write=lambda W: as_npy(W)[:2])
add_options("similarities_cross", SETTINGS, ["--cross", SIM], SIM, "--cross", write=lambda W: as_pooled(W)[:1])
add_options("similarities_of_features", SETTINGS, [SIM, "x.csv", "--format"], SIM)
add_options(
    "distances_as_similarities",
    DATA,
    ["d_2001.npy: K[0] (2001)", "leave out --similarities"],
    SIM,
    write=lambda W: as_npy(W)[:2],
)
add_array("similarities_as_distances", ["d.npy: D[0] (d)", "5.1", "add --similarities"], np.eye(4) * 5 + 0.1)
add_array("negative_length", ["d.npy: K[0] (d)", "-1", "object 1"], np.diag([1.0, -1, 1]), SIM)
add_array(
    "no_dot_products",
    ["K[0] (d)", "(0, 1)", "-8", "--set data.repair=shift"],
    np.array([[1, 5, 0.0], [5, 1, 0], [0, 0, 1]]),
    SIM,
)
add_options("standardize_matrices", SETTINGS, ["--standardize", "d_2001.npy"], "--standardize", write=as_npy)
add_options("columns_of_matrices", SETTINGS, ["--columns", "d_2001.npy"], "--columns", "a,b", write=as_npy)
add_options("symmetrize_features", SETTINGS, ["--symmetrize", "x.csv"], "--symmetrize")
add_options("drop_missing_distances", SETTINGS, ["--drop-missing", "d_2001.npy"], "--drop-missing", write=as_npy)
add_options("objects_of_features", SETTINGS, ["--objects o.csv", "x.csv"], "--objects", "o.csv")
add_options("cross_of_separate", DATA, ["d_2001.npy", "--cross needs", "leave out --cross"], "--cross", write=as_npy)
add_options("cross_of_long", SETTINGS, ["--cross", "d.csv"], "--cross", write=as_long)

# Settings


def add_toml(name, says, text, encoding="utf-8"):
    def write():
        return [put("x.csv", GOOD), "--settings", put("mine.toml", text, encoding)]

    CASES[f"toml_{name}"] = Case(SETTINGS, ("mine.toml", *says), write)


add_toml("bad", ["line 1", "valid TOML"], "[model\nxi 3")
add_toml("latin_1", ["valid TOML"], "[data]\nid='ä'", "latin-1")
add_toml("unknown_setting", ["[model]", "dfA", "did you mean df_A?"], "[model]\ndfA = 3")
add_toml("unknown_table", ["[modell]", "did you mean model?"], "[modell]\nxi=3")
add_toml("no_table", ["[model]", "must be a table"], "model=3")
add_toml("setting_in_no_table", ["[seed]", "sampler"], "seed=3")
add_toml("wrong_kind", ["n_draws", "'many'", "whole number"], "[sampler]\nn_draws='many'")
add_toml("wrong_flag", ["coupling", "true or false", "'no'"], "[model]\ncoupling='no'")
add_toml("shape_of_prior", ["Gamma shape", "'a'"], "[model]\nxi={shape='a', scale=2.0}")
add_options("toml_missing", SETTINGS, ["none.toml", "TOML file"], "--settings", "none.toml")
for text, *said in [
    ("model.dfA=3", "[model]", "dfA", "df_A"),
    ("modell.xi=3", "[modell]", "model"),
    ("xi=3", "'xi=3'", "model.xi=0.5"),
    ("model.xi", "'model.xi'", "model.xi=0.5"),
    ("model.xi=abc", "--xi", "positive", "'abc'"),
    ("model.alpha=nan", "--set model.alpha", "nan"),
    ("model.geometry=flat", "--set model.geometry", "isotropic", "'flat'"),
    ("model.coupling=maybe", "coupling", "true or false", "'maybe'"),
    ("model.max_clusters=0", "--max-clusters", "0"),
    ("model.dof=[]", "dof"),
    ("sampler.seed=-1", "--seed", "-1"),
    ("sampler.n_uncoupled=abc", "n_uncoupled", "abc"),
    ("sampler.init=middle", "init", "ward", "'middle'"),
    ("sampler.thin=1.5", "thin", "1.5"),
    ("answers.level=2", "--level", "between 0 and 1"),
    ("answers.loss=x", "--loss", "binder"),
    ("answers.at_most=0", "--at-most", "median", "0"),
    ("data.min_objects=0", "--set data.min_objects", "0"),
    ("data.kind=[1]", "--set data.kind", "similarities"),
    ("data.symmetrize=median", "--set data.symmetrize", "mean", "'median'"),
    ("data.repair=magic", "--set data.repair", "clip", "'magic'"),
    ("data.first=j", "first, second and distance", "different"),
    ("run.status=3", "[run]", "cannot be set"),
]:
    add_options(f"set_{text}", SETTINGS, said, "--set", text)


def add_fit(*options, code=SETTINGS, says):
    FIT_CASES[" ".join(options)] = Case(code, tuple(says), lambda: [put("x.csv", GOOD), *options])


add_fit("--seed", "-1", says=["--seed", "at least 0", "-1"])
add_fit("--draws", "0", says=["--draws", "at least 1", "0"])
add_fit("--chains", "0", says=["--chains", "at least 1"])
add_fit("--warmup", "-1", says=["--warmup", "at least 0"])
add_fit("--xi", "0", says=["--xi", "positive"])
add_fit("--max-clusters", "0", says=["--max-clusters", "at least 1"])
add_fit("--loss", "l2", says=["--loss", "binder", "'l2'"])
for bad in ("0", "mean", "-1", "2.5", ""):
    add_fit("--at-most", bad, says=["--at-most", "at least 1", "median", bad])
add_fit("--links", "none", says=["--links", "place", "'none'"])
add_fit("--dof", "many", says=["--dof", "spectrum", "'many'"])
add_fit("--dof", "", says=["--dof", "''"])
add_fit("--dof", "3,x", says=["--dof", "'3,x'"])
for bad in ("0", "nan", "inf", "-3"):
    add_fit("--dof", bad, says=["--dof", "positive finite", bad])
add_fit("--dof", "1,2,3", says=["--dof has 3 values", "2 epochs", "one per epoch"])
add_fit("--set", "sampler.init=[[0,1],[1]]", says=["init of epoch 0", "6 integers"])
add_fit("--draws", "99999999999", code=MEMORY, says=["99999999999 draws", "GiB", "--draws"])
add_fit("--threads", "0", code=USAGE, says=["--threads"])
add_fit("--draws", "many", code=USAGE, says=["--draws"])
add_fit("--checkpoint-seconds", "-1", code=USAGE, says=["--checkpoint-seconds"])
add_fit("--nonsense", code=USAGE, says=["--nonsense"])


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_check_and_fit_refuse(case):
    both_refuse(case.code, case.says, case.write())


@pytest.mark.parametrize("case", FIT_CASES.values(), ids=FIT_CASES.keys())
def test_fit_refuses(case):
    refused(".", case.code, case.says, "fit", *case.write(), "-q", "--out", "run")


# Names and ids that want to do harm

LONG = "x" * 10_000
HOSTILE = ["a\nb", "=cmd()", "\u202egnp.exe", "\x1b[31mred", "\r\rError: all is well", "it's", LONG]


@pytest.mark.parametrize("own", HOSTILE, ids=ascii)
@pytest.mark.parametrize("format", ["npz", "csv", "fasta"])
def test_hostile_ids_stay_in_one_line(own, format):
    if format == "npz":
        np.savez("d.npz", D=D, ids=[own, "b", "c", "d", "e", own])
        words, says = ["d.npz", "--plain"], ["twice", "rename its copies"]
    elif format == "csv":
        table = pd.DataFrame({"id": [own, "b", own], "a": [1, 2, 4]})
        table.to_csv("x.csv", index=False)
        words, says = ["x.csv"], ["twice", "rename its copies"]
    else:
        put("s.fasta", f">{own.split()[0]}|2001\nACGT\n>b|2001\nAC\n")
        words, says = ["s.fasta"], ["s.fasta: line", "align"]
        if own == "a\nb":
            pytest.skip("the name of a sequence ends with the line")
    both_refuse(DATA, says, words)
    assert len(refused(".", DATA, says, "check", *words, "-q")) < 1000


@pytest.mark.parametrize(
    "name", ["a\nb", "=cmd()", "\u202egnp", "\x1b[31mred", "it's", "-x", "with id, by", "\udcff"], ids=ascii
)
def test_hostile_file_names_stay_in_one_line(name):
    os.mkdir("in")
    both_refuse(DATA, ["no rows", ".csv: "], [put(f"in/{name}.csv", "time,a\n")])


@pytest.mark.parametrize(
    "words",
    [["check", LONG, "-q"], ["fit", LONG, "-q", "--out", "run"], ["summarize", LONG], ["simulate", "--out", LONG]],
    ids=lambda w: w[0],
)
def test_names_too_long_for_the_system(words):
    code = DATA if words[0] in ("check", "fit") else FOLDER
    assert len(refused(".", code, ["too long"], *words)) < 1000


# Where results go


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two finished runs: on features, and on distances."""
    folder = tmp_path_factory.mktemp("runs")
    before = Path.cwd()
    os.chdir(folder)
    try:
        FEATURES.assign(id=IDS).drop(columns="c").to_csv("x.csv", index=False)
        small = ["--chains", "1", "--warmup", "20", "--draws", "20", "-q"]
        for out, words in (("run", ["x.csv"]), ("far", as_npy(WHOLE))):
            result = CliRunner().invoke(app, ["fit", *words, *small, "--out", out])
            assert result.exit_code == 0, result.output
    finally:
        os.chdir(before)
    return folder


@pytest.fixture
def run(runs, tmp_path):
    for name in ("run", "far"):
        shutil.copytree(runs / name, tmp_path / name)
    return tmp_path / "run"


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: put("out", "mine"), ["out is a file", "another name"]),
        (lambda: [os.mkdir("out"), put("out/thesis.txt", "mine")], ["out is not empty", "another folder"]),
        (lambda: [os.mkdir("out"), put("out/run.toml", "")], ["already holds a run", "tetiwd resume", "--overwrite"]),
    ],
)
@pytest.mark.parametrize("overwrite", [[], ["--overwrite"]])
def test_what_is_in_the_way_stays(make, says, overwrite):
    make()
    if overwrite and "already holds a run" in says:
        pytest.skip("this is what --overwrite is for")
    refused(".", FOLDER, says, "fit", put("x.csv", GOOD), "--out", "out", "-q", *overwrite)


def test_out_below_a_file():
    put("file", "mine")
    refused(".", FOLDER, ["file/run", "another folder"], "fit", put("x.csv", GOOD), "--out", "file/run", "-q")
    refused(".", FOLDER, ["file/run"], "simulate", "--out", "file/run")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_out_in_a_place_that_is_read_only():
    put("x.csv", GOOD)
    os.mkdir("locked", 0o500)
    refused(".", FOLDER, ["locked/run", "another folder"], "fit", "x.csv", "--out", "locked/run", "-q")


@pytest.mark.parametrize(
    ("says", "words"),
    [
        (["run/report.html is there already", "--overwrite"], ["report", "run"]),
        (["page.html is there already", "--overwrite"], ["report", "run", "--out", "page.html"]),
        (["page.html is there already", "--overwrite"], ["forecast", "run", "--out", "page.html"]),
        (["page.html is there already", "--overwrite"], ["predict", "run", "new.csv", "--out", "page.html"]),
        (["cannot write far", "another place"], ["forecast", "run", "--out", "far", "--overwrite"]),
        (["cannot write no/page.html", "another place"], ["report", "run", "--out", "no/page.html"]),
        (["cannot write no/f.csv", "another place"], ["forecast", "run", "--out", "no/f.csv"]),
        (["run is there already", "another name"], ["simulate", "--out", "run"]),
        (["run is there already", "--overwrite"], ["demo", "--out", "run"]),
    ],
    ids=lambda words: " ".join(words[:4]),
)
def test_answers_do_not_overwrite(run, says, words):
    put("page.html", "mine")
    put("new.csv", "id,a,b\nu,1,2\n")
    refused(".", FOLDER, says, *words)


# Damaged results

QUESTIONS = [
    ["summarize", "run"],
    ["report", "run", "--out", "r.html"],
    ["predict", "run", "new.csv"],
    ["forecast", "run"],
]


def hole(file):
    whole = Path(file).read_bytes()
    third = len(whole) // 3
    put(file, whole[:third] + b"\xff" * third + whole[2 * third :])


def edit(file, change):
    put(file, change(Path(file).read_text("utf-8")))


DAMAGE = {
    "no folder": (lambda: shutil.rmtree("run"), ["no folder run", "fit has written"]),
    "a file": (lambda: [shutil.rmtree("run"), put("run", "x")], ["no folder run", "fit has written"]),
    "an empty folder": (lambda: [shutil.rmtree("run"), os.mkdir("run")], ["run holds no run.toml", "fit has written"]),
    "run.toml cut": (lambda: put("run/run.toml", "[run\n"), ["run/run.toml", "TOML", "run fit again"]),
    "run.toml binary": (lambda: put("run/run.toml", JUNK), ["run/run.toml", "TOML", "run fit again"]),
    "run.toml empty": (lambda: put("run/run.toml", ""), ["run/run.toml", "run fit again"]),
    "run.toml of others": (lambda: put("run/run.toml", "run = 3"), ["run/run.toml", "run fit again"]),
    "run.toml of tomorrow": (lambda: edit("run/run.toml", lambda t: t.replace("-run-1", "-run-9")), ["tetiwd-run-9"]),
    "run.toml with more": (
        lambda: edit("run/run.toml", lambda t: f"{t}\n[more]\na = 1\n"),
        ["[more]", "run fit again"],
    ),
    "run.toml with less": (lambda: edit("run/run.toml", lambda t: t.split("[resolved]")[0]), ["dof", "run fit again"]),
    "data.nc missing": (lambda: os.remove("run/data.nc"), ["run: data.nc is missing", "run fit again"]),
    "data.nc junk": (lambda: put("run/data.nc", JUNK), ["run: data.nc cannot be read", "run fit again"]),
    "data.nc cut": (lambda: cut("run/data.nc", 3000), ["run: data.nc cannot be read", "run fit again"]),
    "data.nc with a hole": (lambda: hole("run/data.nc"), ["run: data.nc cannot be read", "run fit again"]),
    "data.nc of others": (lambda: shutil.copy("run/results.nc", "run/data.nc"), ["run: data.nc cannot be read"]),
}
DAMAGED_RESULTS = {
    "missing": (lambda: os.remove("run/results.nc"), ["no results", "tetiwd resume run"]),
    "empty": (lambda: put("run/results.nc", ""), ["run: results.nc cannot be read", "tetiwd resume"]),
    "junk": (lambda: put("run/results.nc", JUNK), ["run: results.nc cannot be read", "tetiwd resume"]),
    "cut": (lambda: cut("run/results.nc", 5000), ["run: results.nc cannot be read", "tetiwd resume"]),
    "with a hole": (lambda: hole("run/results.nc"), ["run: results.nc cannot be read", "tetiwd resume"]),
    "of others": (lambda: shutil.copy("run/data.nc", "run/results.nc"), ["run: the draws are not about these data"]),
}


@pytest.mark.parametrize(("spoil", "says"), DAMAGE.values(), ids=DAMAGE.keys())
@pytest.mark.parametrize("words", [["resume", "run", "-q"], *QUESTIONS], ids=lambda words: words[0])
def test_a_damaged_folder(run, spoil, says, words):
    spoil()
    put("new.csv", "id,a,b\nu,1,2\n")
    refused(".", FOLDER, says, *words)


@pytest.mark.parametrize(("spoil", "says"), DAMAGED_RESULTS.values(), ids=DAMAGED_RESULTS.keys())
def test_damaged_results_are_refused_and_resume_writes_them_again(run, spoil, says):
    spoil()
    put("new.csv", "id,a,b\nu,1,2\n")
    for words in QUESTIONS:
        refused(".", FOLDER, says, *words)
    assert CliRunner().invoke(app, ["resume", "run", "-q"]).exit_code == 0
    assert CliRunner().invoke(app, ["summarize", "run"]).exit_code == 0


@pytest.mark.parametrize("spoil", [hole, lambda file: put(file, ""), lambda file: put(file, JUNK)])
def test_damaged_checkpoints(run, spoil):
    for file in Path("run/checkpoint").iterdir():
        spoil(file)
    says = ["run/checkpoint/chain-1.checkpoint is damaged", "start a new run"]
    refused(".", FOLDER, says, "resume", "run", "-q", "--draws", "40")


@pytest.mark.parametrize(
    ("code", "says", "draws"),
    [(SETTINGS, ["--draws", "20"], 0), (SETTINGS, ["--draws", "20"], 5), (MEMORY, ["GiB", "--draws"], 10**11)],
)
def test_resume_with_a_number_of_draws_that_makes_no_sense(run, code, says, draws):
    refused(".", code, says, "resume", "run", "-q", "--draws", draws)


# Questions that make no sense


@pytest.mark.parametrize(
    ("code", "says", "words"),
    [
        (SETTINGS, ["--level", "between 0 and 1", "2.0"], ["forecast", "run", "--level", "2"]),
        (SETTINGS, ["--level", "nan"], ["forecast", "run", "--level", "nan"]),
        (SETTINGS, ["--level", "2.0"], ["forecast", "run", "--backtest", "--level", "2"]),
        (SETTINGS, ["--n-next", "at least 1", "0"], ["forecast", "run", "--n-next", "0"]),
        (SETTINGS, ["--loss", "binder", "'l2'"], ["summarize", "run", "--loss", "l2"]),
        (SETTINGS, ["--at-most", "median", "'few'"], ["summarize", "run", "--at-most", "few"]),
        (SETTINGS, ["--links", "place", "'all'"], ["report", "run", "--links", "all", "--out", "r.html"]),
        (SETTINGS, ["'1999'", "2001, 2002"], ["predict", "run", "new.csv", "--at", "1999"]),
        (SETTINGS, ["--sizes", "'3,x'"], ["simulate", "--out", "s", "--sizes", "3,x"]),
        (SETTINGS, ["at least one object", "-3"], ["simulate", "--out", "s", "--sizes", "-3"]),
        (SETTINGS, ["--seed", "at least 0", "-1"], ["simulate", "--out", "s", "--seed", "-1"]),
        (MEMORY, ["memory"], ["simulate", "--out", "s", "--sizes", "10000000"]),
        (USAGE, ["--design"], ["simulate", "--out", "s", "--design", "round"]),
        (USAGE, ["--out"], ["simulate"]),
        (USAGE, ["--level"], ["forecast", "run", "--level", "high"]),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, list) else "",
)
def test_questions_that_make_no_sense(run, code, says, words):
    put("new.csv", "id,a,b\nu,1,2\n")
    refused(".", code, says, *words)


NEW_TABLES = {
    "missing column": (["new.csv", "'b'", "a, b"], "id,a\nu,1\n"),
    "other columns": (["new.csv", "'a'", "a, b"], "id,c,d\nu,1,2\n"),
    "text": (["new.csv", "line 2, column b", "'x'"], "id,a,b\nu,1,x\n"),
    "text among numbers": (["new.csv", "line 3, column b", "'x'"], "id,a,b\nu,1,2\nv,1,x\n"),
    "gap": (["new.csv", "line 2, column b", "no value"], "id,a,b\nu,1,\n"),
    "gap among numbers": (["new.csv", "line 3, column b", "no value"], "id,a,b\nu,1,2\nv,1,\n"),
    "infinite": (["new.csv", "line 2, column b", "'inf'"], "id,a,b\nu,1,inf\n"),
    "decimal comma": (["new.csv: line 2, column a", "'1,5'", "point"], "id;a;b\nu;1,5;2,5\n"),
    "overflow": (["new.csv"], "id,a,b\nu,1e308,1e308\n"),
    "ragged": (["new.csv: line 2", "4 fields"], "id,a,b\nu,1,2,3\n"),
    "header only": (["new.csv", "no rows"], "id,a,b\n"),
    "empty": (["new.csv", "is empty"], ""),
    "binary": (["new.csv", "UTF-8"], JUNK),
    "latin-1": (["new.csv", "0xe4", "UTF-8"], "id,a,b\nä,1,2\n".encode("latin-1")),
}


@pytest.mark.parametrize(("says", "table"), NEW_TABLES.values(), ids=NEW_TABLES.keys())
def test_predict_from_a_bad_table(run, says, table):
    refused(".", DATA, says, "predict", "run", put("new.csv", table))


def test_predict_from_what_is_not_there(run):
    refused(".", DATA, ["no.csv", "no such file"], "predict", "run", "no.csv")
    refused(".", DATA, ["far", "is a folder"], "predict", "run", "far")
    refused(".", DATA, ["'name'", "--id", "a, b"], "predict", "run", put("new.csv", "a,b\n1,2\n"), "--id", "name")


NEW_ARRAYS = {
    "columns": (["new.npy", "(2, 5)", "2002", "6 objects"], np.ones((2, 5))),
    "one row": (["new.npy", "(6,)", "one row per new object"], np.ones(6)),
    "NaN": (["new.npy", "nan"], np.full((2, 6), np.nan)),
    "infinite": (["new.npy", "inf"], np.full((2, 6), np.inf)),
    "negative": (["new.npy", "-1", "not negative"], -np.ones((2, 6))),
    "complex": (["new.npy", "complex numbers"], np.ones((2, 6)) * 1j),
    "text": (["new.npy", "text"], np.ones((2, 6)).astype(str)),
    "objects": (["new.npy", "Python objects"], np.ones((2, 6)).astype(object)),
    "overflow": (["new.npy"], np.full((2, 6), 1e200)),
    "junk": (["new.npy", "not an npy file"], JUNK),
    "cut off": (["new.npy", "1000000 × 1000000", "cut off"], header(HUGE)),
}


@pytest.mark.parametrize(("says", "array"), NEW_ARRAYS.values(), ids=NEW_ARRAYS.keys())
def test_predict_from_a_bad_array(run, says, array):
    put("new.npy", array) if isinstance(array, bytes) else np.save("new.npy", array)
    refused(".", DATA, says, "predict", "far", "new.npy")


def test_predict_features_without_names(run):
    np.save("new.npy", np.ones((2, 3)))
    refused(".", DATA, ["new.npy", "3", "2"], "predict", "run", "new.npy")


def test_the_error_comes_last_when_there_is_more_to_say():
    result = CliRunner().invoke(app, ["fit", put("x.csv", "time,a\n"), "--out", "run"])
    assert result.stderr.splitlines()[-1].startswith("Error: x.csv: ")
    assert not Path("run").exists()


def test_errors_as_json():
    import json

    result = CliRunner().invoke(app, ["check", put("x.csv", "time,a\n"), "--json", "-q"])
    error = json.loads(result.stdout)["error"]
    assert (result.exit_code, error["exit_code"], error["kind"]) == (3, 3, "DataError")
    assert result.stderr == f"Error: {error['message']}\n"
