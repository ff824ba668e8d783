"""The likelihood of moving centres as sums over lineages: what if one or two of them were otherwise?

Lineages meet only in Λ, a sum over them, and in B = ỸᵀSỸ. With both kept, a proposal that changes two lineages costs
what those two have, and nothing is written until it is accepted. Where epochs are displaced both are matrices, which
are in ``shift_sums``; callers prepare those proposed.
"""

import math

import numpy as np

from tetiwd.kernels import centres, shift_sums
from tetiwd.kernels.centres import Centres
from tetiwd.kernels.shift_sums import ShiftSums


class LineageSums:
    """Sums of the present state, and those of up to two lineages as they are proposed."""

    def __init__(self, capacity, n_epochs):
        C, T = capacity, n_epochs
        self.own, self.shift = Centres(T), ShiftSums(C, T)
        self.log_det, self.trace, self.weight = np.zeros(C), np.zeros(C), np.zeros(C)  # of every lineage
        self.Y, self.SY = np.zeros((C, T)), np.zeros(C * T)  # Ỹ, and S Ỹ of every node
        self.total_log_det = self.total_trace = self.total_weight = self.B = 0.0
        self.n = 0
        self.new_log_det, self.new_trace, self.new_weight = np.zeros(2), np.zeros(2), np.zeros(2)
        self.new_Y, self.row = np.zeros((2, T)), np.zeros((1, T))
        self.counts, self.node = np.zeros((2, T), np.int64), np.zeros((2, T), np.int64)  # as proposed; rows of S


def measure(sums, x, S, spread, motion):
    """The sums of proposal x: a lineage with ``counts[x]``, whose sums of distances are in rows ``node[x]`` of S."""
    T = sums.own.n_epochs
    centres.smooth(sums.own, sums.counts, x, spread, motion.rho, motion.new_scale)
    trace = weight = 0.0
    for t in range(T):
        sums.new_Y[x, t] = 0.0
        if sums.counts[x, t] > 0:
            centres.row_of(sums.own, t, 1.0 / (spread * spread), sums.row, 0)
            for s in range(T):
                if sums.counts[x, s] > 0:
                    trace += sums.row[0, s] * S[sums.node[x, t], sums.node[x, s]]
            sums.new_Y[x, t] = sums.own.Y[t] / spread
            weight += sums.counts[x, t] * sums.new_Y[x, t]
    sums.new_log_det[x] = sums.own.log_det if weight > 0.0 else 0.0
    sums.new_trace[x], sums.new_weight[x] = trace, weight
    if motion.shift > 0.0:
        shift_sums.measure(sums.shift, sums.own, sums.counts, x, spread, motion)


def take_lineage(sums, x, given, c):
    """Proposal x: lineage c as it is."""
    for t in range(given.n_epochs):
        sums.counts[x, t] = given.counts[c, t]
        sums.node[x, t] = c * given.n_epochs + t


def build(sums, given, motion):
    """All sums of the present state."""
    T, C = given.n_epochs, given.size[0]
    sums.total_log_det = sums.total_trace = sums.total_weight = sums.B = 0.0
    sums.n = 0
    for k in range(C * T):
        sums.SY[k] = 0.0
    for c in range(C):
        take_lineage(sums, 0, given, c)
        measure(sums, 0, given.S, given.spreads[c], motion)
        sums.log_det[c], sums.trace[c] = sums.new_log_det[0], sums.new_trace[0]
        sums.weight[c] = sums.new_weight[0]
        if motion.shift > 0.0:
            shift_sums.adopt_lineage(sums.shift, c, T)
        sums.total_log_det += sums.log_det[c]
        sums.total_trace += sums.trace[c]
        sums.total_weight += sums.weight[c]
        for t in range(T):
            sums.Y[c, t] = sums.new_Y[0, t]
            if given.counts[c, t] > 0:
                sums.n += given.counts[c, t]
                y = sums.Y[c, t]
                for k in range(C * T):
                    sums.SY[k] += y * given.S[c * T + t, k]
    for c in range(C):
        for t in range(T):
            sums.B += sums.Y[c, t] * sums.SY[c * T + t]
    if motion.shift > 0.0:
        shift_sums.sum_up(sums.shift, given, motion)


