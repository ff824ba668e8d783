"""The collapsed likelihood of one epoch, O(k³) from scratch and O(k²) for one object more or less.

The formulas are those of ``tetiwd.model.candidates`` and ``tetiwd.model.likelihood``. If clusters have spreads s of
their own, n_c / s_c and S_cb / (s_c s_b) stand for n and S, an object that joins cluster c counts 1 / s_c there, and
its row sums are r_b / s_b. What is 1 ± M_cc in those formulas is then s_c ± M_cc.
"""

import math

import numpy as np

from tetiwd.kernels import arrays, dense


class Terms:
    """M, Q = M S M, y, p = M S y and the sums that the likelihood is made of, for up to K clusters."""

    def __init__(self, capacity):
        K = capacity
        self.M, self.Q = np.zeros((K, K)), np.zeros((K, K))
        self.M_cc, self.Q_cc = np.zeros(K), np.zeros(K)  # their diagonals
        self.y, self.p = np.zeros(K), np.zeros(K)
        self.total_y = 0.0  # nᵀy
        self.trace = 0.0  # tr(MS)
        self.ySy = 0.0
        self.log_ratio = 0.0  # log|M| − log|A|
        self.log_spreads = 0.0  # log spreads of all objects
        self.n, self.S = np.zeros(K), np.zeros((K, K))  # sizes and block sums, divided by spreads
        self.s, self.u, self.r = np.ones(K), np.ones(K), np.zeros(K)  # spreads, 1 / spreads, row sums times those
        self.L, self.F, self.X, self.block = np.zeros((K, K)), np.zeros((K, K)), np.zeros((K, K)), np.zeros((K, K))
        self.x, self.m, self.q, self.v = np.zeros(K), np.zeros(K), np.zeros(K), np.zeros(K)


class Without:
    """The same terms with one object out of its cluster a: M becomes M + weight_M · m mᵀ, and so on.

    The place after the clusters present is for one that could be born.
    """

    def __init__(self, capacity):
        room = capacity + 1
        self.m = np.zeros(room)  # column a of M
        self.q = np.zeros(room)  # column a of Q
        self.y, self.p = np.zeros(room), np.zeros(room)
        self.Mr = np.zeros(room)  # M times the row sums of the object
        self.M_cc, self.Q_cc = np.zeros(room), np.zeros(room)  # diagonals of M and Q
        self.fit, self.volume = np.zeros(room), np.zeros(room)  # what joining a cluster gives, see weigh_joining
        self.spread = np.ones(room)  # of the clusters, the same with the object in
        self.total_y = self.trace = self.ySy = 0.0
        self.yr = 0.0  # yᵀr
        self.weight_M = self.weight_Q = 0.0  # of m mᵀ
        self.members = 1  # more for a group, see weigh_group


def divide_by_spreads(terms, k, counts, S, spreads):
    """Sizes and block sums as the likelihood sees them."""
    log_spreads = 0.0
    for i in range(k):
        terms.s[i] = spreads[i]
        terms.u[i] = 1.0 / spreads[i]
        terms.n[i] = counts[i] * terms.u[i]
        if spreads[i] != 1.0:
            log_spreads += counts[i] * math.log(spreads[i])
    for i in range(k):
        for j in range(k):
            terms.S[i, j] = S[i, j] * (terms.u[i] * terms.u[j])
    terms.log_spreads = log_spreads


