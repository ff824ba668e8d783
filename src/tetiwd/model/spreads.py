"""Spreads of their own: how far the variance within one cluster may be from the common one, α_c = α · exp(x)."""

from math import erf, inf, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from tetiwd.params import MOST_UNEQUAL

LIMIT = log(MOST_UNEQUAL)  # of |x|


def log_density_of_spread(x: float, tau: float) -> float:
    """Log density of x = log α_c − log α: normal with standard deviation τ, cut off where spreads differ too much.

    Without a limit a cluster of identical objects has no smallest spread, and takes τ along.
    """
    if abs(x) > LIMIT:
        return -inf
    return -0.5 * (x / tau) ** 2 - log(tau) - 0.5 * log(2 * pi) - log(erf(LIMIT / tau / sqrt(2)))


def log_density_of_spreads(x: NDArray[np.float64], tau: float) -> float:
    """The same for several spreads; 0 if they are equal by definition, τ = 0."""
    if tau == 0:
        return 0.0
    if np.abs(x).max() > LIMIT:
        return -inf
    return len(x) * log_density_of_spread(0.0, tau) - 0.5 * float(np.sum((x / tau) ** 2))


def draw_log_spread(tau: float, rng: np.random.Generator) -> float:
    """Draw x from that law."""
    while True:
        x = tau * rng.standard_normal()
        if abs(x) <= LIMIT:
            return float(x)
