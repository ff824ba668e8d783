"""Every object in turn: out of its lineage, weights of all lineages at its epoch, a draw, into a lineage.

A lineage that is present, one that is absent and one that is new are candidates alike. A new one needs a spread of its
own, which is drawn from its prior ``n_aux`` times (Neal's Algorithm 8); with equal spreads there is nothing to draw.
"""

import math

import numpy as np

from tetiwd.kernels import lineage_bonds, node_terms, nodes, shift_terms, spread_law, stream, urn
from tetiwd.kernels.node_terms import NodeTerms
from tetiwd.kernels.shift_terms import ShiftTerms
from tetiwd.kernels.urn import Urn

MOST_UPDATES = 100  # rank-one changes of the terms before they are built anew


class NodeAssignment:
    """Scratch of the move: terms, urn, candidates, and spreads of lineages to be born."""

    def __init__(self, capacity, n_epochs):
        self.terms, self.urn = NodeTerms(capacity, n_epochs), Urn(capacity, n_epochs)
        self.shift = ShiftTerms(capacity, n_epochs)
        self.n_aux = 1
        self.log_weight, self.born = np.zeros(capacity + 1), np.zeros(1)
        self.chosen = np.zeros(capacity + 1)  # log_weight is overwritten by a draw
        self.fresh = np.zeros(1)  # spreads

    def make_room(self, n_aux):
        """Room for so many spreads."""
        if self.n_aux != n_aux:
            self.n_aux, self.born, self.fresh = n_aux, np.zeros(n_aux), np.zeros(n_aux)


def draw_spread(rng, motion):
    """The spread of a new lineage from its prior."""
    return motion.alpha * spread_law.draw_from_prior(rng, motion.tau, motion.limit)


def weigh_lineages(scratch, terms, given, motion, a, alone):
    """Log weights of all lineages with the object last looked at, of lineage a, out of it."""
    C, spread = given.size[0], given.spreads[a]
    g = 1.0 - terms.M[a]
    k_a = terms.y[a] / (g * spread)
    yr, B, weight = terms.yr, terms.B, terms.weight
    terms.yr = yr + k_a * terms.u[a]
    terms.B = B + k_a * (k_a * terms.Q[a, a] + 2.0 * terms.p[a] - 2.0 * terms.yr)
    terms.weight = weight - k_a * terms.y[a]
    for c in range(C):
        M, y, u, Q, p = terms.M[c], terms.y[c], terms.u[c], terms.Q[c, c], terms.p[c]
        if c != a:
            p += k_a * (terms.Q[c, a] - u)
        elif alone:  # nobody is left: exactly the prior
            M, y, u, Q, p = motion.new_scale / spread, 1.0, 0.0, 0.0, 0.0
        else:
            p = (p + k_a * Q - M * terms.yr - u * k_a) / g
            Q = (Q - 2.0 * M * u) / (g * g)
            M, y, u = M / g, y / g, u / g
        k = y / terms.weight
        variance = given.spreads[c] * (1.0 + M) + y * k
        scratch.log_weight[c] = scratch.urn.log_weight[a, c] + node_terms.log_prediction(
            terms, motion, variance, k, u, Q, p
        )
    k = 1.0 / terms.weight
    weigh_births(scratch, given, motion, a, k, k * terms.yr - 0.5 * (k * (k * terms.B)))
    terms.yr, terms.B, terms.weight = yr, B, weight


def weigh_displaced(scratch, terms, shift, given, motion, a, t, alone):
    """The same where the objects of every epoch are displaced together."""
    C, spread, candidate = given.size[0], given.spreads[a], shift.y.shape[0] - 1
    g = 1.0 - terms.M[a]
    shift_terms.change_common(shift, terms, a, spread, -1.0, shift.out_inverse, shift.out_B, shift.out_yr)
    for c in range(C):
        M, u, Q = terms.M[c], terms.u[c], terms.Q[c, c]
        shift_terms.change_lineage(shift, terms, c, a, -1.0, shift.out_yr, candidate)
        if c == a and alone:
            M, u, Q = motion.new_scale / spread, 0.0, 0.0
            shift_terms.set_new(shift, motion, t, candidate)
        elif c == a:
            Q = (Q - 2.0 * M * u) / (g * g)
            M, u = M / g, u / g
        shift_terms.predict(shift, shift.out_inverse, shift.out_B, shift.out_yr, candidate)
        variance = given.spreads[c] * (1.0 + M) + shift.variance
        scratch.log_weight[c] = scratch.urn.log_weight[a, c] + node_terms.log_density(
            motion, variance, u - 0.5 * Q + shift.distance
        )
    shift_terms.set_new(shift, motion, t, candidate)
    shift_terms.predict(shift, shift.out_inverse, shift.out_B, shift.out_yr, candidate)
    weigh_births(scratch, given, motion, a, shift.variance, shift.distance)


