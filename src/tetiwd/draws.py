"""What a chain remembers: one row per draw, in compact arrays."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.density import log_joint_of
from tetiwd.errors import SamplingError
from tetiwd.moves import scale
from tetiwd.params import Hyperparameters
from tetiwd.state import ChainState, SweepInfo

PER_EPOCH = ("n_clusters", "entropy", "moved", "geometry_acceptance", "spread", "log_det_A")
SCALARS = ("log_joint", "alpha", "xi", "new_scale")


class Draws:
    """Draws of one chain. Arrays have one row per draw; scales are in the user's units.

    ``labels`` holds the lineage id of every object, all epochs side by side (see :meth:`labels_at`). ``spread`` is the
    mean squared distance between cluster centres that A_t implies, ``entropy`` that of the cluster sizes; neither
    depends on names. ``scale_acceptance`` has one column per move of ``moves.scale``, NaN where there is nothing to
    move. ``geometry`` holds A_t of the draws 0, ``geometry_every``, 2 · ``geometry_every``, …, with rows in increasing
    order of lineage id; none if that is 0.
    """

    def __init__(self, n_objects: Sequence[int], columns: dict[str, list[Any]], geometry_every: int) -> None:
        self.n_objects = tuple(n_objects)
        self._columns = columns
        self._arrays: dict[str, NDArray[Any]] = {}  # columns as arrays, made when first asked for
        self.geometry_every = geometry_every
        self.geometry: list[list[NDArray[np.float64]]] = []

    @classmethod
    def empty(cls, n_objects: Sequence[int], *, geometry_every: int) -> "Draws":
        """No draws yet."""
        names = ("labels", *SCALARS, *PER_EPOCH, "link_acceptance", "exchange_acceptance", "scale_acceptance")
        return cls(n_objects, {name: [] for name in names}, geometry_every)

    def __len__(self) -> int:
        return len(self._columns["log_joint"])

    def __repr__(self) -> str:
        return f"Draws({len(self)} draws of {len(self.n_objects)} epochs, {sum(self.n_objects)} objects)"

    def __getattr__(self, name: str) -> NDArray[Any]:
        columns = self.__dict__.get("_columns", {})
        if name not in columns:
            raise AttributeError(f"draws have no {name!r}; they have {', '.join(columns)}")
        if name not in self._arrays:
            self._arrays[name] = np.array(columns[name])
            self._arrays[name].flags.writeable = False
        return self._arrays[name]

    def labels_at(self, t: int) -> NDArray[Any]:
        """Lineage ids of the objects of epoch t, (draws, n_t)."""
        start = sum(self.n_objects[:t])
        return self.labels.reshape(len(self), -1)[:, start : start + self.n_objects[t]]

    def record(self, state: ChainState, hyperparameters: Hyperparameters, info: SweepInfo) -> None:
        """Add the state as one draw."""
        log_joint = log_joint_of(state, hyperparameters)
        if not np.isfinite(log_joint):
            raise SamplingError(
                f"the joint density is {log_joint} at alpha = {state.alpha:.3g}, xi = {state.xi:.3g}, "
                f"new_scale = {state.new_scale:.3g} (rescaled); look for identical objects, or fix alpha at a number"
            )
        labels = np.concatenate(state.labels())
        shares = [np.sort(state.counts[t, :k]) / state.counts[t].sum() for t, k in enumerate(state.n_clusters)]
        geometry = [state.A[t, :k, :k] for t, k in enumerate(state.n_clusters)]
        row = {
            "labels": labels.astype(np.uint16 if labels.max() < 2**16 else np.uint32),
            "log_joint": log_joint,
            "alpha": state.alpha * state.unit,
            "xi": state.xi,
            "new_scale": state.new_scale * state.unit,
            "n_clusters": state.n_clusters,
            "entropy": np.array([-(p * np.log(p)).sum() for p in shares]),
            "moved": info.moved,
            "geometry_acceptance": info.geometry,
            "link_acceptance": info.links,
            "exchange_acceptance": info.exchanges,
            "scale_acceptance": np.array([info.scale.get(name, np.nan) for name in scale.NAMES]),
            "spread": np.array([_mean_distance(A) * state.unit for A in geometry]),
            "log_det_A": np.array([np.linalg.slogdet(A * state.unit)[1] for A in geometry]),
        }
        if self.geometry_every and len(self) % self.geometry_every == 0:
            self.geometry.append([A * state.unit for A in state.geometry()])
        self._arrays.clear()
        for name, value in row.items():
            self._columns[name].append(value)

    @property
    def with_geometry(self) -> range:
        """Draws whose A_t are in :attr:`geometry`."""
        return range(0, len(self), self.geometry_every) if self.geometry_every else range(0)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything as plain arrays, for storage."""
        arrays = {name: getattr(self, name) for name in self._columns}
        flat = [A.ravel() for draw in self.geometry for A in draw]
        arrays["geometry"] = np.concatenate(flat) if flat else np.empty(0)
        arrays["geometry_every"] = np.array(self.geometry_every)
        return arrays

    @classmethod
    def from_arrays(cls, n_objects: Sequence[int], arrays: dict[str, NDArray[Any]]) -> "Draws":
        """The inverse of :meth:`to_arrays`."""
        draws = cls.empty(n_objects, geometry_every=int(arrays["geometry_every"]))
        for name in draws._columns:
            draws._columns[name] = list(arrays[name])
        position = 0
        for i in draws.with_geometry:
            draws.geometry.append([])
            for k in arrays["n_clusters"][i]:
                draws.geometry[-1].append(arrays["geometry"][position : position + k * k].reshape(k, k))
                position += int(k * k)
        return draws


def _mean_distance(A: NDArray[np.float64]) -> float:
    """Mean of A_cc + A_bb − 2A_cb over pairs of clusters, 0 if there is only one."""
    k = len(A)
    return float(2 * (k * np.trace(A) - A.sum()) / (k * (k - 1))) if k > 1 else 0.0
