"""The table of objects (obs) of an AnnData file (h5ad), and what reading such a file needs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tetiwd.data.labels import is_missing, plain
from tetiwd.errors import DataError
from tetiwd.io.files import File, in_file
from tetiwd.io.h5_links import check_links
from tetiwd.io.h5_sizes import attributes_of, bytes_of, parts_of, rows_of
from tetiwd.io.sparse_parts import check_found
from tetiwd.io.tables import (
    BYTES_PER_NUMBER,
    BYTES_PER_TEXT,
    BYTES_PER_VALUE,
    Columns,
    check_unambiguous,
    require_room,
)
from tetiwd.memory import require_memory

H5AD = (".h5ad",)
WRITE_AGAIN = "write it again with anndata"


class ObsTable:
    """The table obs, opened once; the names of the objects are its first column."""

    def __init__(self, file: File) -> None:
        self.file = file
        with in_file(file.name):
            h5py, read_elem = libraries()
            try:
                with h5py.File(file.path, "r") as stored:
                    check_links(stored)
                    obs = group(stored, "obs")
                    n = rows_of(obs)
                    require_room(bytes_of(obs) + BYTES_PER_VALUE * n, n)  # what the names of objects take at least
                    check_columns(obs)
                    self._frame = read_elem(obs)
            except (DataError, MemoryError):
                raise
            except Exception as error:  # a damaged file can fail anywhere, in any way
                raise damaged(error) from error
            if not len(self._frame):
                raise DataError("has no objects", "check how it was written")
            self._index = str(self._frame.index.name or "_index")
            if self._index in self._frame.columns:
                self._index = "_index"
            self.names: tuple[str, ...] = (self._index, *map(str, self._frame.columns))

    def is_number(self, name: str) -> bool:
        """Whether a column holds numbers."""
        return name != self._index and self._frame[name].dtype.kind in "iuf"

    def read(self, text: Sequence[str], numbers: Sequence[str], maybe_numbers: Sequence[str] = ()) -> Columns:
        """These columns as text and these as numbers; ``maybe_numbers`` only where there are numbers in them."""
        with in_file(self.file.name):
            check_unambiguous(self.names, [*text, *numbers, *maybe_numbers])
            no_numbers = {name: "text" for name in maybe_numbers if not self.is_number(name)}
            wanted = [*numbers, *(name for name in maybe_numbers if name not in no_numbers)]
            wrong = next((name for name in numbers if not self.is_number(name)), None)
            if wrong is not None:
                raise DataError(f"column {wrong} of obs does not hold numbers", "convert it, or leave it out")
            n = len(self._frame)
            per_row = sum(BYTES_PER_VALUE if self._is_short(name) else BYTES_PER_TEXT for name in text)
            require_room(n * (per_row + BYTES_PER_NUMBER * len(wanted)), n)
        texts = {name: [_plain(value) for value in self._values(name)] for name in text}
        arrays = {name: self._frame[name].to_numpy(dtype=float, na_value=np.nan) for name in wanted}
        declared = {
            name: [plain(value) for value in self._frame[name].cat.categories]
            for name in text
            if name != self._index and getattr(self._frame[name].dtype, "ordered", False)
        }
        return Columns(self.file.name, n, range(1, n + 1), "row", texts, arrays, no_numbers, declared)

    def _is_short(self, name: str) -> bool:
        """Whether values are numbers, or texts that many rows share."""
        return self.is_number(name) or (name != self._index and hasattr(self._frame[name], "cat"))

    def _values(self, name: str) -> list[Any]:
        return list(self._frame.index if name == self._index else self._frame[name])


def libraries() -> tuple[Any, Any]:
    """h5py, and anndata's function that reads one element, which here looks at sparse matrices."""
    try:
        import h5py

        try:
            from anndata.io import read_elem
        except ImportError:  # before anndata 0.11
            from anndata.experimental import read_elem
    except ImportError as error:
        raise DataError(
            "h5ad files need anndata, which is not installed", 'install it with pip install "tetiwd[bio]"'
        ) from error

    def read(element: Any) -> Any:
        if any("indptr" in part for part in parts_of(element)[1:] if hasattr(part, "keys")):
            raise ValueError(f"there is a sparse matrix within {element.name}")
        found = read_elem(element)
        check_found(found)
        return found

    return h5py, read


def group(stored: Any, name: str) -> Any:
    """A group of an open file."""
    if name not in stored:
        raise DataError(f"has no {name}", f"this is not an h5ad file of a data set with {name}")
    if not hasattr(stored[name], "keys"):
        raise DataError(f"has its {name} in an old form", "read it with anndata and write it again")
    require_memory(attributes_of(stored[name]), f"reading what {name} is", WRITE_AGAIN)
    return stored[name]


def check_columns(element: Any) -> None:
    """Refuse a table that lists a column more often than once, which would take as much memory as so many."""
    listed = [str(name) for name in element.attrs.get("column-order", [])]
    check_unambiguous(listed, listed)


def damaged(error: Exception) -> DataError:
    """The error for a file that cannot be read."""
    return DataError(f"is not an h5ad file, or damaged ({error})", WRITE_AGAIN)


def _plain(value: Any) -> Any:
    """Text, a number, or a date as ISO text; None where there is none."""
    value = plain(value)
    if is_missing(value):
        return None
    if isinstance(value, str):
        return value.strip() or None
    return value.isoformat().removesuffix("T00:00:00") if hasattr(value, "isoformat") else value
