"""Move 4: random walks of alpha, xi, new_scale, kappa, df_A and tau on the log scale, for those that are not fixed.

new_scale is tied closely to the rows of A that were born under it, so it also moves together with all of them:
"stretch" multiplies new_scale and every A_t by one factor. The Wishart densities then change by exactly what the change
of variables gives back, and only the likelihood and the prior of new_scale decide.

Where clusters have spreads of their own, "spreads" moves each of them, proposed from a law close to its posterior. It
comes first, for the numbers that kernels are given are those from before any of these moves. "alpha" takes all of them
along, "level" leaves them where they are, and "widen" moves tau together with their differences, so that these never
get stuck close to zero.
"""

from collections.abc import Callable
from math import exp, inf, log

import numpy as np

from tetiwd.density import log_geometry, log_likelihoods, log_partitions, log_spreads
from tetiwd.kernels import Model, births_of, move_spreads_of_epoch
from tetiwd.moves.metropolis import accepts
from tetiwd.moves.move import Move, Sweep
from tetiwd.params import Hyperparameters
from tetiwd.priors import Gamma, log_prior
from tetiwd.state import ChainState, Floats, models_of

TARGET_ACCEPTANCE = 0.4
SMALLEST_ALPHA = 1e-8  # in rescaled units
SMALLEST_TAU = 1e-6
PARAMETER = {"level": "alpha"}  # that a move changes, if it has another name
FACTORS = ("stretch", "widen")  # moves that multiply several things, whose value is the factor


def update_scales(
    state: ChainState,
    hyperparameters: Hyperparameters,
    steps: dict[str, float],
    n_steps: int,
    rng: np.random.Generator,
    *,
    power: float = 1.0,
    models: list[Model] | None = None,
) -> dict[str, float]:
    """Take several steps on every scale that has a prior; returns the share accepted of each."""
    rates = {}
    for name in hyperparameters.scale_moves:
        if not is_free(name, hyperparameters) or n_steps == 0:
            continue
        if name == "spreads":
            rates[name] = update_spreads(state, models or models_of(state, hyperparameters), n_steps, rng)
            continue
        value, accepted = 1.0 if name in FACTORS else getattr(state, PARAMETER.get(name, name)), 0
        log_density = log_target(name, state, hyperparameters, models)
        current = log_density(value)
        for _ in range(n_steps):
            step = steps[name] * rng.standard_normal()  # on the log scale, hence also the Jacobian of the proposal
            proposal = value * exp(step)
            proposed = log_density(proposal)
            gain = proposed - current
            if accepts(rng, gain, step, power):
                value, current = proposal, proposed
                accepted += 1
        if accepted:
            set_scale(state, hyperparameters, name, value)
        rates[name] = accepted / n_steps
    return rates


def update_spreads(state: ChainState, models: list[Model], n_passes: int, rng: np.random.Generator) -> float:
    """Go through the spreads of all clusters; returns the share accepted."""
    accepted = 0
    for _ in range(n_passes):
        for epoch, model in zip(state.epochs, models, strict=True):
            accepted += move_spreads_of_epoch(rng, state.work, epoch, model)
    return accepted / (n_passes * int(state.n_clusters.sum()))


def is_free(name: str, hyperparameters: Hyperparameters) -> bool:
    """True if a scale has a prior to move under."""
    if name == "spreads":
        return hyperparameters.tau_used != 0
    if name in ("tau", "widen"):
        return isinstance(hyperparameters.tau_used, Gamma)
    if name == "stretch":
        return hyperparameters.full and isinstance(hyperparameters.new_scale, Gamma)
    if name == "kappa" and not hyperparameters.coupling:
        return False  # nothing depends on it
    return isinstance(getattr(hyperparameters, PARAMETER.get(name, name)), Gamma)


