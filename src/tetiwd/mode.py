"""The mode: the most probable clustering that a few short annealed chains find, within seconds. No posterior.

Every chain takes its first sweeps as it would in a whole run, then a copy of it is annealed; the copy with the highest
joint density is the mode. The chains themselves are left where they are, each at its own place, so that a run that
goes on from their checkpoints draws what it would have drawn without the look.
"""

import threading
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

from tetiwd.annealing import cool, frozen_at
from tetiwd.chains import check_run, pools_for_epochs, warn_if_slow, watched_by
from tetiwd.checkpoint import Keeper
from tetiwd.choosing import choose
from tetiwd.data import DistanceSeries
from tetiwd.declare import Settings, check_whole, declarations
from tetiwd.draws import Draws, Frozen
from tetiwd.errors import Setting, SettingsError
from tetiwd.pace import Clock, Report
from tetiwd.params import Hyperparameters, SamplerSettings
from tetiwd.rounds import where_is
from tetiwd.sample import Mode
from tetiwd.sampler import Chain
from tetiwd.threads import in_threads, n_processors

LEAST_SWEEPS = 60  # of every chain before it is annealed
LEAST_LINKED = 10  # of them with links through time
N_ANNEAL = 20
HEEDED = frozenset(
    (
        *("n_chains", "n_uncoupled", "n_aux", "n_geometry_steps", "n_split_merge", "n_scale_steps", "init", "seed"),
        *("min_size", "links"),  # of the answers
    )
)
FAST = Setting("fast", True, python='mode="fast"')


def check_heeded(*groups: Settings) -> None:
    """Refuse settings that have no effect on a mode."""
    for group in groups:
        usual, names = type(group)(), [one.name for one in declarations(type(group))]
        unusual = [name for name in names if name not in HEEDED and getattr(group, name) != getattr(usual, name)]
        if unusual:  # the last one: those before may follow from it, as the warm-up from the number of draws
            raise has_no_effect(unusual[-1], getattr(group, unusual[-1]))


def has_no_effect(name: str, value: Any) -> SettingsError:
    """A setting was given that a mode does not depend on."""
    fault = " has no effect on a quick look, which takes no draws"
    return SettingsError([Setting(name, value), fault], ["leave it out, or leave out ", FAST])


def find_mode(
    series: DistanceSeries,
    hyperparameters: Hyperparameters | None = None,
    settings: SamplerSettings | None = None,
    *,
    n_threads: int | None = None,
    progress: Report | bool | None = None,
    checkpoint: str | Path | None = None,
) -> Mode | None:
    """The best of several annealed chains, or None if they were stopped, by Ctrl-C or because ``progress`` said so.

    Parameters
    ----------
    series, hyperparameters, settings, n_threads, progress
        As for :func:`tetiwd.run_chains`. The settings must be those that have an effect: the number of chains, their
        start, their seed, and what they do in a sweep. The mode does not depend on the number of threads.
    checkpoint
        Folder for one file per chain, from which :func:`tetiwd.run_chains` can go on.
    """
    settings = settings or SamplerSettings()
    n_threads = n_processors() if n_threads is None else n_threads
    check_whole("n_threads", n_threads, 1)
    choice = choose(hyperparameters or Hyperparameters(), series, settings, n_threads=n_threads)
    h = choice.hyperparameters
    check_mode(series, h, settings)
    warn_if_slow()
    chains = [Chain(series, h, settings, index) for index in range(settings.n_chains)]
    keeper = None if checkpoint is None else Keeper(Path(checkpoint), series, chains, inf)
    if keeper:
        keeper.open(resume=False)
    with pools_for_epochs(chains, n_threads), watched_by(progress) as report:
        frozen = _freeze_all(chains, keeper, n_threads, report)
    if frozen is None:
        return None
    starts = tuple(one for one, _ in frozen)
    best = max(range(len(starts)), key=lambda i: starts[i].log_joint)
    return Mode(series, h, settings, starts, frozen[best][1], choice.resolution, choice.reasons)


def check_mode(series: DistanceSeries, hyperparameters: Hyperparameters, settings: SamplerSettings) -> None:
    """Refuse settings without effect, and what memory cannot hold."""
    check_heeded(settings)
    check_run(series, hyperparameters, replace(settings, n_draws=1))


def sweeps_of(settings: SamplerSettings) -> int:
    """Sweeps of a chain before it is annealed."""
    return max(LEAST_SWEEPS, settings.n_apart + LEAST_LINKED)


def _freeze_all(
    chains: list[Chain], keeper: Keeper | None, n_threads: int, progress: Report | None
) -> list[tuple[Frozen, Draws]] | None:
    """Run and freeze chains in threads while reporting; None if they were stopped."""
    stop = threading.Event()
    clocks = [Clock() for _ in chains]
    n_sweeps = sweeps_of(chains[0].settings)

    def work(chain: Chain) -> tuple[Frozen, Draws] | None:
        while chain.n_done < n_sweeps and not stop.is_set():
            chain.step()
            clocks[chain.index].tick(chain.n_done)
        if keeper:
            keeper.save_if_due(chain, now=True)
        if chain.n_done < n_sweeps:
            return None
        found = _frozen(chain, stop)
        clocks[chain.index].stopped = found is not None
        return found

    def report() -> bool:
        where = [where_is(*pair, n_sweeps) for pair in zip(chains, clocks, strict=True)]
        return bool(progress and progress(where))

    frozen = in_threads(work, chains, n_threads, report, stop)
    found = [one for one in frozen if one is not None]
    return found if len(found) == len(chains) else None


def _frozen(chain: Chain, stop: threading.Event) -> tuple[Frozen, Draws] | None:
    """A copy of a chain, annealed: its partition, and all of it as a draw."""
    cooled = cool(chain, replace(chain.settings, anneal="posterior", n_anneal=N_ANNEAL), stop.is_set)
    if cooled is None:
        return None
    h = chain.hyperparameters
    state = Draws(chain.draws.n_objects, chain.kind.extra(h), geometry_every=0 if h.moves else 1)
    chain.kind.record(state, cooled[0], chain.hyperparameters, {})
    return frozen_at(*cooled, chain.hyperparameters), state
