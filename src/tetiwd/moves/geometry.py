"""Move 2: Metropolis–Hastings on A_t with a Wishart proposal centred at the current matrix.

The target is likelihood × W(A_t | P_t) × W(A_{t+1} | P_{t+1}). The proposal's degrees of freedom are k plus a number
that is tuned during warm-up: more of them, smaller steps.
"""

from math import nan

import numpy as np

from tetiwd._kernels import Model, move_geometry
from tetiwd.state import ChainState

TARGET_ACCEPTANCE = 0.3


def update_geometry(
    state: ChainState, t: int, model: Model, stiffness: float, n_steps: int, rng: np.random.Generator, *, coupled: bool
) -> float:
    """Take several steps on A_t; returns the share accepted (NaN where A_t is not free to move)."""
    if model.isotropic or n_steps == 0:
        return nan
    df = float(state.size[t, 0] + stiffness)
    before, after = state.before(t, coupled=coupled), state.after(t, coupled=coupled)
    return move_geometry(rng, state.epoch(t), before, after, model, df, n_steps) / n_steps
