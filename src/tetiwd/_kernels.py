"""All compiled code: what happens to objects and clusters of one epoch. Python owns sweeps, chains and epochs.

One file, because a compile cache does not notice changes in other files; hand-written k×k loops, because linear-algebra
calls cost seconds of compile time and depend on the number of BLAS threads. Only uniform and normal random numbers are
taken from the generator, and only log, exp and sqrt of ``math`` are used, so that compiled and plain runs agree.

Clusters of an epoch occupy slots 0 … k−1 of padded arrays with capacity K. Symbols are those of ``tetiwd.model``.
"""

from math import exp, inf, log, pi, sqrt
from typing import Any, NamedTuple

import numpy as np

from tetiwd._jit import helper, kernel

LOG_2_PI = log(2.0 * pi)
NEGLIGIBLE = -40.0  # log of what cannot change a double
N_REFINEMENTS = 3  # of the weights in the law of a row
MOST_UPDATES = 250  # rank-one changes of the terms before they are built anew


class Epoch(NamedTuple):
    """Everything about one epoch that moves read and change in place."""

    D: Any  # (n, n) squared distances or similarities in the user's units
    per_unit: float  # 1 / unit: what makes them rescaled ones
    trace: float  # tr K for similarities, 0 for distances; rescaled
    z: Any  # (n,) slot of every object
    R: Any  # (K, n) row sums: rescaled D of every object summed over the members of a cluster
    size: Any  # (1,) number of clusters k
    counts: Any  # (K,)
    S: Any  # (K, K) block sums
    A: Any  # (K, K)
    back: Any  # (K,) slot of the linked cluster at the epoch before, −1 for none
    forward: Any  # (K,) the same at the epoch after


class Neighbour(NamedTuple):
    """The clusters of the epoch before or after, and their links towards this one. Size 0 at either end."""

    size: Any  # (1,)
    counts: Any  # (K,)
    A: Any  # (K, K)
    link: Any  # (K,)


class Model(NamedTuple):
    """Numbers that stay fixed while one epoch is updated."""

    alpha: float
    dof: float
    df_A: float
    xi: float
    new_scale: float
    max_clusters: int  # 0 for no limit
    isotropic: bool  # A = new_scale · I
    similarity: bool
    power: float  # 1 for sampling; larger to anneal, inf for the best candidate


class Terms(NamedTuple):
    """The collapsed likelihood of one epoch (see ``tetiwd.model.candidates``)."""

    M: Any  # (K, K)
    Q: Any  # (K, K)
    y: Any  # (K,)
    p: Any  # (K,)
    sums: Any  # (4,) nᵀy, tr(MS), yᵀSy, log|M| − log|A|


class Without(NamedTuple):
    """The same terms with one object out of its cluster a: M becomes M + m mᵀ / (1 − m_a), and so on."""

    m: Any  # (K,) column a of M
    q: Any  # (K,) column a of Q
    y: Any  # (K,)
    p: Any  # (K,)
    Mr: Any  # (K,) M times the row sums of the object
    sums: Any  # (6,) nᵀy, tr(MS), yᵀSy, yᵀr, weight of m mᵀ in M and in Q


class Births(NamedTuple):
    """What is needed to draw rows of A for clusters that could be born at this epoch, and to weigh them."""

    active: Any  # (K,) slots that stay when the object is out
    ended: Any  # (K+1,) clusters of the epoch before that have no successor, and −1
    beginning: Any  # (K+1,) clusters of the epoch after that have no predecessor, and −1
    lengths: Any  # (5,) how many of: active, ended, beginning, linked forward, linked back
    factor: Any  # (K, K) Cholesky factor of A among the active
    beta: Any  # (K+1, K) regression of a revived cluster's row on the linked ones, by position in ended
    residual: Any  # (K+1,) its residual scale
    linked: Any  # (K,) active slots linked forward
    forward_factor: Any  # (K, K) Cholesky factor of A among those
    weight: Any  # (K+1, K+1) prior weight of every kind of birth, by position in ended and beginning
    total: Any  # (1,) their sum


class Candidates(NamedTuple):
    """Every cluster an object could join."""

    log_weight: Any  # (C,)
    slot: Any  # (C,) an existing slot, or −1 for a cluster to be born
    back: Any  # (C,) its links if it is to be born
    forward: Any  # (C,)
    h: Any  # (C, K) A⁻¹ times its row among the active
    schur: Any  # (C,) its residual variance


@helper
def cholesky(A, k, L):
    """Lower factor of the leading k×k block of A into L; False if A is not positive definite."""
    for i in range(k):
        for j in range(i + 1):
            total = A[i, j]
            for m in range(j):
                total -= L[i, m] * L[j, m]
            if i == j:
                if not total > 0.0:
                    return False
                L[i, i] = sqrt(total)
            else:
                L[i, j] = total / L[j, j]
    return True


@helper
def solve_lower(L, k, x):
    """x ← L⁻¹ x."""
    for i in range(k):
        total = x[i]
        for j in range(i):
            total -= L[i, j] * x[j]
        x[i] = total / L[i, i]


@helper
def solve_upper(L, k, x):
    """x ← L⁻ᵀ x."""
    for i in range(k - 1, -1, -1):
        total = x[i]
        for j in range(i + 1, k):
            total -= L[j, i] * x[j]
        x[i] = total / L[i, i]


@helper
def log_det(L, k):
    """Log determinant of L Lᵀ."""
    total = 0.0
    for i in range(k):
        total += log(L[i, i])
    return 2.0 * total


@helper
def trace_of_solution(L, k, B):
    """tr((L Lᵀ)⁻¹ B)."""
    total = 0.0
    x = np.empty(k)
    for j in range(k):
        for i in range(k):
            x[i] = B[i, j]
        solve_lower(L, k, x)
        solve_upper(L, k, x)
        total += x[j]
    return total


