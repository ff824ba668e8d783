"""Compiled inner loops of Te-Gauss: objects of one epoch, and links between two.

Clusters of an epoch live in slots, as many as there are objects. ``order`` holds all slots, those in use first; a
cluster keeps its slot for as long as it lives.
"""

from math import exp, lgamma, log
from typing import Any, NamedTuple

import numpy as np

from tetiwd._jit import helper, kernel


class GaussEpoch(NamedTuple):
    """One epoch, changed in place."""

    X: Any  # (n, p)
    z: Any  # (n,) slot of every object
    size: Any  # (1,) number of clusters k
    order: Any  # (n,) slots, the k in use first
    counts: Any  # (n,) objects of every slot
    sums: Any  # (n, p) their sums
    back: Any  # (n,) slot of the linked cluster at the epoch before, −1 for none
    forward: Any  # (n,) the same at the epoch after


@helper
def log_predictive(x, count, total, within, between):
    """Log density of an object in a cluster of which ``count`` objects with sum ``total`` are known."""
    spread = 1.0 / (1.0 / between + count / within)
    variance = within + spread
    square = 0.0
    for j in range(len(x)):
        gap = x[j] - spread / within * total[j]
        square += gap * gap
    return -0.5 * (len(x) * log(variance) + square / variance)  # 2π is the same for every cluster


@helper
def unlinked(epoch, link):
    """Objects in clusters without a link."""
    total = 0
    for j in range(epoch.size[0]):
        if link[epoch.order[j]] < 0:
            total += epoch.counts[epoch.order[j]]
    return total


@helper
def pick_unlinked(rng, epoch, link, total, none):
    """A cluster without a link, with weight its size, or −1 with weight ``none``."""
    u = rng.random() * (total + none)
    for j in range(epoch.size[0]):
        c = epoch.order[j]
        if link[c] < 0:
            u -= epoch.counts[c]
            if u < 0:
                return c
    return -1


@helper
def take_out(epoch, before, after, i):
    """Take an object out of its cluster; a cluster left empty loses its links and its slot."""
    c, k = epoch.z[i], epoch.size[0]
    epoch.counts[c] -= 1
    epoch.sums[c] -= epoch.X[i]
    if epoch.counts[c] > 0:
        return
    epoch.sums[c] = 0.0
    if epoch.back[c] >= 0:
        before.forward[epoch.back[c]] = -1
        epoch.back[c] = -1
    if epoch.forward[c] >= 0:
        after.back[epoch.forward[c]] = -1
        epoch.forward[c] = -1
    for j in range(k):
        if epoch.order[j] == c:
            epoch.order[j], epoch.order[k - 1] = epoch.order[k - 1], epoch.order[j]
            break
    epoch.size[0] = k - 1


@kernel
def update_objects(rng, epoch, before, after, xi, within, between):
    """One Gibbs pass over the objects of an epoch.

    The weights are those of ``tetiwd.model.partition_prior.candidate_weight``. Those of a new cluster are a product of
    where it comes from and where it goes, so that both are drawn by themselves once a new cluster has been chosen.
    """
    n = len(epoch.z)
    log_weight = np.empty(n + 1)
    for i in range(n):
        take_out(epoch, before, after, i)
        x, k = epoch.X[i], epoch.size[0]
        for j in range(k):
            c = epoch.order[j]
            size = epoch.counts[c]
            earlier = before.counts[epoch.back[c]] if epoch.back[c] >= 0 else 0
            later = after.counts[epoch.forward[c]] if epoch.forward[c] >= 0 else 0
            log_weight[j] = log((earlier + size) * (size + later) / size)
            log_weight[j] += log_predictive(x, size, epoch.sums[c], within, between)
        ended, begun = unlinked(before, before.forward), unlinked(after, after.back)
        fresh = epoch.order[k]
        log_weight[k] = log((ended + xi) * (1.0 + begun / xi))
        log_weight[k] += log_predictive(x, 0, epoch.sums[fresh], within, between)
        top = log_weight[: k + 1].max()
        total = 0.0
        for j in range(k + 1):
            log_weight[j] = exp(log_weight[j] - top)
            total += log_weight[j]
        u, chosen = rng.random() * total, k
        for j in range(k):
            u -= log_weight[j]
            if u < 0:
                chosen = j
                break
        c = epoch.order[chosen]
        if chosen == k:
            epoch.size[0] = k + 1
            a = pick_unlinked(rng, before, before.forward, ended, xi)
            b = pick_unlinked(rng, after, after.back, begun, xi)
            epoch.back[c], epoch.forward[c] = a, b
            if a >= 0:
                before.forward[a] = c
            if b >= 0:
                after.back[b] = c
        epoch.z[i] = c
        epoch.counts[c] += 1
        epoch.sums[c] += x


@helper
def log_gain_of_link(earlier, later, xi):
    """How much more probable a cluster is that continues another than one that is born."""
    return lgamma(earlier + later) - lgamma(earlier) - log(xi) - lgamma(later)


@kernel
def update_links(rng, here, there, n_steps, xi):
    """Metropolis steps on the links between two epochs: cut one, make one, or let two pairs swap partners."""
    for _ in range(n_steps):
        c = here.order[int(rng.random() * here.size[0])]
        f = there.order[int(rng.random() * there.size[0])]
        a, g = here.forward[c], there.back[f]
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
        if log(rng.random()) >= gain:
            continue
        if a == f:
            here.forward[c], there.back[f] = -1, -1
            continue
        here.forward[c], there.back[f] = f, c
        if g >= 0:
            here.forward[g] = a
        if a >= 0:
            there.back[a] = g
