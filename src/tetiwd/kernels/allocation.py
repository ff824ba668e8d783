"""Put objects, one at a time, where the expected loss over all draws grows least.

The intersections of the clusters built so far with those of every draw are kept as counts. All draws' clusters are
numbered through, so that ``row[i, s]`` says which row of ``counts`` belongs to object i's cluster in draw s, and
``counts[row, g]`` how many of its members are in cluster g. One look at an object costs (draws × clusters).

The loss is additive (VI, Binder), read from two tables, or one minus the adjusted Rand index.
"""

import math

import numpy as np

try:
    import cython
except ImportError:
    from tetiwd.kernels import no_cython as cython


class Draft:
    """A partition that is being built, and what it is compared with. All objects are out at first.

    Parameters
    ----------
    row
        (N, S) row of every object in every draw.
    first
        (S + 1,) first row of every draw, and the number of rows.
    room
        Most clusters that the partition may have.
    grow
        (N + 1,) price of one more in a cluster of 0, 1, … objects; empty for the Rand index.
    meet
        (N + 1,) what one more in an intersection of 0, 1, … objects saves.
    pairs_theirs
        (S,) pairs together in a draw, for the Rand index.
    """

    def __init__(self, row, first, room, grow, meet, pairs_theirs):
        self.n, self.n_draws = row.shape
        self.row, self.first, self.room = row, first, room
        self.grow, self.meet, self.pairs_theirs = grow, meet, pairs_theirs
        self.by_pairs = len(grow) == 0
        self.counts = np.zeros((first[self.n_draws], room), np.int32)
        self.labels = np.full(self.n, -1, np.int64)  # −1 for an object that is out
        self.sizes = np.zeros(room, np.int64)
        self.n_clusters = 0
        self.pairs_both = np.zeros(self.n_draws)  # pairs together in both
        self.margin = np.zeros(self.n)  # what the best other place would have cost more, when last looked at
        self.price = np.zeros(room + 1)
        ready = room if self.by_pairs else 0
        self.weight = np.zeros((self.n_draws, ready))  # what a pair adds to the index, if an object joins each cluster
        self.mine = np.zeros(ready)  # pairs together if an object joins each cluster
        self.index = np.zeros(ready)  # Σ over draws of the index if no pair were added
        self.weighed = -2  # the cluster that these two are for, or −1 for an object that is out; −2 if they are old


def put(draft, i, g):
    """Object i, which is out, joins cluster g."""
    for s in range(draft.n_draws):
        r = draft.row[i, s]
        draft.pairs_both[s] += draft.counts[r, g]
        draft.counts[r, g] += 1
    draft.weighed = -2
    draft.sizes[g] += 1
    draft.labels[i] = g
    if g == draft.n_clusters:
        draft.n_clusters += 1


def take_out(draft, i):
    """Object i leaves its cluster. The last cluster takes the place of one that is empty then."""
    g = draft.labels[i]
    for s in range(draft.n_draws):
        r = draft.row[i, s]
        draft.counts[r, g] -= 1
        draft.pairs_both[s] -= draft.counts[r, g]
    draft.weighed = -2
    draft.sizes[g] -= 1
    draft.labels[i] = -1
    if draft.sizes[g] == 0:
        close(draft, g)


def close(draft, g):
    """The last cluster takes the place of cluster g, which is empty."""
    last = draft.n_clusters - 1
    if g != last:
        for r in range(draft.first[draft.n_draws]):
            draft.counts[r, g] = draft.counts[r, last]
            draft.counts[r, last] = 0
        for i in range(draft.n):
            if draft.labels[i] == last:
                draft.labels[i] = g
        draft.sizes[g] = draft.sizes[last]
        draft.sizes[last] = 0
    draft.n_clusters = last


def weigh(draft, i):
    """Price of every cluster, and of a new one, for object i, as if it were out."""
    if draft.by_pairs:
        weigh_by_pairs(draft, i)
    else:
        weigh_by_tables(draft, i)


def weigh_by_tables(draft, i):
    """The same for an additive loss."""
    k, own, stay = draft.n_clusters, draft.labels[i], 0.0
    for g in range(k):
        draft.price[g] = 0.0
    for s in range(draft.n_draws):
        r = draft.row[i, s]
        for g in range(k):
            draft.price[g] -= draft.meet[draft.counts[r, g]]
        if own >= 0:
            stay -= draft.meet[draft.counts[r, own] - 1]
    if own >= 0:
        draft.price[own] = stay
    for g in range(k):
        draft.price[g] = draft.price[g] / draft.n_draws + draft.grow[draft.sizes[g] - (g == own)]
    draft.price[k] = draft.grow[0] - draft.meet[0]


