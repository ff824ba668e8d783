"""The log joint of a chain's state, in the pieces that moves on the scales need. Equal to ``model.log_joint``."""

from math import inf, lgamma, log, pi

import numpy as np

from tetiwd.kernels import Model, log_likelihoods_if, log_prior_of_geometry, log_transition
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
    spread: float = 0.0,
    factor: float = 1.0,
    models: list[Model] | None = None,
) -> float:
    """Log likelihood of all epochs; what if alpha were another, A were spread · I, or A were multiplied?"""
    models = models or models_of(state, hyperparameters)
    return log_likelihoods_if(state.epochs, state.work, models, alpha or state.alpha, factor, spread)


def log_partitions(state: ChainState, hyperparameters: Hyperparameters, xi: float) -> float:
    """Log prior of the linked partitions at a given rate."""
    h, total = hyperparameters, 0.0
    for t in range(state.n_epochs):
        n_before, n = len(state.z[t - 1]) if h.coupling and t > 0 else 0, len(state.z[t])
        total += lgamma(xi + n_before) - lgamma(xi + n_before + n)
        total += log_transition(state.before(t, coupled=h.coupling), state.epoch(t), xi, h.max_clusters or 0)
    return total


def log_geometry(state: ChainState, hyperparameters: Hyperparameters) -> float:
    """Log prior of A_1 … A_T with its constants."""
    h, total = hyperparameters, 0.0
    for t in range(state.n_epochs):
        k = int(state.size[t, 0])
        before = state.before(t, coupled=h.coupling)
        log_kernel = log_prior_of_geometry(state.epoch(t), before, state.work, h.df_A, state.new_scale)
        total += log_kernel + _log_wishart_constant(k, h.df_A)
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
