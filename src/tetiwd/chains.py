"""Several chains: threads, progress, checkpoints, and stopping without losing anything."""

import hashlib
import json
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from tetiwd.annealing import Frozen, anneal
from tetiwd.data import DistanceSeries
from tetiwd.draws import Draws
from tetiwd.errors import CheckpointError, SettingsError
from tetiwd.io.checkpoint import fingerprint, has_checkpoint, read_checkpoint, write_checkpoint
from tetiwd.params import Hyperparameters, SamplerSettings
from tetiwd.sampler import Chain, run_chain
from tetiwd.summarize.diagnostics import Diagnostics, diagnose

POLL_SECONDS = 0.2


@dataclass(frozen=True)
class Progress:
    """Where one chain is."""

    chain: int
    n_done: int
    n_sweeps: int
    warming_up: bool
    n_clusters: tuple[int, ...]
    log_joint: float
    seconds_left: float


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
    notes: tuple[str, ...]  # what the user should know, such as a damaged checkpoint

    def __repr__(self) -> str:
        return f"Sample({len(self.draws)} chains × {min(map(len, self.draws))} draws; {self.diagnostics.verdict})"

    @property
    def best_frozen(self) -> Frozen:
        """The annealed partition with the highest joint density among the chains."""
        if not self.frozen:
            raise SettingsError("no partition was frozen; run with anneal set, and to the end")
        return max(self.frozen, key=lambda frozen: frozen.log_joint)


def run_chains(
    series: DistanceSeries,
    hyperparameters: Hyperparameters,
    settings: SamplerSettings | None = None,
    *,
    n_threads: int | None = None,
    progress: Callable[[Sequence[Progress]], bool | None] | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = 60.0,
    resume: bool = False,
) -> Sample:
    """Run all chains and say whether they agree.

    Parameters
    ----------
    series, hyperparameters, settings
        Data, model, and how to sample. Scales in the hyperparameters are in units of ``series.unit``.
    n_threads
        Chains that run at the same time; None for one per chain. The draws do not depend on it.
    progress
        Called a few times a second with where every chain is. If it returns True all chains stop after their
        current sweep, and what was drawn is returned; so does Ctrl-C.
    checkpoint
        Folder for one file per chain, written every ``checkpoint_seconds`` and at the end.
    resume
        Continue from those files. The result is the same as without interruption. A finished run is extended
        if ``settings.n_draws`` has grown.
    """
    settings = settings or SamplerSettings()
    chains = [Chain(series, hyperparameters, settings, index) for index in range(settings.n_chains)]
    keeper = None if checkpoint is None else Keeper(Path(checkpoint), series, chains, checkpoint_seconds)
    notes = keeper.open(resume=resume) if keeper else ()
    complete = _run_all(chains, keeper, n_threads or settings.n_chains, progress)
    frozen = _anneal_all(chains, n_threads or settings.n_chains) if complete and settings.anneal else []
    draws = [chain.draws for chain in chains]
    diagnostics = diagnose(draws, series.times, settings.seed)
    return Sample(series, hyperparameters, settings, draws, diagnostics, frozen, complete, notes)


class Keeper:
    """Writes and reads the checkpoint of every chain."""

    def __init__(self, folder: Path, series: DistanceSeries, chains: list[Chain], seconds: float) -> None:
        self.folder, self.chains, self.seconds = folder, chains, seconds
        h, s = chains[0].hyperparameters, chains[0].settings
        fixed = replace(s, n_draws=1)  # a run may be extended
        self.about = {
            "data": fingerprint(series),
            "hyperparameters": _digest(asdict(h)),
            "settings": _digest(asdict(fixed)),
        }
        self._written = [time.monotonic()] * len(chains)

    def open(self, *, resume: bool) -> tuple[str, ...]:
        """Continue the chains from their files, or make sure that nothing would be overwritten."""
        existing = [chain for chain in self.chains if has_checkpoint(self._path(chain))]
        if existing and not resume:
            raise CheckpointError(
                f"{self.folder} already holds checkpoints; pass resume=True to continue, or choose another folder"
            )
        if resume and not existing:
            raise CheckpointError(f"there is no checkpoint in {self.folder} to resume from")
        self.folder.mkdir(parents=True, exist_ok=True)
        notes = []
        for chain in existing:
            arrays, values, trouble = read_checkpoint(self._path(chain), self.about)
            chain.restore(arrays, values)
            if trouble:
                notes.append(trouble)
        return tuple(notes)

    def save_if_due(self, chain: Chain, *, now: bool = False) -> None:
        """Write a chain's file if it is time."""
        if now or time.monotonic() - self._written[chain.index] >= self.seconds:
            arrays, values = chain.snapshot()
            write_checkpoint(self._path(chain), self.about, arrays, values)
            self._written[chain.index] = time.monotonic()

    def _path(self, chain: Chain) -> Path:
        return self.folder / f"chain-{chain.index + 1}.checkpoint"


def _run_all(
    chains: list[Chain],
    keeper: Keeper | None,
    n_threads: int,
    progress: Callable[[Sequence[Progress]], bool | None] | None,
) -> bool:
    """Run chains in threads while reporting; returns False if they were stopped before the end."""
    stop = threading.Event()
    started, done_before = time.monotonic(), [chain.n_done for chain in chains]

    def work(chain: Chain) -> None:
        for _ in run_chain(chain):
            if keeper:
                keeper.save_if_due(chain)
            if stop.is_set():
                break
        if keeper:
            keeper.save_if_due(chain, now=True)

    with ThreadPoolExecutor(n_threads, thread_name_prefix="tetiwd-chain") as pool:
        futures = [pool.submit(work, chain) for chain in chains]
        try:
            while not _all_done(futures):
                if progress and progress([_where(c, b, started) for c, b in zip(chains, done_before, strict=True)]):
                    stop.set()
        except KeyboardInterrupt:
            stop.set()
        except BaseException:
            stop.set()
            raise
    for future in futures:
        future.result()
    if progress:
        progress([_where(c, b, started) for c, b in zip(chains, done_before, strict=True)])
    return all(chain.finished for chain in chains)


def _anneal_all(chains: list[Chain], n_threads: int) -> list[Frozen]:
    with ThreadPoolExecutor(n_threads, thread_name_prefix="tetiwd-anneal") as pool:
        return list(pool.map(anneal, chains))


def _all_done(futures: list[Future[None]]) -> bool:
    """Wait a moment; raise what a chain raised."""
    done, waiting = wait(futures, timeout=POLL_SECONDS, return_when=FIRST_EXCEPTION)
    for future in done:
        future.result()
    return not waiting


def _where(chain: Chain, done_before: int, started: float) -> Progress:
    done, total = chain.n_done, chain.settings.n_sweeps
    pace = (time.monotonic() - started) / max(1, done - done_before)
    return Progress(
        chain=chain.index,
        n_done=done,
        n_sweeps=total,
        warming_up=done < chain.settings.n_warmup,
        n_clusters=chain.last_n_clusters,
        log_joint=chain.last_log_joint,
        seconds_left=pace * (total - done),
    )


def _digest(values: dict[str, object]) -> str:
    def plain(value: object) -> object:
        return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)

    return hashlib.sha256(json.dumps(values, sort_keys=True, default=plain).encode()).hexdigest()
