"""The epochs of one chain, spread over hosts, and the state of that chain where it is run.

Here are the clusters of all epochs: sizes, block sums, A, links, scales. The objects and data are with the hosts.
Epochs of equal parity are visited at the same time, so a sweep waits twice for hosts, and once more to record a draw.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.data.array_file import EpochFile, file_of_epoch
from tetiwd.hosts.host import LocalHost
from tetiwd.hosts.messages import (
    SCALES,
    Order,
    Orders,
    clusters_of,
    grow_to,
    neighbours_of,
    set_clusters,
    set_neighbours,
    small,
)
from tetiwd.hosts.part import Part, PartialState
from tetiwd.hosts.workers import Call, Workers
from tetiwd.moves.move import Sweep
from tetiwd.moves.visits import Visit
from tetiwd.params import Hyperparameters
from tetiwd.state import ChainState, Floats, Ints


class SpreadEpochs:
    """The hosts of one chain."""

    def __init__(self, workers: Workers, series: DistanceSeries, hyperparameters: Hyperparameters) -> None:
        self.workers, self.hyperparameters = workers, hyperparameters
        self.about = (series.kind, series.unit, series.n_objects)
        self.files = [file_of_epoch(data, t) for t, data in enumerate(series.matrices)]
        self.hosts: list[Any] = []
        self.where: list[int] = []  # which host an epoch is with

    def open(self) -> None:
        """Put hosts into all workers that are there; hosts from before are not used any more."""
        self.close()
        places = share_out(self.about[2], self.workers.names())
        self.hosts = self.workers.hire(
            [(name, LocalHost, (self._files(epochs), *self.about, self.hyperparameters)) for name, epochs in places]
        )
        self.where = [0] * len(self.files)
        for i, (_, epochs) in enumerate(places):
            for t in epochs:
                self.where[t] = i

    def close(self) -> None:
        """Let hosts go."""
        self.workers.dismiss(self.hosts)
        self.hosts = []

    def restore(self, state: ChainState, row_sums: Mapping[int, Floats]) -> None:
        """Give hosts the labels of a state; sums that are not known are added up from the data."""
        for found in self._ask_all(
            "restore",
            lambda epochs: (
                state.capacity,
                {t: small(state.z[t]) for t in epochs},
                {t: row_sums[t] for t in epochs if t in row_sums},
            ),
        ):
            for t, sums in found.items():
                if t not in row_sums:
                    self._set_sums(state, t, sums)

    def visit(self, state: ChainState, epochs: list[int], sweep: Sweep) -> dict[int, Visit]:
        """Visit epochs that do not depend on each other, all at the same time."""
        by_host: dict[int, list[int]] = {}
        for t in epochs:
            by_host.setdefault(self.where[t], []).append(t)
        calls = [Call(self.hosts[i], "visit", (orders_of(state, own, sweep),)) for i, own in by_host.items()]
        visits: dict[int, Visit] = {}
        for capacity, outcomes in self.workers.ask(calls):
            grow_to(state, capacity)
            for one in outcomes:
                set_clusters(state, one.t, one.own)
                set_neighbours(state, one.neighbours)
                sweep.epoch_rngs[one.t].bit_generator.state = one.stream
                visits[one.t] = one.visit
        return visits

    def fetch_labels(self, state: ChainState) -> None:
        """Take over the labels of all objects."""
        for found in self._ask_all("labels", lambda epochs: ()):
            self._set_labels(state, found)

    def commit(self, state: ChainState) -> None:
        """Let hosts add everything up anew; from then on labels and clusters are all that there is to know."""
        for labels, sums in self._ask_all("commit", lambda epochs: (state.capacity,)):
            self._set_labels(state, labels)
            for t, own in sums.items():
                self._set_sums(state, t, own)

    def _ask_all(self, method: str, arguments_for: Any) -> list[Any]:
        own = [[t for t, where in enumerate(self.where) if where == i] for i in range(len(self.hosts))]
        return self.workers.ask(
            [Call(host, method, arguments_for(epochs)) for host, epochs in zip(self.hosts, own, strict=True)]
        )

    def _files(self, epochs: Sequence[int]) -> dict[int, EpochFile]:
        return {t: self.files[t] for t in epochs}

    @staticmethod
    def _set_labels(state: ChainState, labels: Mapping[int, NDArray[Any]]) -> None:
        for t, slots in labels.items():
            state.z[t][:] = slots

    @staticmethod
    def _set_sums(state: ChainState, t: int, sums: tuple[Ints, Floats]) -> None:
        counts, block_sums = sums
        set_clusters(state, t, {"counts": counts, "block_sums": block_sums})


class SpreadState(PartialState):
    """The state of a chain whose objects and data are with hosts. Labels are those that were last fetched."""

    def __init__(self, series: DistanceSeries, host: SpreadEpochs, labels: Sequence[Ints], trace: Floats) -> None:
        super().__init__(Part(series.kind, series.unit, series.n_objects, {}), range(series.n_epochs))
        self.host = host
        self.trace = trace / self.unit
        for t, slots in enumerate(labels):
            self.z[t][:] = slots
            self.size[t] = int(slots.max()) + 1
        while self.size.max() >= self.capacity:
            self.grow()
        host.open()
        host.restore(self, {})

    def labels(self) -> list[Ints]:
        """Lineage id of every object, as it is with the hosts now."""
        self.host.fetch_labels(self)
        return super().labels()

    def rebuild(self) -> None:
        """Let hosts recompute everything derived from the assignments."""
        if self.host is not None:
            self.host.commit(self)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything for storage, right after :meth:`rebuild`: what hosts have follows from it."""
        arrays = super().to_arrays()
        return {name: array for name, array in arrays.items() if not name.startswith("row_sums_")}

    def restore(self, arrays: dict[str, NDArray[Any]]) -> None:
        """The inverse of :meth:`to_arrays`, with new hosts."""
        known = {t: arrays[f"row_sums_{t}"] for t in range(self.n_epochs) if f"row_sums_{t}" in arrays}
        nothing = {f"row_sums_{t}": np.zeros((arrays["counts"].shape[1], 0)) for t in range(self.n_epochs)}
        super().restore(arrays | nothing)
        self.host.open()
        self.host.restore(self, known)

    def copy(self) -> "SpreadState":
        """Clusters in arrays of their own. Hosts go with the copy; this state has to be restored to be used again."""
        twin = copy(self)
        ChainState.restore(twin, super().to_arrays())
        return twin


