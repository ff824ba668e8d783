"""Ways to damage a file, each by a random generator."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np


def flip_a_bit(file: Path, rng: np.random.Generator) -> None:
    """One bit, anywhere."""
    content = bytearray(file.read_bytes())
    if content:
        content[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
    file.write_bytes(content)


def flip_some_bytes(file: Path, rng: np.random.Generator) -> None:
    """Up to twenty bytes, anywhere."""
    content = bytearray(file.read_bytes())
    for _ in range(rng.integers(1, 21)):
        if content:
            content[rng.integers(len(content))] = rng.integers(256)
    file.write_bytes(content)


def zero_a_block(file: Path, rng: np.random.Generator) -> None:
    """A block of up to 4 KiB, as a file system leaves it after a power cut."""
    content = bytearray(file.read_bytes())
    at, n = int(rng.integers(max(1, len(content)))), int(rng.integers(1, 4097))
    content[at : at + n] = bytes(len(content[at : at + n]))
    file.write_bytes(content)


def cut_off(file: Path, rng: np.random.Generator) -> None:
    """The end is missing, a few bytes or nearly everything."""
    size = file.stat().st_size
    lost = int(rng.integers(1, 30)) if rng.random() < 0.3 else int(rng.integers(size + 1))
    os.truncate(file, max(0, size - lost))


def append_junk(file: Path, rng: np.random.Generator) -> None:
    """Bytes after the end."""
    with open(file, "ab") as end:
        end.write(rng.bytes(int(rng.integers(1, 200))))


def write_junk(file: Path, rng: np.random.Generator) -> None:
    """Nothing but junk, or nothing at all."""
    file.write_bytes(rng.bytes(int(rng.integers(1000))) if rng.random() < 0.7 else b"")


def remove(file: Path, rng: np.random.Generator) -> None:
    """The file is gone."""
    file.unlink()


def exchange(first: Path, second: Path) -> None:
    """Two files change places."""
    aside = first.with_name(f"{first.name}.aside")
    shutil.move(first, aside)
    shutil.move(second, first)
    shutil.move(aside, second)


ALONE: tuple[Callable[[Path, np.random.Generator], None], ...] = (
    flip_a_bit,
    flip_some_bytes,
    zero_a_block,
    cut_off,
    append_junk,
    write_junk,
    remove,
)
