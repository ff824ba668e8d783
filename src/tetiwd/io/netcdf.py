"""NetCDF files: reading what may be damaged, and writing where there may be no room.

A checksum follows the end of every file, where other programs do not look. Files without it are read as well.
"""

import hashlib
import io
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tetiwd.errors import DataError, TetiwdError
from tetiwd.io.h5_links import check_links
from tetiwd.io.h5_sizes import bytes_of_arrays
from tetiwd.memory import require_memory
from tetiwd.writing import write_whole

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import NDArray

SEAL = b"\ntetiwd-sha256 "  # before the checksum of all that precedes it
SEALED = len(SEAL) + 64  # bytes


@contextmanager
def reading(path: Path, remedy: str) -> Iterator[list[str]]:
    """Turn every exception that a damaged file causes into one error about the file; refuse what memory cannot hold.

    Gives the names of all texts, which xarray must not read: in its arrays they all take as much as the longest.
    """
    import h5py

    try:
        _check_seal(path)
        with h5py.File(path, "r") as stored:
            check_links(stored)
            # This looks at every group before a library opens the file that would fail half-way.
            require_memory(bytes_of_arrays(stored), f"reading {path.name}", "use a machine with more memory")
            texts: list[str] = []
            stored.visititems(lambda name, own: texts.append(name) if _is_text(own) else None)
        yield [name.rpartition("/")[2] for name in texts]
    except (TetiwdError, MemoryError):
        raise
    except Exception as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(f"{path.name} cannot be read ({reason}); {remedy}") from error


def _is_text(element: Any) -> bool:
    return hasattr(element, "dtype") and element.dtype.hasobject


def read_texts(path: Path, names: Collection[str]) -> dict[str, "NDArray[Any]"]:
    """Arrays of texts of a file without groups."""
    import h5py

    with h5py.File(path, "r") as stored:
        return {name: stored[name].asstr()[()] for name in names}


def write_netcdf(path: Path, data: "xr.Dataset | xr.DataTree", **options: Any) -> None:
    """Write a data set or tree, all of it or nothing."""

    def write(fresh: Path) -> None:
        with PatientFile(fresh) as file:
            data.to_netcdf(file, engine="h5netcdf", **options)
            file.check()
        with open(fresh, "r+b") as whole:
            digest = hashlib.file_digest(whole, "sha256").hexdigest()  # leaves the position at the end
            whole.write(SEAL + digest.encode())

    write_whole(path, write)


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
