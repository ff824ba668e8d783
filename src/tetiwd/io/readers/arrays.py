"""Arrays in npy and npz files: one matrix per epoch, or one matrix over all epochs.

One file per epoch: npy files, or npz files with one matrix each (and, if identities are known, an array ``ids``).

One npz file for all epochs: one matrix per epoch, named as one likes as long as names differ in one place
(``D_2001``, ``D_2003``); next to it, if identities are known, the ids as ``ids_2001``, ``ids_2003``.

One matrix over all epochs: an npy file with a table of objects, or an npz file with the matrix (``D``, or the only
array that can be one), the ``time`` of every row and, if identities are known, ``ids``.

Matrices are square, or condensed: the upper triangle row by row, as scipy's ``squareform`` has it.
"""

import math
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.data.checks import located
from tetiwd.errors import DataError, Setting, Where, plural
from tetiwd.io.assemble import Epoch, in_order, series_of_epochs, series_of_pooled
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.files import File, in_file
from tetiwd.io.npy import Arrays, load_arrays
from tetiwd.io.objects import ObjectTable, read_objects, times_of_rows
from tetiwd.io.readers.reader import Reader
from tetiwd.io.windows import epochs_of
from tetiwd.memory import SMALLER_DATA, require_memory

CALL_IT_D = "call the matrix D"
BYTES_OF_LABEL = 100  # that one entry of an array takes as an object of its own, besides those it has in the array


def read_arrays(files: Sequence[File], settings: DataSettings, remarks: list[str]) -> DistanceSeries:
    """A series from npy and npz files."""
    objects = read_objects(settings, files)
    contents = [load_arrays(file, lambda name: _is_label(name, settings)) for file in files]
    if objects is not None or (len(files) == 1 and _time_name(settings) in contents[0]):
        return _pooled(files[0], contents[0], settings, remarks, objects)
    _check_names_are_used(files, contents, settings)
    if len(files) == 1:
        epochs = _epochs_of_one_file(files[0], contents[0], settings)
        return series_of_epochs(*in_order(epochs, settings, remarks, "arrays"), settings, remarks)
    epochs = []
    for file, arrays in zip(files, contents, strict=True):
        with in_file(file.name):
            name = _only_matrix(arrays, settings)
            matrix = unfolded(arrays[name])
            ids = _ids_beside(name, arrays, settings, matrix, _labels_of_ids(arrays, settings))
            epochs.append(Epoch(file.stem, file.name, matrix, ids))
    return series_of_epochs(*in_order(epochs, settings, remarks, "files"), settings, remarks)


READER = Reader(
    "arrays",
    endings=(".npy", ".npz"),
    heeds=frozenset({"kind", "id", "objects", "subject", "symmetrize", "cross"}),
    read=read_arrays,
)


def unfolded(array: NDArray[Any]) -> NDArray[Any]:
    """A condensed matrix as a square one; anything else as it is."""
    from scipy.spatial.distance import squareform

    if array.ndim != 1:
        return array
    n = objects_of_condensed(len(array))
    require_memory(8 * n * n, f"keeping the distances between {n} objects", SMALLER_DATA)
    kept = array if array.dtype == np.float32 else array.astype(np.float64, copy=False)
    return np.asarray(squareform(kept, checks=False))


def objects_of_condensed(length: int) -> int:
    """The number of objects with this many pairs."""
    n = (1 + math.isqrt(1 + 8 * length)) // 2
    if n * (n - 1) // 2 != length or length == 0:
        near = f"{n} objects have {n * (n - 1) // 2} pairs, {n + 1} have {n * (n + 1) // 2}"
        raise DataError(
            f"is one-dimensional with {length} numbers, which no number of objects has as pairs ({near})",
            "a condensed matrix has n(n − 1)/2",
        )
    return n


def _pooled(
    file: File, arrays: Arrays, settings: DataSettings, remarks: list[str], objects: ObjectTable | None
) -> DistanceSeries:
    with in_file(file.name):
        matrix = unfolded(arrays[_only_matrix(arrays, settings)])
        if matrix.ndim != 2:
            raise DataError(f"is not a matrix over all times: its shape is {matrix.shape}", "give one row per object")
        ids = ids_in(arrays, _ids_name(settings), len(matrix))
        if objects is not None:
            ids, time = times_of_rows(objects, ids, len(matrix), settings, remarks)
        else:
            name = _time_name(settings)
            values = arrays[name]
            if values.shape != (len(matrix),):
                raise DataError(
                    f"the array {name!r} has shape {values.shape} for a matrix of {len(matrix)} rows",
                    "give one time per row",
                )
            values = dates_as_text(values, name)
            column = f"the array {name!r}"
            time = epochs_of(
                as_objects(values, name), settings, lambda row: Where(file.name, matrix=f"{column}, row {row}:")
            )
    return series_of_pooled(file.name, matrix, ids, time, settings, remarks)


def _epochs_of_one_file(file: File, arrays: Arrays, settings: DataSettings) -> list[Epoch]:
    with in_file(file.name):
        names = _matrices(arrays, settings)
        labels = _labels_of_ids(arrays, settings)
        _check_ids_have_matrices(names, arrays, settings, labels)
        epochs = []
        for name in names:
            with located(matrix=f"the array {name!r}") if len(names) > 1 else nullcontext():
                matrix = unfolded(arrays[name])
            ids = _ids_beside(name, arrays, settings, matrix, labels)
            epochs.append(Epoch(name if len(names) > 1 else file.stem, file.name, matrix, ids))
        return epochs


