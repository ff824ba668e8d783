"""New objects to be classified: a table of features or distances, with or without ids."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tetiwd.errors import DataError

if TYPE_CHECKING:
    import pandas as pd


def read_new_objects(path: Path, id: str | None) -> tuple[list[Any] | None, "pd.DataFrame"]:
    """Ids, if there is a column of them, and everything else as a table; ``.npy`` or a table with a header."""
    import pandas as pd

    if not path.is_file():
        raise DataError(f"{path}: there is no such file; give a table or an .npy file")
    if path.suffix == ".npy":
        try:
            array = np.load(path, allow_pickle=False)
        except (ValueError, OSError, EOFError) as error:
            raise DataError(f"{path.name}: is not an array of numbers ({error}); save it with numpy.save") from error
        if array.ndim != 2:
            raise DataError(f"{path.name}: has shape {array.shape}; give one row per new object")
        return None, pd.DataFrame(array)
    try:
        table = pd.read_csv(path, sep=None, engine="python", encoding="utf-8-sig")
    except (ValueError, UnicodeDecodeError, pd.errors.ParserError) as error:
        raise DataError(f"{path.name}: cannot be read as a table ({error}); give CSV or TSV with a header") from error
    name = "id" if id is None and "id" in table.columns else id
    if name is None:
        return None, table
    if name not in table.columns:
        raise DataError(f"{path.name}: has no column {name!r}; there are {', '.join(map(str, table.columns))}")
    return table[name].tolist(), table.drop(columns=name)
