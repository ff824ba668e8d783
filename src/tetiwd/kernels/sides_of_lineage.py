"""How the members of a lineage, at some epochs, are divided between two lineages.

They are allocated one by one, epoch after epoch, by the likelihood of the two lineages alone and a simple urn. What
the lineages have at other epochs is there from the start. The allocation is drawn, or followed where it is known.
"""

import math

import numpy as np

from tetiwd.kernels import lineage_bonds, node_terms, shift_terms
from tetiwd.kernels.node_terms import NodeTerms
from tetiwd.kernels.shift_terms import ShiftTerms


class SidesOfLineage:
    """The two lineages by themselves: sides 0 and 1, with T nodes each."""

    def __init__(self, n, n_epochs):
        T = n_epochs
        self.n_epochs = T
        self.terms, self.shift = NodeTerms(2, T), ShiftTerms(2, T)
        self.counts, self.S, self.r = np.zeros((2, T), np.int64), np.zeros((2 * T, 2 * T)), np.zeros(2 * T)
        self.slot, self.spreads = np.zeros(2, np.int64), np.zeros(2)
        self.members, self.side = np.zeros(n, np.int64), np.zeros(n, np.int64)  # in the order of allocation
        self.side_of_group = np.zeros(n, np.int64)  # of groups that stay together, −1 while it is open
        self.n_members = 0
        self.lo, self.hi = 0, 0  # first and last epoch that are divided
        self.log_chance = 0.0  # of the allocation


def list_members(given, sides, rng, i, j):
    """Members of both lineages at the epochs to be divided: i and j, then all others, epoch by epoch at random."""
    sides.members[0], sides.members[1] = i, j
    n = 2
    for t in range(sides.lo, sides.hi + 1):
        start = n
        for obj in range(given.first[t], given.first[t + 1]):
            c = given.z[obj]
            if (c == sides.slot[0] or c == sides.slot[1]) and obj != i and obj != j:
                sides.members[n] = obj
                n += 1
        for m in range(n - 1, start, -1):
            k = start + rng.below(m - start + 1)
            obj = sides.members[m]
            sides.members[m] = sides.members[k]
            sides.members[k] = obj
    sides.n_members = n


def settle_groups(given, bonds, sides, i, j):
    """Which groups among the members have a side before anyone is allocated; False if there is no way to divide them.

    The group of i is on side 0, that of j on side 1. A group with members at other epochs stays where it is, on side 0.
    """
    for m in range(sides.n_members):
        if bonds.group[sides.members[m]] >= 0:
            sides.side_of_group[bonds.group[sides.members[m]]] = -1
    for m in range(sides.n_members):
        g = bonds.group[sides.members[m]]
        if g >= 0 and not lineage_bonds.is_within(given, g, sides.lo, sides.hi):
            if given.z[sides.members[m]] != sides.slot[0]:
                return False  # it would have to leave them
            sides.side_of_group[g] = 0
    if bonds.group[i] >= 0:
        sides.side_of_group[bonds.group[i]] = 0
    if bonds.group[j] >= 0:
        if sides.side_of_group[bonds.group[j]] == 0:
            return False
        sides.side_of_group[bonds.group[j]] = 1
    return True


def begin(given, sides, whole):
    """The two lineages, whole or without the epochs to be divided; a slot beyond the lineages is empty."""
    T = sides.n_epochs
    for a in range(2):
        for t in range(T):
            kept = (whole or not sides.lo <= t <= sides.hi) and sides.slot[a] < given.size[0]
            sides.counts[a, t] = given.counts[sides.slot[a], t] if kept else 0
    for a in range(2):
        for t in range(T):
            for b in range(2):
                for s in range(T):
                    both = sides.counts[a, t] > 0 and sides.counts[b, s] > 0
                    sides.S[a * T + t, b * T + s] = (
                        given.S[sides.slot[a] * T + t, sides.slot[b] * T + s] if both else 0.0
                    )


