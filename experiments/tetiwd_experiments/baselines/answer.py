"""The answer of a method, and how to get one from draws of a sampler."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.partitions import Partitions
from tetiwd.summarize.point_estimate import representative

Ints = NDArray[np.int64]

DRAWS_FOR_SEARCH = 125


@dataclass(frozen=True, eq=False)
class Answer:
    """Clusters of every epoch."""

    labels: list[Ints]  # T × (n_t,)

    @property
    def n_clusters(self) -> list[int]:
        """Number of clusters at every epoch."""
        return [len(np.unique(labels)) for labels in self.labels]


def answer_from_draws(partitions: Partitions) -> Answer:
    """The clustering with the largest expected adjusted Rand index, with no more clusters than the median draw has.

    Without that limit it would have many clusters of one or two objects: to leave doubtful objects alone costs little.
    """
    limits: dict[str, Any] = {"n_runs": 1, "max_draws": DRAWS_FOR_SEARCH, "at_most": "median"}
    epochs = (partitions.epoch(t) for t in range(partitions.n_epochs))
    return Answer([representative(epoch, "ari", **limits).labels[0] for epoch in epochs])


def split_by_epoch(labels: Ints, n_objects: Sequence[int]) -> Answer:
    """Clusters of the pooled objects, epoch by epoch."""
    return Answer(np.split(labels, np.cumsum(n_objects)[:-1]))
