"""Data of an epoch that are in a file: where they are, and how to look at them without reading all of them."""

import mmap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.feature_distances import FeatureDistances
from tetiwd.errors import DataError, Where


@dataclass(frozen=True)
class ArrayFile:
    """An array in a file, in one piece and row after row."""

    path: str
    offset: int
    shape: tuple[int, ...]
    dtype: str

    def open(self) -> NDArray[Any]:
        """The array; what is looked at is read from the file."""
        try:
            return np.memmap(self.path, dtype=self.dtype, mode="r", offset=self.offset, shape=self.shape)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            remedy = "keep the data where all workers can read them, under the same path"
            raise DataError(f"cannot be opened ({reason})", remedy, where=Where(file=self.path)) from error


@dataclass(frozen=True)
class EpochFile:
    """The data of one epoch: a matrix, or features if there is a factor (see ``FeatureDistances``)."""

    array: ArrayFile
    factor: float | None = None

    def open(self) -> Any:
        """The matrix, or what stands for it."""
        array = self.array.open()
        return array.view(np.ndarray) if self.factor is None else FeatureDistances(array, self.factor)


def file_of_epoch(data: Any, t: int) -> EpochFile:
    """Where the data of epoch t are, which must be looked at through a memory map."""
    has_features = isinstance(data, FeatureDistances)
    if has_features and data.is_sparse:
        raise DataError(f"the features of epoch {t} are sparse", "epochs can be on other machines as dense arrays only")
    found = file_of(data.rows if has_features else data)
    if found is None:
        raise DataError(
            f"the data of epoch {t} are in memory, where other machines cannot read them",
            'write them with np.save, and give np.load(file, mmap_mode="r") or open_series(files)',
        )
    return EpochFile(found, float(data.factor) if has_features else None)


def file_of(array: NDArray[Any]) -> ArrayFile | None:
    """Where an array is, if it looks at a file in one piece; None if it is in memory."""
    root: Any = array
    while isinstance(root, np.ndarray) and not isinstance(root.base, mmap.mmap):
        root = root.base
    if not isinstance(root, np.memmap) or root.filename is None or not array.flags.c_contiguous:
        return None
    offset = int(root.offset) + address_of(array) - address_of(root)
    return ArrayFile(str(Path(root.filename).resolve()), offset, array.shape, array.dtype.str)


def address_of(array: NDArray[Any]) -> int:
    """Where the first number of an array is in memory."""
    return int(array.__array_interface__["data"][0])
