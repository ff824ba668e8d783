"""Names that a user gives lineages, from a table with the columns lineage, name and, if wanted, colour."""

from pathlib import Path
from typing import Any

from tetiwd.errors import DataError
from tetiwd.io.files import find_file, in_file
from tetiwd.io.open_table import open_table

Rows = list[tuple[str, str, str | None]]


def read_names(path: Path) -> Rows:
    """Lineage, name and colour (None if there is none) of every row."""
    file = find_file(path)
    with in_file(file.name):
        table = open_table(file)
        missing = [name for name in ("lineage", "name") if name not in table.names]
        if missing:
            raise DataError(f"has no column {missing[0]!r}", "it needs the columns lineage and name")
        columns = [name for name in ("lineage", "name", "colour", "color") if name in table.names]
        values = table.read(columns, []).text
        colours = values.get("colour") or values.get("color") or [None] * len(values["name"])
        triples = zip(values["lineage"], values["name"], colours, strict=True)
        return [(_word(lineage), _word(name), _word(colour).strip() or None) for lineage, name, colour in triples]


def _word(value: Any) -> str:
    """An entry as text: tables of other formats than CSV may hold numbers, and entries may be missing."""
    return "" if value is None else str(value)
