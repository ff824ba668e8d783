"""The list of readers: a new one is one record, and settings that a reader does not heed are refused."""

from dataclasses import fields

import numpy as np
import pytest

from tetiwd import DistanceSeries
from tetiwd.errors import Setting, SettingsError
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.read import read_series
from tetiwd.io.readers import READERS
from tetiwd.io.readers.reader import EVERY_READER_HEEDS, Reader, check_heeded

GIVEN = {
    "kind": "similarities",
    "metric": "cosine",
    "standardize": True,
    "id": "patient",
    "columns": ("a",),
    "first": "a",
    "second": "b",
    "distance": "d",
    "objects": "o.csv",
    "subject": "who",
    "obsp": "other",
    "symmetrize": "mean",
    "missing": "drop",
    "cross": True,
    "matrix": False,
    "landmarks": 20,
    "obsm": "X_pca",
}


def read_points(files, settings, remarks):
    """Points on a line, one file per epoch, one number per line."""
    remarks.append("points were read")
    points = [np.loadtxt(file.path) for file in files]
    matrices = [(own[:, None] - own) ** 2 for own in points]
    return DistanceSeries.from_distances(matrices, squared=True, min_objects=settings.min_objects)


TOY = Reader("points", endings=(".pts",), heeds=frozenset({"obsp"}), read=read_points)


@pytest.fixture
def toy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tetiwd.io.readers.READERS", (*READERS, TOY))
    (tmp_path / "a.pts").write_text("0\n1\n3\n")


@pytest.mark.parametrize("format", ["auto", "points"])
def test_a_new_reader_is_one_record(toy, format):
    result = read_series(["a.pts"], DataSettings(format=format, obsp="heeded"))
    assert result.format == "points"
    assert result.remarks == ("points were read",)
    assert result.series.D[0].tolist() == [[0, 1, 9], [1, 0, 4], [9, 4, 0]]


def test_settings_of_others_are_refused_by_the_new_reader(toy):
    with pytest.raises(SettingsError, match='metric="cosine" is for the formats fasta, features, but'):
        read_series(["a.pts"], DataSettings(metric="cosine"))


def test_unknown_formats_are_refused(toy):
    message = 'format must be one of "auto", "arrays", "h5ad", "fasta", "matrix", "long", "features", "points", not'
    with pytest.raises(SettingsError, match=message):
        read_series(["a.pts"], DataSettings(format="xml"))


def test_every_setting_is_heeded_by_some_reader():
    heeded = EVERY_READER_HEEDS.union(*(reader.heeds for reader in READERS))
    assert heeded == {field.name for field in fields(DataSettings)}
    assert set(GIVEN) == heeded - EVERY_READER_HEEDS


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
@pytest.mark.parametrize("name", GIVEN)
def test_settings_that_would_be_ignored_are_refused(name, reader):
    table = {"objects": "o.csv"} if name == "subject" else {}  # it is about one of its columns
    settings = DataSettings(**{name: GIVEN[name]}, **table)
    if name in reader.heeds:
        check_heeded(settings, reader, READERS, "x.csv")
        return
    with pytest.raises(SettingsError, match=rf'^{name}=.* is for .*x\.csv is read as "{reader.name}"') as error:
        check_heeded(settings, reader, READERS, "x.csv")
    assert error.value.fault[0] == Setting(name, GIVEN[name])


@pytest.mark.parametrize("setting", ["id", "time"])
def test_names_of_columns_mean_nothing_for_a_square_table(tmp_path, setting):
    (tmp_path / "d.csv").write_text("0,1,2\n1,0,1\n2,1,0\n")
    says = f'{setting}="x" names a column, but .* holds a matrix; leave out {setting}, or give a table .* with objects'
    with pytest.raises(SettingsError, match=says):
        read_series([tmp_path / "d.csv"], DataSettings(squared=True, **{setting: "x"}))


def test_a_table_is_opened_once_for_reading(tmp_path, monkeypatch):
    from tetiwd.io import csv_table

    opened = []
    whole = csv_table.text_lines

    def counted(file):
        opened.append(file.name)
        return whole(file)

    monkeypatch.setattr(csv_table, "text_lines", counted)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.csv").write_text("0,1,2\n1,0,1\n2,1,0\n")
    (tmp_path / "x.csv").write_text("time,a,b\n1,0,1\n1,1,0\n1,5,5\n")
    read_series(["d.csv"], DataSettings(squared=True))
    read_series(["x.csv"])
    assert opened == ["d.csv", "x.csv"]


def test_a_matrix_is_validated_once(tmp_path, monkeypatch):
    from tetiwd.data import prepare

    checked = []
    whole = prepare.check_distances
    monkeypatch.setattr(prepare, "check_distances", lambda *given, **more: (checked.append(1), whole(*given, **more)))
    for year in (1, 2):
        (tmp_path / f"d_{year}.csv").write_text("0,1,2\n1,0,1\n2,1,0\n")
    read_series([tmp_path / "d_1.csv", tmp_path / "d_2.csv"], DataSettings(squared=True))
    assert len(checked) == 2
