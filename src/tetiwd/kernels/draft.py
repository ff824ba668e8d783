"""A partition that is being built, and its counts in common with draws.

``sums[g, i]`` says how often object i is together with the members of cluster g, over all draws and members. It needs
the counts of all pairs, and is all that a loss linear in pairs needs. For other losses the intersections of clusters
with those of every draw are kept. All draws' clusters are numbered through, so that ``row[i, s]`` is the number of
object i's cluster in draw s, and ``counts[g, row]`` says how many of its members are in cluster g.
"""

import numpy as np

try:
    import cython
except ImportError:
    from tetiwd.kernels import no_cython as cython


class Draft:
    """A partition, and what it is compared with. All objects are out at first.

    Parameters
    ----------
    together
        (N, N) number of draws that have two objects together; (0, 0) to do without.
    n_counted
        How many draws these are.
    row
        (N, S) row of every object in every draw; (N, 0) if pairs are enough.
    first
        (S + 1,) first row of every draw, and the number of rows.
    room
        Most clusters that the partition may have.
    grow
        (N + 1,) price of one more in a cluster of 0, 1, … objects; empty for the Rand index.
    meet
        (N + 1,) what one more in an intersection of 0, 1, … objects saves.
    pairs_theirs
        (S,) pairs together in every draw, for the Rand index; its mean, (1,), if pairs are enough.
    """

    def __init__(self, together, n_counted, row, first, room, grow, meet, pairs_theirs):
        self.n, self.n_draws = row.shape
        self.together, self.n_counted, self.paired = together, n_counted, len(together) > 0
        self.row, self.first, self.room = row, first, room
        self.grow, self.meet, self.pairs_theirs = grow, meet, pairs_theirs
        self.by_index = len(grow) == 0
        self.labels = np.full(self.n, -1, np.int64)  # −1 for an object that is out
        self.sizes = np.zeros(room, np.int64)
        self.n_clusters = 0
        self.sums = np.zeros((room, len(together)), np.int32)
        self.counts = np.zeros((room, first[self.n_draws]), np.int32)
        self.pairs_mine = 0  # pairs together here
        self.pairs_both = np.zeros(self.n_draws)  # pairs together here and in a draw
        self.pairs_shared = 0  # the same, summed over all draws that were counted
        self.price = np.zeros(room + 1)
        self.exact = np.zeros(room + 1, np.int32)  # 0 if the price is a lower bound
        ready = room if self.by_index else 0
        self.weight = np.zeros((ready, self.n_draws))  # what a pair adds to the index, if an object joins each cluster
        self.index = np.zeros(ready)  # Σ over draws of the index if no pair were added
        self.lost = np.zeros(self.n_draws)  # pairs that are lost if an object leaves its cluster
        self.weighed = -2  # the cluster that the weights are for, or −1 for an object that is out; −2 if they are old


def twin(draft):
    """Another draft that is compared with the same."""
    return Draft(
        draft.together, draft.n_counted, draft.row, draft.first, draft.room, draft.grow, draft.meet, draft.pairs_theirs
    )


def put(draft, i, g):
    """Object i, which is out, joins cluster g."""
    for s in range(draft.n_draws):
        r = draft.row[i, s]
        draft.pairs_both[s] += draft.counts[g, r]
        draft.counts[g, r] += 1
    if draft.paired:
        draft.pairs_shared += draft.sums[g, i]
        for j in range(draft.n):
            draft.sums[g, j] += draft.together[i, j]
    draft.pairs_mine += draft.sizes[g]
    draft.sizes[g] += 1
    draft.labels[i] = g
    draft.n_clusters = max(draft.n_clusters, g + 1)
    draft.weighed = -2


def take_out(draft, i):
    """Object i leaves its cluster. The last cluster takes the place of one that is empty then."""
    g = draft.labels[i]
    for s in range(draft.n_draws):
        r = draft.row[i, s]
        draft.counts[g, r] -= 1
        draft.pairs_both[s] -= draft.counts[g, r]
    if draft.paired:
        for j in range(draft.n):
            draft.sums[g, j] -= draft.together[i, j]
        draft.pairs_shared -= draft.sums[g, i]
    draft.sizes[g] -= 1
    draft.pairs_mine -= draft.sizes[g]
    draft.labels[i] = -1
    draft.weighed = -2
    if draft.sizes[g] == 0:
        close(draft, g)


def close(draft, g):
    """The last cluster takes the place of cluster g, which is empty."""
    last = draft.n_clusters - 1
    if g != last:
        draft.counts[g, :] = draft.counts[last, :]
        draft.counts[last, :] = 0
        draft.sums[g, :] = draft.sums[last, :]
        draft.sums[last, :] = 0
        for i in range(draft.n):
            if draft.labels[i] == last:
                draft.labels[i] = g
        draft.sizes[g] = draft.sizes[last]
        draft.sizes[last] = 0
    draft.n_clusters = last


def move(draft, i, g):
    """Object i goes from its cluster to cluster g."""
    own, n_clusters = draft.labels[i], draft.n_clusters
    take_out(draft, i)
    if draft.n_clusters < n_clusters and g == draft.n_clusters:  # it was the last, and has another number now
        g = own
    put(draft, i, g)


def clear(draft, members):
    """Take these objects out."""
    with cython.nogil:
        for o in range(members.shape[0]):
            take_out(draft, members[o])


def fill(draft, labels):
    """Make it the partition with these labels, 0, 1, … with none left out."""
    with cython.nogil:
        draft.counts[:, :] = 0
        draft.sums[:, :] = 0
        draft.sizes[:] = 0
        draft.pairs_both[:] = 0.0
        draft.n_clusters, draft.pairs_mine, draft.pairs_shared = 0, 0, 0
        for i in range(draft.n):
            put(draft, i, labels[i])


def copy(draft, other):
    """Make it the partition of its twin."""
    with cython.nogil:
        draft.labels[:] = other.labels
        draft.sizes[:] = other.sizes
        draft.sums[:, :] = other.sums
        draft.counts[:, :] = other.counts
        draft.pairs_both[:] = other.pairs_both
        draft.n_clusters, draft.weighed = other.n_clusters, -2
        draft.pairs_mine, draft.pairs_shared = other.pairs_mine, other.pairs_shared


def sum_in_common(draft, f, out):
    """Σ f(n_gh) over the intersections with every draw, (S,), from a table of f."""
    with cython.nogil:
        out[:] = 0.0
        for g in range(draft.n_clusters):
            for s in range(draft.n_draws):
                for r in range(draft.first[s], draft.first[s + 1]):
                    out[s] += f[draft.counts[g, r]]
