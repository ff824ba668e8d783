"""All compiled code: what happens to objects and clusters of one epoch. Python owns sweeps, chains and epochs.

One file, because a compile cache does not notice changes in other files; hand-written k×k loops, because linear-algebra
calls cost seconds of compile time and depend on the number of BLAS threads. Only uniform and normal random numbers are
taken from the generator, and only log, exp and sqrt of ``math`` are used, so that compiled and plain runs agree.

Clusters of an epoch occupy slots 0 … k−1 of padded arrays with capacity K. Symbols are those of ``tetiwd.model``.
"""

from math import exp, inf, log, sqrt
from typing import Any, NamedTuple

import numpy as np

from tetiwd._jit import kernel


class Epoch(NamedTuple):
    """Everything about one epoch that moves read and change in place."""

    D: Any  # (n, n) squared distances or similarities in the user's units
    per_unit: float  # 1 / unit: what makes them rescaled ones
    trace: float  # tr K for similarities, 0 for distances; rescaled
    z: Any  # (n,) slot of every object
    R: Any  # (n, K) row sums: rescaled D summed over the members of every cluster
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


class Births(NamedTuple):
    """What is needed to draw rows of A for clusters that could be born at this epoch, and to weigh them."""

    active: Any  # (K,) slots that stay when the object is out
    ended: Any  # (K+1,) clusters of the epoch before that have no successor, and −1
    beginning: Any  # (K+1,) clusters of the epoch after that have no predecessor, and −1
    lengths: Any  # (4,) how many of: active, ended, beginning, linked forward
    factor: Any  # (K, K) Cholesky factor of A among the active
    beta: Any  # (K+1, K) regression of a revived cluster's row on the linked ones, by position in ended
    residual: Any  # (K+1,) its residual scale
    linked: Any  # (K,) active slots linked forward
    forward_factor: Any  # (K, K) Cholesky factor of A among those


class Candidates(NamedTuple):
    """Every cluster an object could join."""

    log_weight: Any  # (C,)
    slot: Any  # (C,) an existing slot, or −1 for a cluster to be born
    back: Any  # (C,) its links if it is to be born
    forward: Any  # (C,)
    h: Any  # (C, K) A⁻¹ times its row among the active
    schur: Any  # (C,) its residual variance


@kernel
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


@kernel
def solve_lower(L, k, x):
    """x ← L⁻¹ x."""
    for i in range(k):
        total = x[i]
        for j in range(i):
            total -= L[i, j] * x[j]
        x[i] = total / L[i, i]


@kernel
def solve_upper(L, k, x):
    """x ← L⁻ᵀ x."""
    for i in range(k - 1, -1, -1):
        total = x[i]
        for j in range(i + 1, k):
            total -= L[j, i] * x[j]
        x[i] = total / L[i, i]


@kernel
def log_det(L, k):
    """Log determinant of L Lᵀ."""
    total = 0.0
    for i in range(k):
        total += log(L[i, i])
    return 2.0 * total


@kernel
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


@kernel
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


@kernel
def make_terms(capacity):
    """Empty terms."""
    return Terms(
        np.zeros((capacity, capacity)),
        np.zeros((capacity, capacity)),
        np.zeros(capacity),
        np.zeros(capacity),
        np.zeros(4),
    )


@kernel
def copy_terms(source, target, k):
    """Keep terms, or bring them back, without allocating."""
    for i in range(k):
        target.y[i] = source.y[i]
        target.p[i] = source.p[i]
        for j in range(k):
            target.M[i, j] = source.M[i, j]
            target.Q[i, j] = source.Q[i, j]
    for i in range(4):
        target.sums[i] = source.sums[i]


@kernel
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


@kernel
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


@kernel
def change_count(terms, k, counts, S, c, r, own, sign):
    """One object with row sums r and own similarity joins (sign 1) or leaves (−1) cluster c, O(k²)."""
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
    counts[c] += sign
    for j in range(k):
        S[c, j] += sign * r[j]
        S[j, c] += sign * r[j]
    S[c, c] += sign * own
    finish_terms(terms, k, counts, S)
    terms.sums[3] -= log(g)


