"""Clusters that could be born at an epoch: which kinds there are, how they are weighed, and their rows of A.

A new cluster may revive one that ended at the epoch before, become the start of one that begins at the epoch after,
join the two, or be entirely new. Kinds are drawn by prior weight, rows and spreads from their priors, so that all of
this cancels.
"""

import math

import numpy as np

from tetiwd.kernels import arrays, bonds, dense, partition, spread_law, stream, terms


class Births:
    """What is needed to draw rows of A for clusters that could be born at this epoch, and to weigh them."""

    def __init__(self, capacity):
        K = capacity
        self.active = np.zeros(K, np.int64)  # slots that stay when the object is out
        self.ended = np.zeros(K + 1, np.int64)  # clusters of the epoch before that have no successor, and −1
        self.beginning = np.zeros(K + 1, np.int64)  # clusters of the epoch after that have no predecessor, and −1
        self.linked = np.zeros(K, np.int64)  # active slots linked forward
        self.linked_back = np.zeros(K, np.int64)  # active slots linked back
        self.n_active = self.n_ended = self.n_beginning = self.n_linked = self.n_back = 0
        self.factor = np.zeros((K, K))  # Cholesky factor of A among the active
        self.beta = np.zeros((K + 1, K))  # regression of a revived cluster's row on the linked ones, by ended
        self.residual = np.zeros(K + 1)  # its residual scale
        self.forward_factor = np.zeros((K, K))  # Cholesky factor of A among the linked
        self.weight = np.zeros((K + 1, K + 1))  # prior weight of every kind of birth, by ended and beginning
        self.total = 0.0  # sum of the weights
        self.block, self.back_factor = np.zeros((K, K)), np.zeros((K, K))
        self.x, self.p, self.u = np.zeros(K), np.zeros(K), np.zeros(K)


class Candidates:
    """Every cluster an object could join: C of them, at most K clusters present and n_aux to be born."""

    def __init__(self, capacity, n_aux):
        room = capacity + n_aux
        self.room = room
        self.log_weight = np.zeros(room)
        self.volume = np.zeros(room)  # the part of the likelihood whose log is taken last
        self.best = -1  # of the clusters present, −1 if there is none
        self.reference = 1.0  # its volume, which all are divided by
        self.slot = np.zeros(room, np.int64)  # an existing slot, or −1 for a cluster to be born
        self.back, self.forward = np.zeros(room, np.int64), np.zeros(room, np.int64)  # its links if it is to be born
        self.h = np.zeros((room, capacity))  # A⁻¹ times its row among the active
        self.schur = np.zeros(room)  # its residual variance
        self.spread = np.ones(room)
        self.born, self.together = np.zeros(room), np.zeros(room + 1)


def weigh_kinds(births, epoch, before, after, model):
    """Prior weight of every kind of birth; none where A has no room for another row."""
    n_new = 0
    for i in range(births.n_active):
        if epoch.back[births.active[i]] < 0:
            n_new += 1
    free_here = model.max_clusters - before.size[0] - n_new
    unused = model.max_clusters - births.n_active
    born_next = after.size[0] - births.n_linked if after.size[0] > 0 else -1
    births.total = 0.0
    if not (model.isotropic or model.df_A > births.n_active):
        return
    for e in range(births.n_ended):
        m0 = before.counts[births.ended[e]] if births.ended[e] >= 0 else 0
        for v in range(births.n_beginning):
            m1 = after.counts[births.beginning[v]] if births.beginning[v] >= 0 else 0
            weight = partition.weight_of_birth(m0, m1, model, before.size[0], free_here, unused, born_next)
            births.weight[e, v] = max(weight, 0.0)
            if epoch.bonds.across:
                births.weight[e, v] *= math.exp(bonds.gain_of_join(epoch.bonds, births.ended[e], births.beginning[v]))
            births.total += births.weight[e, v]


def list_clusters(births, epoch, before, after, out):
    """Which clusters stay, which are linked, which have ended or begin, without the cluster in slot ``out``."""
    n_active = n_linked = n_back = 0
    for c in range(epoch.size[0]):
        if c != out:
            births.active[n_active] = c
            n_active += 1
            if epoch.forward[c] >= 0:
                births.linked[n_linked] = c
                n_linked += 1
            if epoch.back[c] >= 0:
                births.linked_back[n_back] = c
                n_back += 1
    n_ended = n_beginning = 0
    for b in range(before.size[0]):
        if before.link[b] == -1 or before.link[b] == out:
            births.ended[n_ended] = b
            n_ended += 1
    for f in range(after.size[0]):
        if after.link[f] == -1 or after.link[f] == out:
            births.beginning[n_beginning] = f
            n_beginning += 1
    births.ended[n_ended] = -1
    births.beginning[n_beginning] = -1
    births.n_active, births.n_linked, births.n_back = n_active, n_linked, n_back
    births.n_ended, births.n_beginning = n_ended + 1, n_beginning + 1


