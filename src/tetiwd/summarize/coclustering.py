"""How often two objects are in the same cluster, or in clusters of the same lineage if they are of different epochs."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.memory import SMALLER_DATA, require_memory
from tetiwd.errors import SettingsError
from tetiwd.partitions import Partitions, numbered
from tetiwd.sample import Sample, as_partitions

BYTES_AT_ONCE = 2**26


def coclustering(
    draws: Sample | Partitions, t: int | None, other: int | None = None, *, dtype: Any = "float64"
) -> NDArray[Any]:
    """Posterior probability that two objects belong together.

    Parameters
    ----------
    draws
        A sample, or partitions from elsewhere.
    t
        Epoch (counted from 0) of the rows; None for the objects of all epochs, epoch after epoch.
    other
        Epoch of the columns; None for that of the rows. Objects of different epochs belong together if their clusters
        are linked into one lineage.
    dtype
        "float64", or "float32" for half the memory.

    Returns
    -------
    Array with an entry for every pair of objects.
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


def _shared(rows: NDArray[Any], columns: NDArray[Any], precision: np.dtype[Any]) -> NDArray[Any]:
    """Share of draws with equal labels. Indicators of all clusters of some draws at a time, multiplied as matrices."""
    S, n = rows.shape
    m = columns.shape[1]
    k = int(max(rows.max(), columns.max())) + 1
    total = np.zeros((n, m), dtype=precision)
    step = max(1, BYTES_AT_ONCE // (4 * k * (n + m)))
    for start in range(0, S, step):
        left = _indicators(rows[start : start + step], k)
        total += left.T @ (left if rows is columns else _indicators(columns[start : start + step], k))
    total /= S
    return total


def _indicators(labels: NDArray[Any], k: int) -> NDArray[np.float32]:
    """One row for every draw and cluster, one column for every object."""
    some, n = labels.shape
    flat = np.zeros((some * k, n), dtype=np.float32)
    flat[(np.arange(some)[:, None] * k + labels).ravel(), np.tile(np.arange(n), some)] = 1.0
    return flat
