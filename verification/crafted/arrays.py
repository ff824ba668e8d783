"""npy and npz files: headers that do not tell the truth, types without size, and archives of something else."""

import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from verification import readable
from verification.crafted import reading
from verification.crafted.chance import NUMBERS, WHOLE, WORDS, Crafted, Rng, a_few, one_of, some_of

N = 12
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
NAMES = (
    *("X", "D", "D_1", "D_2", "ids", "ids_1", "time", "format", "data", "indices", "indptr", "shape", "codes"),
    *("letters", "", "a/b", "../x", "X.npy", "\u202e"),
)
DESCRIPTIONS: tuple[Any, ...] = (
    "<f8", "<f4", ">f8", "<f2", "<i8", "|i1", "<u8", "|b1", "<c16", "<U0", "|S0", "|V0", "<U1", "<U3", "|S3",
    "<U99999999", "<U999999999", "|S2147483647", "|V8", "|O", "<M8[D]", "<M8[ns]", "<M8", "<m8[s]", "<M8[1000000000Y]",
    "<f16", "junk", "", "(2,3)<f8", "(0,)<f8", "(1000000000,)|i1", "f8,f8", None, 5, [],
    [("a", "<f8"), ("b", "<U0")], [("a", "|O")],
    [("", "|V0")], [("a", "<f8", (3,))], [("a", [("b", "|O")])], ("<f8", {"a": 1}), [("a", "<f8"), ("a", "<f8")],
)  # fmt: skip


def write(rng: Rng) -> Crafted:
    """An array or an archive of some kind, changed in one or a few ways."""
    kind, read, known, valid = one_of(KINDS, rng)
    arrays = [(name, _npy(array)) for name, array in valid().items()]
    for _ in range(a_few(rng) if rng.random() < 0.85 else 0):
        one_of(CHANGES, rng)(arrays, rng)
    if kind.endswith(".npy"):
        Path(kind).write_bytes(arrays[0][1] if arrays else b"")
    else:
        if "/" in kind:
            readable.copied("run.toml")()
            Path(kind).parent.mkdir()
        Path(kind).write_bytes(_packed(arrays, rng))
    return read, known


def features() -> dict[str, Any]:
    """Features with ids and times."""
    return {"X": np.arange(N * 3.0).reshape(N, 3) % 7, "time": np.arange(N) % 2, "ids": np.array(list("abcdefghijkl"))}


def distances() -> dict[str, Any]:
    """Distances at every time, with ids."""
    D = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
    return {"D_1": D, "D_2": D, "ids_1": np.array(list("abcdef")), "ids_2": np.array(list("abcdef"))}


def pooled() -> dict[str, Any]:
    """Distances of all objects."""
    D = np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0)))
    return {"D": D, "time": np.repeat([2001, 2002], 6), "ids": np.array([f"p{i}" for i in range(12)])}


def letters() -> dict[str, Any]:
    """Sequences that are kept with a run."""
    from tetiwd.io.sequences import NUCLEOTIDES

    return {"codes": np.zeros((N, 5), np.uint8), "letters": np.array([same[0] for same in NUCLEOTIDES])}


KINDS: tuple[tuple[str, Callable[[Any], Any], list[str], Callable[[], dict[str, Any]]], ...] = (
    ("x.npz", reading.data, ["x.npz", "format='features'"], features),
    ("x.npz", reading.data, ["x.npz"], features),
    ("x.npz", reading.new_rows, ["x.npz"], features),
    ("x.npz", reading.data, ["x.npz", "squared=true"], distances),
    ("x.npz", reading.data, ["x.npz", "squared=true"], pooled),
    ("x.npy", reading.data, ["x.npy", "squared=true"], pooled),
    ("x.npy", reading.new_rows, ["x.npy"], features),
    ("run/sequences/letters.npz", reading.sequences_of_run, [], letters),
)

Members = list[tuple[str, bytes]]


