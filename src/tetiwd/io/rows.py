"""Rows of tables with one epoch, or with a time in every row: which are complete, and which epoch they belong to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import DataError, Setting, Text, Where, plural
from tetiwd.io.assemble import all_or_none, in_order
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.files import File, in_file
from tetiwd.io.open_table import Table
from tetiwd.io.tables import Columns, column_for, is_missing, listed
from tetiwd.io.windows import EpochOfRows, epochs_of, with_order
from tetiwd.memory import require_memory

BYTES_PER_TIME = 64  # that the time of a row takes while epochs are put in order


@dataclass(frozen=True)
class Part:
    """The complete rows of one file."""

    name: str  # what the label of its epoch is made from if it has no times
    file: str
    columns: Columns
    time: str | None  # the column of times
    rows: NDArray[np.intp]

    def text(self, name: str) -> list[Any]:
        """A column of text."""
        values = self.columns.text[name]
        return values if len(self.rows) == len(values) else [values[row] for row in self.rows]

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A column of numbers."""
        return self.columns.numbers[name][self.rows]


def part_of(file: File, columns: Columns, time: str | None, settings: DataSettings, remarks: list[str]) -> Part:
    """The rows of a file without missing values, which are refused or left out as the settings say."""
    gaps = np.zeros(columns.n_rows, dtype=bool)
    for name, values in columns.text.items():
        no_values = {value for value in set(values) if value is None or (name == time and is_missing(value))}
        if no_values:
            missing = np.array([value in no_values for value in values])
            gaps |= _refused_unless_dropped(missing, name, columns, settings)
    for name, numbers in columns.numbers.items():
        gaps |= _refused_unless_dropped(np.isnan(numbers), name, columns, settings)
    if gaps.any():
        remarks.append(f"{file.name}: left out {gaps.sum()} of {len(gaps)} rows with missing values")
    if gaps.all():
        raise DataError("every row has missing values", "choose other columns", where=Where(file=file.name))
    return Part(file.stem, file.name, columns, time, np.flatnonzero(~gaps))


def time_column(table: Table, settings: DataSettings) -> str | None:
    """The column of times; None if there is none and none is needed."""
    time = column_for(table.names, settings.time, "time", "time")
    if time is None and settings.by is not None:
        raise DataError(
            [Setting("by", settings.by), ' needs dates, but there is no column "time"'],
            ["name the column of dates with ", Setting("time"), f" (the columns are {listed(table.names)})"],
        )
    return time


def epochs_of_parts(
    parts: Sequence[Part], settings: DataSettings, remarks: list[str]
) -> tuple[list[Part], EpochOfRows]:
    """The parts in order and the epoch of each of their rows; without times in the rows, every file is one epoch."""
    ends = np.cumsum([len(part.rows) for part in parts])
    with in_file(", ".join(part.file for part in parts)):
        purpose = f"putting {plural(int(ends[-1]), 'row')} in order of time"
        require_memory(BYTES_PER_TIME * int(ends[-1]), purpose, "use fewer rows")
    column = next((part.time for part in parts if part.time is not None), None)
    if not all_or_none(parts, [part.time is not None for part in parts], f"column {column}"):
        ordered, labels = in_order(parts, settings, remarks, "files")
        each = [label for part, label in zip(ordered, labels, strict=True) for _ in part.rows]
        return ordered, with_order(each, labels)
    times = [time for part in parts if part.time is not None for time in part.text(part.time)]

    def where(position: int) -> Where:
        which = int(np.searchsorted(ends, position, side="right"))
        part = parts[which]
        return part.columns.where(int(part.rows[position - int(ends[which])]), part.time)

    declared = next((part.columns.declared.get(part.time or "") for part in parts), None)
    return list(parts), epochs_of(times, settings, where, declared)


def rows_in_files(parts: Sequence[Part]) -> NDArray[np.int64]:
    """Where the rows of all parts are in the input, from 0: in their file if each is an epoch, or in all of them."""
    start, rows = 0, []
    for part in parts:
        rows.append(start + part.rows)
        start += part.columns.n_rows if part.time is not None else 0
    return np.concatenate(rows)


def _refused_unless_dropped(
    gaps: NDArray[np.bool_], name: str, columns: Columns, settings: DataSettings
) -> NDArray[np.bool_]:
    if gaps.any() and settings.missing == "error":
        row = int(gaps.argmax())
        others = f" ({gaps.sum()} rows have none)" if gaps.sum() > 1 else ""
        remedy: Text = ["fill it in, or leave out such rows with ", Setting("missing", "drop")]
        if gaps.all():
            others, remedy = " in any row", "fill them in, or use another column"
        raise DataError(f"there is no value{others}", remedy, where=columns.where(row, name))
    return gaps
