"""Several chains: threads, progress, checkpoints, and stopping without losing anything."""

import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from tetiwd.annealing import anneal
from tetiwd.checkpoint import Keeper
from tetiwd.data import DistanceSeries
from tetiwd.data.memory import require_memory
from tetiwd.draws import Frozen
from tetiwd.errors import Setting, SettingsError, give
from tetiwd.pace import Clock, Progress, Report
from tetiwd.params import CHECKPOINT_SECONDS, Hyperparameters, SamplerSettings, check_whole
from tetiwd.sample import Sample
from tetiwd.sampler import Chain, run_chain
from tetiwd.start import start_chain
from tetiwd.threads import in_threads

WORTH_A_THREAD = 200  # objects of an epoch that takes longer to update than to hand to a thread
USUAL_CAPACITY = 32  # clusters per epoch that a state has room for once Ward's finest cut is in it


def run_chains(
    series: DistanceSeries,
    hyperparameters: Hyperparameters | None = None,
    settings: SamplerSettings | None = None,
    *,
    n_threads: int | None = None,
    progress: Report | bool | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    resume: bool = False,
) -> Sample:
    """Run all chains and say whether they agree.

    Parameters
    ----------
    series, hyperparameters, settings
        Data, model, and how to sample. Scales in the hyperparameters are in units of ``series.unit``; degrees of
        freedom given as "auto" and the like are estimated first, and the sample says what was used.
    n_threads
        Threads in all; None for one per processor. With two threads per chain or more, large epochs of a chain are
        updated at the same time as well. The draws do not depend on it.
    progress
        True shows a bar for every chain with the time left. Or a function, called a few times a second with where
        every chain is. If it returns True all chains stop after their current sweep, and what was drawn is returned;
        so does Ctrl-C.
    checkpoint
        Folder for one file per chain, written every ``checkpoint_seconds`` and at the end.
    resume
        Continue from those files. The result is the same as without interruption. A finished run is extended
        if ``settings.n_draws`` has grown.
    """
    hyperparameters, settings = resolved(hyperparameters or Hyperparameters(), series), settings or SamplerSettings()
    n_threads = n_processors() if n_threads is None else n_threads
    check_whole("n_threads", n_threads, 1)
    if resume and checkpoint is None:
        raise SettingsError([Setting("resume", True), " needs the folder with the checkpoints"], give("checkpoint"))
    if not checkpoint_seconds >= 0:
        raise SettingsError([Setting("checkpoint_seconds"), f" must be 0 or more, not {checkpoint_seconds!r}"])
    check_run(series, hyperparameters, settings)
    chains = [Chain(series, hyperparameters, settings, index) for index in range(settings.n_chains)]
    keeper = None if checkpoint is None else Keeper(Path(checkpoint), series, chains, checkpoint_seconds)
    if keeper:
        keeper.open(resume=resume)
    with pools_for_epochs(chains, n_threads), watched_by(progress) as report:
        frozen = _run_all(chains, keeper, n_threads, report)
    complete = all(chain.finished for chain in chains)
    draws = [chain.draws for chain in chains]
    remarks = tuple(keeper.remarks) if keeper else ()
    return Sample(series, hyperparameters, settings, draws, frozen, complete, remarks)


def check_run(series: DistanceSeries, hyperparameters: Hyperparameters, settings: SamplerSettings) -> None:
    """Refuse a run that memory cannot hold, or that cannot start from the labels given."""
    require_memory(
        bytes_of_chains(series.n_objects, settings),
        f"running {settings.n_chains} chains of {settings.n_draws} draws over {sum(series.n_objects)} objects",
        ["ask for fewer chains (", Setting("n_chains"), ") or fewer draws (", Setting("n_draws"), ")"],
    )
    if not isinstance(settings.init, str):
        start_chain(series, hyperparameters, settings, 0, unit=None)


def resolved(hyperparameters: Hyperparameters, series: DistanceSeries) -> Hyperparameters:
    """The same with numbers for degrees of freedom, estimated from the series if they were asked for by name."""
    if not isinstance(hyperparameters.dof, str):
        return hyperparameters
    return replace(hyperparameters, dof=series.dof(hyperparameters.dof))


@contextmanager
def watched_by(progress: Report | bool | None) -> Iterator[Report | None]:
    """A function to report progress to; True stands for bars on the terminal."""
    if not isinstance(progress, bool):
        yield progress
    elif not progress:
        yield None
    else:
        from tetiwd.progress import ProgressBar

        with ProgressBar() as bar:
            yield bar


def n_processors() -> int:
    """Processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def pools_for_epochs(chains: list[Chain], n_threads: int) -> Iterator[None]:
    """Give chains the threads that are left over, where epochs are large enough to make use of them."""
    n_each = n_threads // len(chains)
    worthwhile = n_each > 1 and chains[0].state.n_epochs > 1 and np.mean(chains[0].draws.n_objects) >= WORTH_A_THREAD
    with ExitStack() as stack:
        for chain in chains if worthwhile else []:
            chain.pool = stack.enter_context(ThreadPoolExecutor(n_each, thread_name_prefix="tetiwd-epoch"))
        try:
            yield
        finally:
            for chain in chains:
                chain.pool = None


def bytes_of_chains(n_objects: Sequence[int], settings: SamplerSettings) -> int:
    """Memory of all chains beyond the data, roughly: row sums and assignments, and every draw's labels and A."""
    n, n_states = sum(n_objects), 1 if settings.anneal is None else 2  # annealing works on a copy
    states = n_states * 8 * n * (USUAL_CAPACITY + 1)
    draws = 2 * 2 * n * settings.n_draws  # two bytes per label, and once more as one array
    if settings.geometry_every:
        draws += 8 * len(n_objects) * USUAL_CAPACITY**2 * (settings.n_draws // settings.geometry_every + 1)
    return settings.n_chains * (states + draws)


def _run_all(
    chains: list[Chain],
    keeper: Keeper | None,
    n_threads: int,
    progress: Report | None,
) -> list[Frozen]:
    """Run chains in threads while reporting; returns their frozen partitions, none if they were stopped."""
    stop = threading.Event()
    clocks = [Clock() for _ in chains]

    def work(chain: Chain) -> Frozen | None:
        for _ in run_chain(chain):
            clocks[chain.index].tick(chain.n_done)
            if keeper:
                keeper.save_if_due(chain)
            if stop.is_set():
                break
        if keeper:
            keeper.save_if_due(chain, now=True)
        frozen = anneal(chain, stop.is_set) if chain.finished and chain.settings.anneal else None
        clocks[chain.index].stopped = chain.finished
        return frozen

    def report() -> bool:
        return bool(progress and progress([where_is(*pair) for pair in zip(chains, clocks, strict=True)]))

    frozen = in_threads(work, chains, n_threads, report, stop)
    return [one for one in frozen if one is not None] if None not in frozen else []


def where_is(chain: Chain, clock: Clock, n_sweeps: int | None = None) -> Progress:
    """How far a chain has come, of all its sweeps or of so many."""
    done, total, pace = chain.n_done, n_sweeps or chain.settings.n_sweeps, clock.seconds_per_sweep()
    left = 0.0 if done >= total else None if pace is None else pace * (total - done)
    return Progress(
        chain=chain.index,
        n_done=done,
        n_sweeps=total,
        warming_up=done < chain.settings.n_warmup,
        n_clusters=chain.last_n_clusters,
        log_joint=chain.last_log_joint,
        seconds_left=left,
        seconds_per_sweep=pace,
        done=clock.stopped,
    )
