"""Moves of the model of moving centres that change lineages: one object, many objects, whole nodes.

Epochs depend on each other through the places of all lineages, so there is one random stream, and nothing runs in
parallel within a chain.
"""

import numpy as np

from tetiwd.kernels import (
    Motion,
    assign_groups_to_lineages,
    assign_to_lineages,
    relink_lineages,
    split_or_merge_lineages,
)
from tetiwd.moves.move import Move
from tetiwd.node_state import NodeState
from tetiwd.state import Floats, Ints

SPLIT, MERGED = 1, 2


def update_objects(state: NodeState, motion: Motion, n_aux: int, rng: np.random.Generator) -> Ints:
    """Offer every object every lineage, then every group of objects; returns how many changed lineage, by epoch."""
    moved, done = np.zeros(state.n_epochs, dtype=np.int64), 0
    if motion.tau == 0:
        n_aux = 1
    while done < len(state.z):
        done = assign_to_lineages(rng, state.work, state.nodes, motion, n_aux, done, moved)
        if done < len(state.z):  # it stopped because no slot was free
            state.grow()
    done, n_groups = 0, state.nodes.bonds.n_groups
    while done < n_groups:
        done = assign_groups_to_lineages(rng, state.work, state.nodes, motion, n_aux, done, moved)
        if done < n_groups:
            state.grow()
    return moved


def update_splits(state: NodeState, motion: Motion, n_tries: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Try some times per two epochs; returns how many splits and merges were accepted, by epoch of the first object."""
    splits, merges = np.zeros(state.n_epochs, dtype=np.int64), np.zeros(state.n_epochs, dtype=np.int64)
    known = False  # sums over lineages, from the attempt before
    for _ in range(n_tries * (1 + state.n_epochs // 2) if len(state.z) > 1 else 0):
        i, j, lo, hi = draw_change(state, rng)
        if i == j:
            continue
        if state.size[0] == state.capacity:
            state.grow()
            known = False
        done = split_or_merge_lineages(rng, state.work, state.nodes, motion, known, i, j, lo, hi)
        known = True
        splits[epoch_of(state, i)] += done == SPLIT
        merges[epoch_of(state, i)] += done == MERGED
    return splits, merges


def draw_change(state: NodeState, rng: np.random.Generator) -> tuple[int, int, int, int]:
    """Two objects and the epochs to change: any two and all epochs, or two of one epoch and some epochs around it."""
    i = int(rng.integers(len(state.z)))
    if rng.random() < 0.5:
        return i, int(rng.integers(len(state.z))), 0, state.n_epochs - 1
    t = epoch_of(state, i)
    lo, hi = t, t
    while lo > 0 and rng.random() < 0.5:
        lo -= 1
    while hi < state.n_epochs - 1 and rng.random() < 0.5:
        hi += 1
    return i, int(rng.integers(state.first[t], state.first[t + 1])), lo, hi


def epoch_of(state: NodeState, obj: int) -> int:
    """The epoch of an object."""
    return int(np.searchsorted(state.first, obj, side="right")) - 1


def update_links(state: NodeState, motion: Motion, n_passes: int, rng: np.random.Generator) -> Floats:
    """Propose exchanges between lineages; returns the share accepted.

    Their number must not depend on the number of lineages, which they change.
    """
    n_tries, tried, accepted = n_passes * 2 * state.n_epochs, 0, 0
    if state.n_epochs == 1 or n_tries == 0:
        return np.full(1, np.nan)
    while tried < n_tries:
        if state.size[0] == state.capacity:
            state.grow()
        n, n_accepted = relink_lineages(rng, state.work, state.nodes, motion, n_tries - tried)
        tried, accepted = tried + n, accepted + n_accepted
    return np.full(1, accepted / n_tries)


OBJECTS = Move(
    "objects",
    lambda state, s: [update_objects(state, s.models[0], s.settings.n_aux, s.rng)],
    reports={"moved": "time"},
)
SPLITS = Move(
    "splits",
    lambda state, s: update_splits(state, s.models[0], s.settings.n_split_merge, s.rng),
    reports={"splits": "time", "merges": "time"},
)
RELINK = Move(
    "relink",
    lambda state, s: [update_links(state, s.models[0], s.settings.n_geometry_steps, s.rng)[0]],
    reports={"relink_acceptance": "draw"},
)
