"""New objects to be classified: a table of features or distances, with or without ids."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tetiwd.errors import DataError
from tetiwd.io.files import find_file, in_file
from tetiwd.io.tables import as_ids, column_for, is_row_number, listed, open_table

if TYPE_CHECKING:
    import pandas as pd


def read_new_objects(path: Path, id: str | None) -> tuple[list[Any] | None, "pd.DataFrame"]:
    """Ids, if there is a column of them, and the columns of numbers; ``.npy`` or a table with a header."""
    import numpy as np
    import pandas as pd

    file = find_file(path)
    with in_file(file.name):
        if file.ending == ".npy":
            try:
                array = np.load(path, allow_pickle=False)
            except (ValueError, OSError, EOFError) as error:
                raise DataError(f"is not an array of numbers ({error}); save it with numpy.save") from error
            if array.ndim != 2:
                raise DataError(f"has shape {array.shape}; give one row per new object")
            return None, pd.DataFrame(array)
        table = open_table(file)
        own = column_for(table, id, "id", "id")
        rest = [name for name in table.names if name != own and not is_row_number(name)]
        columns = table.read([] if own is None else [own], [], rest)
        if not columns.numbers:
            raise DataError(f"has no columns of numbers; its columns are {listed(table.names)}")
        ids = None if own is None else as_ids(columns.text[own])
        return ids, pd.DataFrame(columns.numbers)
