"""Displacements of epochs, seen from one epoch: what ``node_terms`` needs besides.

Of a lineage c there are now rows y_c = Y_ct and p_c = v_cᵀ S Ỹ of q columns, of all together Λ⁻¹, B = ỸᵀS Ỹ and ỹᵀr.
With k = Λ⁻¹ y_c an object is at

    variance = α_c (1 + M_c) + y_cᵀk,    δ = u_c + kᵀ(ỹᵀr − p_c) − ½ (Q_cc + kᵀB k)

from lineage c. All of it is closed under one object more or less, in O(C q + q²).
"""

import math

import numpy as np

from tetiwd.kernels import centres, shift_columns


class ShiftTerms:
    """Columns of up to C lineages at one epoch, besides their NodeTerms.

    ``out_…`` are Λ⁻¹, B and ỹᵀr with an object out. The last row of y and p belongs to the candidate at hand.
    """

    def __init__(self, capacity, n_epochs):
        C, T = capacity, n_epochs
        q = self.n_columns = 1 + T
        self.Y = np.zeros((C * T, q))  # Ỹ
        self.y, self.p = np.zeros((C + 1, q)), np.zeros((C + 1, q))
        self.inverse, self.B, self.yr = np.zeros((q, q)), np.zeros((q, q)), np.zeros((1, q))
        self.out_inverse, self.out_B, self.out_yr = np.zeros((q, q)), np.zeros((q, q)), np.zeros((1, q))
        self.k = np.zeros((1, q))  # y_c/(g α_c) of the object that joins or leaves
        self.x, self.z, self.row, self.weight = np.zeros((1, q)), np.zeros((1, q)), np.zeros((1, T)), np.zeros((q, q))
        self.variance = self.distance = 0.0


def build(shift, terms, counts, S, spreads, n_lineages, t, motion):
    """All columns from scratch; the terms have been built."""
    T, q, root = terms.n_epochs, shift.n_columns, math.sqrt(motion.shift)
    K = n_lineages * T
    shift_columns.begin_weight(shift.weight, q)
    for c in range(n_lineages):
        centres.smooth(terms.own, counts, c, spreads[c], motion.rho, motion.new_scale)
        shift_columns.set_lineage(terms.own, counts, c, spreads[c], root, shift.row, shift.Y, c * T)
        shift.y[c, 0] = terms.y[c]
        for s in range(T):
            shift_columns.add_weight(shift.weight, q, counts[c, s], s, root, shift.Y, c * T + s)
            shift.y[c, 1 + s] = -root * terms.v[c, s] * counts[c, s]
        shift.y[c, 1 + t] += root
    shift_columns.invert(shift.weight, q, shift.inverse)
    for i in range(q):
        shift_columns.clear(shift.B, i, q)
    for c in range(n_lineages):
        shift_columns.clear(shift.p, c, q)
        shift_columns.combine(terms.Sv, c, 0, K, shift.Y, q, shift.p, c)
        for e in range(terms.n_present[c]):
            node = c * T + terms.present[c, e]
            shift_columns.clear(shift.x, 0, q)
            shift_columns.combine(S, node, 0, K, shift.Y, q, shift.x, 0)
            shift_columns.add_product(shift.B, q, 1.0, shift.Y, node, shift.x, 0)


def look_at(shift, row, n_nodes):
    """ỹᵀr for one object with these sums over all nodes."""
    shift_columns.clear(shift.yr, 0, shift.n_columns)
    for k in range(n_nodes):
        r = row[k]
        if r != 0.0:
            for j in range(shift.n_columns):
                shift.yr[0, j] += r * shift.Y[k, j]


def change_common(shift, terms, c, spread, sign, inverse, B, yr):
    """Λ⁻¹, B and ỹᵀr, into arrays that may be those at present, after the object joins or leaves node (c, t)."""
    q, g = shift.n_columns, 1.0 + sign * terms.M[c]
    u_c, Q_cc, y_k = terms.u[c], terms.Q[c, c], 0.0
    shift_columns.clear(shift.x, 0, q)
    shift_columns.combine(shift.y, c, 0, q, shift.inverse, q, shift.x, 0)
    for i in range(q):
        y_k += shift.y[c, i] * shift.x[0, i]
    factor = sign / (g * spread + sign * y_k)
    for i in range(q):
        for j in range(q):
            inverse[i, j] = shift.inverse[i, j] - factor * shift.x[0, i] * shift.x[0, j]
    for i in range(q):
        shift.k[0, i] = shift.y[c, i] / (g * spread)
        yr[0, i] = shift.yr[0, i] - sign * shift.k[0, i] * u_c
    for i in range(q):
        k_i, x_i = shift.k[0, i], yr[0, i] - shift.p[c, i]
        for j in range(q):
            more = k_i * (yr[0, j] - shift.p[c, j]) + x_i * shift.k[0, j]
            B[i, j] = shift.B[i, j] + sign * more + Q_cc * k_i * shift.k[0, j]


def change_lineage(shift, terms, b, c, sign, yr, i):
    """y and p of lineage b, into row i, after the object joins or leaves node (c, t); ``yr`` is ỹᵀr after that."""
    g = 1.0 + sign * terms.M[c]
    pull = sign * (terms.Q[b, c] - terms.u[b])
    for j in range(shift.n_columns):
        shift.p[i, j] = shift.p[b, j] - pull * shift.k[0, j]
        shift.y[i, j] = shift.y[b, j]
        if b == c:
            shift.p[i, j] = (shift.p[i, j] + sign * terms.M[c] * yr[0, j]) / g
            shift.y[i, j] /= g


def change(shift, terms, c, spread, n_lineages, sign):
    """The object last looked at joins (sign 1.0) or leaves (−1.0) node (c, t); the terms change afterwards."""
    T = terms.n_epochs
    change_common(shift, terms, c, spread, sign, shift.inverse, shift.B, shift.yr)
    for b in range(n_lineages):
        change_lineage(shift, terms, b, c, sign, shift.yr, b)
    for s in range(T):
        x = sign * terms.v[c, s]
        for j in range(shift.n_columns):
            shift.Y[c * T + s, j] -= x * shift.k[0, j]


def set_new(shift, motion, t, i):
    """Row i of y and p is a lineage without objects."""
    shift_columns.clear(shift.y, i, shift.n_columns)
    shift_columns.clear(shift.p, i, shift.n_columns)
    shift.y[i, 0] = 1.0
    shift.y[i, 1 + t] = math.sqrt(motion.shift)


def predict(shift, inverse, B, yr, i):
    """What row i of y and p adds to the variance of an object and to its distance."""
    variance, distance, q = 0.0, 0.0, shift.n_columns
    shift_columns.clear(shift.x, 0, q)
    shift_columns.combine(shift.y, i, 0, q, inverse, q, shift.x, 0)
    shift_columns.clear(shift.z, 0, q)
    shift_columns.combine(shift.x, 0, 0, q, B, q, shift.z, 0)
    for j in range(q):
        variance += shift.x[0, j] * shift.y[i, j]
        distance += shift.x[0, j] * (yr[0, j] - shift.p[i, j] - 0.5 * shift.z[0, j])
    shift.variance, shift.distance = variance, distance
