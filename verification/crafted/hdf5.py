"""HDF5 files: links that lead anywhere, elements of other kinds and types, and attributes that are not true."""

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from tetiwd.io.netcdf import SEALED
from verification import readable
from verification.crafted import reading
from verification.crafted.chance import NUMBERS, WHOLE, WORDS, Crafted, Rng, a_few, one_of, some_of

OBJECTS = 6
ENCODINGS = (
    *("array", "dataframe", "categorical", "csr_matrix", "csc_matrix", "string-array", "string", "dict", "null", "raw"),
    *("nullable-integer", "nullable-boolean", "nullable-string-array", "rec-array", "numeric-scalar", "awkward-array"),
)
CONVENTIONS = ("units", "calendar", "scale_factor", "add_offset", "_FillValue", "missing_value", "dtype", "coordinates")


def write(rng: Rng) -> Crafted:
    """A valid file, changed in one or a few ways; if nothing can be changed so, another change is tried."""
    import h5py

    path, read, known = one_of(KINDS, rng)
    if path.startswith("run/"):
        readable.copied(*readable.WHOLE_RUN)()
        Path(path).write_bytes(Path(path).read_bytes()[:-SEALED])
    else:
        Path(path).write_bytes(_valid_h5ad())
    Path("other.h5").write_bytes(Path(path).read_bytes())
    left = a_few(rng)
    with h5py.File(path, "a") as file:
        while left:
            try:
                one_of(CHANGES, rng)(file, rng)
                left -= 1
            except (ValueError, TypeError, RuntimeError, KeyError, OSError, AttributeError, IndexError):
                continue  # HDF5 does not want to write this
        leads_out = file.id.links.visit(_is_external, info=True) is not None
    return (partial(reading.refused, read) if leads_out else read), known


def _is_external(name: bytes, about: Any) -> bool | None:
    """Whether a link leads to another file; None, so that the visit goes on, if it does not."""
    from h5py import h5l

    return True if about.type == h5l.TYPE_EXTERNAL else None


KINDS: tuple[tuple[str, Callable[[Any], Any], list[str]], ...] = (
    ("x.h5ad", reading.data, ["x.h5ad", "squared=true"]),
    ("x.h5ad", reading.data, ["x.h5ad", "obsm='X'"]),
    ("x.h5ad", reading.data, ["x.h5ad", "obsm='X_few'"]),
    ("x.h5ad", readable.read_metadata, ["x.h5ad"]),
    ("x.h5ad", reading.new_rows, ["x.h5ad"]),
    ("run/data.nc", reading.data_of_run, []),
    ("run/results.nc", readable.read_draws, []),
)


@cache
def _valid_h5ad() -> bytes:
    import anndata
    import pandas as pd

    obs = pd.DataFrame(
        {
            "time": pd.Categorical(["a", "b"] * 3, ordered=True),
            "age": np.arange(OBJECTS) / 2,
            "kind": pd.Categorical(list("xyzxyz")),
            "word": [f"w {i}" for i in range(OBJECTS)],
            "maybe": pd.array([1, None, 3, 4, 5, 6], dtype="Int64"),
        },
        index=[f"p{i}" for i in range(OBJECTS)],
    )
    stored = anndata.AnnData(np.eye(OBJECTS, 3), obs=obs, obsm={"X_few": np.eye(OBJECTS, 2)})
    stored.obsp["distances"] = 1 - np.eye(OBJECTS)
    stored.write_h5ad("valid.h5ad")
    return Path("valid.h5ad").read_bytes()


def _names(file: Any, rng: Rng, kind: str = "") -> list[str]:
    """Names of elements, those of arrays or groups only, if need be; those that are read come more often."""
    found: list[str] = []
    file.visititems(lambda name, own: found.append(name) if kind in type(own).__name__ else None)
    read = [name for name in found if name.startswith(("obs/", "obsp/", "obsm/", "X", "rows", "ids", "posterior/"))]
    return read if read and rng.random() < 0.7 else found


# Links


