"""NetCDF files: reading what may be damaged, and writing where there may be no room.

A checksum follows the end of every file, where other programs do not look. Files without it are read as well.
"""

import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tetiwd.errors import DataError, TetiwdError
from tetiwd.writing import write_whole

if TYPE_CHECKING:
    import xarray as xr

SEAL = b"\ntetiwd-sha256 "  # before the checksum of all that precedes it
SEALED = len(SEAL) + 64  # bytes
COMPRESSED = {"compression": "gzip", "compression_opts": 4, "shuffle": True}
ONLY_A_DIMENSION = "This is a netCDF dimension but not a netCDF variable."  # how NetCDF 4 says that it has no values


@contextmanager
def reading(path: Path, remedy: str) -> Iterator[None]:
    """Turn every exception that a damaged file causes into one error about the file."""
    import h5py

    try:
        _check_seal(path)
        with h5py.File(path, "r") as stored:
            stored.visit(str)  # looks at every group before a library opens the file that would fail half-way
        yield
    except (TetiwdError, MemoryError):
        raise
    except Exception as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(f"{path.name} cannot be read ({reason}); {remedy}") from error


def write_netcdf(path: Path, data: "xr.Dataset | xr.DataTree", *, compressed: bool = False) -> None:
    """Write a data set, or a tree of them, all of it or nothing; ``compressed`` if numbers are worth it."""

    def write(fresh: Path) -> None:
        import h5py

        with PatientFile(fresh) as file:
            with h5py.File(file, "w") as stored:
                _write_group(stored, data, compressed)
            file.check()
        with open(fresh, "r+b") as whole:
            digest = hashlib.file_digest(whole, "sha256").hexdigest()  # leaves the position at the end
            whole.write(SEAL + digest.encode())

    write_whole(path, write)


def _write_group(group: Any, data: "xr.Dataset | xr.DataTree", compressed: bool) -> None:
    """Variables with their dimensions, attributes, and the groups below.

    xarray writes the same, but looks up every group and dimension anew for every variable, which takes ten times as
    long for variables as small as ours.
    """
    import h5py

    group.attrs.update({name: value if isinstance(value, str) else [value] for name, value in data.attrs.items()})
    for name, variable in data.variables.items():
        values = variable.to_numpy()
        if values.dtype.kind not in "iuf":
            group.create_dataset(name, data=values.astype(object), dtype=h5py.string_dtype())
            continue
        smaller = COMPRESSED if compressed and values.size and name in data.data_vars else {}
        stored = group.create_dataset(name, data=values, **smaller)
        if values.dtype.kind == "f" and name in data.data_vars:
            stored.attrs["_FillValue"] = np.full(1, np.nan, values.dtype)
    for dimension, size in data.sizes.items():
        if dimension in data.variables:
            group[dimension].make_scale(dimension)
        else:
            group.create_dataset(dimension, (size,), ">f4").make_scale(f"{ONLY_A_DIMENSION}{size:10}")
    for name, variable in data.variables.items():
        if name not in data.sizes:
            for axis, dimension in enumerate(variable.dims):
                group[name].dims[axis].attach_scale(group[dimension])
    for name, child in getattr(data, "children", {}).items():
        _write_group(group.create_group(name), child, compressed)


def _check_seal(path: Path) -> None:
    """Raise a ValueError if the checksum after the end of a file is not that of the file."""
    digest, left = hashlib.sha256(), path.stat().st_size - SEALED
    with open(path, "rb") as file:
        file.seek(max(0, left))
        seal = file.read()
        if not seal.startswith(SEAL):
            return
        file.seek(0)
        while left > 0:
            part = file.read(min(left, 1 << 20))
            digest.update(part)
            left -= len(part)
    if seal[len(SEAL) :] != digest.hexdigest().encode():
        raise ValueError("its checksum is wrong")


class PatientFile(io.RawIOBase):
    """A new file that keeps the first fault of writing to itself until it is asked.

    HDF5 cannot close a file that it could not write, and crashes in the end. Here it never learns of the fault.
    """

    def __init__(self, path: Path) -> None:
        self._file = open(path, "w+b", buffering=0)  # noqa: SIM115 # closed with this one
        self._fault: OSError | None = None

    def check(self) -> None:
        """Raise the fault, if there was one."""
        if self._fault is not None:
            raise self._fault

    def write(self, data: Any) -> int:
        """Write all of the data, or pretend to."""
        rest = memoryview(data).cast("B")
        n = len(rest)
        try:
            while len(rest) and self._fault is None:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            self._fault = error
        return n

    def truncate(self, size: int | None = None) -> int:
        """Cut or extend the file, or pretend to."""
        try:
            return self._file.truncate(size)
        except OSError as error:
            self._fault = self._fault or error
        return self._file.tell() if size is None else size

    def readinto(self, buffer: Any) -> int:
        """Read what was written."""
        return self._file.readinto(buffer)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """Where it is."""
        return self._file.tell()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()

    def readable(self) -> bool:
        """Yes."""
        return True

    writable = seekable = readable