def prepare_births(births, epoch, before, after, model, out):
    """Fill births for the epoch without the cluster in slot ``out`` (k to leave all in)."""
    list_clusters(births, epoch, before, after, out)
    for e in range(births.n_ended):
        for c in range(epoch.size[0]):
            births.beta[e, c] = 0.0
        births.residual[e] = model.new_scale
    weigh_kinds(births, epoch, before, after, model)
    if model.isotropic:
        return
    for i in range(births.n_active):
        for j in range(births.n_active):
            births.block[i, j] = epoch.A[births.active[i], births.active[j]]
    dense.cholesky(births.block, births.n_active, births.factor)
    for i in range(births.n_linked):
        for j in range(births.n_linked):
            births.block[i, j] = epoch.A[births.linked[i], births.linked[j]]
    dense.cholesky(births.block, births.n_linked, births.forward_factor)
    regress_ended(births, epoch, before)


def regress_ended(births, epoch, before):
    """Regression of the row of every ended cluster on those of the clusters linked back."""
    n_back = births.n_back
    if births.n_ended == 1:
        return
    for i in range(n_back):
        for j in range(n_back):
            births.block[i, j] = before.A[epoch.back[births.linked_back[i]], epoch.back[births.linked_back[j]]]
    dense.cholesky(births.block, n_back, births.back_factor)
    for e in range(births.n_ended - 1):
        b = births.ended[e]
        for i in range(n_back):
            births.x[i] = before.A[epoch.back[births.linked_back[i]], b]
        dense.solve_lower(births.back_factor, n_back, births.x)
        dense.solve_upper(births.back_factor, n_back, births.x)
        residual = before.A[b, b]
        for i in range(n_back):
            births.beta[e, births.linked_back[i]] = births.x[i]
            residual -= births.x[i] * before.A[epoch.back[births.linked_back[i]], b]
        births.residual[e] = residual


def draw_row(rng, births, e, df_A, h, row):
    """Draw a row for a cluster that revives ended[e]: A⁻¹a into a row of h, and the residual variance returned."""
    n_active = births.n_active
    variance = births.residual[e] / df_A
    for i in range(n_active):
        births.x[i] = rng.normal()
    dense.solve_upper(births.factor, n_active, births.x)
    spread = math.sqrt(variance)
    for i in range(n_active):
        c = births.active[i]
        h[row, c] = births.beta[e, c] + spread * births.x[i]
    return variance * stream.draw_chi_square(rng, df_A - n_active)


def log_forward_ratio(births, after, epoch, f, q, model):
    """Log of W(A_{t+1} | f linked to a row (p, q)) / W(A_{t+1} | f new); p runs over the linked slots."""
    n_linked = births.n_linked
    for i in range(n_linked):
        births.u[i] = births.p[i]
    dense.solve_lower(births.forward_factor, n_linked, births.u)
    dense.solve_upper(births.forward_factor, n_linked, births.u)
    schur = q
    quadratic = after.A[f, f]
    for i in range(n_linked):
        g = epoch.forward[births.linked[i]]
        schur -= births.p[i] * births.u[i]
        quadratic -= 2.0 * births.u[i] * after.A[g, f]
        for j in range(n_linked):
            quadratic += births.u[i] * births.u[j] * after.A[g, epoch.forward[births.linked[j]]]
    if not schur > 0.0:
        return -math.inf
    s = model.new_scale
    return -0.5 * model.df_A * (math.log(schur / s) + quadratic / schur - after.A[f, f] / s)


def weigh_forward(births, after, epoch, f, h, row, schur, model):
    """What the epoch after makes of a birth that becomes the start of f, with a row given by h and its residual."""
    k = epoch.size[0]
    q = schur
    for j in range(k):
        births.x[j] = 0.0
    for i in range(k):
        for j in range(k):
            births.x[j] += h[row, i] * epoch.A[i, j]
    for i in range(k):
        q += h[row, i] * births.x[i]
    for i in range(births.n_linked):
        births.p[i] = births.x[births.linked[i]]
    return log_forward_ratio(births, after, epoch, f, q, model)


