"""Move 1: every object of an epoch, one after the other, to an existing cluster or to one that is born with it.

Neal's Algorithm 8. Besides the clusters present, an object is offered clusters to be born: they revive one that ended
at the epoch before, become the start of one that begins at the epoch after, join the two, or are entirely new. Kinds
are drawn by their prior weight and rows of A from the law of one more row, so that both cancel. Objects that are known
to belong together move as one.
"""

from concurrent.futures import Executor

import numpy as np

from tetiwd.kernels import Model, assign_groups, assign_objects
from tetiwd.moves.epochs import for_each, independent_epochs
from tetiwd.moves.move import Move
from tetiwd.state import ChainState, Ints

OFFERS = 200  # objects per epoch and sweep that may found a cluster


def update_assignments(
    state: ChainState,
    models: list[Model],
    n_aux: int,
    rngs: list[np.random.Generator],
    *,
    coupled: bool,
    pool: Executor | None = None,
    n_held: int = 0,
) -> Ints:
    """Update all objects of all epochs; returns how many changed cluster, by epoch."""
    done, moved = np.zeros(state.n_epochs, dtype=np.int64), np.zeros(state.n_epochs, dtype=np.int64)

    def update(t: int) -> None:
        around, n = state.around(t, coupled=coupled), len(state.z[t])
        if state.across is not None:
            look_across(state, t)
        if done[t] < n:
            done[t], just_moved = assign_objects(rngs[t], state.work, *around, models[t], n_aux, OFFERS, done[t])
            moved[t] += just_moved
        if n <= done[t] < n + state.bonds[t].n_groups:
            reached, just_moved = assign_groups(rngs[t], state.work, *around, models[t], n_aux, OFFERS, done[t] - n)
            done[t], moved[t] = n + reached, moved[t] + just_moved

    together = independent_epochs(state.n_epochs, coupled=coupled, n_held=n_held)
    for epochs in together if state.across is None else [[t] for t in range(n_held, state.n_epochs)]:
        while epochs:
            for_each(epochs, update, pool)
            epochs = [t for t in epochs if done[t] < len(state.z[t]) + state.bonds[t].n_groups]
            if epochs:  # they stopped because no slot was free
                state.grow()
    return moved


def look_across(state: ChainState, t: int) -> None:
    """Tell epoch t what is known across time, given the lineages before and after it."""
    if state.across is None:
        return
    K, across = state.capacity, state.across
    before, after = across.before(state.z, state.forward, t - 1), across.after(state.z, state.back, t + 1)
    here, n = across.here(t), state.bonds[t].n_groups
    tables = across.table(before, K, after, K), across.table(before, K, here, n), across.table(here, n, after, K)
    state.bonds[t].look_across(*tables)


ASSIGNMENTS = Move(
    "assignments",
    lambda state, s: [
        update_assignments(
            state,
            s.models,
            s.settings.n_aux,
            s.epoch_rngs,
            coupled=s.coupled,
            pool=s.pool,
            n_held=s.settings.n_held,
        )
    ],
    reports={"moved": "time"},
)