@helper
def draw_chi_square(rng, df):
    """Chi-square variate by squeezing a transformed normal (Marsaglia and Tsang 2000)."""
    shape = 0.5 * df
    boost = 1.0
    if shape < 1.0:
        boost = exp(log(1.0 - rng.random()) / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / sqrt(9.0 * d)
    while True:
        x = rng.standard_normal()
        v = 1.0 + c * x
        if v > 0.0:
            v = v * v * v
            if log(1.0 - rng.random()) < 0.5 * x * x + d - d * v + d * log(v):
                return 2.0 * d * v * boost


@helper
def make_terms(capacity):
    """Empty terms."""
    return Terms(
        np.zeros((capacity, capacity)),
        np.zeros((capacity, capacity)),
        np.zeros(capacity),
        np.zeros(capacity),
        np.zeros(4),
    )


@helper
def build_terms(terms, k, counts, S, A, alpha):
    """All terms from scratch, O(k³); False if A is not positive definite."""
    L = np.zeros((k, k))
    inner = np.empty((k, k))
    if not cholesky(A, k, L):
        return False
    for i in range(k):
        for j in range(k):
            total = alpha if i == j else 0.0
            for m in range(k):
                total += L[m, i] * counts[m] * L[m, j]
            inner[i, j] = total
    F = np.zeros((k, k))
    if not cholesky(inner, k, F):
        return False
    X = np.empty((k, k))  # X = F⁻¹ Lᵀ, M = Xᵀ X
    x = np.empty(k)
    for j in range(k):
        for i in range(k):
            x[i] = L[j, i]
        solve_lower(F, k, x)
        for i in range(k):
            X[i, j] = x[i]
    for i in range(k):
        for j in range(k):
            total = 0.0
            for m in range(k):
                total += X[m, i] * X[m, j]
            terms.M[i, j] = total
    for i in range(k):
        total = 1.0
        for j in range(k):
            total -= terms.M[i, j] * counts[j]
        terms.y[i] = total
    MS = np.empty((k, k))
    for i in range(k):
        for j in range(k):
            total = 0.0
            for m in range(k):
                total += terms.M[i, m] * S[m, j]
            MS[i, j] = total
    for i in range(k):
        for j in range(k):
            total = 0.0
            for m in range(k):
                total += MS[i, m] * terms.M[m, j]
            terms.Q[i, j] = total
    finish_terms(terms, k, counts, S)
    terms.sums[3] = -log_det(F, k)
    return True


@helper
def finish_terms(terms, k, counts, S):
    """p = M S y and the scalar sums, given M and y."""
    total_y = trace = ySy = 0.0
    Sy = np.empty(k)
    for i in range(k):
        total = 0.0
        for j in range(k):
            total += S[i, j] * terms.y[j]
            trace += terms.M[i, j] * S[i, j]
        Sy[i] = total
        total_y += counts[i] * terms.y[i]
        ySy += terms.y[i] * total
    for i in range(k):
        total = 0.0
        for j in range(k):
            total += terms.M[i, j] * Sy[j]
        terms.p[i] = total
    terms.sums[0] = total_y
    terms.sums[1] = trace
    terms.sums[2] = ySy


@helper
def change_count(terms, k, counts, S, c, r, own, sign):
    """One object with row sums r and own similarity joins (sign 1.0) or leaves (−1.0) cluster c, O(k²)."""
    m = np.empty(k)
    q = np.empty(k)
    v = np.empty(k)
    g = 1.0 + sign * terms.M[c, c]
    Q_cc = terms.Q[c, c]
    y_c = terms.y[c]
    v_c = 0.0
    for j in range(k):
        v_c += terms.M[c, j] * r[j]
    for i in range(k):
        m[i] = terms.M[i, c]
        q[i] = terms.Q[i, c]
        total = 0.0
        for j in range(k):
            total += terms.M[i, j] * r[j]
        v[i] = total - sign * m[i] * v_c / g
    for i in range(k):
        for j in range(k):
            terms.M[i, j] -= sign * m[i] * m[j] / g
            terms.Q[i, j] += sign * (m[i] * v[j] + v[i] * m[j] - q[i] * m[j] - m[i] * q[j]) / g + (
                Q_cc + sign * own
            ) * m[i] * m[j] / (g * g)
        terms.y[i] -= sign * m[i] * y_c / g
    counts[c] += int(sign)
    for j in range(k):
        S[c, j] += sign * r[j]
        S[j, c] += sign * r[j]
    S[c, c] += sign * own
    finish_terms(terms, k, counts, S)
    terms.sums[3] -= log(g)


@helper
def log_likelihood(terms, k, n, trace, model):
    """Log likelihood of one epoch of n objects from its terms."""
    alpha = model.alpha
    if model.similarity:
        log_det_sigma = (n - k) * log(alpha) - terms.sums[3]
        return -0.5 * model.dof * (log_det_sigma + (trace - terms.sums[1]) / alpha)
    log_det_W = -(n - k) * log(alpha) + terms.sums[3] - log(terms.sums[0] / alpha) + log(n)
    return 0.5 * model.dof * log_det_W - 0.25 * model.dof / alpha * (terms.sums[1] + terms.sums[2] / terms.sums[0])


@kernel
def epoch_log_likelihood(epoch, model):
    """Log likelihood of one epoch from scratch."""
    k = epoch.size[0]
    terms = make_terms(k)
    if not build_terms(terms, k, epoch.counts, epoch.S, epoch.A, model.alpha):
        return -inf
    return log_likelihood(terms, k, len(epoch.z), epoch.trace, model)


@helper
def weight_of_present(size, before, after, xi, max_clusters):
    """Prior weight of one object for a cluster of the given size (see ``tetiwd.model.candidate_weight``)."""
    share = xi / max_clusters if max_clusters > 0 else 0.0
    return (before + size + share) * (size + share + after) / (size + share)


@helper
def weight_of_birth(before, after, xi, max_clusters, free_here, unused, born_next):
    """The same for a cluster to be born; born_next is −1 at the last epoch."""
    if max_clusters == 0:
        return (before if before > 0 else xi) * (after / xi if after > 0 else 1.0)
    share = xi / max_clusters
    backward = before + share if before > 0 else share * free_here
    if after > 0:
        return backward * (after + share) / (share * unused) if unused > 0 else 0.0
    if born_next < 0:
        return backward
    return backward * (unused - born_next) / unused if unused > 0 else 0.0


@helper
def make_births(capacity):
    """Empty births."""
    return Births(
        np.zeros(capacity, np.int64),
        np.zeros(capacity + 1, np.int64),
        np.zeros(capacity + 1, np.int64),
        np.zeros(5, np.int64),
        np.zeros((capacity, capacity)),
        np.zeros((capacity + 1, capacity)),
        np.zeros(capacity + 1),
        np.zeros(capacity, np.int64),
        np.zeros((capacity, capacity)),
        np.zeros((capacity + 1, capacity + 1)),
        np.zeros(1),
    )


@helper
def make_candidates(room, capacity):
    """Empty candidates."""
    return Candidates(
        np.zeros(room),
        np.zeros(room, np.int64),
        np.zeros(room, np.int64),
        np.zeros(room, np.int64),
        np.zeros((room, capacity)),
        np.zeros(room),
    )


@helper
def weigh_kinds(births, epoch, before, after, model):
    """Prior weight of every kind of birth; none where A has no room for another row."""
    n_active, n_ended = births.lengths[0], births.lengths[1]
    n_beginning, n_linked = births.lengths[2], births.lengths[3]
    n_new = 0
    for i in range(n_active):
        if epoch.back[births.active[i]] < 0:
            n_new += 1
    free_here = model.max_clusters - before.size[0] - n_new
    unused = model.max_clusters - n_active
    born_next = after.size[0] - n_linked if after.size[0] > 0 else -1
    births.total[0] = 0.0
    if not (model.isotropic or model.df_A > n_active):
        return
    for e in range(n_ended):
        m0 = before.counts[births.ended[e]] if births.ended[e] >= 0 else 0
        for v in range(n_beginning):
            m1 = after.counts[births.beginning[v]] if births.beginning[v] >= 0 else 0
            weight = weight_of_birth(m0, m1, model.xi, model.max_clusters, free_here, unused, born_next)
            births.weight[e, v] = max(weight, 0.0)
            births.total[0] += births.weight[e, v]


@helper
def prepare_births(births, epoch, before, after, model, out):
    """Fill births for the epoch without the cluster in slot ``out`` (k to leave all in)."""
    k = epoch.size[0]
    n_active = n_linked = n_back = 0
    linked_back = np.empty(k, np.int64)
    for c in range(k):
        if c != out:
            births.active[n_active] = c
            n_active += 1
            if epoch.forward[c] >= 0:
                births.linked[n_linked] = c
                n_linked += 1
            if epoch.back[c] >= 0:
                linked_back[n_back] = c
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
    births.lengths[0] = n_active
    births.lengths[1] = n_ended + 1
    births.lengths[2] = n_beginning + 1
    births.lengths[3] = n_linked
    births.lengths[4] = n_back
    for e in range(n_ended + 1):
        for c in range(k):
            births.beta[e, c] = 0.0
        births.residual[e] = model.new_scale
    weigh_kinds(births, epoch, before, after, model)
    if model.isotropic:
        return
    n_active, n_linked, n_back = births.lengths[0], births.lengths[3], births.lengths[4]
    block = np.empty((k, k))
    for i in range(n_active):
        for j in range(n_active):
            block[i, j] = epoch.A[births.active[i], births.active[j]]
    cholesky(block, n_active, births.factor)
    for i in range(n_linked):
        for j in range(n_linked):
            block[i, j] = epoch.A[births.linked[i], births.linked[j]]
    cholesky(block, n_linked, births.forward_factor)
    if n_ended == 0:
        return
    factor = np.zeros((k, k))
    for i in range(n_back):
        for j in range(n_back):
            block[i, j] = before.A[epoch.back[linked_back[i]], epoch.back[linked_back[j]]]
    cholesky(block, n_back, factor)
    x = np.empty(k)
    for e in range(n_ended):
        b = births.ended[e]
        for i in range(n_back):
            x[i] = before.A[epoch.back[linked_back[i]], b]
        solve_lower(factor, n_back, x)
        solve_upper(factor, n_back, x)
        residual = before.A[b, b]
        for i in range(n_back):
            births.beta[e, linked_back[i]] = x[i]
            residual -= x[i] * before.A[epoch.back[linked_back[i]], b]
        births.residual[e] = residual


@helper
def draw_row(rng, births, e, df_A, x, h):
    """Draw a row for a cluster that revives ended[e]: h = A⁻¹a into h, and the residual variance returned."""
    n_active = births.lengths[0]
    variance = births.residual[e] / df_A
    for i in range(n_active):
        x[i] = rng.standard_normal()
    solve_upper(births.factor, n_active, x)
    spread = sqrt(variance)
    for i in range(n_active):
        c = births.active[i]
        h[c] = births.beta[e, c] + spread * x[i]
    return variance * draw_chi_square(rng, df_A - n_active)


@helper
def log_forward_ratio(births, after, epoch, f, p, q, model):
    """Log of W(A_{t+1} | f linked to a row (p, q)) / W(A_{t+1} | f new); p runs over the linked slots."""
    n_linked = births.lengths[3]
    u = np.empty(n_linked)
    for i in range(n_linked):
        u[i] = p[i]
    solve_lower(births.forward_factor, n_linked, u)
    solve_upper(births.forward_factor, n_linked, u)
    schur = q
    quadratic = after.A[f, f]
    for i in range(n_linked):
        g = epoch.forward[births.linked[i]]
        schur -= p[i] * u[i]
        quadratic -= 2.0 * u[i] * after.A[g, f]
        for j in range(n_linked):
            quadratic += u[i] * u[j] * after.A[g, epoch.forward[births.linked[j]]]
    if not schur > 0.0:
        return -inf
    s = model.new_scale
    return -0.5 * model.df_A * (log(schur / s) + quadratic / schur - after.A[f, f] / s)


@helper
def make_without(capacity):
    """Empty terms without an object."""
    return Without(
        np.zeros(capacity),
        np.zeros(capacity),
        np.zeros(capacity),
        np.zeros(capacity),
        np.zeros(capacity),
        np.zeros(6),
    )


@helper
def take_out(out, terms, k, a, r, own, alone):
    """Terms with an object out of cluster a, O(k²). One that was alone has been taken out of the terms already."""
    y_r = 0.0
    for i in range(k):
        total = 0.0
        for j in range(k):
            total += terms.M[i, j] * r[j]
        out.Mr[i] = total
        y_r += terms.y[i] * r[i]
    if alone:
        for i in range(k):
            out.m[i] = out.q[i] = 0.0
            out.y[i] = terms.y[i]
            out.p[i] = terms.p[i]
        out.sums[0], out.sums[1], out.sums[2] = terms.sums[0], terms.sums[1], terms.sums[2]
        out.sums[3], out.sums[4], out.sums[5] = y_r, 0.0, 0.0
        return
    g = 1.0 - terms.M[a, a]
    Q_aa, y_a, p_a = terms.Q[a, a], terms.y[a], terms.p[a]
    share, pull = y_a / g, out.Mr[a] / g
    y_r += pull * y_a
    along = (p_a + Q_aa * share - y_r) / g
    for i in range(k):
        m, q = terms.M[i, a], terms.Q[i, a]
        Mr = out.Mr[i] + m * pull
        out.m[i] = m
        out.q[i] = q
        out.Mr[i] = Mr
        out.y[i] = terms.y[i] + m * share
        out.p[i] = terms.p[i] + (q - Mr) * share + m * along
    m_a = out.m[a]
    out.sums[3], out.sums[4], out.sums[5] = y_r, 1.0 / g, (Q_aa - own) / (g * g)
    Q_aa = terms.Q[a, a] - 2.0 * m_a * (out.Mr[a] - out.q[a]) / g + out.sums[5] * m_a * m_a
    out.sums[0] = terms.sums[0] - y_a * share
    out.sums[1] = terms.sums[1] - (2.0 * out.Mr[a] - Q_aa) * g - own * (1.0 - g)
    out.sums[2] = terms.sums[2] + y_a * (2.0 * out.p[a] - y_a * Q_aa - 2.0 * (y_r - y_a * out.Mr[a]))


@helper
def log_joining(out, model, own, M_cc, Q_cc, y_c, Mr_c, p_c):
    """Log likelihood after joining one cluster, up to a constant common to all candidates, O(1)."""
    g = 1.0 + M_cc
    share = 1.0 / g
    trace = out.sums[1] + (2.0 * Mr_c - Q_cc) * share + own * (1.0 - share)
    if model.similarity:
        return 0.5 * model.dof * (trace / model.alpha - log(g))
    kappa = y_c * share
    total_y = out.sums[0] + y_c * kappa
    ySy = out.sums[2] + kappa * (kappa * Q_cc - 2.0 * p_c + 2.0 * (out.sums[3] - kappa * Mr_c))
    return -0.5 * model.dof * (log(g * total_y) + 0.5 * (trace + ySy / total_y) / model.alpha)


@helper
def weigh_cluster(log_prior, epoch, before, after, model, c):
    """Log prior weight of cluster c for an object of another cluster, and for one of its own."""
    m0 = before.counts[epoch.back[c]] if epoch.back[c] >= 0 else 0
    m1 = after.counts[epoch.forward[c]] if epoch.forward[c] >= 0 else 0
    size = epoch.counts[c]
    log_prior[0, c] = log(weight_of_present(size, m0, m1, model.xi, model.max_clusters))
    if size > 1:
        log_prior[1, c] = log(weight_of_present(size - 1, m0, m1, model.xi, model.max_clusters))


@helper
def weigh_present(log_weight, slot, k, M, Q, out, model, log_prior, own, a, alone):
    """Log weights of the clusters present; an empty slot, whose object is out, is not among them. Returns how many."""
    C = 0
    weight = out.sums[4]
    for c in range(k):
        if c == a and alone:
            continue
        m = out.m[c]
        M_cc = M[c, c] + m * m * weight
        Q_cc = Q[c, c] - 2.0 * m * (out.Mr[c] - out.q[c]) * weight + out.sums[5] * m * m
        prior = log_prior[1, c] if c == a else log_prior[0, c]
        log_weight[C] = prior + log_joining(out, model, own, M_cc, Q_cc, out.y[c], out.Mr[c], out.p[c])
        slot[C] = c
        C += 1
    return C


@helper
def offer_births(rng, found, C, epoch, before, after, model, terms, out, births, own, n_aux, a, alone):
    """Add n_aux clusters that could be born, their kinds drawn from the prior and their rows of A from its law.

    An object that was alone keeps its own, in slot a, as the first of them. Returns how many candidates there are.
    """
    total_weight = births.total[0]
    if not total_weight > 0.0:
        return C
    k = epoch.size[0]
    x, p = np.empty(k), np.empty(k)
    for row in range(n_aux):
        h = found.h[C]
        itself = row == 0 and alone
        if model.power == inf and not itself:
            break  # the last passes of annealing must come to rest, so nothing new is tried
        for c in range(k):
            h[c] = 0.0
        schur = model.new_scale
        if itself:
            b, f = epoch.back[a], epoch.forward[a]
            h[a] = 1.0
            schur = 0.0
        else:
            e, v = draw_kind(rng, births)
            b, f = births.ended[e], births.beginning[v]
            if not model.isotropic:
                schur = draw_row(rng, births, e, model.df_A, x, h)
        found.slot[C] = a if itself else -1
        found.back[C], found.forward[C], found.schur[C] = b, f, schur
        M_hh, y_h = schur / model.alpha, 1.0
        Mr_h = Q_hh = p_h = m_h = q_h = 0.0
        for i in range(k):
            if h[i] != 0.0:
                y_h -= h[i] * (1.0 - out.y[i])
                Mr_h += h[i] * out.Mr[i]
                p_h += h[i] * out.p[i]
                m_h += h[i] * out.m[i]
                q_h += h[i] * out.q[i]
                for j in range(k):
                    M_hh += h[i] * terms.M[i, j] * h[j]
                    Q_hh += h[i] * terms.Q[i, j] * h[j]
        M_hh += m_h * m_h * out.sums[4]
        Q_hh += out.sums[5] * m_h * m_h - 2.0 * m_h * (Mr_h - q_h) * out.sums[4]
        weight = weight_of_kind(births, b, f) if model.power == inf else total_weight / n_aux
        value = log(weight) + log_joining(out, model, own, M_hh, Q_hh, y_h, Mr_h, p_h)
        if f >= 0 and not model.isotropic:
            q = schur
            for i in range(k):
                for j in range(k):
                    q += h[i] * epoch.A[i, j] * h[j]
            for i in range(births.lengths[3]):
                total = 0.0
                for j in range(k):
                    total += epoch.A[births.linked[i], j] * h[j]
                p[i] = total
            value += log_forward_ratio(births, after, epoch, f, p, q, model)
        found.log_weight[C] = value
        C += 1
    return C


@helper
def weight_of_kind(births, b, f):
    """Prior weight of the birth that revives b and becomes the start of f."""
    for e in range(births.lengths[1]):
        for v in range(births.lengths[2]):
            if births.ended[e] == b and births.beginning[v] == f:
                return births.weight[e, v]
    return 0.0


@helper
def draw_kind(rng, births):
    """Which ended cluster a new one revives and which beginning one it becomes the start of, by prior weight."""
    target = rng.random() * births.total[0]
    last_e = last_v = 0
    for e in range(births.lengths[1]):
        for v in range(births.lengths[2]):
            if births.weight[e, v] > 0.0:
                last_e, last_v = e, v
                target -= births.weight[e, v]
                if target < 0.0:
                    return e, v
    return last_e, last_v


@helper
def draw_index(rng, log_weight, n, power):
    """Index below n drawn in proportion to exp(power · log_weight); the largest if power is infinite.

    Overwrites its input.
    """
    best = 0
    for i in range(n):
        if log_weight[i] > log_weight[best] or log_weight[best] != log_weight[best]:
            best = i
    if power == inf:
        return best
    top, total = log_weight[best], 0.0
    for i in range(n):
        gap = power * (log_weight[i] - top)
        log_weight[i] = exp(gap) if gap > NEGLIGIBLE else 0.0
        total += log_weight[i]
    if total == 1.0:
        return best
    target = rng.random() * total
    for i in range(n):
        target -= log_weight[i]
        if target < 0.0:
            return i
    return best


@helper
def choose_annealed(rng, log_weight, n_present, C, power):
    """Draw a candidate with a power; clusters to be born are averaged before it is taken.

    Otherwise a single row that happens to fit would count for all that could have been drawn.
    """
    n_born = C - n_present
    born, together = np.empty(n_born), np.empty(n_present + 1)
    top = -inf
    for i in range(n_born):
        born[i] = log_weight[n_present + i]
        top = max(top, born[i])
    total = 0.0
    for i in range(n_born):
        total += exp(born[i] - top)
    for i in range(n_present):
        together[i] = log_weight[i]
    together[n_present] = top + log(total)
    pick = draw_index(rng, together, len(together), power)
    return pick if pick < n_present else n_present + draw_index(rng, born, n_born, 1.0)


@kernel
def assign_objects(rng, epoch, before, after, model, n_aux, offers, first):
    """Move every object from ``first`` on (Neal's Algorithm 8). Returns the object it stopped at and how many moved.

    About ``offers`` objects, drawn at random, may found a cluster; the others choose among those present, and stay if
    they are alone. It stops early, before touching an object, when no slot is free; the caller makes room.
    """
    capacity = len(epoch.counts)
    n = len(epoch.z)
    terms, out, births = make_terms(capacity), make_without(capacity), make_births(capacity)
    found = make_candidates(capacity + n_aux, capacity)
    r, log_prior = np.empty(capacity), np.empty((2, capacity))
    moved = 0
    trusted = 0  # how many more changes the terms may take before they are built anew
    for obj in range(first, n):
        k = epoch.size[0]
        if k == capacity:
            return obj, moved
        if trusted == 0:
            build_terms(terms, k, epoch.counts, epoch.S, epoch.A, model.alpha)
            prepare_births(births, epoch, before, after, model, k)
            for c in range(k):
                weigh_cluster(log_prior, epoch, before, after, model, c)
            trusted = MOST_UPDATES
        a = epoch.z[obj]
        alone = epoch.counts[a] == 1
        offered = offers >= n or rng.random() * n < offers
        if alone and not offered:
            continue
        own = float(epoch.D[obj, obj]) * epoch.per_unit if model.similarity else 0.0
        for c in range(k):
            r[c] = epoch.R[c, obj]
        r[a] -= own
        if alone:
            take_out_alone(epoch, a)
            build_terms(terms, k, epoch.counts, epoch.S, epoch.A, model.alpha)
            prepare_births(births, epoch, before, after, model, a)
            trusted = 0
        take_out(out, terms, k, a, r, own, alone)
        n_present = weigh_present(
            found.log_weight, found.slot, k, terms.M, terms.Q, out, model, log_prior, own, a, alone
        )
        C = n_present
        if offered:
            C = offer_births(rng, found, C, epoch, before, after, model, terms, out, births, own, n_aux, a, alone)
        if model.power == 1.0 or C - n_present < 2:
            pick = draw_index(rng, found.log_weight, C, model.power)
        else:
            pick = choose_annealed(rng, found.log_weight, n_present, C, model.power)
        c = found.slot[pick]
        if c == a:
            if alone:
                put_in(epoch, a, r, own)
            continue
        moved += 1
        if not alone:
            change_count(terms, k, epoch.counts, epoch.S, a, r, own, -1.0)
        elif c < 0:
            unlink(epoch, before, after, a)
        if c < 0:
            c = open_slot(epoch, before, after, found.back[pick], found.forward[pick], found.h[pick], found.schur[pick])
            r[c] = 0.0
            trusted = 0
        if trusted > 0:
            change_count(terms, k, epoch.counts, epoch.S, c, r, own, 1.0)
            weigh_cluster(log_prior, epoch, before, after, model, a)
            weigh_cluster(log_prior, epoch, before, after, model, c)
            trusted -= 1
        else:
            put_in(epoch, c, r, own)
        move_row_sums(epoch, obj, a, c)
        epoch.z[obj] = c
        if alone:
            close_slot(epoch, before, after, a)
    return n, moved


@helper
def take_out_alone(epoch, a):
    """Empty the cluster of a lone object exactly: its block sums are zero by definition."""
    epoch.counts[a] -= 1
    for j in range(epoch.size[0]):
        epoch.S[a, j] = 0.0
        epoch.S[j, a] = 0.0


@helper
def put_in(epoch, c, r, own):
    """Count an object with row sums r into cluster c."""
    for j in range(epoch.size[0]):
        epoch.S[c, j] += r[j]
        epoch.S[j, c] += r[j]
    epoch.S[c, c] += own
    epoch.counts[c] += 1


@helper
def move_row_sums(epoch, obj, a, c):
    """R after an object went from cluster a to c: O(n), the only place where a row of D is read."""
    for j in range(len(epoch.z)):
        d = float(epoch.D[obj, j]) * epoch.per_unit
        epoch.R[a, j] -= d
        epoch.R[c, j] += d


@helper
def unlink(epoch, before, after, c):
    """Cut cluster c from its neighbours in time."""
    if epoch.back[c] >= 0:
        before.link[epoch.back[c]] = -1
        epoch.back[c] = -1
    if epoch.forward[c] >= 0:
        after.link[epoch.forward[c]] = -1
        epoch.forward[c] = -1


@helper
def link(epoch, before, after, c, b, f):
    """Link cluster c to b at the epoch before and f at the epoch after, −1 for none."""
    epoch.back[c] = b
    epoch.forward[c] = f
    if b >= 0:
        before.link[b] = c
    if f >= 0:
        after.link[f] = c


@helper
def open_slot(epoch, before, after, b, f, h, schur):
    """Make an empty cluster with the given links and row of A; returns its slot."""
    k = epoch.size[0]
    variance = schur
    for i in range(k):
        total = 0.0
        for j in range(k):
            total += epoch.A[i, j] * h[j]
        epoch.A[i, k] = total
        epoch.A[k, i] = total
    for i in range(k):
        variance += h[i] * epoch.A[i, k]
    epoch.A[k, k] = variance
    for j in range(k + 1):
        epoch.S[k, j] = 0.0
        epoch.S[j, k] = 0.0
    clear_column(epoch, k)
    epoch.counts[k] = 0
    link(epoch, before, after, k, b, f)
    epoch.size[0] = k + 1
    return k


@helper
def close_slot(epoch, before, after, a):
    """Remove the empty cluster in slot a; the last cluster moves into its place."""
    drop_cluster(epoch, before, after, a)
    relabel(epoch, epoch.size[0], a)


@helper
def drop_cluster(epoch, before, after, a):
    """Remove cluster a from the small arrays; the last cluster moves into its place."""
    unlink(epoch, before, after, a)
    last = epoch.size[0] - 1
    if a != last:
        for i in range(last):
            if i != a:
                epoch.A[a, i] = epoch.A[last, i]
                epoch.A[i, a] = epoch.A[i, last]
                epoch.S[a, i] = epoch.S[last, i]
                epoch.S[i, a] = epoch.S[i, last]
        epoch.A[a, a] = epoch.A[last, last]
        epoch.S[a, a] = epoch.S[last, last]
        epoch.counts[a] = epoch.counts[last]
        b, f = epoch.back[last], epoch.forward[last]
        unlink(epoch, before, after, last)
        link(epoch, before, after, a, b, f)
    for i in range(last + 1):
        epoch.A[last, i] = 0.0
        epoch.A[i, last] = 0.0
        epoch.S[last, i] = 0.0
        epoch.S[i, last] = 0.0
    epoch.counts[last] = 0
    epoch.size[0] = last


@helper
def relabel(epoch, last, a):
    """Objects and row sums of slot ``last`` move to slot a."""
    if a != last:
        for j in range(len(epoch.z)):
            epoch.R[a, j] = epoch.R[last, j]
            if epoch.z[j] == last:
                epoch.z[j] = a
    clear_column(epoch, last)


@helper
def clear_column(epoch, c):
    """No row sums for an empty slot."""
    for j in range(len(epoch.z)):
        epoch.R[c, j] = 0.0


@kernel
def log_wishart_kernel(A, P, k, df):
    """Log density of A ~ W_df(P) without the constants that depend on k and df alone."""
    L, F = np.zeros((k, k)), np.zeros((k, k))
    if not cholesky(A, k, L) or not cholesky(P, k, F):
        return -inf
    return 0.5 * (df - k - 1.0) * log_det(L, k) - 0.5 * df * (log_det(F, k) + trace_of_solution(F, k, A))


@kernel
def prior_scale(k, back, A_before, new_scale):
    """P of one epoch: linked rows of the A before, new_scale on the diagonal for the others."""
    P = np.zeros((k, k))
    for i in range(k):
        if back[i] < 0:
            P[i, i] = new_scale
        else:
            for j in range(k):
                if back[j] >= 0:
                    P[i, j] = A_before[back[i], back[j]]
    return P


@helper
def log_geometry_target(epoch, A, terms, before, after, model):
    """All of the log joint that depends on A of one epoch, up to a constant."""
    k = epoch.size[0]
    if not build_terms(terms, k, epoch.counts, epoch.S, A, model.alpha):
        return -inf
    total = log_likelihood(terms, k, len(epoch.z), epoch.trace, model)
    total += log_wishart_kernel(A, prior_scale(k, epoch.back, before.A, model.new_scale), k, model.df_A)
    k_after = after.size[0]
    if k_after > 0:
        P = prior_scale(k_after, after.link, A, model.new_scale)
        total += log_wishart_kernel(after.A, P, k_after, model.df_A)
    return total


@helper
def accept(rng, log_ratio, log_proposal, power):
    """Metropolis–Hastings decision; with infinite power only improvements pass."""
    if power == inf:
        return log_ratio > 0.0
    return log(1.0 - rng.random()) < power * log_ratio + log_proposal


class Sides(NamedTuple):
    """The two sides of a split while its members are given to them."""

    distance: Any  # (2, members) squared distance of every member to where a side should be
    uncertainty: Any  # (2,) variance of that place, inf if nothing is known
    count_before: Any  # (2,) objects of the side at the epoch before
    count: Any  # (2,) members so far
    own: Any  # (2,) sum of their own similarities
    within: Any  # (2,) squared distances among them, every pair twice
    to_place: Any  # (2,) their squared distances to where the side should be
    across: Any  # (1,) squared distances between members on different sides


class RowLaw(NamedTuple):
    """A law close to the posterior of one row of A given the others: h Gaussian, then the residual variance log-normal.

    With a the row among the m others and A their block, h = A⁻¹a and schur = variance − aᵀh.
    """

    others: Any  # (K,) slots of the others
    size: Any  # (1,) m
    L: Any  # (K, K) Cholesky factor of their block A
    A: Any  # (K, K) that block
    V: Any  # (K, K) Cholesky factor of the precision of h
    mean: Any  # (K,) of h
    prior: Any  # (5,) degrees of freedom ν, residual scale, weight of the data, weight of the epoch after, power
    to_means: Any  # (K, K) C: C h regresses the observed mean of the row's cluster on those of the others
    gram: Any  # (K+1, K+1) of the observed means around their common origin, the row's own last
    noise: Any  # (2,) of the mean of the row's cluster, and of the origin
    to_after: Any  # (K, K) E: E h regresses the row on those that go on to the epoch after
    linked: Any  # (K,) positions of those among the others
    n_after: Any  # (1,) how many they are
    A_after: Any  # (K+1, K+1) their block of A there, the row's own last


@helper
def make_row_law(capacity):
    """Empty law."""
    K = capacity
    return RowLaw(
        np.zeros(K, np.int64),
        np.zeros(1, np.int64),
        np.zeros((K, K)),
        np.zeros((K, K)),
        np.zeros((K, K)),
        np.zeros(K),
        np.zeros(5),
        np.zeros((K, K)),
        np.zeros((K + 1, K + 1)),
        np.zeros(2),
        np.zeros((K, K)),
        np.zeros(K, np.int64),
        np.zeros(1, np.int64),
        np.zeros((K + 1, K + 1)),
    )


@helper
def solve_columns(L, m, B, n_columns, out):
    """out ← (L Lᵀ)⁻¹ B, column by column."""
    x = np.empty(m)
    for j in range(n_columns):
        for i in range(m):
            x[i] = B[i, j]
        solve_lower(L, m, x)
        solve_upper(L, m, x)
        for i in range(m):
            out[i, j] = x[i]


@helper
def regress_on_before(law, epoch, before, model, b, beta):
    """Prior of a row whose cluster was in slot b before: mean of h into beta; returns the residual scale."""
    m = law.size[0]
    for i in range(m):
        beta[i] = 0.0
    if b < 0:
        return model.new_scale
    linked = np.empty(m, np.int64)
    n = np.int64(0)
    for i in range(m):
        if epoch.back[law.others[i]] >= 0:
            linked[n] = i
            n += 1
    block, L, x = np.empty((n, n)), np.zeros((n, n)), np.empty(n)
    for i in range(n):
        for j in range(n):
            block[i, j] = before.A[epoch.back[law.others[linked[i]]], epoch.back[law.others[linked[j]]]]
        x[i] = before.A[epoch.back[law.others[linked[i]]], b]
    cholesky(block, n, L)
    solve_lower(L, n, x)
    solve_upper(L, n, x)
    residual = before.A[b, b]
    for i in range(n):
        residual -= x[i] * before.A[epoch.back[law.others[linked[i]]], b]
        beta[linked[i]] = x[i]
    return max(residual, 1e-12 * before.A[b, b])


@helper
def look_at_means(law, epoch, model, c):
    """What the observed means of clusters say about the row of slot c: to_means, gram, noise and the data's weight."""
    m = law.size[0]
    law.prior[2] = 0.0
    if m == 0 and not model.similarity:
        return
    law.prior[2] = model.dof
    B, L = np.empty((m, m)), np.zeros((m, m))
    for i in range(m):
        for j in range(m):
            B[i, j] = law.A[i, j]
        B[i, i] += model.alpha / epoch.counts[law.others[i]]
    cholesky(B, m, L)
    solve_columns(L, m, law.A, m, law.to_means)
    law.noise[0] = model.alpha / epoch.counts[c]
    law.noise[1] = 0.0
    slots = np.empty(m + 1, np.int64)
    for i in range(m):
        slots[i] = law.others[i]
    slots[m] = c
    for i in range(m + 1):
        for j in range(m + 1):
            a, b = slots[i], slots[j]
            law.gram[i, j] = epoch.S[a, b] / (float(epoch.counts[a]) * epoch.counts[b])
    if model.similarity:
        return
    within = np.empty(m + 1)
    for i in range(m + 1):
        within[i] = 0.5 * law.gram[i, i]
    for i in range(m + 1):
        for j in range(m + 1):
            law.gram[i, j] -= within[i] + within[j]  # squared distances between means
    origin = np.empty(m)
    for i in range(m):
        origin[i] = 1.0
    solve_lower(L, m, origin)
    solve_upper(L, m, origin)
    total = 0.0
    for i in range(m):
        total += origin[i]
    law.noise[1] = 1.0 / total
    to_origin = np.empty(m + 1)
    spread = 0.0
    for i in range(m + 1):
        to_origin[i] = 0.0
        for j in range(m):
            to_origin[i] += origin[j] / total * law.gram[i, j]
    for j in range(m):
        spread += origin[j] / total * to_origin[j]
    for i in range(m + 1):
        for j in range(m + 1):
            law.gram[i, j] = -0.5 * (law.gram[i, j] - to_origin[i] - to_origin[j] + spread)


@helper
def look_at_after(law, epoch, after, model, c):
    """What the epoch after says about the row of slot c: to_after, A_after and its weight."""
    m = law.size[0]
    f = epoch.forward[c]
    law.prior[3] = 0.0
    law.n_after[0] = 0
    if f < 0 or after.size[0] == 0:
        return
    law.prior[3] = model.df_A
    linked, n = law.linked, law.n_after[0]
    for i in range(m):
        if epoch.forward[law.others[i]] >= 0:
            linked[n] = i
            n += 1
    law.n_after[0] = n
    block, L, rows = np.empty((n, n)), np.zeros((n, n)), np.empty((n, m))
    for i in range(n):
        g = epoch.forward[law.others[linked[i]]]
        for j in range(n):
            block[i, j] = law.A[linked[i], linked[j]]
            law.A_after[i, j] = after.A[g, epoch.forward[law.others[linked[j]]]]
        for j in range(m):
            rows[i, j] = law.A[linked[i], j]
        law.A_after[i, n] = after.A[g, f]
        law.A_after[n, i] = after.A[g, f]
    law.A_after[n, n] = after.A[f, f]
    cholesky(block, n, L)
    solve_columns(L, n, rows, m, law.to_after)


@helper
def quadratic(G, m, x):
    """Squared distance between the last point of a Gram matrix and the combination x of the others."""
    total = G[m, m]
    for i in range(m):
        total -= 2.0 * x[i] * G[i, m]
        for j in range(m):
            total += x[i] * G[i, j] * x[j]
    return max(total, 0.0)


@helper
def times(C, n_rows, m, h, out):
    """out ← C h."""
    for i in range(n_rows):
        total = 0.0
        for j in range(m):
            total += C[i, j] * h[j]
        out[i] = total


@helper
def schur_given(law, h, seen):
    """Mode and curvature of the log residual variance given h; what data and epoch after see of it into ``seen``.

    Each of the two sees the residual variance plus an offset; ``seen`` returns both sums at the mode.
    """
    m, n = law.size[0], law.n_after[0]
    u, Ah = np.empty(max(m, n) + 1), np.empty(m)
    times(law.A, m, m, h, Ah)
    own = 0.0
    for i in range(m):
        own += h[i] * Ah[i]
    offset_data = error_data = offset_after = error_after = 0.0
    if law.prior[2] > 0.0:
        times(law.to_means, m, m, h, u)
        error_data = quadratic(law.gram, m, u)
        left = 1.0
        offset_data = own + law.noise[0]
        for i in range(m):
            offset_data -= Ah[i] * u[i]
            left -= u[i]
        offset_data = max(offset_data, 0.0) + law.noise[1] * left * left
    if law.prior[3] > 0.0:
        times(law.to_after, n, m, h, u)
        error_after = quadratic(law.A_after, n, u)
        offset_after = own
        for i in range(n):
            offset_after -= Ah[law.linked[i]] * u[i]
        offset_after = max(offset_after, 0.0)
    df, scale = law.prior[0], law.prior[1]
    x = log(scale * (df - m) / df)
    curvature = 1.0
    for _ in range(8):
        s = exp(x)
        slope = 0.5 * (df - m) - 0.5 * df * s / scale
        curvature = 0.5 * df * s / scale
        if law.prior[2] > 0.0:
            share = s / (s + offset_data)
            slope -= 0.5 * law.prior[2] * share * (1.0 - error_data / (s + offset_data))
            curvature += 0.5 * law.prior[2] * share * share
        if law.prior[3] > 0.0:
            share = s / (s + offset_after)
            slope -= 0.5 * law.prior[3] * share * (1.0 - error_after / (s + offset_after))
            curvature += 0.5 * law.prior[3] * share * share
        x += min(max(slope / curvature, -1.0), 1.0)
    seen[0] = exp(x) + offset_data
    seen[1] = exp(x) + offset_after
    return x, curvature * law.prior[4]


@helper
def add_information(law, weight, C, n, G):
    """Add what n points with Gram matrix G say about h through C to the precision V and its mean."""
    m = law.size[0]
    GC = np.empty((n, m))
    for i in range(n):
        for j in range(m):
            total = 0.0
            for v in range(n):
                total += G[i, v] * C[v, j]
            GC[i, j] = total
    for i in range(m):
        for j in range(m):
            total = 0.0
            for v in range(n):
                total += C[v, i] * GC[v, j]
            law.V[i, j] += weight * total
        total = 0.0
        for v in range(n):
            total += C[v, i] * G[v, n]
        law.mean[i] += weight * total


@helper
def find_mean(law, A_beta, seen):
    """Mean of h and the factor V of its precision for given residual variances; False if there is no such law."""
    m = law.size[0]
    weight = law.prior[0] / law.prior[1]
    for i in range(m):
        law.mean[i] = weight * A_beta[i]
        for j in range(m):
            law.V[i, j] = weight * law.A[i, j]
    if law.prior[2] > 0.0:
        add_information(law, law.prior[2] / seen[0], law.to_means, m, law.gram)
    if law.prior[3] > 0.0:
        add_information(law, law.prior[3] / seen[1], law.to_after, law.n_after[0], law.A_after)
    V = np.empty((m, m))
    for i in range(m):
        for j in range(m):
            V[i, j] = law.V[i, j]
    if not cholesky(V, m, law.V):
        return False
    solve_lower(law.V, m, law.mean)
    solve_upper(law.V, m, law.mean)
    return True


@helper
def list_others(law, epoch, c, skip):
    """All slots but two."""
    law.size[0] = 0
    for i in range(epoch.size[0]):
        if i != c and i != skip:
            law.others[law.size[0]] = i
            law.size[0] += 1


@helper
def find_row_law(law, epoch, before, after, model, c, skip):
    """The law of the row of slot c given all other rows but that of slot ``skip`` (c for none)."""
    list_others(law, epoch, c, skip)
    m = law.size[0]
    for i in range(m):
        for j in range(m):
            law.A[i, j] = epoch.A[law.others[i], law.others[j]]
    cholesky(law.A, m, law.L)
    beta, A_beta, seen = np.empty(m), np.empty(m), np.empty(2)
    law.prior[0] = model.df_A
    law.prior[4] = model.power
    law.prior[1] = regress_on_before(law, epoch, before, model, epoch.back[c], beta)
    look_at_means(law, epoch, model, c)
    look_at_after(law, epoch, after, model, c)
    times(law.A, m, m, beta, A_beta)
    for i in range(m):
        law.mean[i] = beta[i]
    for _ in range(N_REFINEMENTS):
        schur_given(law, law.mean, seen)
        if not find_mean(law, A_beta, seen):
            law.prior[2] = 0.0  # distances that no points have, so their means say nothing
            find_mean(law, A_beta, seen)
    if model.power != 1.0:
        for i in range(m):
            for j in range(i + 1):
                law.V[i, j] *= sqrt(model.power)


@helper
def log_density_of_row(law, h, schur):
    """Log density of (h, schur) under the law, as a density of the row's entries (the Jacobian is that of a = A h)."""
    if not schur > 0.0:
        return -inf
    m = law.size[0]
    x = np.empty(m)
    for i in range(m):
        x[i] = h[i] - law.mean[i]
    square = 0.0
    for i in range(m):
        total = 0.0
        for j in range(i, m):
            total += law.V[j, i] * x[j]
        square += total * total
    mode, curvature = schur_given(law, h, np.empty(2))
    gap = log(schur) - mode
    gaussian = 0.5 * (log_det(law.V, m) - square + log(curvature) - curvature * gap * gap - (m + 1) * LOG_2_PI)
    return gaussian - log(schur) - log_det(law.L, m)


@helper
def draw_row_from_law(rng, law, h):
    """Draw h and the residual variance."""
    m = law.size[0]
    for i in range(m):
        h[i] = rng.standard_normal()
    solve_upper(law.V, m, h)
    for i in range(m):
        h[i] += law.mean[i]
    mode, curvature = schur_given(law, h, np.empty(2))
    return exp(mode + rng.standard_normal() / sqrt(curvature))


@helper
def set_row(law, A, c, h, schur):
    """Write the row of slot c into A."""
    m = law.size[0]
    variance = schur
    for i in range(m):
        total = 0.0
        for j in range(m):
            total += law.A[i, j] * h[j]
        A[law.others[i], c] = total
        A[c, law.others[i]] = total
        variance += h[i] * total
    A[c, c] = variance


@helper
def get_row(law, A, c, h):
    """The inverse of ``set_row``: h and the residual variance from the row of slot c."""
    m = law.size[0]
    for i in range(m):
        h[i] = A[law.others[i], c]
    solve_lower(law.L, m, h)
    solve_upper(law.L, m, h)
    schur = A[c, c]
    for i in range(m):
        schur -= h[i] * A[law.others[i], c]
    return schur


@kernel
def move_rows(rng, epoch, before, after, model):
    """Metropolis–Hastings on every row of A in turn, proposed from its law; returns acceptances."""
    k = epoch.size[0]
    law, terms = make_row_law(k), make_terms(k)
    h, h_new = np.empty(k), np.empty(k)
    trial = np.empty((k, k))
    current = log_geometry_target(epoch, epoch.A, terms, before, after, model)
    accepted = 0
    for c in range(k):
        for i in range(k):
            for j in range(k):
                trial[i, j] = epoch.A[i, j]
        find_row_law(law, epoch, before, after, model, c, c)
        schur = get_row(law, epoch.A, c, h)
        schur_new = draw_row_from_law(rng, law, h_new)
        set_row(law, trial, c, h_new, schur_new)
        proposed = log_geometry_target(epoch, trial, terms, before, after, model)
        ratio = log_density_of_row(law, h, schur) - log_density_of_row(law, h_new, schur_new)
        if accept(rng, proposed - current, ratio, model.power):
            for i in range(k):
                for j in range(k):
                    epoch.A[i, j] = trial[i, j]
            current = proposed
            accepted += 1
    return accepted


@helper
def log_rising(x, n):
    """log x (x+1) … (x+n−1) = log Γ(x+n) − log Γ(x). Compilers differ in the last bit of lgamma, not of this."""
    total, product = 0.0, 1.0
    for i in range(n):
        product *= x + i
        if product > 1e250:
            total += log(product)
            product = 1.0
    return total + log(product)


@kernel
def log_transition(counts_before, k_before, counts, k, back, xi, max_clusters):
    """Log P(B_t | B_{t−1}) up to terms that the links do not change (see ``tetiwd.model.log_prior_partitions``)."""
    share = xi / max_clusters if max_clusters > 0 else 0.0
    total = 0.0
    n_new = 0
    for c in range(k):
        if back[c] >= 0:
            m = counts_before[back[c]] + share
            total += log_rising(m, counts[c])
        elif max_clusters > 0:
            total += log_rising(share, counts[c])
            n_new += 1
        else:
            total += log(xi) + log_rising(1.0, counts[c] - 1)
    if max_clusters > 0:
        free = max_clusters - k_before
        if n_new > free:
            return -inf
        total += log_rising(free - n_new + 1.0, n_new)
    return total


@helper
def log_boundary(left, right, k_right, back, model):
    """All of the log joint that depends on the links between two epochs, up to a constant."""
    total = log_transition(left.counts, left.size[0], right.counts, k_right, back, model.xi, model.max_clusters)
    if total == -inf or model.isotropic:
        return total
    P = prior_scale(k_right, back, left.A, model.new_scale)
    return total + log_wishart_kernel(right.A, P, k_right, model.df_A)


@helper
def log_gamma(x):
    """log Γ(x) for x > 0 by Stirling's series. Compilers differ in the last bit of lgamma, not of this."""
    shift = 0.0
    while x < 10.0:
        shift += log(x)
        x += 1.0
    y = 1.0 / (x * x)
    series = (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y * (1 / 1188 - y * 691 / 360360))))) / x
    return (x - 0.5) * log(x) - x + 0.5 * LOG_2_PI + series - shift


