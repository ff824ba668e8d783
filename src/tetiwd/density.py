"""The log joint of a chain's state, in the pieces that moves on the scales need. Equal to ``model.log_joint``."""

from math import inf, lgamma, log, pi

import numpy as np

from tetiwd._kernels import epoch_log_likelihood, log_transition, log_wishart_kernel, prior_scale
from tetiwd.params import Hyperparameters, log_prior
from tetiwd.state import ChainState, models_of


def log_joint_of(state: ChainState, hyperparameters: Hyperparameters) -> float:
    """Log joint density of a state, all constants included."""
    h = hyperparameters
    total = log_prior(h.alpha, state.alpha) + log_prior(h.xi, state.xi) + log_prior(h.new_scale, state.new_scale)
    total += log_partitions(state, h, state.xi) + log_likelihoods(state, h)
    return total + (log_geometry(state, h) if h.geometry == "full" else 0.0)


def log_likelihoods(
    state: ChainState,
    hyperparameters: Hyperparameters,
    *,
    alpha: float | None = None,
    spread: float | None = None,
    factor: float | None = None,
    dof_factor: float = 1.0,
) -> float:
    """Log likelihood of all epochs; what if alpha were another, A were spread · I, or A were multiplied?"""
    total = 0.0
    for t, model in enumerate(models_of(state, hyperparameters, dof_factor=dof_factor)):
        epoch = state.epoch(t)
        if alpha is not None:
            model = model._replace(alpha=alpha)
        if spread is not None:
            epoch = epoch._replace(A=spread * np.eye(state.capacity))
        if factor is not None:
            epoch = epoch._replace(A=factor * epoch.A)
        total += epoch_log_likelihood(epoch, model)
    return total


def log_partitions(state: ChainState, hyperparameters: Hyperparameters, xi: float) -> float:
    """Log prior of the linked partitions at a given rate."""
    h, total = hyperparameters, 0.0
    for t in range(state.n_epochs):
        before = state.before(t, coupled=h.coupling)
        n_before, n = int(before.counts[: before.size[0]].sum()), len(state.z[t])
        total += lgamma(xi + n_before) - lgamma(xi + n_before + n)
        total += log_transition(
            before.counts, before.size[0], state.counts[t], state.size[t, 0], state.back[t], xi, h.max_clusters or 0
        )
    return total


def log_geometry(state: ChainState, hyperparameters: Hyperparameters) -> float:
    """Log prior of A_1 … A_T with its constants."""
    h, total = hyperparameters, 0.0
    for t in range(state.n_epochs):
        k = int(state.size[t, 0])
        before = state.before(t, coupled=h.coupling)
        P = prior_scale(k, state.back[t], before.A, state.new_scale)
        total += log_wishart_kernel(state.A[t], P, k, h.df_A) + _log_wishart_constant(k, h.df_A)
    return total


def log_new_scale(state: ChainState, hyperparameters: Hyperparameters, new_scale: float) -> float:
    """Part of log p(A_1 … A_T) that depends on new_scale: the rows of clusters that are born."""
    born = [state.back[t, : state.size[t, 0]] < 0 for t in range(state.n_epochs)]
    n_born = sum(int(is_born.sum()) for is_born in born)
    variances = sum(float(np.diagonal(state.A[t])[: len(is_born)][is_born].sum()) for t, is_born in enumerate(born))
    return -0.5 * hyperparameters.df_A * (n_born * log(new_scale) + variances / new_scale)


def _log_wishart_constant(k: int, df: float) -> float:
    if df <= k - 1:
        return -inf
    log_multigamma = k * (k - 1) / 4 * log(pi) + sum(lgamma((df - i) / 2) for i in range(k))
    return 0.5 * df * k * log(df / 2) - log_multigamma
