"""Several chains: threads, progress, checkpoints, and stopping without losing anything."""

import hashlib
import json
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from tetiwd.annealing import Frozen, anneal
from tetiwd.data import DistanceSeries
from tetiwd.data.memory import require_memory
from tetiwd.draws import Draws
from tetiwd.errors import CheckpointError, Setting, SettingsError, Text, give
from tetiwd.io.checkpoint import fingerprint, has_checkpoint, read_checkpoint, write_checkpoint
from tetiwd.params import Hyperparameters, SamplerSettings, check_whole
from tetiwd.sampler import Chain, run_chain
from tetiwd.start import start_chain
from tetiwd.summarize.diagnostics import Diagnostics, diagnose

POLL_SECONDS = 0.2
WORTH_A_THREAD = 200  # objects of an epoch that takes longer to update than to hand to a thread
USUAL_CAPACITY = 32  # clusters per epoch that a state has room for once Ward's finest cut is in it


@dataclass(frozen=True)
class Progress:
    """Where one chain is."""

    chain: int
    n_done: int
    n_sweeps: int
    warming_up: bool
    n_clusters: tuple[int, ...]
    log_joint: float
    seconds_left: float | None  # None until the chain has taken a sweep or two
    seconds_per_sweep: float | None = None  # the same
    done: bool = False  # sampled, and a partition frozen if that was asked for


Report = Callable[[Sequence[Progress]], bool | None]


@dataclass(frozen=True, repr=False)
class Sample:
    """What all chains drew."""

    series: DistanceSeries
    hyperparameters: Hyperparameters
    settings: SamplerSettings
    draws: list[Draws]  # one per chain
    diagnostics: Diagnostics
    frozen: list[Frozen]  # one per chain, empty if annealing was not asked for or the run was stopped
    complete: bool  # False if it was stopped early
    remarks: tuple[str, ...]  # what the user should know, such as a damaged checkpoint

    def __repr__(self) -> str:
        return f"Sample({len(self.draws)} chains × {min(map(len, self.draws))} draws; {self.diagnostics.verdict})"

    def with_draws(self, fewest: int) -> "Sample | None":
        """The chains with at least so many draws, as a run that was stopped early has them; None if there are none."""
        kept = [draws for draws in self.draws if len(draws) >= fewest]
        if len(kept) == len(self.draws):
            return self
        if not kept:
            return None
        n = len(self.draws) - len(kept)
        remark = f"{n} of {len(self.draws)} chains had not begun to draw when the run was stopped."
        diagnostics = diagnose(kept, self.series.times, self.settings.seed)
        return replace(self, draws=kept, frozen=[], diagnostics=diagnostics, remarks=(*self.remarks, remark))

    @property
    def best_frozen(self) -> Frozen:
        """The annealed partition with the highest joint density among the chains."""
        if not self.frozen:
            raise SettingsError("no partition was frozen", ["run to the end, with ", Setting("anneal")])
        return max(self.frozen, key=lambda frozen: frozen.log_joint)


