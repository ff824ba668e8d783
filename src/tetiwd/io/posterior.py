"""Draws as a DataTree in ArviZ's layout, and back.

posterior      labels (chain, draw, object), n_clusters (chain, draw, time), alpha, xi, new_scale
sample_stats   lp (log joint density), entropy of cluster sizes, acceptance rates, and other diagnostics
geometry       A (chain, kept_draw, time, cluster, other_cluster) of every so many draws, NaN beyond the clusters there
annealed       one frozen partition per chain
constant_data  time and id of every object

Everything is readable with xarray, ArviZ, h5py, or any other reader of NetCDF 4.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.data.fingerprint import fingerprint
from tetiwd.draws import COLUMNS, Draws, Frozen
from tetiwd.errors import DataError, SettingsError
from tetiwd.io.netcdf import reading, write_netcdf
from tetiwd.io.sound_draws import check_numbers, sound_covariance
from tetiwd.params import Hyperparameters, SamplerSettings
from tetiwd.sample import Sample

if TYPE_CHECKING:
    import xarray as xr

Axes = dict[str, tuple[str, ...]]  # name of a variable → its axes after chain and draw

PARAMETERS: Axes = {name: COLUMNS[name] for name in ("labels", "n_clusters", "alpha", "xi", "new_scale")}
STATISTICS: Axes = {name: COLUMNS[name] for name in ("log_joint", "entropy", "spread", "log_det_A")}
NAMES_IN_ARVIZ = {"log_joint": "lp"}
COMPRESSED = {"zlib": True, "complevel": 4, "shuffle": True}


def to_datatree(sample: Sample) -> "xr.DataTree":
    """All draws; chains of unequal length, as an interrupted run has them, are cut to the shortest."""
    import xarray as xr

    n = min(map(len, sample.draws))
    if n == 0:
        raise SettingsError("a chain has no draws yet; run it longer")
    series = sample.series
    times = plain_labels(series.times)
    coordinates = {
        "chain": np.arange(len(sample.draws)),
        "draw": np.arange(n),
        "object": np.arange(sum(series.n_objects)),
        "time": times,
        "step": times[1:],
        "scale_move": list(sample.hyperparameters.scale_moves),
    }

    def group(axes_of: Axes) -> "xr.Dataset":
        variables = {}
        for name, axes in axes_of.items():
            values = np.stack([draws.array(name)[:n] for draws in sample.draws])
            variables[NAMES_IN_ARVIZ.get(name, name)] = (("chain", "draw", *axes), values)
        used = {axis for axes in axes_of.values() for axis in axes} | {"chain", "draw"}
        return xr.Dataset(variables, {name: values for name, values in coordinates.items() if name in used})

    epoch = np.repeat(np.arange(series.n_epochs), series.n_objects)
    constant: dict[str, Any] = {"epoch": ("object", epoch), "object_time": ("object", np.asarray(times)[epoch])}
    if series.ids is not None:
        constant["object_id"] = ("object", plain_labels([id for ids in series.ids for id in ids.tolist()]))
    groups = {
        "posterior": group(PARAMETERS),
        "sample_stats": group(
            STATISTICS | {name: axes_after_draw(axis) for name, axis in sample.draws[0].axes.items()}
        ),
        "geometry": _geometry(sample, n, times),
        "constant_data": xr.Dataset(constant, {"object": coordinates["object"]}),
    }
    if sample.frozen:
        groups["annealed"] = xr.Dataset(
            {
                "labels": (("chain", "object"), np.stack([np.concatenate(one.labels) for one in sample.frozen])),
                "lp": ("chain", [one.log_joint for one in sample.frozen]),
                "still_moving": ("chain", [one.still_moving for one in sample.frozen]),
            },
            {"chain": coordinates["chain"], "object": coordinates["object"]},
        )
    tree = xr.DataTree.from_dict(groups)
    tree.attrs = {
        "inference_library": "tetiwd",
        "complete": int(sample.complete),
        "ended": sample.ended,
        "n_discarded": sample.n_discarded,
        "remarks": "\n".join(sample.remarks),
        "data": fingerprint(series),
    }
    return tree


def axes_after_draw(axis: str) -> tuple[str, ...]:
    """The axes of a statistic after chain and draw; none if it is a number."""
    return () if axis == "draw" else (axis,)


def from_datatree(
    tree: "xr.DataTree", series: DistanceSeries, hyperparameters: Hyperparameters, settings: SamplerSettings
) -> Sample:
    """The sample that :func:`to_datatree` was given; it must be about the same data."""
    if tree.attrs.get("data") != fingerprint(series):
        raise DataError("the draws are not about these data; put back the file that they were made with")
    chains = range(tree["posterior"].sizes["chain"])
    stored = tree["sample_stats"].to_dataset()
    columns = {name: tree["posterior"][name].to_numpy() for name in PARAMETERS}
    columns |= {name: stored[NAMES_IN_ARVIZ.get(name, name)].to_numpy() for name in STATISTICS}
    fixed = [NAMES_IN_ARVIZ.get(name, name) for name in STATISTICS]
    axes = {str(name): str(values.dims[-1]) for name, values in stored.drop_vars(fixed).items()}
    columns |= {name: stored[name].to_numpy() for name in axes}
    about_A = tree["geometry"].attrs
    A, every, first = tree["geometry"]["A"].to_numpy(), int(about_A["every"]), int(about_A.get("first", 0))
    check_numbers(columns)
    ends = np.cumsum(series.n_objects)[:-1]
    draws = []
    for c in chains:
        arrays = {name: values[c] for name, values in columns.items()}
        flat = [
            sound_covariance(A[c, i, t, :k, :k]).ravel()
            for i, draw in enumerate(range(first, len(arrays["alpha"]), every) if every else ())
            for t, k in enumerate(arrays["n_clusters"][draw])
        ]
        arrays["geometry"] = np.concatenate(flat) if flat else np.empty(0)
        arrays |= {"geometry_every": np.array(every), "first_geometry": np.array(first)}
        draws.append(Draws.from_arrays(series.n_objects, arrays, axes))
    frozen = []
    if "annealed" in tree.children:
        kept = tree["annealed"].to_dataset()
        for c in chains:
            labels = np.split(kept["labels"].to_numpy()[c], ends)
            frozen.append(Frozen(labels, float(kept["lp"][c]), int(kept["still_moving"][c])))
    ended = tree.attrs.get("ended", "fixed" if tree.attrs.get("complete", 1) else "stopped")  # older files lack it
    n_discarded = int(tree.attrs.get("n_discarded", 0))
    remarks = tuple(str(tree.attrs.get("remarks", "")).splitlines())
    return Sample(series, hyperparameters, settings, draws, frozen, ended, remarks, n_discarded)


def write_posterior(path: Path, sample: Sample) -> None:
    """Write all draws into a compressed NetCDF file."""
    tree = to_datatree(sample)
    encoding = {
        f"/{name}": {variable: COMPRESSED for variable, values in group.data_vars.items() if values.dtype.kind in "iuf"}
        for name, group in tree.children.items()
    }
    write_netcdf(path, tree, encoding=encoding)


def read_posterior(
    path: Path, series: DistanceSeries, hyperparameters: Hyperparameters, settings: SamplerSettings
) -> Sample:
    """The sample that :func:`write_posterior` was given."""
    import xarray as xr

    with (
        reading(path, "write it again with tetiwd resume") as texts,
        xr.open_datatree(path, engine="h5netcdf", drop_variables=texts) as tree,
    ):
        return from_datatree(tree.load(), series, hyperparameters, settings)


def plain_labels(values: Sequence[Any]) -> NDArray[Any]:
    """Labels as NetCDF can hold them: whole numbers, numbers, or text."""
    listed = list(values)
    for kinds, dtype in (((int,), np.int64), ((int, float), np.float64)):
        if all(isinstance(value, kinds) and not isinstance(value, bool) for value in listed):
            try:
                return np.array(listed, dtype=dtype)
            except OverflowError:
                break
    return np.array([str(value).replace("\0", "\N{SYMBOL FOR NULL}") for value in listed], dtype=object)


def _geometry(sample: Sample, n: int, times: NDArray[Any]) -> "xr.Dataset":
    import xarray as xr

    kept = [[draws.geometry[i] for i, draw in enumerate(draws.with_geometry) if draw < n] for draws in sample.draws]
    most = max((len(A) for chain in kept for draw in chain for A in draw), default=0)
    A = np.full((len(kept), len(kept[0]), len(times), most, most), np.nan)
    for c, chain in enumerate(kept):
        for i, draw in enumerate(chain):
            for t, A_t in enumerate(draw):
                A[c, i, t, : len(A_t), : len(A_t)] = A_t
    every, first = sample.draws[0].geometry_every, sample.draws[0].first_geometry
    return xr.Dataset(
        {"A": (("chain", "kept_draw", "time", "cluster", "other_cluster"), A)},
        {"chain": np.arange(len(kept)), "kept_draw": first + np.arange(A.shape[1]) * every, "time": times},
        {"every": every, "first": first, "order": "clusters of a draw and time in increasing order of their label"},
    )
