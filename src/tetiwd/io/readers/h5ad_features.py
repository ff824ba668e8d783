"""AnnData files (h5ad): features in X or obsm, dense or sparse, and the times of the objects in obs."""

from collections.abc import Sequence
from typing import Any

from tetiwd.data import DistanceSeries
from tetiwd.errors import DataError, Setting, Text
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.feature_rows import FEATURE_SETTINGS, check_squared_matters, series_of_features
from tetiwd.io.files import File, in_file
from tetiwd.io.h5_sizes import bytes_of, rows_of
from tetiwd.io.obs_table import check_columns, group
from tetiwd.io.readers.h5ad import ids_and_times, object_names, opened
from tetiwd.io.readers.reader import Reader
from tetiwd.io.tables import listed, require_room
from tetiwd.memory import require_memory

FEWER_FEATURES = "use fewer objects or features"


def read_h5ad_features(files: Sequence[File], settings: DataSettings, remarks: list[str]) -> DistanceSeries:
    """A series from one h5ad file; only the features, the names and the times are read."""
    check_squared_matters(files[0].name, settings)
    with opened(files) as (stored, read_elem):
        ids, time = ids_and_times(stored, settings, read_elem)
        X, names = _features(stored, settings.obsm, read_elem)
    with in_file(files[0].name):
        _check_shape(X, len(ids), len(time))
    names = None if hasattr(X, "tocsr") else names  # a series does not keep them for sparse rows
    return series_of_features(files[0].name, X, names, ids, time, settings, remarks)


def read_h5ad_rows(file: File, settings: DataSettings) -> tuple[list[Any], Any, list[str] | None]:
    """The names of the objects, their features and the names of these, whatever the times."""
    with opened([file]) as (stored, read_elem):
        ids = object_names(group(stored, "obs"), settings, read_elem)
        X, names = _features(stored, settings.obsm, read_elem)
        _check_shape(X, len(ids), len(ids))
    return ids, X, names


READER = Reader(
    "h5ad-features",
    endings=(".h5ad",),
    heeds=FEATURE_SETTINGS | {"obsm"},
    read=read_h5ad_features,
    recognises=lambda file, settings: settings.obsm is not None,
    known_as="features",
)


def _check_shape(X: Any, n_ids: int, n_objects: int) -> None:
    if n_ids != n_objects or X.ndim != 2 or X.shape[0] != n_objects:
        raise DataError(f"the features have shape {X.shape} for {n_objects} objects", "write it again")


def _features(stored: Any, name: str | None, read_elem: Any) -> tuple[Any, list[str] | None]:
    """The rows of X or of a matrix in obsm, and the names of their columns if they are known."""
    obsm = stored.get("obsm", {})
    if name in (None, "X") and "X" not in obsm:
        if "X" not in stored:
            remedy: Text = ["name a matrix with ", Setting("obsm"), f" (there are {listed(list(obsm)) or 'none'})"]
            raise DataError("has no X", remedy)
        X = _read(stored["X"], "X", read_elem)
        var = group(stored, "var")
        index = var[str(var.attrs.get("_index", "_index"))]
        require_room(bytes_of(index, as_values=True), rows_of(index))
        names = [str(one) for one in read_elem(index)]
        if X.shape[1:] != (len(names),):
            raise DataError(f"X has shape {X.shape} for {len(names)} features", "write it again")
        return X, names
    if name not in obsm:
        remedy = ["name one with ", Setting("obsm"), f" (there are {listed(list(obsm)) or 'none'})"]
        raise DataError(f"obsm has no {name!r}", remedy)
    X = _read(obsm[name], f"obsm {name!r}", read_elem)
    if not hasattr(X, "columns"):
        return X, None
    if not all(kind.kind in "biuf" for kind in X.dtypes):
        raise DataError(f"obsm {name!r} has columns that are no numbers", "encode text columns first")
    return X.to_numpy(), [str(one) for one in X.columns]


def _read(element: Any, what: str, read_elem: Any) -> Any:
    """A dense or sparse matrix, if there is room for it."""
    if getattr(element, "shape", ()) is None:
        raise DataError(f"{what} is empty", "write it again")
    if hasattr(element, "dtype") and element.dtype.kind not in "biuf":
        raise DataError(f"{what} does not hold real numbers", "convert it first, for example with .astype(float)")
    require_memory(bytes_of(element), what, FEWER_FEATURES)
    check_columns(element)
    return read_elem(element)
