"""Metadata in files of all formats."""

import numpy as np
import pandas as pd
import pytest

from tetiwd import DistanceSeries, memory
from tetiwd.data.metadata import Metadata
from tetiwd.errors import DataError, MemoryLimitError, RunFolderError
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.files import find_file
from tetiwd.io.kept_metadata import FILE, FOLDER, KeptMetadata, keep_metadata, kept_metadata
from tetiwd.io.kept_sequences import keep_sequences, kept_sequences
from tetiwd.io.metadata_table import read_metadata, read_outcomes
from tetiwd.io.parquet_table import ParquetTable

SERIES = DistanceSeries.from_distances(
    [1.0 - np.eye(3)] * 2, squared=True, ids=[["a", "b", "c"], ["b", "c", "d"]], times=[2001, 2002]
)
TABLE = pd.DataFrame({"who": list("abcd"), "site": ["gut", "skin", None, "gut"], "age": [1.0, 2.5, 3.0, 4.0]})


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "t.parquet", "t.h5ad"])
def test_all_formats(name, tmp_path):
    file = tmp_path / name
    if name.endswith("parquet"):
        TABLE.to_parquet(file)
    elif name.endswith("h5ad"):
        anndata = pytest.importorskip("anndata")
        anndata.AnnData(np.zeros((4, 1)), obs=TABLE.set_index("who")).write_h5ad(file)
    else:
        TABLE.to_csv(file, index=False, sep="\t" if name.endswith("tsv") else ",")
    found = read_metadata(file, SERIES, id="who")
    assert found.words("site") == ["gut", "skin", None, "skin", None, "gut"]
    assert found.covariate("age").values.tolist() == [1, 2.5, 3, 2.5, 3, 4]
    assert not found.varies


def test_columns_of_the_run_are_the_usual_ones(tmp_path):
    """As --id, --time and --by were when the data were read; other columns are not read."""
    rows = ["subject,when,x,y", "a,2001-03-04,1,0", "b,2001-05-01,2,0", "b,2002-01-01,3,0", "d,2002-12-31,4,0"]
    (tmp_path / "t.csv").write_text("\n".join(rows))
    settings = DataSettings(id="subject", time="when", by="year")
    found = read_metadata(tmp_path / "t.csv", SERIES, settings, columns=["x"])
    assert found.columns == {"x": ["1", "2", None, "3", None, "4"]}
    assert found.varies


def test_tables_of_other_programs(tmp_path):
    lines = ["sample-id\tage\tday", "#q2:types\tnumeric\tcategorical", "a\t3\t2001-02-03", "b\t4\t2001-02-04"]
    (tmp_path / "t.tsv").write_text("\n".join(lines))
    found = read_metadata(tmp_path / "t.tsv", SERIES, DataSettings(time="day", by="year"))
    assert found.covariate("age").values[:2].tolist() == [3, 4]


def test_faults_name_the_file_and_the_line(tmp_path):
    (tmp_path / "t.csv").write_text("id,x\na,1\n\na,2\n")
    with pytest.raises(DataError, match=r"t\.csv: line 4, column id: the id 'a' occurs twice"):
        read_metadata(tmp_path / "t.csv", SERIES)
    with pytest.raises(DataError, match="has no column 'z' besides ids and times; there are x"):
        read_metadata(tmp_path / "t.csv", SERIES, columns=["z"])
    (tmp_path / "t.csv").write_text("id\na\n")
    with pytest.raises(DataError, match="no columns besides ids and times"):
        read_metadata(tmp_path / "t.csv", SERIES)
    (tmp_path / "t.h5ad").write_bytes(b"no")
    pytest.importorskip("anndata")
    with pytest.raises(DataError, match=r"t\.h5ad: is not an h5ad file, or damaged"):
        read_metadata(tmp_path / "t.h5ad", SERIES)


def test_outcomes_that_change_with_time(tmp_path):
    (tmp_path / "t.csv").write_text("id,time,ill\na,2001,1\nb,2001,0\nb,2002,1\nd,2002,\n")
    assert read_outcomes(tmp_path / "t.csv", None, None, SERIES) == ("ill", [True, False, None, True, None, None], True)


