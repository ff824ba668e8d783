"""All that concerns one epoch in one go: its objects, the rows of its A, its clusters as wholes.

Given its neighbours in time an epoch does not depend on any other, so the even epochs are visited at the same time,
then the odd ones. A visit takes all its random numbers from the stream of the epoch, and splits and merges clusters at
that epoch alone; it changes the arrays of the epoch and the links towards it, nothing else. So it makes no difference
where an epoch is visited: in a thread, or on another machine that holds its data.
"""

from dataclasses import dataclass
from math import nan

import numpy as np

from tetiwd.kernels import assign_objects, move_rows
from tetiwd.moves import assignments
from tetiwd.moves.epochs import for_each, independent_epochs
from tetiwd.moves.move import Move, Sweep
from tetiwd.moves.split_merge import try_change
from tetiwd.state import ChainState, Floats, Ints


@dataclass
class Visit:
    """How far a visit has come, and what has happened."""

    n_assigned: int = 0
    moved: int = 0
    geometry_acceptance: float = nan
    n_tried: int = 0
    splits: int = 0
    merges: int = 0


def visit(state: ChainState, t: int, sweep: Sweep, so_far: Visit) -> bool:
    """Go on with the visit of an epoch until it ends; False if it stopped before because no slot is free."""
    rng, settings, n = sweep.epoch_rngs[t], sweep.settings, len(state.z[t])
    around, model = state.around(t, coupled=sweep.coupled), sweep.models[t]
    if so_far.n_assigned < n:
        so_far.n_assigned, moved = assign_objects(
            rng, state.work, *around, model, settings.n_aux, assignments.OFFERS, so_far.n_assigned
        )
        so_far.moved += moved
        if so_far.n_assigned < n:
            return False
        if settings.n_geometry_steps and not model.isotropic:
            accepted = sum(move_rows(rng, state.work, *around, model) for _ in range(settings.n_geometry_steps))
            so_far.geometry_acceptance = accepted / (settings.n_geometry_steps * int(state.size[t, 0]))
    while so_far.n_tried < (settings.n_split_merge if n > 1 else 0):
        if state.size[t, 0] == state.capacity:
            return False
        change = try_change(state, t, sweep.models, rng, coupled=sweep.coupled, alone=True)
        so_far.splits += change == "split"
        so_far.merges += change == "merge"
        so_far.n_tried += 1
    return True


def visit_here(state: ChainState, epochs: list[int], sweep: Sweep) -> dict[int, Visit]:
    """Visit epochs that do not depend on each other, in the threads of a pool if there is one."""
    visits, ended = {t: Visit() for t in epochs}, dict.fromkeys(epochs, False)

    def go_on(t: int) -> None:
        ended[t] = visit(state, t, sweep, visits[t])

    while not all(ended.values()):
        for_each([t for t in epochs if not ended[t]], go_on, sweep.pool)
        if not all(ended.values()):
            state.grow()
    return visits


def visit_all(state: ChainState, sweep: Sweep) -> tuple[Ints, Floats, Ints, Ints]:
    """Visit all epochs, wherever they are; returns what the moves of an epoch report, by epoch."""
    visit_some = visit_here if state.host is None else state.host.visit
    visits: dict[int, Visit] = {}
    for epochs in independent_epochs(state.n_epochs, coupled=sweep.coupled):
        visits |= visit_some(state, epochs, sweep)
    found = [visits[t] for t in range(state.n_epochs)]
    rates = np.array([one.geometry_acceptance for one in found])
    moved, splits, merges = (
        np.array([getattr(one, name) for one in found], dtype=np.int64) for name in ("moved", "splits", "merges")
    )
    return moved, rates, splits, merges


VISITS = Move(
    "visits",
    visit_all,
    reports={"moved": "time", "geometry_acceptance": "time", "splits": "time", "merges": "time"},
)
