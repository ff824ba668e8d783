"""EpochHost: whoever has the objects and data of some epochs, and visits them when told to."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.array_file import EpochFile
from tetiwd.data.negative_type import Kind
from tetiwd.hosts.messages import (
    SCALES,
    Orders,
    Outcome,
    Sums,
    clusters_of,
    grow_to,
    neighbours_of,
    set_clusters,
    set_neighbours,
    small,
)
from tetiwd.hosts.part import Part, PartialState
from tetiwd.moves.move import Sweep
from tetiwd.moves.visits import visit_here
from tetiwd.params import Hyperparameters, SamplerSettings
from tetiwd.state import Floats, models_of

Labels = dict[int, NDArray[Any]]  # slot of every object, by epoch


class EpochHost(Protocol):
    """What a chain asks of those who have its epochs. Every method is about all epochs of the host."""

    def restore(self, capacity: int, labels: Labels, row_sums: Mapping[int, Floats]) -> dict[int, Sums]:
        """Begin with these labels; what is not given is added up from the data. Returns counts and block sums."""

    def visit(self, orders: Orders) -> tuple[int, list[Outcome]]:
        """Visit some epochs; returns the capacity that it took, and what came out."""

    def labels(self) -> Labels:
        """Slots of all objects."""

    def commit(self, capacity: int) -> tuple[Labels, dict[int, Sums]]:
        """Add everything up anew from the data, so that labels alone are enough to restore this state."""


class LocalHost:
    """A host in this process; the one that a worker runs.

    Parameters
    ----------
    files
        Where the data of its epochs are.
    kind, unit, n_objects
        Of the whole series.
    hyperparameters
        Of the chain.
    n_threads
        Epochs that are visited at the same time.
    """

    def __init__(
        self,
        files: Mapping[int, EpochFile],
        kind: Kind,
        unit: float,
        n_objects: tuple[int, ...],
        hyperparameters: Hyperparameters,
        n_threads: int = 1,
    ) -> None:
        self.hyperparameters = hyperparameters
        self.state = PartialState(Part(kind, unit, n_objects, {t: file.open() for t, file in files.items()}))
        self.streams = [np.random.default_rng(0) for _ in n_objects]  # told where to be with every order
        self.pool = ThreadPoolExecutor(n_threads, thread_name_prefix="tetiwd-host") if n_threads > 1 else None

    def restore(self, capacity: int, labels: Labels, row_sums: Mapping[int, Floats]) -> dict[int, Sums]:
        """Begin with these labels; what is not given is added up from the data."""
        grow_to(self.state, capacity)
        for t, slots in labels.items():
            self.state.z[t][:] = slots
            self.state.size[t] = int(slots.max()) + 1
        self.state.rebuild()
        for t, sums in row_sums.items():
            self.state.row_sums[t][:] = sums
        return self._sums()

    def visit(self, orders: Orders) -> tuple[int, list[Outcome]]:
        """Visit some epochs."""
        state, o = self.state, orders
        grow_to(state, o.capacity)
        for name, value in zip(SCALES, o.scales, strict=True):
            setattr(state, name, value)
        for one in o.epochs:
            set_clusters(state, one.t, one.own)
            set_neighbours(state, one.neighbours)
            self.streams[one.t].bit_generator.state = one.stream
        models = models_of(state, self.hyperparameters, power=o.power, dof_factor=o.dof_factor)
        settings = SamplerSettings(
            n_aux=o.n_aux, n_geometry_steps=o.n_geometry_steps, n_split_merge=o.n_split_merge, spread_epochs=True
        )
        sweep = Sweep(
            models, self.hyperparameters, settings, self.streams, self.streams[0], {}, o.coupled, o.power,
            o.dof_factor, self.pool,
        )  # fmt: skip
        visits = visit_here(state, [one.t for one in o.epochs], sweep)
        outcomes = [
            Outcome(
                t,
                clusters_of(state, t),
                neighbours_of(state, t, coupled=o.coupled, links_only=True),
                self.streams[t].bit_generator.state,
                visits[t],
            )
            for t in visits
        ]
        return state.capacity, outcomes

    def labels(self) -> Labels:
        """Slots of all objects."""
        return {t: small(self.state.z[t]) for t in self.state.held}

    def commit(self, capacity: int) -> tuple[Labels, dict[int, Sums]]:
        """Add everything up anew from the data."""
        grow_to(self.state, capacity)
        self.state.rebuild()
        return self.labels(), self._sums()

    def _sums(self) -> dict[int, Sums]:
        found = {t: clusters_of(self.state, t, ("counts", "block_sums")) for t in self.state.held}
        return {t: (own["counts"], own["block_sums"]) for t, own in found.items()}
