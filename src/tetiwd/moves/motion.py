"""Random walks of the parameters of moving centres, for those that are not fixed.

"alpha" moves together with the spreads of all lineages, "level" without them; "stretch" moves tau together with the
differences of spreads, so that these never get stuck close to zero. Every other move has the name of its parameter.
"""

from math import exp, inf, log

import numpy as np

from tetiwd.kernels import move_spreads
from tetiwd.model.moving import prior_of
from tetiwd.model.spreads import LIMIT
from tetiwd.moves.metropolis import accepts
from tetiwd.moves.move import Move, Sweep
from tetiwd.moves.scale import SMALLEST_ALPHA
from tetiwd.node_density import log_distances, log_lineages, log_spreads
from tetiwd.node_state import NodeState, motion_of
from tetiwd.params import MOTION_MOVES, Hyperparameters
from tetiwd.priors import Beta, Gamma, log_prior
from tetiwd.state import Floats

PARAMETER = {name: name for name in MOTION_MOVES} | {"level": "alpha", "stretch": "tau"}  # that a move changes
SEEN_BY_DISTANCES = ("alpha", "new_scale", "rho", "stretch", "shift")
SEEN_BY_LINEAGES = ("xi", "delta", "kappa")
SEEN_BY_SPREADS = ("level", "tau", "stretch")


def is_free(name: str, hyperparameters: Hyperparameters) -> bool:
    """True if there is something for a move to change."""
    h = hyperparameters
    if name == "spreads":
        return h.tau_used != 0
    if name == "level" and not is_free("spreads", h):
        return False
    return isinstance(prior_of(PARAMETER[name], h), Gamma | Beta)


def log_target(name: str, state: NodeState, hyperparameters: Hyperparameters, dof_factor: float = 1.0) -> float:
    """All of the log joint that a move changes."""
    parameter = PARAMETER[name]
    total = log_prior(prior_of(parameter, hyperparameters), getattr(state, parameter))
    if total == -inf or state.alpha < SMALLEST_ALPHA:
        return -inf
    if name in SEEN_BY_SPREADS:
        total += log_spreads(state)
    if name in SEEN_BY_LINEAGES:
        total += log_lineages(state, hyperparameters)
    if name in SEEN_BY_DISTANCES and total > -inf:
        total += log_distances(state, hyperparameters, dof_factor)
    return total


def take_step(name: str, state: NodeState, step: float) -> float:
    """Move a parameter, and what goes along with it, by a step on its log or logit scale; returns the log Jacobian."""
    parameter, C = PARAMETER[name], int(state.size[0])
    value = getattr(state, parameter)
    if parameter in ("rho", "delta"):
        shifted = 1.0 / (1.0 + (1.0 / value - 1.0) * exp(-step))
        setattr(state, parameter, shifted)
        return log(shifted * (1.0 - shifted)) - log(value * (1.0 - value)) if 0 < shifted < 1 else -inf
    setattr(state, parameter, value * exp(step))
    if name == "alpha":
        state.spreads[:C] *= state.alpha / value
        if state.tau == 0:
            state.spreads[:C] = state.alpha
    if name == "stretch":
        x = exp(step) * np.log(state.spreads[:C] / state.alpha)
        if np.abs(x).max() > LIMIT:
            return -inf
        state.spreads[:C] = state.alpha * np.exp(x)
        return (C + 1) * step
    return step


def walk(
    name: str,
    state: NodeState,
    hyperparameters: Hyperparameters,
    step: float,
    n_steps: int,
    rng: np.random.Generator,
    power: float,
    dof_factor: float = 1.0,
) -> float:
    """Several Metropolis steps of one move; returns the share accepted."""
    accepted, current = 0, log_target(name, state, hyperparameters, dof_factor)
    for _ in range(n_steps):
        value, spreads = getattr(state, PARAMETER[name]), state.spreads.copy()
        log_jacobian = take_step(name, state, step * rng.standard_normal())
        proposed = log_target(name, state, hyperparameters, dof_factor) if log_jacobian > -inf else -inf
        if proposed > -inf and accepts(rng, proposed - current, log_jacobian, power):
            current = proposed
            accepted += 1
        else:
            setattr(state, PARAMETER[name], value)
            state.spreads[:] = spreads
    return accepted / n_steps


def update_motion(state: NodeState, sweep: Sweep) -> list[Floats]:
    """The move of a sweep: acceptance of every walk, NaN for what is fixed."""
    h, n_steps, rates = sweep.hyperparameters, sweep.settings.n_scale_steps, []
    factor = sweep.dof_factor
    for name in h.scale_moves:
        if n_steps == 0 or not is_free(name, h):
            rates.append(np.nan)
        elif name == "spreads":
            motion = motion_of(state, h, power=sweep.power, dof_factor=factor)
            n = sum(move_spreads(sweep.rng, state.work, state.nodes, motion, sweep.steps[name]) for _ in range(n_steps))
            rates.append(n / (n_steps * int(state.size[0])))
        else:
            rates.append(walk(name, state, h, sweep.steps[name], n_steps, sweep.rng, sweep.power, factor))
    return [np.array(rates)]


MOTION = Move("motion", update_motion, reports={"scale_acceptance": "scale_move"})
