"""Arrays from npy and npz files: headers are checked before anything is loaded, and nothing is unpickled."""

import lzma
import math
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Callable
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.checks import located
from tetiwd.errors import DataError
from tetiwd.io.files import File, in_file
from tetiwd.memory import SMALLER_DATA, require_memory

Arrays = dict[str, NDArray[Any]]
Header = tuple[tuple[int, ...], "np.dtype[Any]"]

LONGEST_HEADER = 10_000  # bytes; no array of numbers or texts needs more
MOST_EMPTY = 1_000_000  # entries of an array whose entries take no room, so that no file is too short for it
NOT_A_HEADER = (ValueError, TypeError, SyntaxError, tokenize.TokenError, EOFError, OverflowError, RecursionError)

DAMAGED_ARCHIVE = (
    zipfile.BadZipFile,
    lzma.LZMAError,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OSError,  # without a number from bz2, and with one from the system
    RuntimeError,
    ValueError,
)


def load_arrays(file: File, may_be_text: Callable[[str], bool]) -> Arrays:
    """All arrays of a file by name; the one of an npy file is called D.

    Arrays hold real numbers; those of an npz file for whose name ``may_be_text`` is true may hold text or dates.
    """
    with in_file(file.name):
        if zipfile.is_zipfile(file.path):
            return _load_archive(file, may_be_text)
        if file.ending == ".npz":
            raise DataError("is not an npz file, or cut off", "write it again with np.savez")
        with open(file.path, "rb") as stream:
            shape, dtype = _checked_header(stream, file.path.stat().st_size)
            _check_numbers(dtype)
            require_memory(_bytes_of(shape, dtype), f"loading {_described(shape, dtype)}", SMALLER_DATA)
            return {"D": _read_array(stream)}


def _load_archive(file: File, may_be_text: Callable[[str], bool]) -> Arrays:
    arrays: Arrays = {}
    try:
        with zipfile.ZipFile(file.path) as archive:
            members = [member for member in archive.infolist() if member.filename.endswith(".npy")]
            if not members:
                raise DataError("holds no arrays", "write it with np.savez")
            headers: dict[str, Header] = {}
            for member in members:
                name = member.filename.removesuffix(".npy")
                if name in headers:
                    raise DataError(f"holds two arrays named {name!r}", "write it again with np.savez")
                with archive.open(member) as stream, located(matrix=f"the array {name!r}"):
                    headers[name] = _checked_header(stream, member.file_size)
                    if not may_be_text(name):
                        _check_numbers(headers[name][1])
            needed = sum(_bytes_of(*header) for header in headers.values())
            require_memory(needed, f"loading {len(headers)} arrays", SMALLER_DATA)
            for name, member in zip(headers, members, strict=True):
                with archive.open(member) as stream, located(matrix=f"the array {name!r}"):
                    arrays[name] = _read_array(stream)
    except DataError:
        raise
    except DAMAGED_ARCHIVE as error:
        if getattr(error, "errno", None) is not None:  # the system cannot read the file
            raise
        raise DataError(f"is damaged or not a plain npz file ({error})", "write it again with np.savez") from error
    return arrays


def _checked_header(stream: IO[bytes], size: int) -> Header:
    """Shape and type of an array, if the file is long enough to hold it; the stream returns to its start."""
    try:
        version = np.lib.format.read_magic(stream)
        if version == (1, 0):
            shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
        elif version == (2, 0):
            place, length = stream.tell(), int.from_bytes(stream.read(4), "little")
            if length > LONGEST_HEADER:
                raise ValueError(f"a header of {length:,} bytes")
            stream.seek(place)
            shape, _, dtype = np.lib.format.read_array_header_2_0(stream)
        else:
            raise ValueError(f"version {version[0]}.{version[1]} of the format")
        start = stream.tell()
        stream.seek(0)
    except NOT_A_HEADER as error:
        raise _damaged(error) from error
    if any(length < 0 for length in shape):
        raise DataError(f"says that its shape is {shape}", "write it again with np.save")
    if dtype.hasobject:
        raise DataError(
            "holds Python objects, which are not read from files",
            "convert them with .astype(float), or ids with .astype(str)",
        )
    if dtype.itemsize == 0 and math.prod(shape) > MOST_EMPTY:
        raise DataError(f"says that it holds {math.prod(shape):,} empty texts", "write it again with np.savez")
    if size - start < _bytes_of(shape, dtype):
        raise DataError(
            f"is cut off: {_described(shape, dtype)} take {_bytes_of(shape, dtype):,} bytes, "
            f"but there are {max(0, size - start):,}",
            "write or copy it again",
        )
    return shape, dtype


def _read_array(stream: IO[bytes]) -> NDArray[Any]:
    try:
        return np.lib.format.read_array(stream, allow_pickle=False)
    except NOT_A_HEADER as error:
        raise _damaged(error) from error


def _check_numbers(dtype: "np.dtype[Any]") -> None:
    if dtype.kind not in "biuf":
        kind = {"c": "complex numbers", "U": "text", "S": "text"}.get(dtype.kind, str(dtype))
        raise DataError(f"holds {kind}", "convert it to real numbers, for example with .astype(float)")


def _bytes_of(shape: tuple[int, ...], dtype: "np.dtype[Any]") -> int:
    return math.prod(shape) * dtype.itemsize


def _described(shape: tuple[int, ...], dtype: "np.dtype[Any]") -> str:
    return f"{' × '.join(map(str, shape)) or '1'} numbers of type {dtype}"


def _damaged(error: Exception) -> DataError:
    first_line = str(error).partition("\n")[0]
    return DataError(f"is not an npy file, or damaged ({first_line})", "write it again with np.save")
