"""From the matrices of a reader to a series: one matrix per epoch, or one matrix over all epochs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.data.checks import row_blocks
from tetiwd.errors import DataError, Setting, TetiwdError, Text, Where
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.epochs_from_names import epochs_from_names
from tetiwd.io.files import in_file
from tetiwd.io.windows import EpochOfRows, describe_order

Item = TypeVar("Item", bound="Named")


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
            [Setting("cross", True), " needs distances between epochs, but there is one matrix per epoch"],
            ["give one matrix over all times with the times of its rows, or leave out ", Setting("cross")],
            where=Where(file=epochs[0].file),
        )
    epochs, labels = _large_enough(epochs, labels, settings, remarks)
    _check_all_have_ids(epochs)
    matrices = []
    for epoch in epochs:
        with in_file(epoch.file):
            matrices.append(as_kept(epoch.matrix, settings.dtype))
    options: dict[str, Any] = {"times": labels, "symmetrize": settings.symmetrize, "min_objects": settings.min_objects}
    options["ids"] = None if epochs[0].ids is None else [epoch.ids for epoch in epochs]
    try:
        if settings.kind == "similarities":
            return DistanceSeries.from_similarities(matrices, **options)
        return DistanceSeries.from_distances(matrices, squared=settings.are_squared(), overwrite=True, **options)
    except TetiwdError as error:
        error.located(file=epochs[error.where.epoch or 0].file)
        raise


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
    """Epochs and their labels in order of time. Labels are given by the user or come from the names of ``source``."""
    if settings.by is not None:
        raise DataError(
            [
                Setting("by", settings.by),
                " needs the times of objects, but there is one file or array per epoch",
            ],
            ["leave out ", Setting("by"), ", or name the epochs with ", Setting("times")],
            where=Where(file=epochs[0].file),
        )
    if settings.times is not None:
        if len(settings.times) != len(epochs):
            raise DataError(
                [f"{len(epochs)} epochs but ", Setting("times"), f" has {len(settings.times)} labels"],
                "give one per epoch",
                where=Where(file=", ".join(dict.fromkeys(epoch.file for epoch in epochs))),
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
        rows = rows_to_keep(time, settings, remarks)
        if rows is not None:
            matrix, time = matrix[np.ix_(rows, rows)], time.take(rows)
            ids = None if ids is None else [ids[row] for row in rows]
        matrix = as_kept(matrix, settings.dtype)
        if settings.kind == "similarities":
            return _pooled_similarities(matrix, ids, time, settings)
        keep: bool | Literal["if known"] = settings.keeps_cross(len(matrix))
        unasked = settings.cross is None
        series = DistanceSeries.from_pooled(
            matrix,
            time=time,
            squared=settings.are_squared(),
            ids=ids,
            keep_cross="if known" if keep and unasked else keep,
            symmetrize=settings.symmetrize,  # type: ignore[arg-type] # checked by the settings
            min_objects=settings.min_objects,
        )
        if keep and unasked and series.n_epochs > 1 and series.cross is None:
            remarks.append("distances between epochs are not all known and are not used to link clusters")
        return series


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
    """The matrix as float32 if the user asks for it. Later checks refuse anything that is not a number."""
    if dtype == "float64" or matrix.dtype == np.float32 or matrix.dtype.kind not in "biuf":
        return matrix
    with np.errstate(over="ignore"):
        narrow = matrix.astype(np.float32)
    if matrix.ndim == 2 and narrow.size:
        for rows, block in row_blocks(narrow):
            if (np.isinf(block) & np.isfinite(matrix[rows])).any():
                remedy: Text = ["divide by a constant, or leave out ", Setting("dtype", "float32")]
                raise DataError("has values beyond float32", remedy)
    return narrow


def _pooled_similarities(
    matrix: NDArray[Any], ids: Sequence[Any] | None, time: EpochOfRows, settings: DataSettings
) -> DistanceSeries:
    if matrix.ndim != 2 or len({*matrix.shape, len(time)}) > 1:
        raise DataError(
            f"the similarities have shape {matrix.shape} but there are times of {len(time)} objects",
            "give one row and one column per object",
        )
    rows = {label: np.array([r for r, epoch in enumerate(time) if epoch == label]) for label in time.categories}
    return DistanceSeries.from_similarities(
        [matrix[np.ix_(members, members)] for members in rows.values()],
        ids=None if ids is None else [[ids[r] for r in members] for members in rows.values()],
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
            f"no epoch has {settings.min_objects} objects (the largest has {max(small.values())})",
            ["use longer epochs, or a smaller ", Setting("min_objects")],
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
            f"{lacking.name} has no ids but {having.name} ({having.file}) has",
            "give ids at every epoch or at none",
            where=Where(file=lacking.file),
        )
