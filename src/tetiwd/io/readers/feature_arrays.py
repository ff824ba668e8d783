"""Features in npy and npz files: one row per object, one column per feature.

One array over all epochs: an npz file with the rows as ``X`` (or the only array that can be them), the ``time`` of
every row and, if identities are known, ``ids``; or an npy or npz file with a table of objects. A sparse matrix is an
npz file as scipy's ``save_npz`` writes it. Without times, every file is one epoch.
"""

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tetiwd.data import DistanceSeries
from tetiwd.errors import DataError, Setting, Where
from tetiwd.io.assemble import all_or_none, in_order
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.feature_rows import FEATURE_SETTINGS, check_squared_matters, series_of_features
from tetiwd.io.files import File, in_file
from tetiwd.io.npy import DAMAGED_ARCHIVE, Arrays, load_arrays
from tetiwd.io.objects import read_objects, times_of_rows
from tetiwd.io.readers.arrays import as_objects, dates_as_text, ids_in
from tetiwd.io.readers.reader import Reader
from tetiwd.io.sparse_parts import check_sparse
from tetiwd.io.windows import EpochOfRows, epochs_of, with_order

CALL_IT_X = "call the rows of features X"
SPARSE = {"data", "indices", "indptr", "shape"}  # arrays that save_npz writes, with one called format


@dataclass(frozen=True)
class _Rows:
    """The rows of one file."""

    name: str
    file: str
    X: Any
    ids: list[Any] | None


def read_feature_arrays(files: Sequence[File], settings: DataSettings, remarks: list[str]) -> DistanceSeries:
    """A series from rows of features in npy and npz files."""
    check_squared_matters(files[0].name, settings)
    objects, time_name = read_objects(settings, files), settings.time or "time"
    contents = [_arrays_of(file, settings) for file in files]
    parts = [_rows_of(file, arrays, settings) for file, arrays in zip(files, contents, strict=True)]
    time: EpochOfRows
    if objects is not None:
        with in_file(files[0].name):
            ids, time = times_of_rows(objects, parts[0].ids, parts[0].X.shape[0], settings, remarks)
    elif len(files) == 1 and time_name in contents[0]:
        ids, time = parts[0].ids, _times(parts[0], contents[0][time_name], time_name, settings)
    else:
        if settings.time is not None:
            fault: list[str | Setting] = [f"has no array {settings.time!r}, which ", Setting("time"), " names"]
            raise DataError(fault, ["leave out ", Setting("time")], where=Where(file=files[0].name))
        parts, labels = in_order(parts, settings, remarks, "files")
        known = all_or_none(parts, [part.ids is not None for part in parts], "ids")
        ids = [id for part in parts for id in part.ids or ()] if known else None
        each = [label for part, label in zip(parts, labels, strict=True) for _ in range(part.X.shape[0])]
        time = with_order(each, labels)
    return series_of_features(
        ", ".join(part.file for part in parts), _joined(parts), None, ids, time, settings, remarks
    )


def read_array_rows(file: File, settings: DataSettings) -> tuple[list[Any] | None, Any]:
    """The ids, if they are known, and the rows of one file, whatever their times."""
    part = _rows_of(file, _arrays_of(file, settings), settings)
    return part.ids, part.X


def array_names(file: File) -> set[str]:
    """Names of the arrays of an npz file; none if it is no archive."""
    if not zipfile.is_zipfile(file.path):
        return set()
    try:
        with zipfile.ZipFile(file.path) as archive:
            return {name.removesuffix(".npy") for name in archive.namelist()}
    except DAMAGED_ARCHIVE:
        return set()


def _is_recognised(file: File, settings: DataSettings) -> bool:
    """An archive with rows called X, or a sparse matrix."""
    names = array_names(file)
    return names >= SPARSE or ("X" in names and "D" not in names)


READER = Reader(
    "feature-arrays",
    endings=(".npy", ".npz"),
    heeds=FEATURE_SETTINGS | {"objects", "subject"},
    read=read_feature_arrays,
    recognises=_is_recognised,
    known_as="features",
)


def _labels(settings: DataSettings) -> tuple[str, str]:
    return settings.id or "ids", settings.time or "time"


def _arrays_of(file: File, settings: DataSettings) -> Arrays:
    return load_arrays(file, lambda name: name in (*_labels(settings), "format"))


def _rows_of(file: File, arrays: Arrays, settings: DataSettings) -> _Rows:
    with in_file(file.name):
        names = [name for name in arrays if name not in _labels(settings)]
        if set(names) >= SPARSE:
            X = _sparse(arrays)
            return _Rows(file.stem, file.name, X, ids_in(arrays, _labels(settings)[0], X.shape[0]))
        if not names:
            raise DataError(f"holds no features, only {', '.join(arrays)}", CALL_IT_X)
        if "X" not in names and len(names) > 1:
            raise DataError(f"holds {len(names)} arrays ({', '.join(names)}) where one is expected", CALL_IT_X)
        X = arrays["X" if "X" in names else names[0]]
        if X.ndim != 2:
            raise DataError(f"is of shape {X.shape}", "give one row per object and one column per feature")
        return _Rows(file.stem, file.name, X, ids_in(arrays, _labels(settings)[0], len(X)))


def _sparse(arrays: Arrays) -> Any:
    """The matrix that ``save_npz`` was given."""
    from scipy.sparse import csc_array, csr_array

    form = np.asarray(arrays.get("format", b"csr")).item()
    name = form.decode("latin-1") if isinstance(form, bytes) else form
    make = {"csr": csr_array, "csc": csc_array}.get(name)
    if make is None:
        raise DataError(f"holds a sparse matrix of the form {form!r}", "write it again with save_npz(file, X.tocsr())")
    try:
        parts, shape = (arrays["data"], arrays["indices"], arrays["indptr"]), arrays["shape"].tolist()
        check_sparse(*parts, shape, name)
        X = make(parts, shape=tuple(shape))
    except (ValueError, TypeError, IndexError) as error:
        raise DataError(f"holds a sparse matrix that is damaged ({error})", "write it again with save_npz") from error
    return X.tocsr()


def _times(part: _Rows, values: Any, name: str, settings: DataSettings) -> EpochOfRows:
    with in_file(part.file):
        if values.shape != (part.X.shape[0],):
            raise DataError(
                f"the array {name!r} has shape {values.shape} for {part.X.shape[0]} rows", "give one time per row"
            )
        values = dates_as_text(values, name)
        place = f"the array {name!r}"
        return epochs_of(
            as_objects(values, name), settings, lambda row: Where(part.file, matrix=f"{place}, row {row}:")
        )


def _joined(parts: Sequence[_Rows]) -> Any:
    """The rows of all files, one after the other."""
    widths = {part.X.shape[1] for part in parts}
    if len(widths) > 1:
        other = next(part for part in parts if part.X.shape[1] != parts[0].X.shape[1])
        fault = f"has {other.X.shape[1]} features, but {parts[0].file} has {parts[0].X.shape[1]}"
        raise DataError(fault, "give the same features at every time", where=Where(file=other.file))
    if len(parts) == 1:
        return parts[0].X
    if any(hasattr(part.X, "tocsr") for part in parts):
        from scipy.sparse import csr_array, vstack

        return vstack([csr_array(part.X) for part in parts], format="csr")
    return np.concatenate([part.X for part in parts])
