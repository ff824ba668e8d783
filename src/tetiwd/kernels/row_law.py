"""A law close to the posterior of one row of A given the others, and the move that proposes from it.

With a the row among the m others and A their block, h = A⁻¹a is Gaussian, then the residual variance
schur = variance − aᵀh log-normal. Three sources know of the row: its prior, which is the epoch before; the observed
means of the clusters; and the epoch after.
"""

import math

import numpy as np

from tetiwd.kernels import arrays, dense, stream, wishart

MOST_STEPS = 8  # to the mode of the residual variance
SMALL_STEP = 1e-4  # the last of them, on the log scale
LOG_2_PI = math.log(2.0 * math.pi)


class RowLaw:
    """The law of one row, for up to K clusters."""

    def __init__(self, capacity):
        K = capacity
        self.others, self.m = np.zeros(K, np.int64), 0  # slots of the others
        self.A, self.L = np.zeros((K, K)), np.zeros((K, K))  # their block, and its Cholesky factor
        self.mean, self.V = np.zeros(K), np.zeros((K, K))  # of h: mean, and Cholesky factor of the precision
        self.df = self.scale = 0.0  # of the prior: degrees of freedom, residual scale
        self.data_weight = self.after_weight = 0.0  # degrees of freedom of the other two sources, 0 for none
        self.power = 1.0
        self.to_means = np.zeros((K, K))  # C: C h regresses the observed mean of the row's cluster on the others'
        self.gram = np.zeros((K + 1, K + 1))  # of the observed means around their common origin, the row's own last
        self.noise_of_mean = self.noise_of_origin = 0.0
        self.to_after = np.zeros((K, K))  # E: E h regresses the row on those that go on to the epoch after
        self.linked, self.n_after = np.zeros(K, np.int64), 0  # positions of those among the others
        self.A_after = np.zeros((K + 1, K + 1))  # their block of A there, the row's own last
        self.seen_data = self.seen_after = 0.0  # residual variance as the other two sources see it, at the mode
        self.data_precision, self.data_pull = np.zeros((K, K)), np.zeros(K)  # what the means say about h, unweighted
        self.after_precision, self.after_pull = np.zeros((K, K)), np.zeros(K)  # the same of the epoch after
        self.beta, self.A_beta = np.zeros(K), np.zeros(K)
        self.block, self.factor, self.rows = np.zeros((K, K)), np.zeros((K, K)), np.zeros((K, K))
        self.x, self.u, self.Gu, self.Ah = np.zeros(K + 1), np.zeros(K + 1), np.zeros(K + 1), np.zeros(K)
        self.back, self.slots = np.zeros(K, np.int64), np.zeros(K + 1, np.int64)
        self.within, self.to_origin = np.zeros(K + 1), np.zeros(K + 1)
        self.h, self.h_new = np.zeros(K), np.zeros(K)


def regress_on_before(law, epoch, before, model, b, beta):
    """Prior of a row whose cluster was in slot b before: mean of h into beta; returns the residual scale."""
    m = law.m
    for i in range(m):
        beta[i] = 0.0
    if b < 0:
        return model.new_scale
    n = 0
    for i in range(m):
        if epoch.back[law.others[i]] >= 0:
            law.back[n] = i
            n += 1
    for i in range(n):
        for j in range(n):
            law.block[i, j] = before.A[epoch.back[law.others[law.back[i]]], epoch.back[law.others[law.back[j]]]]
        law.x[i] = before.A[epoch.back[law.others[law.back[i]]], b]
    dense.cholesky(law.block, n, law.factor)
    dense.solve_lower(law.factor, n, law.x)
    dense.solve_upper(law.factor, n, law.x)
    residual = before.A[b, b]
    for i in range(n):
        residual -= law.x[i] * before.A[epoch.back[law.others[law.back[i]]], b]
        beta[law.back[i]] = law.x[i]
    return max(residual, 1e-12 * before.A[b, b])


