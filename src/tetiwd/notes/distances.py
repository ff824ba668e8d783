"""Distances between objects in windows, from the clusters of sentences they have."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tetiwd.data.memory import SMALLER_DATA, require_memory
from tetiwd.data.series import LARGEST_CROSS, DistanceSeries
from tetiwd.notes.incidence import Incidence
from tetiwd.notes.neighbours import Lists
from tetiwd.notes.ranks import rows_of_ranks, squared_distances


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
