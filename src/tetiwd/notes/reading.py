"""Tables of notes: CSV and TSV (gz or not, in any of the usual encodings) and Parquet."""

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import Any

from tetiwd.errors import DataError
from tetiwd.io.csv_table import TABS
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
            columns, mended = _from_parquet(file, names), 0
        else:
            columns, mended = _from_text(file, names)
        wanted = {name: columns[name] for name in outcomes}
        return tidy(columns[id], columns[date], columns[text], wanted, date_format=date_format, mended_lines=mended)


def check_columns(given: Sequence[str], wanted: dict[str, str]) -> None:
    """Raise if a column is missing or serves two purposes."""
    for role, name in wanted.items():
        if name not in given:
            raise DataError(f"has no column {name!r} ({role}); its columns are {listed(given)}")
    for name in wanted.values():
        roles = [role for role, other in wanted.items() if other == name]
        if len(roles) > 1:
            raise DataError(f"column {name!r} cannot be both {' and '.join(roles)}; name different columns")


def _from_parquet(file: File, wanted: dict[str, str]) -> dict[str, list[Any]]:
    table = ParquetTable(file)
    check_columns(table.names, wanted)
    return table.read([*wanted.values()], []).text


def _from_text(file: File, wanted: dict[str, str]) -> tuple[dict[str, list[Any]], int]:
    """The wanted columns, and the number of lines that had to be repaired.

    Tab-separated tables are often written without quoting, so this is tried if quoted fields make no sense.
    """
    lines = Lines(file)
    try:
        return _columns(lines, file, wanted, csv.QUOTE_MINIMAL), lines.n_mended
    except _Torn as error:
        if not error.tabs:
            raise
        try:
            return _columns(lines, file, wanted, csv.QUOTE_NONE), lines.n_mended
        except _Torn:
            raise error from None


class _Torn(DataError):
    """Rows cannot be parsed."""

    tabs = False


def _columns(lines: Lines, file: File, wanted: dict[str, str], quoting: int) -> dict[str, list[Any]]:
    rows = iter(lines)
    n_before, first = 0, ""
    for first in rows:
        if first.strip() and not first.startswith("#"):
            break
        n_before += 1
    else:
        raise DataError("holds no lines but comments; check how it was written")
    separator = _separator(first, file.ending)
    with _long_fields():
        reader = csv.reader(chain([first], rows), delimiter=separator, strict=True, quoting=quoting)  # type: ignore[arg-type]
        try:
            names = [name.strip() for name in next(reader)]
            check_columns(names, wanted)
            for name in wanted.values():
                if names.count(name) > 1:
                    raise DataError(f"has two columns named {name!r}; give every column its own name")
            places = {name: names.index(name) for name in wanted.values()}
            columns: dict[str, list[Any]] = {name: [] for name in places}
            for fields in reader:
                if not any(fields):
                    continue
                if len(fields) != len(names):
                    raise _torn(
                        f"line {n_before + reader.line_num} ends a row of {len(fields)} fields, but there are "
                        f"{len(names)} columns; look for a missing or superfluous separator or quotation mark",
                        separator,
                    )
                for name, place in places.items():
                    columns[name].append(fields[place])
        except csv.Error as error:
            raise _torn(
                f"line {n_before + reader.line_num} cannot be taken apart ({error}); look for a stray quotation mark",
                separator,
            ) from error
    if not next(iter(columns.values())):
        raise DataError(f"has a line of names ({listed(names)}) but no rows; check how it was written")
    return columns


def _torn(message: str, separator: str) -> _Torn:
    error = _Torn(message)
    error.tabs = separator == "\t"
    return error


def _separator(line: str, ending: str) -> str:
    """A tab where the name of the file says so, otherwise what the line of names has: a tab, semicolon or comma."""
    if ending in TABS:
        return "\t"
    outside_quotes = "".join(line.split('"')[::2])
    return next((sign for sign in "\t;," if sign in outside_quotes), ",")


@contextmanager
def _long_fields() -> Iterator[None]:
    """Raise the limit of the csv module to the length of notes."""
    with _LIMIT:
        before = csv.field_size_limit(LONGEST_FIELD)
        try:
            yield
        finally:
            csv.field_size_limit(before)