def look_at_means(law, epoch, model, c):
    """What the observed means of clusters say about the row of slot c: to_means, gram, noise and the data's weight."""
    m = law.m
    law.data_weight = 0.0
    if m == 0 and not model.similarity:
        return
    law.data_weight = model.dof
    for i in range(m):
        for j in range(m):
            law.block[i, j] = law.A[i, j]
        law.block[i, i] += model.alpha * epoch.spreads[law.others[i]] / epoch.counts[law.others[i]]
    dense.cholesky(law.block, m, law.factor)
    dense.copy_block(law.A, m, law.to_means)
    dense.solve_lower_rows(law.factor, m, law.to_means, m)
    dense.solve_upper_rows(law.factor, m, law.to_means, m)
    law.noise_of_mean = model.alpha * epoch.spreads[c] / epoch.counts[c]
    law.noise_of_origin = 0.0
    for i in range(m):
        law.slots[i] = law.others[i]
    law.slots[m] = c
    for i in range(m + 1):
        for j in range(m + 1):
            a, b = law.slots[i], law.slots[j]
            law.gram[i, j] = epoch.S[a, b] / (float(epoch.counts[a]) * epoch.counts[b])
    if not model.similarity:
        centre_gram(law, m)
    inform(law, law.to_means, m, law.gram, law.data_precision, law.data_pull)


def centre_gram(law, m):
    """From mean squared distances within and between clusters to the Gram matrix around the origin of the means."""
    for i in range(m + 1):
        law.within[i] = 0.5 * law.gram[i, i]
    for i in range(m + 1):
        for j in range(m + 1):
            law.gram[i, j] -= law.within[i] + law.within[j]  # squared distances between means
    for i in range(m):
        law.x[i] = 1.0
    dense.solve_lower(law.factor, m, law.x)
    dense.solve_upper(law.factor, m, law.x)
    total = 0.0
    for i in range(m):
        total += law.x[i]
    law.noise_of_origin = 1.0 / total
    spread = 0.0
    for i in range(m + 1):
        law.to_origin[i] = 0.0
        for j in range(m):
            law.to_origin[i] += law.x[j] / total * law.gram[i, j]
    for j in range(m):
        spread += law.x[j] / total * law.to_origin[j]
    for i in range(m + 1):
        for j in range(m + 1):
            law.gram[i, j] = -0.5 * (law.gram[i, j] - law.to_origin[i] - law.to_origin[j] + spread)


def look_at_after(law, epoch, after, model, c):
    """What the epoch after says about the row of slot c: to_after, A_after and its weight."""
    m = law.m
    f = epoch.forward[c]
    law.after_weight = 0.0
    law.n_after = 0
    if f < 0 or after.size[0] == 0:
        return
    law.after_weight = model.df_A
    n = 0
    for i in range(m):
        if epoch.forward[law.others[i]] >= 0:
            law.linked[n] = i
            n += 1
    law.n_after = n
    for i in range(n):
        g = epoch.forward[law.others[law.linked[i]]]
        for j in range(n):
            law.block[i, j] = law.A[law.linked[i], law.linked[j]]
            law.A_after[i, j] = after.A[g, epoch.forward[law.others[law.linked[j]]]]
        for j in range(m):
            law.to_after[i, j] = law.A[law.linked[i], j]
        law.A_after[i, n] = after.A[g, f]
        law.A_after[n, i] = after.A[g, f]
    law.A_after[n, n] = after.A[f, f]
    dense.cholesky(law.block, n, law.factor)
    dense.solve_lower_rows(law.factor, n, law.to_after, m)
    dense.solve_upper_rows(law.factor, n, law.to_after, m)
    inform(law, law.to_after, n, law.A_after, law.after_precision, law.after_pull)