@helper
def log_wishart_constant(k, df):
    """What ``log_wishart_kernel`` leaves out."""
    if not df > k - 1.0:
        return -inf
    total = 0.5 * df * k * log(0.5 * df) - 0.25 * k * (k - 1) * log(pi)
    for i in range(k):
        total -= log_gamma(0.5 * (df - i))
    return total


@helper
def log_around(epoch, before, after, model):
    """All of the log joint that one epoch has a part in, up to terms that depend on numbers of objects alone."""
    k = epoch.size[0]
    total = log_transition(before.counts, before.size[0], epoch.counts, k, epoch.back, model.xi, model.max_clusters)
    if after.size[0] > 0:
        total += log_transition(epoch.counts, k, after.counts, after.size[0], after.link, model.xi, model.max_clusters)
    if total == -inf:
        return total
    if model.isotropic:
        return total + epoch_log_likelihood(epoch, model)
    total += log_wishart_constant(k, model.df_A)
    return total + log_geometry_target(epoch, epoch.A, make_terms(k), before, after, model)


@helper
def split_in_two(trial, a, members, side, sums):
    """Put the second side of cluster a into the next slot: counts and block sums. The slot has no links and no row."""
    c = trial.size[0]
    moved = 0
    for j in range(c + 1):
        trial.S[c, j] = trial.S[j, c] = 0.0
        trial.A[c, j] = trial.A[j, c] = 0.0
    for i in range(len(members)):
        if side[i] == 1:
            moved += 1
            for j in range(c):
                trial.S[c, j] += trial.R[j, members[i]]
    for j in range(c):
        if j != a:
            trial.S[a, j] -= trial.S[c, j]
            trial.S[j, a] = trial.S[a, j]
            trial.S[j, c] = trial.S[c, j]
    trial.S[a, a], trial.S[c, c] = sums[0], sums[1]
    trial.S[a, c] = trial.S[c, a] = sums[2]
    trial.counts[a] -= moved
    trial.counts[c] = moved
    trial.A[c, c] = trial.A[a, a]
    trial.back[c] = trial.forward[c] = -1
    trial.size[0] = c + 1
    return c