def log_likelihood(sums, motion, log_det, trace, weight, B):
    """Log likelihood from its sums."""
    log_det_W = math.log(sums.n) - math.log(weight) - log_det
    return 0.5 * motion.dof * (log_det_W - 0.5 * (trace + B / weight))


def log_likelihood_now(sums, motion):
    """Log likelihood of the present state."""
    if motion.shift > 0.0:
        return shift_sums.log_likelihood(
            sums.shift, motion, sums.n, sums.total_log_det, sums.total_trace, sums.shift.weight, sums.shift.B
        )
    return log_likelihood(sums, motion, sums.total_log_det, sums.total_trace, sums.total_weight, sums.B)


def log_likelihood_if(sums, motion, a, b, B):
    """Log likelihood with the proposals in place of lineages a and b, either of which may be −1 for none."""
    log_det, trace, weight = sums.total_log_det, sums.total_trace, sums.total_weight
    for x in range(2):
        c = a if x == 0 else b
        if c >= 0:
            log_det += sums.new_log_det[x] - sums.log_det[c]
            trace += sums.new_trace[x] - sums.trace[c]
            weight += sums.new_weight[x] - sums.weight[c]
    if motion.shift > 0.0:
        return shift_sums.log_likelihood(
            sums.shift, motion, sums.n, log_det, trace, sums.shift.new_weight, sums.shift.new_B
        )
    return log_likelihood(sums, motion, log_det, trace, weight, B)


def open_slot(sums, c, n_epochs):
    """A lineage without objects."""
    sums.log_det[c] = sums.trace[c] = sums.weight[c] = 0.0
    for t in range(n_epochs):
        sums.Y[c, t] = 0.0
        sums.SY[c * n_epochs + t] = 0.0
    shift_sums.open_slot(sums.shift, c, n_epochs)


def moved_B(sums, given, n_proposals):
    """B if the nodes of the proposals have the Ỹ proposed, whichever lineage they belonged to; S stays."""
    T, B = given.n_epochs, sums.B
    for x in range(n_proposals):
        for t in range(T):
            if sums.counts[x, t] > 0:
                node = sums.node[x, t]
                change = sums.new_Y[x, t] - old_Y(sums, node, T)
                B += 2.0 * change * sums.SY[node]
                for y in range(n_proposals):
                    for s in range(T):
                        if sums.counts[y, s] > 0:
                            other = sums.node[y, s]
                            B += change * (sums.new_Y[y, s] - old_Y(sums, other, T)) * given.S[node, other]
    return B


def old_Y(sums, node, n_epochs):
    """Ỹ of a node at present."""
    c = int(node / n_epochs)
    return sums.Y[c, node - c * n_epochs]


def adopt_lineage(sums, given, c, B):
    """Proposal 0 becomes lineage c, whose objects are the same as before."""
    T, K = given.n_epochs, given.size[0] * given.n_epochs
    sums.total_log_det += sums.new_log_det[0] - sums.log_det[c]
    sums.total_trace += sums.new_trace[0] - sums.trace[c]
    sums.total_weight += sums.new_weight[0] - sums.weight[c]
    sums.log_det[c], sums.trace[c], sums.weight[c] = sums.new_log_det[0], sums.new_trace[0], sums.new_weight[0]
    sums.B = B
    for t in range(T):
        change = sums.new_Y[0, t] - sums.Y[c, t]
        if given.counts[c, t] > 0:
            for k in range(K):
                sums.SY[k] += change * given.S[c * T + t, k]
        sums.Y[c, t] = sums.new_Y[0, t]