def run_chains(
    series: DistanceSeries,
    hyperparameters: Hyperparameters | None = None,
    settings: SamplerSettings | None = None,
    *,
    n_threads: int | None = None,
    progress: Report | bool | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = 60.0,
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
    diagnostics = diagnose(draws, series.times, settings.seed)
    remarks = tuple(keeper.remarks) if keeper else ()
    return Sample(series, hyperparameters, settings, draws, diagnostics, frozen, complete, remarks)


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
    """Whoever wants to be told of progress; True stands for bars on the terminal."""
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


class Keeper:
    """Writes and reads the checkpoint of every chain."""

    def __init__(self, folder: Path, series: DistanceSeries, chains: list[Chain], seconds: float) -> None:
        self.folder, self.chains, self.seconds = folder, chains, seconds
        self.remarks: list[str] = []
        settings = _as_text(asdict(chains[0].settings))
        for name in ("n_draws", "anneal", "n_anneal"):  # a run may be extended, and frozen in another way
            del settings[name]
        self.about = {
            "data": {"hash": fingerprint(series)[:16]},
            "hyperparameters": _as_text(asdict(chains[0].hyperparameters)),
            "settings": settings,
        }
        self._written = [time.monotonic()] * len(chains)

    def open(self, *, resume: bool) -> None:
        """Continue the chains from their files, or make sure that files can be written and none is overwritten."""
        existing = [chain for chain in self.chains if has_checkpoint(self._path(chain))]
        if existing and not resume:
            remedy: Text = [give("resume", True), " to continue, or choose another folder"]
            raise CheckpointError(f"{self.folder} already holds checkpoints", remedy)
        if resume and not existing:
            raise CheckpointError(f"there is no checkpoint in {self.folder} to resume from")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder):
                pass
        except OSError as error:
            raise CheckpointError(f"cannot write checkpoints into {self.folder}: {error.strerror}") from error
        for chain in existing:
            arrays, values, trouble = read_checkpoint(self._path(chain), self.about)
            chain.restore(arrays, values)
            if trouble:
                self.remarks.append(trouble)

    def save_if_due(self, chain: Chain, *, now: bool = False) -> None:
        """Write a chain's file if it is time; a full disk costs the checkpoint, not the run."""
        if now or time.monotonic() - self._written[chain.index] >= self.seconds:
            arrays, values = chain.snapshot()
            path = self._path(chain)
            try:
                write_checkpoint(path, self.about, arrays, values)
            except OSError as error:
                self.remarks.append(f"{path.name} could not be written after {chain.n_done} sweeps: {error.strerror}")
            self._written[chain.index] = time.monotonic()

    def _path(self, chain: Chain) -> Path:
        return self.folder / f"chain-{chain.index + 1}.checkpoint"


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
        return bool(progress and progress([_where(*pair) for pair in zip(chains, clocks, strict=True)]))

    with ThreadPoolExecutor(min(n_threads, len(chains)), thread_name_prefix="tetiwd-chain") as pool:
        futures = [pool.submit(work, chain) for chain in chains]
        try:
            while not _all_done(futures):
                if report():
                    stop.set()
        except KeyboardInterrupt:
            stop.set()
        except BaseException:
            stop.set()
            raise
    report()
    frozen = [future.result() for future in futures]
    return [one for one in frozen if one is not None] if None not in frozen else []


class Clock:
    """Pace of one chain, from its first sweep here on: compiling and waiting for a thread do not count."""

    def __init__(self) -> None:
        self.first: tuple[int, float] | None = None
        self.last = (0, 0.0)
        self.stopped = False  # the chain has nothing left to do

    def tick(self, n_done: int) -> None:
        """A sweep has ended."""
        self.last = (n_done, time.monotonic())
        self.first = self.first or self.last

    def seconds_per_sweep(self) -> float | None:
        """Mean time of a sweep so far."""
        if self.first is None or self.last[0] == self.first[0]:
            return None
        return (self.last[1] - self.first[1]) / (self.last[0] - self.first[0])


def _all_done(futures: list[Future[Frozen | None]]) -> bool:
    """Wait a moment; raise what a chain raised."""
    done, waiting = wait(futures, timeout=POLL_SECONDS, return_when=FIRST_EXCEPTION)
    for future in done:
        future.result()
    return not waiting


def _where(chain: Chain, clock: Clock) -> Progress:
    done, total, pace = chain.n_done, chain.settings.n_sweeps, clock.seconds_per_sweep()
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


def _as_text(fields: dict[str, object]) -> dict[str, str]:
    """Every field as text that can be compared; labels per epoch as a hash."""
    init = fields.get("init")
    if init is not None and not isinstance(init, str):
        numbers = json.dumps([np.asarray(own).tolist() for own in init])  # type: ignore[attr-defined]
        fields = fields | {"init": f"labels {hashlib.sha256(numbers.encode()).hexdigest()[:12]}"}
    return {name: str(value) for name, value in fields.items()}