def build_sums(terms, k, counts, S, spreads, A, alpha):
    """What the likelihood needs: M, y and the sums, from scratch, O(k³); False if A is not positive definite."""
    if not dense.cholesky(A, k, terms.L):
        return False
    divide_by_spreads(terms, k, counts, S, spreads)
    for i in range(k):
        for j in range(i + 1):
            total = alpha if i == j else 0.0
            for m in range(i, k):
                total += terms.L[m, i] * terms.n[m] * terms.L[m, j]
            terms.block[i, j] = total
    if not dense.cholesky(terms.block, k, terms.F):
        return False
    for j in range(k):  # X = F⁻¹ Lᵀ, M = Xᵀ X
        for i in range(k):
            terms.X[i, j] = terms.L[j, i] if i <= j else 0.0
    dense.solve_lower_rows(terms.F, k, terms.X, k)
    dense.square(terms.X, k, terms.M)
    for i in range(k):
        total = 1.0
        for j in range(k):
            total -= terms.M[i, j] * terms.n[j]
        terms.y[i] = total
    add_up(terms, k)
    terms.log_ratio = -dense.log_det(terms.F, k)
    return True


def build_terms(terms, k, counts, S, spreads, A, alpha):
    """All terms from scratch, O(k³); False if A is not positive definite."""
    if not build_sums(terms, k, counts, S, spreads, A, alpha):
        return False
    dense.multiply(terms.M, terms.S, k, terms.block)
    dense.multiply(terms.block, terms.M, k, terms.Q)
    dense.combine(arrays.matrix(terms.M), k, arrays.row(terms.x), arrays.row(terms.p))
    keep_diagonals(terms, k)
    return True


def keep_diagonals(terms, k):
    """Diagonals of M and Q in one piece."""
    for i in range(k):
        terms.M_cc[i] = terms.M[i, i]
        terms.Q_cc[i] = terms.Q[i, i]


def add_up(terms, k):
    """The sums, given M and y; leaves S y in the scratch x."""
    total_y = trace = ySy = 0.0
    dense.combine(arrays.matrix(terms.S), k, arrays.row(terms.y), arrays.row(terms.x))
    for i in range(k):
        for j in range(k):
            trace += terms.M[i, j] * terms.S[i, j]
        total_y += terms.n[i] * terms.y[i]
        ySy += terms.y[i] * terms.x[i]
    terms.total_y = total_y
    terms.trace = trace
    terms.ySy = ySy


def change_count(terms, k, counts, S, c, r, own, sign):
    """One object with row sums r and own similarity joins (sign 1.0) or leaves (−1.0) cluster c, O(k²)."""
    M, Q, y, m, q, v = terms.M, terms.Q, terms.y, terms.m, terms.q, terms.v
    s, u = terms.s[c], terms.u[c]
    g = s + sign * M[c, c]
    Q_cc = Q[c, c]
    y_c = y[c]
    v_c = 0.0
    for j in range(k):
        terms.r[j] = r[j] * terms.u[j]
        v_c += M[c, j] * terms.r[j]
    dense.combine(arrays.matrix(M), k, arrays.row(terms.r), arrays.row(v))
    for i in range(k):
        m[i] = M[i, c]
        q[i] = Q[i, c]
        v[i] -= sign * m[i] * v_c / g
    for i in range(k):
        for j in range(k):
            M[i, j] -= sign * m[i] * m[j] / g
            Q[i, j] += sign * (m[i] * v[j] + v[i] * m[j] - q[i] * m[j] - m[i] * q[j]) / g + (Q_cc + sign * own) * m[
                i
            ] * m[j] / (g * g)
        y[i] -= sign * m[i] * y_c / g
    counts[c] += int(sign)
    terms.n[c] = counts[c] * u
    for j in range(k):
        S[c, j] += sign * r[j]
        S[j, c] += sign * r[j]
        terms.S[c, j] += sign * u * terms.r[j]
        terms.S[j, c] += sign * u * terms.r[j]
    S[c, c] += sign * own
    terms.S[c, c] += sign * own * u * u
    keep_diagonals(terms, k)
    add_up(terms, k)
    dense.combine(arrays.matrix(terms.M), k, arrays.row(terms.x), arrays.row(terms.p))
    terms.log_ratio -= math.log(g * u)
    if s != 1.0:
        terms.log_spreads += sign * math.log(s)


