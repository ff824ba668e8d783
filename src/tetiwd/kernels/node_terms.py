"""The likelihood of moving centres seen from one epoch: O(C) for one object more or less, O(1) per candidate.

Objects of epoch t see of a lineage c only row t of V_c: let v_c be that row divided by α_c. It is multiplied by a
factor when an object joins or leaves node (c, t), so everything that candidates need is closed under such changes:

    M_c = v_c[t],  y_c = Y_ct,  Q_bc = v_bᵀ S v_c,  p_c = v_cᵀ S Ỹ,  Λ,  B = ỸᵀS Ỹ.

With the row sums r of an object, u_c = v_cᵀr and ỹᵀr, its distance from lineage c and variance there are

    variance = α_c (1 + M_c) + y_c²/Λ,    k = y_c/Λ,    δ = u_c + k ỹᵀr − ½ (Q_cc + 2 k p_c + k² B).

The formulas are those of ``tetiwd.model.nodes``.
"""

import math

import numpy as np

from tetiwd.kernels import centres
from tetiwd.kernels.centres import Centres


class NodeTerms:
    """Terms of up to C lineages at one epoch."""

    def __init__(self, capacity, n_epochs):
        C, T = capacity, n_epochs
        self.n_epochs = T
        self.own = Centres(T)
        self.v, self.Y = np.zeros((C, T)), np.zeros((C, T))  # Y is Ỹ here: divided by α_c
        self.M, self.y, self.p, self.u = np.zeros(C), np.zeros(C), np.zeros(C), np.zeros(C)
        self.Q = np.zeros((C, C))
        self.Sv, self.SY = np.zeros((C, C * T)), np.zeros((1, C * T))
        self.present, self.n_present = np.zeros((C, T), np.int64), np.zeros(C, np.int64)  # epochs with objects
        self.weight = self.B = self.yr = 0.0  # Λ, B, ỹᵀr


def note_present(terms, counts, n_lineages):
    """Which nodes have objects."""
    for c in range(n_lineages):
        n = 0
        for s in range(terms.n_epochs):
            if counts[c, s] > 0:
                terms.present[c, n] = s
                n += 1
        terms.n_present[c] = n


def add_rows(terms, S, c, x, i, K, out, o):
    """Row o of ``out`` += Σ over the nodes of lineage c of x[i, s] times their rows of S."""
    for e in range(terms.n_present[c]):
        s = terms.present[c, e]
        x_s, node = x[i, s], c * terms.n_epochs + s
        for j in range(K):
            out[o, j] += x_s * S[node, j]


def dot(terms, c, x, i, row, o):
    """Σ over the nodes of lineage c of x[i, s] times row o of something over all nodes."""
    total = 0.0
    for e in range(terms.n_present[c]):
        s = terms.present[c, e]
        total += x[i, s] * row[o, c * terms.n_epochs + s]
    return total


def build(terms, counts, S, spreads, n_lineages, t, motion):
    """All terms from scratch."""
    T, K, SY = terms.n_epochs, n_lineages * terms.n_epochs, terms.SY
    note_present(terms, counts, n_lineages)
    terms.weight = terms.B = 0.0
    for j in range(K):
        SY[0, j] = 0.0
    for c in range(n_lineages):
        centres.smooth(terms.own, counts, c, spreads[c], motion.rho, motion.new_scale)
        centres.row_of(terms.own, t, 1.0 / spreads[c], terms.v, c)
        terms.M[c], terms.y[c] = terms.v[c, t], terms.own.Y[t]
        for s in range(T):
            terms.Y[c, s] = terms.own.Y[s] / spreads[c]
            terms.weight += counts[c, s] * terms.Y[c, s]
        for j in range(K):
            terms.Sv[c, j] = 0.0
        add_rows(terms, S, c, terms.v, c, K, terms.Sv, c)
        add_rows(terms, S, c, terms.Y, c, K, SY, 0)
    for c in range(n_lineages):
        terms.p[c] = dot(terms, c, terms.v, c, SY, 0)
        terms.B += dot(terms, c, terms.Y, c, SY, 0)
        for b in range(c + 1):
            terms.Q[b, c] = terms.Q[c, b] = dot(terms, b, terms.v, b, terms.Sv, c)


