"""Sparse matrices whose parts do not belong together, in every file that can hold one."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tetiwd.io.netcdf import SEALED
from verification.crafted import reading
from verification.crafted.chance import WHOLE, Crafted, Rng, a_few, one_of

Parts = dict[str, Any]  # data, indices, indptr, shape, and the form
N, P = 12, 4
LISTS = ("data", "indices", "indptr")
DTYPES = ("i1", "u1", "i2", "i4", "u4", "i8", "u8", ">i4", "f4", "f8", "?")


def write(rng: Rng) -> Crafted:
    """A matrix, changed in one or a few ways, in a file of some kind."""
    return one_of((in_npz, in_h5ad, in_obsp, in_new_objects, in_run), rng)(rng)


def changed(width: int, rng: Rng) -> Parts:
    """The parts of a valid matrix with N rows, changed."""
    from scipy.sparse import csc_array, csr_array

    form = one_of(("csr", "csc"), rng)
    dense = rng.integers(1, 9, (N, width)) * (rng.random((N, width)) < 0.6) if width < N else 1.0 - np.eye(N)
    X = (csr_array if form == "csr" else csc_array)(dense)
    parts: Parts = {name: np.array(getattr(X, name), dtype=float if name == "data" else np.int64) for name in LISTS}
    parts |= {"shape": np.array(X.shape), "form": form}
    with np.errstate(all="ignore"):
        for _ in range(a_few(rng)):
            one_of(CHANGES, rng)(parts, rng)
    return parts


# Changes


def point_elsewhere(parts: Parts, rng: Rng) -> None:
    """One entry of a part."""
    values = parts[one_of(LISTS, rng)]
    if values.size:
        at = one_of((0, values.size - 1, int(rng.integers(values.size))), rng)
        with_room = np.iinfo(values.dtype) if values.dtype.kind in "iu" else None
        value = one_of(WHOLE, rng)
        values.flat[at] = value if with_room is None else min(max(value, with_room.min), with_room.max)


def reorder(parts: Parts, rng: Rng) -> None:
    """Entries in another order, or all the same."""
    name = one_of(LISTS, rng)
    orders: tuple[Callable[[Any], Any], ...] = (rng.permutation, np.flip, lambda x: np.resize(x[-1:], x.shape), np.sort)
    parts[name] = np.array(one_of(orders, rng)(parts[name]))


def resize(parts: Parts, rng: Rng) -> None:
    """Longer, shorter, empty, or with another number of axes."""
    name = one_of(LISTS, rng)
    values = parts[name]
    sizes: tuple[Callable[[], Any], ...] = (
        lambda: np.append(values, values.flat[-1:]),
        lambda: values.ravel()[:-1],
        lambda: values.ravel()[1:],
        lambda: values.ravel()[:0],
        lambda: np.resize(values, 10_000),
        lambda: values.reshape(-1, 1),
        lambda: values.reshape(1, -1),
    )
    parts[name] = one_of(sizes, rng)()


def retype(parts: Parts, rng: Rng) -> None:
    """Another type; numbers that do not fit become others."""
    name = one_of((*LISTS, "indices", "indptr"), rng)
    parts[name] = parts[name].astype(one_of(DTYPES, rng))


def reshape(parts: Parts, rng: Rng) -> None:
    """Another shape than the parts have."""
    shape = parts["shape"].astype(np.int64)
    shape[int(rng.integers(len(shape)))] = one_of((*WHOLE, *(shape + 1), *(shape - 1)), rng)
    others = (shape, shape, shape, shape[::-1], shape[:1], np.append(shape, 1), shape.astype(float), shape[:0])
    parts["shape"] = one_of(others, rng)
    if not parts["shape"].size:
        parts["shape"] = np.zeros(2, np.int64)


def transpose(parts: Parts, rng: Rng) -> None:
    """Rows are said to be columns, or the other way round."""
    parts["form"] = "csc" if parts["form"] == "csr" else "csr"


CHANGES = (point_elsewhere, point_elsewhere, point_elsewhere, reorder, resize, retype, reshape, transpose)


# Files


def in_npz(rng: Rng) -> Crafted:
    """As scipy writes it, with ids and times or without."""
    parts = changed(P, rng)
    known: Any = {} if rng.random() < 0.5 else {"time": np.arange(N) % 2, "ids": np.arange(N)}
    np.savez("x.npz", **{name: parts[name] for name in (*LISTS, "shape")}, format=parts["form"].encode(), **known)
    return one_of((reading.data, reading.data, reading.new_rows), rng), ["x.npz"]


def in_h5ad(rng: Rng) -> Crafted:
    """X, or a matrix in obsm."""
    name = one_of(("X", "obsm/X_few"), rng)
    _into_h5ad(name, changed(P, rng))
    return reading.data, ["x.h5ad", f"obsm='{name.removeprefix('obsm/')}'"]


def in_obsp(rng: Rng) -> Crafted:
    """Distances."""
    _into_h5ad("obsp/distances", changed(N, rng))
    return reading.data, ["x.h5ad", "squared=true"]


def in_new_objects(rng: Rng) -> Crafted:
    """Objects for an earlier run."""
    _into_h5ad("X", changed(P, rng))
    return reading.new_rows, ["x.h5ad"]


def in_run(rng: Rng) -> Crafted:
    """The rows or the features in data.nc of a run, whose last end is followed by the number of columns."""
    import xarray as xr

    metric = one_of(("euclidean", "cosine"), rng)
    stored = xr.load_dataset(_valid_run(metric), engine="h5netcdf")
    name = "rows" if "rows_ends" in stored else "features"
    parts = changed(P, rng)
    parts["indptr"] = np.append(parts["indptr"].ravel(), parts["shape"].flat[-1])
    for part, own in {"data": "values", "indices": "columns", "indptr": "ends"}.items():
        axes = [f"{name}_{own}_{i}" for i in range(parts[part].ndim)]
        stored = stored.drop_vars(f"{name}_{own}").assign({f"{name}_{own}": (axes, parts[part])})
    Path("run").mkdir()
    Path("run/run.toml").write_bytes(Path("../run/run.toml").read_bytes())
    stored.to_netcdf("run/data.nc", engine="h5netcdf")
    return reading.data_of_run, []


@cache
def _valid_h5ad() -> bytes:
    import anndata
    import pandas as pd

    obs = pd.DataFrame({"time": np.arange(N) % 2}, index=[f"p{i}" for i in range(N)])
    anndata.AnnData(np.ones((N, P)), obs=obs, obsm={}, obsp={}).write_h5ad("valid.h5ad")
    return Path("valid.h5ad").read_bytes()


def _into_h5ad(name: str, parts: Parts) -> None:
    """Write a matrix into a valid file."""
    import h5py

    Path("x.h5ad").write_bytes(_valid_h5ad())
    with h5py.File("x.h5ad", "a") as file:
        if name in file:
            del file[name]
        group = file.create_group(name)
        group.attrs.update({"encoding-type": f"{parts['form']}_matrix", "encoding-version": "0.1.0"})
        group.attrs["shape"] = parts["shape"]
        for part in LISTS:
            group[part] = parts[part]


@cache
def _valid_run(metric: str) -> Path:
    """data.nc of sparse rows, without its checksum."""
    from scipy.sparse import csr_array

    from tetiwd.data import DistanceSeries
    from tetiwd.io.series_file import write_series

    path = Path(f"../{metric}.nc").resolve()
    X = csr_array(1.0 + np.arange(N * P).reshape(N, P) % 5)
    write_series(path, DistanceSeries.from_features(X, time=np.arange(N) % 2, metric=metric))
    path.write_bytes(path.read_bytes()[:-SEALED])
    return path
