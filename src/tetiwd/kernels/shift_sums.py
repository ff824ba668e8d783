"""Displacements of epochs in sums over lineages: Λ and B if one or two lineages were otherwise.

The lineages to be changed leave first: what is left are Λ and B of all others and, for each of their nodes, H = S Ỹ
over the nodes of all others. Then they enter as they are proposed. Nothing is kept until a proposal is accepted.
"""

import math

import numpy as np

from tetiwd.kernels import dense, shift_columns


class ShiftSums:
    """Columns of the present state, and those of up to two lineages as they are proposed: rows x·T + t of new_Y, H."""

    def __init__(self, capacity, n_epochs):
        C, T = capacity, n_epochs
        q = self.n_columns = 1 + T
        self.Y, self.new_Y, self.H = np.zeros((C * T, q)), np.zeros((2 * T, q)), np.zeros((2 * T, q))  # Y is Ỹ
        self.weight, self.B = np.zeros((q, q)), np.zeros((q, q))
        self.new_weight, self.new_B = np.zeros((q, q)), np.zeros((q, q))
        self.node = np.zeros((2, T), np.int64)  # rows of S of the lineages that leave
        self.x, self.row = np.zeros((1, q)), np.zeros((1, T))
        self.factor, self.solved = np.zeros((q, q)), np.zeros((q, q))


def measure(sums, own, counts, x, spread, motion):
    """Ỹ of proposal x, whose centres have been smoothed."""
    root = math.sqrt(motion.shift)
    shift_columns.set_lineage(own, counts, x, spread, root, sums.row, sums.new_Y, x * own.n_epochs)


def copy_row(x, i, q, out, k):
    """Row k of ``out`` ← row i of x."""
    for j in range(q):
        out[k, j] = x[i, j]


def adopt_lineage(sums, c, n_epochs):
    """Proposal 0 is lineage c."""
    for t in range(n_epochs):
        copy_row(sums.new_Y, t, sums.n_columns, sums.Y, c * n_epochs + t)


def adopt_common(sums):
    """Λ and B are those proposed."""
    dense.copy_block(sums.new_weight, sums.n_columns, sums.weight)
    dense.copy_block(sums.new_B, sums.n_columns, sums.B)


def open_slot(sums, c, n_epochs):
    """A lineage without objects."""
    for t in range(n_epochs):
        shift_columns.clear(sums.Y, c * n_epochs + t, sums.n_columns)


def sum_up(sums, given, motion):
    """Λ and B of the present state from Ỹ."""
    K, q = given.size[0] * given.n_epochs, sums.n_columns
    add_up_weight(sums.weight, sums, given, motion, -1, -1)
    for i in range(q):
        shift_columns.clear(sums.B, i, q)
    for k in range(K):
        shift_columns.clear(sums.x, 0, q)
        shift_columns.combine(given.S, k, 0, K, sums.Y, q, sums.x, 0)
        shift_columns.add_product(sums.B, q, 1.0, sums.Y, k, sums.x, 0)


def add_up_weight(weight, sums, given, motion, a, b):
    """Λ of all lineages but a and b."""
    T, root = given.n_epochs, math.sqrt(motion.shift)
    shift_columns.begin_weight(weight, sums.n_columns)
    for c in range(given.size[0]):
        if c != a and c != b:
            for t in range(T):
                shift_columns.add_weight(weight, sums.n_columns, given.counts[c, t], t, root, sums.Y, c * T + t)


def leave(sums, given, motion, a, b):
    """Lineages a and b, which may be −1 for none, leave: Λ and B of all others, and H of the nodes of the two."""
    T, q = given.n_epochs, sums.n_columns
    add_up_weight(sums.new_weight, sums, given, motion, a, b)
    dense.copy_block(sums.B, q, sums.new_B)
    for x in range(2):
        c = a if x == 0 else b
        if c >= 0:
            for t in range(T):
                sums.node[x, t] = c * T + t
                copy_row(sums.Y, c * T + t, q, sums.new_Y, x * T + t)
                shift_columns.clear(sums.H, x * T + t, q)
                add_others(sums, given, c * T + t, a, b, x * T + t)
    add_lineages(sums, sums.node, given.S, 2 if b >= 0 else 1, T, -1.0)


