"""Input files: whether they are there, how they are opened, their hash, and their name in front of every error."""

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

from tetiwd.errors import DataError, MemoryLimitError

GZIP_MAGIC = b"\x1f\x8b"
BLOCK = 1 << 20  # characters read at a time
LONGEST_LINE = 1 << 28  # characters; a line of a table of 10 million objects would not be longer

# What the errors of DistanceSeries tell a programmer to do, in the words of a settings file.
IN_WORDS_OF_SETTINGS = {
    "use DistanceSeries.from_similarities": 'set kind = "similarities"',
    "similarities go to DistanceSeries.from_similarities": 'similarities need kind = "similarities"',
    "use DistanceSeries.from_distances(…, squared=…)": 'set kind = "distances", and squared',
    'pass symmetrize="mean"': 'set symmetrize = "mean"',
    "or pass min_objects=": "or set drop_small = true, or min_objects = ",
    "set the diagonal with np.fill_diagonal(D, 0)": "set the diagonal to 0",
    "sort the columns with D.loc[:, D.index]": "sort the columns like the rows",
    "say with squared=True or squared=False": "say with squared = true or squared = false",
    'standardise the features over all epochs first and use metric="euclidean"': (
        'set standardize = true and metric = "euclidean"'
    ),
    "cannot be standardised; leave it out": "cannot be standardised; leave it out, and name the others with columns",
    ", or drop the labels with D.to_numpy()": ", or leave out both",
}


@dataclass(frozen=True)
class File:
    """A file the user named."""

    name: str  # as the user gave it
    path: Path

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
            raise DataError("is a folder; name the files in it")
        if not file.path.exists():
            raise DataError(f"there is no such file (looked for it from {Path.cwd()}); check the name")
        if not file.path.is_file():
            raise DataError("is not a plain file; write the data to a file first")
        if file.path.stat().st_size == 0:
            raise DataError("is empty; check how it was written")
    return file


def sha256_of(file: File) -> str:
    """Hash of the file as it is on disk."""
    with in_file(file.name), open(file.path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def in_file(name: str) -> Iterator[None]:
    """Errors raised inside get the name of the file in front; those of the system become ours."""
    try:
        yield
    except (DataError, MemoryLimitError) as error:
        text = _in_words_of_settings(str(error))
        raise type(error)(text if text.startswith(f"{name}: ") else f"{name}: {text}") from error
    except MemoryError as error:
        raise MemoryLimitError(f"{name}: does not fit into memory; use fewer objects or epochs") from error
    except UnicodeDecodeError as error:
        byte = error.object[error.start] if isinstance(error.object, bytes) else 0
        raise DataError(f"{name}: is not UTF-8 text (byte 0x{byte:02x}); save it as UTF-8") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{name}: is damaged or cut off ({error}); copy or write it again") from error
    except OSError as error:
        raise DataError(f"{name}: cannot be read ({error.strerror or error}); check that you may read it") from error


@contextmanager
def unpacked(file: File) -> Iterator[IO[bytes]]:
    """The bytes of a file, unpacked if it is a gz archive."""
    with open(file.path, "rb") as raw:
        packed = raw.read(2) == GZIP_MAGIC
        raw.seek(0)
        if not packed:
            yield raw
            return
        with gzip.GzipFile(fileobj=raw) as stream:
            yield cast(IO[bytes], stream)


def text_lines(file: File) -> Iterator[str]:
    """The lines of a UTF-8 file, each with a newline; a byte order mark is left out."""
    with in_file(file.name), unpacked(file) as raw, io.TextIOWrapper(raw, "utf-8-sig") as text:
        number, rest = 0, ""
        while block := text.read(BLOCK):
            if "\0" in block:
                number += (rest + block).partition("\0")[0].count("\n") + 1
                raise DataError(f"line {number} holds a NUL byte; this is not a text file")
            *lines, rest = (rest + block).split("\n")
            number += len(lines)
            if len(rest) > LONGEST_LINE:
                raise DataError(f"line {number + 1} has more than {LONGEST_LINE} characters; this is not a table")
            yield from [line + "\n" for line in lines]
        if rest:
            yield rest


def _in_words_of_settings(message: str) -> str:
    for code, words in IN_WORDS_OF_SETTINGS.items():
        message = message.replace(code, words)
    return message
