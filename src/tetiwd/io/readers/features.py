"""Feature tables: one row per object and epoch, one column per feature."""

from collections.abc import Sequence

import numpy as np

from tetiwd.data import DistanceSeries
from tetiwd.data.memory import require_memory
from tetiwd.data.metrics import SQUARED_AS_IS
from tetiwd.errors import DataError, Setting, SettingsError
from tetiwd.io.assemble import all_or_none, large_epochs, with_rows_from
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.files import File, in_file
from tetiwd.io.open_table import Table, open_table
from tetiwd.io.readers.reader import Reader
from tetiwd.io.rows import Part, epochs_of_parts, part_of, rows_in_files, time_column
from tetiwd.io.tables import TABLES, Columns, as_ids, column_for, is_row_number, listed

PAIR_SETTINGS = (Setting("first"), ", ", Setting("second"), " and ", Setting("distance"))


def read_features(files: Sequence[File], settings: DataSettings, remarks: list[str]) -> DistanceSeries:
    """A series from tables of features, with columns of ids and times if there are any."""
    import pandas as pd

    names: list[str] = list(settings.columns)
    parts = []
    for file in files:
        parts.append(_read(file, names, settings, remarks))
        names = list(parts[0].columns.numbers)
    _check_squared_matters(files[0], settings)
    parts, time = epochs_of_parts(parts, settings, remarks)
    file_names = ", ".join(part.file for part in parts)
    with in_file(file_names):
        ids = _ids(parts, settings)
        require_memory(8 * len(time) * len(names), "the table", "use fewer rows or columns")
        X = np.empty((len(time), len(names)))  # (rows, features)
        for column, name in enumerate(names):
            X[:, column] = np.concatenate([part.numbers(name) for part in parts])
        given = rows_in_files(parts)
        rows, time = large_epochs(time, settings, remarks)
        if rows is not None:
            X, given = X[rows], given[rows]
            ids = None if ids is None else [ids[row] for row in rows]
        series = DistanceSeries.from_features(
            pd.DataFrame(X, columns=names, copy=False),  # so that the series knows the names
            time=time,
            metric=settings.metric or "euclidean",
            squared=settings.squared,
            standardize=settings.standardize,
            ids=ids,
            cross=settings.cross,
            min_objects=settings.min_objects,
            dtype=settings.dtype,
            matrix=settings.matrix,
            landmarks=settings.landmarks,
        )
    series = with_rows_from(series, given)
    if series.approximation is not None:
        remarks.append(str(series.approximation))
        if series.approximation.is_rough:
            remarks.append(series.approximation.warning)
    elif not series.has_matrices:
        remarks.append("no matrix of distances is kept: sums of distances are computed from the features")
    remarks.append(f"features used ({len(names)}): {listed(names)}")
    return series


READER = Reader(
    "features",
    endings=TABLES,
    heeds=frozenset({"metric", "standardize", "id", "columns", "missing", "cross", "matrix", "landmarks"}),
    read=read_features,
)


def _check_squared_matters(file: File, settings: DataSettings) -> None:
    """Refuse ``squared`` where the metric already determines it."""
    metric = settings.metric or "euclidean"
    known = SQUARED_AS_IS.get(metric)
    can_be_overruled = metric not in ("euclidean", "sqeuclidean") and known is not settings.squared
    if settings.squared is None or known is None or can_be_overruled:
        return
    raise SettingsError(
        [
            Setting("squared", settings.squared),
            f" has no effect: {file.name} is read as a table of features, and {metric} distances are known to be ",
            "squared" if known else "plain",
        ],
        ["leave it out, or, if every row is a pair of objects, name its columns with ", *PAIR_SETTINGS],
    )


def _read(file: File, names: Sequence[str], settings: DataSettings, remarks: list[str]) -> Part:
    """The rows of a file; ``names`` are the features if they are known already."""
    with in_file(file.name):
        table = open_table(file)
        time = time_column(table, settings)
        id = column_for(table.names, settings.id, "id", "id")
        texts = [name for name in (id, time) if name is not None]
        lacking = [name for name in names if name not in table.names]
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
    columns = table.read(texts, [], [name for name in table.names if name not in (*texts, *unnamed)])
    left_out = list(columns.no_numbers)
    if not columns.numbers:
        raise DataError("has no columns of numbers besides id and time", f"its columns are {listed(table.names)}")
    _check_no_pairs(columns, texts, time)
    if left_out:
        remarks.append(f"{file.name}: left out columns without numbers: {listed(left_out)}")
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