def schur_given(law, h):
    """Mode and curvature of the log residual variance given h.

    Data and epoch after see the residual variance plus an offset; both sums at the mode are kept in the law.
    """
    m, n = law.m, law.n_after
    dense.combine(arrays.matrix(law.A), m, arrays.row(h), arrays.row(law.Ah))
    own = 0.0
    for i in range(m):
        own += h[i] * law.Ah[i]
    offset_data = error_data = offset_after = error_after = 0.0
    if law.data_weight > 0.0:
        dense.times(law.to_means, m, m, h, law.u)
        error_data = dense.quadratic(law.gram, m, law.u, law.Gu)
        left = 1.0
        offset_data = own + law.noise_of_mean
        for i in range(m):
            offset_data -= law.Ah[i] * law.u[i]
            left -= law.u[i]
        offset_data = max(offset_data, 0.0) + law.noise_of_origin * left * left
    if law.after_weight > 0.0:
        dense.times(law.to_after, n, m, h, law.u)
        error_after = dense.quadratic(law.A_after, n, law.u, law.Gu)
        offset_after = own
        for i in range(n):
            offset_after -= law.Ah[law.linked[i]] * law.u[i]
        offset_after = max(offset_after, 0.0)
    x = math.log(law.scale * (law.df - m) / law.df)
    curvature = 1.0
    for _ in range(MOST_STEPS):
        s = math.exp(x)
        slope = 0.5 * (law.df - m) - 0.5 * law.df * s / law.scale
        curvature = 0.5 * law.df * s / law.scale
        if law.data_weight > 0.0:
            share = s / (s + offset_data)
            slope -= 0.5 * law.data_weight * share * (1.0 - error_data / (s + offset_data))
            curvature += 0.5 * law.data_weight * share * share
        if law.after_weight > 0.0:
            share = s / (s + offset_after)
            slope -= 0.5 * law.after_weight * share * (1.0 - error_after / (s + offset_after))
            curvature += 0.5 * law.after_weight * share * share
        step = min(max(slope / curvature, -1.0), 1.0)
        x += step
        if abs(step) < SMALL_STEP:
            break
    law.seen_data = math.exp(x) + offset_data
    law.seen_after = math.exp(x) + offset_after
    return x, curvature * law.power


def inform(law, C, n, G, precision, pull):
    """What n points with Gram matrix G say about h through C: precision CᵀGC, and CᵀG of the row's own point.

    Here as elsewhere, of a precision only the lower triangle counts.
    """
    m = law.m
    for i in range(n):
        for j in range(m):
            law.rows[i, j] = 0.0
        for v in range(n):
            x = G[i, v]
            for j in range(m):
                law.rows[i, j] += x * C[v, j]
    for i in range(m):
        for j in range(i + 1):
            precision[i, j] = 0.0
        total = 0.0
        for v in range(n):
            x = C[v, i]
            for j in range(i + 1):
                precision[i, j] += x * law.rows[v, j]
            total += x * G[v, n]
        pull[i] = total


def add_information(law, weight, precision, pull):
    """Add what one source says about h to the precision V and its mean."""
    for i in range(law.m):
        for j in range(i + 1):
            law.V[i, j] += weight * precision[i, j]
        law.mean[i] += weight * pull[i]


def find_mean(law):
    """Mean of h and the factor V of its precision for given residual variances; False if there is no such law."""
    m = law.m
    weight = law.df / law.scale
    for i in range(m):
        law.mean[i] = weight * law.A_beta[i]
        for j in range(i + 1):
            law.V[i, j] = weight * law.A[i, j]
    if law.data_weight > 0.0:
        add_information(law, law.data_weight / law.seen_data, law.data_precision, law.data_pull)
    if law.after_weight > 0.0:
        add_information(law, law.after_weight / law.seen_after, law.after_precision, law.after_pull)
    if not dense.cholesky(law.V, m, law.V):
        return False
    dense.solve_lower(law.V, m, law.mean)
    dense.solve_upper(law.V, m, law.mean)
    return True


def list_others(law, epoch, c, skip):
    """All slots but two."""
    m = 0
    for i in range(epoch.size[0]):
        if i != c and i != skip:
            law.others[m] = i
            m += 1
    law.m = m


