"""Long tables: pairs become matrices, and what is missing or contradicts itself is named."""

import gzip
import re
import time
from itertools import combinations

import numpy as np
import pytest

from reference import random_distances, rng_for
from tetiwd import memory
from tetiwd.errors import DataError, MemoryLimitError, SettingsError
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.files import find_file
from tetiwd.io.read import read_series
from tetiwd.io.readers.long import holds_pairs

D = {year: random_distances(rng_for(76, year), n, 3) for year, n in {2001: 5, 2003: 4}.items()}
IDS = {2001: list("abcde"), 2003: list("bxdy")}
SQUARED = DataSettings(squared=True)


def settings(**options):
    return DataSettings(**({"squared": True} | options))


def rows(years=(2003, 2001), ids=IDS):
    """One row per pair: epoch, two objects, distance."""
    return [
        (year, ids[year][i], ids[year][j], D[year][i, j].item())
        for year in years
        for i, j in combinations(range(len(D[year])), 2)
    ]


def table(rows, names=("time", "i", "j", "distance"), sep=","):
    return "\n".join(sep.join(map(str, row)) for row in [names, *rows]) + "\n"


def assert_is(series, years=(2001, 2003), times=None):
    assert series.times == (times or years)
    assert [own.tolist() for own in series.ids] == [IDS[year] for year in years]
    for found, year in zip(series.D, years, strict=True):
        assert np.array_equal(found, D[year])


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("ending", "sep"), [("csv", ","), ("csv", ";"), ("tsv", "\t"), ("txt", " ")])
def test_round_trip(here, packed, ending, sep):
    data = table(rows(), sep=sep).encode()
    name = f"pairs.{ending}" + ".gz" * packed
    (here / name).write_bytes(gzip.compress(data) if packed else data)
    found = read_series([name], SQUARED)
    assert found.format == "long"
    assert_is(found.series)
    assert found.remarks == ()


def test_parquet(here):
    pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    pd.DataFrame(rows(), columns=["time", "i", "j", "distance"]).to_parquet("pairs.parquet")
    found = read_series(["pairs.parquet"], SQUARED)
    assert found.format == "long"
    assert_is(found.series)


def test_pairs_in_any_order_and_twice(here):
    turned = [(year, j, i, value) for year, i, j, value in rows()]
    (here / "pairs.csv").write_text(table([*rows(), *turned, (2001, "a", "a", 0.0)]))
    assert_is(read_series(["pairs.csv"], SQUARED).series)
    mixed = [
        both[int(k)] for k, both in zip(rng_for(77).integers(2, size=16), zip(rows(), turned, strict=True), strict=True)
    ]
    order = rng_for(78).permutation(16)
    (here / "pairs.csv").write_text(table([mixed[k] for k in order]))
    series = read_series(["pairs.csv"], SQUARED).series
    for found, own, year in zip(series.D, series.ids, (2001, 2003), strict=True):
        at = [IDS[year].index(name) for name in own]
        assert np.array_equal(found, D[year][np.ix_(at, at)])


def test_other_names_and_no_time(here):
    text = table([row[1:] for row in rows([2001])], ("from", "to", "d"))
    (here / "one.csv").write_text(text)
    names = {"first": "from", "second": "to", "distance": "d"}
    assert_is(read_series(["one.csv"], settings(**names)).series, (2001,), ("one",))


def test_one_file_per_epoch(here):
    for year in D:
        (here / f"pairs_{year}.csv").write_text(table([row[1:] for row in rows([year])], ("i", "j", "distance")))
    found = read_series(["pairs_2003.csv", "pairs_2001.csv"], SQUARED)
    assert_is(found.series)
    assert found.remarks == ("order of epochs (from the names of files): 2001, 2003",)


def test_rows_of_several_files(here):
    (here / "a.csv").write_text(table(rows()[:9]))
    (here / "b.csv").write_text(table(rows()[9:]))
    assert_is(read_series(["a.csv", "b.csv"], SQUARED).series)


def test_ids_and_windows(here):
    numbered = {2001: [7, 8, 9, 10, 11], 2003: [7, 9, 8, 12]}
    dated = [(f"{year}-0{1 + i % 9}-01", *rest) for i, (year, *rest) in enumerate(rows(ids=numbered))]
    (here / "pairs.csv").write_text(table(dated))
    series = read_series(["pairs.csv"], settings(by="year")).series
    assert series.times == (2001, 2003)
    assert [own.tolist() for own in series.ids] == list(numbered.values())
    assert series.ids[0].dtype == np.int64


