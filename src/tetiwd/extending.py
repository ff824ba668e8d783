"""A run goes on with new epochs: chains go through the draws of the earlier run and sample all epochs from there.

Degrees of freedom, geometry, priors and the unit of scale are those of the earlier run; to choose them anew would
change what clusters mean. New epochs are first clustered by themselves, from Ward cuts that differ by chain, and then
linked.

Earlier draws are nearly draws from the posterior of all data: new epochs say little about old ones, and less the older
they are. So a chain goes to the next draw of the earlier run every few draws, keeps its new epochs and its scales, and
settles before it records: first some sweeps of the last few epochs, then sweeps of all of them. That is many short
chains in a row, each of them with the right stationary law and a start close to it. What is left of the start falls
with every sweep; ``refresh=False`` leaves it out, and chains only begin at an earlier draw. Once all earlier draws have
been used, chains go on without.

Epochs can be held: they are changed by earlier draws only. Then new data say nothing about them (a cut).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.chains import check_run, run_chains
from tetiwd.data import DistanceSeries
from tetiwd.data.joining import Joined, from_epoch, join
from tetiwd.draws import Draws
from tetiwd.errors import DataError, Setting, SettingsError
from tetiwd.moves import link_greedily, update_geometry
from tetiwd.node_state import NodeState, all_distances, start_parameters
from tetiwd.pace import Report
from tetiwd.params import Hyperparameters, SamplerSettings
from tetiwd.priors import Gamma
from tetiwd.sample import Sample
from tetiwd.sampler import Chain, State, Streams, SweepInfo, sweep
from tetiwd.start import coarseness, link_by_label, ward_labels
from tetiwd.state import ChainState, Floats, Ints, models_of, start_values

N_APART = 50  # sweeps of new epochs by themselves
N_WARMUP = 30  # sweeps after that, before draws
N_RECENT = 3  # old epochs that settle together with the new ones
N_SETTLE = 6  # sweeps of these after every step to the next earlier draw
N_SETTLE_NODES = 10  # the same for moving centres, whose sweeps are always of all epochs
N_SETTLE_ROWS = 5  # passes over A_t of all epochs before that, if they are not those of the draw
DRAWS_EACH = 2  # recorded from every earlier draw
DRAWS_AT_ONCE = 50  # earlier draws, at least, from the first to the last of an earlier chain, before those between
IN_UNITS = ("alpha", "new_scale", "shift")  # parameters that draws have in the units of the user


@dataclass(frozen=True)
class Extension:
    """A run with new epochs that is ready to begin."""

    sample: Sample  # of the earlier run
    joined: Joined
    hyperparameters: Hyperparameters
    settings: SamplerSettings
    refresh: bool = True  # go through the earlier draws, or only start at one

    @property
    def series(self) -> DistanceSeries:
        """All epochs, earlier ones first."""
        return self.joined.series

    @property
    def reasons(self) -> tuple[str, ...]:
        """What was not chosen anew, in sentences."""
        times, n_old = self.series.times, self.joined.n_old
        added = ", ".join(str(time) for time in times[n_old:])
        how = "its chains go through the draws of that run" if self.refresh else "its chains start at draws of that run"
        said = (
            f"This run extends an earlier one by {added}. Degrees of freedom, model and unit were chosen for that run, "
            f"and {how.replace('that run', 'it')}."
        )
        if not self.settings.n_held:
            return (said,)
        last = times[self.settings.n_held - 1]
        held = (
            f"Clusters up to {last} are those of the earlier draws: an approximation, as new data do not change them."
        )
        return said, held

    def chain(self, index: int) -> "ExtendedChain":
        """A chain at its start."""
        return ExtendedChain(self, index)

    def start(self, index: int) -> State:
        """Where a chain begins."""
        draws, visits = self.drawn(index), self.visits(index)
        start = start_of_nodes if self.hyperparameters.moves else start_of_epochs
        return start(self, index, draws, visits[0] if self.refresh else max(with_geometry(draws)))

    def drawn(self, index: int) -> Draws:
        """The draws of the earlier run that a chain goes through: those of one chain."""
        return self.sample.draws[index % len(self.sample.draws)]

    def visits(self, index: int) -> list[int]:
        """These draws in the order in which the chain goes to them: first those whose A_t are known, then the others.
        Held epochs keep their A_t, so there are no others then."""
        draws = self.drawn(index)
        known = with_geometry(draws)
        others = [] if self.settings.n_held else sorted(set(range(len(draws))) - set(known))
        return [group[i] for group in (known, others) for i in spread_out(len(group))]


class ExtendedChain(Chain):
    """A chain over earlier and new epochs that goes to the next earlier draw every few draws."""

    def __init__(self, extension: Extension, index: int) -> None:
        settings = extension.settings
        super().__init__(extension.series, extension.hyperparameters, replace(settings, init="one"), index)
        self.settings, self.extension = settings, extension
        self.state = extension.start(index)
        self.n_done = 1  # the start counts: nothing is linked anew
        moves, n_old = extension.hyperparameters.moves, extension.joined.n_old
        self.n_settle = N_SETTLE_NODES if moves else N_SETTLE
        n_held = 0 if moves else max(settings.n_held, n_old - N_RECENT)
        self.of_recent = replace(settings, n_held=n_held)
        self.earlier, self.visits = extension.drawn(index), extension.visits(index)

    def step(self) -> SweepInfo:
        """One sweep, after others that are not recorded if it is time for the next earlier draw."""
        n, each = self.n_done - self.settings.n_warmup, DRAWS_EACH * self.settings.thin
        if n < 0 and self.extension.refresh:
            return self._warm_up()
        if self.extension.refresh and n >= 0 and n % each == 0:
            which = n // each
            if which < len(self.visits) or self.settings.n_held:
                self._go_to(self.visits[which % len(self.visits)])
        return super().step()

    def _warm_up(self) -> SweepInfo:
        """One sweep of the last epochs."""
        self.settings = self.of_recent
        try:
            return super().step()
        finally:
            self.settings = self.extension.settings

    def _go_to(self, i: int) -> None:
        """Take earlier epochs and parameters from a draw, keep the new epochs, and settle."""
        h, earlier = self.hyperparameters, self.earlier
        self.state = (nodes_at if h.moves else epochs_at)(self.extension, self.state, earlier, i)
        if h.full and i not in earlier.with_geometry:
            models, rngs = models_of(self.state, h), self.streams.epochs
            update_geometry(self.state, models, N_SETTLE_ROWS, rngs, coupled=h.coupling, pool=self.pool)
        for _ in range(self.n_settle):
            sweep(
                self.state,
                self.hyperparameters,
                self.of_recent,
                self.streams,
                self.tuning,
                coupled=self.hyperparameters.coupling,
                pool=self.pool,
            )


def prepare(
    sample: Sample,
    new: DistanceSeries,
    settings: SamplerSettings | None = None,
    *,
    hold_before: Any = None,
    refresh: bool = True,
) -> Extension:
    """Join the data, and see that the earlier run can go on with them; see :func:`extend`."""
    if not sample.draws or not min(map(len, sample.draws)):
        raise SettingsError("the earlier run has no draws to go on from", "continue it first")
    if sample.series.ties is not None or new.ties is not None:
        raise SettingsError("a run with constraints cannot be extended, nor any run by them", "fit all times anew")
    joined = join(sample.series, new)
    n_new, dof = joined.series.n_epochs - joined.n_old, sample.hyperparameters.dof_by_epoch(joined.n_old)
    h = replace(sample.hyperparameters, dof=(*dof, *[float(np.median(dof))] * n_new))
    if h.moves and joined.series.cross is None:
        raise DataError(
            "distances between earlier and new objects are not known, and the model of the earlier run needs them",
            "give data that have the earlier times as well, unchanged",
        )
    n_held = _n_held(joined, hold_before)
    if n_held and h.moves:
        raise SettingsError(
            [Setting("hold_before"), " is for the paper's model: moving centres belong to all times"],
            ["leave out ", Setting("hold_before")],
        )
    if n_held and not refresh:
        raise SettingsError(
            [Setting("hold_before"), " takes earlier times from earlier draws"],
            ["leave out ", Setting("refresh", False)],
        )
    given = replace(settings or sample.settings, n_warmup=N_WARMUP, n_uncoupled=0, init="ward", n_held=n_held)
    if refresh and given.automatic:
        given = replace(given, n_discarded=0)  # chains that go to earlier draws have nothing to forget
    check_run(joined.series, h, given)
    return Extension(sample, joined, h, given, refresh)


def extend(
    sample: Sample,
    new: DistanceSeries,
    settings: SamplerSettings | None = None,
    *,
    hold_before: Any = None,
    refresh: bool = True,
    n_threads: int | None = None,
    progress: Report | bool | None = None,
) -> Sample:
    """Add time points to a run without beginning from scratch.

    Degrees of freedom, geometry and unit stay as they are; a new time has the median degrees of freedom.

    Parameters
    ----------
    sample : Sample
        The earlier run.
    new : DistanceSeries
        The new epochs; those of the earlier run may be among them, unchanged.
    settings : SamplerSettings, optional
        How to sample; None for the way of the earlier run. The warm-up is that of an extension in any case.
    hold_before : time, optional
        A time: clusters of all times before it stay as the earlier draws have them, an approximation. None holds none.
    refresh : bool
        True lets chains go through the earlier draws, which takes a fraction of the sweeps. False starts every chain at
        an earlier draw and leaves it alone from then on.
    n_threads, progress : int, bool or callable, optional
        As for :func:`tetiwd.run_chains`.

    Returns
    -------
    Sample
        Draws of all time points, old and new.

    Examples
    --------
    >>> from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings, extend, run_chains, simulate_separated
    >>> D = simulate_separated(seed=1).D
    >>> first = DistanceSeries.from_distances(D[:4], squared=True, times=[2020, 2021, 2022, 2023])
    >>> sample = run_chains(first, Hyperparameters(dof=100), SamplerSettings(n_chains=2, n_warmup=50, n_draws=50))
    >>> new = DistanceSeries.from_distances(D[4:], squared=True, times=[2024])
    >>> extend(sample, new).series.times
    (2020, 2021, 2022, 2023, 2024)
    """
    extension = prepare(sample, new, settings, hold_before=hold_before, refresh=refresh)
    found = run_chains(
        extension.series,
        extension.hyperparameters,
        extension.settings,
        n_threads=n_threads,
        progress=progress,
        begin=extension.chain,
    )
    remarks = (*extension.joined.remarks, *found.remarks)
    return replace(found, reasons=(*extension.reasons, *sample.reasons), remarks=remarks)


def start_of_epochs(extension: Extension, index: int, draws: Draws, i: int) -> ChainState:
    """A draw for the earlier epochs; new ones clustered by themselves, then linked."""
    h, n_old = extension.hyperparameters, extension.joined.n_old
    state = _with_draw(extension, _apart(extension, index, draws, i), 0, draws, i)
    for t in range(n_old - 1, state.n_epochs - 1) if h.coupling else ():
        link_greedily(state, t, models_of(state, h)[t])
    return state


def epochs_at(extension: Extension, state: ChainState, draws: Draws, i: int) -> ChainState:
    """Another draw for the earlier epochs and the scales. Links to the new epochs stay with the clusters of the same
    objects."""
    n_old = extension.joined.n_old
    fresh = _with_draw(extension, state, n_old, draws, i)
    if not extension.hyperparameters.coupling:
        return fresh
    for t in range(n_old, state.n_epochs - 1):
        fresh.forward[t, : state.capacity] = state.forward[t]
        fresh.back[t + 1, : state.capacity] = state.back[t + 1]
    for c, d in same_objects(state.z[n_old - 1], fresh.z[n_old - 1]):
        f = int(state.forward[n_old - 1, c])
        if f >= 0:
            fresh.forward[n_old - 1, d], fresh.back[n_old, f] = f, d
    return fresh


def start_of_nodes(extension: Extension, index: int, draws: Draws, i: int) -> NodeState:
    """A draw for the earlier epochs; Ward's clusters of a new one join the lineages whose places are nearest."""
    series, n_old = extension.series, extension.joined.n_old
    labels = draws.labels[i].astype(np.int64)
    cross, first = all_distances(series), np.concatenate([[0], np.cumsum(series.n_objects)])
    for t in range(n_old, series.n_epochs):
        columns, recent = np.arange(first[t], first[t + 1]), np.arange(first[max(0, t - 2)], first[t])
        clusters = ward_labels(series.matrices[t], coarseness(index, extension.settings.n_chains))
        labels = np.concatenate([labels, _nearest_lineages(cross, labels, recent, columns, clusters)])
    return _nodes(extension, labels, draws, i)