@helper
def merge_into(trial, before, after, a, b):
    """Put cluster b into a: counts and block sums, b's links and row are dropped. Returns where a is now."""
    trial.S[a, a] += trial.S[b, b] + 2.0 * trial.S[a, b]
    for j in range(trial.size[0]):
        if j != a and j != b:
            trial.S[a, j] += trial.S[b, j]
            trial.S[j, a] = trial.S[a, j]
    trial.counts[a] += trial.counts[b]
    last = trial.size[0] - 1
    drop_cluster(trial, before, after, b)
    return b if a == last else a


@helper
def draw_loose_end(rng, neighbour):
    """A cluster of a neighbouring epoch that could be linked to, or −1."""
    n = count_loose_ends(neighbour)
    if n == 0 or rng.random() < 0.5:
        return -1
    pick = int(rng.random() * n)
    for b in range(neighbour.size[0]):
        if neighbour.link[b] < 0:
            if pick == 0:
                return b
            pick -= 1
    return -1


@helper
def count_loose_ends(neighbour):
    """Clusters of a neighbouring epoch without a link towards this one."""
    n = 0
    for b in range(neighbour.size[0]):
        if neighbour.link[b] < 0:
            n += 1
    return n


@helper
def log_choice_of_ends(neighbour, b):
    """Log probability with which ``draw_loose_end`` gives b."""
    n = count_loose_ends(neighbour)
    if n == 0:
        return 0.0
    return log(0.5) if b < 0 else log(0.5 / n)


