"""The answer of a method, and how to get one from draws of a sampler."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.partitions import Partitions
from tetiwd.summarize.alignment import align
from tetiwd.summarize.clustering import as_clustering
from tetiwd.summarize.links import Links
from tetiwd.summarize.point_estimate import linked, representative

Ints = NDArray[np.int64]

DRAWS_FOR_SEARCH = 125
AS_LIKELY_AS_NOT = 0.5


@dataclass(frozen=True, eq=False)
class Answer:
    """Clusters of every epoch, and lineages if the method has them."""

    labels: list[Ints]  # T × (n_t,)
    lineages: list[Ints] | None = None  # the same clusters; equal labels at different epochs are one lineage
    claimed: list[set[int]] | None = None  # lineages said to go on from the epoch before, as likely as not or more

    @property
    def n_clusters(self) -> list[int]:
        """Number of clusters at every epoch."""
        return [len(np.unique(labels)) for labels in self.labels]


def answer_from_draws(partitions: Partitions, links: Links | None = None) -> Answer:
    """The clustering with the largest expected adjusted Rand index, with no more clusters than the median draw has.

    Without that limit it would have many clusters of one or two objects: to leave doubtful objects alone costs little.
    Lineages are made by the links, if there are any.
    """
    limits: dict[str, Any] = {"n_runs": 1, "max_draws": DRAWS_FOR_SEARCH, "at_most": "median"}
    epochs = (partitions.epoch(t) for t in range(partitions.n_epochs))
    labels = [representative(epoch, "ari", **limits).labels[0] for epoch in epochs]
    if links is None:
        return Answer(labels)
    clustering = as_clustering(partitions, linked(partitions, labels, links))
    alignment = align(partitions, clustering)
    claimed: list[set[int]] = [set()]
    for t in range(1, partitions.n_epochs):
        probability = np.diagonal(links.linked(alignment, t).mean(axis=0))
        claimed.append({int(g) for g in np.flatnonzero(probability >= AS_LIKELY_AS_NOT)})
    return Answer(labels, clustering.labels, claimed)


def split_by_epoch(labels: Ints, n_objects: Sequence[int]) -> Answer:
    """Clusters of the pooled objects, epoch by epoch; each is a lineage."""
    by_epoch = np.split(labels, np.cumsum(n_objects)[:-1])
    there = [set(labels_t.tolist()) for labels_t in by_epoch]
    return Answer(by_epoch, by_epoch, [set(), *(a & b for a, b in pairwise(there))])
