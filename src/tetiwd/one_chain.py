"""One chain of a run as a job by itself. All chains meet in the folder of their checkpoints, wherever they run.

A run that ends when its chains agree is judged at check points, from the draws of all chains. A chain that has come to
one waits there a while for the others. They all see the same draws and come to the same judgement; so the run ends at
the draw at which it would have ended in one process. If the others do not come, the job ends, and another one goes on
from there later.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Literal, cast

from tetiwd.chains import check_run, warn_if_slow, watched_by
from tetiwd.checkpoint import Keeper, checkpoint_of, has_any_checkpoint, has_checkpoint
from tetiwd.data import DistanceSeries
from tetiwd.distant import DistantChain
from tetiwd.errors import CheckpointError, Setting, SettingsError
from tetiwd.pace import Report
from tetiwd.params import CHECKPOINT_SECONDS, Hyperparameters, SamplerSettings
from tetiwd.rounds import Rounds
from tetiwd.sampler import Chain
from tetiwd.stopping import Ended, check_points, judge, reason_to_end
from tetiwd.writing import open_no_link

WAIT_SECONDS = 60.0
POLL_SECONDS = 0.5
LOCK = "chains.lock"

HowItEnded = Literal["done", "waiting", "stopped"]  # with all draws of the run; at a check point; before either


def run_one_chain(
    series: DistanceSeries,
    hyperparameters: Hyperparameters,
    settings: SamplerSettings,
    index: int,
    checkpoint: Path,
    *,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    wait_seconds: float = WAIT_SECONDS,
    progress: Report | bool | None = None,
) -> HowItEnded:
    """Run one chain, from its checkpoint if there is one, until the run ends or other chains are behind.

    Hyperparameters must leave nothing open, since all chains need the same ones.
    """
    if not 0 <= index < settings.n_chains:
        raise SettingsError(
            [Setting("chain", index + 1), f" is none of the {settings.n_chains} chains of this run"],
            f"give a number from 1 to {settings.n_chains}",
        )
    check_run(series, hyperparameters, replace(settings, n_chains=1))
    warn_if_slow()
    with only_one(checkpoint, index), watched_by(progress) as report:
        chain = Chain(series, hyperparameters, settings, index)
        keeper = Keeper(checkpoint, series, [chain], checkpoint_seconds)
        keeper.open(resume=has_checkpoint(checkpoint_of(checkpoint, index)))
        others = AllChains(series, hyperparameters, settings, checkpoint)
        return OneChain([chain], series.times, 1, keeper, report, others=others, wait_seconds=wait_seconds).job()


class AllChains:
    """The draws of all chains, as far as their checkpoints have them."""

    def __init__(
        self, series: DistanceSeries, hyperparameters: Hyperparameters, settings: SamplerSettings, folder: Path
    ) -> None:
        self.times, self.settings = series.times, settings
        self.chains = [DistantChain(series, hyperparameters, settings, index) for index in range(settings.n_chains)]
        self._keeper = Keeper(folder, series, cast("list[Chain]", self.chains), inf)
        self._seen: list[tuple[int, int]] = []

    def read(self) -> None:
        """Read checkpoints that have changed since the last time."""
        files = [checkpoint_of(self._keeper.folder, chain.index) for chain in self.chains]
        now = [(stat.st_mtime_ns, stat.st_size) for file in files if file.exists() for stat in [os.stat(file)]]
        if now != self._seen and has_any_checkpoint(self._keeper.folder):
            self._keeper.open(resume=True)
            self._seen = now

    @property
    def n_draws(self) -> tuple[int, ...]:
        """Draws of every chain."""
        return tuple(len(chain.draws) for chain in self.chains)

    def ends_at(self, n: int) -> Ended | None:
        """The reason to end a run that ends when its chains agree, if there is one after n draws of each."""
        found = judge([chain.draws for chain in self.chains], self.times, self.settings, n)
        return reason_to_end(found, self.settings, n)

    def next_check_point(self) -> int | None:
        """Draws that every chain must have before the run can go on, or end; None if it has come to its end."""
        for n in check_points(self.settings):
            if min(self.n_draws) < n:
                return n
            if self.settings.automatic and self.ends_at(n):
                return None
        return None


@dataclass
class OneChain(Rounds):
    """A single chain that meets the others at check points."""

    others: AllChains = field(kw_only=True)
    wait_seconds: float = field(kw_only=True)

    def job(self) -> HowItEnded:
        """Go as far as possible."""
        waiting = False
        try:
            self.run_without_freezing()
        except OthersAreBehind:
            waiting = True
        except KeyboardInterrupt:
            self._end("stopped")
        stopped = self.ended in ("stopped", "minutes")
        self.clocks[self.chains[0].index].stopped = not stopped
        self._report()
        return "waiting" if waiting else "stopped" if stopped else "done"

    def run_without_freezing(self) -> None:
        """Sample; whoever collects the chains freezes them."""
        with self._at_work():
            self._sample()
            self._save_all()

    def _reason_to_end(self, n: int) -> Ended | None:
        if not self.settings.automatic:
            return "fixed"
        self._save_all()
        until = time.monotonic() + self.wait_seconds
        while True:
            self.others.read()
            if min(self.others.n_draws) >= n:
                return self.others.ends_at(n)
            if time.monotonic() >= until:
                raise OthersAreBehind
            self._look_up()
            if self.ended:
                return self.ended
            time.sleep(POLL_SECONDS)


class OthersAreBehind(Exception):
    """There is nothing to do until other chains have come to the same check point."""


@contextmanager
def only_one(folder: Path, index: int) -> Iterator[None]:
    """Refuse to run a chain that another process is running, on whichever machine, if the file system knows locks."""
    try:
        import fcntl
    except ImportError:  # not everywhere
        yield
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = open_no_link(folder / LOCK, "ab")  # closed below
    except OSError as error:
        raise CheckpointError(f"cannot write checkpoints into {folder}: {error.strerror}") from error
    with file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, index)
        except (BlockingIOError, PermissionError):
            fault = f"chain {index + 1} in {folder} is being run by another process"
            raise CheckpointError(fault, "wait for it, or run another chain") from None
        except OSError:
            pass  # locks are not to be had here
        yield
