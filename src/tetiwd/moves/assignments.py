"""Move 1: every object of an epoch, one after the other, to an existing cluster or to one that is born with it.

Neal's Algorithm 8. Besides the clusters present, an object is offered every way of being born: reviving a cluster that
ended at the epoch before, becoming the start of one that begins at the epoch after, joining the two, or entirely new;
each with ``n_aux`` rows of A drawn from the law of one more row, so that this law cancels.
"""

import numpy as np

from tetiwd._kernels import Model, assign_objects
from tetiwd.state import ChainState

OFFERS = 200  # objects per epoch and sweep that may found a cluster


def update_assignments(
    state: ChainState, t: int, model: Model, n_aux: int, rng: np.random.Generator, *, coupled: bool
) -> int:
    """Update all objects of epoch t; returns how many changed cluster."""
    n, done, moved = len(state.z[t]), 0, 0
    while True:
        before, after = state.before(t, coupled=coupled), state.after(t, coupled=coupled)
        done, just_moved = assign_objects(rng, state.epoch(t), before, after, model, n_aux, OFFERS, done)
        moved += just_moved
        if done == n:
            return moved
        state.grow()