def orders_of(state: ChainState, epochs: Sequence[int], sweep: Sweep) -> Orders:
    """What a host has to know to visit epochs."""
    settings = sweep.settings
    return Orders(
        [
            Order(
                t,
                clusters_of(state, t),
                neighbours_of(state, t, coupled=sweep.coupled),
                sweep.epoch_rngs[t].bit_generator.state,
            )
            for t in epochs
        ],
        state.capacity,
        tuple(float(getattr(state, name)) for name in SCALES),
        sweep.coupled,
        sweep.power,
        sweep.dof_factor,
        settings.n_aux,
        settings.n_geometry_steps,
        settings.n_split_merge,
    )


def share_out(n_objects: Sequence[int], names: Sequence[str]) -> list[tuple[str, list[int]]]:
    """Epochs for workers: each has about as many objects at even epochs as any other, and at odd ones."""
    own: dict[str, list[int]] = {name: [] for name in names}
    total = dict.fromkeys(names, 0)
    for parity in (0, 1):
        load = dict.fromkeys(names, 0)
        for t in sorted(range(parity, len(n_objects), 2), key=lambda t: -n_objects[t]):
            name = min(names, key=lambda name: (load[name], total[name]))
            own[name].append(t)
            load[name] += n_objects[t]
            total[name] += n_objects[t]
    return [(name, sorted(epochs)) for name, epochs in own.items() if epochs]
