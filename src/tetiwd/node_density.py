"""The log joint of a state of moving centres, in the pieces that moves need. Equal to ``model.log_joint_moving``."""

import numpy as np

from tetiwd.kernels import log_likelihood_of_nodes, log_prior_of_lineages
from tetiwd.model.moving import priors_of
from tetiwd.model.spreads import log_density_of_spreads
from tetiwd.node_state import NodeState, motion_of
from tetiwd.params import Hyperparameters
from tetiwd.priors import log_prior


def log_joint_of_nodes(state: NodeState, hyperparameters: Hyperparameters) -> float:
    """Log joint density of a state, all constants included, and the weights of what is known beforehand."""
    total = sum(log_prior(prior, getattr(state, name)) for name, prior in priors_of(hyperparameters).items())
    if state.series.ties is not None:
        total += state.series.ties.log_weight(state.z)
    return total + log_lineages(state, hyperparameters) + log_spreads(state) + log_distances(state, hyperparameters)


def log_distances(state: NodeState, hyperparameters: Hyperparameters, dof_factor: float = 1.0) -> float:
    """Log likelihood of D*."""
    motion = motion_of(state, hyperparameters, dof_factor=dof_factor)
    return float(log_likelihood_of_nodes(state.work, state.nodes, motion))


def log_lineages(state: NodeState, hyperparameters: Hyperparameters) -> float:
    """Log prior of the lineages."""
    return float(log_prior_of_lineages(state.work, state.nodes, motion_of(state, hyperparameters)))


def log_spreads(state: NodeState) -> float:
    """Log prior of the spreads of all lineages."""
    return log_density_of_spreads(np.log(state.spreads[: state.size[0]] / state.alpha), state.tau)
