"""The decision of Metropolis and Hastings."""

from math import inf, log

import numpy as np


def accepts(rng: np.random.Generator, gain: float, log_proposal: float, power: float = 1.0) -> bool:
    """Accept a gain of the log joint with its proposal ratio; with infinite power only improvements pass."""
    if power == inf:
        return gain > 0
    return log(1.0 - rng.random()) < power * gain + log_proposal
