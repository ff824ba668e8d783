"""Tables of text, one line per row: commas, semicolons, tabs or blanks between the fields."""

import csv
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, islice
from typing import Literal

import numpy as np

from tetiwd.errors import DataError, Setting, Text, Where
from tetiwd.io.files import File, in_file, text_lines
from tetiwd.io.tables import BYTES_PER_TEXT, Columns, check_unambiguous, listed
from tetiwd.io.text_values import MISSING
from tetiwd.memory import require_memory

CHUNK_FIELDS = 1 << 16
TABS = (".tsv", ".tab", ".lsmat")


class CsvTable:
    """A table of text, opened and read once: its first two rows are kept, the rest is read on demand."""

    def __init__(
        self, file: File, lines: Iterable[str] | None = None, *, quoting: Literal[0, 3] = csv.QUOTE_MINIMAL
    ) -> None:
        """``lines`` are those of the file if they are decoded in another way."""
        self.file = file
        self._rest = csv_rows(file, lines, quoting)
        self.top = list(islice(self._rest, 2))  # (line, fields)
        if not self.top:
            raise DataError("holds no lines but comments", "check how it was written", where=Where(file=file.name))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, which stand in the first row."""
        return tuple(name.strip() for name in self.top[0][1])

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Line number and fields of every row; once."""
        return chain(self.top, self._rest)

    def is_number(self, name: str) -> bool:
        """Whether the first value of a column is a number."""
        fields = self.top[-1][1] if len(self.top) > 1 else []
        position = self.names.index(name)
        return position < len(fields) and as_number(fields[position]) is not None

    def read(self, text: Sequence[str], numbers: Sequence[str], maybe_numbers: Sequence[str] = ()) -> Columns:
        """These columns as text and these as numbers; ``maybe_numbers`` only where there are numbers in them."""
        place = {name: position for position, name in enumerate(self.names)}
        texts: dict[str, list[str | None]] = {name: [] for name in text}
        parts: dict[str, list[np.ndarray]] = {name: [] for name in (*numbers, *maybe_numbers)}
        failed: dict[str, tuple[int, str]] = {}  # columns in which something is no number: where, what
        lines = array("q")
        shared = _Stripped()
        with in_file(self.file.name):
            check_unambiguous(self.names, [*text, *numbers, *maybe_numbers])
            for some_lines, fields in self._chunks():
                lines += some_lines
                needed = (16 * len(parts) + 8 * len(texts) + 8) * len(lines) + BYTES_PER_TEXT * len(shared)
                require_memory(needed, f"the table, up to row {len(lines):,},", "use fewer rows or columns")
                for name, column in texts.items():
                    column.extend(map(shared.__getitem__, fields[place[name] :: len(self.names)]))
                for name, pieces in parts.items():
                    values = fields[place[name] :: len(self.names)]
                    piece, wrong = as_float_array(values)
                    pieces.append(piece)
                    if wrong is not None and name not in failed:
                        failed[name] = some_lines[wrong], values[wrong]
            if not lines:
                raise DataError(f"has a line of names ({listed(self.names)}) but no rows", "check how it was written")
            arrays = {name: np.concatenate(pieces) for name, pieces in parts.items()}
            no_numbers = {}
            for name, (line, value) in failed.items():
                is_text = name in maybe_numbers and not np.isfinite(arrays[name]).any()
                if is_text and not _has_decimal_comma(value):
                    no_numbers[name] = value
                    continue
                raise no_number(value, Where(line=line, column=name), guessed=name in maybe_numbers)
            no_numbers |= {name: "" for name in maybe_numbers if not np.isfinite(arrays[name]).any()}
        arrays = {name: array for name, array in arrays.items() if name not in no_numbers}
        return Columns(self.file.name, len(lines), lines, "line", texts, arrays, no_numbers)

    def _chunks(self) -> Iterator[tuple["array[int]", list[str]]]:
        """Line numbers of some rows and their fields, row after row in one list."""
        width, lines, fields = len(self.names), array("q"), list[str]()
        for line, row in islice(self.rows(), 1, None):
            if len(row) != width:
                raise DataError(
                    f"has {len(row)} fields, but the first line names {width} columns",
                    "look for a missing or superfluous separator or quotation mark",
                    where=Where(line=line),
                )
            lines.append(line)
            fields += row
            if len(fields) >= CHUNK_FIELDS:
                yield lines, fields
                lines, fields = array("q"), []
        if lines:
            yield lines, fields