def link(file: Any, rng: Rng) -> None:
    """An element becomes a link to another one, to itself, to what is not there, or to another file."""
    import h5py

    name = one_of(_names(file, rng), rng)
    above, other = name.rpartition("/")[0] or "/", one_of(_names(file, rng), rng)
    places = (f"/{other}", f"/{name}", above, "/", ".", "..", "nothing", f"/{name}/x", "a" * 3000)
    what = one_of(("soft", "soft", "hard", "external"), rng)
    if what == "hard":
        target = file[one_of((other, above), rng)]
        del file[name]
        file[name] = target
        return
    place = one_of(places, rng)
    to_file = one_of(("other.h5", "x.h5ad", "nothing.h5", "/dev/zero", "", "../run/data.nc"), rng)
    del file[name]
    file[name] = h5py.SoftLink(place) if what == "soft" else h5py.ExternalLink(to_file, place)


def many_names(file: Any, rng: Rng) -> None:
    """Many names of one thing, also by way of groups within groups."""
    own = file[one_of(_names(file, rng), rng)]
    group = file[one_of(_names(file, rng, "Group"), rng)]
    n, levels = one_of(((10, 1), (2000, 1), (100, 2), (100, 4), (2, 25), (1, 40)), rng)
    for level in range(levels):
        below = own if level == levels - 1 else group.create_group(f"level {rng.integers(10**9)}")
        for i in range(n):
            group[f"name {level} {i}"] = below
        group = below


# Elements


def exchange(file: Any, rng: Rng) -> None:
    """Two elements change places, so that groups may be arrays."""
    first, second = some_of(_names(file, rng), 2, rng)
    file.move(first, "aside")
    file.move(second, first)
    file.move("aside", second)


def empty_group(file: Any, rng: Rng) -> None:
    """A group in place of an element."""
    name = one_of(_names(file, rng), rng)
    kept = dict(file[name].attrs)
    del file[name]
    group = file.create_group(name)
    group.attrs.update({key: own for key, own in kept.items() if not key.endswith("_LIST")})


def remove(file: Any, rng: Rng) -> None:
    """An element is missing."""
    del file[one_of(_names(file, rng), rng)]


def retype(file: Any, rng: Rng) -> None:
    """Values of another type, of the same number."""
    import h5py

    name = one_of(_names(file, rng, "Dataset"), rng)
    shape = file[name].shape
    variable = h5py.vlen_dtype(np.int32)
    types: tuple[Any, ...] = (
        np.dtype([("a", "i4"), ("b", "f8")]), np.dtype([("r", "f4"), ("i", "f4")]), np.dtype(("f4", (3,))),
        h5py.enum_dtype({"a": 1, "b": 2}), h5py.enum_dtype({"FALSE": 0, "TRUE": 1}, "i1"), variable,
        h5py.ref_dtype, h5py.regionref_dtype, h5py.string_dtype(), h5py.string_dtype("ascii", 3), "S1000", "V5", "f2",
        ">i2", "u8", "c16", "?", "i1", h5py.vlen_dtype(np.float64), h5py.opaque_dtype(np.dtype("M8[s]")), "f8",
    )  # fmt: skip
    kept = {key: own for key, own in file[name].attrs.items() if not key.endswith("_LIST")}
    del file[name]
    kind = one_of(types, rng)
    data = file.create_dataset(name, shape, kind)
    data.attrs.update(kept)
    if kind is variable and shape:
        data[(0,) * len(shape)] = np.arange(5)
    elif kind is h5py.ref_dtype and shape:
        data[...] = file[one_of(_names(file, rng), rng)].ref


def reshape(file: Any, rng: Rng) -> None:
    """An array of a shape that nothing fills, in chunks of any size, packed in some way."""
    name = one_of(_names(file, rng, "Dataset"), rng)
    n_axes = int(rng.integers(0, 4))
    shape = tuple(one_of((0, 1, 2, OBJECTS, OBJECTS + 1, 10**4, 10**6, 10**9, 2**40), rng) for _ in range(n_axes))
    options: dict[str, Any] = {}
    if shape and rng.random() < 0.6:
        options["chunks"] = tuple(int(min(max(1, n), one_of((1, 7, 1000, 10**6), rng))) for n in shape)
        packings: tuple[dict[str, Any], ...] = (
            *({}, {"compression": "gzip"}, {"compression": "lzf"}, {"shuffle": True, "compression": "gzip"}),
            *({"fletcher32": True}, {"scaleoffset": 3}, {"maxshape": (None,) * n_axes}, {"fillvalue": 1}),
        )
        options |= one_of(packings, rng)
    kind, kept = file[name].dtype, {key: own for key, own in file[name].attrs.items() if not key.endswith("_LIST")}
    del file[name]
    file.create_dataset(name, shape, kind, **options).attrs.update(kept)