def _npy(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def headed(description: Any, shape: Any, order: Any, body: bytes, rng: Rng) -> bytes:
    """An array with a header that says so."""
    header = repr({"descr": description, "fortran_order": order, "shape": shape}).encode()
    header = one_of((header,) * 8 + (b"{" * 3000, header[:-1], b"(" * 90 + b")" * 90, header + b" " * 20_000), rng)
    version = one_of(((1, 0),) * 6 + ((2, 0), (3, 0), (0, 0), (255, 255)), rng)
    length = one_of((len(header),) * 8 + (0, 65_535, 2**32 - 1), rng)
    size = struct.pack("<H", min(length, 65_535)) if version == (1, 0) else struct.pack("<I", length)
    return b"\x93NUMPY" + bytes(version) + size + header + body


# Changes of what is in an archive


def lie(arrays: Members, rng: Rng) -> None:
    """A header of another type and shape, before values or nothing."""
    i = int(rng.integers(len(arrays)))
    name, content = arrays[i]
    axes: tuple[Any, ...] = (
        0,
        1,
        2,
        5,
        6,
        11,
        N,
        N + 1,
        10**6,
        10**9,
        2**40,
        2**62,
        2**63 - 1,
        2**64,
        -1,
        1.5,
        True,
        "1",
    )
    shapes: tuple[Any, ...] = ((N,), (N,), (N, 3), (6, 6), (6,), (), tuple(some_of(axes, int(rng.integers(1, 5)), rng)))
    shape = one_of((*shapes, (one_of(axes, rng),), (1,) * 70, None, [N], N), rng)
    body = one_of((content[128:], b"", bytes(800), rng.bytes(100)), rng)
    arrays[i] = (name, headed(one_of(DESCRIPTIONS, rng), shape, one_of((False, False, True, 1, "x"), rng), body, rng))


def replace(arrays: Members, rng: Rng) -> None:
    """An array of odd values."""
    i = int(rng.integers(len(arrays)))
    n = one_of((0, 1, 5, 6, N, N), rng)
    values: tuple[Any, ...] = (
        np.array(some_of(WORDS[:30], n, rng), dtype=str), np.array(some_of(WHOLE, n, rng), dtype=np.int64),
        np.array(some_of(NUMBERS, n, rng), dtype=float), np.array(["NaT"] * n, "M8[s]"), np.zeros((N, N, 2)),
        np.array(some_of(WHOLE, n, rng), dtype=np.int64).astype("M8[D]"), np.array([{}] * n, dtype=object),
        np.array(some_of(WHOLE, n, rng), dtype=np.int64).astype("m8[s]"), np.float64(3), np.zeros((0, 3)),
        np.zeros(n, [("a", "f8"), ("b", "U3")]), np.ma.zeros(n), np.full((N, N), one_of(NUMBERS, rng)),
    )  # fmt: skip
    arrays[i] = (arrays[i][0], _npy(one_of(values, rng)))


def rename(arrays: Members, rng: Rng) -> None:
    """Another name, perhaps one that there is."""
    i = int(rng.integers(len(arrays)))
    arrays[i] = (one_of(NAMES, rng), arrays[i][1])


def repeat(arrays: Members, rng: Rng) -> None:
    """An array is there again, under the same name or another, or a thousand times."""
    name, content = one_of(arrays, rng)
    n = 1 if len(content) > 10_000 else one_of((1, 1, 1, 1000), rng)
    arrays += [(one_of((name, one_of(NAMES, rng)), rng), content)] * n


def remove(arrays: Members, rng: Rng) -> None:
    """An array is missing."""
    if len(arrays) > 1:
        del arrays[int(rng.integers(len(arrays)))]


def swell(arrays: Members, rng: Rng) -> None:
    """Zeros without end, which an archive packs well."""
    i, n = int(rng.integers(len(arrays))), one_of((10**5, 10**6, 2 * 10**7), rng)
    kind = one_of(("<f8", "|i1", "<U1", "<U0", "<U1000"), rng)
    body = bytes(min(n * np.dtype(kind).itemsize, 1 << 25))
    arrays[i] = (arrays[i][0], headed(kind, one_of(((n,), (n, 1), (1, n)), rng), False, body, rng))


CHANGES = (lie, lie, lie, replace, replace, rename, repeat, remove, swell)


# Archives


def _packed(arrays: Members, rng: Rng) -> bytes:
    """The archive; one of its members may be damaged where it is packed, or described wrongly."""
    buffer = io.BytesIO()
    packing = one_of(PACKINGS, rng)
    with zipfile.ZipFile(buffer, "w", packing, compresslevel=1) as archive:
        for name, content in arrays:
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), content, packing)
        places = [(one.header_offset, one.compress_size) for one in archive.infolist()]
        start = archive.start_dir
    packed = bytearray(buffer.getvalue())
    if rng.random() < 0.4:
        one_of((damage_member, misdescribe), rng)(packed, places, start, rng)
    return bytes(packed)


def damage_member(content: bytearray, places: list[tuple[int, int]], start: int, rng: Rng) -> None:
    """Bytes within what is packed."""
    offset, size = one_of(places, rng)
    for _ in range(a_few(rng)):
        at = offset + 30 + int(rng.integers(min(size, 60) + 10))
        if at < start:
            content[at] = int(rng.integers(256))


def misdescribe(content: bytearray, places: list[tuple[int, int]], start: int, rng: Rng) -> None:
    """A field of the entry of the directory, or of the head of a member: sizes, flags, way of packing, place."""
    fields = {"flags": (8, 2), "packing": (10, 2), "crc": (16, 4), "packed": (20, 4), "size": (24, 4), "place": (42, 4)}
    at, n = fields[one_of(list(fields), rng)]
    value = one_of((0, 1, 8, 12, 14, 99, 1000, 65_535, 2**31, 2**32 - 1), rng) % 256**n
    begin = start if rng.random() < 0.7 else one_of(places, rng)[0] - 2
    if begin + at >= 0:
        content[begin + at : begin + at + n] = value.to_bytes(n, "little")