def log_likelihood_of_birth(own_terms, out, model, own, h, row, schur, spread, k, reference):
    """Log likelihood after joining a cluster to be born, whose row of A is given by a row of h and its residual."""
    M_hh, y_h = schur / model.alpha, 1.0
    Mr_h = Q_hh = p_h = m_h = q_h = 0.0
    own_h = arrays.row_of(arrays.matrix(h), row)
    dense.combine(arrays.matrix(own_terms.M), k, own_h, arrays.row(own_terms.m))
    dense.combine(arrays.matrix(own_terms.Q), k, own_h, arrays.row(own_terms.q))
    for i in range(k):
        h_i = own_h[i]
        M_hh += h_i * own_terms.m[i]
        Q_hh += h_i * own_terms.q[i]
        y_h -= h_i * (1.0 - out.y[i])
        Mr_h += h_i * out.Mr[i]
        p_h += h_i * out.p[i]
        m_h += h_i * out.m[i]
        q_h += h_i * out.q[i]
    out.M_cc[k] = M_hh + m_h * m_h * out.weight_M
    out.Q_cc[k] = Q_hh + out.weight_Q * m_h * m_h - 2.0 * m_h * (Mr_h - q_h) * out.weight_M
    out.y[k], out.Mr[k], out.p[k], out.spread[k] = y_h, Mr_h, p_h, spread / out.members
    terms.weigh_joining(out, model, own, k, k + 1)
    return out.fit[k] - 0.5 * model.dof * math.log(out.volume[k] / reference)


def offer_births(rng, found, C, epoch, before, after, model, own_terms, out, births, own, n_aux, a, alone):
    """Add n_aux clusters that could be born, their kinds drawn from the prior and their rows of A from its law.

    An object that was alone keeps its own, in slot a, as the first of them. Returns how many candidates there are.
    """
    if not births.total > 0.0:
        return C
    k = epoch.size[0]
    for row in range(n_aux):
        itself = row == 0 and alone
        if model.power == math.inf and not itself:
            break  # the last passes of annealing must come to rest, so nothing new is tried
        for c in range(k):
            found.h[C, c] = 0.0
        schur, spread = model.new_scale, 1.0
        if itself:
            b, f, spread = epoch.back[a], epoch.forward[a], epoch.spreads[a]
            found.h[C, a] = 1.0
            schur = 0.0
        else:
            e, v = draw_kind(rng, births)
            b, f = births.ended[e], births.beginning[v]
            if not model.isotropic:
                schur = draw_row(rng, births, e, model.df_A, found.h, C)
            if model.tau > 0.0:
                spread = spread_law.draw_from_prior(rng, model.tau, model.limit)
        found.slot[C] = a if itself else -1
        found.back[C], found.forward[C], found.schur[C], found.spread[C] = b, f, schur, spread
        weight = weight_of_kind(births, b, f) if model.power == math.inf else births.total / n_aux
        value = math.log(weight)
        value += log_likelihood_of_birth(own_terms, out, model, own, found.h, C, schur, spread, k, found.reference)
        if out.members > 1:
            value += weigh_rest(before, after, model, b, f, out.members - 1)
        if f >= 0 and not model.isotropic:
            value += weigh_forward(births, after, epoch, f, found.h, C, schur, model)
        found.log_weight[C], found.volume[C] = value, found.reference  # the log of the volume is in already
        C += 1
    return C


def weigh_rest(before, after, model, b, f, n):
    """Log prior weight of n more objects that join a cluster just born with one."""
    m0 = before.counts[b] if b >= 0 else 0
    m1 = after.counts[f] if f >= 0 else 0
    return partition.log_weight_of_group(1, n, m0, m1, model, before.size[0])


def weight_of_kind(births, b, f):
    """Prior weight of the birth that revives b and becomes the start of f."""
    for e in range(births.n_ended):
        for v in range(births.n_beginning):
            if births.ended[e] == b and births.beginning[v] == f:
                return births.weight[e, v]
    return 0.0


def draw_kind(rng, births):
    """Which ended cluster a new one revives and which beginning one it becomes the start of, by prior weight."""
    target = rng.uniform() * births.total
    last_e, last_v = 0, 0
    for e in range(births.n_ended):
        for v in range(births.n_beginning):
            if births.weight[e, v] > 0.0:
                last_e, last_v = e, v
                target -= births.weight[e, v]
                if target < 0.0:
                    return e, v
    return last_e, last_v
