"""AnnData files (h5ad): a matrix in obsp and the times of the objects in obs."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.data.labels import plain
from tetiwd.errors import DataError, Setting, Text, Where
from tetiwd.io.assemble import series_of_pooled
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.files import File, in_file
from tetiwd.io.h5_links import check_links
from tetiwd.io.h5_sizes import bytes_of, rows_of
from tetiwd.io.obs_table import H5AD, damaged, group, libraries
from tetiwd.io.readers.reader import Reader
from tetiwd.io.tables import listed, require_room
from tetiwd.io.windows import EpochOfRows, epochs_of
from tetiwd.memory import SMALLER_DATA, require_memory

BYTES_PER_PAIR = 40  # that a stored value of a sparse matrix takes besides, while pairs are counted


def read_h5ad(files: Sequence[File], settings: DataSettings, remarks: list[str]) -> DistanceSeries:
    """A series from one h5ad file; only the matrix, the names and the times are read."""
    with opened(files) as (stored, read_elem):
        ids, time = ids_and_times(stored, settings, read_elem)
        matrix = _matrix(group(stored, "obsp"), settings, read_elem)
    with in_file(files[0].name):
        if len(ids) != len(time) or matrix.shape != (len(time),) * 2:
            raise DataError(f"obsp has shape {matrix.shape} for {len(time)} objects", "write it again")
    return series_of_pooled(files[0].name, matrix, ids, time, settings, remarks)


READER = Reader(
    "h5ad",
    endings=H5AD,
    heeds=frozenset({"kind", "id", "obsp", "symmetrize", "cross"}),
    read=read_h5ad,
)


def read_matrix(file: File, settings: DataSettings) -> tuple[list[Any], NDArray[Any]]:
    """The names of the objects and the matrix of one h5ad file, whatever their times."""
    with opened([file]) as (stored, read_elem):
        ids = object_names(group(stored, "obs"), settings, read_elem)
        return ids, _matrix(group(stored, "obsp"), settings, read_elem)


@contextmanager
def opened(files: Sequence[File]) -> Iterator[tuple[Any, Any]]:
    """The one file, and the function that reads its elements; whatever goes wrong is an error of the file."""
    if len(files) > 1:
        fault = "one h5ad file with the times of all objects is expected"
        raise DataError(fault, "join the files", where=Where(file=files[1].name))
    with in_file(files[0].name):
        h5py, read_elem = libraries()
        try:
            with h5py.File(files[0].path, "r") as stored:
                check_links(stored)
                yield stored, read_elem
        except (DataError, MemoryError):
            raise
        except Exception as error:  # a damaged file can fail anywhere, in any way
            raise damaged(error) from error


def ids_and_times(stored: Any, settings: DataSettings, read_elem: Any) -> tuple[list[Any], EpochOfRows]:
    """Ids and epochs of the objects."""
    obs = group(stored, "obs")
    name = settings.time or "time"
    if name not in obs:
        columns = [str(column) for column in obs.attrs.get("column-order", list(obs))]
        remedy: Text = ["name it with ", Setting("time"), f" (its columns are {listed(columns)})"]
        raise DataError(f"obs has no column {name!r}", remedy)
    ids = object_names(obs, settings, read_elem)
    require_room(bytes_of(obs[name], as_values=True), rows_of(obs[name]))
    return ids, _time(read_elem(obs[name]), name, settings)


def object_names(obs: Any, settings: DataSettings, read_elem: Any) -> list[Any]:
    """The names of the objects, or a column of obs."""
    name = settings.id or str(obs.attrs.get("_index", "_index"))
    if name not in obs:
        raise DataError(
            [f"obs has no column {name!r}, which ", Setting("id"), " names"],
            ["leave out ", Setting("id"), " to use the names of the objects"],
        )
    require_room(bytes_of(obs[name], as_values=True), rows_of(obs[name]))
    return [plain(value) for value in np.asarray(read_elem(obs[name]))]


def _time(values: Any, name: str, settings: DataSettings) -> EpochOfRows:
    times = [plain(value) for value in np.asarray(values, dtype=object)]
    declared = [plain(value) for value in values.categories] if getattr(values, "ordered", False) else None
    return epochs_of(times, settings, lambda row: Where(matrix=f"obs, column {name}, row {row}:"), declared)


def _matrix(obsp: Any, settings: DataSettings, read_elem: Any) -> NDArray[Any]:
    name = settings.obsp
    if name not in obsp:
        remedy: Text = ["name one with ", Setting("obsp"), f" (there are {listed(list(obsp)) or 'none'})"]
        raise DataError(f"obsp has no {name!r}", remedy)
    element = obsp[name]
    sparse = not hasattr(element, "dtype")
    if not sparse and element.dtype.kind not in "biufc":
        raise DataError(f"obsp {name!r} does not hold numbers", "compute the distances anew, and write them again")
    stored = bytes_of(element)
    shape = tuple(int(length) for length in (element.attrs["shape"] if sparse else element.shape))
    whole = 8 * math.prod(shape)
    needed = whole + stored + BYTES_PER_PAIR * rows_of(element) if sparse else max(whole, stored)
    require_memory(needed, f"obsp {name!r} of shape {shape}", SMALLER_DATA)
    if not sparse:
        return np.asarray(element[()])
    needed = shape[0] * (shape[0] - 1 if settings.kind == "distances" else shape[0])
    values = read_elem(element).tocoo()
    pairs = values.row.astype(np.int64) * shape[1] + values.col
    if settings.kind == "distances":
        pairs = pairs[values.row != values.col]
    n_stored = len(np.unique(pairs))
    if n_stored < needed:
        raise DataError(
            f"obsp {name!r} is sparse and holds {n_stored} of {needed} values",
            "those that are not stored are unknown, not 0, so compute the distances of all pairs",
        )
    return np.asarray(values.toarray())
