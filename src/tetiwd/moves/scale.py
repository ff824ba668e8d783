"""Move 4: random walks of alpha, xi, new_scale, kappa and df_A on the log scale, for those that are not fixed.

new_scale is tied closely to the rows of A that were born under it, so it also moves together with all of them:
"stretch" multiplies new_scale and every A_t by one factor. The Wishart densities then change by exactly what the change
of variables gives back, and only the likelihood and the prior of new_scale decide.
"""

from collections.abc import Callable
from math import exp, inf, log

import numpy as np

from tetiwd.density import log_geometry, log_likelihoods, log_partitions
from tetiwd.kernels import Model, births_of
from tetiwd.moves.metropolis import accepts
from tetiwd.moves.move import Move, Sweep
from tetiwd.params import Hyperparameters
from tetiwd.priors import Gamma, log_prior
from tetiwd.state import ChainState, Floats, models_of

TARGET_ACCEPTANCE = 0.4
SMALLEST_ALPHA = 1e-8  # in rescaled units


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
        value, accepted = 1.0 if name == "stretch" else getattr(state, name), 0
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


def is_free(name: str, hyperparameters: Hyperparameters) -> bool:
    """True if a scale has a prior to move under."""
    if name == "stretch":
        return hyperparameters.full and isinstance(hyperparameters.new_scale, Gamma)
    if name == "kappa" and not hyperparameters.coupling:
        return False  # nothing depends on it
    return isinstance(getattr(hyperparameters, name), Gamma)


def log_target(
    name: str, state: ChainState, hyperparameters: Hyperparameters, models: list[Model] | None = None
) -> Callable[[float], float]:
    """All of the log joint that depends on one scale, up to a constant, as a function of that scale.

    For "stretch" the argument is the factor, and the constant includes the Wishart densities and their Jacobian. Below
    SMALLEST_ALPHA nothing is possible: with many identical objects the density has no maximum as alpha goes to zero.
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
    if name == "stretch":
        return lambda factor: (
            log_prior(h.new_scale, factor * state.new_scale) + log_likelihoods(state, h, factor=factor, models=models)
        )
    if h.geometry == "isotropic":
        return lambda scale: log_prior(h.new_scale, scale) + log_likelihoods(state, h, spread=scale, models=models)
    n_born, variances = births_of(state.all_around(coupled=h.coupling))
    return lambda scale: log_prior(h.new_scale, scale) - 0.5 * state.df_A * (n_born * log(scale) + variances / scale)


def set_scale(state: ChainState, hyperparameters: Hyperparameters, name: str, value: float) -> None:
    """Give a scale a value; new_scale carries A along where A = new_scale · I, and "stretch" carries all."""
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