def test_similarities_need_the_diagonal(here):
    X = np.rint(9 * rng_for(79).standard_normal((4, 2)))
    K = X @ X.T
    pairs = [(i, j, K[i, j]) for i in range(4) for j in range(i + 1)]
    (here / "K.csv").write_text(table(pairs, ("i", "j", "distance")))
    kernel = DataSettings(kind="similarities")
    assert np.array_equal(read_series(["K.csv"], kernel).series.matrices[0], K)
    (here / "K.csv").write_text(table([*pairs, (2, 2, 999.0)], ("i", "j", "distance")))
    with pytest.raises(DataError, match=re.escape("for the object 2 and itself; it has another one, too")):
        read_series(["K.csv"], kernel)
    (here / "K.csv").write_text(table([p for p in pairs if p[:2] != (2, 2)], ("i", "j", "distance")))
    with pytest.raises(DataError, match=re.escape("K.csv: epoch K has no row for the object 2 and itself")):
        read_series(["K.csv"], kernel)


def test_missing_rows_can_be_dropped(here):
    gone = [(2001, "a", "zz", "NA"), (2001, "", "b", "1.0"), ("", "a", "b", "1.0"), (2003, "b", "zz", "")]
    (here / "pairs.csv").write_text(table([*rows(), *gone]))
    found = read_series(["pairs.csv"], settings(missing="drop"))
    assert_is(found.series)
    assert found.remarks == ("pairs.csv: left out 4 of 20 rows with missing values",)


def test_contradictions_can_be_averaged(here):
    doubled = [*rows(), *[(year, j, i, 3 * value) for year, i, j, value in rows()]]
    (here / "pairs.csv").write_text(table(doubled))
    series = read_series(["pairs.csv"], settings(symmetrize="mean")).series
    for found, year in zip(series.D, D, strict=True):
        np.testing.assert_allclose(found, 2 * D[year], rtol=1e-15)


