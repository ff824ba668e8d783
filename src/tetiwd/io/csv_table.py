"""Tables of text, one line per row: commas, semicolons, tabs or blanks between the fields."""

import csv
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Literal

import numpy as np

from tetiwd.data.memory import require_memory
from tetiwd.errors import DataError
from tetiwd.io.dates import MISSING
from tetiwd.io.files import File, in_file, text_lines
from tetiwd.io.tables import Columns, listed

CHUNK_FIELDS = 1 << 16
TABS = (".tsv", ".tab", ".lsmat")


class CsvTable:
    """A table whose first line names its columns."""

    def __init__(self, file: File) -> None:
        self.file = file
        _, fields = next(csv_rows(file), (0, []))
        self.names = tuple(name.strip() for name in fields)
        with in_file(file.name):
            if not self.names:
                raise DataError("holds no lines but comments; check how it was written")
            twice = next((name for name in self.names if name and self.names.count(name) > 1), None)
            if twice is not None:
                raise DataError(f"has two columns named {twice!r}; give every column its own name")

    def read(self, text: Sequence[str], numbers: Sequence[str], maybe_numbers: Sequence[str] = ()) -> Columns:
        """These columns as text and these as numbers; ``maybe_numbers`` only where there are numbers in them."""
        place = {name: position for position, name in enumerate(self.names)}
        texts: dict[str, list[str | None]] = {name: [] for name in text}
        parts: dict[str, list[np.ndarray]] = {name: [] for name in (*numbers, *maybe_numbers)}
        failed: dict[str, tuple[int, str]] = {}  # columns in which something is no number: where, what
        lines = array("q")
        shared = _Stripped()
        with in_file(self.file.name):
            for own_lines, fields in self._chunks():
                lines += own_lines
                require_memory(16 * len(parts) * len(lines), "the table", "use fewer rows or columns")
                for name, values in texts.items():
                    values.extend(map(shared.__getitem__, fields[place[name] :: len(self.names)]))
                for name, pieces in parts.items():
                    own = fields[place[name] :: len(self.names)]
                    piece, wrong = _numbers(own)
                    pieces.append(piece)
                    if wrong is not None and name not in failed:
                        failed[name] = own_lines[wrong], own[wrong]
            if not lines:
                raise DataError(f"has a line of names ({listed(self.names)}) but no rows; check how it was written")
            arrays = {name: np.concatenate(pieces) for name, pieces in parts.items()}
            no_numbers = {}
            for name, (line, value) in failed.items():
                is_text = name in maybe_numbers and not np.isfinite(arrays[name]).any()
                if is_text and not _has_decimal_comma(value):
                    no_numbers[name] = value
                    continue
                raise DataError(f"line {line}, column {name}: {why_no_number(value, guessed=name in maybe_numbers)}")
            no_numbers |= {name: "" for name in maybe_numbers if not np.isfinite(arrays[name]).any()}
        arrays = {name: array for name, array in arrays.items() if name not in no_numbers}
        return Columns(self.file.name, len(lines), lines, "line", texts, arrays, no_numbers)

    def _chunks(self) -> Iterator[tuple["array[int]", list[str]]]:
        """Line numbers of some rows and their fields, row after row in one list."""
        width, lines, fields = len(self.names), array("q"), list[str]()
        for line, own in islice(csv_rows(self.file), 1, None):
            if len(own) != width:
                raise DataError(
                    f"line {line} has {len(own)} fields, but the first line names {width} columns; "
                    "look for a missing or superfluous separator"
                )
            lines.append(line)
            fields += own
            if len(fields) >= CHUNK_FIELDS:
                yield lines, fields
                lines, fields = array("q"), []
        if lines:
            yield lines, fields


class _Stripped(dict[str, str | None]):
    """Texts without blanks around them, None for nothing; one copy of every text however often it occurs."""

    def __missing__(self, raw: str) -> str | None:
        self[raw] = raw.strip() or None
        return self[raw]


def csv_rows(
    file: File, decoded: Iterable[str] | None = None, *, quoting: Literal[0, 3] = csv.QUOTE_MINIMAL
) -> Iterator[tuple[int, list[str]]]:
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
            raise DataError(
                f"line {n_before + reader.line_num} cannot be taken apart ({error}); look for a stray quotation mark"
            ) from error


def _separator(line: str, ending: str) -> str:
    """What stands between fields: a tab where the name says so, otherwise what occurs in the first line."""
    outside_quotes = "".join(line.split('"')[::2])
    for candidate in "\t;,":
        if candidate in outside_quotes:
            return candidate
    return " " if " " in outside_quotes.strip() and ending not in (".csv", *TABS) else ","


def _numbers(values: Sequence[str]) -> tuple[np.ndarray, int | None]:
    """Numbers, NaN for what is missing or is none, and the position of the first that is none."""
    if "_" not in "".join(values):  # Python reads 1_000 as a number; nobody else does
        try:
            found = np.fromiter(map(float, values), float, len(values))
            if not np.isinf(found).any():
                return found, None
        except ValueError:
            pass
    found, wrong = np.full(len(values), np.nan), None
    for position, value in enumerate(values):
        number = as_number(value)
        if number is not None and np.isfinite(number):
            found[position] = number
        elif value.strip() not in MISSING and wrong is None:
            wrong = position
    return found, wrong


def as_number(text: str) -> float | None:
    """The number a text is, None if it is none."""
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def _has_decimal_comma(text: str) -> bool:
    return "," in text and as_number(text.replace(",", ".", 1)) is not None


def why_no_number(value: str, *, guessed: bool = False) -> str:
    """What is wrong with a text where a finite number should be, and what to do."""
    number = as_number(value)
    if number is not None:
        return f"{value!r} is not a finite number; correct it, or leave out the row"
    remedy = "correct it, or name the columns to use with columns" if guessed else "correct it, or leave out the row"
    if _has_decimal_comma(value):
        remedy = "write decimals with a point"
    return f"{value!r} is not a number; {remedy}"
