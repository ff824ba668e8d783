"""Lines of text decoded one by one: UTF-8 if valid, otherwise Windows-1252."""

import codecs
import io
from collections.abc import Iterator

from tetiwd.errors import DataError
from tetiwd.io.files import File, in_file, unpacked, whole_lines

BLOCK = 1 << 20  # bytes that show how the file is written
MANY_NULS = 0.2  # share of NUL bytes in the first block above which this is not text in a one-byte encoding


class Lines:
    """The lines of a file, and how many of them had to be repaired (known at the end).

    Bytes that are invalid even in Windows-1252 become replacement characters; NUL bytes are dropped. Lines end with a
    newline or, in files without any, with a carriage return.
    """

    def __init__(self, file: File) -> None:
        self.file = file
        self.n_mended = 0

    def __iter__(self) -> Iterator[str]:
        self.n_mended = 0
        with in_file(self.file.name), unpacked(self.file) as raw:
            first = raw.read(BLOCK)
            raw.seek(0)
            wide = first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
            if not wide and first.count(b"\0") > MANY_NULS * len(first):
                raise DataError("is not a text file, or UTF-16 without a mark", "save it as UTF-8")
            end = "\n" if b"\n" in first or b"\r" not in first else "\r"
            encoding, errors = ("utf-16", "replace") if wide else ("utf-8-sig", "surrogateescape")
            with io.TextIOWrapper(raw, encoding, errors, newline=end) as text:
                for line in whole_lines(text):
                    mended = _mended(line)
                    self.n_mended += mended != line or (wide and "\ufffd" in line)
                    yield mended


def _mended(line: str) -> str:
    """A line without NUL bytes, read as Windows-1252 if some of its bytes are not UTF-8."""
    line = line.replace("\0", "")
    try:
        line.encode()
    except UnicodeEncodeError:  # these bytes were kept as surrogates
        return line.encode(errors="surrogateescape").decode("cp1252", errors="replace")
    return line