def weigh_births(scratch, given, motion, a, common, distance):
    """Log weights of new lineages with the spreads that were drawn; a lone object's own lineage is the first.

    ``common`` is the variance of what all lineages have in common.
    """
    C = given.size[0]
    log_share = scratch.urn.log_weight[a, C] - math.log(scratch.n_aux)
    for i in range(scratch.n_aux):
        variance = scratch.fresh[i] + motion.new_scale + common
        scratch.born[i] = log_share + node_terms.log_density(motion, variance, distance)
    top = -math.inf
    for i in range(scratch.n_aux):
        top = max(top, scratch.born[i])
    total = 0.0
    for i in range(scratch.n_aux):
        total += math.exp(scratch.born[i] - top)
    scratch.log_weight[C] = top + math.log(total)


def choose(rng, scratch, C, power, a, alone):
    """Draw a lineage, or C for a new one, whose spread is then the first of the fresh ones.

    Births are averaged before a power is taken. A lone object's own lineage is offered among them only.
    """
    for c in range(C + 1):
        scratch.chosen[c] = scratch.log_weight[c]
    if alone:
        scratch.chosen[a] = -math.inf
    pick = stream.draw_index(rng, scratch.chosen, C + 1, power)
    if pick == C:
        i = stream.draw_index(rng, scratch.born, scratch.n_aux, 1.0)
        scratch.fresh[0] = scratch.fresh[i]
    return pick


def assign_objects(rng, scratch, given, motion, first, moved):
    """Move every object from ``first`` on, and count those that moved by epoch; returns the object it stopped at.

    It stops early, before touching an object, when no slot is free; the caller makes room.
    """
    trusted, epoch = 0, -1  # how many more changes the terms may take before they are built anew; for which epoch
    bound = given.bonds.n_groups > 0
    urn.remember(scratch.urn, given, motion)
    for obj in range(first, given.n):
        C, t, a = given.size[0], given.epoch[obj], given.z[obj]
        if bound and lineage_bonds.is_in_group(given.bonds, obj):
            continue  # groups move as one
        if given.counts.shape[0] == C:
            return obj
        if trusted == 0 or t != epoch:
            node_terms.build(scratch.terms, given.counts, given.S, given.spreads, C, t, motion)
            if motion.shift > 0.0:
                shift_terms.build(scratch.shift, scratch.terms, given.counts, given.S, given.spreads, C, t, motion)
            if t != epoch:
                for c in range(C):
                    scratch.urn.known[c] = 0
            trusted, epoch = MOST_UPDATES, t
        if scratch.urn.known[a] == 0:
            urn.weigh(scratch.urn, given, motion, a, t)
        alone = given.counts[a, t] == 1 and nodes.members_of(given, a) == 1
        for i in range(scratch.n_aux):
            scratch.fresh[i] = given.spreads[a] if alone and i == 0 else draw_spread(rng, motion)
        given.sums.look(obj, C * given.n_epochs, given.row)
        node_terms.look_at(scratch.terms, given.row, C)
        if motion.shift > 0.0:
            shift_terms.look_at(scratch.shift, given.row, C * given.n_epochs)
            weigh_displaced(scratch, scratch.terms, scratch.shift, given, motion, a, t, alone)
        else:
            weigh_lineages(scratch, scratch.terms, given, motion, a, alone)
        if bound and given.bonds.group[obj] >= 0:
            lineage_bonds.add_pull(given.bonds, given.bonds.group[obj], given.z, scratch.log_weight)
        c = choose(rng, scratch, C, motion.power, a, alone)
        if alone and c == C:  # still alone, perhaps with another spread
            if scratch.fresh[0] != given.spreads[a]:
                given.spreads[a] = scratch.fresh[0]
                trusted = 0
            continue
        if c != a:
            moved[t] += 1
            trusted = move_object(scratch, given, motion, obj, a, c, alone, trusted)
    return given.n


def move_object(scratch, given, motion, obj, a, c, alone, trusted):
    """Carry out a move from lineage a to c; returns how many more changes the terms may take."""
    T, t, C = given.n_epochs, given.epoch[obj], given.size[0]
    if c == C:
        given.spreads[c] = scratch.fresh[0]
        given.size[0] += 1
    settled = c < C and given.counts[a, t] > 1 and given.counts[c, t] > 0
    if settled:
        change_terms(scratch, given, motion, a, -1.0)
        change_terms(scratch, given, motion, c, 1.0)
    nodes.add_to_blocks(given, obj, a * T + t, -1.0)
    given.sums.add(obj, a * T + t, -1.0)
    nodes.add_to_blocks(given, obj, c * T + t, 1.0)
    given.sums.add(obj, c * T + t, 1.0)
    given.counts[a, t] -= 1
    given.counts[c, t] += 1
    given.z[obj] = c
    if given.counts[a, t] == 0:
        nodes.clear_node(given, a * T + t)
    if alone:
        nodes.close_lineage(given, a)
    urn.remember(scratch.urn, given, motion)
    return trusted - 1 if settled else 0


def change_terms(scratch, given, motion, c, sign):
    """The object last looked at joins (sign 1.0) or leaves (−1.0) lineage c."""
    if motion.shift > 0.0:
        shift_terms.change(scratch.shift, scratch.terms, c, given.spreads[c], given.size[0], sign)
    node_terms.change(scratch.terms, c, given.spreads[c], given.size[0], sign)
