"""Move 5: clusters are split and merged at one epoch or along their lineage, which objects hardly achieve one by one.

Two objects of an epoch are drawn. If they share a cluster, it is split between them there, and its lineage at some of
the epochs that follow as well; otherwise the cluster of the second is merged into that of the first, along both
lineages as far as drawn. The part that is split off may continue a lineage that ended before, and a lineage that begins
afterwards may continue it. Everything is proposed on a trial of the state and accepted or rejected as a whole.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, log
from typing import Literal

import numpy as np

from tetiwd.kernels import (
    Model,
    log_chance_of_sides,
    members_tried,
    merge_lineages,
    move_members,
    number_lineages,
    split_lineage,
)
from tetiwd.moves.move import Move
from tetiwd.state import ChainState, Ints

WORTHWHILE = 300  # members of a change that is always tried (``tetiwd.kernels.sums``)


NOBODY = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Change:
    """A proposed split or merge."""

    split: bool
    trial: ChainState
    parts: list[tuple[Ints, Ints, int, int]]  # of every epoch: members and sides (of a split), slots of both parts
    gain: float  # of the log joint
    log_proposal: float  # log probability of proposing the way back, minus that of the way there
    log_sides: Callable[[], float]  # what log_proposal lacks: a merge's way back gives members to their sides
    alone: bool = False  # neighbours are not changed, but for their links to this epoch


def update_split_merge(
    state: ChainState, models: list[Model], n_tries: int, rng: np.random.Generator, *, coupled: bool, n_held: int = 0
) -> tuple[Ints, Ints]:
    """Try several times from every epoch; returns how many splits and merges were accepted, by epoch."""
    splits, merges = np.zeros(state.n_epochs, dtype=np.int64), np.zeros(state.n_epochs, dtype=np.int64)
    for t in range(n_held, state.n_epochs):
        for _ in range(n_tries if len(state.z[t]) > 1 else 0):
            change = try_change(state, t, models, rng, coupled=coupled)
            splits[t] += change == "split"
            merges[t] += change == "merge"
    return splits, merges


def try_change(
    state: ChainState, t: int, models: list[Model], rng: np.random.Generator, *, coupled: bool, alone: bool = False
) -> Literal["split", "merge"] | None:
    """Propose a change from epoch t on, ``alone`` at that epoch only; returns what was accepted."""
    change = draw_change(state, t, models, rng, coupled=coupled, alone=alone)
    if change is None or not is_accepted(change, rng, models[t].power):
        return None
    carry_out(state, t, change)
    return "split" if change.split else "merge"


def is_accepted(change: Change, rng: np.random.Generator, power: float) -> bool:
    """Metropolis and Hastings; members of a merge are looked at only if it could pass with every side certain."""
    if power == inf:
        return change.gain > 0
    ahead = power * change.gain + change.log_proposal - log(1.0 - rng.random())
    return ahead > 0 and ahead + change.log_sides() > 0


def draw_change(
    state: ChainState, t: int, models: list[Model], rng: np.random.Generator, *, coupled: bool, alone: bool = False
) -> Change | None:
    """Draw two objects and how many epochs to change, and propose it. None if it is too large to try every time."""
    n = len(state.z[t])
    first = int(rng.random() * n)
    second = (first + 1 + int(rng.random() * (n - 1))) % n
    if belong_together(state, t, first, second):
        return None
    a, b = state.z[t][first], state.z[t][second]
    n_members = state.counts[t, a] + (state.counts[t, b] if a != b else 0)  # the same before and after
    if rng.random() * n_members > members_tried(state.series.matrices[t], WORTHWHILE):
        return None
    length = 1 if alone else draw_length(shared_length(state, t, a, b) if coupled else 1, rng)
    return propose(state, t, first, second, length, models, rng, coupled=coupled, alone=alone)


def propose(
    state: ChainState,
    t: int,
    first: int,
    second: int,
    length: int,
    models: list[Model],
    rng: np.random.Generator,
    *,
    coupled: bool,
    alone: bool = False,
) -> Change | None:
    """Propose to split or merge the clusters of two objects at epochs t … t + length − 1. None if it cannot be."""
    way = propose_split if state.z[t][first] == state.z[t][second] else propose_merge
    return way(state, t, first, second, length, models, rng, coupled=coupled, alone=alone)


def propose_split(
    state: ChainState,
    t: int,
    first: int,
    second: int,
    length: int,
    models: list[Model],
    rng: np.random.Generator,
    *,
    coupled: bool,
    alone: bool = False,
) -> Change | None:
    """Propose to split the cluster of both objects. None if there is no room, or nobody on one side."""
    if not has_room(state, t, length, models[t]):
        return None
    lineage, trial = lineage_of(state, t, first, alone=alone), state.trial(epochs_around(t, length))
    here, there = state.all_around(coupled=coupled), trial.all_around(coupled=coupled)
    parts, logs = split_lineage(rng, state.work, here, there, models, t, lineage[:length], first, second)
    if not parts:
        return None
    log_split, log_merge, gain = logs
    if state.across is not None:
        gain += gain_across(state, trial, t, parts, split=True)
    elif state.series.ties is not None:
        gain -= sum(pull_between(state, s, *sides_of(part)) for s, part in enumerate(parts, start=t))
    if coupled and not alone:
        log_split += log_chance_of_length(length, len(lineage))
        log_merge += log_chance_of_length(length, shared_length(trial, t, lineage[0], parts[0][3]))
    return Change(True, trial, parts, gain, log_merge - log_split, lambda: 0.0, alone)


def propose_merge(
    state: ChainState,
    t: int,
    first: int,
    second: int,
    length: int,
    models: list[Model],
    rng: np.random.Generator,
    *,
    coupled: bool,
    alone: bool = False,
) -> Change:
    """Propose to merge the cluster of the second object into that of the first."""
    whole_a, whole_b = (lineage_of(state, t, obj, alone=alone) for obj in (first, second))
    a, b, trial = whole_a[:length], whole_b[:length], state.trial(epochs_around(t, length))
    here, there = state.all_around(coupled=coupled), trial.all_around(coupled=coupled)
    log_split, log_merge, gain = merge_lineages(rng, state.work, here, there, models, t, a, b)
    parts = [(NOBODY, NOBODY, *slots) for slots in zip(a, b, strict=True)]
    if state.across is not None:
        gain += gain_across(state, trial, t, parts, split=False)
    elif state.series.ties is not None:
        for s, slots in enumerate(zip(a, b, strict=True), start=t):
            gain += pull_between(state, s, *(np.flatnonzero(state.z[s] == slot) for slot in slots))
    if coupled and not alone:
        log_split += log_chance_of_length(length, len(whole_a))
        log_merge += log_chance_of_length(length, min(len(whole_a), len(whole_b)))

    def log_sides() -> float:
        return log_chance_of_sides(rng, state.work, here, models, t, a, b, first, second)

    return Change(False, trial, parts, gain, log_split - log_merge, log_sides, alone)


def belong_together(state: ChainState, t: int, first: int, second: int) -> bool:
    """True if two objects are known to be in one cluster, so that there is nothing to split or merge."""
    if state.series.ties is None:
        return False
    group = state.bonds[t].group
    return bool(state.bonds[t].n_groups > 0 and group[first] == group[second] >= 0)


def sides_of(part: tuple[Ints, Ints, int, int]) -> tuple[Ints, Ints]:
    """Objects on either side of a split."""
    members, side = part[:2]
    return members[side == 0], members[side == 1]


def pull_between(state: ChainState, t: int, some: Ints, others: Ints) -> float:
    """What the log density gains by the bonds between two sets of objects if they are together."""
    bonds = state.bonds[t]
    if len(bonds.weight) == 0:
        return 0.0
    inside = np.zeros((2, len(state.z[t])), dtype=bool)
    inside[0, some], inside[1, others] = True, True
    holders = np.asarray(bonds.members)[np.asarray(bonds.start)[:-1]]  # an object of every group
    ends = np.repeat(holders, np.diff(bonds.first))
    return float(np.asarray(bonds.weight)[inside[0, ends] & inside[1, bonds.other]].sum())


def gain_across(
    state: ChainState, trial: ChainState, t: int, parts: list[tuple[Ints, Ints, int, int]], *, split: bool
) -> float:
    """What a change gains by all that is known, across time and within."""
    z, epochs = list(state.z), epochs_around(t, len(parts))
    for s, (members, side, a, c) in enumerate(parts, start=t):
        z[s] = z[s].copy()
        if split:
            z[s][members[side == 1]] = c
        else:
            z[s][z[s] == c] = a
            z[s][z[s] == int(state.size[s, 0]) - 1] = c  # the last cluster takes the place of the one that is gone
    back, size, ids = state.back.copy(), state.size.copy(), np.empty_like(state.back)
    back[epochs], size[epochs] = trial.back[epochs], trial.size[epochs]
    number_lineages(back, size, ids)
    ties = state.series.ties
    assert ties is not None
    return ties.log_weight(np.concatenate([ids[s][own] for s, own in enumerate(z)])) - ties.log_weight(
        np.concatenate(state.labels())
    )


def carry_out(state: ChainState, t: int, change: Change) -> None:
    """Make a proposed change the state."""
    if change.alone:
        state.adopt_epoch(change.trial, t)
    else:
        state.adopt(change.trial, epochs_around(t, len(change.parts)))
    for s, (members, side, a, c) in enumerate(change.parts, start=t):
        move_members(state.epoch(s), members, side, a, c, change.split)


def epochs_around(t: int, length: int) -> slice:
    """The epochs that a change from t on touches: its own, and the links of their neighbours."""
    return slice(max(t - 1, 0), t + length + 1)


def lineage_of(state: ChainState, t: int, obj: int, *, alone: bool) -> list[int]:
    """Slots of the lineage of an object from epoch t on, or there only."""
    c = state.z[t][obj]
    return [c] if alone else state.lineage_from(t, c)


def shared_length(state: ChainState, t: int, a: int, b: int) -> int:
    """For how many epochs, from t on, the lineages of two clusters live side by side."""
    return min(len(state.lineage_from(t, a)), len(state.lineage_from(t, b)))


def draw_length(longest: int, rng: np.random.Generator) -> int:
    """Number of epochs of a change: half the time one, a quarter all, otherwise any but one."""
    kind = rng.random()
    if longest == 1 or kind < 0.5:
        return 1
    return longest if kind < 0.75 else 2 + int(rng.random() * (longest - 1))


def log_chance_of_length(length: int, longest: int) -> float:
    """Log probability of :func:`draw_length`."""
    if longest == 1:
        return 0.0
    if length == 1:
        return log(0.5)
    return log(0.25 * (length == longest) + 0.25 / (longest - 1))


def has_room(state: ChainState, t: int, length: int, model: Model) -> bool:
    """True if every epoch can take another cluster; makes free slots."""
    most = int(state.size[t : t + length].max())
    if most == state.capacity:
        state.grow()
    return model.isotropic or model.df_A > most


SPLIT_MERGE = Move(
    "split_merge",
    lambda state, s: update_split_merge(
        state, s.models, s.settings.n_split_merge, s.rng, coupled=s.coupled, n_held=s.settings.n_held
    ),
    reports={"splits": "time", "merges": "time"},
)
