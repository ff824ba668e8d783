"""What a method is given: the objects of one epoch, or of all epochs together."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.labelled import Labelled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class UnsuitableError(Exception):
    """A method cannot be used on a series."""


@dataclass(frozen=True, eq=False)
class Objects:
    """Objects to be clustered."""

    D: Floats  # (n, n) squared distances
    X: Floats | None  # (n, p) features, if there are any
    true_k: int  # only for methods that are told

    def __len__(self) -> int:
        return len(self.D)

    @cached_property
    def distances(self) -> Floats:
        """Plain distances, (n, n)."""
        return np.sqrt(self.D)


def by_epoch(data: Labelled) -> list[Objects]:
    """The objects of every epoch."""
    features = data.series.features
    rows = [None] * data.series.n_epochs if features is None else features.rows
    return [
        Objects(np.asarray(D, dtype=float), X, n_labels(own))
        for D, X, own in zip(data.series.matrices, rows, data.labels, strict=True)
    ]


def all_together(data: Labelled) -> Objects:
    """The objects of all epochs."""
    if data.series.cross is None:
        raise UnsuitableError("no distances between times")
    features = data.series.features
    X = None if features is None else np.concatenate(features.rows)
    return Objects(np.asarray(data.series.cross, dtype=float), X, n_labels(np.concatenate(data.labels)))


def n_labels(labels: NDArray[Any]) -> int:
    """Number of different labels."""
    return len(np.unique(labels))


def with_singletons(labels: NDArray[Any], left_out: NDArray[np.bool_]) -> Ints:
    """Objects that a method leaves out become clusters of their own."""
    labels = np.array(labels, dtype=np.int64)
    labels[left_out] = labels.max() + 1 + np.arange(left_out.sum())
    return labels
