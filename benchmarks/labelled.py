"""A series whose true labels are known, also from a table without dates."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd import DistanceSeries

SEED, N_EPOCHS, AT_MOST = 0, 3, 450


@dataclass
class Labelled:
    """A series, and the true labels of every epoch."""

    series: DistanceSeries
    labels: list[NDArray[Any]]

    @classmethod
    def from_table(cls, X: NDArray[Any], labels: NDArray[Any], time: NDArray[Any]) -> "Labelled":
        """Columns that vary, standardised over all epochs."""
        series = DistanceSeries.from_features(X[:, X.std(axis=0) > 0], time=time, standardize=True)
        return cls(series, [labels[time == t] for t in series.times])

    @classmethod
    def dealt(cls, X: NDArray[Any], labels: NDArray[Any]) -> "Labelled":
        """A table without dates, or a random part of it if it is long, dealt into three random epochs."""
        rows = np.random.default_rng(SEED).permutation(len(X))[:AT_MOST]
        return cls.from_table(X[rows], labels[rows], np.arange(len(rows)) % N_EPOCHS)
