"""NodeState: where a chain of the model of moving centres is. It knows nothing of how moves work."""

from copy import copy
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tetiwd.bonds import bonds_of_lineages
from tetiwd.data import DistanceSeries
from tetiwd.errors import DataError, Setting
from tetiwd.kernels import Motion, Nodes, NodeWorkspace
from tetiwd.model.moving import PARAMETERS, one_dof, priors_of
from tetiwd.model.spreads import LIMIT
from tetiwd.params import Hyperparameters
from tetiwd.priors import Beta, Gamma
from tetiwd.state import Ints, add_up, fault_of_parameters, width_of_sums

_STORED = ("z", "size", "counts", "S", "R", "spreads")


class NodeState:
    """Everything the next sweep needs, in padded arrays that moves change in place (see ``tetiwd.kernels.nodes``).

    Lineages occupy slots 0 … size−1; capacity is doubled when they run out. All scales are in units of ``unit``, the
    factor that rescales the data (``series.unit`` unless given).
    """

    alpha: float
    new_scale: float
    rho: float
    xi: float
    tau: float
    delta: float
    kappa: float
    shift: float
    across = None  # what is known across time is known of lineages, which are what the state is made of

    def __init__(self, series: DistanceSeries, labels: Ints, *, unit: float | None = None, capacity: int = 16) -> None:
        self.series = series
        all_distances(series)  # or an error
        self.unit = series.unit if unit is None else unit
        self.first = np.concatenate([[0], np.cumsum(series.n_objects)]).astype(np.int64)
        self.begins = int(np.flatnonzero(np.diff(self.first))[0])  # the first epoch with objects
        self.z = np.array(labels, dtype=np.int64)
        self.size = np.array([self.z.max() + 1])
        while capacity <= self.size[0]:
            capacity *= 2
        self._set_capacity(capacity)
        self.spreads = np.zeros(capacity)
        for name in PARAMETERS:
            setattr(self, name, 1.0)
        self.rebuild()

    def _set_capacity(self, capacity: int) -> None:
        T = self.n_epochs
        self.capacity = capacity
        self._views: dict[str, Any] = {}  # made when first asked for, forgotten when arrays are replaced
        self.counts = np.zeros((capacity, T), dtype=np.int64)
        self.S = np.zeros((capacity * T, capacity * T))
        self.R = np.zeros((capacity * T, width_of_sums(all_distances(self.series))))

    @property
    def n_epochs(self) -> int:
        """Number of epochs T."""
        return len(self.first) - 1

    @property
    def n_clusters(self) -> Ints:
        """Lineages present at every epoch, (T,)."""
        return np.asarray((self.counts > 0).sum(axis=0))

    @property
    def nodes(self) -> Nodes:
        """The arrays as the kernels take them (views, no copies)."""
        if "nodes" not in self._views:
            cross = all_distances(self.series)
            arrays = (self.first, self.z, self.size, self.counts, self.S, self.R, self.spreads)
            self._views["nodes"] = Nodes(cross, 1.0 / self.unit, *arrays, bonds_of_lineages(self.series.ties))
        return cast("Nodes", self._views["nodes"])

    @property
    def work(self) -> NodeWorkspace:
        """Working memory of the kernels."""
        if "work" not in self._views:
            self._views["work"] = NodeWorkspace(self.capacity, self.n_epochs, len(self.z))
        return cast("NodeWorkspace", self._views["work"])

    @property
    def parameters(self) -> dict[str, float]:
        """Values of all parameters by name."""
        return {name: float(getattr(self, name)) for name in PARAMETERS}

    def lineage_ids(self) -> Ints:
        """Id of the lineage in every slot: numbered in order of birth."""
        first = np.full(int(self.size[0]), len(self.z))
        np.minimum.at(first, self.z, np.arange(len(self.z)))
        return np.asarray(np.argsort(np.argsort(first, kind="stable")))

    def labels(self) -> list[Ints]:
        """Lineage id of every object, T × (n_t,)."""
        return np.split(self.lineage_ids()[self.z], self.first[1:-1])

    def grow(self) -> None:
        """Double the capacity."""
        old = {name: getattr(self, name) for name in ("counts", "S", "R", "spreads")}
        self._set_capacity(2 * self.capacity)
        self.spreads = np.zeros(self.capacity)
        for name, array in old.items():
            getattr(self, name)[tuple(slice(0, n) for n in array.shape)] = array

    def rebuild(self) -> None:
        """Recompute everything derived from the assignments: sizes, row sums, block sums. Reads all of D*."""
        T, cross = self.n_epochs, all_distances(self.series)
        node = self.z * T + np.repeat(np.arange(T), np.diff(self.first))
        self.counts[:] = np.bincount(node, minlength=self.capacity * T).reshape(self.capacity, T)
        add_up(cross, node, np.unique(node), self.unit, self.R, self.S)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that cannot be recomputed bit by bit from the data, for storage."""
        arrays = {name: getattr(self, name).copy() for name in _STORED}
        return arrays | {"parameters": np.array(list(self.parameters.values()))}

    def restore(self, arrays: dict[str, NDArray[Any]]) -> None:
        """The inverse of :meth:`to_arrays`."""
        self._views = {}
        for name in _STORED:
            setattr(self, name, arrays[name].copy())
        for name, value in zip(PARAMETERS, arrays["parameters"].tolist(), strict=True):
            setattr(self, name, value)
        self.capacity = len(self.counts)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_views": {}}  # these belong to this object's arrays

    def copy(self) -> "NodeState":
        """The same state in arrays of its own; the data are shared."""
        twin = copy(self)
        twin.restore(self.to_arrays())
        return twin

    def structural_fault(self) -> str:
        """What is wrong with slots, sizes or parameters; "" if nothing is. Does not look at the data."""
        C, T = int(self.size[0]), self.n_epochs
        if not np.array_equal(np.unique(self.z), np.arange(C)):
            return f"slots are not 0 … {C - 1}"
        node = self.z * T + np.repeat(np.arange(T), np.diff(self.first))
        if not np.array_equal(self.counts.ravel(), np.bincount(node, minlength=self.capacity * T)):
            return "sizes"
        return fault_of_parameters(self.parameters)

    def check_invariants(self) -> None:
        """Raise AssertionError if anything derived is not what it should be."""
        fault = self.structural_fault()
        assert not fault, fault
        fresh, C = NodeState(self.series, self.z, unit=self.unit, capacity=self.capacity), int(self.size[0])
        scale = max(1.0, float(np.abs(fresh.S).max()))
        assert np.allclose(self.R, fresh.R, atol=1e-9 * scale), "row sums"
        assert np.allclose(self.S, fresh.S, atol=1e-9 * scale), "block sums"
        assert np.array_equal(self.S, self.S.T), "block sums are not symmetric"
        empty = self.counts.ravel() == 0
        assert not self.R[empty].any(), "row sums of nobody"
        assert not self.S[empty].any(), "block sums of nobody"
        assert not self.spreads[C:].any(), "spreads of empty slots"
        own = np.abs(np.log(self.spreads[:C] / self.alpha))
        assert np.all(own <= LIMIT + 1e-9 if self.tau > 0 else own == 0), "spreads"
        ties = self.series.ties
        assert ties is None or ties.log_weight(self.z) > -np.inf, "constraints"


def all_distances(series: DistanceSeries) -> NDArray[Any]:
    """D*: squared distances of all objects. Those of a single epoch are all there are."""
    if series.kind == "distances" and series.n_epochs == 1:
        return series.matrices[0]
    if series.kind != "distances" or series.cross is None:
        raise DataError(
            ["distances between times are not known, and ", Setting("geometry", "moving"), " is a model of them"],
            ["give D* as well, or features or one matrix of all objects; or leave out ", Setting("geometry")],
        )
    return series.cross


def start_parameters(state: NodeState, hyperparameters: Hyperparameters) -> None:
    """Set all parameters to where they are fixed, or to a sensible place."""
    for name, prior in priors_of(hyperparameters).items():
        setattr(state, name, prior.mean if isinstance(prior, Gamma | Beta) else float(prior))
    if isinstance(hyperparameters.alpha, Gamma):
        state.alpha = 1.0
    state.spreads[: state.size[0]] = state.alpha


def motion_of(
    state: NodeState, hyperparameters: Hyperparameters, *, power: float = 1.0, dof_factor: float = 1.0
) -> Motion:
    """The numbers the kernels need."""
    s, dof = state, one_dof(hyperparameters) * dof_factor
    urn = (s.delta, s.kappa)
    return Motion(s.alpha, dof, s.rho, s.new_scale, s.xi, s.tau, *urn, s.shift, LIMIT, s.begins, float(power))
