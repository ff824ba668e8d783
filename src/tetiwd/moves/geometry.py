"""Move 2: every row of A_t in turn, given the others.

What the row's posterior looks like is nearly known: its prior is Gaussian in h = A⁻¹a with a Gamma residual variance,
and both the observed cluster means and the epoch after see it as a regression. The row is proposed from the product of
the three (docs/explanation/sampler.md) and accepted by Metropolis–Hastings, which it nearly always is.
"""

from math import nan

import numpy as np

from tetiwd._kernels import Model, move_rows
from tetiwd.state import ChainState


def update_geometry(
    state: ChainState, t: int, model: Model, n_passes: int, rng: np.random.Generator, *, coupled: bool
) -> float:
    """Go through the rows of A_t; returns the share accepted (NaN where A_t is not free to move)."""
    if model.isotropic or n_passes == 0:
        return nan
    before, after = state.before(t, coupled=coupled), state.after(t, coupled=coupled)
    epoch = state.epoch(t)
    accepted = sum(move_rows(rng, epoch, before, after, model) for _ in range(n_passes))
    return float(accepted / (n_passes * state.size[t, 0]))
