"""Square tables: ids in the first line and the first column (lsmat), or numbers only."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from tetiwd.data import DistanceSeries
from tetiwd.data.checks import Place
from tetiwd.data.ids import check_same_labels, is_plain_range
from tetiwd.errors import DataError, Setting, SettingsError, Where, plural
from tetiwd.io.assemble import Epoch, in_order, series_of_epochs, series_of_pooled
from tetiwd.io.csv_table import as_float_array, as_number, no_number, text_table
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.files import File, in_file
from tetiwd.io.objects import read_objects, times_of_rows
from tetiwd.io.readers.reader import Reader
from tetiwd.io.tables import TEXT_TABLES, as_ids
from tetiwd.memory import SMALLER_DATA, require_memory


def read_matrices(files: Sequence[File], settings: DataSettings, remarks: list[str]) -> DistanceSeries:
    """A series from square tables: one per epoch, or one over all epochs with a table of objects."""
    objects = read_objects(settings, files)
    if objects is None:
        _check_no_names(files[0], settings)
    epochs = _with_ids([read_square(file) for file in files], remarks)
    if objects is None:
        return series_of_epochs(*in_order(epochs, settings, remarks, "files"), settings, remarks)
    file, matrix = files[0].name, epochs[0].matrix
    with in_file(file):
        ids, time = times_of_rows(objects, epochs[0].ids, len(matrix), settings, remarks)
    return series_of_pooled(file, matrix, ids, time, settings, remarks)


def looks_square(file: File, settings: DataSettings) -> bool:
    """Whether the first lines of a table are those of a square one."""
    if file.ending == ".lsmat":
        return True
    top = [fields for _, fields in text_table(file).top]
    if len(top[0]) < 2:
        return False
    names = column_names(top)
    return names is None or (len(top) > 1 and top[1][0].strip() in names)


READER = Reader(
    "matrix",
    endings=(".lsmat", *TEXT_TABLES),
    heeds=frozenset({"kind", "id", "objects", "subject", "symmetrize", "cross"}),
    read=read_matrices,
    recognises=looks_square,
)


def read_square(file: File) -> Epoch:
    """The matrix of a file and the labels of its rows."""
    with in_file(file.name):
        table = text_table(file)
        names = column_names([fields for _, fields in table.top])
        n = len(table.top[0][1]) if names is None else len(names)
        require_memory(8 * n * n, f"keeping the distances between {n} objects", SMALLER_DATA)
        matrix, labels = np.empty((n, n)), []
        n_rows = 0
        for line, fields in islice(table.rows(), 0 if names is None else 1, None):
            if names is not None:
                labels.append(fields[0].strip())
                fields = fields[1:]
            if len(fields) != n:
                raise DataError(
                    f"has {plural(len(fields), 'number')}, but the first line has {plural(n, 'object')}",
                    "a square table has as many rows as columns",
                    where=Where(line=line),
                )
            if n_rows < n:
                matrix[n_rows], wrong = as_float_array(fields, finite=False)
                if wrong is not None:
                    column = str(wrong + 1) if names is None else names[wrong]
                    raise no_number(fields[wrong], Where(line=line, column=column))
            n_rows += 1
        if n_rows != n:
            raise DataError(
                f"has {plural(n_rows, 'row')} for {plural(n, 'column')} of numbers",
                "a square table has ids in the first line and the first column, or no labels at all (and a table of "
                "features has the names of its columns in the first line)",
            )
        if names is not None:
            _check_labels(names, labels)
        return Epoch(file.stem, file.name, matrix, None if names is None else labels)


def _check_labels(names: list[str], labels: list[str]) -> None:
    for where, values in (("first line", names), ("first column", labels)):
        if "" in values:
            raise DataError(f"the {where} has no id at position {values.index('') + 1}", "fill it in")
    check_same_labels(labels, names, Place("the table"))


def column_names(top: Sequence[list[str]]) -> list[str] | None:
    """Ids in the first of the first two lines; None if it holds numbers already.

    The first line of a labelled table has a corner, which may be empty, or is one field shorter than the others.
    """
    first = [field.strip() for field in top[0]]
    if len(top) > 1 and len(top[1]) == len(first) + 1:
        return first
    if all(as_number(field.replace(",", ".")) is not None for field in first):
        return None
    return first[1:]


def _with_ids(epochs: Sequence[Epoch], remarks: list[str]) -> list[Epoch]:
    """Ids of every table: numbers if all of them are plain numbers, none if they only count the rows."""
    labels = [epoch.ids for epoch in epochs if epoch.ids is not None]
    every = iter(as_ids([label for table in labels for label in table]))
    ids = [None if epoch.ids is None else list(islice(every, len(epoch.ids))) for epoch in epochs]
    if labels and all(table is None or is_plain_range(table) for table in ids):
        remarks.append("rows are labelled 0, 1, 2, … in every table; these are taken as row numbers, not as ids")
        ids = [None] * len(epochs)
    return [replace(epoch, ids=table) for epoch, table in zip(epochs, ids, strict=True)]


def _check_no_names(file: File, settings: DataSettings) -> None:
    """Refuse names of columns, which only a table of objects has."""
    for setting in ("id", "time"):
        if getattr(settings, setting) is not None:
            raise SettingsError(
                [Setting(setting, getattr(settings, setting)), f" names a column, but {file.name} holds a matrix"],
                ["leave out ", Setting(setting), ", or give a table of objects with ", Setting("objects")],
            )
