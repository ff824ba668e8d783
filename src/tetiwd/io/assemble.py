"""From what a reader found to a series: one matrix per epoch, or one matrix over all epochs."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.data.checks import Matrix, Place, row_blocks
from tetiwd.data.prepare import prepare_distances, prepare_similarities
from tetiwd.errors import DataError
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.epochs_from_names import epochs_from_names
from tetiwd.io.files import in_file
from tetiwd.io.windows import EpochOfRows, describe_order

EPOCH_IN_MESSAGE = re.compile(r"(?:^[DK]\[|\bepoch )(\d+)\b")


Item = TypeVar("Item", bound="Named")


@dataclass(frozen=True)
class Found:
    """What a reader returns."""

    series: DistanceSeries
    n_features: int | None = None


@dataclass(frozen=True)
class Epoch:
    """One matrix of a file, before it is checked."""

    name: str  # what its label is made from
    file: str
    matrix: NDArray[Any]
    ids: list[Any] | None


def series_of_epochs(
    epochs: list[Epoch], labels: list[Any], settings: DataSettings, remarks: list[str]
) -> DistanceSeries:
    """One matrix per epoch, in order of time."""
    if settings.cross:
        raise DataError(
            f"{epochs[0].file}: cross = true needs distances between epochs, but there is one matrix per epoch; "
            "give one matrix over all times with the times of its rows, or leave out cross"
        )
    epochs, labels = _large_enough(epochs, labels, settings, remarks)
    _check_all_have_ids(epochs)
    letter = "D" if settings.kind == "distances" else "K"
    prepared = []
    for t, (epoch, label) in enumerate(zip(epochs, labels, strict=True)):
        place = Place(f"{letter}[{t}] ({label})", epoch.ids)
        with in_file(epoch.file):
            prepared.append(_prepared(as_kept(epoch.matrix, settings.dtype), place, settings))
    ids = [epoch.ids or [] for epoch in epochs] if epochs[0].ids is not None else None
    options: dict[str, Any] = {"ids": ids, "times": labels, "min_objects": settings.min_objects}
    with _in_file_of_epoch([epoch.file for epoch in epochs]):
        if settings.kind == "similarities":
            return DistanceSeries.from_similarities(prepared, **options)
        return DistanceSeries.from_distances(prepared, squared=True, **options)


class Named(Protocol):
    """Anything that has a name and comes from a file."""

    @property
    def name(self) -> str:
        """What its label is made from."""

    @property
    def file(self) -> str:
        """The file it comes from."""


def in_order(
    epochs: Sequence[Item], settings: DataSettings, remarks: list[str], source: str
) -> tuple[list[Item], list[Any]]:
    """Epochs and their labels in order of time: labels the user gave, or from names; ``source`` says what has them."""
    if settings.by is not None:
        raise DataError(
            f'{epochs[0].file}: by = "{settings.by}" needs the times of objects, but there is one file or array per '
            "epoch; leave out by, or name the epochs with times"
        )
    if settings.times is not None:
        if len(settings.times) != len(epochs):
            raise DataError(
                f"{', '.join(dict.fromkeys(epoch.file for epoch in epochs))}: {len(epochs)} epochs but times has "
                f"{len(settings.times)} labels; give one per epoch"
            )
        return list(epochs), list(settings.times)
    labels, order = epochs_from_names([epoch.name for epoch in epochs])
    if len(epochs) > 1:
        remarks.append(describe_order(labels, f"from the names of {source}"))
    return [epochs[i] for i in order], labels


def series_of_pooled(
    file: str,
    matrix: NDArray[Any],
    ids: Sequence[Any] | None,
    time: EpochOfRows,
    settings: DataSettings,
    remarks: list[str],
) -> DistanceSeries:
    """One matrix over all epochs."""
    with in_file(file):
        if settings.times is not None:
            raise DataError("times is for one file or array per epoch; here every row has its time: leave out times")
        rows = rows_to_keep(time, settings, remarks)
        if rows is not None:
            matrix, time = matrix[np.ix_(rows, rows)], time.take(rows)
            ids = None if ids is None else [ids[row] for row in rows]
        matrix = as_kept(matrix, settings.dtype)
        if settings.kind == "similarities":
            return _pooled_similarities(matrix, ids, time, settings)
        options: dict[str, Any] = {"time": time, "squared": settings.are_squared(), "ids": ids}
        options |= {"symmetrize": settings.symmetrize, "min_objects": settings.min_objects}
        series = DistanceSeries.from_pooled(matrix, keep_cross=False, **options)  # whose errors name the epoch
        unasked = settings.cross is None
        if not settings.keeps_cross(len(matrix)) or (unasked and series.n_epochs == 1):
            return series
        if unasked and not np.isfinite(matrix).all():
            remarks.append("distances between epochs are not all known and are not used to link clusters")
            return series
        return DistanceSeries.from_pooled(matrix, keep_cross=True, **options)


def rows_to_keep(time: EpochOfRows, settings: DataSettings, remarks: list[str]) -> list[int] | None:
    """Rows of epochs that are large enough; None for all of them."""
    if not settings.drop_small:
        return None
    sizes = dict.fromkeys(time.categories, 0)
    for label in time:
        sizes[label] += 1
    small = {label: n for label, n in sizes.items() if n < settings.min_objects}
    if not small:
        return None
    _remark_on_small(small, len(sizes), settings, remarks)
    return [row for row, label in enumerate(time) if label not in small]


def as_kept(matrix: NDArray[Any], dtype: str) -> NDArray[Any]:
    """The matrix as float32 if that is wished; what is not numbers is left for the checks to come."""
    if dtype == "float64" or matrix.dtype == np.float32 or matrix.dtype.kind not in "biuf":
        return matrix
    with np.errstate(over="ignore"):
        narrow = matrix.astype(np.float32)
    if matrix.ndim == 2 and narrow.size:
        for rows, block in row_blocks(narrow):
            if (np.isinf(block) & np.isfinite(matrix[rows])).any():
                raise DataError('has values beyond float32; divide by a constant, or leave out dtype = "float32"')
    return narrow


def _prepared(matrix: NDArray[Any], place: Place, settings: DataSettings) -> Matrix:
    if settings.kind == "similarities":
        return prepare_similarities(matrix, place, settings.symmetrize, settings.min_objects, False)
    squared = settings.are_squared()
    return prepare_distances(matrix, place, squared, settings.symmetrize, settings.min_objects, False, ours=True)


def _pooled_similarities(
    matrix: NDArray[Any], ids: Sequence[Any] | None, time: EpochOfRows, settings: DataSettings
) -> DistanceSeries:
    if matrix.ndim != 2 or len({*matrix.shape, len(time)}) > 1:
        raise DataError(
            f"the similarities have shape {matrix.shape} but there are times of {len(time)} objects; "
            "give one row and one column per object"
        )
    rows = {label: np.array([r for r, own in enumerate(time) if own == label]) for label in time.categories}
    return DistanceSeries.from_similarities(
        [matrix[np.ix_(own, own)] for own in rows.values()],
        ids=None if ids is None else [[ids[r] for r in own] for own in rows.values()],
        times=list(rows),
        symmetrize=settings.symmetrize,  # type: ignore[arg-type] # checked by the settings
        min_objects=settings.min_objects,
    )


def _large_enough(
    epochs: list[Epoch], labels: list[Any], settings: DataSettings, remarks: list[str]
) -> tuple[list[Epoch], list[Any]]:
    sizes = [len(epoch.matrix) if epoch.matrix.ndim else 0 for epoch in epochs]
    small = {label: n for label, n in zip(labels, sizes, strict=True) if n < settings.min_objects}
    if not settings.drop_small or not small:
        return epochs, labels
    with in_file(epochs[0].file):
        _remark_on_small(small, len(epochs), settings, remarks)
    kept = [t for t, label in enumerate(labels) if label not in small]
    return [epochs[t] for t in kept], [labels[t] for t in kept]


def _remark_on_small(small: dict[Any, int], n_epochs: int, settings: DataSettings, remarks: list[str]) -> None:
    if len(small) == n_epochs:
        raise DataError(
            f"no epoch has {settings.min_objects} objects (the largest has {max(small.values())}); use longer epochs, "
            "or a smaller min_objects"
        )
    shown = ", ".join(f"{label} ({n})" for label, n in small.items())
    remarks.append(
        f"left out {len(small)} of {n_epochs} epochs with fewer than {settings.min_objects} objects: {shown}"
    )


def _check_all_have_ids(epochs: Sequence[Epoch]) -> None:
    known = [epoch.ids is not None for epoch in epochs]
    if any(known) and not all(known):
        having, lacking = epochs[known.index(True)], epochs[known.index(False)]
        raise DataError(
            f"{lacking.file}: {lacking.name} has no ids but {having.name} ({having.file}) has; "
            "give ids at every epoch or at none"
        )


@contextmanager
def _in_file_of_epoch(files: Sequence[str]) -> Iterator[None]:
    """Errors that name an epoch get the name of its file in front."""
    try:
        yield
    except DataError as error:
        named = EPOCH_IN_MESSAGE.search(str(error))
        file = files[int(named.group(1))] if named and int(named.group(1)) < len(files) else files[0]
        with in_file(file):
            raise
