"""A hash that tells whether draws and checkpoints belong to a series."""

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.feature_distances import FeatureDistances
from tetiwd.data.series import DistanceSeries


def fingerprint(series: DistanceSeries) -> str:
    """Hash of the data of a series: kind, sizes, numbers, and what is known of the objects."""
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


def parts(matrix: Any) -> list[NDArray[Any]]:
    """The arrays that hold a matrix, or the features in its place."""
    if not isinstance(matrix, FeatureDistances):
        return [matrix]
    rows, factor = matrix.rows, np.array([matrix.factor])
    if not matrix.is_sparse:
        return [factor, rows]
    return [factor, rows.data, rows.indices.astype(np.int64), rows.indptr.astype(np.int64)]
