"""The log joint of a chain's state, in the pieces that moves on the scales need. Equal to ``model.log_joint``."""

import numpy as np

from tetiwd.kernels import Model, log_likelihoods_if, log_prior_of_geometry, log_prior_of_partitions
from tetiwd.model.spreads import log_density_of_spreads
from tetiwd.params import Hyperparameters
from tetiwd.priors import log_prior
from tetiwd.state import ChainState, models_of


def log_joint_of(state: ChainState, hyperparameters: Hyperparameters) -> float:
    """Log joint density of a state, all constants included, and the weights of what is known beforehand."""
    h = hyperparameters
    total = log_prior(h.alpha, state.alpha) + log_prior(h.xi, state.xi) + log_prior(h.new_scale, state.new_scale)
    total += log_prior(h.kappa, state.kappa) + log_prior(h.tau_used, state.tau) + log_spreads(state)
    total += log_partitions(state, h) + log_likelihoods(state, h)
    if state.series.ties is not None:
        total += state.series.ties.log_weight(np.concatenate(state.labels()))
    return total + (log_prior(h.df_A, state.df_A) + log_geometry(state, h) if h.full else 0.0)


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


def log_partitions(
    state: ChainState, hyperparameters: Hyperparameters, *, xi: float | None = None, kappa: float | None = None
) -> float:
    """Log prior of the linked partitions; what if xi or kappa were another?"""
    h, around = hyperparameters, state.all_around(coupled=hyperparameters.coupling)
    return log_prior_of_partitions(around, xi or state.xi, kappa or state.kappa, h.max_clusters or 0)


def log_geometry(state: ChainState, hyperparameters: Hyperparameters, *, df_A: float | None = None) -> float:
    """Log prior of A_1 … A_T; what if df_A were another? −inf where it leaves no room for the clusters."""
    around = state.all_around(coupled=hyperparameters.coupling)
    return log_prior_of_geometry(around, state.work, df_A or state.df_A, state.new_scale)


def log_spreads(state: ChainState, *, tau: float | None = None, factor: float = 1.0, shift: float = 0.0) -> float:
    """Log prior of the spreads of all clusters; what if tau were another, or their logarithms?"""
    x = factor * np.concatenate(state.log_spreads()) + shift
    return log_density_of_spreads(x, state.tau if tau is None else tau)
