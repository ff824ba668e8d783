"""The draws of one chain in a file that only grows: compressed segments, each with its range of draws and a checksum.

A segment is one line (chain, first draw and the one after the last, length, what it follows, sha256 of all that and the
rest) followed by an npz archive. Which segments count is not written here but in the checkpoint, as a :class:`Mark`;
whatever comes after it is left over from a run that was killed, and is overwritten. Labels are stored as their
differences from the draw before, since few objects move.
"""

import hashlib
import io
import math
import os
import re
import zipfile
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tetiwd.draws import Draws
from tetiwd.errors import CheckpointError, plural
from tetiwd.memory import in_gib, require_memory
from tetiwd.writing import open_no_link

LINE = "tetiwd-draws chain={chain} draws={first}-{end} bytes={length} after={after}"
PATTERN = re.compile(
    rb"tetiwd-draws chain=(\d+) draws=(\d+)-(\d+) bytes=(\d+) after=([0-9a-f]{16}) sha256=([0-9a-f]{64})\n"
)
LONGEST_LINE = 300
NONE_BEFORE = "0" * 64


@dataclass(frozen=True)
class Mark:
    """How much of a file counts: draws, bytes, and the checksum of the last segment."""

    n_draws: int = 0
    n_bytes: int = 0
    sha256: str = NONE_BEFORE


class DamagedDraws(Exception):
    """The segments up to a mark are not all there, or not as they were written."""


class Packed:
    """An npz archive that is looked at before it is unpacked: names of arrays, their shapes and types."""

    def __init__(self, payload: bytes, file: str) -> None:
        self.file = file
        self._archive = zipfile.ZipFile(io.BytesIO(payload))
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.dtypes: dict[str, np.dtype[Any]] = {}
        for member in self._archive.namelist():
            name = member.removesuffix(".npy")
            if name == member or name in self.shapes:
                raise ValueError(f"{member} is no array, or there twice")
            with self._archive.open(member) as stream:
                if np.lib.format.read_magic(stream) != (1, 0):
                    raise ValueError(f"{name} is written in another way")
                self.shapes[name], _, self.dtypes[name] = np.lib.format.read_array_header_1_0(stream)
            if any(n < 0 for n in self.shapes[name]):
                raise ValueError(f"{name} has the shape {self.shapes[name]}")

    def n_bytes(self, names: Collection[str]) -> int:
        """What arrays take in memory."""
        return sum(math.prod(self.shapes[name]) * self.dtypes[name].itemsize for name in names)

    def arrays(self, names: Collection[str]) -> dict[str, NDArray[Any]]:
        """Arrays by name, if memory can hold them."""
        remedy = "use a machine with more memory, or start a new run"
        require_memory(self.n_bytes(names), f"unpacking {plural(len(names), 'array')} of {self.file}", remedy)
        found = {}
        for name in names:
            with self._archive.open(f"{name}.npy") as stream:
                found[name] = np.lib.format.read_array(stream, allow_pickle=False)
        return found


def append_draws(path: Path, chain: int, draws: Draws, mark: Mark) -> Mark:
    """Write the draws after a mark as one more segment, synced; returns the new mark."""
    if len(draws) == mark.n_draws:
        return mark
    part = draws.between(mark.n_draws).to_arrays()
    before = draws.between(mark.n_draws - 1, mark.n_draws).labels[0] if mark.n_draws else None
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **part | {"labels": _differences(part["labels"], before)})
    payload = buffer.getvalue()
    fields = LINE.format(
        chain=chain, first=mark.n_draws, end=len(draws), length=len(payload), after=mark.sha256[:16]
    ).encode()
    digest = _digest(fields, payload)
    segment = fields + f" sha256={digest}\n".encode() + payload
    with open_no_link(path, "r+b" if path.exists() else "w+b") as file:
        try:
            file.truncate(mark.n_bytes)
            file.seek(mark.n_bytes)
            file.write(segment)
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            with suppress(OSError):
                file.truncate(mark.n_bytes)  # half a segment only takes room
            raise
    return Mark(len(draws), mark.n_bytes + len(segment), digest)


def read_draws(path: Path, chain: int, blank: Draws, mark: Mark) -> Draws:
    """All draws up to a mark, of the form of ``blank``."""
    draws = blank.between(0, 0)
    if mark.n_draws == 0:
        return draws
    if not path.exists():
        raise DamagedDraws(f"{path.name} is missing")
    at, before, known = Mark(), None, draws.to_arrays()
    with open(path, "rb") as file:
        while at.n_draws < mark.n_draws:
            at, payload = _next_segment(file, path.name, chain, at, mark.n_bytes)
            arrays = _unpacked(payload, path.name, known)
            labels = arrays["labels"] = _sums(arrays["labels"], before)
            draws.extend(arrays)
            before = labels[-1]
    if at != mark:
        raise DamagedDraws(f"{path.name} does not end where the checkpoint says")
    return draws


def _next_segment(file: BinaryIO, name: str, chain: int, at: Mark, limit: int) -> tuple[Mark, bytes]:
    """The segment at a mark, checked, which ends before so many bytes: the mark after it, and its archive."""
    line = file.readline(LONGEST_LINE)
    found = PATTERN.fullmatch(line)
    if found is None:
        raise DamagedDraws(f"{name} has no segment that begins with draw {at.n_draws + 1}")
    whose, first, end, length = map(int, found.groups()[:4])
    after, digest = found[5].decode(), found[6].decode()
    ends = at.n_bytes + len(line) + length
    payload = file.read(length) if ends <= limit else b""
    if _digest(line.rpartition(b" ")[0], payload) != digest:
        raise DamagedDraws(f"{name}: the segment that begins with draw {at.n_draws + 1} is not whole")
    if whose != chain:
        raise CheckpointError(
            f"the draws in {name} belong to another chain (number was {whose}, now {chain})",
            "put back the file that belongs here, or start in an empty folder",
        )
    if (first, after) != (at.n_draws, at.sha256[:16]):
        raise DamagedDraws(f"{name}: draw {at.n_draws + 1} should follow, and draw {first + 1} does")
    return Mark(end, ends, digest), payload


def _unpacked(payload: bytes, name: str, known: Collection[str]) -> dict[str, NDArray[Any]]:
    """The arrays of a segment, which have known names."""
    try:
        packed = Packed(payload, name)
        strange = [array for array in packed.shapes if array not in known]
        if strange:
            size = in_gib(packed.n_bytes(strange[:1]))
            raise DamagedDraws(f"{name} has an array {strange[0]!r} of {size}, which no draws have")
        return packed.arrays(packed.shapes)
    except (DamagedDraws, MemoryError):
        raise
    except Exception as error:  # somebody has written it who knows how to sign it
        raise DamagedDraws(f"{name} has a segment that cannot be unpacked") from error


def _digest(fields: bytes, payload: bytes) -> str:
    digest = hashlib.sha256(fields)
    digest.update(payload)
    return digest.hexdigest()


def _differences(labels: NDArray[Any], before: NDArray[Any] | None) -> NDArray[Any]:
    """Bits of every label that differ from the draw before; the first draw of all is kept as it is."""
    earlier = np.zeros_like(labels[0]) if before is None else before
    return labels ^ np.vstack([earlier, labels[:-1]])


def _sums(differences: NDArray[Any], before: NDArray[Any] | None) -> NDArray[Any]:
    """The inverse of :func:`_differences`."""
    labels = np.bitwise_xor.accumulate(differences, axis=0)
    return labels if before is None else labels ^ before