def add_others(sums, given, k, a, b, i):
    """Row i of H += Σ of row k of S times Ỹ over the nodes of all lineages but a and b."""
    T = given.n_epochs
    for c in range(given.size[0]):
        if c != a and c != b:
            shift_columns.combine(given.S, k, c * T, c * T + T, sums.Y, sums.n_columns, sums.H, i)


def pull(sums, given, a, b, obj):
    """The object last looked at goes over from the first to the second of the two lineages: H."""
    T, q = given.n_epochs, sums.n_columns
    t = given.epoch[obj]
    for c in range(given.size[0]):
        if c != a and c != b:
            for k in range(c * T, c * T + T):
                r = given.row[k]
                if r != 0.0:
                    for j in range(q):
                        sums.H[T + t, j] += r * sums.Y[k, j]
                        sums.H[t, j] -= r * sums.Y[k, j]


def merge(sums, lo, hi, n_epochs):
    """All that the second lineage has at epochs lo … hi goes over to the first: H."""
    for t in range(lo, hi + 1):
        for j in range(sums.n_columns):
            sums.H[t, j] += sums.H[n_epochs + t, j]
            sums.H[n_epochs + t, j] = 0.0


def exchange(sums, lo, hi, n_epochs):
    """The two lineages exchange what they have at epochs lo … hi: H."""
    for t in range(lo, hi + 1):
        for j in range(sums.n_columns):
            x = sums.H[t, j]
            sums.H[t, j] = sums.H[n_epochs + t, j]
            sums.H[n_epochs + t, j] = x


def enter(sums, counts, node, S, n_proposals, n_epochs, motion):
    """The proposals, which have been measured, enter; their sums of distances are in rows ``node[x]`` of S."""
    root = math.sqrt(motion.shift)
    for x in range(n_proposals):
        for t in range(n_epochs):
            i = x * n_epochs + t
            shift_columns.add_weight(sums.new_weight, sums.n_columns, counts[x, t], t, root, sums.new_Y, i)
    add_lineages(sums, node, S, n_proposals, n_epochs, 1.0)


def add_lineages(sums, node, S, n, n_epochs, sign):
    """Add to B, or subtract, what the nodes of up to two lineages contribute with H and among themselves."""
    T, q = n_epochs, sums.n_columns
    for x in range(n):
        for t in range(T):
            copy_row(sums.H, x * T + t, q, sums.x, 0)
            for y in range(n):
                for s in range(T):
                    half = 0.5 * S[node[x, t], node[y, s]]
                    if half != 0.0:
                        for j in range(q):
                            sums.x[0, j] += half * sums.new_Y[y * T + s, j]
            shift_columns.add_product(sums.new_B, q, sign, sums.new_Y, x * T + t, sums.x, 0)
            shift_columns.add_product(sums.new_B, q, sign, sums.x, 0, sums.new_Y, x * T + t)


def log_likelihood(sums, motion, n, log_det, trace, weight, B):
    """Log likelihood of n objects from its sums; those of single lineages are ``log_det`` and ``trace``."""
    q = sums.n_columns
    if not dense.cholesky(weight, q, sums.factor):
        return -math.inf
    dense.copy_block(B, q, sums.solved)
    dense.solve_lower_rows(sums.factor, q, sums.solved, q)
    dense.solve_upper_rows(sums.factor, q, sums.solved, q)
    for i in range(q):
        trace += sums.solved[i, i]
    return 0.5 * motion.dof * (math.log(n) - dense.log_det(sums.factor, q) - log_det - 0.5 * trace)
