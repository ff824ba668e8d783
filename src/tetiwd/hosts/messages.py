"""What travels between the process that runs a chain and the hosts of its epochs: clusters, never matrices of data.

Arrays are cut down to the clusters that are there; the slots behind them are empty on both sides.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.moves.visits import Visit
from tetiwd.state import ChainState, Floats, Ints

EMPTY = {"counts": 0, "block_sums": 0.0, "A": 0.0, "back": -1, "forward": -1, "spreads": 1.0}  # what a free slot has
SCALES = ("alpha", "xi", "new_scale", "kappa", "df_A", "tau")
Clusters = dict[str, NDArray[Any]]  # some of the arrays of an epoch
Sums = tuple[Ints, Floats]  # counts and block sums of an epoch
OF_BEFORE, OF_AFTER = ("counts", "A", "forward"), ("counts", "A", "back")  # what a visit needs to know of neighbours


@dataclass(frozen=True)
class Order:
    """One epoch to be visited, with all that a visit needs to know of it and its neighbours."""

    t: int
    own: Clusters
    neighbours: dict[int, Clusters]
    stream: Mapping[str, Any]  # where the random stream of the epoch is


@dataclass(frozen=True)
class Orders:
    """Epochs to be visited, and what holds for all of them."""

    epochs: list[Order]
    capacity: int
    scales: tuple[float, ...]
    coupled: bool
    power: float
    dof_factor: float
    n_aux: int
    n_geometry_steps: int
    n_split_merge: int


@dataclass(frozen=True)
class Outcome:
    """One epoch after a visit: its clusters, the links of its neighbours towards it, its random stream."""

    t: int
    own: Clusters
    neighbours: dict[int, Clusters]
    stream: Mapping[str, Any]
    visit: Visit


def clusters_of(state: ChainState, t: int, names: tuple[str, ...] = tuple(EMPTY)) -> Clusters:
    """Some arrays of an epoch."""
    k = int(state.size[t, 0])
    arrays = {name: getattr(state, name)[t] for name in names}
    return {name: array[(slice(k),) * array.ndim].copy() for name, array in arrays.items()}


def set_clusters(state: ChainState, t: int, clusters: Clusters) -> None:
    """The inverse of :func:`clusters_of`."""
    for name, values in clusters.items():
        array = getattr(state, name)[t]
        array[...] = EMPTY[name]
        array[tuple(slice(n) for n in values.shape)] = values
    if "counts" in clusters:
        state.size[t] = len(clusters["counts"])


def neighbours_of(state: ChainState, t: int, *, coupled: bool, links_only: bool = False) -> dict[int, Clusters]:
    """What a visit needs to know of the epochs before and after, or what it may have changed of them."""
    sides = {t - 1: OF_BEFORE, t + 1: OF_AFTER} if coupled else {}
    return {
        s: clusters_of(state, s, names[-1:] if links_only else names)
        for s, names in sides.items()
        if 0 <= s < state.n_epochs
    }


def set_neighbours(state: ChainState, neighbours: dict[int, Clusters]) -> None:
    """The inverse of :func:`neighbours_of`."""
    for s, clusters in neighbours.items():
        set_clusters(state, s, clusters)


def grow_to(state: ChainState, capacity: int) -> None:
    """Double the capacity until it is this one."""
    while state.capacity < capacity:
        state.grow()


def small(labels: Ints) -> NDArray[Any]:
    """Slots in as few bytes as they need."""
    return labels.astype(np.min_scalar_type(int(labels.max(initial=0))))
