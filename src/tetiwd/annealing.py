"""Freezing one partition: the conditionals of the sampler are raised to a growing power until nothing moves.

"posterior" raises everything; "likelihood" lets the degrees of freedom grow instead, which is the paper's rule and
tends to ever more clusters (docs/explanation/deviations.md, D-04). The last passes take the best candidate only.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import inf

import numpy as np

from tetiwd.draws import Frozen
from tetiwd.params import Hyperparameters, SamplerSettings
from tetiwd.sampler import Chain, State, Streams, kind_of, sweep

HIGHEST_POWER = 30.0
MOST_FINAL_PASSES = 50
N_AUX = 10  # rows that stand for a possible birth


def anneal(chain: Chain, stop: Callable[[], bool] = lambda: False) -> Frozen | None:
    """Freeze a copy of a chain's state; the chain itself is left alone. None if it was told to stop."""
    cooled = cool(chain, chain.settings, stop)
    return None if cooled is None else frozen_at(*cooled, chain.hyperparameters)


def frozen_at(state: State, moved: int, hyperparameters: Hyperparameters) -> Frozen:
    """A frozen state as a partition."""
    return Frozen(state.labels(), kind_of(hyperparameters).log_joint(state, hyperparameters), moved)


def cool(chain: Chain, settings: SamplerSettings, stop: Callable[[], bool] = lambda: False) -> tuple[State, int] | None:
    """A copy of a chain's state, annealed as the settings say, and how many objects moved in the last pass."""
    h = chain.hyperparameters
    s = replace(settings, n_aux=max(N_AUX, settings.n_aux), n_split_merge=0)  # densities of unequal k mislead
    turn = partial(sweep, coupled=h.coupling, pool=chain.pool)
    state = chain.state.copy()
    streams = Streams(s.seed, s.n_chains + chain.index, state.n_epochs)
    for heat in np.geomspace(1.0, HIGHEST_POWER, s.n_anneal):
        if stop():
            return None
        power, factor = (float(heat), 1.0) if s.anneal == "posterior" else (1.0, float(heat))
        turn(state, h, s, streams, chain.tuning, power=power, dof_factor=factor)
    factor = 1.0 if s.anneal == "posterior" else HIGHEST_POWER
    quiet = replace(s, n_aux=1, n_geometry_steps=0, n_scale_steps=0)
    moved = -1
    for _ in range(MOST_FINAL_PASSES):
        if stop():
            return None
        moved = int(turn(state, h, quiet, streams, chain.tuning, power=inf, dof_factor=factor)["moved"].sum())
        if moved == 0:
            break
    return state, moved
