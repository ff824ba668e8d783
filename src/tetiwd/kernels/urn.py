"""The prior of lineages with returns: weights of one object for all lineages, and the log probability of everything.

``weight[c, t]`` is what the urn remembers of lineage c when epoch t comes: κ n δ^(epochs of absence), 0 if it has not
been seen. The formulas are those of ``tetiwd.model.urn``.
"""

import math

import numpy as np

from tetiwd.kernels import gamma


class Urn:
    """Scratch: what is remembered, and weights of an object of every lineage of one epoch for every lineage."""

    def __init__(self, capacity, n_epochs):
        C, T = capacity, n_epochs
        self.weight = np.zeros((C, T))
        self.total = np.zeros(T)  # rate of new lineages plus all weights
        self.log_weight = np.zeros((C, C + 1))  # of an object of the first lineage for the second; last for a new one
        self.known = np.zeros(C, np.int64)  # 1 where that row is up to date
        self.without, self.log_free = np.zeros(T), np.zeros(T)  # totals, and their factors, with the object out
        self.usual = np.zeros(T + 1)  # what an object adds to the normaliser up to an epoch, in most cases


def rate_at(motion, t):
    """Weight of a new lineage."""
    return motion.xi if t <= motion.begins else motion.kappa * motion.xi


def n_at(nodes, t):
    """Objects of an epoch."""
    return nodes.first[t + 1] - nodes.first[t]


def remember(urn, nodes, motion):
    """Weights and totals of the present state."""
    T, C = nodes.n_epochs, nodes.size[0]
    for t in range(T):
        urn.total[t] = rate_at(motion, t)
    for c in range(C):
        weight = 0.0
        for t in range(T):
            urn.weight[c, t] = weight
            urn.total[t] += weight
            weight = motion.kappa * nodes.counts[c, t] if nodes.counts[c, t] > 0 else motion.delta * weight
    for c in range(urn.known.shape[0]):
        urn.known[c] = 0


def log_prior(urn, nodes, motion):
    """Log probability of all lineages; leaves the urn up to date."""
    remember(urn, nodes, motion)
    total = 0.0
    for t in range(nodes.n_epochs):
        total -= gamma.log_rising(urn.total[t], n_at(nodes, t))
        log_rate = math.log(rate_at(motion, t))
        for c in range(nodes.size[0]):
            n = nodes.counts[c, t]
            if n > 0:
                weight = urn.weight[c, t]
                total += gamma.log_rising(weight, n) if weight > 0.0 else log_rate + gamma.log_gamma(n)
    return total


def next_present(nodes, c, t):
    """The epoch after t at which lineage c is present again, T if never."""
    s = t + 1
    while s < nodes.n_epochs and nodes.counts[c, s] == 0:
        s += 1
    return s


def take_out(urn, nodes, motion, a, t):
    """Totals with one object of lineage a out of epoch t, and what an object of a present lineage adds to them."""
    T, n = nodes.n_epochs, nodes.counts[a, t] - 1
    for s in range(t + 1, T):
        urn.without[s] = urn.total[s]
    weight = motion.kappa * n if n > 0 else motion.delta * urn.weight[a, t]
    for s in range(t + 1, min(next_present(nodes, a, t) + 1, T)):
        urn.without[s] += weight - urn.weight[a, s]
        weight *= motion.delta
    more, total = motion.kappa, 0.0
    urn.usual[t] = 0.0
    for s in range(t + 1, T):
        urn.log_free[s] = gamma.log_rising(urn.without[s], n_at(nodes, s))
        total += urn.log_free[s] - gamma.log_rising(urn.without[s] + more, n_at(nodes, s))
        urn.usual[s] = total
        more *= motion.delta
    urn.usual[T] = total


def log_weight_of(urn, nodes, motion, t, n, before, u, n_u):
    """Log weight of a lineage with n objects at t besides, remembered as ``before``, and n_u objects at u, the next."""
    T, kappa, delta = nodes.n_epochs, motion.kappa, motion.delta
    seen = before > 0.0 or n > 0
    old = kappa * n if n > 0 else delta * before  # its weights at later epochs, without and with the object
    new = kappa * (n + 1)
    total = math.log(before + n if seen else rate_at(motion, t))
    if n > 0 or not seen:
        total += urn.usual[u]
    else:
        for s in range(t + 1, min(u + 1, T)):
            total += urn.log_free[s] - gamma.log_rising(urn.without[s] - old + new, n_at(nodes, s))
            old *= delta
            new *= delta
        old, new = delta * before, kappa
    if u < T:
        fade = 1.0
        for _ in range(t + 1, u):
            fade *= delta
        total += gamma.log_rising(new * fade, n_u)
        if seen:
            total -= gamma.log_rising(old * fade, n_u)
        else:
            total -= math.log(rate_at(motion, u)) + gamma.log_gamma(n_u)
    return total


def weigh(urn, nodes, motion, a, t):
    """Log weights of all lineages, and of a new one, for an object of lineage a at epoch t."""
    T, C = nodes.n_epochs, nodes.size[0]
    take_out(urn, nodes, motion, a, t)
    for c in range(C):
        u = next_present(nodes, c, t)
        n_u = nodes.counts[c, u] if u < T else 0
        n = nodes.counts[c, t] - (1 if c == a else 0)
        urn.log_weight[a, c] = log_weight_of(urn, nodes, motion, t, n, urn.weight[c, t], u, n_u)
    urn.log_weight[a, C] = log_weight_of(urn, nodes, motion, t, 0, 0.0, T, 0)
    urn.known[a] = 1