def false_chunk(file: Any, rng: Rng) -> None:
    """A packed chunk that holds something else: junk, too little, or far too much."""
    import zlib

    name = one_of(_names(file, rng, "Dataset"), rng)
    values, kept = file[name][()], {key: own for key, own in file[name].attrs.items() if not key.endswith("_LIST")}
    del file[name]
    data = file.create_dataset(name, data=values, chunks=values.shape, compression="gzip")
    data.attrs.update(kept)
    packed = (rng.bytes(50), b"", zlib.compress(b""), zlib.compress(bytes(1000)), zlib.compress(bytes(30 << 20)))
    data.id.write_direct_chunk((0,) * values.ndim, one_of(packed, rng), int(one_of((0, 0, 1, 0xFFFFFFFF), rng)))


def elsewhere(file: Any, rng: Rng) -> None:
    """Values that are in other files, or nowhere."""
    import h5py

    name = one_of(_names(file, rng, "Dataset"), rng)
    shape, kind = file[name].shape, file[name].dtype
    del file[name]
    if rng.random() < 0.5:
        file.create_dataset(name, shape, kind, external=[(one_of(("other.h5", "/dev/zero"), rng), 0, 1 << 20)])
    elif rng.random() < 0.5:
        layout = h5py.VirtualLayout(shape, kind)
        layout[...] = h5py.VirtualSource(one_of(("other.h5", "."), rng), name, shape=shape)
        file.create_virtual_dataset(name, layout)
    else:
        file[name] = h5py.Empty(kind)


def revalue(file: Any, rng: Rng) -> None:
    """Another value at a place, such as a category that is not there."""
    data = file[one_of(_names(file, rng, "Dataset"), rng)]
    value: Any = one_of(WORDS if data.dtype.hasobject else (*WHOLE, *NUMBERS), rng)
    place = tuple(int(rng.integers(n)) for n in data.shape)
    if rng.random() < 0.3:
        place = (...,)  # type: ignore[assignment]
    with np.errstate(all="ignore"):
        data[place] = np.array(value).astype(data.dtype) if data.dtype.kind in "iufb" else value


def revalue_codes(file: Any, rng: Rng) -> None:
    """Codes of categories that there are not."""
    codes = [name for name in _names(file, rng, "Dataset") if name.endswith("codes")]
    data = file[one_of(codes, rng)]
    data[int(rng.integers(len(data)))] = one_of((-1, -2, -128, 2, 3, 50, 127), rng)


# Attributes


def change_attribute(file: Any, rng: Rng) -> None:
    """An attribute of an element has another value, or is missing."""
    import h5py

    own = file[one_of((*_names(file, rng), "/"), rng)]
    key = one_of((*own.attrs, *own.attrs, *CONVENTIONS, "shape", "_index"), rng)
    if key in own.attrs and rng.random() < 0.15:
        del own.attrs[key]
        return
    values: tuple[Any, ...] = (
        one_of(WORDS, rng), one_of(WHOLE, rng), one_of(NUMBERS, rng), one_of(_names(file, rng), rng),
        some_of(WORDS[:10], 3, rng), some_of(WHOLE[:20], 2, rng), ["age"] * 100, "days since 2001-01-01", "int64",
        h5py.Empty("f4"), own.ref, np.zeros((2, 2)), b"\xff\xfe", np.array([], "i4"), "seconds since 1-1-1 99:99",
        np.zeros(2, [("a", "i4"), ("b", "S3")]), True,
    )  # fmt: skip
    own.attrs[key] = one_of(ENCODINGS, rng) if key == "encoding-type" else one_of(values, rng)


CHANGES = (
    *(link, link, many_names, exchange, empty_group, remove, retype, retype, reshape, reshape, false_chunk, elsewhere),
    *(revalue, revalue_codes, change_attribute, change_attribute, change_attribute),
)
