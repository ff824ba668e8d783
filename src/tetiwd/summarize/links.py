"""Which clusters of consecutive epochs are one lineage: as the model has it, or because we know better.

The model knows nothing of who is who, nor of distances between epochs. It links clusters by their sizes and by how they
lie to each other, so that two groups which change places in both look to it as if nothing had happened. Where objects
are known by name, names decide; where distances between epochs are known, places do.
"""

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tetiwd.summarize.alignment import Alignment
from tetiwd.summarize.assignment import assign
from tetiwd.summarize.kinship import SamePlace, flows_in_draws, recurring

Bools = NDArray[np.bool_]


class Links(Protocol):
    """Links in every draw, between clusters of an alignment."""

    name: str

    def linked(self, alignment: Alignment, t: int) -> Bools:
        """Are clusters of t−1 and t linked? (S, n_lineages, n_lineages), one to one."""

    def born(self, alignment: Alignment, t: int) -> Bools:
        """Is the cluster there at t, and its lineage was not before? (S, n_lineages)."""

    def died(self, alignment: Alignment, t: int) -> Bools:
        """Was the cluster there before t, and its lineage is not now? (S, n_lineages)."""

    def returned(self, alignment: Alignment, earlier: int, t: int) -> Bools | None:
        """Are clusters of t and of an epoch before t−1 one lineage with a gap? As ``linked``; None if unknown."""


@dataclass(frozen=True)
class ModelLinks:
    """The links that were sampled."""

    name = "model"

    def linked(self, alignment: Alignment, t: int) -> Bools:
        """Those of the draw's own clusters."""
        return alignment.linked(t)

    def born(self, alignment: Alignment, t: int) -> Bools:
        """The draw's cluster has none before it."""
        return alignment.born(t)

    def died(self, alignment: Alignment, t: int) -> Bools:
        """The draw's cluster has none after it."""
        return alignment.died(t)

    def returned(self, alignment: Alignment, earlier: int, t: int) -> Bools | None:
        """The model does not know a lineage that comes back."""
        return None


@dataclass(frozen=True)
class ObjectLinks:
    """Links by name: most of those who stay go from one cluster to the other, and most of those there come from it.

    Between epochs that have no object in common the sampled links count.
    """

    name = "objects"

    def linked(self, alignment: Alignment, t: int) -> Bools:
        """Each is where most of the other's returning objects are; of several equals the first."""
        flows = self._flows(alignment, t - 1, t)
        return alignment.linked(t) if flows is None else mutual_best(flows, flows > 0)[:, :-1, :-1]

    def born(self, alignment: Alignment, t: int) -> Bools:
        """The cluster is linked to none before it."""
        if self._flows(alignment, t - 1, t) is None:
            return alignment.born(t)
        return (alignment.counterpart[:, t] >= 0) & ~self.linked(alignment, t).any(axis=1)

    def died(self, alignment: Alignment, t: int) -> Bools:
        """The cluster is linked to none after it."""
        if self._flows(alignment, t - 1, t) is None:
            return alignment.died(t)
        return (alignment.counterpart[:, t - 1] >= 0) & ~self.linked(alignment, t).any(axis=2)

    def returned(self, alignment: Alignment, earlier: int, t: int) -> Bools | None:
        """The same rule over a gap."""
        flows = self._flows(alignment, earlier, t)
        return None if flows is None else mutual_best(flows, flows > 0)[:, :-1, :-1]

    def _flows(self, alignment: Alignment, earlier: int, t: int) -> NDArray[np.int64] | None:
        ids = alignment.partitions.ids
        if ids is None:
            return None
        here, there = recurring(ids[earlier], ids[t])
        return flows_in_draws(alignment, earlier, here, t, there) if len(here) else None


@dataclass(frozen=True)
class PlaceLinks:
    """Links by place: clusters of consecutive epochs are assigned to each other so that their means are close.

    As in :func:`~tetiwd.track`: the sum of squared distances is least, and no pair is farther apart than a gate.
    """

    place: SamePlace
    name = "place"
    _kept: dict[int, tuple[Alignment, Bools]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def linked(self, alignment: Alignment, t: int) -> Bools:
        """They are assigned to each other."""
        return self._assigned(alignment, t - 1, t)

    def born(self, alignment: Alignment, t: int) -> Bools:
        """The cluster is linked to none before it."""
        return (alignment.counterpart[:, t] >= 0) & ~self.linked(alignment, t).any(axis=1)

    def died(self, alignment: Alignment, t: int) -> Bools:
        """The cluster is linked to none after it."""
        return (alignment.counterpart[:, t - 1] >= 0) & ~self.linked(alignment, t).any(axis=2)

    def returned(self, alignment: Alignment, earlier: int, t: int) -> Bools | None:
        """The same rule over a gap."""
        return self._assigned(alignment, earlier, t)

    def _assigned(self, alignment: Alignment, earlier: int, t: int) -> Bools:
        """Kept for consecutive epochs of the alignment that was asked for last: births and deaths ask again."""
        if t - earlier > 1:
            return self._assign(alignment, earlier, t)
        if t not in self._kept or self._kept[t][0] is not alignment:
            self._kept[t] = alignment, self._assign(alignment, earlier, t)
        return self._kept[t][1]

    def _assign(self, alignment: Alignment, earlier: int, t: int) -> Bools:
        here, there = (np.flatnonzero(alignment.present[epoch]) for epoch in (earlier, t))
        squared = self.place.squared_distances(alignment, earlier, t)
        linked = np.zeros(squared.shape, dtype=bool)
        for s, costs in enumerate(squared[:, here[:, None], there]):
            partner = assign(costs, self.place.gate)
            linked[s, here[partner >= 0], there[partner[partner >= 0]]] = True
        return linked


def mutual_best(scores: NDArray[Any], possible: Bools) -> Bools:
    """Pairs of clusters of which each has the other's best score, of several equals the first; (S, k, k)."""
    to, of, lineages = scores.argmax(axis=2), scores.argmax(axis=1), np.arange(scores.shape[1])
    mutual = np.take_along_axis(of, to, axis=1) == lineages
    return (to[:, :, None] == lineages) & mutual[:, :, None] & possible
