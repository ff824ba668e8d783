"""Outcomes of objects: a table with a column of ids and one of yes and no."""

from pathlib import Path
from typing import Any

from tetiwd.errors import DataError
from tetiwd.io.files import find_file, in_file
from tetiwd.io.tables import as_ids, column_for, is_missing, is_row_number, listed, open_table

YES, NO = {"1", "1.0", "true", "yes"}, {"0", "0.0", "false", "no"}


def read_outcomes(path: Path, outcome: str | None, id: str | None) -> tuple[str, dict[Any, bool | None]]:
    """Name of the outcome and its value by id; None where it is not known."""
    file = find_file(path)
    with in_file(file.name):
        table = open_table(file)
        own = column_for(table, id, "id", "id")
        if own is None:
            raise DataError(f"has no column of ids; name it with id (the columns are {listed(table.names)})")
        rest = [name for name in table.names if name != own and not is_row_number(name)]
        name = column_for(table, outcome, rest[0] if len(rest) == 1 else "outcome", "outcome")
        if name is None:
            raise DataError(f"say which of these columns is the outcome: {listed(rest)}")
        columns = table.read([own, name], [])
        values: dict[Any, bool | None] = {}
        for row, (one, text) in enumerate(zip(as_ids(columns.text[own]), columns.text[name], strict=True)):
            word = None if is_missing(text) else str(text).strip().lower()
            if word is not None and word not in YES | NO:
                raise DataError(f"{columns.where(row, name)}: {text!r} is neither yes nor no; write 1 or 0")
            if one in values:
                raise DataError(
                    f"{columns.where(row, own)}: the id {one!r} occurs twice; give every object one outcome"
                )
            values[one] = None if word is None else word in YES
        return name, values
