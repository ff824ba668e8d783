"""From the rows of a reader to a series: one row of features per object and time."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.data.metrics import SQUARED_AS_IS
from tetiwd.errors import Setting, SettingsError
from tetiwd.io.assemble import large_epochs, with_rows_from
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.files import in_file
from tetiwd.io.tables import listed
from tetiwd.io.windows import EpochOfRows

PAIR_SETTINGS = (Setting("first"), ", ", Setting("second"), " and ", Setting("distance"))
FEATURE_SETTINGS = frozenset({"metric", "standardize", "id", "cross", "matrix", "landmarks"})


def series_of_features(
    file: str,
    X: Any,
    names: Sequence[str] | None,
    ids: Sequence[Any] | None,
    time: EpochOfRows,
    settings: DataSettings,
    remarks: list[str],
    given: NDArray[np.intp] | None = None,
) -> DistanceSeries:
    """Rows of numbers, dense or sparse; ``names`` are those of the columns, and ``given`` rows of the input, if known.

    Otherwise every row of the input is one.
    """
    import pandas as pd

    with in_file(file):
        rows, time = large_epochs(time, settings, remarks)
        given = np.arange(X.shape[0]) if given is None else given
        if rows is not None:
            X, given = X[rows], given[rows]
            ids = None if ids is None else [ids[row] for row in rows]
        series = DistanceSeries.from_features(
            X if names is None else pd.DataFrame(X, columns=list(names), copy=False),  # so that the series knows them
            time=time,
            metric=settings.metric or "euclidean",
            squared=settings.squared,
            standardize=settings.standardize,
            ids=ids,
            cross=settings.cross,
            min_objects=settings.min_objects,
            dtype=settings.dtype,
            matrix=settings.matrix,
            landmarks=settings.landmarks,
        )
    series = with_rows_from(series, given)
    if series.approximation is not None:
        remarks.append(str(series.approximation))
        if series.approximation.is_rough:
            remarks.append(series.approximation.warning)
    elif not series.has_matrices:
        remarks.append("no matrix of distances is kept: sums of distances are computed from the features")
    shown = f": {X.shape[1]}" if names is None else f" ({len(names)}): {listed(names)}"
    remarks.append(f"features used{shown}")
    return series


def check_squared_matters(file: str, settings: DataSettings) -> None:
    """Refuse ``squared`` where the metric already determines it."""
    metric = settings.metric or "euclidean"
    known = SQUARED_AS_IS.get(metric)
    can_be_overruled = metric not in ("euclidean", "sqeuclidean") and known is not settings.squared
    if settings.squared is None or known is None or can_be_overruled:
        return
    raise SettingsError(
        [
            Setting("squared", settings.squared),
            f" has no effect: {file} is read as a table of features, and {metric} distances are known to be ",
            "squared" if known else "plain",
        ],
        ["leave it out, or, if every row is a pair of objects, name its columns with ", *PAIR_SETTINGS],
    )
