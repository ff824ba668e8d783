"""Tables of notes: CSV and TSV (gz or not, in any of the usual encodings) and Parquet."""

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from tetiwd.errors import DataError
from tetiwd.io.csv_table import CsvTable
from tetiwd.io.files import File, find_file, in_file
from tetiwd.io.parquet_table import ParquetTable
from tetiwd.io.tables import PARQUET, listed
from tetiwd.notes.decoding import Lines
from tetiwd.notes.tidy import Notes, tidy

LONGEST_FIELD = 1 << 28  # characters of one note
_LIMIT = Lock()  # the longest field is one number for all readers of Python's csv


def read_notes(
    path: str | Path,
    *,
    id: str = "id",
    date: str = "date",
    text: str = "text",
    outcomes: Sequence[str] = (),
    date_format: str | None = None,
) -> Notes:
    """Read a table with one note per row.

    Parameters
    ----------
    path
        A CSV, TSV or Parquet file; text may be packed as gz, in UTF-8, UTF-16 with a mark, Windows-1252 or Latin-1,
        and even lines of different encodings are understood.
    id, date, text
        Names of the columns with the object a note belongs to, the day it was written, and what it says.
    outcomes
        Names of columns of yes and no. An object has one if any of its rows says yes.
    date_format
        How dates are written, such as "%m/%d/%Y". Dates as 2014-08-05, with or without a time, need none.

    Rows without id, date or text and exact repetitions are left out and counted; see ``Notes.counts``.
    """
    file = find_file(path)
    names = {"id": id, "date": date, "text": text, **{f"outcome {name}": name for name in outcomes}}
    with in_file(file.name):
        if file.ending in PARQUET:
            columns, mended = _columns(ParquetTable(file), names), 0
        else:
            columns, mended = _from_text(file, names)
        wanted = {name: columns[name] for name in outcomes}
        return tidy(columns[id], columns[date], columns[text], wanted, date_format=date_format, mended_lines=mended)


def check_columns(given: Sequence[str], wanted: dict[str, str]) -> None:
    """Raise if a column is missing or serves two purposes."""
    for role, name in wanted.items():
        if name not in given:
            raise DataError(f"has no column {name!r} ({role})", f"its columns are {listed(given)}")
        roles = [role for role, other in wanted.items() if other == name]
        if len(roles) > 1:
            raise DataError(f"column {name!r} cannot be both {' and '.join(roles)}", "name different columns")


def _from_text(file: File, wanted: dict[str, str]) -> tuple[dict[str, list[Any]], int]:
    """The wanted columns, and the number of lines that had to be repaired.

    Tab-separated tables are often written without quoting, so this is tried if quoted fields make no sense.
    """
    lines = Lines(file)
    with _long_fields():
        try:
            return _columns(CsvTable(file, lines), wanted), lines.n_mended
        except DataError as error:
            names = next((line for line in lines if line.strip() and not line.startswith("#")), "")
            if "\t" not in names:
                raise
            try:
                return _columns(CsvTable(file, lines, quoting=csv.QUOTE_NONE), wanted), lines.n_mended
            except DataError:
                raise error from None


def _columns(table: CsvTable | ParquetTable, wanted: dict[str, str]) -> dict[str, list[Any]]:
    check_columns(table.names, wanted)
    return table.read([*wanted.values()], []).text


@contextmanager
def _long_fields() -> Iterator[None]:
    """Raise the limit of the csv module to the length of notes."""
    with _LIMIT:
        before = csv.field_size_limit(LONGEST_FIELD)
        try:
            yield
        finally:
            csv.field_size_limit(before)
