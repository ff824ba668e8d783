"""Random changes to valid files: of bytes, of words and lines, and of what is inside archives, packed again."""

import gzip
import io
import re
import zipfile
import zlib
from collections.abc import Callable, Sequence

import numpy as np

Rng = np.random.Generator
WORDS = (
    b"", b" ", b"nan", b"NaN", b"inf", b"-inf", b"-1", b"0", b"-0", b"1e308", b"1e-320", b"1e999", b"1_000", b"0x10",
    b"9" * 30, b"9" * 5000, b"1.5", b"true", b"None", b"null", b"NA", b"2001-02-30", b"2001-13", b"0000-00-00",
    b"2001-01-01T25:00", b"=1+1", b"\"", b"\"\"", b"'", b",", b";", b"\t", b"\r", b"\n", b"\0", b"\x1a", b">", b"|",
    b"#",
    b"\xff\xfe", b"\xef\xbb\xbf", "\u202e".encode(), "é".encode(), "\U0001f600".encode(), b"a" * 3000, b"[", b"]", b"{",
    b"}", b"[[", b"=", b"()", b"%s", b"../../x", b"<script>", b"1e5", b"-1e5", b"\x1b[31m",
)  # fmt: skip
TOKEN = re.compile(rb"[^\s,;=\[\]{}|>\"]+")


def mutated(content: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """A file changed in one or a few ways; ``others`` are valid files to take pieces from."""
    unpack = _archive_of(content)
    if unpack is not None and rng.random() < 0.7:
        return unpack(content, others, rng)
    for _ in range(rng.geometric(0.6)):
        change = CHANGES[rng.integers(len(CHANGES))]
        content = change(content, others, rng)
    return content


# Changes of bytes


def _place(content: bytes, rng: Rng) -> int:
    return int(rng.integers(len(content) + 1))


def _piece(content: bytes, rng: Rng) -> bytes:
    at = _place(content, rng)
    return content[at : at + int(rng.integers(1, 65))]


def flip(content: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """One bit."""
    if not content:
        return content
    changed = bytearray(content)
    changed[rng.integers(len(changed))] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def set_number(content: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """One, two, four or eight bytes that stand for a number at a limit."""
    n = int(2 ** rng.integers(4))
    value = [0, 1, 127, 128, 255, 2 ** (8 * n - 1) - 1, 2 ** (8 * n - 1), 2 ** (8 * n) - 1][rng.integers(8)]
    order = "little" if rng.random() < 0.7 else "big"
    at = _place(content, rng)
    return content[:at] + (value % 2 ** (8 * n)).to_bytes(n, order) + content[at + n :]


def remove(content: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """A piece is missing."""
    at = _place(content, rng)
    return content[:at] + content[at + int(rng.integers(1, 65)) :]


def repeat(content: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """A piece comes again, somewhere."""
    at = _place(content, rng)
    return content[:at] + _piece(content, rng) * int(rng.integers(1, 4)) + content[at:]


def splice(content: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """A piece of another file."""
    at = _place(content, rng)
    return content[:at] + _piece(others[rng.integers(len(others))], rng) + content[at:]


def cut(content: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """The end is missing."""
    return content[: _place(content, rng)]


# Changes of words and lines


def replace_word(content: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """A word or number becomes another one, which readers may not expect."""
    found = list(TOKEN.finditer(content))
    if not found:
        return content
    token = found[rng.integers(len(found))]
    return content[: token.start()] + WORDS[rng.integers(len(WORDS))] + content[token.end() :]


def insert_word(content: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """One more word, anywhere."""
    at = _place(content, rng)
    return content[:at] + WORDS[rng.integers(len(WORDS))] + content[at:]


def change_lines(content: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """A line is missing, comes twice, or changes places with another."""
    lines = content.split(b"\n")
    i, j = rng.integers(len(lines), size=2)
    how = rng.integers(3)
    if how == 0:
        del lines[i]
    elif how == 1:
        lines.insert(j, lines[i])
    else:
        lines[i], lines[j] = lines[j], lines[i]
    return b"\n".join(lines)


def change_separators(content: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """Other separators or ends of lines."""
    pairs = ((b",", b";"), (b",", b"\t"), (b"\n", b"\r\n"), (b"\n", b"\r"), (b"\t", b","), (b".", b","))
    return content.replace(*pairs[rng.integers(len(pairs))])


CHANGES: tuple[Callable[[bytes, Sequence[bytes], Rng], bytes], ...] = (
    flip,
    set_number,
    remove,
    repeat,
    splice,
    cut,
    replace_word,
    replace_word,
    insert_word,
    change_lines,
    change_separators,
)


# Archives


def _archive_of(content: bytes) -> Callable[[bytes, Sequence[bytes], Rng], bytes] | None:
    return _in_gzip if content[:2] == b"\x1f\x8b" else _in_zip if content[:2] == b"PK" else None


def _in_gzip(content: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    inside = [gzip.decompress(one) for one in (content, *others) if one[:2] == b"\x1f\x8b"]
    return gzip.compress(mutated(inside[0], inside, rng), 1, mtime=0)


def _in_zip(content: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """One entry is changed, left out, renamed or there twice; checksums are right again."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = [(name, archive.read(name)) for name in archive.namelist()]
    i = int(rng.integers(len(entries)))
    name, inside = entries[i]
    how = rng.random()
    if how < 0.7:
        entries[i] = (name, mutated(inside, [inside for _, inside in entries], rng))
    elif how < 0.8:
        del entries[i]
    elif how < 0.9:
        entries[i] = (entries[int(rng.integers(len(entries)))][0], inside)
    else:
        entries.append((f"{name[:-4]}{rng.integers(3)}.npy", inside))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED if rng.random() < 0.5 else zipfile.ZIP_STORED) as archive:
        for name, inside in entries:
            archive.writestr(zipfile.ZipInfo(name), inside)
    return buffer.getvalue()


def bomb(head: bytes, row: bytes, n: int = 300 << 20) -> bytes:
    """A small gz archive that unpacks to very much."""
    packer = zlib.compressobj(9, wbits=31)
    piece = row * ((1 << 20) // len(row))
    return b"".join(map(packer.compress, [head, *[piece] * (n >> 20)])) + packer.flush()
