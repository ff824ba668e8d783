"""Feature tables: one row per object and epoch, one column per feature."""

from collections.abc import Sequence

import numpy as np

from tetiwd.data import DistanceSeries
from tetiwd.errors import DataError, Setting
from tetiwd.io.assemble import all_or_none
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.feature_rows import FEATURE_SETTINGS, PAIR_SETTINGS, check_squared_matters, series_of_features
from tetiwd.io.files import File, in_file
from tetiwd.io.open_table import Table, open_table
from tetiwd.io.readers.reader import Reader
from tetiwd.io.rows import Part, epochs_of_parts, part_of, rows_in_files, time_column
from tetiwd.io.tables import TABLES, Columns, as_ids, column_for, is_row_number, listed
from tetiwd.memory import require_memory


def read_features(files: Sequence[File], settings: DataSettings, remarks: list[str]) -> DistanceSeries:
    """A series from tables of features, with columns of ids and times if there are any."""
    names: list[str] = list(settings.columns)
    parts = []
    for file in files:
        parts.append(_read(file, names, settings, remarks))
        names = list(parts[0].columns.numbers)
    check_squared_matters(files[0].name, settings)
    parts, time = epochs_of_parts(parts, settings, remarks)
    file_names = ", ".join(part.file for part in parts)
    with in_file(file_names):
        ids = _ids(parts, settings)
        require_memory(8 * len(time) * len(names), "the table", "use fewer rows or columns")
        X = np.empty((len(time), len(names)))  # (rows, features)
        for column, name in enumerate(names):
            X[:, column] = np.concatenate([part.numbers(name) for part in parts])
        given = rows_in_files(parts)
    return series_of_features(file_names, X, names, ids, time, settings, remarks, given)


READER = Reader(
    "features",
    endings=TABLES,
    heeds=FEATURE_SETTINGS | {"columns", "missing"},
    read=read_features,
)


def _read(file: File, names: Sequence[str], settings: DataSettings, remarks: list[str]) -> Part:
    """The rows of a file; ``names`` are the features if they are known already."""
    with in_file(file.name):
        table = open_table(file)
        time = time_column(table, settings)
        id = column_for(table.names, settings.id, "id", "id")
        texts = [name for name in (id, time) if name is not None]
        known = set(table.names)
        lacking = [name for name in names if name not in known]
        if lacking:
            raise DataError(f"has no column {', '.join(lacking)}", f"its columns are {listed(table.names)}")
        taken = next((name for name in names if name in texts), None)
        if taken is not None:
            role = "id" if taken == id else "time"
            raise DataError(f"column {taken} is the {role} column and cannot be a feature", "name other columns")
        if names:
            return part_of(file, table.read(texts, names), time, settings, remarks)
        return _all_features(file, table, texts, time, settings, remarks)


def _all_features(
    file: File, table: Table, texts: list[str], time: str | None, settings: DataSettings, remarks: list[str]
) -> Part:
    unnamed = [name for name in table.names if is_row_number(name) and name not in texts]
    no_numbers = {*texts, *unnamed}
    columns = table.read(texts, [], [name for name in table.names if name not in no_numbers])
    left_out = list(columns.no_numbers)
    if not columns.numbers:
        raise DataError("has no columns of numbers besides id and time", f"its columns are {listed(table.names)}")
    _check_no_pairs(columns, texts, time)
    if left_out:
        unknown = all(name == time for name in texts)
        hint = "; if one of them says which object a row is about, name it as the id" if unknown else ""
        remarks.append(f"{file.name}: left out columns without numbers: {listed(left_out)}{hint}")
    if unnamed:
        remarks.append(f"{file.name}: left out columns without a name, which only count rows")
    return part_of(file, columns, time, settings, remarks)


def _check_no_pairs(columns: Columns, texts: Sequence[str], time: str | None) -> None:
    """Refuse two columns of text and one of numbers, which may be pairs of objects and their distance."""
    if len(columns.no_numbers) == 2 and len(columns.numbers) == 1 and all(name == time for name in texts):
        (number,) = columns.numbers
        raise DataError(
            f"may be a table of pairs ({listed(list(columns.no_numbers))}) with a distance ({number})",
            [
                "if it is, name these columns with ",
                *PAIR_SETTINGS,
                "; if every row is an object, name its features with ",
                Setting("columns"),
            ],
        )


def _ids(parts: Sequence[Part], settings: DataSettings) -> list[object] | None:
    name = settings.id or "id"
    if not all_or_none(parts, [name in part.columns.text for part in parts], f"column {name}"):
        return None
    return as_ids([label for part in parts for label in part.text(name)])
