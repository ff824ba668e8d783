"""Which clusters of consecutive epochs are one lineage: as the model has it, or because we know better.

The model knows nothing of who is who, nor of distances between epochs. It links clusters by their sizes and by how they
lie to each other, so that two groups which change places in both look to it as if nothing had happened. Where objects
are known by name, names decide; where distances between epochs are known, places do.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.summarize.alignment import Alignment
from tetiwd.summarize.assignment import assign
from tetiwd.summarize.kinship import SamePlace, recurring_flows

Bools = NDArray[np.bool_]


class Links(ABC):
    """Links in every draw, between clusters of an alignment; a kind of links says which clusters it joins."""

    name: str

    @abstractmethod
    def joined(self, alignment: Alignment, earlier: int, t: int) -> Bools | None:
        """Pairs of clusters of two epochs, (S, n_lineages, n_lineages), one to one; None where only the model knows."""

    def linked(self, alignment: Alignment, t: int) -> Bools:
        """Are clusters of t−1 and t linked? (S, n_lineages, n_lineages), one to one."""
        joined = self.joined(alignment, t - 1, t)
        return alignment.linked(t) if joined is None else joined

    def born(self, alignment: Alignment, t: int) -> Bools:
        """Is the cluster there at t, and its lineage was not before? (S, n_lineages)."""
        joined = self.joined(alignment, t - 1, t)
        return alignment.born(t) if joined is None else (alignment.counterpart[:, t] >= 0) & ~joined.any(axis=1)

    def died(self, alignment: Alignment, t: int) -> Bools:
        """Was the cluster there before t, and its lineage is not now? (S, n_lineages)."""
        joined = self.joined(alignment, t - 1, t)
        return alignment.died(t) if joined is None else (alignment.counterpart[:, t - 1] >= 0) & ~joined.any(axis=2)

    def returned(self, alignment: Alignment, earlier: int, t: int) -> Bools | None:
        """Are clusters of t and of an epoch before t−1 one lineage with a gap? As ``linked``; None if unknown."""
        return self.joined(alignment, earlier, t)


@dataclass(frozen=True)
class ModelLinks(Links):
    """The links that were sampled. The model does not know a lineage that comes back."""

    name = "model"

    def joined(self, alignment: Alignment, earlier: int, t: int) -> Bools | None:
        """Nothing but what the draws say."""
        return None


@dataclass(frozen=True)
class LineageLinks(ModelLinks):
    """The lineages that were sampled by the model of moving centres, which knows those that come back."""

    name = "lineages"

    def returned(self, alignment: Alignment, earlier: int, t: int) -> Bools:
        """Are clusters of t and of an epoch before t−1 one lineage, which is not there in between?"""
        here, there = alignment.counterpart[:, earlier], alignment.counterpart[:, t]
        same = (here[:, :, None] == there[:, None, :]) & (here >= 0)[:, :, None]
        for between in range(earlier + 1, t):
            same &= ~alignment.alive_at(earlier, between)[:, :, None]
        return same


@dataclass(frozen=True)
class ObjectLinks(Links):
    """Links by name: most of those who stay go from one cluster to the other, and most of those there come from it.

    Between epochs that have no object in common the sampled links count.
    """

    name = "objects"

    def joined(self, alignment: Alignment, earlier: int, t: int) -> Bools | None:
        """Each is where most of the other's returning objects are; of several equals the first."""
        flows = recurring_flows(alignment, earlier, t)
        return None if flows is None else mutual_best(flows, flows > 0)[:, :-1, :-1]


@dataclass(frozen=True)
class PlaceLinks(Links):
    """Links by place: clusters of consecutive epochs are assigned to each other so that their means are close.

    As in :func:`~tetiwd.track`: the sum of squared distances is least, and no pair is farther apart than a gate.
    """

    place: SamePlace
    name = "place"
    _kept: dict[int, tuple[Alignment, Bools]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def joined(self, alignment: Alignment, earlier: int, t: int) -> Bools:
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