@kernel
def log_likelihood(terms, k, n, trace, model):
    """Log likelihood of one epoch of n objects from its terms."""
    alpha = model.alpha
    if model.similarity:
        log_det_sigma = (n - k) * log(alpha) - terms.sums[3]
        return -0.5 * model.dof * (log_det_sigma + (trace - terms.sums[1]) / alpha)
    log_det_W = -(n - k) * log(alpha) + terms.sums[3] - log(terms.sums[0] / alpha) + log(n)
    return 0.5 * model.dof * log_det_W - 0.25 * model.dof / alpha * (terms.sums[1] + terms.sums[2] / terms.sums[0])


@kernel
def log_joining(terms, model, own, g, y_c, Mr_c, Q_cc, p_c, yr):
    """Log likelihood after joining one cluster, up to a constant common to all candidates, O(1)."""
    trace = terms.sums[1] + (2.0 * Mr_c - Q_cc) / g + own * (1.0 - 1.0 / g)
    if model.similarity:
        return 0.5 * model.dof * (trace / model.alpha - log(g))
    kappa = y_c / g
    total_y = terms.sums[0] + y_c * kappa
    ySy = terms.sums[2] - 2.0 * kappa * p_c + kappa * kappa * Q_cc + 2.0 * kappa * (yr - kappa * Mr_c)
    return -0.5 * model.dof * (log(g) + log(total_y)) - 0.25 * model.dof / model.alpha * (trace + ySy / total_y)


@kernel
def epoch_log_likelihood(epoch, model):
    """Log likelihood of one epoch from scratch."""
    k = epoch.size[0]
    terms = make_terms(k)
    if not build_terms(terms, k, epoch.counts, epoch.S, epoch.A, model.alpha):
        return -inf
    return log_likelihood(terms, k, len(epoch.z), epoch.trace, model)


@kernel
def candidate_weight(size, before, after, xi, max_clusters, free_here, unused, born_next):
    """Prior weight of one object for one cluster (see ``tetiwd.model.candidate_weight``); born_next −1 at the end."""
    if max_clusters == 0:
        if size > 0:
            return (before + size) * (size + after) / size
        return (before if before > 0 else xi) * (after / xi if after > 0 else 1.0)
    share = xi / max_clusters
    if size > 0:
        return (before + size + share) * (size + share + after) / (size + share)
    backward = before + share if before > 0 else share * free_here
    if after > 0:
        return backward * (after + share) / (share * unused) if unused > 0 else 0.0
    if born_next < 0:
        return backward
    return backward * (unused - born_next) / unused if unused > 0 else 0.0


@kernel
def make_births(capacity):
    """Empty births."""
    return Births(
        np.zeros(capacity, np.int64),
        np.zeros(capacity + 1, np.int64),
        np.zeros(capacity + 1, np.int64),
        np.zeros(4, np.int64),
        np.zeros((capacity, capacity)),
        np.zeros((capacity + 1, capacity)),
        np.zeros(capacity + 1),
        np.zeros(capacity, np.int64),
        np.zeros((capacity, capacity)),
    )


@kernel
def prepare_births(births, epoch, before, after, model, out):
    """Fill births for the epoch without the cluster in slot ``out`` (−1 to leave all in)."""
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
    for e in range(n_ended + 1):
        for c in range(k):
            births.beta[e, c] = 0.0
        births.residual[e] = model.new_scale
    if model.isotropic:
        return
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


@kernel
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


@kernel
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