def find_row_law(law, epoch, before, after, model, c, skip):
    """The law of the row of slot c given all other rows but that of slot ``skip`` (c for none)."""
    list_others(law, epoch, c, skip)
    m = law.m
    for i in range(m):
        for j in range(m):
            law.A[i, j] = epoch.A[law.others[i], law.others[j]]
    dense.cholesky(law.A, m, law.L)
    law.df = model.df_A
    law.power = model.power
    law.scale = regress_on_before(law, epoch, before, model, epoch.back[c], law.beta)
    look_at_means(law, epoch, model, c)
    look_at_after(law, epoch, after, model, c)
    dense.combine(arrays.matrix(law.A), m, arrays.row(law.beta), arrays.row(law.A_beta))
    for i in range(m):
        law.mean[i] = law.beta[i]
    schur_given(law, law.mean)
    if not find_mean(law):
        law.data_weight = 0.0  # distances that no points have, so their means say nothing
        find_mean(law)
    if model.power != 1.0:
        for i in range(m):
            for j in range(m):
                law.V[i, j] *= math.sqrt(model.power)


def log_density_of_row(law, h, schur):
    """Log density of (h, schur) under the law, as a density of the row's entries (the Jacobian is that of a = A h)."""
    if not schur > 0.0:
        return -math.inf
    m = law.m
    for i in range(m):
        law.x[i] = h[i] - law.mean[i]
    square = 0.0
    for i in range(m):
        total = 0.0
        for j in range(i, m):
            total += law.V[j, i] * law.x[j]
        square += total * total
    mode, curvature = schur_given(law, h)
    gap = math.log(schur) - mode
    log_det = dense.log_det(law.V, m)
    gaussian = 0.5 * (log_det - square + math.log(curvature) - curvature * gap * gap - (m + 1) * LOG_2_PI)
    return gaussian - math.log(schur) - dense.log_det(law.L, m)


def draw_row_from_law(rng, law, h):
    """Draw h and the residual variance."""
    m = law.m
    for i in range(m):
        h[i] = rng.normal()
    dense.solve_upper(law.V, m, h)
    for i in range(m):
        h[i] += law.mean[i]
    mode, curvature = schur_given(law, h)
    return math.exp(mode + rng.normal() / math.sqrt(curvature))


def set_row(law, A, c, h, schur):
    """Write the row of slot c into A."""
    m = law.m
    variance = schur
    for i in range(m):
        total = 0.0
        for j in range(m):
            total += law.A[i, j] * h[j]
        A[law.others[i], c] = total
        A[c, law.others[i]] = total
        variance += h[i] * total
    A[c, c] = variance


def get_row(law, A, c, h):
    """The inverse of ``set_row``: h and the residual variance from the row of slot c."""
    m = law.m
    for i in range(m):
        h[i] = A[law.others[i], c]
    dense.solve_lower(law.L, m, h)
    dense.solve_upper(law.L, m, h)
    schur = A[c, c]
    for i in range(m):
        schur -= h[i] * A[law.others[i], c]
    return schur


def propose_row(rng, law, epoch, before, after, model, c, skip, drawn):
    """Draw the row of slot c from its law, or take it as it is; returns its log density."""
    find_row_law(law, epoch, before, after, model, c, skip)
    if drawn:
        schur = draw_row_from_law(rng, law, law.h)
        set_row(law, epoch.A, c, law.h, schur)
    else:
        schur = get_row(law, epoch.A, c, law.h)
    return log_density_of_row(law, law.h, schur)


def move_rows(rng, law, own_terms, scratch, trial, epoch, before, after, model):
    """Metropolis–Hastings on every row of A in turn, proposed from its law; returns acceptances. Trial is scratch."""
    k = epoch.size[0]
    current = wishart.log_geometry_target(epoch, epoch.A, own_terms, scratch, before, after, model)
    accepted = 0
    for c in range(k):
        dense.copy_block(epoch.A, k, trial)
        find_row_law(law, epoch, before, after, model, c, c)
        schur = get_row(law, epoch.A, c, law.h)
        schur_new = draw_row_from_law(rng, law, law.h_new)
        set_row(law, trial, c, law.h_new, schur_new)
        proposed = wishart.log_geometry_target(epoch, trial, own_terms, scratch, before, after, model)
        ratio = log_density_of_row(law, law.h, schur) - log_density_of_row(law, law.h_new, schur_new)
        if stream.accept(rng, proposed - current, ratio, model.power):
            dense.copy_block(trial, k, epoch.A)
            current = proposed
            accepted += 1
    return accepted