def add_up_row(given, sides, m):
    """Row sums of member m over the nodes of both sides, as far as they are filled."""
    T, obj = sides.n_epochs, sides.members[m]
    for a in range(2):
        for t in range(T):
            outside = sides.counts[a, t] > 0 and not sides.lo <= t <= sides.hi
            if outside:
                sides.r[a * T + t] = given.sums.at(sides.slot[a] * T + t, obj)
            else:
                sides.r[a * T + t] = given.sums.to_side(obj, a * T + t)


def put(given, sides, m, a):
    """Member m, whose row sums are there, joins side a."""
    T = sides.n_epochs
    t = given.epoch[sides.members[m]]
    node = a * T + t
    for k in range(2 * T):
        sides.S[node, k] += sides.r[k]
        sides.S[k, node] += sides.r[k]
    given.sums.join_side(sides.members[m], node)
    sides.counts[a, t] += 1
    sides.side[m] = a


def log_weight(sides, motion, a, t):
    """Log weight of side a for one more object: what the urn remembers of it, and who has come."""
    n, s, fade = sides.counts[a, t], t - 1, motion.kappa
    while s >= 0 and sides.counts[a, s] == 0:
        s -= 1
        fade *= motion.delta
    weight = fade * sides.counts[a, s] if s >= 0 else 0.0
    return math.log(weight + n) if weight + n > 0.0 else math.log(motion.kappa * motion.xi)


def log_prediction(sides, terms, shift, motion, a):
    """Log likelihood of the object last looked at on side a."""
    if motion.shift > 0.0:
        shift_terms.predict(shift, shift.inverse, shift.B, shift.yr, a)
        variance = sides.spreads[a] * (1.0 + terms.M[a]) + shift.variance
        return node_terms.log_density(motion, variance, terms.u[a] - 0.5 * terms.Q[a, a] + shift.distance)
    k = terms.y[a] / terms.weight
    variance = sides.spreads[a] * (1.0 + terms.M[a]) + terms.y[a] * k
    return node_terms.log_prediction(terms, motion, variance, k, terms.u[a], terms.Q[a, a], terms.p[a])


def allocate(given, sides, motion, rng, follow, b):
    """Put all members on sides, at random or, with ``follow``, where they are: those of lineage b on side 1."""
    begin(given, sides, False)
    given.sums.open_sides()
    sides.log_chance = 0.0
    epoch = -1
    bound = given.bonds.n_groups > 0
    for m in range(sides.n_members):
        obj = sides.members[m]
        t = given.epoch[obj]
        add_up_row(given, sides, m)
        if m < 2:
            put(given, sides, m, m)
            continue
        if t != epoch:
            node_terms.build(sides.terms, sides.counts, sides.S, sides.spreads, 2, t, motion)
            if motion.shift > 0.0:
                shift_terms.build(sides.shift, sides.terms, sides.counts, sides.S, sides.spreads, 2, t, motion)
            epoch = t
        node_terms.look_at(sides.terms, sides.r, 2)
        if motion.shift > 0.0:
            shift_terms.look_at(sides.shift, sides.r, 2 * sides.n_epochs)
        g = given.bonds.group[obj] if bound else -1
        if g >= 0 and sides.side_of_group[g] >= 0:
            a = sides.side_of_group[g]
        else:
            odds = log_weight(sides, motion, 1, t) + log_prediction(sides, sides.terms, sides.shift, motion, 1)
            odds -= log_weight(sides, motion, 0, t) + log_prediction(sides, sides.terms, sides.shift, motion, 0)
            a = 1 if follow and given.z[obj] == b else 0
            if not follow:
                a = 1 if rng.uniform() < math.exp(-log_one_plus_exp(-odds)) else 0
            sides.log_chance -= log_one_plus_exp(-odds if a == 1 else odds)
            if g >= 0:
                sides.side_of_group[g] = a
        if sides.counts[a, t] > 0:
            if motion.shift > 0.0:
                shift_terms.change(sides.shift, sides.terms, a, sides.spreads[a], 2, 1.0)
            node_terms.change(sides.terms, a, sides.spreads[a], 2, 1.0)
        else:
            epoch = -1
        put(given, sides, m, a)


def log_one_plus_exp(x):
    """log(1 + exp(x))."""
    if x > 35.0:
        return x
    return math.log(1.0 + math.exp(x))