@kernel
def weigh_candidates(rng, epoch, before, after, model, terms, births, r, own, n_aux, was_alone, old_slot):
    """Every cluster the object could join, with its log weight; rows of clusters to be born are drawn here.

    The object is already out. If it was alone, its old slot is kept as an empty row that stands for itself.
    """
    k = epoch.size[0]
    n_active, n_ended, n_beginning = births.lengths[0], births.lengths[1], births.lengths[2]
    n_linked = births.lengths[3]
    n_rows = 1 if model.isotropic else n_aux
    room = k + n_ended * n_beginning * n_rows
    found = Candidates(
        np.empty(room),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.zeros((room, k)),
        np.zeros(room),
    )
    n_unlinked_back = 0
    for i in range(n_active):
        if epoch.back[births.active[i]] < 0:
            n_unlinked_back += 1
    free_here = model.max_clusters - before.size[0] - n_unlinked_back
    unused = model.max_clusters - n_active
    born_next = after.size[0] - n_linked if after.size[0] > 0 else -1

    Mr = np.empty(k)
    yr = 0.0
    for i in range(k):
        total = 0.0
        for j in range(k):
            total += terms.M[i, j] * r[j]
        Mr[i] = total
        yr += terms.y[i] * r[i]

    C = 0
    for i in range(n_active):
        c = births.active[i]
        m0 = before.counts[epoch.back[c]] if epoch.back[c] >= 0 else 0
        m1 = after.counts[epoch.forward[c]] if epoch.forward[c] >= 0 else 0
        weight = candidate_weight(epoch.counts[c], m0, m1, model.xi, model.max_clusters, free_here, unused, born_next)
        g = 1.0 + terms.M[c, c]
        found.log_weight[C] = log(weight) + log_joining(
            terms, model, own, g, terms.y[c], Mr[c], terms.Q[c, c], terms.p[c], yr
        )
        found.slot[C] = c
        C += 1
    if not (model.isotropic or model.df_A > n_active):
        return found, C
    x = np.empty(k)
    p = np.empty(k)
    for e in range(n_ended):
        b = births.ended[e]
        for v in range(n_beginning):
            f = births.beginning[v]
            m0 = before.counts[b] if b >= 0 else 0
            m1 = after.counts[f] if f >= 0 else 0
            weight = candidate_weight(0, m0, m1, model.xi, model.max_clusters, free_here, unused, born_next)
            if not weight > 0.0:
                continue
            for row in range(n_rows):
                h = found.h[C]
                itself = row == 0 and was_alone and epoch.back[old_slot] == b and epoch.forward[old_slot] == f
                if model.power == inf and not itself:
                    continue  # the last passes of annealing must come to rest, so nothing new is tried
                if itself:
                    for c in range(k):
                        h[c] = 1.0 if c == old_slot else 0.0
                    found.slot[C] = old_slot
                    schur = 0.0
                elif model.isotropic:
                    found.slot[C] = -1
                    schur = model.new_scale
                else:
                    found.slot[C] = -1
                    schur = draw_row(rng, births, e, model.df_A, x, h)
                found.back[C] = b
                found.forward[C] = f
                found.schur[C] = schur
                M_hh = schur / model.alpha
                y_h = 1.0
                Mr_h = Q_hh = p_h = 0.0
                for i in range(k):
                    y_h -= h[i] * (1.0 - terms.y[i])
                    Mr_h += h[i] * Mr[i]
                    p_h += h[i] * terms.p[i]
                    for j in range(k):
                        M_hh += h[i] * terms.M[i, j] * h[j]
                        Q_hh += h[i] * terms.Q[i, j] * h[j]
                value = log(weight / n_rows) + log_joining(terms, model, own, 1.0 + M_hh, y_h, Mr_h, Q_hh, p_h, yr)
                if f >= 0 and not model.isotropic:
                    q = schur
                    for i in range(k):
                        for j in range(k):
                            q += h[i] * epoch.A[i, j] * h[j]
                    for i in range(n_linked):
                        total = 0.0
                        for j in range(k):
                            total += epoch.A[births.linked[i], j] * h[j]
                        p[i] = total
                    value += log_forward_ratio(births, after, epoch, f, p, q, model)
                found.log_weight[C] = value
                C += 1
    return found, C


@kernel
def draw_index(rng, log_weight, first, last, power):
    """Index in [first, last) drawn in proportion to exp(power · log_weight); the largest if power is infinite."""
    best = first
    for i in range(first + 1, last):
        if log_weight[i] > log_weight[best]:
            best = i
    if power == inf:
        return best
    total = 0.0
    for i in range(first, last):
        total += exp(power * (log_weight[i] - log_weight[best]))
    target = rng.random() * total
    for i in range(first, last):
        target -= exp(power * (log_weight[i] - log_weight[best]))
        if target < 0.0:
            return i
    return best


@kernel
def choose(rng, log_weight, C, power, n_existing, n_rows):
    """Draw a candidate. When annealing, the rows of one kind of birth are averaged before the power is taken.

    Otherwise a single row that happens to fit would count for its whole kind.
    """
    if power == 1.0 or n_rows == 1:
        return draw_index(rng, log_weight, 0, C, power)
    n_groups = n_existing + (C - n_existing) // n_rows
    group = np.empty(n_groups)
    for g in range(n_groups):
        if g < n_existing:
            group[g] = log_weight[g]
            continue
        first = n_existing + (g - n_existing) * n_rows
        top = log_weight[first]
        for i in range(first + 1, first + n_rows):
            top = max(top, log_weight[i])
        total = 0.0
        for i in range(first, first + n_rows):
            total += exp(log_weight[i] - top)
        group[g] = top + log(total)
    g = draw_index(rng, group, 0, n_groups, power)
    if g < n_existing:
        return g
    first = n_existing + (g - n_existing) * n_rows
    return draw_index(rng, log_weight, first, first + n_rows, 1.0)