GOOD = [(1, "a", "b", 1.5), (1, "a", "c", 2), (1, "b", "c", 2.5)]
FAULTS = {
    "text": (
        [*GOOD[:2], (1, "b", "c", "abc")],
        "line 4, column distance: 'abc' is not a number; correct it, or leave out",
    ),
    "infinite": ([*GOOD[:2], (1, "b", "c", "inf")], "line 4, column distance: 'inf' is not a finite number"),
    "no distance": ([*GOOD, (1, "b", "d", "")], "line 5, column distance: there is no value; fill it in, or leave out"),
    "no objects": ([*GOOD, (1, "", "d", 1), (1, "", "d", 1)], "line 5, column i: there is no value (2 rows have none)"),
    "no time": ([*GOOD, ("NA", "b", "d", 1)], "line 5, column time: there is no value"),
    "missing pair": (
        [*GOOD, (1, "a", "d", 1)],
        "epoch 1 has no row for the pair ('b', 'd') (2 of its 6 pairs are missing); distances of all pairs are needed",
    ),
    "last pair missing": (
        [*GOOD, (1, "a", "d", 1), (1, "b", "d", 1)],
        "epoch 1 has no row for the pair ('c', 'd') (1 of",
    ),
    "contradiction": (
        [*GOOD, (1, "c", "a", 2.1)],
        "epoch 1 has different values for the pair ('a', 'c'): 2 and 2.1; correct one, or pass symmetrize=",
    ),
    "self pair": (
        [*GOOD, (1, "b", "b", 0.5)],
        "epoch 1 has the value 0.5 for the object 'b' and itself; this distance is 0",
    ),
    "negative": ([*GOOD[:2], (1, "b", "c", -4)], "D[0] (1) has a negative value at ('b', 'c'): -4"),
    "all zero": ([(*row[:3], 0) for row in GOOD], "D[0] (1) is zero everywhere"),
    "two objects": ([*GOOD, (2, "a", "b", 1)], "D[1] (2) has 2 objects, too few"),
    "one object": ([*GOOD, (2, "a", "a", 0)], "D[1] (2) has 1 object, too few"),
    "fields missing": ([*GOOD, (1, "b")], "line 5: has 2 fields, but the first line names 4 columns"),
    "no rows": ([], "has a line of names (time, i, j, distance) but no rows"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault(here, fault):
    pairs, message = FAULTS[fault]
    (here / "pairs.csv").write_text(table(pairs))
    with pytest.raises(DataError, match="^" + re.escape(f"pairs.csv: {message}")):
        read_series(["pairs.csv"], settings(format="long"))


def test_columns_that_are_not_there(here):
    (here / "pairs.csv").write_text(table(GOOD))
    with pytest.raises(
        DataError, match=re.escape("pairs.csv: has no column 'to'; name it with second (the columns are ti")
    ):
        read_series(["pairs.csv"], settings(format="long", second="to"))
    with pytest.raises(
        DataError, match=re.escape("pairs.csv: has no column 'when', which time names; its columns are")
    ):
        read_series(["pairs.csv"], settings(time="when"))
    (here / "one.csv").write_text(table([row[1:] for row in GOOD], ("i", "j", "distance")))
    with pytest.raises(DataError, match=re.escape("one.csv: one has no column time but pairs (pairs.csv) has; give")):
        read_series(["pairs.csv", "one.csv"], SQUARED)
    with pytest.raises(DataError, match=re.escape('one.csv: by="year" needs dates, but there is no column "time"')):
        read_series(["one.csv"], settings(by="year"))
    with pytest.raises(DataError, match=re.escape("pairs.csv: column time: times and the data disagree")):
        read_series(["pairs.csv"], settings(times=(3,)))


def test_pairs_under_other_names(here):
    (here / "pairs.csv").write_text(table(rows(), ("time", "from", "to", "d")))
    found = read_series(["pairs.csv"], SQUARED)
    assert found.format == "long"
    assert found.remarks == ("pairs.csv: read as pairs of objects (from, to) with the distance d",)
    assert_is(found.series)
    numbered = [(year, ord(i), ord(j), value) for year, i, j, value in rows()]
    (here / "pairs.csv").write_text(table(numbered, ("time", "from", "to", "d")))
    with pytest.raises(SettingsError, match="name its columns with first, second and distance"):
        read_series(["pairs.csv"], SQUARED)
    names = {"first": "from", "second": "to", "distance": "d"}
    series = read_series(["pairs.csv"], settings(**names)).series
    assert series.ids[0].tolist() == [ord(name) for name in IDS[2001]]
    with pytest.raises(DataError, match="has no column 'far'; name it with distance"):
        read_series(["pairs.csv"], settings(**names | {"distance": "far"}))


def test_settings_that_do_not_fit(here):
    (here / "pairs.csv").write_text(table(GOOD))
    with pytest.raises(SettingsError, match="it is not known whether the distances are squared; pass squared=True if"):
        read_series(["pairs.csv"])
    with pytest.raises(
        SettingsError,
        match="cross=True is for the formats arrays, h5ad, fasta, matrix, features, but",
    ):
        read_series(["pairs.csv"], settings(cross=True))


def test_many_objects_with_few_pairs_are_no_question_of_memory(here, monkeypatch):
    star = [(1, "centre", f"p{i}", 1) for i in range(2000)]
    (here / "pairs.csv").write_text(table(star))
    monkeypatch.setattr(memory, "available_memory", lambda: (10**6, "says the test"))
    with pytest.raises(
        DataError, match=re.escape("has no row for the pair ('p0', 'p1') (1999000 of its 2001000 pairs")
    ):
        read_series(["pairs.csv"], SQUARED)


def test_too_large_is_refused(here, monkeypatch):
    pairs = [(1, i, j, 1) for i, j in combinations(range(60), 2)]
    (here / "pairs.csv").write_text(table(pairs))
    monkeypatch.setattr(memory, "available_memory", lambda: (8 * 60 * 60 - 1, "says the test"))
    for earlier in ("csv_table", "rows"):
        monkeypatch.setattr(f"tetiwd.io.{earlier}.require_memory", lambda *_: None)
    with pytest.raises(MemoryLimitError, match=r"^pairs\.csv: sorting 1770 rows takes 0.00 GiB"):
        read_series(["pairs.csv"], SQUARED)
    monkeypatch.setattr("tetiwd.io.readers.long.BYTES_PER_ROW", 1)
    with pytest.raises(
        MemoryLimitError, match=r"^pairs\.csv: keeping the distances between the 60 objects of epoch 1 take"
    ):
        read_series(["pairs.csv"], SQUARED)


def test_chunks_do_not_matter(here, monkeypatch):
    (here / "pairs.csv").write_text(table(rows()))
    monkeypatch.setattr("tetiwd.io.csv_table.CHUNK_FIELDS", 12)
    assert_is(read_series(["pairs.csv"], SQUARED).series)
    (here / "pairs.csv").write_text(table([*rows(), (2001, "a", "b", "x")]))
    with pytest.raises(DataError, match="line 18, column distance: 'x' is not a number"):
        read_series(["pairs.csv"], SQUARED)


def test_a_table_of_very_many_columns_is_none_of_pairs_at_once(here):
    names = [f"x{column}" for column in range(100_000)]
    rows = [",".join(str((row * column) % 7) for column in range(100_000)) for row in range(3)]
    (here / "wide.csv").write_text("\n".join([",".join(names), *rows]))
    began = time.process_time()
    assert not holds_pairs(find_file("wide.csv"), DataSettings(squared=False))
    assert time.process_time() - began < 5