@helper
def propose_row(rng, law, epoch, before, after, model, c, skip, drawn):
    """Draw the row of slot c from its law, or take it as it is; returns its log density."""
    find_row_law(law, epoch, before, after, model, c, skip)
    h = np.empty(law.size[0])
    if drawn:
        schur = draw_row_from_law(rng, law, h)
        set_row(law, epoch.A, c, h, schur)
    else:
        schur = get_row(law, epoch.A, c, h)
    return log_density_of_row(law, h, schur)


@helper
def members_in_random_order(rng, epoch, a, b, first, second):
    """Objects of clusters a and b in random order, but ``first`` and ``second``, if there are such, ahead."""
    members = np.empty(epoch.counts[a] + (epoch.counts[b] if b != a else 0), np.int64)
    ahead = 2 if first >= 0 else 0
    n = ahead
    if first >= 0:
        members[0], members[1] = first, second
    for obj in range(len(epoch.z)):
        if (epoch.z[obj] == a or epoch.z[obj] == b) and obj != first and obj != second:
            members[n] = obj
            n += 1
    for i in range(n - 1, ahead, -1):
        j = ahead + int(rng.random() * (i - ahead + 1))
        members[i], members[j] = members[j], members[i]
    return members


@helper
def predict_side(law, epoch, before, model, a, b, slot_before, members, distance):
    """Where a side should be, from the geometry of the epoch before: squared distance of every member to that place.

    The place is a combination of the means of other clusters and of the members themselves. Returns its uncertainty.
    """
    m = law.size[0]
    beta = np.empty(m)
    residual = regress_on_before(law, epoch, before, model, slot_before, beta)
    n_members = float(len(members))
    weight, rest = np.zeros(epoch.size[0]), 1.0
    for i in range(m):
        weight[law.others[i]] = beta[i] / epoch.counts[law.others[i]]
        rest -= beta[i]
    weight[a] = weight[b] = rest / n_members
    constant = 0.0
    for i in range(epoch.size[0]):
        for j in range(epoch.size[0]):
            constant += weight[i] * weight[j] * epoch.S[i, j]
    for i in range(len(members)):
        total = 0.0
        for j in range(epoch.size[0]):
            total += weight[j] * epoch.R[j, members[i]]
        if model.similarity:
            distance[i] = float(epoch.D[members[i], members[i]]) * epoch.per_unit - 2.0 * total + constant
        else:
            distance[i] = total - 0.5 * constant
    return residual


