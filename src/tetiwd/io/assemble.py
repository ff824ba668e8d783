"""From the matrices of a reader to a series: one matrix per epoch, or one matrix over all epochs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.data.checks import row_blocks
from tetiwd.data.times import check_times
from tetiwd.errors import DataError, Setting, TetiwdError, Text, Where, give
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.epochs_from_names import epochs_from_names
from tetiwd.io.files import in_file
from tetiwd.io.windows import EpochOfRows, describe_order, period_that_suits, rows_by_epoch

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
    with in_file(epochs[0].file):
        sizes = [len(epoch.matrix) if epoch.matrix.ndim else 0 for epoch in epochs]
        small = _too_small(dict(zip(labels, sizes, strict=True)), settings, remarks)
    epochs = [epoch for epoch, label in zip(epochs, labels, strict=True) if label not in small]
    labels = [label for label in labels if label not in small]
    all_or_none(epochs, [epoch.ids is not None for epoch in epochs], "ids")
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
        with in_file(", ".join(dict.fromkeys(epoch.file for epoch in epochs))):
            return list(epochs), list(check_times(settings.times, len(epochs)))
    labels, order = epochs_from_names([epoch.name for epoch in epochs])
    if len(epochs) > 1:
        remarks.append(describe_order(labels, f"from the names of {source}"))
    return [epochs[i] for i in order], labels


def all_or_none(epochs: Sequence[Named], have: Sequence[bool], what: str) -> bool:
    """Whether all epochs or files have something; refused if only some have."""
    if any(have) and not all(have):
        having, lacking = epochs[have.index(True)], epochs[have.index(False)]
        raise DataError(
            f"{lacking.name} has no {what} but {having.name} ({having.file}) has",
            f"give {what} at every epoch or at none",
            where=Where(file=lacking.file),
        )
    return all(have)


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
        rows, time = large_epochs(time, settings, remarks)
        given = np.arange(len(matrix)) if rows is None else rows
        if rows is not None:
            matrix = matrix[np.ix_(rows, rows)]
            ids = None if ids is None else [ids[row] for row in rows]
        matrix = as_kept(matrix, settings.dtype)
        if settings.kind == "similarities":
            _check_one_row_each(matrix, time)
            epochs = [
                Epoch(str(label), file, matrix[np.ix_(rows, rows)], None if ids is None else [ids[row] for row in rows])
                for label, rows in rows_by_epoch(time)
            ]
            series = series_of_epochs(epochs, list(time.categories), settings, remarks)
            return replace(series, rows=tuple(given[rows] for _, rows in rows_by_epoch(time)))
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
        return with_rows_from(series, given)


def with_rows_from(series: DistanceSeries, given: NDArray[np.intp]) -> DistanceSeries:
    """The same series with rows of the input, where that had more rows than the series was made from."""
    return replace(series, rows=None if series.rows is None else tuple(given[rows] for rows in series.rows))


def large_epochs(
    time: EpochOfRows, settings: DataSettings, remarks: list[str]
) -> tuple[NDArray[np.intp] | None, EpochOfRows]:
    """Rows of epochs that are large enough (None for all of them), and their epochs."""
    sizes = {label: len(rows) for label, rows in rows_by_epoch(time)}
    if settings.by is None and not settings.drop_small:
        _check_dates_are_grouped(sizes, settings.min_objects)
    small = _too_small(sizes, settings, remarks)
    if not small:
        return None, time
    rows = np.flatnonzero(~time.isin(small))
    return rows, time[rows].remove_unused_categories()


def _check_dates_are_grouped(sizes: Mapping[Any, int], least: int) -> None:
    """Refuse times with too few objects where longer ones would have enough."""
    period = period_that_suits(sizes, least) if min(sizes.values()) < least else None
    if period is not None:
        label, n = min(sizes.items(), key=lambda one: one[1])
        raise DataError(
            f"{label} has {n} object{'s' * (n > 1)}, and every date is a time point of its own",
            ["group dates with ", Setting("by", period), ", or ", give("drop_small", True)],
        )


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


def _check_one_row_each(matrix: NDArray[Any], time: EpochOfRows) -> None:
    if matrix.ndim != 2 or len({*matrix.shape, len(time)}) > 1:
        raise DataError(
            f"the similarities have shape {matrix.shape} but there are times of {len(time)} objects",
            "give one row and one column per object",
        )


def _too_small(sizes: Mapping[Any, int], settings: DataSettings, remarks: list[str]) -> list[Any]:
    """The epochs to leave out, with a remark about them."""
    small = {label: n for label, n in sizes.items() if n < settings.min_objects}
    if not settings.drop_small or not small:
        return []
    if len(small) == len(sizes):
        raise DataError(
            f"no epoch has {settings.min_objects} objects (the largest has {max(small.values())})",
            ["use longer epochs, or a smaller ", Setting("min_objects")],
        )
    shown = ", ".join(f"{label} ({n})" for label, n in small.items())
    remarks.append(
        f"left out {len(small)} of {len(sizes)} epochs with fewer than {settings.min_objects} objects: {shown}"
    )
    return list(small)
