"""Put objects, one at a time, where the expected loss over all draws grows least.

The intersections of the clusters built so far with those of every draw are kept as counts. All draws' clusters are
numbered through, so that ``row[i, s]`` says which row of ``counts`` belongs to object i's cluster in draw s, and
``counts[row, g]`` how many of its members are in cluster g. One look at an object costs (draws × clusters); it adds up
``saved[row, g]``, which is what one more member in common would save.

The loss is additive (VI, Binder), read from two tables, or one minus the adjusted Rand index.
"""

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
    n_rows
        Clusters of all draws.
    room
        Most clusters that the partition may have.
    grow
        (N + 1,) price of one more in a cluster of 0, 1, … objects; empty for the Rand index.
    meet
        (N + 1,) what one more in an intersection of 0, 1, … objects saves.
    pairs_theirs
        (S,) pairs together in a draw, for the Rand index.
    """

    def __init__(self, row, n_rows, room, grow, meet, pairs_theirs):
        self.n, self.n_draws = row.shape
        self.row, self.n_rows, self.room = row, n_rows, room
        self.grow, self.meet, self.pairs_theirs = grow, meet, pairs_theirs
        self.by_pairs = len(grow) == 0
        self.counts = np.zeros((n_rows, room), np.int32)
        self.saved = np.full((n_rows, room), meet[0])  # ``meet`` of the counts
        self.labels = np.full(self.n, -1, np.int64)  # −1 for an object that is out
        self.sizes = np.zeros(room, np.int64)
        self.n_clusters = 0
        self.pairs_both = np.zeros(self.n_draws)  # pairs together in both
        self.price, self.mine = np.zeros(room + 1), np.zeros(room + 1)


def put(draft, i, g, sign):
    """Object i joins cluster g (sign 1) or leaves it (−1)."""
    for s in range(draft.n_draws):
        r = draft.row[i, s]
        common = draft.counts[r, g]
        draft.pairs_both[s] += common if sign > 0 else 1 - common
        common += sign
        draft.counts[r, g] = common
        draft.saved[r, g] = draft.meet[common]
    draft.sizes[g] += sign
    draft.labels[i] = g if sign > 0 else -1
    if g == draft.n_clusters:
        draft.n_clusters += 1


def close(draft, g):
    """The last cluster takes the place of cluster g, which is empty."""
    last = draft.n_clusters - 1
    if g != last:
        for r in range(draft.n_rows):
            draft.counts[r, g] = draft.counts[r, last]
            draft.counts[r, last] = 0
            draft.saved[r, g] = draft.saved[r, last]
            draft.saved[r, last] = draft.meet[0]
        for i in range(draft.n):
            if draft.labels[i] == last:
                draft.labels[i] = g
        draft.sizes[g] = draft.sizes[last]
        draft.sizes[last] = 0
    draft.n_clusters = last


def adjusted_rand(both, mine, theirs, pairs):
    """Adjusted Rand index from numbers of pairs."""
    expected, best = mine * theirs / pairs, 0.5 * (mine + theirs)
    if best - expected <= 1e-12 * pairs:
        return 1.0
    return (both - expected) / (best - expected)


def weigh(draft, i):
    """Price of every cluster, and of a new one, for object i, which is out."""
    k = draft.n_clusters
    for g in range(k + 1):
        draft.price[g] = 0.0
    if draft.by_pairs:
        weigh_by_pairs(draft, i)
        return
    for s in range(draft.n_draws):
        r = draft.row[i, s]
        for g in range(k):
            draft.price[g] -= draft.saved[r, g]
    for g in range(k):
        draft.price[g] = draft.price[g] / draft.n_draws + draft.grow[draft.sizes[g]]
    draft.price[k] = draft.grow[0] - draft.meet[0]


def weigh_by_pairs(draft, i):
    """The same for the Rand index."""
    k = draft.n_clusters
    pairs = max(0.5 * draft.n * (draft.n - 1), 1.0)
    total = 0.0
    for g in range(k):
        total += 0.5 * draft.sizes[g] * (draft.sizes[g] - 1)
    for g in range(k):
        draft.mine[g] = total + draft.sizes[g]  # pairs if i joins each of the clusters
    draft.mine[k] = total
    for s in range(draft.n_draws):
        r = draft.row[i, s]
        both, theirs = draft.pairs_both[s], draft.pairs_theirs[s]
        if 0 < theirs < pairs:  # then the index is a ratio like any other, and the loop is fast
            chance = theirs / pairs
            for g in range(k):
                expected = draft.mine[g] * chance
                draft.price[g] -= (both + draft.saved[r, g] - expected) / (0.5 * (draft.mine[g] + theirs) - expected)
        else:
            for g in range(k):
                draft.price[g] -= adjusted_rand(both + draft.saved[r, g], draft.mine[g], theirs, pairs)
        draft.price[k] -= adjusted_rand(both, draft.mine[k], theirs, pairs)
    for g in range(k + 1):
        draft.price[g] /= draft.n_draws


def cheapest(draft):
    """Cluster of the lowest price; a new one only if there is room."""
    best = 0
    for g in range(1, min(draft.n_clusters + 1, draft.room)):
        if draft.price[g] < draft.price[best] - 1e-12:
            best = g
    return best


def offer(draft, i):
    """Offer object i every cluster; does it move?"""
    g = draft.labels[i]
    put(draft, i, g, -1)
    weigh(draft, i)
    alone = draft.sizes[g] == 0
    best = cheapest(draft)
    stay = draft.price[draft.n_clusters] if alone else draft.price[g]
    moves = draft.price[best] < stay - 1e-12
    put(draft, i, best if moves else g, 1)
    if moves and alone:
        close(draft, g)
    return moves


def allocate(draft, order):
    """Put the objects that are out where they cost least, in the given order."""
    with cython.nogil:
        for o in range(order.shape[0]):
            weigh(draft, order[o])
            put(draft, order[o], cheapest(draft), 1)


def improve(draft, order, most_passes):
    """Offer every object every cluster again until none wants to move; True if none does."""
    moved = 1
    with cython.nogil:
        for _ in range(most_passes):
            moved = 0
            for o in range(order.shape[0]):
                moved += offer(draft, order[o])
            if moved == 0:
                break
    return moved == 0


def clear(draft, members):
    """Take these objects out and close the clusters that are empty then."""
    with cython.nogil:
        for o in range(members.shape[0]):
            g = draft.labels[members[o]]
            put(draft, members[o], g, -1)
            if draft.sizes[g] == 0:
                close(draft, g)
