"""Square tables, with and without labels: every layout comes back as it was written."""

import gzip
import re

import numpy as np
import pytest

from reference import random_distances, rng_for
from tetiwd import memory
from tetiwd.errors import DataError, MemoryLimitError
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.read import read_series

D = {year: random_distances(rng_for(73, year), n, 3) for year, n in {2001: 5, 2003: 4}.items()}
SQUARED = DataSettings(squared=True)


def settings(**options):
    return DataSettings(**({"squared": True} | options))


def lines(matrix, ids=None, sep=",", corner="", columns=None):
    """The lines of a square table."""
    rows = [sep.join(map(repr, row.tolist())) for row in matrix]
    if ids is None:
        return rows
    head = sep.join(([] if corner is None else [corner]) + [str(own) for own in columns or ids])
    return [head, *(f"{own}{sep}{row}" for own, row in zip(ids, rows, strict=True))]


LAYOUTS = {
    "numbers, csv": ("csv", {}, ",", ""),
    "numbers, semicolons": ("csv", {}, ";", ""),
    "numbers, tsv": ("tsv", {}, "\t", ""),
    "numbers, blanks": ("txt", {}, " ", ""),
    "ids, csv": ("csv", {"ids": "abcde"}, ",", ""),
    "ids, corner": ("csv", {"ids": "abcde", "corner": "object"}, ",", ""),
    "ids, no corner": ("csv", {"ids": "abcde", "corner": None}, ",", ""),
    "ids, tsv": ("tsv", {"ids": "abcde"}, "\t", ""),
    "lsmat with comments": ("lsmat", {"ids": "abcde"}, "\t", "# made on Monday\n# of\tthree\tparts\n\n"),
    "quoted ids": ("csv", {"ids": ['"a,1"', '"b"', '"c ""x"""', "d", "e"]}, ",", ""),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(here, layout, packed, end, mark):
    ending, options, sep, above = LAYOUTS[layout]
    text = above + end.join(lines(D[2001], sep=sep, **options)) + end
    data = mark + text.encode()
    name = f"D.{ending}" + ".gz" * packed
    (here / name).write_bytes(gzip.compress(data) if packed else data)
    found = read_series([name], SQUARED)
    assert found.format == "matrix"
    assert found.series.times == ("D",)
    assert np.array_equal(found.series.D[0], D[2001])
    if "ids" in options:
        expected = ["a,1", "b", 'c "x"', "d", "e"] if "quoted" in layout else list("abcde")
        assert found.series.ids[0].tolist() == expected
    else:
        assert found.series.ids is None


def test_one_file_per_epoch(here):
    for year, matrix in D.items():
        (here / f"{year}.csv").write_text("\n".join(lines(matrix, range(7, 7 + len(matrix)))))
    found = read_series(["2003.csv", "2001.csv"], SQUARED)
    assert found.series.times == (2001, 2003)
    assert [own.tolist() for own in found.series.ids] == [[7, 8, 9, 10, 11], [7, 8, 9, 10]]
    assert all(np.array_equal(a, b) for a, b in zip(found.series.D, D.values(), strict=True))


def test_ids_stay_text_unless_all_are_plain_numbers(here):
    (here / "1.csv").write_text("\n".join(lines(D[2001], range(7, 12))))
    (here / "2.csv").write_text("\n".join(lines(D[2003], ["007", 8, 9, 10])))
    series = read_series(["1.csv", "2.csv"], SQUARED).series
    assert series.ids[0].tolist() == ["7", "8", "9", "10", "11"]
    assert series.ids[1].tolist() == ["007", "8", "9", "10"]


def test_row_numbers_are_no_ids(here):
    for year, matrix in D.items():
        (here / f"{year}.csv").write_text("\n".join(lines(matrix, range(len(matrix)))))
    found = read_series(["2001.csv", "2003.csv"], SQUARED)
    assert found.series.ids is None
    assert "rows are labelled 0, 1, 2, … in every table; these are taken as row numbers, not as ids" in found.remarks


def test_pooled_with_objects(here):
    pooled = random_distances(rng_for(74), 9, 3)
    ids = [f"s{i}" for i in range(9)]
    (here / "D.tsv").write_text("\n".join(lines(pooled, ids, "\t")))
    when = {own: f"2014-0{1 + 3 * (i % 3)}-15" for i, own in enumerate(ids)}
    (here / "o.tsv").write_text("sample\tdate\n" + "".join(f"{own}\t{when[own]}\n" for own in reversed(ids)))
    series = read_series(
        ["D.tsv"], settings(objects="o.tsv", id="sample", time="date", by="quarter", cross=True)
    ).series
    assert series.times == ("2014-Q1", "2014-Q2", "2014-Q3")
    assert [own.tolist() for own in series.ids] == [["s0", "s3", "s6"], ["s1", "s4", "s7"], ["s2", "s5", "s8"]]
    assert np.array_equal(series.D[1], pooled[1::3, 1::3])
    order = [0, 3, 6, 1, 4, 7, 2, 5, 8]
    assert np.array_equal(series.cross, pooled[np.ix_(order, order)])


def test_real_lsmat(here):
    skbio = pytest.importorskip("skbio")
    plain = np.sqrt(D[2001])
    skbio.DistanceMatrix(plain, list("abcde")).write("D.lsmat", format="lsmat")
    series = read_series(["D.lsmat"], settings(squared=False)).series
    assert series.ids[0].tolist() == list("abcde")
    assert np.array_equal(series.D[0], plain**2)


def test_real_pandas_and_numpy(here):
    pd = pytest.importorskip("pandas")
    pd.DataFrame(D[2001], list("abcde"), list("abcde")).to_csv("D.csv.gz")
    np.savetxt("D.txt", D[2001], fmt="%.17g")
    np.savetxt("E.csv", D[2001], delimiter=",")
    assert np.array_equal(read_series(["D.csv.gz"], SQUARED).series.D[0], D[2001])
    assert np.array_equal(read_series(["D.txt"], SQUARED).series.D[0], D[2001])
    assert np.array_equal(read_series(["E.csv"], SQUARED).series.D[0], D[2001])


def test_similarities(here):
    X = np.rint(9 * rng_for(75).standard_normal((5, 2)))
    (here / "K.csv").write_text("\n".join(lines(X @ X.T)))
    series = read_series(["K.csv"], DataSettings(kind="similarities")).series
    assert np.array_equal(series.matrices[0], X @ X.T)


def changed(i, j, text, **options):
    """The table with one field replaced."""
    rows = [row.split(",") for row in lines(D[2001], **options)]
    rows[i][j] = text
    return "\n".join(",".join(row) for row in rows)


LABELLED = {"ids": "abcde"}
FAULTS = {
    "text": (changed(2, 3, "abc", **LABELLED), "line 3, column c: 'abc' is not a number; correct it, or"),
    "text without labels": (changed(1, 3, "abc"), "line 2, column 4: 'abc' is not a number"),
    "underscore": (changed(2, 3, "1_000", **LABELLED), "line 3, column c: '1_000' is not a number"),
    "decimal comma": (
        "\n".join(";".join(row) for row in (["0", "1,5", "2"], ["1,5", "0", "1"], ["2", "1", "0"])),
        "line 1, column 2: '1,5' is not a number; write decimals with a point",
    ),
    "missing": (changed(2, 3, "", **LABELLED), "D[0] (D) has NaN at ('b', 'c')"),
    "NaN": (changed(2, 3, "NA", **LABELLED), "D[0] (D) has NaN at ('b', 'c') (1 entry is not finite)"),
    "infinite": (changed(1, 3, "inf"), "D[0] (D) has an infinite value at (1, 3)"),
    "negative on one side": (changed(1, 3, "-1"), "D[0] (D) is not symmetric at (1, 3): -1 and "),
    "asymmetric": (changed(1, 3, "99"), "D[0] (D) is not symmetric at (1, 3): 99 and "),
    "diagonal": (
        changed(2, 2, "0.25"),
        "D[0] (D) has a nonzero diagonal: 0.25 at object 2; an object is at distance 0",
    ),
    "row cut off": ("\n".join(lines(D[2001]))[:-30], "line 5: has "),
    "one number": ("0,1,2\n1\n2,1,0\n", "line 2: has 1 number, but the first line has 3 objects"),
    "row too short": ("0,1,2\n1,0\n2,1,0\n", "line 2: has 2 numbers, but the first line has 3 objects"),
    "row too long": (
        ",a,b,c\na,0,1,2\nb,1,0,1,7\nc,2,1,0\n",
        "line 3: has 4 numbers, but the first line has 3 objects",
    ),
    "too few rows": ("0,1,2\n1,0,1\n", "has 2 rows for 3 columns of numbers; a square table has"),
    "one row": ("0,1,2\n", "has 1 row for 3 columns of numbers"),
    "too many rows": ("0,1\n1,0\n2,1\n3,3\n", "has 4 rows for 2 columns of numbers"),
    "first line only": (",a,b,c\n", "has 0 rows for 3 columns of numbers"),
    "no id in the first line": (",a,,c\na,0,1,2\nb,1,0,1\nc,2,1,0\n", "the first line has no id at position 2"),
    "no id in the first column": (",a,b,c\na,0,1,2\n,1,0,1\nc,2,1,0\n", "the first column has no id at position 2"),
    "other order": (
        ",a,b,c\nb,0,1,2\na,1,0,1\nc,2,1,0\n",
        "the table has rows and columns in a different order: row 0 is 'b' and column 0 is 'a'; sort the columns like",
    ),
    "other labels": (
        ",a,b,c\na,0,1,2\nb,1,0,1\nd,2,1,0\n",
        "the table has different labels on rows and columns: row 2 is 'd' and column 2 is 'c'; label both with the "
        "objects, or leave out both",
    ),
    "ids twice": (",a,b,a\na,0,1,2\nb,1,0,1\na,2,1,0\n", "epoch 0 (D) has the id 'a' twice, at positions 0 and 2"),
    "two objects": ("0,1\n1,0\n", "D[0] (D) has 2 objects, too few to learn clusters from"),
    "all zero": ("0,0,0\n0,0,0\n0,0,0\n", "D[0] (D) is zero everywhere"),
    "comments only": ("# nothing\n\n# here\n", "holds no lines but comments"),
    "stray quote": (
        '0,1,2\n"1,0,1\n2,1,0\n',
        "line 3: cannot be taken apart (unexpected end of data); look for a stray",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault(here, fault):
    text, message = FAULTS[fault]
    (here / "D.csv").write_text(text)
    with pytest.raises(DataError, match="^" + re.escape(f"D.csv: {message}")):
        read_series(["D.csv"], settings(format="matrix"))


def test_the_file_of_the_faulty_epoch_is_named(here):
    for name, text in {"9.csv": "0,1,2\n1,0,1\n2,1,0", "10.csv": "0,-1,2\n-1,0,1\n2,1,0"}.items():
        (here / name).write_text(text)
    with pytest.raises(
        DataError, match=re.escape("10.csv: D[1] (10) has a negative value at (0, 1): -1; distances cann")
    ):
        read_series(["10.csv", "9.csv"], SQUARED)


def test_remedies(here):
    (here / "D.csv").write_text("3,1,2\n1,3,1\n2,1,3")
    with pytest.raises(
        DataError, match=re.escape("these look like similarities: use DistanceSeries.from_similarities")
    ):
        read_series(["D.csv"], SQUARED)
    (here / "D.csv").write_text("0,1,2\n1.5,0,1\n2,1,0")
    with pytest.raises(DataError, match=re.escape('pass symmetrize="mean" to average them')):
        read_series(["D.csv"], SQUARED)
    assert read_series(["D.csv"], settings(symmetrize="mean")).series.D[0][0, 1] == 1.25
    (here / "D.csv").write_text("0,1\n1,0")
    with pytest.raises(DataError, match=re.escape("leave it out, or pass min_objects=2 to keep it")):
        read_series(["D.csv"], SQUARED)
    (here / "D.csv").write_text("0,-1,2\n-1,0,1\n2,1,0")
    with pytest.raises(DataError, match=re.escape("if these are similarities, use DistanceSeries")):
        read_series(["D.csv"], SQUARED)
    (here / "D.csv").write_text("0,1,2\n1,0,1\n2,1,0")
    with pytest.raises(DataError, match=re.escape("these look like distances: use DistanceSeries.from_distances")):
        read_series(["D.csv"], DataSettings(kind="similarities"))


def test_two_files_with_objects(here):
    for name in ("a.csv", "b.csv"):
        (here / name).write_text("0,1,2\n1,0,1\n2,1,0")
    (here / "o.csv").write_text("time\n1\n1\n1\n")
    with pytest.raises(DataError, match=r"^b\.csv: objects goes with one matrix over all times"):
        read_series(["a.csv", "b.csv"], settings(objects="o.csv"))


def test_size_is_checked_at_the_first_line(here, monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: (1000, "says the test"))
    (here / "D.csv").write_text(",".join("0" * 5000) + "\n")
    with pytest.raises(MemoryLimitError, match=r"^D\.csv: keeping the distances between 5000 objects takes 0.19 GiB"):
        read_series(["D.csv"], SQUARED)
