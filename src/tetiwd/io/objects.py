"""The table of objects: id and time of every object of one matrix or alignment."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tetiwd.errors import DataError
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.files import File, in_file
from tetiwd.io.tables import Columns, as_ids, column_for, is_missing, listed, open_table
from tetiwd.io.windows import EpochOfRows, epochs_of, remark_on_order


@dataclass(frozen=True)
class ObjectTable:
    """Ids, if known, and times of objects."""

    file: str
    ids: list[Any] | None
    times: list[Any]
    columns: Columns
    time_column: str

    def where(self, row: int) -> str:
        """Where the time of a row stands, for an error."""
        return f"{self.file}, {self.columns.where(row, self.time_column)}"


def read_objects(file: File, settings: DataSettings) -> ObjectTable:
    """The table of objects."""
    with in_file(file.name):
        table = open_table(file)
        time = column_for(table, settings.time, "time", "time")
        own = column_for(table, settings.id, "id", "id")
        if time is None:
            raise DataError(
                f'has no column "time"; name the column of times with time (its columns are {listed(table.names)})'
            )
        columns = table.read([time] if own is None else [own, time], [])
        ids = None if own is None else columns.text[own]
        if own is not None and ids is not None:
            for row, value in enumerate(ids):
                if value is None:
                    raise DataError(f"{columns.where(row, own)}: there is no id; fill it in, or leave out the row")
        return ObjectTable(file.name, ids, columns.text[time], columns, time)


def rows_by_id(objects: ObjectTable) -> dict[str, int]:
    """The row of every id; ids are compared as they are written."""
    if objects.ids is None:
        raise DataError(f'{objects.file}: has no column "id"; name the column with the ids with id')
    rows: dict[str, int] = {}
    for row, own in enumerate(objects.ids):
        if str(own) in rows:
            lines = objects.columns.lines
            raise DataError(
                f"{objects.file}: has the id {own!r} twice, in {objects.columns.unit}s {lines[rows[str(own)]]} and "
                f"{lines[row]}; rows are found by id, so every id must be there once"
            )
        rows[str(own)] = row
    return rows


def times_of_rows(
    objects: ObjectTable, ids: Sequence[Any] | None, n: int, settings: DataSettings, remarks: list[str]
) -> tuple[list[Any] | None, EpochOfRows]:
    """Ids and epochs of the rows of a matrix: found by id if the matrix has ids, otherwise in the order of rows."""
    if ids is None:
        if len(objects.times) != n:
            raise DataError(
                f"the matrix has {n} rows and no ids, but {objects.file} has {len(objects.times)} rows; "
                "give one row per object in the order of the matrix"
            )
        rows = list(range(n))
        known = None if objects.ids is None else as_ids(objects.ids)
    else:
        at = rows_by_id(objects)
        lacking = [own for own in ids if str(own) not in at]
        if lacking:
            raise DataError(
                f"{objects.file} has no row for {len(lacking)} of {len(ids)} objects, the first {lacking[0]!r}; "
                "add them, or take them out of the matrix"
            )
        rows, known = [at[str(own)] for own in ids], list(ids)
        if len(at) > len(set(rows)):
            remarks.append(f"{len(at) - len(set(rows))} rows of {objects.file} belong to no object of the matrix")
    for row in rows:
        if is_missing(objects.times[row]):
            raise DataError(f"{objects.where(row)}: there is no time; fill it in, or take the object out of the matrix")
    declared = objects.columns.declared.get(objects.time_column)
    time = epochs_of([objects.times[r] for r in rows], settings.by, lambda i: objects.where(rows[i]), declared)
    remark_on_order(time, remarks)
    return known, time
