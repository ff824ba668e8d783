"""Feature tables: columns, times, missing values, standardisation."""

import datetime
import gzip
import re
import sys
import tracemalloc

import numpy as np
import pytest

from reference import rng_for
from tetiwd import DistanceSeries, memory
from tetiwd.errors import DataError, MemoryLimitError, Setting, SettingsError
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.read import read_series
from tetiwd.io.rows import BYTES_PER_TIME, Part, epochs_of_parts
from tetiwd.io.tables import Columns

X = rng_for(80).standard_normal((12, 3))
TIME = [2003, 2001, 2010] * 4
IDS = [f"p{i // 3}" for i in range(12)]


def table(columns, sep=","):
    """A table from columns by name."""
    rows = zip(*columns.values(), strict=True)
    return "\n".join([sep.join(columns), *(sep.join(str(value) for value in row) for row in rows)]) + "\n"


def columns(**more):
    features = {name: X[:, k].tolist() for k, name in enumerate("abc")}
    return {"id": IDS, "time": TIME} | features | more


def expected(features=X, **options):
    return DistanceSeries.from_features(features, **({"time": TIME, "ids": IDS} | options))


def assert_same(found, wanted):
    assert found.times == wanted.times
    assert (found.ids is None) == (wanted.ids is None)
    for a, b in zip(found.ids or (), wanted.ids or (), strict=True):
        assert a.tolist() == b.tolist()
    for a, b in zip(found.matrices, wanted.matrices, strict=True):
        assert np.array_equal(a, b)
    assert (found.cross is None) == (wanted.cross is None)
    assert found.cross is None or np.array_equal(found.cross, wanted.cross)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("ending", "sep"), [("csv", ","), ("csv", ";"), ("tsv", "\t"), ("tab", "\t"), ("txt", ",")])
def test_round_trip(here, packed, ending, sep):
    data = table(columns(), sep).encode()
    name = f"x.{ending}" + ".gz" * packed
    (here / name).write_bytes(gzip.compress(data) if packed else data)
    found = read_series([name])
    assert found.format == "features"
    assert found.series.features.n_features == 3
    assert found.remarks == ("features used (3): a, b, c",)
    assert_same(found.series, expected())


@pytest.mark.parametrize("with_index", [False, True])
def test_parquet(here, with_index):
    pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(columns(label=["u"] * 12, flag=[True] * 12, day=[datetime.date(2014, 1, 1)] * 12))
    if with_index:
        frame.index = [f"row {i}" for i in range(12)]
    frame.to_parquet("x.parquet")
    found = read_series(["x.parquet"], DataSettings(cross=True))
    assert_same(found.series, expected(cross=True))
    assert any(r.startswith("x.parquet: left out columns without numbers: label, flag, day") for r in found.remarks)
    assert ("x.parquet: left out columns without a name, which only count rows" in found.remarks) == with_index


@pytest.mark.parametrize("unit", ["date", "s", "ns"])
def test_dates_of_parquet(here, unit):
    pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    days = [datetime.date(year, 5, 3) for year in TIME]
    times = days if unit == "date" else pd.to_datetime(days).astype(f"datetime64[{unit}]")
    pd.DataFrame(columns(time=times)).to_parquet("x.parquet")
    assert read_series(["x.parquet"]).series.times == ("2001-05-03", "2003-05-03", "2010-05-03")
    assert_same(read_series(["x.parquet"], DataSettings(by="year")).series, expected())


def test_ordered_categories_of_parquet(here):
    pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    stages = pd.Categorical(["late", "early", "mid"] * 4, ["early", "mid", "late"], ordered=True)
    pd.DataFrame(columns(time=stages)).to_parquet("x.parquet")
    found = read_series(["x.parquet"])
    assert found.series.times == ("early", "mid", "late")
    assert np.array_equal(found.series.D[2], expected().D[1])


def test_ids_of_parquet(here):
    pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    pd.DataFrame(columns(id=range(20, 32))).to_parquet("x.parquet")
    assert_same(read_series(["x.parquet"]).series, expected(ids=list(range(20, 32))))
    pd.DataFrame(columns(id=pd.Categorical(IDS))).set_index("id").to_parquet("x.parquet")
    assert_same(read_series(["x.parquet"]).series, expected())
    pd.DataFrame(columns(id=["", *IDS[1:]])).to_parquet("x.parquet")
    with pytest.raises(DataError, match=r"^x\.parquet: row 1, column id: there is no value"):
        read_series(["x.parquet"])


