"""What is known across time, as tables that the moves of one epoch, or of one boundary between epochs, look up.

While an epoch is updated, lineages before it and after it stay as they are. So all that is known across time comes to
three tables: of a cluster before and one after, of a cluster before and a group here, of a group here and a cluster
after. The last row and column stand for no cluster.
"""

from math import inf

import numpy as np

from tetiwd.data.constraints import Floats, Ints, Ties

NOWHERE = -1


class Across:
    """Groups of all epochs, and what is known of pairs of them."""

    def __init__(self, ties: Ties, n_objects: tuple[int, ...]) -> None:
        self.ties = ties
        first = np.concatenate([[0], np.cumsum(n_objects)[:-1]])
        bound = np.flatnonzero(ties.component >= 0)
        where = np.column_stack([ties.epoch[bound], ties.component[bound]])
        (self.epoch, self.component), holder = (
            np.unique(where, axis=0).T,
            bound[np.unique(where, axis=0, return_index=True)[1]],
        )
        self.holder = holder - first[self.epoch]  # an object of every group, by its position in the epoch
        self.n_components = int(ties.component.max()) + 1
        number = {(int(c), int(t)): g for g, (c, t) in enumerate(zip(self.component, self.epoch, strict=True))}
        ends = [(number[a, s], number[b, r]) for a, s, b, r in ties.pulled.tolist()]
        self.ends = np.array(ends, dtype=np.int64).reshape(-1, 2)  # groups of every pull
        self.weights, self.apart = ties.weights, ties.apart

    def slots(self, z: list[Ints]) -> Ints:
        """The cluster of every group."""
        return np.array([z[t][i] for t, i in zip(self.epoch, self.holder, strict=True)], dtype=np.int64)

    def before(self, z: list[Ints], forward: Ints, t: int) -> Ints:
        """Which cluster of epoch t continues the one of every group at t or earlier; −1 for none."""
        root = {t: np.arange(forward.shape[1])}
        for s in range(t - 1, -1, -1):
            root[s] = np.where(forward[s] >= 0, root[s + 1][forward[s]], NOWHERE)
        return self._at(root, z)

    def after(self, z: list[Ints], back: Ints, t: int) -> Ints:
        """Which cluster of epoch t the one of every group at t or later comes from; −1 for none."""
        root = {t: np.arange(back.shape[1])}
        for s in range(t + 1, len(back)):
            root[s] = np.where(back[s] >= 0, root[s - 1][back[s]], NOWHERE)
        return self._at(root, z)

    def _at(self, root: dict[int, Ints], z: list[Ints]) -> Ints:
        slots = self.slots(z)
        known = zip(self.epoch.tolist(), slots.tolist(), strict=True)
        return np.array([root[s][slot] if s in root else NOWHERE for s, slot in known], dtype=np.int64)

    def here(self, t: int) -> Ints:
        """The number of every group of epoch t there; −1 for those of other epochs."""
        own = self.epoch == t
        return np.where(own, np.cumsum(own) - 1, NOWHERE)

    def table(self, one: Ints, n_one: int, other: Ints, n_other: int) -> Floats:
        """What the log density gains if a place of one kind is in a lineage with a place of another kind.

        ``one`` and ``other`` are the places of all groups. The last row and column are for no place.
        """
        gains = np.zeros((n_one + 1, n_other + 1))
        for g, h in (self.ends.T, self.ends[:, ::-1].T):
            there = (one[g] >= 0) & (other[h] >= 0)
            np.add.at(gains, (one[g][there], other[h][there]), self.weights[there])
        ones, others = np.full(self.n_components, NOWHERE), np.full(self.n_components, NOWHERE)
        ones[self.component[one >= 0]], others[self.component[other >= 0]] = one[one >= 0], other[other >= 0]
        for x, y in (self.apart.T, self.apart[:, ::-1].T):
            there = (ones[x] >= 0) & (others[y] >= 0)
            gains[ones[x][there], others[y][there]] = -inf
        for x, y in zip(ones.tolist(), others.tolist(), strict=True):
            if x >= 0 and y >= 0:  # a component that is on both sides
                together = gains[x, y]
                gains[x], gains[:, y] = -inf, -inf
                gains[x, y] = together
        return gains
