"""Objects in windows: which clusters of sentences occur in their notes, and the distances between them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.series import LARGEST_CROSS, DistanceSeries
from tetiwd.errors import DataError
from tetiwd.memory import SMALLER_DATA, require_memory
from tetiwd.notes.neighbours import Lists
from tetiwd.notes.ranks import rows_of_ranks, squared_distances

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Ints = NDArray[np.int64]


class Incidence(NamedTuple):
    """Rows are objects in windows, window after window, objects in order within each."""

    whose: Ints  # (rows,) position of the object
    window: Ints  # (rows,) position among the times that are left
    times: tuple[Any, ...]  # labels of the windows that are left
    matrix: "csr_matrix"  # (rows, clusters) of 1, int32
    row_of: Ints  # (sentences,) −1 for a sentence without words, or in a window that was left out
    small_windows: tuple[tuple[Any, int], ...]  # left out, with their numbers of objects
    n_without_sentences: int  # objects in a window that have notes there but no sentence to be compared


def incidence_of(
    cluster: Ints, whose: Ints, window: Ints, labels: Sequence[Any], noted: Ints, min_objects: int
) -> Incidence:
    """From the cluster (−1 for none), object and window of every sentence.

    ``noted`` has object and window of all notes as two columns, so that those without sentences can be counted.
    """
    from scipy.sparse import csr_matrix

    n_objects = int(noted[:, 0].max()) + 1
    key = window * n_objects + whose  # one number for an object in a window
    usable = cluster >= 0
    present = np.unique(key[usable])
    n_without = len(np.setdiff1d(noted[:, 1] * n_objects + noted[:, 0], present))
    n_there = np.bincount(present // n_objects, minlength=len(labels))
    kept = n_there >= min_objects
    small = tuple((labels[t], int(n_there[t])) for t in np.flatnonzero((n_there > 0) & ~kept).tolist())
    if not kept.any():
        fault = f"no window has {min_objects} objects, the fullest has {int(n_there.max(initial=0))}"
        raise DataError(fault, "use longer windows, or notes of more objects")
    rows = present[kept[present // n_objects]]
    place = np.searchsorted(rows, key)
    row_of = np.where(usable & (rows[np.minimum(place, len(rows) - 1)] == key), place, -1)
    there = row_of >= 0
    shape = (len(rows), int(cluster.max()) + 1)
    matrix = csr_matrix((np.ones(int(there.sum()), np.int32), (row_of[there], cluster[there])), shape)
    matrix.data[:] = 1  # several sentences of a cluster count once
    matrix.sort_indices()
    new_number = np.cumsum(kept) - 1
    times = tuple(labels[t] for t in np.flatnonzero(kept).tolist())
    return Incidence(rows % n_objects, new_number[rows // n_objects], times, matrix, row_of, small, n_without)


def series_of(
    rows: Incidence, lists: Lists, objects: Sequence[Any], comparison: str, persistence: float
) -> DistanceSeries:
    """D_t of every window, and D* across windows unless there are too many objects.

    Neighbours are those among all objects in all windows, so that one W gives all distances and D_t is a block of D*.
    """
    W = rows_of_ranks(lists, comparison, persistence)
    n_by_window = np.bincount(rows.window, minlength=len(rows.times))
    ids = [objects[position] for position in rows.whose]
    if len(ids) <= LARGEST_CROSS:
        require_memory(3 * 8 * len(ids) ** 2, "the distances between all objects", SMALLER_DATA)
        labels = [rows.times[t] for t in rows.window]
        return DistanceSeries.from_pooled(squared_distances(W), time=labels, squared=True, ids=ids)
    require_memory(2 * 8 * int((n_by_window**2).sum()), "the distances between objects", SMALLER_DATA)
    ends = np.cumsum(n_by_window)
    blocks = [slice(end - n, end) for n, end in zip(n_by_window.tolist(), ends.tolist(), strict=True)]
    return DistanceSeries.from_distances(
        [squared_distances(W[block]) for block in blocks],
        squared=True,
        ids=[ids[block] for block in blocks],
        times=rows.times,
    )