def test_numbers_of_parquet_that_memory_cannot_hold_are_refused_before_they_are_read(here, monkeypatch):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pd.DataFrame({name: np.zeros(10**6, dtype=np.int8) for name in "ab"}).to_parquet("x.parquet")
    monkeypatch.setattr(memory, "available_memory", lambda: (10**7, "says the test"))
    monkeypatch.setattr("tetiwd.io.parquet_table.ParquetTable._read", lambda *_: pytest.fail("it was read"))
    with pytest.raises(MemoryLimitError, match=r"^x\.parquet: the table of 1,000,000 rows takes 0\.03 GiB of memory"):
        read_series(["x.parquet"])


def test_parquet_without_pyarrow(here, monkeypatch):
    (here / "x.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        DataError, match=re.escape("x.parquet: Parquet files need pyarrow, which is not installed; install")
    ):
        read_series(["x.parquet"])


def test_columns_left_out(here):
    label = ["u", "v", "w", "NA"] * 3
    (here / "x.csv").write_text(table({"": range(12)} | columns(label=label, empty=[""] * 12) | {" ": range(12)}))
    found = read_series(["x.csv"])
    assert_same(found.series, expected())
    assert found.remarks == (
        "x.csv: left out columns without numbers: label, empty",
        "x.csv: left out columns without a name, which only count rows",
        "features used (3): a, b, c",
    )


def test_columns_that_may_name_objects(here):
    (here / "x.csv").write_text("year,patient,a\n" + "".join(f"2001,p{i},{i * i}\n" for i in range(6)))
    (told,) = [own for own in read_series(["x.csv"], DataSettings(time="year")).remarks if "left out" in own]
    assert told.endswith("patient; if one of them says which object a row is about, name it as the id")


def test_columns_asked_for(here):
    (here / "x.csv").write_text(table(columns(label=["u"] * 12)))
    found = read_series(["x.csv"], DataSettings(columns=("c", "a")))
    assert_same(found.series, expected(X[:, [2, 0]]))
    assert found.series.features.n_features == 2


def test_other_names(here):
    (here / "x.csv").write_text(table({"who": IDS, "when": TIME, "id": range(12), "time": X[:, 0].tolist()}))
    found = read_series(["x.csv"], DataSettings(id="who", time="when", columns=("time",)))
    assert_same(found.series, expected(X[:, :1]))


def test_neither_ids_nor_times(here):
    (here / "x.csv").write_text(table({"a": X[:, 0].tolist(), "b": X[:, 1].tolist()}))
    assert_same(read_series(["x.csv"]).series, expected(X[:, :2], time=["x"] * 12, ids=None))


def test_ids_of_numbers(here):
    (here / "x.csv").write_text(table(columns(id=range(12))))
    assert_same(read_series(["x.csv"]).series, expected(ids=list(range(12))))
    (here / "x.csv").write_text(table(columns(id=["NA", *(f"{i:03}" for i in range(11))])))
    assert read_series(["x.csv"]).series.ids[1].tolist()[0] == "NA"


@pytest.mark.parametrize("metric", ["cosine", "cityblock", "sqeuclidean"])
def test_metric(here, metric):
    (here / "x.csv").write_text(table(columns()))
    assert_same(read_series(["x.csv"], DataSettings(metric=metric)).series, expected(metric=metric))


def test_metric_that_must_be_explained(here):
    (here / "x.csv").write_text(table(columns()))
    options = {"metric": "chebyshev", "squared": False}
    assert_same(read_series(["x.csv"], DataSettings(**options)).series, expected(**options))
    with pytest.raises(DataError, match=r"^x\.csv: metric 'chebyshev' is not one of"):
        read_series(["x.csv"], DataSettings(metric="chebyshev"))


def test_precision_and_cross(here):
    (here / "x.csv").write_text(table(columns()))
    series = read_series(["x.csv"], DataSettings(dtype="float32", cross=True)).series
    assert_same(series, expected(dtype="float32", cross=True))
    assert series.D[0].dtype == series.cross.dtype == np.float32