@helper
def make_sides(n):
    """Empty sides for n members, with nothing known."""
    places, unknown = np.zeros((2, n)), np.full(2, inf)
    return Sides(places, unknown, np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(1))


@helper
def weigh_side(model, sides, i, a, r):
    """Log weight of side a for member i: its size times a Gaussian around where it is thought to be.

    That is a compromise between the mean of those already there, to whom r is the sum of squared distances, and a place
    known beforehand.
    """
    n = sides.count[a]
    precision = 1.0 / sides.uncertainty[a] + n / model.alpha
    place = 1.0 / (sides.uncertainty[a] * precision)
    distance = place * sides.distance[a, i]
    if n > 0.0:
        half = 0.5 * sides.within[a] / (n * n)
        distance += (1.0 - place) * (r / n - half - place * (sides.to_place[a] / n - half))
    spread = model.alpha + 1.0 / precision
    return log(sides.count_before[a] + n) - 0.5 * model.dof * (log(spread) + distance / spread)


@helper
def sum_row(D, row, columns, n):
    """Sum of some entries of one row."""
    total = 0.0
    for j in range(n):
        total += float(D[row, columns[j]])
    return total


@helper
def allocate(rng, epoch, model, members, side, drawn, sides):
    """Give members to two sides one by one; returns the log probability.

    Without known places the first two members go to one side each. Sides are drawn if ``drawn``, otherwise those given
    are taken.
    """
    n_fixed = 2 if sides.uncertainty[0] == inf else 0
    joined = np.empty((2, len(members)), np.int64)
    r, log_weight = np.empty(2), np.empty(2)
    total = 0.0
    for i in range(len(members)):
        obj = members[i]
        own = float(epoch.D[obj, obj]) * epoch.per_unit if model.similarity else 0.0
        for a in range(2):
            n = int(sides.count[a])
            r[a] = sum_row(epoch.D, obj, joined[a], n) * epoch.per_unit
            if model.similarity:
                r[a] = n * own + sides.own[a] - 2.0 * r[a]
        if i < n_fixed:
            side[i] = i
        else:
            log_weight[0] = weigh_side(model, sides, i, 0, r[0])
            log_weight[1] = weigh_side(model, sides, i, 1, r[1])
            ahead = log_weight[0] - log_weight[1]
            if drawn:
                side[i] = draw_index(rng, log_weight, len(log_weight), 1.0)
            if side[i] == 1:
                ahead = -ahead
            total -= max(-ahead, 0.0) + log(1.0 + exp(-abs(ahead)))
        a = side[i]
        joined[a, int(sides.count[a])] = obj
        sides.count[a] += 1.0
        sides.own[a] += own
        sides.within[a] += 2.0 * r[a]
        sides.across[0] += r[1 - a]
        sides.to_place[a] += sides.distance[a, i]
    return total


