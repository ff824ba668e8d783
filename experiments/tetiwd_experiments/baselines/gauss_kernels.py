"""Inner loops of Te-Gauss: objects of one epoch, and links between two.

Clusters of an epoch live in slots, as many as there are objects. ``order`` holds all slots, those in use first; a
cluster keeps its slot for as long as it lives. Plain Python; the file that ends in ``.pxd`` tells Cython the types, so
that it can be compiled when the package is built.
"""

import math

import numpy as np


class View:
    """The arrays of one epoch, changed in place."""

    def __init__(self, X, z, size, order, counts, sums, back, forward):
        self.X = X
        self.z = z
        self.size = size
        self.order = order
        self.counts = counts
        self.sums = sums
        self.back = back
        self.forward = forward


def log_predictive(epoch, i, c, within, between):
    """Log density of an object in a cluster, to which it does not belong."""
    p = epoch.X.shape[1]
    spread = 1.0 / (1.0 / between + epoch.counts[c] / within)
    variance = within + spread
    shrink = spread / within
    square = 0.0
    for j in range(p):
        gap = epoch.X[i, j] - shrink * epoch.sums[c, j]
        square += gap * gap
    return -0.5 * (p * math.log(variance) + square / variance)  # 2π is the same for every cluster


def unlinked(epoch, link):
    """Objects in clusters without a link."""
    total = 0
    for j in range(epoch.size[0]):
        if link[epoch.order[j]] < 0:
            total += epoch.counts[epoch.order[j]]
    return total


def pick_unlinked(epoch, link, target):
    """The cluster without a link at which their running size exceeds a target, −1 if none does."""
    for j in range(epoch.size[0]):
        c = epoch.order[j]
        if link[c] < 0:
            target -= epoch.counts[c]
            if target < 0.0:
                return c
    return -1


def pick(log_weight, n, top, u):
    """An index up to n with weight exp(log_weight), by a uniform number u; overwrites the weights."""
    total = 0.0
    for j in range(n + 1):
        log_weight[j] = math.exp(log_weight[j] - top)
        total += log_weight[j]
    target = u * total
    for j in range(n):
        target -= log_weight[j]
        if target < 0.0:
            return j
    return n


def take_out(epoch, before, after, i):
    """Take an object out of its cluster; a cluster left empty loses its links and its slot."""
    c = epoch.z[i]
    epoch.counts[c] -= 1
    if epoch.counts[c] > 0:
        for j in range(epoch.X.shape[1]):
            epoch.sums[c, j] -= epoch.X[i, j]
        return
    for j in range(epoch.X.shape[1]):
        epoch.sums[c, j] = 0.0
    if epoch.back[c] >= 0:
        before.forward[epoch.back[c]] = -1
        epoch.back[c] = -1
    if epoch.forward[c] >= 0:
        after.back[epoch.forward[c]] = -1
        epoch.forward[c] = -1
    last = epoch.size[0] - 1
    for j in range(last):
        if epoch.order[j] == c:
            epoch.order[j] = epoch.order[last]
            epoch.order[last] = c
            break
    epoch.size[0] = last


def put_in(epoch, i, c):
    """Put an object into a cluster."""
    epoch.z[i] = c
    epoch.counts[c] += 1
    for j in range(epoch.X.shape[1]):
        epoch.sums[c, j] += epoch.X[i, j]


def log_weight_of_member(epoch, before, after, i, c, within, between):
    """Log weight of an object in a cluster that has others."""
    size = float(epoch.counts[c])  # compiled, the quotient of two whole numbers is rounded
    earlier = before.counts[epoch.back[c]] if epoch.back[c] >= 0 else 0
    later = after.counts[epoch.forward[c]] if epoch.forward[c] >= 0 else 0
    prior = math.log((earlier + size) * (size + later) / size)
    return prior + log_predictive(epoch, i, c, within, between)


def update_objects(rng, epoch, before, after, xi, within, between):
    """One Gibbs pass over the objects of an epoch.

    The weights are those of ``tetiwd.model.partition_prior.candidate_weight``. Those of a new cluster are a product of
    where it comes from and where it goes, so that both are drawn by themselves once a new cluster has been chosen.
    """
    n = epoch.z.shape[0]
    log_weight = np.empty(n + 1)
    for i in range(n):
        take_out(epoch, before, after, i)
        k = epoch.size[0]
        ended, begun = unlinked(before, before.forward), unlinked(after, after.back)
        top = math.log((ended + xi) * (1.0 + begun / xi)) + log_predictive(epoch, i, epoch.order[k], within, between)
        log_weight[k] = top
        for j in range(k):
            log_weight[j] = log_weight_of_member(epoch, before, after, i, epoch.order[j], within, between)
            top = max(top, log_weight[j])
        chosen = pick(log_weight, k, top, rng.random())
        c = epoch.order[chosen]
        if chosen == k:
            epoch.size[0] = k + 1
            a = pick_unlinked(before, before.forward, rng.random() * (ended + xi))
            b = pick_unlinked(after, after.back, rng.random() * (begun + xi))
            epoch.back[c] = a
            epoch.forward[c] = b
            if a >= 0:
                before.forward[a] = c
            if b >= 0:
                after.back[b] = c
        put_in(epoch, i, c)


def any_cluster(epoch, u):
    """One of the clusters, all alike, by a uniform number u."""
    j = int(u * epoch.size[0])
    return epoch.order[j]


def log_gain_of_link(earlier, later, xi):
    """How much more probable a cluster is that continues another than one that is born."""
    return math.lgamma(earlier + later) - math.lgamma(earlier) - math.log(xi) - math.lgamma(later)


def update_links(rng, here, there, n_steps, xi):
    """Metropolis steps on the links between two epochs: cut one, make one, or let two pairs swap partners."""
    for _ in range(n_steps):
        c = any_cluster(here, rng.random())
        f = any_cluster(there, rng.random())
        a = here.forward[c]
        g = there.back[f]
        gain = log_gain_of_link(here.counts[c], there.counts[f], xi)
        if a == f:
            gain = -gain
        else:
            if a >= 0:
                gain -= log_gain_of_link(here.counts[c], there.counts[a], xi)
            if g >= 0:
                gain -= log_gain_of_link(here.counts[g], there.counts[f], xi)
            if a >= 0 and g >= 0:
                gain += log_gain_of_link(here.counts[g], there.counts[a], xi)
        if math.log(rng.random()) >= gain:
            continue
        if a == f:
            here.forward[c] = -1
            there.back[f] = -1
            continue
        here.forward[c] = f
        there.back[f] = c
        if g >= 0:
            here.forward[g] = a
        if a >= 0:
            there.back[a] = g
