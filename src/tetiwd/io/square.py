"""Square tables: ids in the first line and the first column (lsmat), or numbers only."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.checks import Place
from tetiwd.data.ids import is_plain_range, table_labels
from tetiwd.data.memory import SMALLER_DATA, require_memory
from tetiwd.errors import DataError
from tetiwd.io.assemble import Epoch, Found, in_order, series_of_epochs, series_of_pooled
from tetiwd.io.csv_table import as_number, csv_rows, why_no_number
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.dates import MISSING
from tetiwd.io.files import File, in_file
from tetiwd.io.objects import ObjectTable, times_of_rows
from tetiwd.io.tables import as_ids


@dataclass(frozen=True)
class Labels:
    """Labels of the rows and columns of a table."""

    index: list[str]
    columns: list[str]


@dataclass(frozen=True)
class Square:
    """What a file holds."""

    file: File
    matrix: NDArray[np.float64]
    labels: list[str] | None


def read_matrices(
    files: Sequence[File], settings: DataSettings, remarks: list[str], objects: ObjectTable | None
) -> Found:
    """A series from square tables: one per epoch, or one over all epochs with a table of objects."""
    if settings.kind == "distances":
        settings.are_squared()
    if objects is not None and len(files) > 1:
        raise DataError(
            f"{files[1].name}: objects goes with one matrix over all times; give one file, or leave out objects"
        )
    squares = [read_square(file) for file in files]
    ids = _ids(squares, remarks)
    if objects is not None:
        file, matrix = files[0].name, squares[0].matrix
        with in_file(file):
            own, time = times_of_rows(objects, ids[0], len(matrix), settings, remarks)
        return Found(series_of_pooled(file, matrix, own, time, settings, remarks))
    epochs = [
        Epoch(square.file.stem, square.file.name, square.matrix, own) for square, own in zip(squares, ids, strict=True)
    ]
    return Found(series_of_epochs(*in_order(epochs, settings, remarks, "files"), settings, remarks))


def read_square(file: File) -> Square:
    """The matrix of a file and the labels of its rows."""
    with in_file(file.name):
        rows = csv_rows(file)
        top = [row for row in (next(rows, None), next(rows, None)) if row is not None]
        if not top:
            raise DataError("holds no lines but comments; check how it was written")
        names = column_names([fields for _, fields in top])
        n = len(top[0][1]) if names is None else len(names)
        require_memory(8 * n * n, f"keeping the distances between {n} objects", SMALLER_DATA)
        matrix, labels = np.empty((n, n)), []
        n_rows = 0
        for line, fields in chain(top if names is None else top[1:], rows):
            if names is not None:
                labels.append(fields[0].strip())
                fields = fields[1:]
            if len(fields) != n:
                raise DataError(
                    f"line {line} has {len(fields)} numbers, but the first line has {n} objects; "
                    "a square table has as many rows as columns"
                )
            if n_rows < n:
                matrix[n_rows] = _numbers(fields, line, names)
            n_rows += 1
        if n_rows != n:
            raise DataError(
                f"has {n_rows} rows for {n} columns of numbers; a square table has ids in the first line and the first "
                "column, or no labels at all (and a table of features has the names of its columns in the first line)"
            )
        if names is not None:
            for where, values in (("first line", names), ("first column", labels)):
                if "" in values:
                    raise DataError(f"the {where} has no id at position {values.index('') + 1}; fill it in")
            table_labels(Labels(labels, names), Place("the table"))
        return Square(file, matrix, None if names is None else labels)


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


def looks_square(file: File) -> bool:
    """Whether the first lines of a table are those of a square one."""
    rows = csv_rows(file)
    top = [row[1] for row in (next(rows, None), next(rows, None)) if row is not None]
    if not top or len(top[0]) < 2:
        return False
    names = column_names(top)
    return names is None or (len(top) > 1 and top[1][0].strip() in names)


def _numbers(fields: list[str], line: int, names: list[str] | None) -> NDArray[np.float64]:
    if "_" not in "".join(fields):
        try:
            return np.fromiter(map(float, fields), float, len(fields))
        except ValueError:
            pass
    row = np.full(len(fields), np.nan)
    for position, field in enumerate(fields):
        number = as_number(field)
        if number is None and field.strip() not in MISSING:
            column = position + 1 if names is None else names[position]
            raise DataError(f"line {line}, column {column}: {why_no_number(field)}")
        row[position] = np.nan if number is None else number
    return row


def _ids(squares: Sequence[Square], remarks: list[str]) -> list[list[Any] | None]:
    """Ids of every table: numbers if all of them are plain numbers, none if they only count the rows."""
    known = [square.labels for square in squares if square.labels is not None]
    every = as_ids([label for labels in known for label in labels])
    starts = np.cumsum([0, *(len(labels) for labels in known)])
    parts = iter([every[start:end] for start, end in pairwise(starts)])
    ids = [None if square.labels is None else next(parts) for square in squares]
    if known and all(own is None or is_plain_range(own) for own in ids):
        remarks.append("rows are labelled 0, 1, 2, … in every table; these are taken as row numbers, not as ids")
        return [None] * len(squares)
    return ids
