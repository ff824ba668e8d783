"""Which clusters of consecutive epochs are one chain: as the model has it, or because the same objects are in them.

The model knows nothing of who is who. It links clusters by their sizes and by how they lie to each other, so that two
groups which change places in both look to it as if nothing had happened. Where objects are known by name, names decide.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import SettingsError
from tetiwd.summarize.alignment import Alignment
from tetiwd.summarize.kinship import flows_in_draws, recurring
from tetiwd.summarize.partitions import Partitions

Bools = NDArray[np.bool_]
LinkedBy = Literal["model", "objects"]


class Links(Protocol):
    """Links in every draw, between clusters of an alignment."""

    def linked(self, alignment: Alignment, t: int) -> Bools:
        """Are clusters of t−1 and t linked? (S, n_chains, n_chains), one to one."""

    def born(self, alignment: Alignment, t: int) -> Bools:
        """Is the cluster there at t, and its chain was not before? (S, n_chains)."""

    def died(self, alignment: Alignment, t: int) -> Bools:
        """Was the cluster there before t, and its chain is not now? (S, n_chains)."""

    def returned(self, alignment: Alignment, earlier: int, t: int) -> Bools | None:
        """Are clusters of t and of an epoch before t−1 one chain with a gap? As ``linked``; None if unknown."""


@dataclass(frozen=True)
class ModelLinks:
    """The links that were sampled."""

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
        """The model does not know a chain that comes back."""
        return None


@dataclass(frozen=True)
class ObjectLinks:
    """Links by name: most of those who stay go from one cluster to the other, and most of those there come from it.

    Between epochs that have no object in common the sampled links count.
    """

    def linked(self, alignment: Alignment, t: int) -> Bools:
        """Each is where most of the other's returning objects are; of several equals the first."""
        flows = self._flows(alignment, t - 1, t)
        return alignment.linked(t) if flows is None else _mutual(flows)

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
        return None if flows is None else _mutual(flows)

    def _flows(self, alignment: Alignment, earlier: int, t: int) -> NDArray[np.int64] | None:
        ids = alignment.partitions.ids
        if ids is None:
            return None
        here, there = recurring(ids[earlier], ids[t])
        return flows_in_draws(alignment, earlier, here, t, there)[:, :-1, :-1] if len(here) else None


def _mutual(flows: NDArray[np.int64]) -> Bools:
    """Clusters that are each where most of the other's objects are, (S, k, k) like the flows."""
    to, of, chains = flows.argmax(axis=2), flows.argmax(axis=1), np.arange(flows.shape[1])
    mutual = np.take_along_axis(of, to, axis=1) == chains
    return (to[:, :, None] == chains) & mutual[:, :, None] & (flows > 0)


def links_from(how: str) -> Links:
    """Links by the name of their source."""
    return ObjectLinks() if how == "objects" else ModelLinks()


def choose_source(partitions: Partitions, links: str) -> LinkedBy:
    """ "model" or "objects"; "auto" takes objects where any of them comes back at the next epoch."""
    if links not in ("auto", "model", "objects"):
        raise SettingsError(f'links must be "auto", "model" or "objects", not {links!r}')
    if links == "objects" and partitions.ids is None:
        raise SettingsError('links="objects" needs ids; make the series with ids, or use "model"')
    if links == "model" or partitions.ids is None:
        return "model"
    known = [set(own.tolist()) for own in partitions.ids]
    comes_back = any(a & b for a, b in pairwise(known))
    return "objects" if links == "objects" or comes_back else "model"
