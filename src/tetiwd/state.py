"""ChainState: where a chain is. It knows nothing of how moves work."""

from collections.abc import Sequence
from copy import copy
from threading import get_ident
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from tetiwd.bonds import bonds_of
from tetiwd.bonds_across import Across
from tetiwd.data import DistanceSeries
from tetiwd.data.feature_distances import FeatureDistances
from tetiwd.errors import DataError, Setting
from tetiwd.kernels import Epoch, Model, Neighbour, Workspace, follow, number_lineages
from tetiwd.model.spreads import LIMIT
from tetiwd.params import LARGEST_TAU, Hyperparameters
from tetiwd.priors import Gamma

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ROWS_AT_ONCE = 64
_STORED = ("size", "counts", "block_sums", "A", "back", "forward", "spreads")
_SCALES = ("alpha", "xi", "new_scale", "kappa", "df_A", "tau")
_MAY_BE_ZERO = ("tau", "rho", "delta", "shift")
_SMALLEST, _LARGEST = 1e-100, 1e100  # of a parameter that a chain can reach


class ChainState:
    """Everything the next sweep needs, in padded arrays that moves change in place.

    Clusters of epoch t occupy slots 0 … size[t]−1; capacity is doubled when they run out. All scales are in units of
    ``unit``, the factor that rescales the data (``series.unit`` unless given).
    """

    host: Any = None  # where objects and data are, if not here (``tetiwd.hosts``)

    def __init__(
        self, series: DistanceSeries, labels: list[Ints], *, unit: float | None = None, capacity: int = 16
    ) -> None:
        T = series.n_epochs
        self.series = series
        self.unit = series.unit if unit is None else unit
        self.capacity = capacity
        self.bonds = bonds_of(series.ties, series.n_objects)
        self.across = Across(series.ties, series.n_objects) if series.ties is not None and series.ties.across else None
        self._views: dict[Any, Any] = {}  # made when first asked for, forgotten when arrays are replaced
        self._work: dict[int, Workspace] = {}  # one per thread that updates epochs of this chain
        self._twins: dict[int, ChainState] = {}  # trials, one per thread, kept for the next time
        self.z = [np.array(slots, dtype=np.int64) for slots in labels]  # T × (n_t,) slots
        self.size = np.zeros((T, 1), dtype=np.int64)
        self.counts = np.zeros((T, capacity), dtype=np.int64)
        self.block_sums = np.zeros((T, capacity, capacity))
        self.A = np.zeros((T, capacity, capacity))
        self.back = np.full((T, capacity), -1, dtype=np.int64)
        self.forward = np.full((T, capacity), -1, dtype=np.int64)
        self.spreads = np.ones((T, capacity))  # relative to alpha; 1 for empty slots
        self.row_sums = [np.zeros((capacity, width_of_sums(D))) for D in series.matrices]  # T × (K, n_t) for matrices
        self.alpha = self.xi = self.new_scale = self.kappa = 1.0
        self.tau = 0.0
        self.df_A = float("inf")  # A has no law yet
        traces = [float(np.trace(K, dtype=float)) if self.similarity else 0.0 for K in series.matrices]
        self.trace = np.array(traces) / self.unit
        for t, slots in enumerate(self.z):
            self.size[t] = slots.max(initial=-1) + 1
        while self.size.max() >= self.capacity:
            self.grow()
        self.rebuild()

    @property
    def n_epochs(self) -> int:
        """Number of epochs T."""
        return len(self.z)

    @property
    def held(self) -> Sequence[int]:
        """Epochs whose objects and data are here: all of them."""
        return range(self.n_epochs)

    @property
    def similarity(self) -> bool:
        """True if the data are similarities."""
        return self.series.kind == "similarities"

    @property
    def n_clusters(self) -> Ints:
        """Clusters present at every epoch, (T,)."""
        return self.size[:, 0].copy()

    def epoch(self, t: int) -> Epoch:
        """The arrays of one epoch, as the kernels take them (views, no copies)."""
        if t not in self._views:
            self._views[t] = Epoch(
                self.series.matrices[t],
                1.0 / self.unit,
                float(self.trace[t]),
                self.z[t],
                self.row_sums[t],
                self.size[t],
                self.counts[t],
                self.block_sums[t],
                self.A[t],
                self.back[t],
                self.forward[t],
                self.spreads[t],
                self.bonds[t],
            )
        return cast("Epoch", self._views[t])

    @property
    def work(self) -> Workspace:
        """Working memory of the kernels, for this thread alone."""
        work = self._work.get(get_ident())
        if work is None or work.capacity != self.capacity:
            work = self._work[get_ident()] = Workspace(self.capacity, max(self.series.n_objects))
        return work

    def before(self, t: int, *, coupled: bool = True) -> Neighbour:
        """The clusters of epoch t−1 with their links to t; nothing at the first epoch or without coupling."""
        return self._neighbour("before", t - 1 if coupled else -1, self.forward)

    def after(self, t: int, *, coupled: bool = True) -> Neighbour:
        """The clusters of epoch t+1 with their links to t; nothing at the last epoch or without coupling."""
        return self._neighbour("after", t + 1 if coupled else -1, self.back)

    def around(self, t: int, *, coupled: bool = True) -> tuple[Epoch, Neighbour, Neighbour]:
        """An epoch and its neighbours."""
        if (t, coupled) not in self._views:
            neighbours = self.before(t, coupled=coupled), self.after(t, coupled=coupled)
            self._views[t, coupled] = self.epoch(t), *neighbours
        return cast("tuple[Epoch, Neighbour, Neighbour]", self._views[t, coupled])

    def all_around(self, *, coupled: bool = True) -> list[tuple[Epoch, Neighbour, Neighbour]]:
        """Every epoch with its neighbours."""
        if ("all", coupled) not in self._views:
            self._views["all", coupled] = [self.around(t, coupled=coupled) for t in range(self.n_epochs)]
        return cast("list[tuple[Epoch, Neighbour, Neighbour]]", self._views["all", coupled])

    @property
    def epochs(self) -> list[Epoch]:
        """All epochs."""
        if "epochs" not in self._views:
            self._views["epochs"] = [self.epoch(t) for t in range(self.n_epochs)]
        return cast("list[Epoch]", self._views["epochs"])

    def lineage_ids(self) -> list[Ints]:
        """Lineage id of every cluster, T × (k_t,): numbered in order of birth, equal along links."""
        ids = np.empty_like(self.back)
        number_lineages(self.back, self.size, ids)
        return [ids[t, :k] for t, k in enumerate(self.size[:, 0])]

    def labels(self) -> list[Ints]:
        """Lineage id of every object, T × (n_t,)."""
        return [ids[slots] for ids, slots in zip(self.lineage_ids(), self.z, strict=True)]

    def geometry(self) -> list[Floats]:
        """A_t of the clusters present, rows in increasing order of lineage id (as ``log_joint`` takes it)."""
        orders = [np.argsort(ids) for ids in self.lineage_ids()]
        return [self.A[t][np.ix_(order, order)].copy() for t, order in enumerate(orders)]

    def log_spreads(self) -> list[Floats]:
        """Log spreads of the clusters present, relative to alpha, T × (k_t,)."""
        return [np.log(self.spreads[t, :k]) for t, k in enumerate(self.size[:, 0])]

    def lineage_from(self, t: int, c: int) -> list[int]:
        """Slots of the lineage that is in slot c at epoch t, from there to its end."""
        return follow(self.forward, t, c)

    def trial(self, epochs: slice) -> "ChainState":
        """The same objects and data, but arrays of its own for everything about clusters, as they are at some epochs.

        There is one trial at a time in every thread: the next call gives the same object.
        """
        twin = self._twins.get(get_ident())
        if twin is None:
            twin = self._twins[get_ident()] = copy(self)
            for name in _STORED:
                setattr(twin, name, getattr(self, name).copy())
        for name in _STORED:
            getattr(twin, name)[epochs] = getattr(self, name)[epochs]
        return twin

    def adopt(self, trial: "ChainState", epochs: slice) -> None:
        """Take over what a trial has changed at some epochs, in place."""
        for name in _STORED:
            getattr(self, name)[epochs] = getattr(trial, name)[epochs]

    def adopt_epoch(self, trial: "ChainState", t: int) -> None:
        """Take over what a trial has changed at one epoch, and links towards it; others may work on its neighbours."""
        for name in _STORED:
            getattr(self, name)[t] = getattr(trial, name)[t]
        if t > 0:
            self.forward[t - 1] = trial.forward[t - 1]
        if t + 1 < self.n_epochs:
            self.back[t + 1] = trial.back[t + 1]

    def grow(self) -> None:
        """Double the capacity."""
        self._views, self._twins = {}, {}
        extra = self.capacity
        self.counts = np.pad(self.counts, ((0, 0), (0, extra)))
        self.back = np.pad(self.back, ((0, 0), (0, extra)), constant_values=-1)
        self.forward = np.pad(self.forward, ((0, 0), (0, extra)), constant_values=-1)
        self.spreads = np.pad(self.spreads, ((0, 0), (0, extra)), constant_values=1.0)
        self.A = np.pad(self.A, ((0, 0), (0, extra), (0, extra)))
        self.block_sums = np.pad(self.block_sums, ((0, 0), (0, extra), (0, extra)))
        self.row_sums = [np.pad(R, ((0, extra), (0, 0))) for R in self.row_sums]
        self.capacity += extra

    def rebuild(self) -> None:
        """Recompute everything derived from the assignments: counts, row sums, block sums. Reads all of D."""
        self._views, self._twins = {}, {}
        for t in self.held:
            slots, k = self.z[t], int(self.size[t, 0])
            self.counts[t] = np.bincount(slots, minlength=self.capacity)
            add_up(self.series.matrices[t], slots, np.arange(k), self.unit, self.row_sums[t], self.block_sums[t])

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that cannot be recomputed bit by bit from the data, for storage."""
        arrays = {name: getattr(self, name).copy() for name in _STORED}
        for t in range(self.n_epochs):
            arrays[f"z_{t}"], arrays[f"row_sums_{t}"] = self.z[t].copy(), self.row_sums[t].copy()
        arrays["scales"] = np.array(list(self.parameters.values()))
        return arrays

    @property
    def parameters(self) -> dict[str, float]:
        """Values of all scales by name."""
        return {name: float(getattr(self, name)) for name in _SCALES}

    def restore(self, arrays: dict[str, NDArray[Any]]) -> None:
        """The inverse of :meth:`to_arrays`; row sums that are not given are added up from the data."""
        self._views, self._twins = {}, {}
        equal = {"spreads": np.ones(arrays["counts"].shape)}  # for checkpoints from before there were others
        for name in _STORED:
            setattr(self, name, (equal | arrays)[name].copy())
        self.z = [arrays[f"z_{t}"].copy() for t in range(self.n_epochs)]
        for name, value in zip(_SCALES, arrays["scales"].tolist(), strict=False):  # older checkpoints have the first
            setattr(self, name, value)
        self.capacity = self.counts.shape[1]
        if "row_sums_0" in arrays:
            self.row_sums = [arrays[f"row_sums_{t}"].copy() for t in range(self.n_epochs)]
        else:
            self.row_sums = [np.zeros((self.capacity, R.shape[1])) for R in self.row_sums]
            self.rebuild()

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_views": {}, "_work": {}, "_twins": {}, "bonds": []}  # these belong to its arrays

    def __copy__(self) -> Self:
        """A shallow copy shares what is known of objects; copies of the whole and pickles make it anew."""
        twin = object.__new__(type(self))
        twin.__dict__ |= self.__getstate__() | {"bonds": self.bonds}
        return twin

    def __setstate__(self, values: dict[str, Any]) -> None:
        self.__dict__ |= values | {"bonds": bonds_of(values["series"].ties, values["series"].n_objects)}

    def copy(self) -> "ChainState":
        """The same state in arrays of its own; the data and what is known of them are shared."""
        twin = copy(self)
        twin.restore(self.to_arrays())
        return twin

    def check_invariants(self) -> None:
        """Raise AssertionError if anything derived is not what it should be."""
        fault = self.structural_fault()
        assert not fault, fault
        fresh = ChainState(self.series, self.z, unit=self.unit, capacity=self.capacity)
        scale = max(1.0, float(np.abs(fresh.block_sums).max()))
        for t in range(self.n_epochs):
            k = int(self.size[t, 0])
            assert np.allclose(self.row_sums[t], fresh.row_sums[t], atol=1e-9 * scale), f"row sums of epoch {t}"
            assert np.allclose(self.block_sums[t], fresh.block_sums[t], atol=1e-9 * scale), f"block sums of epoch {t}"
            A = self.A[t, :k, :k]
            assert np.allclose(A, A.T), f"A of epoch {t} is not symmetric"
            assert np.linalg.eigvalsh(A)[0] > 0, f"A of epoch {t} is not positive definite"
            assert not self.A[t, k:].any(), f"A of epoch {t} has rows of clusters that are not there"
            assert not self.A[t, :, k:].any(), f"A of epoch {t} has columns of clusters that are not there"
            own = np.abs(np.log(self.spreads[t]))
            assert np.all(own[:k] <= LIMIT + 1e-9 if self.tau > 0 else own[:k] == 0), f"spreads of epoch {t}"
            assert not own[k:].any(), f"spreads of empty slots of epoch {t}"

    def structural_fault(self) -> str:
        """What is wrong with slots, sizes, links or scales; "" if nothing is. Does not look at the data."""
        for t in range(self.n_epochs):
            k = int(self.size[t, 0])
            if not np.array_equal(np.unique(self.z[t]), np.arange(k)):
                return f"slots of epoch {t} are not 0 … {k - 1}"
            if not np.array_equal(self.counts[t], np.bincount(self.z[t], minlength=self.capacity)):
                return f"counts of epoch {t}"
        links = (self._fault_of_links(t, int(self.size[t, 0])) for t in range(self.n_epochs))
        return next(filter(None, links), "") or fault_of_parameters(self.parameters)

    def _fault_of_links(self, t: int, k: int) -> str:
        last = t + 1 == self.n_epochs
        for c in range(self.capacity):
            b, f = int(self.back[t, c]), int(self.forward[t, c])
            if c >= k and (b, f) != (-1, -1):
                return f"an empty slot of epoch {t} is linked"
            if b != -1 and not (t > 0 and b < self.size[t - 1, 0] and self.forward[t - 1, b] == c):
                return f"back link at {t}"
            if f != -1 and not (not last and f < self.size[t + 1, 0] and self.back[t + 1, f] == c):
                return f"forward link at {t}"
        return ""

    def _neighbour(self, side: str, t: int, links: Ints) -> Neighbour:
        if (side, t) not in self._views:
            if 0 <= t < self.n_epochs:
                view = Neighbour(self.size[t], self.counts[t], self.A[t], links[t])
            else:
                none = np.zeros(1, dtype=np.int64)
                view = Neighbour(none, none.copy(), np.zeros((1, 1)), np.full(1, -1, dtype=np.int64))
            self._views[side, t] = view
        return cast("Neighbour", self._views[side, t])


def width_of_sums(data: Any) -> int:
    """How many numbers the kernels keep for a cluster: a sum for every object, or those of ``FeatureDistances``."""
    return data.width if isinstance(data, FeatureDistances) else len(data)


def add_up(data: Any, slots: Ints, present: Ints, unit: float, R: Floats, S: Floats) -> None:
    """Sums over the members of clusters, as the kernels keep them, into R, and block sums into S."""
    R[:], S[:] = 0, 0
    if isinstance(data, FeatureDistances):
        R[:] = data.sums(slots, len(R))
        S[:] = data.block_sums(R) / unit
    else:
        for c in present:
            R[c] = _sum_of_rows(data, np.flatnonzero(slots == c))
        R /= unit
        for c in present:
            S[:, c] = R[:, slots == c].sum(axis=1)
    S[:] = (S + S.T) / 2


def _sum_of_rows(D: NDArray[Any], rows: Ints) -> Floats:
    """Sum of the given rows, some at a time so that no large part of D is copied."""
    total = np.zeros(D.shape[1])
    for start in range(0, len(rows), ROWS_AT_ONCE):
        total += D[rows[start : start + ROWS_AT_ONCE]].sum(axis=0, dtype=float)
    return total


def fault_of_parameters(parameters: dict[str, float]) -> str:
    """A parameter that no chain can have reached; "" if there is none."""
    for name, value in parameters.items():
        most = LARGEST_TAU if name == "tau" else _LARGEST
        if not _SMALLEST < value <= most and not (value == 0 and name in _MAY_BE_ZERO):
            return f"{name} is {value}"
    return ""


def start_values(state: ChainState, hyperparameters: Hyperparameters) -> None:
    """Set the scales to where they are fixed, or to a sensible place, and A_t to new_scale · I."""
    h = hyperparameters
    state.alpha = float(h.alpha) if not isinstance(h.alpha, Gamma) else 1.0
    state.xi = float(h.xi) if not isinstance(h.xi, Gamma) else h.xi.mean
    state.new_scale = float(h.new_scale) if not isinstance(h.new_scale, Gamma) else h.new_scale.mean
    state.kappa = float(h.kappa) if not isinstance(h.kappa, Gamma) else h.kappa.mean
    state.df_A = float(h.df_A) if not isinstance(h.df_A, Gamma) else max(h.df_A.mean, float(state.size.max()))
    state.tau = h.tau_used.mean if isinstance(h.tau_used, Gamma) else float(h.tau_used)
    if state.tau > 0 and state.similarity:
        raise DataError(
            "clusters with spreads of their own need distances, and these are similarities",
            ["give series.to_distances(), or leave out ", Setting("tau")],
        )
    for t in range(state.n_epochs):
        k = int(state.size[t, 0])
        state.A[t] = 0
        state.A[t, range(k), range(k)] = state.new_scale


def models_of(
    state: ChainState, hyperparameters: Hyperparameters, *, power: float = 1.0, dof_factor: float = 1.0
) -> list[Model]:
    """The numbers the kernels need, for every epoch."""
    h = hyperparameters
    return [
        Model(
            float(state.alpha),
            float(dof) * dof_factor,
            float(state.df_A),
            float(state.xi),
            float(state.kappa),
            float(state.new_scale),
            int(h.max_clusters or 0),
            h.geometry == "isotropic",
            state.similarity,
            float(power),
            float(state.tau),
            LIMIT,
        )
        for dof in h.dof_by_epoch(state.n_epochs)
    ]
