"""A validated series of distances as one NetCDF file, bit by bit."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.data.constraints import Ties
from tetiwd.data.feature_distances import FeatureDistances, Rows, cut, is_sparse
from tetiwd.data.features import FeatureSpace
from tetiwd.data.landmarks import Approximation
from tetiwd.errors import DataError
from tetiwd.io.netcdf import read_texts, reading, write_netcdf
from tetiwd.io.plain_texts import from_json
from tetiwd.io.posterior import plain_labels
from tetiwd.io.sparse_parts import check_sparse

TIES = {  # what is known of objects, and the axes of that
    "epoch": ("tie_object",),
    "component": ("tie_object",),
    "apart": ("tie_apart", "tie_pair"),
    "pulled": ("tie_pulled", "tie_ends"),
    "weights": ("tie_pulled",),
}


def write_series(path: Path, series: DistanceSeries) -> None:
    """Matrices, labels, ids, cross-time distances, and the features if they are compared by a metric with a name.

    Without matrices, the rows between which there are distances.
    """
    import xarray as xr

    variables: dict[str, Any] = {"times": ("time", plain_labels(series.times))}
    attributes: dict[str, Any] = {"kind": series.kind, "n_epochs": series.n_epochs}
    if series.has_matrices:
        for t, matrix in enumerate(series.matrices):
            variables[f"matrix_{t}"] = ((f"object_{t}", f"other_{t}"), matrix)
    else:
        held = [cast("FeatureDistances", matrix) for matrix in series.matrices]
        variables |= {"n_objects": ("time", np.array(series.n_objects))}
        variables |= _as_variables("rows", [D.rows for D in held])
        attributes |= {"factor": held[0].factor, "has_cross": int(series.cross is not None)}
    if series.ids is not None:
        every = plain_labels([id for ids in series.ids for id in ids.tolist()])  # of one kind at all epochs
        for t, ids_t in enumerate(np.split(every, np.cumsum(series.n_objects)[:-1])):
            variables[f"ids_{t}"] = (f"object_{t}", ids_t)
    if series.cross is not None and series.has_matrices:
        variables["cross"] = (("object", "other"), series.cross)
    if series.approximation is not None:
        attributes["approximation"] = json.dumps(asdict(series.approximation))
    if series.given_unit is not None:
        attributes["unit"] = series.given_unit
    space = series.features
    if space is not None and isinstance(space.metric, str):
        attributes |= {"metric": space.metric, "metric_squared": {None: "", True: "yes", False: "no"}[space.squared]}
        if series.has_matrices or not space.is_euclidean or series.approximation:  # otherwise they are the rows
            variables |= _as_variables("features", space.rows)
        if space.names is not None:
            variables["feature_names"] = ("feature", plain_labels(space.names))
        if space.centre is not None and space.spread is not None:
            variables |= {"centre": ("feature", space.centre), "spread": ("feature", space.spread)}
    if series.ties is not None:
        ties = {name: getattr(series.ties, name) for name in TIES}
        variables |= {f"tie_{name}": (TIES[name], array) for name, array in ties.items() if array.size}
    if series.rows is not None:
        variables |= {f"input_row_{t}": (f"object_{t}", rows) for t, rows in enumerate(series.rows)}
    data = xr.Dataset(variables, attrs=attributes)
    write_netcdf(path, data)


def read_series_file(path: Path) -> DistanceSeries:
    """The series that :func:`write_series` was given; labels other than numbers come back as text."""
    import xarray as xr

    if not path.is_file():
        raise DataError(
            f"{path.name} is missing; without the distances nothing can be computed anew: restore it, or run fit again"
        )
    with (
        reading(path, "restore it, or run fit again") as texts,
        xr.open_dataset(path, engine="h5netcdf", drop_variables=texts) as numbers,
    ):
        data = numbers.load().assign({name: (f"of_{name}", own) for name, own in read_texts(path, texts).items()})
        epochs = range(int(data.attrs["n_epochs"]))
        matrices, cross = _distances(data, epochs)
        ids = None
        if "ids_0" in data:
            ids = tuple(_labels(data[f"ids_{t}"].to_numpy()) for t in epochs)
        times = tuple(data["times"].to_numpy().tolist())
        space = None
        if "metric" in data.attrs:
            known = any(str(name).startswith("features") for name in data)
            sizes = [len(matrix) for matrix in matrices]
            space = FeatureSpace(
                rows=tuple(cut(_rows(data, "features" if known else "rows"), sizes)),
                metric=data.attrs["metric"],
                squared={"": None, "yes": True, "no": False}[data.attrs["metric_squared"]],
                names=tuple(data["feature_names"].to_numpy().tolist()) if "feature_names" in data else None,
                centre=data["centre"].to_numpy() if "centre" in data else None,
                spread=data["spread"].to_numpy() if "spread" in data else None,
            )
        about = data.attrs.get("approximation")
        approximation = None if about is None else Approximation(**from_json(about))
        unit = float(data.attrs["unit"]) if "unit" in data.attrs else None
        ties = _ties({name: data[f"tie_{name}"].to_numpy() for name in TIES if f"tie_{name}" in data})
        known = "input_row_0" in data
        rows = tuple(data[f"input_row_{t}"].to_numpy() for t in epochs) if known else None
        return DistanceSeries(matrices, data.attrs["kind"], times, ids, cross, space, approximation, unit, ties, rows)


def _ties(found: dict[str, Any]) -> Ties | None:
    """What is known of objects; arrays without entries are not in the file, which cannot hold them."""
    if not found:
        return None
    none = {"apart": np.zeros((0, 2), np.int64), "pulled": np.zeros((0, 4), np.int64), "weights": np.zeros(0)}
    return Ties(**none | found)


def _distances(data: Any, epochs: range) -> tuple[tuple[Any, ...], Any]:
    """Of every epoch, and between all objects where these are known: matrices, or what stands for them."""
    if "factor" not in data.attrs:
        cross = data["cross"].to_numpy() if "cross" in data else None
        matrices = tuple(data[f"matrix_{t}"].to_numpy() for t in epochs)
        if any(D.dtype.kind != "f" or D.shape != (len(D),) * 2 for D in matrices):
            raise ValueError("distances are not square matrices of numbers")
        return matrices, cross
    factor, rows = float(data.attrs["factor"]), _rows(data, "rows")
    parts = cut(rows, data["n_objects"].to_numpy().tolist())
    whole = FeatureDistances(rows, factor) if data.attrs["has_cross"] else None
    return tuple(FeatureDistances(part, factor) for part in parts), whole


def _as_variables(name: str, by_epoch: Sequence[Rows]) -> dict[str, Any]:
    """Rows of all epochs: one array, or the three arrays of a sparse matrix, the last with the number of columns."""
    if not is_sparse(by_epoch[0]):
        return {name: (("object", "feature"), np.concatenate(by_epoch))}
    from scipy.sparse import vstack

    X = vstack(by_epoch, format="csr")
    ends = np.append(X.indptr, X.shape[1])
    entries = f"{name}_entry"
    return {
        f"{name}_values": (entries, X.data),
        f"{name}_columns": (entries, X.indices),
        f"{name}_ends": (f"{name}_end", ends),
    }


def _rows(data: Any, name: str) -> Rows:
    """The inverse."""
    if name in data:
        return data[name].to_numpy()
    from scipy.sparse import csr_array

    values, columns, ends = (data[f"{name}_{part}"].to_numpy() for part in ("values", "columns", "ends"))
    shape = len(ends) - 2, int(ends[-1])
    check_sparse(values, columns, ends[:-1], shape)
    return csr_array((values, columns, ends[:-1]), shape=shape)


def _labels(values: NDArray[Any]) -> NDArray[Any]:
    return values if values.dtype.kind == "i" else np.fromiter(values.tolist(), dtype=object, count=len(values))