def take_out(out, terms, k, a, r, own, alone):
    """Terms with an object out of cluster a, O(k²). One that was alone has been taken out of the terms already.

    Its row sums r are divided by the spreads.
    """
    y_r = 0.0
    dense.combine(arrays.matrix(terms.M), k, r, arrays.row(out.Mr))
    for i in range(k):
        y_r += terms.y[i] * r[i]
    if alone:
        for i in range(k):
            out.m[i] = out.q[i] = 0.0
            out.y[i] = terms.y[i]
            out.p[i] = terms.p[i]
            out.M_cc[i] = terms.M_cc[i]
            out.Q_cc[i] = terms.Q_cc[i]
        out.total_y, out.trace, out.ySy = terms.total_y, terms.trace, terms.ySy
        out.yr, out.weight_M, out.weight_Q = y_r, 0.0, 0.0
        return
    g = terms.s[a] - terms.M[a, a]
    Q_aa, y_a, p_a = terms.Q[a, a], terms.y[a], terms.p[a]
    share, pull = y_a / g, out.Mr[a] / g
    y_r += pull * y_a
    along = (p_a + Q_aa * share - y_r) / g
    weight_M, weight_Q = 1.0 / g, (Q_aa - own) / (g * g)
    M, Q = arrays.matrix(terms.M), arrays.matrix(terms.Q)
    take_out_each(
        k, share, pull, along, weight_M, weight_Q, arrays.row_of(M, a), arrays.row_of(Q, a), arrays.row(terms.y),
        arrays.row(terms.p), arrays.row(terms.M_cc), arrays.row(terms.Q_cc), arrays.row(out.m), arrays.row(out.q),
        arrays.row(out.Mr), arrays.row(out.y), arrays.row(out.p), arrays.row(out.M_cc), arrays.row(out.Q_cc),
    )  # fmt: skip
    out.yr, out.weight_M, out.weight_Q = y_r, weight_M, weight_Q
    u = terms.u[a]
    Q_aa, kappa = out.Q_cc[a], y_a * u
    out.total_y = terms.total_y - y_a * share
    out.trace = terms.trace - (2.0 * out.Mr[a] - Q_aa) * (g * u * u) - own * (1.0 - g * u) * u
    out.ySy = terms.ySy + kappa * (2.0 * out.p[a] - kappa * Q_aa - 2.0 * (y_r - kappa * out.Mr[a]))


def take_out_each(
    k, share, pull, along, weight_M, weight_Q, m, q, y, p, M_cc, Q_cc, m_out, q_out, Mr_out, y_out, p_out, M_out, Q_out
):
    """The part of ``take_out`` that is done for each cluster by itself."""
    for i in range(k):
        m_i, q_i = m[i], q[i]
        Mr = Mr_out[i] + m_i * pull
        m_out[i] = m_i
        q_out[i] = q_i
        Mr_out[i] = Mr
        y_out[i] = y[i] + m_i * share
        p_out[i] = p[i] + (q_i - Mr) * share + m_i * along
        M_out[i] = M_cc[i] + m_i * m_i * weight_M
        Q_out[i] = Q_cc[i] - 2.0 * m_i * (Mr - q_i) * weight_M + weight_Q * m_i * m_i


def weigh_joining(out, model, own, first, end):
    """Log likelihood after joining each cluster from first up to end, up to a constant of all, O(1) each, in two parts.

    It is the fit minus dof/2 times the log of the volume.
    """
    if out.members > 1:
        weigh_group(out, model, own, first, end)
        return
    trace, total_y, ySy, yr = out.trace, out.total_y, out.ySy, out.yr
    if model.similarity:
        scale = 0.5 * model.dof / model.alpha
        for c in range(first, end):
            g = out.spread[c] + out.M_cc[c]
            share = 1.0 / g
            out.fit[c] = scale * (trace + (2.0 * out.Mr[c] - out.Q_cc[c]) * share + own * (1.0 - share))
            out.volume[c] = g
        return
    weigh_each(
        first, end, -0.25 * model.dof / model.alpha, trace, total_y, ySy, yr, arrays.row(out.spread),
        arrays.row(out.M_cc), arrays.row(out.y), arrays.row(out.Mr), arrays.row(out.Q_cc), arrays.row(out.p),
        arrays.row(out.fit), arrays.row(out.volume),
    )  # fmt: skip


