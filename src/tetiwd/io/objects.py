"""The table of objects: the id and time of every object in a matrix or alignment."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tetiwd.errors import DataError, Setting, Text, Where, plural
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.files import File, find_file, in_file
from tetiwd.io.open_table import open_table
from tetiwd.io.tables import Columns, as_ids, column_for, no_column
from tetiwd.io.windows import EpochOfRows, epochs_of


@dataclass(frozen=True)
class ObjectTable:
    """Ids, if known, and times of objects."""

    file: str
    ids: list[Any] | None
    times: list[Any]
    columns: Columns
    time_column: str
    subjects: list[Any] | None = None  # whom or what every object is a sample of

    @property
    def declared(self) -> list[Any] | None:
        """The order of times, if the column of times has one."""
        return self.columns.declared.get(self.time_column)

    def where(self, row: int) -> Where:
        """Where the time of a row stands, for an error."""
        return self.columns.where(row, self.time_column)


def read_objects(settings: DataSettings, matrices: Sequence[File] = ()) -> ObjectTable | None:
    """The table of objects that the settings name, if they name one; it goes with one file of matrices at most."""
    if settings.objects is None:
        return None
    if len(matrices) > 1:
        raise DataError(
            [Setting("objects"), " goes with one matrix over all times"],
            ["give one file, or leave out ", Setting("objects")],
            where=Where(file=matrices[1].name),
        )
    file = find_file(settings.objects)
    with in_file(file.name):
        table = open_table(file)
        time = column_for(table.names, settings.time, "time", "time")
        id = column_for(table.names, settings.id, "id", "id")
        if time is None:
            raise no_column(table.names, "time", "time")
        subject = settings.subject and column_for(table.names, settings.subject, "", "subject")
        columns = table.read([name for name in (id, subject, time) if name is not None], [])
        ids, subjects = (None if name is None else columns.text[name] for name in (id, subject))
        for name, values in ((id, ids), (subject, subjects)):
            for row, value in enumerate(values or ()):
                if value is None:
                    place = columns.where(row, name)
                    raise DataError("there is no id", "fill it in, or leave out the row", where=place)
        return ObjectTable(file.name, ids, columns.text[time], columns, time, subjects)


def rows_by_id(objects: ObjectTable) -> dict[str, int]:
    """The row of every id; ids are compared as they are written."""
    if objects.ids is None:
        remedy: Text = ["name the column with the ids with ", Setting("id")]
        raise DataError('has no column "id"', remedy, where=Where(file=objects.file))
    rows: dict[str, int] = {}
    for row, id in enumerate(objects.ids):
        if str(id) in rows:
            lines = objects.columns.lines
            raise DataError(
                f"has the id {id!r} twice, in {objects.columns.unit}s {lines[rows[str(id)]]} and {lines[row]}",
                "rows are found by id, so every id must be there once",
                where=Where(file=objects.file),
            )
        rows[str(id)] = row
    return rows


def times_of_rows(
    objects: ObjectTable, ids: Sequence[Any] | None, n: int, settings: DataSettings, remarks: list[str]
) -> tuple[list[Any] | None, EpochOfRows]:
    """Ids and epochs of the rows of a matrix: found by id if the matrix has ids, otherwise in the order of rows."""
    if ids is None:
        if len(objects.times) != n:
            has = plural(len(objects.times), "row")
            raise DataError(
                f"the matrix has {plural(n, 'row')} and no ids, but {objects.file} has {has}",
                "give one row per object in the order of the matrix",
            )
        rows = list(range(n))
        known = None if objects.ids is None else as_ids(objects.ids)
    else:
        at = rows_by_id(objects)
        lacking = [id for id in ids if str(id) not in at]
        if lacking:
            raise DataError(
                f"has no row for {len(lacking)} of {len(ids)} objects, the first {lacking[0]!r}",
                "add them, or take them out of the matrix",
                where=Where(file=objects.file),
            )
        rows, known = [at[str(id)] for id in ids], list(ids)
        if len(at) > len(set(rows)):
            n = len(at) - len(set(rows))
            remarks.append(f"{n} row{'s belong' if n > 1 else ' belongs'} to no object of the matrix ({objects.file})")
    if objects.subjects is not None:
        known = as_ids([objects.subjects[row] for row in rows])
    times = [objects.times[row] for row in rows]
    return known, epochs_of(times, settings, lambda i: objects.where(rows[i]), objects.declared)
