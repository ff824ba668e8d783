"""The measurements behind distances: kept so that new objects can be compared with those of an epoch."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import metrics
from tetiwd.data.feature_distances import Rows, is_sparse
from tetiwd.errors import DataError, Setting
from tetiwd.memory import require_memory

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FeatureSpace:
    """Rows of features of every epoch and how they are compared."""

    rows: tuple[Rows, ...]  # T × (n_t, p), standardised if that was asked for
    metric: metrics.Metric
    squared: bool | None  # None: known from the metric
    names: tuple[str, ...] | None = None  # of the columns
    centre: Floats | None = None  # (p,) what was taken off every column
    spread: Floats | None = None  # (p,) and what it was then divided by

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.rows[0].shape[1])

    @property
    def is_euclidean(self) -> bool:
        """True if columns are the directions of space."""
        return isinstance(self.metric, str) and self.metric in ("euclidean", "sqeuclidean")

    @property
    def n_directions(self) -> int | None:
        """Columns that vary, for Euclidean distances; None with other metrics, where columns are not directions."""
        if not self.is_euclidean:
            return None
        low, high = (np.array([_plain(pick(rows, axis=0)) for rows in self.rows]) for pick in (np.min, np.max))
        return max(1, int((low.min(axis=0) < high.max(axis=0)).sum()))

    def deviations(self) -> Floats:
        """Standard deviation of every column."""
        n = sum(rows.shape[0] for rows in self.rows)
        mean = sum(_plain(rows.sum(axis=0, dtype=float)) for rows in self.rows) / n
        if is_sparse(self.rows[0]):
            squares = sum(_plain(rows.multiply(rows).sum(axis=0)) for rows in self.rows)
            return np.asarray(np.sqrt(np.maximum(squares / n - mean**2, 0.0)))
        return np.asarray(np.sqrt(sum(((rows - mean) ** 2).sum(axis=0) for rows in self.rows) / n))

    def until(self, n_epochs: int) -> Self:
        """The first so many epochs."""
        return replace(self, rows=self.rows[:n_epochs])

    def restricted(self, rows: Sequence[NDArray[np.int64]]) -> Self:
        """Only these objects of every epoch."""
        return replace(self, rows=tuple(features[some] for features, some in zip(self.rows, rows, strict=True)))

    def squared_distances(self, new: Any, t: int) -> Floats:
        """From every new object to those of epoch t, (m, n_t). Columns of a table are found by their names."""
        if self.names is not None and hasattr(new, "columns"):
            absent = [name for name in self.names if name not in new.columns]
            if absent:
                raise DataError(f"the new objects have no column {absent[0]!r}", f"they need {', '.join(self.names)}")
            new = new[list(self.names)]
        X = metrics.as_rows(new, keep_single=False)
        if X.shape[1] != self.n_features:
            raise DataError(
                f"the new objects have {X.shape[1]} features, those of the series have {self.n_features}",
                "give the same columns in the same order",
            )
        if is_sparse(X) and not is_sparse(self.rows[t]):
            require_memory(8 * X.shape[0] * X.shape[1], "the features of the new objects", "give fewer at a time")
            X = X.toarray()
        if self.centre is not None and self.spread is not None:
            X = (X - self.centre) / self.spread
        return metrics.between(X, self.rows[t], self.metric, self.squared)


def names_of_columns(X: Any) -> tuple[str, ...] | None:
    """Names of the columns of a table, None for an array or where they are not text."""
    columns = getattr(X, "columns", None)
    if columns is None or not all(isinstance(name, str) for name in columns):
        return None
    return tuple(columns)


def _plain(row: Any) -> NDArray[Any]:
    return np.asarray(row.toarray()).ravel() if is_sparse(row) else np.asarray(row)


def standardized(X: Rows, names: Sequence[str] | None) -> tuple[Floats, Floats, Floats]:
    """Every column with mean 0 and standard deviation 1, and the original means and deviations."""
    if is_sparse(X):
        raise DataError("X is sparse, and would not be once its columns have mean 0", "pass X.toarray()")
    X = X.astype(float, copy=False)
    centre, spread = X.mean(axis=0), X.std(axis=0)
    flat = np.flatnonzero(spread <= 1e-12 * np.maximum(np.abs(X).max(axis=0), np.finfo(float).tiny))
    if len(flat):
        which = f"column {flat[0]}" if names is None else f"column {names[flat[0]]!r}"
        raise DataError(
            f"{which} is the same for all objects and cannot be standardised",
            ["leave it out of the ", Setting("columns", python="features")],
        )
    return (X - centre) / spread, centre, spread