def weigh_each(first, end, scale, trace, total_y, ySy, yr, spreads, M_cc, ys, Mrs, Q_ccs, ps, fits, volumes):
    """The same for distances, for each cluster by itself."""
    for c in range(first, end):
        y, Mr, Q_cc = ys[c], Mrs[c], Q_ccs[c]
        g = spreads[c] + M_cc[c]
        volume = g * total_y + y * y
        inverse = 1.0 / (g * volume)  # the only division
        share = inverse * volume
        kappa = y * share
        within = trace + (2.0 * Mr - Q_cc) * share
        between = ySy + kappa * (kappa * Q_cc - 2.0 * ps[c] + 2.0 * (yr - kappa * Mr))
        fits[c] = scale * (within + between * (g * g * inverse))
        volumes[c] = volume


def weigh_group(out, model, own, first, end):
    """The same for m objects that join together.

    They are one object at their mean: its row sums are means over the members, its own similarity or distance is that
    of a member to a member, and it counts m times, which is to say that spreads are divided by m.
    """
    trace, total_y, ySy, yr = out.trace, out.total_y, out.ySy, out.yr
    for c in range(first, end):
        y, Mr, Q_cc, spread = out.y[c], out.Mr[c], out.Q_cc[c], out.spread[c]
        g = spread + out.M_cc[c]
        kappa = y / g
        within = trace + (2.0 * Mr - Q_cc + own * out.M_cc[c] / spread) / g
        if model.similarity:
            out.fit[c] = 0.5 * model.dof / model.alpha * within
            out.volume[c] = g
            continue
        volume = g * total_y + y * y
        between = ySy + kappa * (kappa * Q_cc - 2.0 * out.p[c] + 2.0 * (yr - kappa * Mr) + kappa * own)
        out.fit[c] = -0.25 * model.dof / model.alpha * (within + between * g / volume)
        if spread * out.members != 1.0:
            out.fit[c] -= 0.5 * model.dof * (out.members - 1) * math.log(spread * out.members)
        out.volume[c] = volume


def log_likelihood(terms, k, n, trace, model, alpha):
    """Log likelihood of one epoch of n objects from its terms."""
    if model.similarity:
        log_det_sigma = (n - k) * math.log(alpha) - terms.log_ratio
        return -0.5 * model.dof * (log_det_sigma + (trace - terms.trace) / alpha)
    log_det_W = -(n - k) * math.log(alpha) + terms.log_ratio - math.log(terms.total_y / alpha) + math.log(n)
    log_det_W -= terms.log_spreads
    return 0.5 * model.dof * log_det_W - 0.25 * model.dof / alpha * (terms.trace + terms.ySy / terms.total_y)


def epoch_log_likelihood(epoch, terms, model):
    """Log likelihood of one epoch from scratch."""
    k = epoch.size[0]
    if not build_sums(terms, k, epoch.counts, epoch.S, epoch.spreads, epoch.A, model.alpha):
        return -math.inf
    return log_likelihood(terms, k, epoch.n, epoch.trace, model, model.alpha)


def log_likelihood_if(epoch, terms, model, alpha, factor, spread, A):
    """Log likelihood of one epoch if alpha were another, and A multiplied by a factor, or spread · I if that is > 0.

    A is scratch.
    """
    k = epoch.size[0]
    for i in range(k):
        for j in range(k):
            A[i, j] = factor * epoch.A[i, j]
            if spread > 0.0:
                A[i, j] = spread if i == j else 0.0
    if not build_sums(terms, k, epoch.counts, epoch.S, epoch.spreads, A, alpha):
        return -math.inf
    return log_likelihood(terms, k, epoch.n, epoch.trace, model, alpha)
