"""How often two objects are in the same cluster, or in clusters of the same lineage if they are of different epochs."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import SettingsError
from tetiwd.kernels.together import count_together
from tetiwd.memory import SMALLER_DATA, require_memory
from tetiwd.partitions import Partitions, numbered
from tetiwd.sample import Sample, as_partitions

DRAWS_AT_ONCE = 32  # their labels stay in the cache


def coclustering(
    draws: Sample | Partitions, t: int | None, other: int | None = None, *, dtype: Any = "float64"
) -> NDArray[Any]:
    """Posterior probability that two objects belong together.

    Parameters
    ----------
    draws : Sample or Partitions
        A sample, or partitions from elsewhere.
    t : int or None
        Epoch (counted from 0) of the rows; None for the objects of all epochs, epoch after epoch.
    other : int, optional
        Epoch of the columns; None for that of the rows. Objects of different epochs belong together if their clusters
        are linked into one lineage.
    dtype : str
        "float64", or "float32" for half the memory.

    Returns
    -------
    ndarray
        Probability for every pair of objects.

    Examples
    --------
    >>> import numpy as np
    >>> from tetiwd import Partitions, coclustering
    >>> draws = Partitions.from_labels(np.array([[0, 0, 1], [0, 1, 1]]))  # two draws of three objects
    >>> coclustering(draws, 0)
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]])
    """
    partitions = as_partitions(draws)
    rows = partitions.labels if t is None else partitions.at(check_epoch(t, partitions.n_epochs))
    same = other is None or other == t
    columns = rows if same else partitions.at(check_epoch(other, partitions.n_epochs))
    precision = next((kind for kind in map(np.dtype, ("float32", "float64")) if dtype in (kind, kind.name)), None)
    if precision is None:
        raise SettingsError(f'dtype must be "float32" or "float64", not {dtype!r}')
    if same:
        rows = columns = numbered(rows)
    n, m = rows.shape[1], columns.shape[1]
    require_memory(n * m * (precision.itemsize + 4), f"the co-clustering of {n} with {m} objects", SMALLER_DATA)
    return _shared(rows, columns, precision)


def check_epoch(t: Any, n_epochs: int) -> int:
    """An epoch by its number, negative ones from the end."""
    if isinstance(t, bool) or not isinstance(t, int | np.integer) or not -n_epochs <= t < n_epochs:
        raise SettingsError(f"epochs are counted from 0 to {n_epochs - 1}; there is no epoch {t!r}")
    return int(t) % n_epochs


def times_together(labels: NDArray[np.int32], weights: NDArray[np.int32]) -> NDArray[np.int32]:
    """Weights (S,) of the draws (S, N) in which two objects are in the same cluster, summed, (N, N)."""
    n = labels.shape[1]
    require_memory(4 * n * n, f"the co-clustering of {n} objects", SMALLER_DATA)
    return _mirrored(_count(labels, labels, weights))


def _shared(rows: NDArray[Any], columns: NDArray[Any], precision: np.dtype[Any]) -> NDArray[Any]:
    """Share of draws with equal labels."""
    total = _count(rows, columns, np.ones(len(rows), dtype=np.int32))
    shared = (_mirrored(total) if rows is columns else total).astype(precision)
    shared /= len(rows)
    return shared


def _count(rows: NDArray[Any], columns: NDArray[Any], weights: NDArray[np.int32]) -> NDArray[np.int32]:
    """Weights of draws with equal labels, summed; only of pairs i ≥ j if both are the same."""
    total = np.zeros((rows.shape[1], columns.shape[1]), dtype=np.int32)
    for start in range(0, len(rows), DRAWS_AT_ONCE):
        some = slice(start, start + DRAWS_AT_ONCE)
        own, theirs = np.ascontiguousarray(rows[some]), np.ascontiguousarray(columns[some])
        count_together(own, theirs, weights[some], rows is columns, total)
    return total


def _mirrored(lower: NDArray[np.int32]) -> NDArray[np.int32]:
    """The same array with its lower triangle in the upper one, too."""
    for i in range(len(lower)):
        lower[i, i + 1 :] = lower[i + 1 :, i]
    return lower
