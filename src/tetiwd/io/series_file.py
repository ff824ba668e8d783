"""A validated series of distances as one NetCDF file, bit by bit."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.data.features import FeatureSpace
from tetiwd.data.memory import require_memory
from tetiwd.errors import DataError
from tetiwd.io.netcdf import reading, write_netcdf
from tetiwd.io.posterior import plain_labels


def write_series(path: Path, series: DistanceSeries) -> None:
    """Matrices, labels, ids, cross-time distances, and the features if they are compared by a metric with a name."""
    import xarray as xr

    variables: dict[str, Any] = {"times": ("time", plain_labels(series.times))}
    for t, matrix in enumerate(series.matrices):
        variables[f"matrix_{t}"] = ((f"object_{t}", f"other_{t}"), matrix)
    if series.ids is not None:
        every = plain_labels([id for ids in series.ids for id in ids.tolist()])  # of one kind at all epochs
        for t, ids_t in enumerate(np.split(every, np.cumsum(series.n_objects)[:-1])):
            variables[f"ids_{t}"] = (f"object_{t}", ids_t)
    if series.cross is not None:
        variables["cross"] = (("object", "other"), series.cross)
    attributes: dict[str, Any] = {"kind": series.kind, "n_epochs": series.n_epochs}
    space = series.features
    if space is not None and isinstance(space.metric, str):
        attributes |= {"metric": space.metric, "metric_squared": {None: "", True: "yes", False: "no"}[space.squared]}
        variables["features"] = (("object", "feature"), np.concatenate(space.rows))
        if space.names is not None:
            variables["feature_names"] = ("feature", plain_labels(space.names))
        if space.centre is not None and space.spread is not None:
            variables |= {"centre": ("feature", space.centre), "spread": ("feature", space.spread)}
    data = xr.Dataset(variables, attrs=attributes)
    write_netcdf(path, data)


def read_series_file(path: Path) -> DistanceSeries:
    """The series that :func:`write_series` was given; labels other than numbers come back as text."""
    import xarray as xr

    if not path.is_file():
        raise DataError(
            f"{path.name} is missing; without the distances nothing can be computed anew: restore it, or run fit again"
        )
    with reading(path, "restore it, or run fit again"), xr.open_dataset(path, engine="h5netcdf") as data:
        require_memory(data.nbytes, f"reading the distances of {path.name}", "use a machine with more memory")
        data.load()
        epochs = range(int(data.attrs["n_epochs"]))
        matrices = tuple(data[f"matrix_{t}"].to_numpy() for t in epochs)
        ids = None
        if "ids_0" in data:
            ids = tuple(_labels(data[f"ids_{t}"].to_numpy()) for t in epochs)
        cross = data["cross"].to_numpy() if "cross" in data else None
        times = tuple(data["times"].to_numpy().tolist())
        space = None
        if "features" in data:
            ends = np.cumsum([len(matrix) for matrix in matrices])[:-1]
            space = FeatureSpace(
                rows=tuple(np.split(data["features"].to_numpy(), ends)),
                metric=data.attrs["metric"],
                squared={"": None, "yes": True, "no": False}[data.attrs["metric_squared"]],
                names=tuple(data["feature_names"].to_numpy().tolist()) if "feature_names" in data else None,
                centre=data["centre"].to_numpy() if "centre" in data else None,
                spread=data["spread"].to_numpy() if "spread" in data else None,
            )
        return DistanceSeries(matrices, data.attrs["kind"], times, ids, cross, space)


def _labels(values: NDArray[Any]) -> NDArray[Any]:
    return values if values.dtype.kind == "i" else np.fromiter(values.tolist(), dtype=object, count=len(values))