@helper
def sum_sides(model, sides, sums):
    """Block sums within each side and across, of distances or similarities as they are."""
    sums[0], sums[1], sums[2] = sides.within[0], sides.within[1], sides.across[0]
    if model.similarity:
        for a in range(2):
            sums[a] = sides.count[a] * sides.own[a] - 0.5 * sums[a]
        sums[2] = 0.5 * (sides.count[1] * sides.own[0] + sides.count[0] * sides.own[1] - sums[2])


@helper
def blind(neighbour):
    """A neighbour that looks as if it had no clusters."""
    return Neighbour(np.zeros(1, np.int64), neighbour.counts, neighbour.A, neighbour.link)


@kernel
def split_or_merge_epoch(
    rng,
    epoch,
    before,
    after,
    trial,
    trial_before,
    trial_after,
    model,
    split,
    a,
    b,
    first,
    second,
    c_before,
    is_last,
):
    """One epoch of a split of cluster a, or of a merge of b into a, carried out on a trial of the epoch.

    A split is seeded by two objects at its first epoch, and there ``first`` is not −1; later it follows the geometry of
    the epoch before, where the part that was split off is in slot ``c_before``. Unless it is the last epoch, nothing
    looks at the epoch after. Returns whether it is possible at all, the slot of the part split off (b for a merge),
    members and their sides, and three logs: the probabilities of split and merge, and the gain of the joint density.
    """
    members = members_in_random_order(rng, epoch, a, b, first, second)
    side, sums, logs = np.zeros(len(members), np.int64), np.empty(3), np.zeros(3)
    for i in range(len(members)):
        side[i] = 0 if epoch.z[members[i]] == a else 1
    sides = make_sides(len(members))
    law = make_row_law(epoch.size[0] + 1)
    if first < 0:
        known = trial_before if split else before
        list_others(law, epoch, a, b)
        sides.uncertainty[0] = predict_side(law, epoch, known, model, a, b, epoch.back[a], members, sides.distance[0])
        sides.uncertainty[1] = predict_side(law, epoch, known, model, a, b, c_before, members, sides.distance[1])
        sides.count_before[0], sides.count_before[1] = known.counts[epoch.back[a]], known.counts[c_before]
    logs[0] = allocate(rng, epoch, model, members, side, split, sides)
    sum_sides(model, sides, sums)

    if split:
        n_moved = 0
        for i in range(len(members)):
            n_moved += side[i]
        if n_moved == 0 or n_moved == len(members):
            return False, a, members, side, logs
        merged, c = a, split_in_two(trial, a, members, side, sums)
        b_new = draw_loose_end(rng, before) if first >= 0 else c_before
        f_new = draw_loose_end(rng, after) if is_last else np.int64(-1)
        link(trial, trial_before, trial_after, c, b_new, f_new)
        two, two_before, two_after = trial, trial_before, trial_after
        one, one_before, one_after = epoch, before, after
    else:
        merged, c = merge_into(trial, trial_before, trial_after, a, b), b
        two, two_before, two_after = epoch, before, after
        one, one_before, one_after = trial, trial_before, trial_after
    if first >= 0:
        logs[0] += log_choice_of_ends(one_before, two.back[c])
    if is_last:
        logs[0] += log_choice_of_ends(one_after, two.forward[c])
    if not is_last:
        after = blind(after)
        trial_after, one_after, two_after = after, after, after
    if not model.isotropic:
        logs[0] += propose_row(rng, law, two, two_before, two_after, model, a, c, split)
        logs[0] += propose_row(rng, law, two, two_before, two_after, model, c, c, split)
        logs[1] = propose_row(rng, law, one, one_before, one_after, model, merged, merged, not split)
    logs[2] = log_around(trial, trial_before, trial_after, model) - log_around(epoch, before, after, model)
    return True, c, members, side, logs


