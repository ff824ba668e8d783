"""Tables with named columns: CSV, TSV (gz or not) and Parquet, read column by column into text and numbers."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import labels
from tetiwd.errors import DataError, Setting, Where, plural
from tetiwd.io.text_values import MISSING, as_plain_integers
from tetiwd.memory import require_memory

PARQUET = (".parquet", ".pq")
TEXT_TABLES = (".csv", ".tsv", ".tab", ".txt")
TABLES = (*TEXT_TABLES, *PARQUET)

BYTES_PER_TEXT = 200  # that a short text takes, twice, with its place in a dictionary or in lists
BYTES_PER_VALUE = 100  # that a number, or a text that many rows share, takes as one of Python's values
BYTES_PER_NUMBER = 16  # that a number takes in two arrays


@dataclass
class Columns:
    """Columns of a table."""

    file: str
    n_rows: int
    lines: Sequence[int]  # where every row stands in the file
    unit: str  # what these are: "line" or "row"
    text: dict[str, list[Any]]  # values as written; None where there is none
    numbers: dict[str, NDArray[np.float64]]  # NaN where there is none
    no_numbers: dict[str, str] = field(default_factory=dict)  # columns asked for as numbers if they are, and are not
    declared: dict[str, list[Any]] = field(default_factory=dict)  # order of the values of a column that has one

    def where(self, row: int, column: str | None = None) -> Where:
        """Where a value stands, for an error."""
        number = int(self.lines[row])
        if self.unit == "line":
            return Where(file=self.file, line=number, column=column)
        return Where(file=self.file, row=number, column=column)


def require_room(n_bytes: int, n_rows: int) -> None:
    """Refuse a table that memory cannot hold, before it is read."""
    require_memory(n_bytes, f"the table of {plural(n_rows, 'row')}", "use fewer rows or columns")


def column_for(names: Sequence[str], given: str | None, usual: str, setting: str) -> str | None:
    """The column a setting names, or the usual one if there is one."""
    if given is None:
        return usual if usual in names else None
    if given not in names:
        raise DataError(
            [f"has no column {given!r}, which ", Setting(setting), " names"], f"its columns are {listed(names)}"
        )
    return given


def no_column(names: Sequence[str], name: str, setting: str) -> DataError:
    """The error for a column that is needed and that a setting can name."""
    shown = f" (the columns are {listed(names)})"
    return DataError(f"has no column {name!r}", ["name it with ", Setting(setting), shown])


def check_unambiguous(names: Sequence[str], wanted: Sequence[str]) -> None:
    """Refuse a wanted column whose name another one has, too."""
    counts = Counter(names)
    twice = next((name for name in wanted if counts[name] > 1), None)
    if twice is not None:
        raise DataError(f"has two columns named {twice!r}", "give every column its own name")


def listed(names: Sequence[str], at_most: int = 12) -> str:
    """A list of names as text, shortened."""
    shown = [name or "(no name)" for name in names[:at_most]]
    return ", ".join(shown) + (f", … ({len(names)} in all)" if len(names) > at_most else "")


def is_missing(value: Any) -> bool:
    """No value, or one of the usual ways to write that there is none."""
    return labels.is_missing(value) or (isinstance(value, str) and value in MISSING)


def as_ids(values: Sequence[Any]) -> list[Any]:
    """Ids as whole numbers if all are written plainly as such, otherwise as they are."""
    if all(isinstance(value, str) for value in values):
        return as_plain_integers(values) or list(values)
    return list(values)


def is_row_number(name: str) -> bool:
    """Whether a column is one that pandas adds to number the rows."""
    return not name or name.startswith(("Unnamed: ", "__index_level_"))
