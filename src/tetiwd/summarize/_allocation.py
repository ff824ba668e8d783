"""Compiled: put objects, one at a time, where the expected loss over all draws grows least.

The intersections of the clusters built so far with those of every draw are kept as counts. All draws' clusters are
numbered through, so that ``row[i, s]`` says which row of ``counts`` belongs to object i's cluster in draw s, and
``counts[row, g]`` how many of its members are in cluster g. One look at an object costs (draws × clusters); it adds up
``saved[row, g]``, which is what one more member in common would save.

The loss is additive (VI, Binder), read from two tables, or one minus the adjusted Rand index.
"""

from typing import NamedTuple

import numpy as np

from tetiwd._jit import helper, kernel


class Found(NamedTuple):
    """A partition that is being built, and what it is compared with."""

    row: np.ndarray  # (N, S)
    counts: np.ndarray  # (clusters of all draws, room)
    saved: np.ndarray  # the same shape: ``meet`` of the counts; the counts themselves for the Rand index
    labels: np.ndarray  # (N,), −1 for an object that is out
    sizes: np.ndarray  # (room,)
    n_clusters: np.ndarray  # (1,)
    grow: np.ndarray  # (N + 1,) price of one more in a cluster of 0, 1, … objects; empty for the Rand index
    meet: np.ndarray  # (N + 1,) what one more in an intersection of 0, 1, … objects saves
    pairs_both: np.ndarray  # (S,) pairs together in both, for the Rand index
    pairs_theirs: np.ndarray  # (S,) pairs together in a draw


@helper
def put(draft, i, g, sign):
    """Object i joins cluster g (sign 1) or leaves it (−1)."""
    for s in range(draft.row.shape[1]):
        r = draft.row[i, s]
        common = draft.counts[r, g]
        draft.pairs_both[s] += common if sign > 0 else 1 - common
        common += sign
        draft.counts[r, g] = common
        draft.saved[r, g] = draft.meet[common]
    draft.sizes[g] += sign
    draft.labels[i] = g if sign > 0 else -1
    if g == draft.n_clusters[0]:
        draft.n_clusters[0] += 1


@helper
def close(draft, g):
    """The last cluster takes the place of cluster g, which is empty."""
    last = draft.n_clusters[0] - 1
    if g != last:
        for r in range(draft.counts.shape[0]):
            draft.counts[r, g] = draft.counts[r, last]
            draft.counts[r, last] = 0
            draft.saved[r, g] = draft.saved[r, last]
            draft.saved[r, last] = draft.meet[0]
        for i in range(len(draft.labels)):
            if draft.labels[i] == last:
                draft.labels[i] = g
        draft.sizes[g] = draft.sizes[last]
        draft.sizes[last] = 0
    draft.n_clusters[0] = last


@helper
def adjusted_rand(both, mine, theirs, pairs):
    """Adjusted Rand index from numbers of pairs."""
    expected, best = mine * theirs / pairs, 0.5 * (mine + theirs)
    if best - expected <= 1e-12 * pairs:
        return 1.0
    return (both - expected) / (best - expected)


@helper
def weigh(draft, i, price):
    """Price of every cluster, and of a new one, for object i, which is out."""
    N, S = draft.row.shape
    k = draft.n_clusters[0]
    price[: k + 1] = 0.0
    if len(draft.grow):
        for s in range(S):
            r = draft.row[i, s]
            for g in range(k):
                price[g] -= draft.saved[r, g]
        for g in range(k):
            price[g] = price[g] / S + draft.grow[draft.sizes[g]]
        price[k] = draft.grow[0] - draft.meet[0]
        return
    pairs, mine = max(0.5 * N * (N - 1), 1.0), np.zeros(k + 1)  # of pairs: if i joins each of the clusters
    for g in range(k):
        mine += 0.5 * draft.sizes[g] * (draft.sizes[g] - 1)
    for g in range(k):
        mine[g] += draft.sizes[g]
    for s in range(S):
        r = draft.row[i, s]
        both, theirs = draft.pairs_both[s], draft.pairs_theirs[s]
        if 0 < theirs < pairs:  # then the index is a ratio like any other, and the loop is fast
            chance = theirs / pairs
            for g in range(k):
                expected = mine[g] * chance
                price[g] -= (both + draft.saved[r, g] - expected) / (0.5 * (mine[g] + theirs) - expected)
        else:
            for g in range(k):
                price[g] -= adjusted_rand(both + draft.saved[r, g], mine[g], theirs, pairs)
        price[k] -= adjusted_rand(both, mine[k], theirs, pairs)
    for g in range(k + 1):
        price[g] /= S


@helper
def cheapest(draft, price):
    """Cluster of the lowest price; a new one only if there is room."""
    k = draft.n_clusters[0]
    best = 0
    for g in range(1, k + 1 if k < len(draft.sizes) else k):
        if price[g] < price[best] - 1e-12:
            best = g
    return best


@kernel
def allocate(draft, order):
    """Put the objects that are out where they cost least, in the given order."""
    price = np.empty(len(draft.sizes) + 1)
    for i in order:
        weigh(draft, i, price)
        put(draft, i, cheapest(draft, price), 1)


@kernel
def improve(draft, order, most_passes):
    """Offer every object every cluster again until none wants to move; True if none does."""
    price = np.empty(len(draft.sizes) + 1)
    for _ in range(most_passes):
        moved = False
        for i in order:
            g = draft.labels[i]
            put(draft, i, g, -1)
            weigh(draft, i, price)
            alone = draft.sizes[g] == 0
            best = cheapest(draft, price)
            stay = price[draft.n_clusters[0]] if alone else price[g]
            if price[best] < stay - 1e-12:
                moved = True
                put(draft, i, best, 1)
                if alone:
                    close(draft, g)
            else:
                put(draft, i, g, 1)
        if not moved:
            return True
    return False


@kernel
def clear(draft, members):
    """Take these objects out and close the clusters that are empty then."""
    for i in members:
        g = draft.labels[i]
        put(draft, i, g, -1)
        if draft.sizes[g] == 0:
            close(draft, g)
