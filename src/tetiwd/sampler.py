"""One chain: Algorithm 1 of the paper, then the moves it lacks. The file to read first.

A :class:`Chain` holds a state, its random streams, its tuning and its draws; ``step`` is one sweep plus bookkeeping.
The model of moving centres has a state and moves of its own; all that a chain needs to know of a model is its
:class:`Kind`.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from math import exp, isnan
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.density import log_joint_of
from tetiwd.draws import Draws
from tetiwd.errors import Setting, SettingsError, give
from tetiwd.moves import (
    ASSIGNMENTS,
    EXCHANGE,
    GEOMETRY,
    LINKS,
    MOTION,
    OBJECTS,
    RELINK,
    SCALES,
    SPLIT_MERGE,
    SPLITS,
    VISITS,
    Move,
    Sweep,
    link_greedily,
)
from tetiwd.moves.scale import TARGET_ACCEPTANCE
from tetiwd.node_density import log_joint_of_nodes
from tetiwd.node_recording import extra_of, record_nodes
from tetiwd.node_start import start_nodes
from tetiwd.node_state import NodeState, motion_of
from tetiwd.params import SCALE_MOVES, Hyperparameters, SamplerSettings
from tetiwd.recording import learned_of, record
from tetiwd.start import start_chain
from tetiwd.state import ChainState, models_of

MOVES = (  # of one sweep, in this order
    ASSIGNMENTS,  # every object of every epoch (the paper's Algorithm 1)
    GEOMETRY,  # every row of every A_t (the paper's Algorithm 1)
    SPLIT_MERGE,  # whole clusters
    LINKS,  # which cluster of one epoch continues which of the epoch before
    EXCHANGE,  # links together with rows of A
    SCALES,  # alpha, xi, new_scale, and what else has a prior
)
MOVES_OF_SPREAD_EPOCHS = (  # of one sweep, if epochs may be on different machines
    VISITS,  # objects, rows of A_t and whole clusters: of all even epochs at once, then of all odd ones
    *MOVES[-3:],  # what links epochs, and what they have in common
)
MOVES_OF_CENTRES = (  # of one sweep of the model of moving centres
    OBJECTS,  # every object of every epoch
    SPLITS,  # whole lineages, or some epochs of them
    RELINK,  # which node belongs to which lineage
    MOTION,  # all parameters
)
Snapshot = tuple[dict[str, NDArray[Any]], dict[str, Any], Draws]  # the state, values that JSON keeps exactly, draws
SweepInfo = dict[str, NDArray[Any]]  # statistics that the moves of one sweep reported, by name
REBUILD_EVERY = 100  # sweeps after which cached sums are recomputed from the data
LOOK_SECONDS = 0.2


class Streams:
    """Independent random streams of one chain: one per epoch, one for what concerns all of them."""

    def __init__(self, seed: int, chain: int, n_epochs: int) -> None:
        sequence = np.random.SeedSequence(seed, spawn_key=(chain,))
        self.epochs = [np.random.default_rng(s) for s in sequence.spawn(n_epochs)]
        self.chain = np.random.default_rng(sequence.spawn(1)[0])

    @property
    def all(self) -> list[np.random.Generator]:
        """Every stream, in a fixed order."""
        return [*self.epochs, self.chain]


@dataclass
class Tuning:
    """Step sizes; they change during warm-up and stay fixed from then on."""

    steps: dict[str, float] = field(default_factory=lambda: dict.fromkeys(SCALE_MOVES, 0.3))

    def adapt(self, info: SweepInfo, sweep: int) -> None:
        """Nudge acceptance rates towards their targets, ever less."""
        gain = 2.0 / (1 + sweep) ** 0.6
        for name, rate in zip(self.steps, info["scale_acceptance"].tolist(), strict=True):
            if isnan(rate):  # the scale is fixed
                continue
            step = self.steps[name] * exp(gain * (rate - TARGET_ACCEPTANCE))
            self.steps[name] = min(max(step, 1e-4), 5.0)


State = ChainState | NodeState
R = TypeVar("R")


@dataclass(frozen=True)
class Kind:
    """What a chain needs to know of a model; functions of the state and the hyperparameters."""

    moves: Callable[[], tuple[Move, ...]]
    extra: Callable[[Hyperparameters], dict[str, str]]  # what is recorded besides statistics of moves, with axes
    start: Callable[..., Any]
    models: Callable[..., list[Any]]  # numbers for the kernels
    log_joint: Callable[[Any, Hyperparameters], float]
    record: Callable[..., None]
    link: Callable[[Any, Hyperparameters], None]  # epochs are coupled for the first time


def link_all(state: ChainState, hyperparameters: Hyperparameters) -> None:
    """Link clusters of all epochs greedily."""
    for t in range(state.n_epochs - 1):
        link_greedily(state, t, models_of(state, hyperparameters)[t])


LINKED = Kind(lambda: MOVES, learned_of, start_chain, models_of, log_joint_of, record, link_all)
MOVING = Kind(
    lambda: MOVES_OF_CENTRES,
    extra_of,
    start_nodes,
    lambda state, h, **how: [motion_of(state, h, **how)],
    log_joint_of_nodes,
    record_nodes,
    lambda state, h: None,  # lineages are what the state is made of
)


SPREAD = replace(LINKED, moves=lambda: MOVES_OF_SPREAD_EPOCHS)


def kind_of(hyperparameters: Hyperparameters, settings: SamplerSettings | None = None) -> Kind:
    """The kind of chain that a model needs: the one place where this is decided."""
    if settings is None or not settings.spread_epochs:
        return MOVING if hyperparameters.moves else LINKED
    if hyperparameters.moves:
        raise SettingsError(
            [Setting("spread_epochs", True), " needs a model in which the data of a time are read by themselves, and ",
             Setting("geometry", hyperparameters.geometry), " reads distances between times"],
            [give("geometry", "full")],
        )  # fmt: skip
    return SPREAD


def sweep(
    state: State,
    hyperparameters: Hyperparameters,
    settings: SamplerSettings,
    streams: Streams,
    tuning: Tuning,
    *,
    coupled: bool,
    power: float = 1.0,
    dof_factor: float = 1.0,
    pool: Executor | None = None,
) -> SweepInfo:
    """One sweep: objects and geometry of every epoch (the paper's Algorithm 1), then whole clusters, links, scales."""
    kind, h = kind_of(hyperparameters, settings), hyperparameters
    if not h.moves and h.coupling != coupled:
        h = replace(h, coupling=coupled)
    models = kind.models(state, h, power=power, dof_factor=dof_factor)
    now = Sweep(models, h, settings, streams.epochs, streams.chain, tuning.steps, coupled, power, dof_factor, pool)
    info: SweepInfo = {}
    for move in kind.moves():
        info |= move(state, now)
    return info


def axes_of_statistics(hyperparameters: Hyperparameters | None = None) -> dict[str, str]:
    """What is recorded with a draw besides its columns, and the axes of that; for the paper's model by default."""
    h = hyperparameters or Hyperparameters()
    kind = kind_of(h)
    return kind.extra(h) | {name: axis for move in kind.moves() for name, axis in move.reports.items()}


class Chain:
    """One Markov chain that can be stepped, stopped, saved and continued."""

    def __init__(
        self,
        series: DistanceSeries,
        hyperparameters: Hyperparameters,
        settings: SamplerSettings,
        index: int = 0,
        *,
        unit: float | None = None,
    ) -> None:
        self.hyperparameters, self.settings, self.index = hyperparameters, settings, index
        self.kind = kind_of(hyperparameters, settings)
        self.state: Any = self.begin(series, unit)
        self.streams = Streams(settings.seed, index, series.n_epochs)
        self.tuning = Tuning(dict.fromkeys(hyperparameters.scale_moves, 0.3))
        self.draws = no_draws(series.n_objects, hyperparameters, settings)
        self.pool: Executor | None = None  # threads for epochs that can be updated at the same time
        self.n_done = 0
        self.last_n_clusters = tuple(int(k) for k in self.state.n_clusters)
        self.last_log_joint = float("nan")
        self._looked = 0.0

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"pool": None, "kind": None}

    def __setstate__(self, values: dict[str, Any]) -> None:
        self.__dict__ |= values | {"kind": kind_of(values["hyperparameters"], values["settings"])}

    def begin(self, series: DistanceSeries, unit: float | None) -> Any:
        """The first state."""
        return self.kind.start(series, self.hyperparameters, self.settings, self.index, unit=unit)

    @property
    def finished(self) -> bool:
        """True when all draws have been recorded."""
        return self.n_done >= self.settings.n_sweeps

    def step(self) -> SweepInfo:
        """One sweep; tunes during warm-up, records afterwards."""
        s, i = self.settings, self.n_done
        n_apart = s.n_apart if self.state.across is None else 0  # what is known across time holds from the start
        coupled = self.hyperparameters.coupling and i >= n_apart
        if coupled and i == n_apart and isinstance(s.init, str):
            self.kind.link(self.state, self.hyperparameters)
        info = sweep(self.state, self.hyperparameters, s, self.streams, self.tuning, coupled=coupled, pool=self.pool)
        if i < s.n_warmup:
            self.tuning.adapt(info, i)
        elif (i - s.n_warmup) % s.thin == s.thin - 1:
            self.kind.record(self.draws, self.state, self.hyperparameters, info)
        if i % REBUILD_EVERY == REBUILD_EVERY - 1:
            self.state.rebuild()
        self.n_done += 1
        self._look(now=self.finished)
        return info

    def safely(self, work: Callable[[], R]) -> R:
        """Do something with the state that takes as long as many sweeps."""
        return work()

    def snapshot(self) -> Snapshot:
        """Everything that is needed to go on exactly from here."""
        values = {
            "n_done": self.n_done,
            "steps": self.tuning.steps,
            "streams": [rng.bit_generator.state for rng in self.streams.all],
        }
        return self.state.to_arrays(), values, self.draws

    def restore(self, arrays: dict[str, NDArray[Any]], values: dict[str, Any], draws: Draws) -> None:
        """Go on from a snapshot and the draws until then."""
        self.state.restore(arrays)
        self._check_state()
        self.draws = draws
        self.n_done = values["n_done"]
        self.tuning = Tuning(dict(values["steps"]))
        for rng, state in zip(self.streams.all, values["streams"], strict=True):
            rng.bit_generator.state = state
        self._look(now=True)

    def _check_state(self) -> None:
        """Raise a ValueError if no chain of this model can be in this state."""
        fault, values = self.state.structural_fault(), self.state.parameters
        for name, fixed in self.hyperparameters.fixed(values).items():
            fault = fault or ("" if values[name] == fixed else f"{name} is {values[name]}, not {fixed}")
        if fault:
            raise ValueError(fault)

    def _look(self, *, now: bool = False) -> None:
        """Note the state of the chain a few times a second, for progress reports."""
        if now or time.monotonic() - self._looked > LOOK_SECONDS:
            self.last_n_clusters = tuple(int(k) for k in self.state.n_clusters)
            self.last_log_joint = self.kind.log_joint(self.state, self.hyperparameters)
            self._looked = time.monotonic()


def no_draws(n_objects: Sequence[int], hyperparameters: Hyperparameters, settings: SamplerSettings) -> Draws:
    """The draws of a chain that has none yet."""
    every = 0 if hyperparameters.moves else settings.geometry_every
    return Draws(n_objects, axes_of_statistics(hyperparameters), geometry_every=every)


def run_chain(chain: Chain) -> Iterator[SweepInfo]:
    """Step a chain until it has finished; the caller may look at it after every sweep, or stop."""
    while not chain.finished:
        yield chain.step()
