"""The prior of A: Wishart densities, and the log joint density of one epoch with its neighbours."""

import math

import numpy as np

from tetiwd.kernels import dense, gamma, partition, spread_law, terms


class Wishart:
    """Scratch for densities of up to K clusters: the scale P, two Cholesky factors, a solution."""

    def __init__(self, capacity):
        K = capacity
        self.P, self.L, self.F, self.X = (np.zeros((K, K)) for _ in range(4))


def log_wishart_kernel(scratch, A, k, df):
    """Log density of A ~ W_df(P) without the constants that depend on k and df alone; P is that of the scratch."""
    if not dense.cholesky(A, k, scratch.L):
        return -math.inf
    return log_wishart_given(scratch, scratch.L, k, df)


def log_wishart_given(scratch, L, k, df):
    """The same if the Cholesky factor L of A is known."""
    if not dense.cholesky(scratch.P, k, scratch.F):
        return -math.inf
    trace = dense.trace_of_solution(scratch.F, k, L, scratch.X)
    return 0.5 * (df - k - 1.0) * dense.log_det(L, k) - 0.5 * df * (dense.log_det(scratch.F, k) + trace)


def set_scale(scratch, k, back, A_before, new_scale):
    """P of one epoch: linked rows of the A before, new_scale on the diagonal for the others."""
    for i in range(k):
        for j in range(k):
            scratch.P[i, j] = A_before[back[i], back[j]] if back[i] >= 0 and back[j] >= 0 else 0.0
        if back[i] < 0:
            scratch.P[i, i] = new_scale


def log_wishart_constant(k, df):
    """What ``log_wishart_kernel`` leaves out."""
    if not df > k - 1.0:
        return -math.inf
    total = 0.5 * df * k * math.log(0.5 * df) - 0.25 * k * (k - 1) * math.log(math.pi)
    for i in range(k):
        total -= gamma.log_gamma(0.5 * (df - i))
    return total


def log_prior_of_geometry(epoch, before, scratch, df_A, new_scale):
    """Log density of A of one epoch given that of the epoch before."""
    k = epoch.size[0]
    set_scale(scratch, k, epoch.back, before.A, new_scale)
    return log_wishart_kernel(scratch, epoch.A, k, df_A) + log_wishart_constant(k, df_A)


def log_geometry_target(epoch, A, own_terms, scratch, before, after, model):
    """All of the log joint that depends on A of one epoch, up to a constant."""
    k = epoch.size[0]
    if not terms.build_sums(own_terms, k, epoch.counts, epoch.S, epoch.spreads, A, model.alpha):
        return -math.inf
    total = terms.log_likelihood(own_terms, k, epoch.n, epoch.trace, model, model.alpha)
    set_scale(scratch, k, epoch.back, before.A, model.new_scale)
    total += log_wishart_given(scratch, own_terms.L, k, model.df_A)
    k_after = after.size[0]
    if k_after > 0:
        set_scale(scratch, k_after, after.link, A, model.new_scale)
        total += log_wishart_kernel(scratch, after.A, k_after, model.df_A)
    return total


def log_around(epoch, own_terms, scratch, before, after, model):
    """All of the log joint that one epoch has a part in, up to terms that depend on numbers of objects alone."""
    k, total = epoch.size[0], partition.log_transitions_around(epoch, before, after, model)
    if total == -math.inf:
        return total
    total += spread_law.log_prior_of_spreads(epoch, model)
    if model.isotropic:
        return total + terms.epoch_log_likelihood(epoch, own_terms, model)
    total += log_wishart_constant(k, model.df_A)
    return total + log_geometry_target(epoch, epoch.A, own_terms, scratch, before, after, model)