def look_at(terms, row, n_lineages):
    """u of all lineages and ỹᵀr for one object with these sums over all nodes."""
    T, total = terms.n_epochs, 0.0
    for c in range(n_lineages):
        u = 0.0
        for e in range(terms.n_present[c]):
            s = terms.present[c, e]
            r = row[c * T + s]
            u += terms.v[c, s] * r
            total += terms.Y[c, s] * r
        terms.u[c] = u
    terms.yr = total


def change(terms, c, spread, n_lineages, sign):
    """The object last looked at joins (sign 1.0) or leaves (−1.0) node (c, t)."""
    g = 1.0 + sign * terms.M[c]
    k = terms.y[c] / (g * spread)
    M_c, u_c, p_c, Q_cc = terms.M[c], terms.u[c], terms.p[c], terms.Q[c, c]
    yr = terms.yr - sign * k * u_c
    terms.B += k * (k * Q_cc - 2.0 * sign * p_c + 2.0 * sign * yr)
    terms.weight += sign * k * terms.y[c]
    for b in range(n_lineages):
        if b != c:
            terms.p[b] -= sign * k * (terms.Q[b, c] - terms.u[b])
            terms.Q[b, c] = (terms.Q[b, c] + sign * terms.u[b] * M_c) / g
            terms.Q[c, b] = terms.Q[b, c]
    terms.p[c] = (p_c - sign * k * Q_cc + sign * M_c * yr + sign * u_c * k) / g
    terms.Q[c, c] = (Q_cc + 2.0 * sign * M_c * u_c) / (g * g)
    for s in range(terms.n_epochs):
        terms.Y[c, s] -= sign * k * terms.v[c, s]
        terms.v[c, s] /= g
    terms.M[c] /= g
    terms.y[c] /= g
    terms.u[c] /= g
    terms.yr = yr


def log_prediction(terms, motion, variance, k, u, Q, p):
    """Log likelihood of an object at a lineage, up to a constant common to all."""
    distance = u + k * terms.yr - 0.5 * (Q + k * (2.0 * p + k * terms.B))
    return -0.5 * motion.dof * (math.log(variance) + distance / variance)


def log_density(motion, variance, distance):
    """The same of an object whose distance from the lineage is known."""
    return -0.5 * motion.dof * (math.log(variance) + distance / variance)


def log_likelihood(terms, counts, S, spreads, n_lineages, motion):
    """Log likelihood of all objects from scratch; leaves nothing of use in the terms."""
    T, K, N, SY = terms.n_epochs, n_lineages * terms.n_epochs, 0, terms.SY
    note_present(terms, counts, n_lineages)
    weight = B = log_det = trace = 0.0
    for j in range(K):
        SY[0, j] = 0.0
    for c in range(n_lineages):
        centres.smooth(terms.own, counts, c, spreads[c], motion.rho, motion.new_scale)
        log_det += terms.own.log_det
        for e in range(terms.n_present[c]):
            t = terms.present[c, e]
            centres.row_of(terms.own, t, 1.0 / (spreads[c] * spreads[c]), terms.v, c)
            for f in range(terms.n_present[c]):
                s = terms.present[c, f]
                trace += terms.v[c, s] * S[c * T + t, c * T + s]
            terms.Y[c, t] = terms.own.Y[t] / spreads[c]
            weight += counts[c, t] * terms.Y[c, t]
            N += counts[c, t]
        add_rows(terms, S, c, terms.Y, c, K, SY, 0)
    for c in range(n_lineages):
        B += dot(terms, c, terms.Y, c, SY, 0)
    log_det_W = math.log(N) - math.log(weight) - log_det
    return 0.5 * motion.dof * (log_det_W - 0.5 * (trace + B / weight))