@kernel
def assign_objects(rng, epoch, before, after, model, n_aux, first):
    """Move every object from ``first`` on (Neal's Algorithm 8). Returns the object it stopped at and how many moved.

    It stops early, before touching an object, when no slot is free for a new cluster; the caller makes room.
    """
    capacity = len(epoch.counts)
    n = len(epoch.z)
    terms, kept = make_terms(capacity), make_terms(capacity)
    kept_S = np.empty((capacity, capacity))
    births = make_births(capacity)
    r = np.empty(capacity)
    moved = 0
    stale = True
    for obj in range(first, n):
        k = epoch.size[0]
        if k == capacity:
            return obj, moved
        if stale:
            build_terms(terms, k, epoch.counts, epoch.S, epoch.A, model.alpha)
            prepare_births(births, epoch, before, after, model, -1)
            stale = False
        a = epoch.z[obj]
        own = float(epoch.D[obj, obj]) * epoch.per_unit if model.similarity else 0.0
        for c in range(k):
            r[c] = epoch.R[obj, c]
        r[a] -= own
        alone = epoch.counts[a] == 1
        copy_terms(terms, kept, k)
        for i in range(k):
            for j in range(k):
                kept_S[i, j] = epoch.S[i, j]
        if alone:
            take_out_alone(epoch, a)
            build_terms(terms, k, epoch.counts, epoch.S, epoch.A, model.alpha)
            prepare_births(births, epoch, before, after, model, a)
        else:
            change_count(terms, k, epoch.counts, epoch.S, a, r, own, -1)
        found, C = weigh_candidates(rng, epoch, before, after, model, terms, births, r, own, n_aux, alone, a)
        n_rows = 1 if model.isotropic else n_aux
        pick = choose(rng, found.log_weight, C, model.power, births.lengths[0], n_rows)
        c = found.slot[pick]
        if c == a:
            copy_terms(kept, terms, k)
            for i in range(k):
                for j in range(k):
                    epoch.S[i, j] = kept_S[i, j]
            epoch.counts[a] += 1
            if alone:
                prepare_births(births, epoch, before, after, model, -1)
            continue
        moved += 1
        if c < 0:
            if alone:
                unlink(epoch, before, after, a)
            h, schur = found.h[pick], found.schur[pick]
            c = open_slot(epoch, before, after, found.back[pick], found.forward[pick], h, schur)
            r[c] = 0.0
            stale = True
        if alone or stale:
            put_in(epoch, c, r, own)
            stale = True
        else:
            change_count(terms, k, epoch.counts, epoch.S, c, r, own, 1)
        move_row_sums(epoch, obj, a, c)
        epoch.z[obj] = c
        if alone:
            close_slot(epoch, before, after, a)
    return n, moved


@kernel
def take_out_alone(epoch, a):
    """Empty the cluster of a lone object exactly: its block sums are zero by definition."""
    epoch.counts[a] -= 1
    for j in range(epoch.size[0]):
        epoch.S[a, j] = 0.0
        epoch.S[j, a] = 0.0


@kernel
def put_in(epoch, c, r, own):
    """Count an object with row sums r into cluster c."""
    for j in range(epoch.size[0]):
        epoch.S[c, j] += r[j]
        epoch.S[j, c] += r[j]
    epoch.S[c, c] += own
    epoch.counts[c] += 1


@kernel
def move_row_sums(epoch, obj, a, c):
    """R after an object went from cluster a to c: O(n), the only place where a row of D is read."""
    for j in range(len(epoch.z)):
        d = float(epoch.D[obj, j]) * epoch.per_unit
        epoch.R[j, a] -= d
        epoch.R[j, c] += d


@kernel
def unlink(epoch, before, after, c):
    """Cut cluster c from its neighbours in time."""
    if epoch.back[c] >= 0:
        before.link[epoch.back[c]] = -1
        epoch.back[c] = -1
    if epoch.forward[c] >= 0:
        after.link[epoch.forward[c]] = -1
        epoch.forward[c] = -1


