"""Things with large arrays as files that other processes map into memory: they share one copy, and read what they use.

The files are pickles with their arrays beside them. They are for processes that trust each other, for as long as these
work together; what is kept is written by ``tetiwd.io``.
"""

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tetiwd.data.series import DistanceSeries

NAME = "contents.pickle"


def for_workers(series: DistanceSeries) -> DistanceSeries:
    """All that a chain needs of a series: neither ids nor features, which may come with functions."""
    return replace(series, ids=None, features=None, approximation=None)


def save_mapped(folder: Path, contents: Any) -> None:
    """Write an object and its arrays into a folder."""
    arrays: list[pickle.PickleBuffer] = []
    plain = pickle.dumps(contents, protocol=5, buffer_callback=arrays.append)
    for number, array in enumerate(arrays):
        (folder / f"array-{number}").write_bytes(array.raw())
    (folder / NAME).write_bytes(plain)


def open_mapped(folder: Path) -> Any:
    """The object, with read-only arrays that are read from their files when they are needed."""
    files = sorted(folder.glob("array-*"), key=lambda file: int(file.name.removeprefix("array-")))
    arrays = [np.memmap(file, mode="r") if file.stat().st_size else b"" for file in files]
    return pickle.loads((folder / NAME).read_bytes(), buffers=arrays)
