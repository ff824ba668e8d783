"""A hash that tells whether draws and checkpoints belong to a series."""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.feature_distances import FeatureDistances
from tetiwd.data.series import DistanceSeries

KNOWN = "fingerprint of files"
ROWS_AT_ONCE = 256


def fingerprint(series: DistanceSeries) -> str:
    """Hash of kind, sizes, numbers and what is known of objects; from files that others have read, what they found."""
    if KNOWN in vars(series):
        return str(vars(series)[KNOWN])
    digest = hashlib.sha256(series.kind.encode())
    for matrix in series.matrices:
        for array in parts(matrix):
            digest.update(f"{array.shape}{array.dtype}".encode())
            digest.update(np.ascontiguousarray(array).data)
    if series.ties is not None:
        for array in (series.ties.component, series.ties.apart, series.ties.pulled, series.ties.weights):
            digest.update(f"{array.shape}{array.dtype}".encode())
            digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def fingerprint_of_hashes(kind: str, hashes: Sequence[str]) -> str:
    """Hash of a series from those of its epochs, each found by itself."""
    return hashlib.sha256("\n".join([kind, "by epoch", *hashes]).encode()).hexdigest()


def hash_of_epoch(matrix: Any) -> str:
    """Hash of the data of one epoch."""
    digest = hashlib.sha256()
    for array in parts(matrix):
        digest.update(f"{array.shape}{array.dtype}".encode())
        for start in range(0, len(array), ROWS_AT_ONCE):
            digest.update(np.ascontiguousarray(array[start : start + ROWS_AT_ONCE]).data)
    return digest.hexdigest()


def parts(matrix: Any) -> list[NDArray[Any]]:
    """The arrays that hold a matrix, or the features in its place."""
    if not isinstance(matrix, FeatureDistances):
        return [matrix]
    rows, factor = matrix.rows, np.array([matrix.factor])
    if not matrix.is_sparse:
        return [factor, rows]
    return [factor, rows.data, rows.indices.astype(np.int64), rows.indptr.astype(np.int64)]
