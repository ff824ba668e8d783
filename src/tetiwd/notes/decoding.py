"""Lines of text decoded one by one: UTF-8 if valid, otherwise Windows-1252."""

import codecs
from collections.abc import Iterator
from typing import IO

from tetiwd.errors import DataError, Where
from tetiwd.io.files import LONGEST_LINE, File, in_file, unpacked

BLOCK = 1 << 20  # bytes
WIDE = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
MANY_NULS = 0.2  # share of NUL bytes in the first block above which this is not text in a one-byte encoding


class Lines:
    """The lines of a file, each with a newline, and how many of them had to be repaired (known at the end).

    Bytes that are invalid even in Windows-1252 become replacement characters; NUL bytes are dropped.
    """

    def __init__(self, file: File) -> None:
        self.file = file
        self.n_mended = 0

    def __iter__(self) -> Iterator[str]:
        self.n_mended = 0
        with in_file(self.file.name), unpacked(self.file) as raw:
            first = raw.read(BLOCK)
            wide = WIDE.get(first[:2])
            if wide is not None:
                yield from self._wide(first[2:] + raw.read(), wide)
                return
            if first.count(b"\0") > MANY_NULS * len(first):
                raise DataError("is not a text file, or UTF-16 without a mark", "save it as UTF-8")
            for line in _byte_lines(first.removeprefix(codecs.BOM_UTF8), raw):
                yield self._decoded(line)

    def _wide(self, whole: bytes, encoding: str) -> Iterator[str]:
        text = whole.decode(encoding, errors="replace")
        for line in text.rstrip("\n").split("\n"):
            self.n_mended += "\ufffd" in line
            yield line.replace("\0", "") + "\n"

    def _decoded(self, line: bytes) -> str:
        tidy = line.replace(b"\0", b"") if b"\0" in line else line
        try:
            text = tidy.decode("utf-8")
        except UnicodeDecodeError:
            self.n_mended += 1
            return tidy.decode("cp1252", errors="replace")
        self.n_mended += tidy is not line
        return text


def _byte_lines(first: bytes, raw: IO[bytes]) -> Iterator[bytes]:
    """Lines, separated by newlines or, in files without any, by carriage returns."""
    end = b"\n" if b"\n" in first or b"\r" not in first else b"\r"
    rest, block, number = b"", first, 0
    while block:
        *lines, rest = (rest + block).split(end)
        number += len(lines)
        if len(rest) > LONGEST_LINE:
            fault = f"has more than {LONGEST_LINE} characters"
            raise DataError(fault, "this is not a table", where=Where(line=number + 1))
        yield from (line + b"\n" for line in lines)
        block = raw.read(BLOCK)
    if rest:
        yield rest