def nodes_at(extension: Extension, state: NodeState, draws: Draws, i: int) -> NodeState:
    """Another draw for the earlier epochs and the parameters. New objects stay with the lineages of the same earlier
    objects."""
    n = sum(extension.series.n_objects[: extension.joined.n_old])
    labels = draws.labels[i].astype(np.int64)
    named = np.unique(labels)
    lineage = int(labels.max()) + 1 + np.arange(int(state.z.max()) + 1)  # of those that the draw does not have
    for c, d in same_objects(state.z[:n], np.searchsorted(named, labels)):
        lineage[c] = named[d]
    return _nodes(extension, np.concatenate([labels, lineage[state.z[n:]]]), draws, i)


def with_geometry(draws: Draws) -> range:
    """Draws whose A_t are known; all of them if none are."""
    return draws.with_geometry or range(len(draws))


def spread_out(n: int) -> list[int]:
    """The numbers below n in several passes, each from the beginning to the end: a chain that mixed slowly is seen to
    have done so, which would be hidden by any other order."""
    stride = max(1, n // DRAWS_AT_ONCE)
    return [i for first in range(stride) for i in range(first, n, stride)]


def same_objects(mine: Ints, theirs: Ints) -> list[tuple[int, int]]:
    """Clusters of two partitions of the same objects, matched so that most objects agree."""
    from scipy.optimize import linear_sum_assignment

    both = np.zeros((int(mine.max()) + 1, int(theirs.max()) + 1), dtype=np.int64)
    np.add.at(both, (mine, theirs), 1)
    pairs = zip(*linear_sum_assignment(both, maximize=True), strict=True)
    return [(int(c), int(d)) for c, d in pairs if both[c, d] > 0]


def _with_draw(extension: Extension, state: ChainState, first: int, draws: Draws, i: int) -> ChainState:
    """Earlier epochs and scales of a draw, with the new epochs of a state that has them from one on; not yet linked
    to each other."""
    h, series, n_old = extension.hyperparameters, extension.series, extension.joined.n_old
    labels = [draws.labels_at(t)[i].astype(np.int64) for t in range(n_old)]
    slots = [np.unique(labels_t, return_inverse=True)[1] for labels_t in labels]
    fresh = ChainState(series, [*slots, *state.z[first:]], unit=series.unit, capacity=state.capacity)
    start_values(fresh, h)
    _set_values(fresh, draws, i, series.unit)
    geometry = _geometry(draws, i, slots) if h.full else None
    for t in range(series.n_epochs):
        k = int(fresh.size[t, 0])
        fresh.A[t, range(k), range(k)] = fresh.new_scale
        if t >= n_old:
            s = t - n_old + first
            fresh.spreads[t, :k] = state.spreads[s, :k]
            if h.full:
                fresh.A[t, :k, :k] = state.A[s, :k, :k]
        elif geometry:
            c, A = geometry[t]
            fresh.A[t][np.ix_(c, c)] = A / series.unit
    if fresh.tau > 0:
        own, end = draws.array("log_spreads")[i], 0
        for t in range(n_old):
            begin, end = end, end + len(fresh.z[t])
            fresh.spreads[t, fresh.z[t]] = np.exp(own[begin:end] / 1000)
    if h.coupling:
        link_by_label(fresh, labels)
    return fresh


def _apart(extension: Extension, index: int, draws: Draws, i: int) -> ChainState:
    """New epochs clustered by themselves, with the scales of a draw."""
    h, s, n_old = extension.hyperparameters, extension.settings, extension.joined.n_old
    series, values = from_epoch(extension.series, n_old), _values(draws, i, extension.series.unit)
    fixed: dict[str, Any] = {
        name: values[name] for name in ("alpha", "xi", "new_scale") if isinstance(getattr(h, name), Gamma)
    }
    dof = h.dof_by_epoch(extension.series.n_epochs)[n_old:]
    model = replace(h, dof=dof, coupling=False, kappa=1.0, **fixed)
    chain = Chain(series, model, replace(s, n_held=0), index)
    chain.streams = Streams(s.seed, 2 * s.n_chains + index, series.n_epochs)  # that nobody else uses
    for _ in range(N_APART):
        chain.step()
    state: ChainState = chain.state
    return state


def _nodes(extension: Extension, labels: Ints, draws: Draws, i: int) -> NodeState:
    """The lineages of all objects, with the parameters and spreads of a draw."""
    series = extension.series
    state = NodeState(series, np.unique(labels, return_inverse=True)[1], unit=series.unit)
    start_parameters(state, extension.hyperparameters)
    _set_values(state, draws, i, series.unit)
    state.spreads[: state.size[0]] = state.alpha
    if state.tau > 0:
        own = draws.array("log_spreads")[i]
        state.spreads[state.z[: len(own)]] = state.alpha * np.exp(own / 1000)
    return state


def _values(draws: Draws, i: int, unit: float) -> dict[str, float]:
    """Parameters of a draw, in units of the data."""
    learned = [name for name in ("kappa", "df_A", "tau", "rho", "delta", "shift") if name in draws.axes]
    names = ["alpha", "xi", "new_scale", *learned]
    return {name: float(draws.array(name)[i]) / (unit if name in IN_UNITS else 1.0) for name in names}


def _set_values(state: State, draws: Draws, i: int, unit: float) -> None:
    for name, value in _values(draws, i, unit).items():
        setattr(state, name, value)


def _geometry(draws: Draws, i: int, slots: Sequence[Ints]) -> list[tuple[Ints, Floats]] | None:
    """Clusters of a draw and their rows of A_t at every epoch. If it has none, the rows of the same clusters in the
    nearest draw that has them."""
    kept = draws.with_geometry
    if not kept:
        return None
    j = min(kept, key=lambda j: abs(i - j))
    geometry = draws.geometry[kept.index(j)]
    if i == j:
        return [(np.arange(len(A)), A) for A in geometry]
    found = []
    for t, A in enumerate(geometry):
        there = np.unique(draws.labels_at(t)[j], return_inverse=True)[1]
        c, d = np.array(same_objects(slots[t], there)).T
        found.append((c, A[np.ix_(d, d)]))
    return found


def _nearest_lineages(cross: Any, labels: Ints, recent: Ints, columns: Ints, clusters: Ints) -> Ints:
    """Lineages for new clusters: one to one those with the nearest means, as far as there are any; then new ones."""
    from scipy.optimize import linear_sum_assignment

    lineages = np.unique(labels[recent])
    theirs = [recent[labels[recent] == g] for g in lineages]
    mine = [columns[clusters == g] for g in range(int(clusters.max()) + 1)]
    between = np.array([[_mean(cross, a, b) for b in theirs] for a in mine])
    between -= np.array([_mean(cross, b, b) for b in theirs]) / 2  # what is left differs from cluster to cluster only
    lineage = int(labels.max()) + 1 + np.arange(len(mine))
    rows, places = linear_sum_assignment(between)
    lineage[rows] = lineages[places]
    return lineage[clusters]


def _mean(cross: Any, some: Ints, others: Ints) -> float:
    block: NDArray[Any] = np.asarray(cross[np.ix_(some, others)])
    return float(block.mean(dtype=float))


def _n_held(joined: Joined, before: Any) -> int:
    """How many epochs are before a time."""
    if before is None:
        return 0
    times = list(map(str, joined.series.times))
    if str(before) not in times:
        raise SettingsError(
            [Setting("hold_before", before), " is no time of these data"], f"there are {', '.join(times)}"
        )
    n = times.index(str(before))
    if n > joined.n_old:
        raise SettingsError([Setting("hold_before", before), " would hold new times"], "give an earlier one")
    return n