def text_table(file: File) -> CsvTable:
    """The text table of a file, opened once."""
    if not isinstance(file.table, CsvTable):
        file.table = CsvTable(file)
    return file.table


class _Stripped(dict[str, str | None]):
    """Stripped texts, None for empty ones; equal texts share one copy."""

    def __missing__(self, raw: str) -> str | None:
        self[raw] = raw.strip() or None
        return self[raw]


def csv_rows(file: File, decoded: Iterable[str] | None, quoting: Literal[0, 3]) -> Iterator[tuple[int, list[str]]]:
    """Line number and fields of every row, without blank lines and without comments (#) at the beginning."""
    with in_file(file.name):
        lines = text_lines(file) if decoded is None else iter(decoded)
        n_before, first = 0, ""
        for first in lines:
            if first.strip() and not first.startswith("#"):
                break
            n_before += 1
        else:
            return
        separator = _separator(first, file.ending)
        whole: Iterator[str] = chain([first], lines)
        if separator == " ":
            whole = (" ".join(line.split()) for line in whole)
        reader = csv.reader(whole, delimiter=separator, strict=True, quoting=quoting)
        try:
            for fields in reader:
                if fields and any(fields):
                    yield n_before + reader.line_num, fields
        except csv.Error as error:
            where = Where(line=n_before + reader.line_num)
            raise DataError(
                f"cannot be taken apart ({error})", "look for a stray quotation mark", where=where
            ) from error


def _separator(line: str, ending: str) -> str:
    """What separates fields: a tab where the name says so, otherwise what occurs in the first line."""
    outside_quotes = "".join(line.split('"')[::2])
    for candidate in "\t;,":
        if candidate in outside_quotes:
            return candidate
    return " " if " " in outside_quotes.strip() and ending not in (".csv", *TABS) else ","


def as_float_array(values: Sequence[str], *, finite: bool = True) -> tuple[np.ndarray, int | None]:
    """Values as numbers (NaN if missing or invalid) and the position of the first invalid one."""
    if "_" not in "".join(values):  # Python reads 1_000 as a number; nobody else does
        try:
            numbers = np.fromiter(map(float, values), float, len(values))
            if not (finite and np.isinf(numbers).any()):
                return numbers, None
        except ValueError:
            pass
    numbers, wrong = np.full(len(values), np.nan), None
    for position, value in enumerate(values):
        number = as_number(value)
        if number is not None and (np.isfinite(number) or not finite):
            numbers[position] = number
        elif value.strip() not in MISSING and wrong is None:
            wrong = position
    return numbers, wrong


def as_number(text: str) -> float | None:
    """A text as a number, None if it is not one."""
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def _has_decimal_comma(text: str) -> bool:
    return "," in text and as_number(text.replace(",", ".", 1)) is not None


def no_number(value: str, where: Where, *, guessed: bool = False) -> DataError:
    """The error for text where a finite number should be."""
    fault = f"{value!r} is not a number" if as_number(value) is None else f"{value!r} is not a finite number"
    remedy: Text = "correct it, or leave out the row"
    if as_number(value) is None and _has_decimal_comma(value):
        remedy = "write decimals with a point"
    elif as_number(value) is None and guessed:
        remedy = ["correct it, or name the columns to use with ", Setting("columns")]
    return DataError(fault, remedy, where=where)
