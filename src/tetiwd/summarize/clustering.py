"""Clustering: one answer, clusters at every epoch and the lineages that link them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tetiwd.partitions import Ints, Partitions, check_labels, numbered
from tetiwd.sample import Sample, as_partitions
from tetiwd.summarize.losses import Loss, as_loss, losses_to_draws

UNASSIGNED = -1  # label of an object that belongs to no cluster


class LinkSource(Protocol):
    """A way to make lineages of clusters, by its name; see :mod:`tetiwd.summarize.links`."""

    name: str


@dataclass(frozen=True, eq=False, repr=False)
class Clustering:
    """A clustering of all epochs. Equal labels at different epochs belong to one lineage.

    Lineages are numbered from 0 in order of their first epoch, the larger one (over all epochs) first; those of a run
    that takes over names keep the numbers they had, so that some numbers may be nobody's. Objects that belong to no
    cluster have the label UNASSIGNED; where a partition is needed, each of them is alone.

    Examples
    --------
    >>> import numpy as np
    >>> from tetiwd import Partitions, representative
    >>> first, second = np.array([[0, 0, 0, 1, 1]] * 3), np.array([[0, 0, 0, 2, 2]] * 3)
    >>> draws = Partitions.from_labels([first, second], times=[2020, 2021])
    >>> clustering = representative(draws)
    >>> clustering.n_clusters
    [2, 2]
    >>> clustering.lineages_at(1)
    array([0, 2])
    >>> clustering.sizes
    array([[3, 2, 0],
           [3, 0, 2]])
    """

    labels: list[Ints]  # T × (n_t,) lineage of every object
    times: tuple[Any, ...]  # of the epochs
    expected_loss: float  # mean of the epochs' losses, weighted by their numbers of objects; NaN if there are no draws
    loss: str  # its name; empty if there are no draws
    found_by: str  # "search", "joint search", "annealing", "mode", or "given"
    linked_by: LinkSource | None = None  # how clusters were linked into lineages; None for the model
    names: Mapping[int, Any] = field(default_factory=dict)  # that a user gave lineages, by number

    @property
    def flat(self) -> Ints:
        """Labels of all epochs in one array."""
        return np.concatenate(self.labels)

    @property
    def n_clusters(self) -> list[int]:
        """Clusters at every epoch."""
        return [len(self.lineages_at(t)) for t in range(len(self.labels))]

    @property
    def n_lineages(self) -> int:
        """Numbers of lineages, those that are nobody's included: one more than the largest."""
        return int(self.flat.max()) + 1

    @property
    def lineages(self) -> Ints:
        """Numbers of the lineages that there are, in increasing order."""
        return np.unique(self.flat[self.flat != UNASSIGNED])

    @property
    def n_unassigned(self) -> list[int]:
        """Objects at every epoch that belong to no cluster."""
        return [int((labels == UNASSIGNED).sum()) for labels in self.labels]

    @property
    def sizes(self) -> Ints:
        """Members of every lineage at every epoch, (T, n_lineages)."""
        k = self.n_lineages
        return np.array([np.bincount(labels[labels != UNASSIGNED], minlength=k) for labels in self.labels])

    def lineages_at(self, t: int) -> Ints:
        """Lineages that are there at an epoch.

        Parameters
        ----------
        t : int
            Epoch, counted from 0.

        Returns
        -------
        ndarray of int
            Their numbers, in increasing order.
        """
        return np.unique(self.labels[t][self.labels[t] != UNASSIGNED])

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self.n_clusters))
        source = "the model" if self.linked_by is None else self.linked_by.name
        loss = f"expected {self.loss} loss {self.expected_loss:.4g}, " if self.loss else ""
        alone = f", {sum(self.n_unassigned)} objects unassigned" if sum(self.n_unassigned) else ""
        return (
            f"Clustering({shown} clusters in {len(self.lineages)} lineages{alone}; {loss}by {self.found_by}; "
            f"linked by {source})"
        )


def as_clustering(
    draws: Sample | Partitions,
    labels: Any,
    loss: str | Loss = "vi",
    found_by: str = "given",
    linked_by: LinkSource | None = None,
) -> Clustering:
    """Labels per epoch as a clustering of the objects of the draws, with its expected loss; −1 is UNASSIGNED."""
    partitions, measure = as_partitions(draws), as_loss(loss)
    if isinstance(labels, Clustering):
        check_labels(labels.labels, partitions.n_objects)
        return labels
    lineages = in_order_of_birth(check_labels(labels, partitions.n_objects), partitions)
    expected = float(losses_by_draw(lineages, partitions, measure).mean())
    return Clustering(partitions.split(lineages), partitions.times, expected, measure.name, found_by, linked_by)


def losses_by_draw(labels: NDArray[Any], partitions: Partitions, loss: Loss) -> NDArray[np.float64]:
    """Loss of a clustering towards every draw, (S,): the mean over epochs, weighted by their numbers of objects.

    Links do not enter: where they are uncertain, a loss that counted them would be smallest for clusters lumped
    together, however certain each epoch is (docs/explanation/answers.md).
    """
    labels, total = each_alone(labels), np.zeros(partitions.n_draws)
    for t, columns in enumerate(partitions.columns):
        clusters = numbered(labels[None, columns])[0]
        total += partitions.n_objects[t] * losses_to_draws(clusters, partitions.epoch(t).labels, loss)
    return total / sum(partitions.n_objects)


def in_order_of_birth(labels: NDArray[Any], partitions: Partitions) -> Ints:
    """Lineages renumbered by first epoch, the larger one first; unassigned objects remain so."""
    assigned = np.flatnonzero(labels != UNASSIGNED)
    _, first, slot, sizes = np.unique(labels[assigned], return_index=True, return_inverse=True, return_counts=True)
    first = assigned[first]
    birth = np.searchsorted([c.stop for c in partitions.columns], first, side="right")
    rank = np.empty(len(sizes), dtype=np.int64)
    rank[np.lexsort((first, -sizes, birth))] = np.arange(len(sizes))
    renumbered = np.full(len(labels), UNASSIGNED, dtype=np.int64)
    renumbered[assigned] = rank[slot.ravel()]
    return renumbered


def each_alone(labels: NDArray[Any]) -> Ints:
    """Labels of a partition: every unassigned object in a cluster of its own."""
    unassigned = np.flatnonzero(labels == UNASSIGNED)
    partition = labels.astype(np.int64)
    partition[unassigned] = labels.max(initial=0) + 1 + np.arange(len(unassigned))
    return partition