@kernel
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
    for j in range(len(epoch.z)):
        epoch.R[j, k] = 0.0
    epoch.counts[k] = 0
    epoch.back[k] = b
    epoch.forward[k] = f
    if b >= 0:
        before.link[b] = k
    if f >= 0:
        after.link[f] = k
    epoch.size[0] = k + 1
    return k


@kernel
def close_slot(epoch, before, after, a):
    """Remove the empty cluster in slot a; the last cluster moves into its place."""
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
        epoch.back[a] = epoch.back[last]
        epoch.forward[a] = epoch.forward[last]
        if epoch.back[a] >= 0:
            before.link[epoch.back[a]] = a
        if epoch.forward[a] >= 0:
            after.link[epoch.forward[a]] = a
        for j in range(len(epoch.z)):
            epoch.R[j, a] = epoch.R[j, last]
            if epoch.z[j] == last:
                epoch.z[j] = a
    for i in range(last + 1):
        epoch.A[last, i] = 0.0
        epoch.A[i, last] = 0.0
        epoch.S[last, i] = 0.0
        epoch.S[i, last] = 0.0
    for j in range(len(epoch.z)):
        epoch.R[j, last] = 0.0
    epoch.counts[last] = 0
    epoch.back[last] = -1
    epoch.forward[last] = -1
    epoch.size[0] = last


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


@kernel
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


@kernel
def log_proposal_ratio(A, A_new, k, df):
    """Log q(A | A_new) / q(A_new | A) of the Wishart proposal with mean at the current matrix."""
    L, F = np.zeros((k, k)), np.zeros((k, k))
    if not cholesky(A, k, L) or not cholesky(A_new, k, F):
        return -inf
    log_dets = log_det(L, k) - log_det(F, k)
    traces = trace_of_solution(F, k, A) - trace_of_solution(L, k, A_new)
    return (df - 0.5 * (k + 1.0)) * log_dets - 0.5 * df * traces


@kernel
def draw_wishart(rng, A, k, df, out):
    """Draw from W_df(A) with mean A by Bartlett's decomposition into out."""
    L, T, X = np.zeros((k, k)), np.zeros((k, k)), np.zeros((k, k))
    cholesky(A, k, L)
    for i in range(k):
        T[i, i] = sqrt(draw_chi_square(rng, df - i))
        for j in range(i):
            T[i, j] = rng.standard_normal()
    for i in range(k):
        for j in range(i + 1):
            total = 0.0
            for m in range(j, i + 1):
                total += L[i, m] * T[m, j]
            X[i, j] = total
    for i in range(k):
        for j in range(i + 1):
            total = 0.0
            for m in range(j + 1):
                total += X[i, m] * X[j, m]
            out[i, j] = total / df
            out[j, i] = out[i, j]


@kernel
def move_geometry(rng, epoch, before, after, model, df, n_steps):
    """Metropolis–Hastings on A with a Wishart proposal of the given degrees of freedom; returns acceptances."""
    k = epoch.size[0]
    terms = make_terms(k)
    proposal = np.zeros((k, k))
    current = log_geometry_target(epoch, epoch.A, terms, before, after, model)
    accepted = 0
    for _ in range(n_steps):
        draw_wishart(rng, epoch.A, k, df, proposal)
        proposed = log_geometry_target(epoch, proposal, terms, before, after, model)
        ratio = log_proposal_ratio(epoch.A, proposal, k, df)
        if accept(rng, proposed - current, ratio, model.power):
            for i in range(k):
                for j in range(k):
                    epoch.A[i, j] = proposal[i, j]
            current = proposed
            accepted += 1
    return accepted


@kernel
def accept(rng, log_ratio, log_proposal, power):
    """Metropolis–Hastings decision; with infinite power only improvements pass."""
    if power == inf:
        return log_ratio > 0.0
    return log(1.0 - rng.random()) < power * log_ratio + log_proposal


@kernel
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


@kernel
def log_boundary(left, right, k_right, back, model):
    """All of the log joint that depends on the links between two epochs, up to a constant."""
    total = log_transition(left.counts, left.size[0], right.counts, k_right, back, model.xi, model.max_clusters)
    if total == -inf or model.isotropic:
        return total
    P = prior_scale(k_right, back, left.A, model.new_scale)
    return total + log_wishart_kernel(right.A, P, k_right, model.df_A)


@kernel
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


@kernel
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


@kernel
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