def log_target(
    name: str, state: ChainState, hyperparameters: Hyperparameters, models: list[Model] | None = None
) -> Callable[[float], float]:
    """All of the log joint that depends on one scale, up to a constant, as a function of that scale.

    For "stretch" the argument is the factor, and the constant includes the Wishart densities and their Jacobian; so it
    is for "widen", and its Jacobian is added. Below SMALLEST_ALPHA nothing is possible: with many identical objects the
    density has no maximum as alpha goes to zero. Nor has it one as tau and all differences of spreads do, so there is
    SMALLEST_TAU.
    """
    h, models = hyperparameters, models or models_of(state, hyperparameters)
    if name == "xi":
        return lambda xi: log_prior(h.xi, xi) + log_partitions(state, h, xi=xi)
    if name == "kappa":
        return lambda kappa: log_prior(h.kappa, kappa) + log_partitions(state, h, kappa=kappa)
    if name == "df_A":
        return lambda df_A: log_prior(h.df_A, df_A) + log_geometry(state, h, df_A=df_A)
    if name == "alpha":
        return lambda alpha: (
            log_prior(h.alpha, alpha) + log_likelihoods(state, h, alpha=alpha, models=models)
            if alpha >= SMALLEST_ALPHA
            else -inf
        )
    if name == "level":
        return lambda alpha: (
            log_prior(h.alpha, alpha) + log_spreads(state, shift=log(state.alpha / alpha))
            if alpha >= SMALLEST_ALPHA
            else -inf
        )
    if name == "tau":
        return lambda tau: log_prior(h.tau_used, tau) + log_spreads(state, tau=tau) if tau >= SMALLEST_TAU else -inf
    if name == "widen":
        return lambda factor: log_if_widened(state, h, factor, models)
    if name == "stretch":
        return lambda factor: (
            log_prior(h.new_scale, factor * state.new_scale) + log_likelihoods(state, h, factor=factor, models=models)
        )
    if h.geometry == "isotropic":
        return lambda scale: log_prior(h.new_scale, scale) + log_likelihoods(state, h, spread=scale, models=models)
    n_born, variances = births_of(state.all_around(coupled=h.coupling))
    return lambda scale: log_prior(h.new_scale, scale) - 0.5 * state.df_A * (n_born * log(scale) + variances / scale)


def log_if_widened(state: ChainState, hyperparameters: Hyperparameters, factor: float, models: list[Model]) -> float:
    """What depends on tau and all log spreads, if they were multiplied by a factor."""
    h, tau = hyperparameters, factor * state.tau
    if tau < SMALLEST_TAU:
        return -inf
    total = log_prior(h.tau_used, tau) + log_spreads(state, tau=tau, factor=factor)
    if total == -inf:
        return total
    spreads = state.spreads.copy()
    state.spreads **= factor
    total += log_likelihoods(state, h, models=models) + int(state.n_clusters.sum()) * log(factor)
    state.spreads[:] = spreads
    return total


def set_scale(state: ChainState, hyperparameters: Hyperparameters, name: str, value: float) -> None:
    """Give a scale a value; new_scale carries A along where A = new_scale · I, and "stretch" and "widen" carry all."""
    if name == "widen":
        state.tau *= value
        state.spreads **= value
        return
    if name == "level":
        for t, k in enumerate(state.n_clusters):
            state.spreads[t, :k] *= state.alpha / value
        state.alpha = value
        return
    if name == "stretch":
        state.new_scale *= value
        state.A *= value
        return
    setattr(state, name, value)
    if name == "new_scale" and hyperparameters.geometry == "isotropic":
        for t, k in enumerate(state.n_clusters):
            state.A[t, range(k), range(k)] = value


def update_all(state: ChainState, sweep: Sweep) -> list[Floats]:
    """The move of a sweep; NaN for scales that are fixed."""
    s = sweep
    rates = update_scales(
        state, s.hyperparameters, s.steps, s.settings.n_scale_steps, s.rng, power=s.power, models=s.models
    )
    return [np.array([rates.get(name, np.nan) for name in s.hyperparameters.scale_moves])]


SCALES = Move("scales", update_all, reports={"scale_acceptance": "scale_move"})
