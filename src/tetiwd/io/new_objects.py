"""New objects to be classified: a table of features or distances, with or without ids."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tetiwd.errors import DataError, Where
from tetiwd.io.files import File, find_file, in_file
from tetiwd.io.npy import load_arrays
from tetiwd.io.open_table import open_table
from tetiwd.io.tables import TABLES, Columns, as_ids, column_for, is_row_number, listed

if TYPE_CHECKING:
    import pandas as pd


def read_new_objects(
    path: Path, id: str | None, usual_id: str, features: Sequence[str] | None
) -> tuple[list[Any] | None, "pd.DataFrame"]:
    """Ids, if there is a column of them, and columns of numbers; from ``.npy`` or a table with a header.

    ``id`` is the column of ids, or None for ``usual_id`` if there is such a column. ``features`` are the columns that
    are needed, if they are known by name; otherwise all columns but the ids count.
    """
    file = find_file(path)
    if file.ending not in (".npy", *TABLES):
        raise DataError(
            f"new objects come as a table ({', '.join(TABLES)}) or .npy",
            "give their features, or their distances to the objects of one time",
            where=Where(file=file.name),
        )
    if file.ending == ".npy":
        return None, _from_array(file, features)
    return _from_table(file, id, usual_id, features)


def _from_array(file: File, features: Sequence[str] | None) -> "pd.DataFrame":
    import pandas as pd

    array = load_arrays(file, lambda name: False)["D"]
    with in_file(file.name):
        if array.ndim != 2:
            raise DataError(f"has shape {array.shape}", "give one row per new object")
        if features is not None and array.shape[1] != len(features):
            raise DataError(f"has {array.shape[1]} columns", f"give {len(features)}: {listed(features)}")
    return pd.DataFrame(array, columns=None if features is None else list(features))


def _from_table(
    file: File, id: str | None, usual_id: str, features: Sequence[str] | None
) -> tuple[list[Any] | None, "pd.DataFrame"]:
    import pandas as pd

    with in_file(file.name):
        table = open_table(file)
        id = column_for(table.names, id, usual_id, "id")
        text = [] if id is None else [id]
        if features is None:
            wanted = [name for name in table.names if name != id and not is_row_number(name)]
        else:
            wanted = list(features)
            absent = next((name for name in wanted if name not in table.names), None)
            if absent is not None:
                raise DataError(f"has no column {absent!r}", f"new objects need {listed(wanted)}")
        columns = table.read(text, wanted)
        _check_complete(columns)
        ids = None if id is None else as_ids(columns.text[id])
        return ids, pd.DataFrame({name: columns.numbers[name] for name in wanted})


def _check_complete(columns: Columns) -> None:
    for name, values in columns.numbers.items():
        gaps = np.isnan(values)
        if gaps.any():
            place = columns.where(int(gaps.argmax()), name)
            raise DataError("there is no value", "fill it in, or leave out the object", where=place)
