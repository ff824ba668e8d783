"""Move 4: random walks of alpha, xi and new_scale on the log scale, for those that are not fixed.

new_scale is tied closely to the rows of A that were born under it, so it also moves together with all of them:
"stretch" multiplies new_scale and every A_t by one factor. The Wishart densities then change by exactly what the change
of variables gives back, and only the likelihood and the prior of new_scale decide.
"""

from math import exp, inf

import numpy as np

from tetiwd.density import log_likelihoods, log_new_scale, log_partitions
from tetiwd.kernels import Model
from tetiwd.moves.metropolis import accepts
from tetiwd.moves.move import Move, Sweep
from tetiwd.params import SCALE_MOVES, Gamma, Hyperparameters
from tetiwd.state import ChainState, Floats

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
    for name in SCALE_MOVES:
        if not is_free(name, hyperparameters) or n_steps == 0:
            continue
        value, accepted = 1.0 if name == "stretch" else getattr(state, name), 0
        current = log_target(name, value, state, hyperparameters, models)
        for _ in range(n_steps):
            step = steps[name] * rng.standard_normal()  # on the log scale, hence also the Jacobian of the proposal
            proposal = value * exp(step)
            proposed = log_target(name, proposal, state, hyperparameters, models)
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
        return hyperparameters.geometry == "full" and isinstance(hyperparameters.new_scale, Gamma)
    return isinstance(getattr(hyperparameters, name), Gamma)


def log_target(
    name: str, value: float, state: ChainState, hyperparameters: Hyperparameters, models: list[Model] | None = None
) -> float:
    """All of the log joint that depends on one scale, up to a constant.

    For "stretch" the value is the factor, and the constant includes the Wishart densities and their Jacobian. Below
    SMALLEST_ALPHA nothing is possible: with many identical objects the density has no maximum as alpha goes to zero.
    """
    h = hyperparameters
    if name == "stretch":
        stretched = value * state.new_scale
        prior: float = h.new_scale.log_density(stretched)  # type: ignore[union-attr]
        return prior + log_likelihoods(state, h, factor=value, models=models)
    total: float = getattr(h, name).log_density(value)
    if name == "xi":
        return total + log_partitions(state, h, value)
    if name == "alpha":
        if value < SMALLEST_ALPHA:
            return -inf
        return total + log_likelihoods(state, h, alpha=value, models=models)
    if h.geometry == "full":
        return total + log_new_scale(state, h, value)
    return total + log_likelihoods(state, h, spread=value, models=models)


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
    return [np.array([rates.get(name, np.nan) for name in SCALE_MOVES])]


SCALES = Move("scales", update_all, reports={"scale_acceptance": "scale_move"})