def test_kept_beside_a_run_and_read_again(tmp_path):
    (tmp_path / FOLDER).mkdir()
    kept = KeptMetadata(Metadata({"x": ["é", None, 1.5]}, ("a remark",), True), "x", None, ("days", "died"))
    keep_metadata(tmp_path / FOLDER, kept)
    again = kept_metadata(tmp_path)
    assert again.metadata.columns == kept.metadata.columns
    assert (again.known, again.covariates, again.survival) == ("x", None, ("days", "died"))
    (tmp_path / FOLDER / FILE).write_text("{}")
    with pytest.raises(DataError, match="is damaged"):
        kept_metadata(tmp_path)
    assert kept_metadata(tmp_path / "elsewhere") is None
    (tmp_path / "sequences").mkdir()
    codes = np.array([[0, 3, 255]], dtype=np.uint8)
    keep_sequences(tmp_path / "sequences", (codes, ("A", "C", "G", "T")))
    assert kept_sequences(tmp_path)[0].tolist() == codes.tolist()
    keep_sequences(tmp_path / "sequences", (codes, ("A",)))
    with pytest.raises(RunFolderError, match="does not hold sequences"):
        kept_sequences(tmp_path)


def parquet_of(rows):
    """Writes rows that are packed to almost nothing."""

    def write(path):
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        columns = {name: pa.DictionaryArray.from_arrays(*pair).dictionary_decode() for name, pair in rows().items()}
        pq.write_table(pa.table(columns), path)

    return write


def many_rows():
    return {name: (np.zeros(10**6, dtype=np.int32), [value]) for name, value in (("id", "a"), ("x", 1))}


def long_id():
    same = np.zeros(3000, dtype=np.int32)
    return {"id": (same, ["a" * 100_000]), "x": (same, ["b"])}


def obs_of(n, **columns):
    """Writes an h5ad file whose columns of obs take no room on disk."""

    def write(path):
        pytest.importorskip("anndata")
        h5py = pytest.importorskip("h5py")
        with h5py.File(path, "w") as stored:
            obs = stored.create_group("obs")
            obs.attrs.update({"encoding-type": "dataframe", "encoding-version": "0.2.0", "_index": "_index"})
            obs.attrs["column-order"] = list(columns)
            for name, kind in {"_index": "i1", **columns}.items():
                column = obs.create_dataset(name, (n,), h5py.string_dtype() if kind is str else kind, chunks=(10**6,))
                column.attrs["encoding-type"] = "string-array" if kind is str else "array"
                column.attrs["encoding-version"] = "0.2.0"

    return write


BOMBS = {
    "rows.parquet": (parquet_of(many_rows), "1,000,000 rows takes 0.28 GiB"),
    "texts.parquet": (parquet_of(long_id), "3,000 rows takes 0.28 GiB"),
    "texts.h5ad": (obs_of(5 * 10**8, x=str), "500,000,000 rows takes 143.89 GiB"),
    "numbers.h5ad": (obs_of(5 * 10**8, x="f8"), "500,000,000 rows takes 50.76 GiB"),
    "values.h5ad": (obs_of(10**6, x="i1"), "1,000,000 rows takes 0.28 GiB"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_what_memory_cannot_hold_is_refused_before_it_is_read(name, tmp_path, monkeypatch):
    write, says = BOMBS[name]
    write(tmp_path / name)
    assert (tmp_path / name).stat().st_size < 20_000
    monkeypatch.setattr(memory, "available_memory", lambda: (250_000_000, "says the test"))
    before = peak()
    with pytest.raises(
        MemoryLimitError, match=rf"{name}: the table of {says} of memory, but only 0\.23 GiB can be had"
    ):
        read_metadata(tmp_path / name, SERIES)
    assert peak() < before + 200


def peak():
    """The most MiB that this process has taken so far."""
    resource = pytest.importorskip("resource")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def test_texts_that_rows_share_are_read_as_before(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = {
        "id": list("abcd"),
        "text": [" u ", None, "", "ü" * 1000],
        "view": pa.array([" u ", None, "", "v"], pa.large_string()),
        "ordered": pd.Categorical(["z", "y", None, "z"], ["z", "y"], ordered=True),
        "number": [1, None, 3, 4],
        "none": pa.nulls(4),
    }
    pq.write_table(pa.table(columns), tmp_path / "t.parquet", row_group_size=2)
    read = ParquetTable(find_file(tmp_path / "t.parquet")).read(list(columns), [])
    assert read.text["text"] == ["u", None, None, "ü" * 1000]
    assert read.text["view"] == ["u", None, None, "v"]
    assert read.text["ordered"] == ["z", "y", None, "z"]
    assert read.text["number"] == [1, None, 3, 4]
    assert read.text["none"] == [None] * 4
    assert read.declared == {"ordered": ["z", "y"]}