@kernel
def move_members(epoch, members, side, a, b, split):
    """Labels and row sums after an accepted split (the second side goes from a to slot b) or merge (b goes into a)."""
    if split:
        clear_column(epoch, b)
        for i in range(len(members)):
            if side[i] == 1:
                move_row_sums(epoch, members[i], a, b)
                epoch.z[members[i]] = b
        return
    for j in range(len(epoch.z)):
        epoch.R[a, j] += epoch.R[b, j]
        if epoch.z[j] == b:
            epoch.z[j] = a
    relabel(epoch, epoch.size[0], b)


@helper
def propose_links(back, forward, c, f, new_back):
    """New links that put c and f together, or apart if they are; former partners are joined. Its own inverse."""
    for g in range(len(new_back)):
        new_back[g] = back[g]
    partner_of_c, partner_of_f = forward[c], back[f]
    if partner_of_c == f:
        new_back[f] = -1
        return
    new_back[f] = c
    if partner_of_c >= 0:
        new_back[partner_of_c] = partner_of_f


@helper
def set_links(left, right, k_right, new_back):
    """Write links into both epochs."""
    for c in range(left.size[0]):
        left.link[c] = -1
    for f in range(k_right):
        right.link[f] = new_back[f]
        if new_back[f] >= 0:
            left.link[new_back[f]] = f


@kernel
def move_links(rng, left, right, model, n_steps):
    """Metropolis on the matching between two epochs; returns acceptances. ``link`` points at the other epoch."""
    k_left, k_right = left.size[0], right.size[0]
    new_back = np.empty(k_right, np.int64)
    current = log_boundary(left, right, k_right, right.link, model)
    accepted = 0
    for _ in range(n_steps):
        c = int(rng.random() * k_left)
        f = int(rng.random() * k_right)
        propose_links(right.link, left.link, c, f, new_back)
        proposed = log_boundary(left, right, k_right, new_back, model)
        if accept(rng, proposed - current, 0.0, model.power):
            set_links(left, right, k_right, new_back)
            current = proposed
            accepted += 1
    return accepted


@helper
def exchange_side(links, neighbour, f, g):
    """Clusters f and g of an epoch exchange their links to one neighbour. Its own inverse."""
    b, c = links[f], links[g]
    links[f], links[g] = c, b
    if b >= 0:
        neighbour.link[b] = g
    if c >= 0:
        neighbour.link[c] = f


@helper
def exchange_links(epoch, before, after, f, g, sides):
    """Clusters f and g of an epoch exchange their links to the epoch before (sides 0), after (1) or both (2)."""
    if sides != 1:
        exchange_side(epoch.back, before, f, g)
    if sides != 0:
        exchange_side(epoch.forward, after, f, g)


@helper
def anything_to_exchange(epoch, f, g, sides):
    """Is any of the links there?"""
    back, forward = max(epoch.back[f], epoch.back[g]), max(epoch.forward[f], epoch.forward[g])
    return (sides != 1 and back >= 0) or (sides != 0 and forward >= 0)


@kernel
def exchange_with_rows(rng, epoch, before, after, model, n_steps):
    """Metropolis–Hastings: two clusters exchange links to one neighbour or both, and get new rows; returns acceptances.

    Rows have settled on their links. With the old rows an exchange is rarely acceptable; here both are drawn anew,
    one without the other, then the other, from the laws that go with the links.
    """
    k, accepted = epoch.size[0], 0
    if k < 2:
        return accepted
    law, old = make_row_law(k), np.empty((k, k))
    current = log_around(epoch, before, after, model)
    for _ in range(n_steps):
        f = int(rng.random() * k)
        g = int(rng.random() * (k - 1))
        g += g >= f
        sides = int(rng.random() * 3)
        if not anything_to_exchange(epoch, f, g, sides):
            continue
        for i in range(k):
            for j in range(k):
                old[i, j] = epoch.A[i, j]
        ratio = 0.0
        for drawn in (False, True):
            forth = propose_row(rng, law, epoch, before, after, model, f, g, drawn)
            forth += propose_row(rng, law, epoch, before, after, model, g, g, drawn)
            ratio += -forth if drawn else forth
            if not drawn:
                exchange_links(epoch, before, after, f, g, sides)
        proposed = log_around(epoch, before, after, model)
        if accept(rng, proposed - current, ratio, model.power):
            current = proposed
            accepted += 1
        else:
            exchange_links(epoch, before, after, f, g, sides)
            for i in range(k):
                for j in range(k):
                    epoch.A[i, j] = old[i, j]
    return accepted


@helper
def link_first_free_pair(left, right):
    """Link the first cluster of either side that has no link; False if there is no such pair."""
    for c in range(left.size[0]):
        if left.link[c] < 0:
            for f in range(right.size[0]):
                if right.link[f] < 0:
                    left.link[c] = f
                    right.link[f] = c
                    return True
    return False


@kernel
def find_links(left, right, model):
    """Greedy matching between two epochs: the best single change until none improves."""
    k_left, k_right = left.size[0], right.size[0]
    new_back, best_back = np.empty(k_right, np.int64), np.empty(k_right, np.int64)
    current = log_boundary(left, right, k_right, right.link, model)
    while current == -inf and link_first_free_pair(left, right):  # max_clusters may force some to be linked
        current = log_boundary(left, right, k_right, right.link, model)
    while True:
        best = current
        for c in range(k_left):
            for f in range(k_right):
                propose_links(right.link, left.link, c, f, new_back)
                proposed = log_boundary(left, right, k_right, new_back, model)
                if proposed > best:
                    best = proposed
                    for g in range(k_right):
                        best_back[g] = new_back[g]
        if not best > current:
            return current
        set_links(left, right, k_right, best_back)
        current = best
