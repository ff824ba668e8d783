"""Move 2: every row of A_t in turn, given the others.

The row's posterior is nearly known: its prior is Gaussian in h = A⁻¹a with a Gamma residual variance,
and both the observed cluster means and the epoch after see it as a regression. The row is proposed from the product of
the three (docs/explanation/sampler.md) and accepted by Metropolis–Hastings, which it nearly always is.
"""

from concurrent.futures import Executor

import numpy as np

from tetiwd.kernels import Model, move_rows
from tetiwd.moves.epochs import for_each, independent_epochs
from tetiwd.moves.move import Move
from tetiwd.state import ChainState, Floats


def update_geometry(
    state: ChainState,
    models: list[Model],
    n_passes: int,
    rngs: list[np.random.Generator],
    *,
    coupled: bool,
    pool: Executor | None = None,
    n_held: int = 0,
) -> Floats:
    """Go through the rows of every A_t; returns the share accepted by epoch (NaN where A_t is not free to move)."""
    rates = np.full(state.n_epochs, np.nan)
    if models[0].isotropic or n_passes == 0:
        return rates

    def update(t: int) -> None:
        around = state.around(t, coupled=coupled)
        accepted = sum(move_rows(rngs[t], state.work, *around, models[t]) for _ in range(n_passes))
        rates[t] = accepted / (n_passes * state.size[t, 0])

    for epochs in independent_epochs(state.n_epochs, coupled=coupled, n_held=n_held):
        for_each(epochs, update, pool)
    return rates


GEOMETRY = Move(
    "geometry",
    lambda state, s: [
        update_geometry(
            state,
            s.models,
            s.settings.n_geometry_steps,
            s.epoch_rngs,
            coupled=s.coupled,
            pool=s.pool,
            n_held=s.settings.n_held,
        )
    ],
    reports={"geometry_acceptance": "time"},
)