def _only_matrix(arrays: Arrays, settings: DataSettings) -> str:
    names = _matrices(arrays, settings)
    if "D" in names or len(names) == 1:
        return "D" if "D" in names else names[0]
    raise DataError(f"holds {len(names)} arrays ({', '.join(names)}) where one matrix is expected", CALL_IT_D)


def _matrices(arrays: Arrays, settings: DataSettings) -> list[str]:
    names = [name for name in arrays if not _is_label(name, settings)]
    if not names:
        raise DataError(f"holds no matrix, only {', '.join(arrays)}", CALL_IT_D)
    return names


def _is_label(name: str, settings: DataSettings) -> bool:
    ids = _ids_name(settings)
    return name in (ids, _time_name(settings)) or name.startswith(f"{ids}_")


def _ids_beside(
    name: str, arrays: Arrays, settings: DataSettings, matrix: NDArray[Any], labels: set[str]
) -> list[Any] | None:
    """The ids that belong to a matrix: ``ids_2001`` to ``D_2001``, or ``ids`` to the only one."""
    own = max(_ends(name, labels) & labels, key=len, default=None)
    n = len(matrix) if matrix.ndim else 0
    return ids_in(arrays, _ids_name(settings) if own is None else f"{_ids_name(settings)}_{own}", n)


def _labels_of_ids(arrays: Arrays, settings: DataSettings) -> set[str]:
    prefix = f"{_ids_name(settings)}_"
    return {name.removeprefix(prefix) for name in arrays if name.startswith(prefix)}


def _ends(name: str, labels: set[str]) -> set[str]:
    """What a name ends with, as long as one of the labels."""
    return {name[len(name) - n :] for n in set(map(len, labels)) if n <= len(name)}


def _check_ids_have_matrices(names: list[str], arrays: Arrays, settings: DataSettings, labels: set[str]) -> None:
    ids = _ids_name(settings)
    for label in sorted(labels - set().union(*(_ends(name, labels) for name in names)))[:1]:
        raise DataError(
            f"the array {f'{ids}_{label}'!r} belongs to none of the matrices {', '.join(names)}", "rename it"
        )
    if ids in arrays and len(names) > 1:
        raise DataError(
            f"holds {len(names)} matrices but one array {ids!r}",
            f"call the ids of every matrix {ids}_ and its label, or add an array with the time of every row if one "
            "matrix covers all times",
        )


def ids_in(arrays: Arrays, name: str, n_objects: int) -> list[Any] | None:
    """The ids in the array of this name, if it exists; more than there are objects are refused before they are made."""
    if name not in arrays:
        return None
    ids = arrays[name]
    if ids.ndim != 1 or ids.dtype.kind not in "iuUS":
        raise DataError(f"the array {name!r} must be a list of text or whole numbers", "give one id per object")
    if len(ids) > n_objects:
        fault = f"the array {name!r} has {plural(len(ids), 'id')} for {plural(n_objects, 'object')}"
        raise DataError(fault, "give one id per object")
    return as_objects(ids, name)


def dates_as_text(values: NDArray[Any], name: str) -> NDArray[Any]:
    """Dates as text; anything else as it is."""
    if values.dtype.kind != "M":
        return values
    if np.datetime_data(values.dtype)[0] == "generic":
        raise DataError(f"the array {name!r} holds dates without a unit", "convert it with .astype('datetime64[D]')")
    return np.datetime_as_string(values)


def as_objects(values: NDArray[Any], name: str) -> list[Any]:
    """The entries of an array as objects, if memory holds them: they take much more than in the array."""
    needed = values.size * (BYTES_OF_LABEL + 2 * values.dtype.itemsize)
    require_memory(needed, f"keeping {values.size:,} entries of the array {name!r}", SMALLER_DATA)
    if values.dtype.kind not in "biufmUS":
        raise DataError(f"the array {name!r} holds neither text nor numbers nor dates", "convert it to one of them")
    if values.dtype.kind == "S":
        return [value.decode("utf-8", "replace") for value in values.tolist()]
    found = values.tolist()
    if values.dtype.kind == "U" and not _is_whole("".join(found)):
        raise DataError(f"the array {name!r} holds half a character", "write it again")
    return found


def _is_whole(text: str) -> bool:
    return not any("\ud800" <= character < "\ue000" for character in set(text))


def _check_names_are_used(files: Sequence[File], contents: list[Arrays], settings: DataSettings) -> None:
    """Refuse names of arrays of ids and times that no file has."""
    for setting, name in (("id", settings.id), ("time", settings.time)):
        for file, arrays in zip(files, contents, strict=True):
            if name is not None and not any(other == name or other.startswith(f"{name}_") for other in arrays):
                remedy: list[str | Setting] = ["leave out ", Setting(setting)]
                if setting == "time":
                    remedy += [", or give a table of objects with ", Setting("objects")]
                raise DataError(
                    [f"has no array {name!r}, which ", Setting(setting), " names"],
                    remedy,
                    where=Where(file=file.name),
                )


def _ids_name(settings: DataSettings) -> str:
    return settings.id or "ids"


def _time_name(settings: DataSettings) -> str:
    return settings.time or "time"
