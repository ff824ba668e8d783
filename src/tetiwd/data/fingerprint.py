"""A hash that tells whether draws and checkpoints belong to a series."""

import hashlib

import numpy as np

from tetiwd.data.series import DistanceSeries


def fingerprint(series: DistanceSeries) -> str:
    """Hash of the data of a series: kind, sizes, numbers."""
    digest = hashlib.sha256(series.kind.encode())
    for matrix in series.matrices:
        digest.update(f"{matrix.shape}{matrix.dtype}".encode())
        digest.update(np.ascontiguousarray(matrix).data)
    return digest.hexdigest()
