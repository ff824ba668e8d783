"""Outcomes of objects: a table with a column of ids and a column of yes or no."""

from pathlib import Path
from typing import Any

from tetiwd.errors import DataError, Setting
from tetiwd.io.files import find_file, in_file
from tetiwd.io.open_table import open_table
from tetiwd.io.tables import as_ids, column_for, is_missing, is_row_number, listed, no_column

YES, NO = {"1", "1.0", "true", "yes"}, {"0", "0.0", "false", "no"}


def read_outcomes(path: Path, outcome: str | None, id: str | None) -> tuple[str, dict[Any, bool | None]]:
    """Name of the outcome and its value by id; None where it is not known."""
    file = find_file(path)
    with in_file(file.name):
        table = open_table(file)
        id = column_for(table.names, id, "id", "id")
        if id is None:
            raise no_column(table.names, "id", "id")
        rest = [name for name in table.names if name != id and not is_row_number(name)]
        name = column_for(table.names, outcome, rest[0] if len(rest) == 1 else "outcome", "outcome")
        if name is None:
            fault = "has several columns besides the ids"
            raise DataError(fault, ["name the outcome with ", Setting("outcome"), f" ({listed(rest)})"])
        columns = table.read([id, name], [])
        values: dict[Any, bool | None] = {}
        for row, (label, text) in enumerate(zip(as_ids(columns.text[id]), columns.text[name], strict=True)):
            word = None if is_missing(text) else str(text).strip().lower()
            if word is not None and word not in YES | NO:
                raise DataError(f"{text!r} is neither yes nor no", "write 1 or 0", where=columns.where(row, name))
            if label in values:
                place = columns.where(row, id)
                raise DataError(f"the id {label!r} occurs twice", "give every object one outcome", where=place)
            values[label] = None if word is None else word in YES
        return name, values
