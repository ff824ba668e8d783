"""Metadata of objects: a table in any format, whose rows belong to the objects of a series by id, or by id and time."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tetiwd.data import DistanceSeries
from tetiwd.data.metadata import NO, YES, Metadata, join
from tetiwd.errors import DataError, Setting
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.files import File, find_file, in_file
from tetiwd.io.open_table import Table, open_table
from tetiwd.io.tables import Columns, column_for, is_missing, is_row_number, listed, no_column
from tetiwd.io.windows import labels_of

USUAL_IDS = ("id", "sample-id", "sampleid", "sample_id", "strain", "_index", "index")  # of other programs, too

QIIME_TYPES = "#q2:types"  # stands for an id in a row that tells the types of columns


def read_metadata(
    path: str | Path,
    series: DistanceSeries,
    settings: DataSettings | None = None,
    *,
    id: str | None = None,
    time: str | None = None,
    columns: Sequence[str] | None = None,
) -> Metadata:
    """Read a table and join it to the objects of a series.

    ``settings`` are those that the data were read with: they name columns for ids and times if nothing else does, and
    say how dates become time points. Rows have times if one of these columns is in the table. ``columns`` are those to
    read, all others if not given.
    """
    settings, file = settings or DataSettings(), find_file(path)
    with in_file(file.name):
        table = open_table(file)
        id_column = _id_column(table, id, settings, needed=series.ids is not None)
        time_column = _time_column(table, time, settings)
        rest = [name for name in table.names if name not in (id_column, time_column) and not is_row_number(name)]
        for name in columns or ():
            if name not in rest:
                raise DataError(f"has no column {name!r} besides ids and times", f"there are {listed(rest)}")
        wanted = list(rest if columns is None else columns)
        if not wanted:
            raise DataError("has no columns besides ids and times", "add what is known about the objects")
        keys = [name for name in (id_column, time_column) if name is not None]
        read = table.read([*dict.fromkeys([*keys, *wanted])], [])
        return _joined(read, series, settings, id_column, time_column, wanted)


def columns_of_objects(file: File, settings: DataSettings) -> tuple[str | None, str | None]:
    """Names of the columns of ids and times, None where there is none."""
    with in_file(file.name):
        table = open_table(file)
        time = column_for(table.names, settings.time, "time", "time")
        return _id_column(table, None, replace(settings, subject=None), needed=False), time


def _joined(
    read: Columns,
    series: DistanceSeries,
    settings: DataSettings,
    id: str | None,
    time: str | None,
    wanted: Sequence[str],
) -> Metadata:
    """The rows of a table for the objects of a series; rows without id or time belong to nobody."""
    keys = [read.text[name] for name in (id, time) if name is not None]
    rows = [row for row in range(read.n_rows) if not any(is_missing(values[row]) for values in keys)]
    if id is not None:
        rows = [row for row in rows if read.text[id][row] != QIIME_TYPES]
    times = None
    if time is not None:
        times = labels_of([read.text[time][row] for row in rows], settings, lambda i: read.where(rows[i], time))
    return join(
        {name: [_value(read.text[name][row]) for row in rows] for name in wanted},
        ids=None if id is None else [read.text[id][row] for row in rows],
        times=times,
        series_ids=series.ids,
        series_times=series.times,
        n_objects=series.n_objects,
        where=lambda i: read.where(rows[i], id),
    )


def read_outcomes(
    path: Path,
    outcome: str | None,
    id: str | None,
    series: DistanceSeries,
    settings: DataSettings | None = None,
    time: str | None = None,
) -> tuple[str, list[bool | None], bool]:
    """Name of an outcome, its value for every object of every time (None where it is not known), and whether it was
    joined by time, so that it may change."""
    file = find_file(path)
    with in_file(file.name):
        table = open_table(file)
        given = settings or DataSettings()
        id_column = _id_column(table, id, given, needed=series.ids is not None)
        time_column = _time_column(table, time, given)
        rest = [name for name in table.names if name not in (id_column, time_column) and not is_row_number(name)]
        name = column_for(table.names, outcome, rest[0] if len(rest) == 1 else "outcome", "outcome")
        if name is None:
            fault = "has several columns besides the ids"
            raise DataError(fault, ["name the outcome with ", Setting("outcome"), f" ({listed(rest)})"])
        read = table.read([column for column in (id_column, time_column, name) if column is not None], [])
        for row, text in enumerate(read.text[name]):
            if not is_missing(text) and str(text).strip().lower() not in YES | NO:
                raise DataError(f"{text!r} is neither yes nor no", "write 1 or 0", where=read.where(row, name))
        joined = _joined(read, series, given, id_column, time_column, [name])
    values = [None if value is None else str(value).strip().lower() in YES for value in joined.columns[name]]
    return name, values, joined.varies


def _id_column(table: Table, given: str | None, settings: DataSettings, *, needed: bool) -> str | None:
    """The column that is named, or the one that the data were read with, or a usual one."""
    if given is None:
        usual = [name for name in (settings.subject, settings.id, *USUAL_IDS) if name in table.names]
        given = usual[0] if usual else None
    found = column_for(table.names, given, "id", "id")
    if found is None and needed:
        raise no_column(table.names, "id", "id")
    return found


def _time_column(table: Table, given: str | None, settings: DataSettings) -> str | None:
    """The same for times."""
    usual = settings.time if settings.time in table.names else "time"
    return column_for(table.names, given, usual or "time", "time")


def _value(value: Any) -> Any:
    return None if is_missing(value) else value
