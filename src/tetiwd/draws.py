"""The draws of one chain, in compact arrays with one row per draw. How they were made does not matter here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

SCALARS = ("log_joint", "alpha", "xi", "new_scale")


class Column:
    """A column of :class:`Draws` as a read-only array; ``axes`` are those after the draws."""

    def __init__(self, *axes: str) -> None:
        self.axes = axes

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, draws: "Draws", owner: type) -> NDArray[Any]:
        return draws.array(self.name)


class Draws:
    """Draws of one chain. Arrays have one row per draw; scales are in the user's units.

    ``labels`` holds the lineage id of every object, all epochs side by side (see :meth:`labels_at`). ``spread`` is the
    mean squared distance between cluster centres that A_t implies, ``entropy`` that of the cluster sizes; neither
    depends on names. ``statistics`` holds what the moves of the sampler reported, along the axes in ``axes``: "time"
    for one value per epoch, "step" for one per boundary between epochs, "scale_move" for one per scale, "draw" for a
    single one. ``geometry`` holds A_t of every so many draws (``geometry_every``) from ``first_geometry`` on, with rows
    in increasing order of lineage id; none if that is 0.
    """

    labels = Column("object")
    log_joint = Column()
    alpha = Column()
    xi = Column()
    new_scale = Column()
    n_clusters = Column("time")
    entropy = Column("time")
    spread = Column("time")
    log_det_A = Column("time")

    def __init__(
        self,
        n_objects: Sequence[int],
        axes: Mapping[str, str] | None = None,
        *,
        geometry_every: int = 0,
        first_geometry: int = 0,
    ) -> None:
        self.n_objects = tuple(n_objects)
        self.axes = dict(axes or {})
        self.geometry_every, self.first_geometry = geometry_every, first_geometry
        self.geometry: list[list[NDArray[np.float64]]] = []
        self._arrays: dict[str, NDArray[Any]] = {}  # all rows, as far as they have been asked for
        self._rows: dict[str, list[Any]] = {name: [] for name in (*COLUMNS, *self.axes)}

    def __len__(self) -> int:
        return len(self._rows["log_joint"])

    def __repr__(self) -> str:
        return f"Draws({len(self)} draws of {len(self.n_objects)} epochs, {sum(self.n_objects)} objects)"

    @property
    def statistics(self) -> dict[str, NDArray[Any]]:
        """Statistics that the moves reported, by name."""
        return {name: self.array(name) for name in self.axes}

    def array(self, name: str) -> NDArray[Any]:
        """A column or statistic."""
        if name not in self._arrays:
            self._arrays[name] = np.array(self._rows[name])
            self._arrays[name].flags.writeable = False
        return self._arrays[name]

    def drawn(self, name: str, fixed: Any) -> NDArray[Any]:
        """Draws of a parameter that was recorded if it was learned; otherwise the number that it was fixed at."""
        return self.array(name) if name in self.axes else np.full(len(self), float(fixed))

    def labels_at(self, t: int) -> NDArray[Any]:
        """Lineage ids of the objects of epoch t, (draws, n_t)."""
        start = sum(self.n_objects[:t])
        return self.labels.reshape(len(self), -1)[:, start : start + self.n_objects[t]]

    def append(self, row: Mapping[str, Any], geometry: list[NDArray[np.float64]] | None = None) -> None:
        """Add a draw: a value for every column and statistic, and A_t if this draw is to keep it."""
        self._arrays.clear()
        for name, values in self._rows.items():
            values.append(row[name])
        if geometry is not None:
            self.geometry.append(geometry)

    def extend(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Add the draws in arrays such as :meth:`to_arrays` gives of the draws that come next."""
        more = Draws.from_arrays(self.n_objects, arrays, self.axes)
        self._arrays.clear()
        for name, values in self._rows.items():
            values.extend(more._rows[name])
        self.geometry.extend(more.geometry)

    @property
    def keeps_next_geometry(self) -> bool:
        """True if the next draw is to come with its A_t."""
        return self.geometry_every > 0 and (len(self) - self.first_geometry) % self.geometry_every == 0

    @property
    def with_geometry(self) -> range:
        """Draws whose A_t are in :attr:`geometry`."""
        return range(self.first_geometry, len(self), self.geometry_every) if self.geometry_every else range(0)

    def between(self, first: int, end: int | None = None) -> "Draws":
        """The draws from one on, up to another, as draws of their own."""
        every, rows = self.geometry_every, range(len(self))[first:end]
        first_geometry = (self.first_geometry - first) % every if every else 0
        part = Draws(self.n_objects, self.axes, geometry_every=every, first_geometry=first_geometry)
        part._rows = {name: values[first:end] for name, values in self._rows.items()}
        part.geometry = [A for i, A in zip(self.with_geometry, self.geometry, strict=True) if i in rows]
        return part

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything as plain arrays, for storage."""
        arrays = {name: self.array(name) for name in self._rows}
        flat = [A.ravel() for draw in self.geometry for A in draw]
        arrays["geometry"] = np.concatenate(flat) if flat else np.empty(0)
        arrays["geometry_every"] = np.array(self.geometry_every)
        arrays["first_geometry"] = np.array(self.first_geometry)
        return arrays

    @classmethod
    def from_arrays(
        cls, n_objects: Sequence[int], arrays: Mapping[str, NDArray[Any]], axes: Mapping[str, str] | None = None
    ) -> Self:
        """The inverse of :meth:`to_arrays`; ``axes`` are those of the statistics."""
        every, first = int(arrays["geometry_every"]), int(arrays.get("first_geometry", 0))
        draws = cls(n_objects, axes, geometry_every=every, first_geometry=first)
        for name in draws._rows:
            draws._rows[name] = list(arrays[name])
            draws._arrays[name] = arrays[name].view()
            draws._arrays[name].flags.writeable = False
        position = 0
        for i in draws.with_geometry:
            draws.geometry.append([])
            for k in arrays["n_clusters"][i]:
                draws.geometry[-1].append(arrays["geometry"][position : position + k * k].reshape(k, k))
                position += int(k * k)
        return draws


COLUMNS = {name: column.axes for name, column in vars(Draws).items() if isinstance(column, Column)}


@dataclass(frozen=True)
class Frozen:
    """One partition that a chain was frozen at."""

    labels: list[NDArray[np.int64]]  # T × (n_t,) lineage ids
    log_joint: float
    still_moving: int  # objects that moved in the last pass; 0 if the partition is really frozen
