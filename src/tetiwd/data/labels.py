"""Ids and time labels: which object is which, and which epoch is when."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.checks import Place, check_ids, check_time_column, check_times
from tetiwd.errors import DataError


class EpochLabels:
    """Ids and times while they are being checked."""

    def __init__(self, ids: list[Any], times: tuple[Any, ...], shown: list[str]) -> None:
        self.ids, self.times, self.shown = ids, times, shown

    def checked(self, sizes: list[int]) -> tuple[NDArray[Any], ...] | None:
        """Ids once the sizes of the epochs are known."""
        if self.ids[0] is None:
            return None
        return tuple(
            check_ids(own, n, Place(f"epoch {t}{label}"))
            for t, (own, n, label) in enumerate(zip(self.ids, sizes, self.shown, strict=True))
        )


def epoch_labels(matrices: Any, ids: Any, times: Any) -> EpochLabels:
    """Check that ids and times fit the number of epochs."""
    if isinstance(matrices, np.ndarray) and matrices.ndim == 2:
        raise DataError("expected one matrix per epoch but got a single matrix; wrap it in a list: [D]")
    n_epochs = len(matrices)
    if n_epochs == 0:
        raise DataError("there are no epochs; give at least one matrix")
    if ids is not None and len(ids) != n_epochs:
        raise DataError(f"there are {n_epochs} epochs but {len(ids)} lists of ids; give one list per epoch")
    labels = tuple(range(n_epochs)) if times is None else check_times(times, n_epochs)
    shown = ["" if times is None else f" ({label})" for label in labels]
    own_ids: list[Any] = [None] * n_epochs if ids is None else [list(own) for own in ids]
    return EpochLabels(own_ids, labels, shown)


def rows_by_time(time: Any, n: int, what: str) -> tuple[list[Any], list[NDArray[np.intp]]]:
    """The distinct times in order, and the rows of each."""
    column = check_time_column(time, n, what)
    times = np.unique(column)
    return list(times), [np.flatnonzero(column == value) for value in times]


def ids_by_epoch(ids: Sequence[Any], rows: list[NDArray[np.intp]], n: int) -> list[list[Any]]:
    """Ids of all rows, split by epoch."""
    values = list(ids)
    if len(values) != n:
        raise DataError(f"there are {n} rows but {len(values)} ids; give one id per row")
    return [[values[row] for row in members] for members in rows]