def test_standardize(here):
    (here / "x.csv").write_text(table(columns(b=(1e3 * X[:, 1] + 7).tolist())))
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    found = read_series(["x.csv"], DataSettings(standardize=True)).series
    for a, b in zip(found.D, expected(scaled).D, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_new_objects_can_be_compared(here):
    (here / "x.csv").write_text(table(columns()))
    space = read_series(["x.csv"], DataSettings(standardize=True)).series.features
    assert space.names == ("a", "b", "c")
    np.testing.assert_allclose(space.centre, X.mean(axis=0))
    first = [row for row, year in enumerate(TIME) if year == 2001]
    D = read_series(["x.csv"], DataSettings(standardize=True)).series.D[0]
    np.testing.assert_allclose(space.squared_distances(X[first], 0), D, atol=1e-12)


def test_constant_columns_cannot_be_standardised(here):
    (here / "x.csv").write_text(table(columns(flat=[7] * 12)))
    assert read_series(["x.csv"]).series.features.n_features == 4
    with pytest.raises(DataError, match=re.escape("x.csv: column 'flat' is the same for all objects and cannot be st")):
        read_series(["x.csv"], DataSettings(standardize=True))


def test_standardised_over_the_epochs_that_are_kept(here):
    time = [1] * 6 + [2] * 5 + [3]
    (here / "x.csv").write_text(table(columns(time=time, id=range(12))))
    found = read_series(["x.csv"], DataSettings(standardize=True, drop_small=True))
    kept = X[:11]
    scaled = (kept - kept.mean(axis=0)) / kept.std(axis=0)
    np.testing.assert_allclose(found.series.D[1], expected(scaled, time=time[:11], ids=None).D[1], rtol=1e-12)
    assert "left out 1 of 3 epochs with fewer than 3 objects: 3 (1)" in found.remarks
    assert found.series.ids[1].tolist() == list(range(6, 11))


def test_rows_with_missing_values(here):
    gone = {
        "id": ["x", "y", "", "z"],
        "time": [2001, "", 2001, 2001],
        "a": [1, 1, 1, "NA"],
        "b": ["n/a", 1, 1, 1],
        "c": [""] + 3 * [1],
    }
    whole = columns()
    (here / "x.csv").write_text(table({name: [*whole[name], *gone[name]] for name in whole}))
    found = read_series(["x.csv"], DataSettings(missing="drop"))
    assert_same(found.series, expected())
    assert found.remarks[0] == "x.csv: left out 4 of 16 rows with missing values"
    with pytest.raises(
        DataError, match=r"^x\.csv: line 16, column id: there is no value; fill it in, or leave out such"
    ):
        read_series(["x.csv"])


def test_dates(here):
    days = ["2014-08-05", "2013-02-01", "2014-12-31"] * 4
    (here / "x.csv").write_text(table(columns(time=days)))
    assert read_series(["x.csv"]).series.times == ("2013-02-01", "2014-08-05", "2014-12-31")
    (here / "x.csv").write_text(table(columns(time=days, id=range(12))))
    by_year = read_series(["x.csv"], DataSettings(by="year")).series
    assert by_year.times == (2013, 2014)
    assert by_year.n_objects == (4, 8)


def test_the_order_of_text_is_not_guessed(here):
    (here / "x.csv").write_text(table(columns(time=["late", "early", "mid"] * 4)))
    message = r"^x\.csv: column time: these times are text whose order in time is not known: 'late', 'early'"
    with pytest.raises(DataError, match=message):
        read_series(["x.csv"])
    series = read_series(["x.csv"], DataSettings(times=("early", "mid", "late"))).series
    assert series.times == ("early", "mid", "late")
    assert np.array_equal(series.D[2], expected().D[1])


def test_text_about_time_is_sorted(here):
    (here / "x.csv").write_text(table(columns(time=["2001/02", "1999/00", "2000/01"] * 4)))
    series = read_series(["x.csv"]).series
    assert series.times == ("1999/00", "2000/01", "2001/02")
    assert np.array_equal(series.D[0], expected().D[0])


@pytest.mark.parametrize(
    ("times", "fault"),
    [
        (("early", "late"), "only the data have mid"),
        (("early", "mid", "late", "now"), "only the setting has now"),
        (("early", "Mid", "late"), "only the setting has Mid, only the data have mid"),
        (("early", "mid", "late", "late"), "the time label 'late' occurs twice"),
    ],
)
def test_times_list_every_label_once(here, times, fault):
    (here / "x.csv").write_text(table(columns(time=["late", "early", "mid"] * 4)))
    with pytest.raises(DataError, match=re.escape(fault)) as error:
        read_series(["x.csv"], DataSettings(times=times))
    assert (error.value.where.file, error.value.where.column) == ("x.csv", "time")


def test_times_of_numbers_and_windows_are_compared_as_written(here):
    (here / "x.csv").write_text(table(columns()))
    assert_same(read_series(["x.csv"], DataSettings(times=(2001, "2003", 2010))).series, expected())
    with pytest.raises(DataError, match="time runs backwards"):
        read_series(["x.csv"], DataSettings(times=(2003, 2001, 2010)))
    (here / "x.csv").write_text(table(columns(time=[f"{year}-05-03" for year in TIME])))
    assert_same(read_series(["x.csv"], DataSettings(times=(2001, 2003, 2010), by="year")).series, expected())


PAIRS = "from,to,d\na,b,1\na,c,2\nb,c,2.5\n"


def test_pairs_are_not_taken_for_features(here):
    (here / "x.csv").write_text(PAIRS)
    with pytest.raises(DataError, match="may be a table of pairs") as error:
        read_series(["x.csv"])
    named = [part.name for part in error.value.remedy if isinstance(part, Setting)]
    assert named == ["first", "second", "distance", "columns"]
    assert read_series(["x.csv"], DataSettings(columns=("d",))).format == "features"


@pytest.mark.parametrize(
    ("options", "kind"), [({"squared": False}, "plain"), ({"squared": True, "metric": "cosine"}, "squared")]
)
def test_squared_without_effect_is_refused(here, options, kind):
    (here / "x.csv").write_text(table(columns()))
    with pytest.raises(SettingsError, match=f"has no effect: .* read as a table of features, .* known to be {kind}"):
        read_series(["x.csv"], DataSettings(**options))


def test_several_files(here):
    whole = columns()
    for year in set(TIME):
        rows = [row for row, own in enumerate(TIME) if own == year]
        part = {name: [values[row] for row in rows] for name, values in whole.items()}
        (here / f"with_{year}.csv").write_text(table(part))
        del part["time"]
        (here / f"x_{year}.csv").write_text(table(part))
    assert_same(read_series(["with_2010.csv", "with_2001.csv", "with_2003.csv"]).series, expected())
    assert_same(read_series(["x_2010.csv", "x_2001.csv", "x_2003.csv"]).series, expected())
    with pytest.raises(DataError, match=r"^x_2001\.csv: x_2001 has no column time but with_2001 "):
        read_series(["with_2001.csv", "x_2001.csv"])
    (here / "other.csv").write_text("id,a,b\n1,2,3\n")
    with pytest.raises(DataError, match=r"^other\.csv: has no column c; its columns are id, a, b"):
        read_series(["x_2001.csv", "other.csv"])
    (here / "other.csv").write_text("a,b,c\n1,2,3\n")
    with pytest.raises(
        DataError, match=r"other\.csv: other has no column id but .* give column id at every epoch or at none"
    ):
        read_series(["x_2001.csv", "other.csv"])


FEATURES = "id,time,a,b\np,1,0,1\nq,1,1,0\nr,1,2,5\n"
FAULTS = {
    "text among numbers": (
        FEATURES + "s,1,abc,1\n",
        {},
        "line 5, column a: 'abc' is not a number; correct it, or name",
    ),
    "text asked for": (
        "time,a,n\n1,1,u\n1,2,v\n1,4,w\n",
        {"columns": ("a", "n")},
        "line 2, column n: 'u' is not a number; correct it, or leave out the row",
    ),
    "decimal comma": (
        FEATURES + 's,1,"1,5",1\n',
        {},
        "line 5, column a: '1,5' is not a number; write decimals with a point",
    ),
    "infinite": (FEATURES + "s,1,inf,1\n", {}, "line 5, column a: 'inf' is not a finite number; correct it"),
    "missing": (
        FEATURES + "s,1,,1\n",
        {},
        "line 5, column a: there is no value; fill it in, or leave out such rows with",
    ),
    "line of a later row": (
        FEATURES + '\n\n"s\nt",1,7,1\nu,1,oops,1\n',
        {},
        "line 9, column a: 'oops' is not a number",
    ),
    "too many fields": (
        FEATURES + "s,1,2,3,4\n",
        {},
        "line 5: has 5 fields, but the first line names 4 columns; look for",
    ),
    "too few fields": (FEATURES + "s,1,2\n", {}, "line 5: has 3 fields, but the first line names 4 columns"),
    "columns twice": ("id,a,b,a\n1,2,3,4\n", {}, "has two columns named 'a'; give every column its own name"),
    "no such column": (FEATURES, {"columns": ("a", "z")}, "has no column z; its columns are id, time, a, b"),
    "no such time": (
        FEATURES,
        {"time": "when"},
        "has no column 'when', which time names; its columns are id, time, a, b",
    ),
    "no such id": (FEATURES, {"id": "who"}, "has no column 'who', which id names"),
    "id as feature": (FEATURES, {"columns": ("id", "a")}, "column id is the id column and cannot be a feature"),
    "time as feature": (FEATURES, {"columns": ("time",)}, "column time is the time column and cannot be a feature"),
    "no numbers": ("id,time,n\np,1,u\nq,1,v\n", {}, "has no columns of numbers besides id and time; its columns are"),
    "ids twice": (FEATURES + "p,1,2,3\n", {}, "epoch 0 (1) has the id 'p' twice, at positions 0 and 3"),
    "small epoch": (FEATURES + "p,2,2,3\n", {}, "D[1] (2) has 1 object, too few"),
    "all equal": ("a,b\n1,1\n1,1\n1,1\n", {}, "D[0] (x) is zero everywhere: all 3 objects are identical"),
    "metric unknown": (
        FEATURES,
        {"metric": "far", "squared": True},
        "metric 'far' failed: Unknown Distance Metric: far",
    ),
    "no dates": (FEATURES.replace(",1,", ",soon,", 1), {"by": "month"}, "line 2, column time: 'soon' is not a date"),
    "no time in any row": (
        "time,a\n,1\n,2\n,3\n",
        {},
        "line 2, column time: there is no value in any row; fill them in, or use another column",
    ),
    "nothing complete": ("time,a\n1,\n,2\n", {"missing": "drop"}, "every row has missing values; choose other columns"),
    "other times": (
        FEATURES,
        {"times": (2,)},
        "column time: times and the data disagree: only",
    ),
    "header only": ("id,time,a\n", {}, "has a line of names (id, time, a) but no rows"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault(here, fault):
    text, options, message = FAULTS[fault]
    (here / "x.csv").write_text(text)
    with pytest.raises(DataError, match="^" + re.escape(f"x.csv: {message}")):
        read_series(["x.csv"], DataSettings(format="features", **options))


def test_faults_of_parquet(here):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pd = pytest.importorskip("pandas")
    (here / "x.parquet").write_bytes(b"junk" * 10)
    with pytest.raises(DataError, match=r"^x\.parquet: is not a Parquet file, or damaged \("):
        read_series(["x.parquet"])
    pd.DataFrame(columns()).to_parquet("x.parquet")
    whole = (here / "x.parquet").read_bytes()
    (here / "x.parquet").write_bytes(whole[:4] + b"\xff" * 200 + whole[204:])
    with pytest.raises(DataError, match=r"^x\.parquet: is not a Parquet file, or damaged \("):
        read_series(["x.parquet"])
    pq.write_table(pa.table([pa.array([1.0])] * 2, names=["a", "a"]), "x.parquet")
    with pytest.raises(DataError, match=r"^x\.parquet: has two columns named 'a'"):
        read_series(["x.parquet"])
    pd.DataFrame(columns()).iloc[:0].to_parquet("x.parquet")
    with pytest.raises(DataError, match=r"^x\.parquet: has no rows"):
        read_series(["x.parquet"])
    pd.DataFrame(columns(a=["u"] * 12)).to_parquet("x.parquet")
    with pytest.raises(DataError, match=r"^x\.parquet: column a holds (large_)?string, not numbers"):
        read_series(["x.parquet"], DataSettings(columns=("a",)))
    pd.DataFrame(columns(a=[np.inf] * 12)).to_parquet("x.parquet")
    with pytest.raises(DataError, match=r"^x\.parquet: row 1, column a: inf is not finite"):
        read_series(["x.parquet"])
    pd.DataFrame(columns(a=[1, None] * 6, id=list(range(12)))).to_parquet("x.parquet")
    with pytest.raises(DataError, match=r"^x\.parquet: row 2, column a: there is no value \(6 rows have none\)"):
        read_series(["x.parquet"])
    pd.DataFrame(columns(time=[[1]] * 12)).to_parquet("x.parquet")
    with pytest.raises(
        DataError, match=r"^x\.parquet: column time holds list<.*>, where text, a number or a date is expected"
    ):
        read_series(["x.parquet"])


def test_similarities_are_no_features(here):
    (here / "x.csv").write_text(FEATURES)
    with pytest.raises(SettingsError, match='kind="similarities" is for the formats arrays, h5ad, matrix, long, but'):
        read_series(["x.csv"], DataSettings(kind="similarities"))


def test_too_large_is_refused(here, monkeypatch):
    (here / "x.csv").write_text(table(columns()))
    monkeypatch.setattr(memory, "available_memory", lambda: (100, "says the test"))
    with pytest.raises(
        MemoryLimitError, match=r"^x\.csv: the table, up to row \d+, takes 0.00 GiB of memory, but only 0.00 GiB can"
    ):
        read_series(["x.csv"])


def test_rows_that_cannot_be_put_in_order_are_refused(here, monkeypatch):
    (here / "x.csv").write_text(table(columns()))
    rooms = iter([(10**9, "while it is read")])
    monkeypatch.setattr(memory, "available_memory", lambda: next(rooms, (100, "says the test")))
    says = r"^x\.csv: putting 12 rows in order of time takes 0.00 GiB of memory, but only 0.00 GiB can"
    with pytest.raises(MemoryLimitError, match=says):
        read_series(["x.csv"])


@pytest.mark.parametrize("files", [["x.csv"], ["x.csv", "y.csv"]])
def test_putting_rows_in_order_takes_as_much_as_was_asked_for(files):
    """Python and numpy tell how much they take; nothing is kept for every row but its time and its epoch."""
    n = 20_000
    times = [["1", "2"][i % 2] for i in range(n)]
    parts = [
        Part(f, f, Columns(f, n, range(2, n + 2), "line", {"time": times}, {}, {}), "time", np.arange(n)) for f in files
    ]
    epochs_of_parts(parts, DataSettings(), [])  # loads what it needs
    tracemalloc.start()
    try:
        epochs_of_parts(parts, DataSettings(), [])
        assert tracemalloc.get_traced_memory()[1] < BYTES_PER_TIME * n * len(files)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("row", [0, 1, 2])
def test_a_bad_date_of_a_later_file_is_found_there(here, row):
    (here / "x.csv").write_text(table(columns(time=["2014-08-05"] * 12)))
    dates = ["2015-08-05"] * 11
    dates[row] = "soon"
    (here / "y.csv").write_text(table(columns(time=["", *dates])))
    says = rf"^y\.csv: line {row + 3}, column time: 'soon' is not a date"
    with pytest.raises(DataError, match=says):
        read_series(["x.csv", "y.csv"], DataSettings(by="year", missing="drop"))


def test_columns_that_do_not_fit_beside_each_other_are_refused(here, monkeypatch):
    """There was room to read them, which takes some of it."""
    (here / "x.csv").write_text(table(columns()))
    rooms = iter([(10**9, "while it is read"), (10**9, "while rows are put in order")])
    monkeypatch.setattr(memory, "available_memory", lambda: next(rooms, (100, "says the test")))
    with pytest.raises(MemoryLimitError, match=r"^x\.csv: the table takes 0.00 GiB of memory, but only 0.00 GiB can"):
        read_series(["x.csv"])


def test_chunks_do_not_matter(here, monkeypatch):
    (here / "x.csv").write_text(table(columns(label=["u"] * 11 + ["7"])))
    monkeypatch.setattr("tetiwd.io.csv_table.CHUNK_FIELDS", 20)
    with pytest.raises(DataError, match=r"^x\.csv: line 2, column label: 'u' is not a number"):
        read_series(["x.csv"])
    assert_same(read_series(["x.csv"], DataSettings(columns=("a", "b", "c"))).series, expected())


def test_no_matrix(here):
    (here / "m.csv").write_text(table(columns()))
    given = read_series([here / "m.csv"], DataSettings(matrix=False))
    assert not given.series.has_matrices
    assert "no matrix of distances is kept: sums of distances are computed from the features" in given.remarks
    wanted = expected(matrix=True)
    for D, E in zip((*given.series.D, given.series.cross), (*wanted.D, wanted.cross), strict=True):
        np.testing.assert_allclose(np.asarray(D), E, atol=1e-12)
