"""Input files: whether they exist, how they are opened, their hash, and their name in every error."""

import gzip
import hashlib
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from tetiwd.errors import DataError, MemoryLimitError, Where

GZIP_MAGIC = b"\x1f\x8b"
LARGEST_RATIO = 100  # of what is in an archive to its size; tables of numbers have 2 to 20
MUCH = 1 << 24  # bytes that any archive may hold
BLOCK = 1 << 24  # bytes at a time, many more than are read ahead of an archive
LONGEST_LINE = 1 << 28  # characters; a line of a table of 10 million objects would not be longer


@dataclass(eq=False)
class File:
    """A file the user named."""

    name: str  # as the user gave it
    path: Path
    table: Any = None  # the opened table, kept so that the file is opened once

    @property
    def ending(self) -> str:
        """The extension in small letters, without .gz: what is inside."""
        name = self.path.name.lower().removesuffix(".gz")
        return Path(name).suffix

    @property
    def stem(self) -> str:
        """The name without folder and extension."""
        name = self.path.name
        name = name[:-3] if name.lower().endswith(".gz") and len(name) > 3 else name
        return Path(name).stem


def find_file(given: Any) -> File:
    """A file that is there and not empty."""
    if not isinstance(given, str | os.PathLike) or not os.fspath(given):
        raise DataError(f"expected the name of a file, not {given!r}")
    file = File(str(given), Path(given))
    with in_file(file.name):
        if file.path.is_dir():
            raise DataError("is a folder", "name the files in it")
        if not file.path.exists():
            raise DataError(f"there is no such file (looked for it from {Path.cwd()})", "check the name")
        if not file.path.is_file():
            raise DataError("is not a plain file", "write the data to a file first")
        if file.path.stat().st_size == 0:
            raise DataError("is empty", "check how it was written")
    return file


def sha256_of(file: File) -> str:
    """Hash of the file as it is on disk."""
    with in_file(file.name), open(file.path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def in_file(name: str) -> Iterator[None]:
    """Add the name of the file to errors, and turn errors of the system into our own."""
    place = Where(file=name)
    try:
        yield
    except (DataError, MemoryLimitError) as error:
        error.located(file=name)
        raise
    except MemoryError as error:
        fault = f"does not fit into memory ({error})" if str(error) else "does not fit into memory"
        raise MemoryLimitError(fault, "use fewer objects or epochs", where=place) from error
    except UnicodeDecodeError as error:
        byte = error.object[error.start] if isinstance(error.object, bytes) else 0
        raise DataError(f"is not UTF-8 text (byte 0x{byte:02x})", "save it as UTF-8", where=place) from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"is damaged or cut off ({error})", "copy or write it again", where=place) from error
    except OSError as error:
        reason = error.strerror or error
        raise DataError(f"cannot be read ({reason})", "check that you may read it", where=place) from error


@contextmanager
def unpacked(file: File) -> Iterator[IO[bytes]]:
    """The bytes of a file, unpacked if it is a gz archive."""
    with open(file.path, "rb") as raw:
        packed = raw.read(2) == GZIP_MAGIC
        raw.seek(0)
        if not packed:
            yield raw
            return
        most = max(MUCH, LARGEST_RATIO * file.path.stat().st_size)
        _look_inside(raw, most)
        with gzip.GzipFile(fileobj=raw) as stream:
            yield io.BufferedReader(_Bounded(cast(IO[bytes], stream), most))


def _look_inside(raw: IO[bytes], most: int) -> None:
    """Unpack for as long as an archive looks too good to be true, so that a bomb is refused before it is parsed."""
    n = 0
    with gzip.GzipFile(fileobj=raw) as stream:
        while some := stream.read(BLOCK):
            n += len(some)
            if n > most:
                raise _too_large(most)
            if n <= LARGEST_RATIO * raw.tell():
                break
    raw.seek(0)


def _too_large(most: int) -> DataError:
    fault = f"unpacks to more than {most >> 20:,} MiB, over {LARGEST_RATIO} times its size"
    return DataError(fault, "unpack it first if it is meant to be so large")


class _Bounded(io.RawIOBase):
    """What an archive holds, up to a size that archives of data have."""

    def __init__(self, stream: IO[bytes], most: int) -> None:
        self._stream, self._most, self._n = stream, most, 0

    def readable(self) -> bool:
        return True

    seekable = readable

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._n = self._stream.seek(offset, whence)
        return self._n

    def readinto(self, buffer: Any) -> int:
        some = self._stream.read(len(buffer))
        self._n += len(some)
        if self._n > self._most:
            raise _too_large(self._most)
        buffer[: len(some)] = some
        return len(some)


def text_lines(file: File) -> Iterator[str]:
    """The lines of a UTF-8 file, each with a newline; a byte order mark is left out."""
    with in_file(file.name), unpacked(file) as raw, io.TextIOWrapper(raw, "utf-8-sig") as text:
        for number, line in enumerate(whole_lines(text), 1):
            if "\0" in line:
                raise DataError("holds a NUL byte", "this is not a text file", where=Where(line=number))
            yield line


def whole_lines(text: io.TextIOWrapper) -> Iterator[str]:
    """The lines of a text; what has no end is refused before it fills the memory."""
    for number, line in enumerate(iter(lambda: text.readline(LONGEST_LINE), ""), 1):
        if len(line) == LONGEST_LINE:
            fault = f"has more than {LONGEST_LINE} characters"
            raise DataError(fault, "this is not a table", where=Where(line=number))
        yield line