def weigh_by_pairs(draft, i):
    """The same for the Rand index, which is linear in the pairs that i adds."""
    own, end = draft.labels[i], min(draft.n_clusters + 1, draft.room)
    if draft.weighed != own:
        weigh_pairs(draft, own, end)
    for g in range(end):
        draft.price[g] = -draft.index[g]
    for s in range(draft.n_draws):
        r = draft.row[i, s]
        lost = draft.counts[r, own] - 1 if own >= 0 else 0
        for g in range(end):
            draft.price[g] -= draft.weight[s, g] * (draft.counts[r, g] - lost)
    if own >= 0:
        draft.price[own] = -draft.index[own]
    for g in range(end):
        draft.price[g] /= draft.n_draws


def weigh_pairs(draft, own, end):
    """What the Rand index would be, and what a pair would add to it, if an object went from ``own`` to each cluster."""
    pairs, mine = max(0.5 * draft.n * (draft.n - 1), 1.0), 0.0
    for g in range(draft.n_clusters):
        mine += 0.5 * draft.sizes[g] * (draft.sizes[g] - 1)
    if own >= 0:
        mine -= draft.sizes[own] - 1
    for g in range(end):
        draft.index[g] = 0.0
        draft.mine[g] = mine + draft.sizes[g] - (g == own)
    for s in range(draft.n_draws):
        both, theirs = draft.pairs_both[s], draft.pairs_theirs[s]
        chance = theirs / pairs
        if 0.0 < chance < 1.0:
            for g in range(end):
                expected = draft.mine[g] * chance
                draft.weight[s, g] = 1.0 / (0.5 * (draft.mine[g] + theirs) - expected)
                draft.index[g] += (both - expected) * draft.weight[s, g]
        else:  # all together or all apart: the index is 1 if the other is so, too, and otherwise 0
            for g in range(end):
                draft.weight[s, g] = 0.0
                draft.index[g] += draft.mine[g] == theirs
    draft.weighed = own


def cheapest(draft, own):
    """Place of the lowest price other than ``own``: a cluster, or a new one; −1 if there is none."""
    best, end = -1, min(draft.n_clusters + 1, draft.room)
    if own >= 0 and draft.sizes[own] == 1:  # a new one would be the same
        end = draft.n_clusters
    for g in range(end):
        if g != own and (best < 0 or draft.price[g] < draft.price[best] - 1e-12):
            best = g
    return best


def offer(draft, i):
    """Offer object i every other cluster; does it move?"""
    own = draft.labels[i]
    weigh(draft, i)
    best = cheapest(draft, own)
    draft.margin[i] = draft.price[best] - draft.price[own] if best >= 0 else math.inf
    moves = draft.margin[i] < -1e-12
    if moves:
        put_elsewhere(draft, i, best)
    return moves


def put_elsewhere(draft, i, g):
    """Object i moves to cluster g."""
    own, n_clusters = draft.labels[i], draft.n_clusters
    take_out(draft, i)
    if draft.n_clusters < n_clusters and g == draft.n_clusters:  # it was the last, and has another number now
        g = own
    put(draft, i, g)


def allocate(draft, order):
    """Put the objects that are out where they cost least, in the given order."""
    with cython.nogil:
        for o in range(order.shape[0]):
            weigh(draft, order[o])
            put(draft, order[o], cheapest(draft, -1))


def improve(draft, order):
    """Offer every object every other cluster; how many have moved?"""
    moved = 0
    with cython.nogil:
        for o in range(order.shape[0]):
            moved += offer(draft, order[o])
    return moved


def clear(draft, members):
    """Take these objects out."""
    with cython.nogil:
        for o in range(members.shape[0]):
            take_out(draft, members[o])


def fill(draft, labels):
    """Make it the partition with these labels, 0, 1, … with none left out."""
    with cython.nogil:
        draft.counts[:, :] = 0
        draft.sizes[:] = 0
        draft.pairs_both[:] = 0.0
        draft.n_clusters, draft.weighed = 0, -2
        for i in range(draft.n):
            g = labels[i]
            draft.labels[i] = g
            draft.sizes[g] += 1
            draft.n_clusters = max(draft.n_clusters, g + 1)
            for s in range(draft.n_draws):
                r = draft.row[i, s]
                draft.pairs_both[s] += draft.counts[r, g]
                draft.counts[r, g] += 1


def sum_in_common(draft, f, out):
    """Σ f(n_gh) over the intersections with every draw, (S,), from a table of f."""
    with cython.nogil:
        for s in range(draft.n_draws):
            total = 0.0
            for r in range(draft.first[s], draft.first[s + 1]):
                for g in range(draft.n_clusters):
                    total += f[draft.counts[r, g]]
            out[s] = total
