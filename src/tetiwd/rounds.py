"""Chains in threads, from one check point to the next until they may end; then each freezes a partition."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from tetiwd.annealing import anneal
from tetiwd.checkpoint import Keeper
from tetiwd.diagnostics import Diagnostics
from tetiwd.draws import Draws, Frozen
from tetiwd.errors import WorkersError
from tetiwd.pace import Clock, Progress, Report, seconds_for_all
from tetiwd.sampler import Chain
from tetiwd.stopping import Ended, check_points, judge, n_to_discard, reason_to_end
from tetiwd.threads import all_done


@dataclass
class Rounds:
    """All chains of a run, and how it goes."""

    chains: list[Chain]
    times: Sequence[Any]
    n_threads: int
    keeper: Keeper | None = None
    watch: Report | None = None
    ended: Ended | None = None
    n_draws: int = 0  # of every chain at the end, with those to be discarded
    found: Diagnostics | None = None  # at the last check point
    halt: threading.Event = field(default_factory=threading.Event)  # chains stop after their current sweep

    def __post_init__(self) -> None:
        self.settings = self.chains[0].settings
        self.clocks = {chain.index: Clock() for chain in self.chains}
        minutes = self.settings.max_minutes
        self.deadline = None if minutes is None else time.monotonic() + 60 * minutes

    def run(self) -> tuple[Ended, list[Frozen]]:
        """Sample and freeze; returns why it ended, and the frozen partitions: none if that was not asked for, or was
        interrupted."""
        with self._at_work():
            ended = self._sample()
            self._save_all()
            self.halt.clear()
            wanted = self.settings.anneal is not None and ended != "stopped"
            frozen = self._freeze_all() if wanted else []
        for clock in self.clocks.values():
            clock.stopped = ended != "stopped"
        self._report()
        found = [one for one in frozen if one is not None]
        return ended, found if len(found) == len(frozen) else []

    @property
    def n_discarded(self) -> int:
        """Draws at the beginning of every chain that answers do without."""
        return n_to_discard(self.settings, self.n_draws)

    def kept(self) -> list[Draws]:
        """The draws of every chain that answers are made from; of unequal number if chains were halted."""
        end = None if self.ended in ("minutes", "stopped") else self.n_draws
        return [chain.draws.between(self.n_discarded, end) for chain in self.chains]

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        """While chains run and are frozen."""
        with ThreadPoolExecutor(min(self.n_threads, len(self.chains)), thread_name_prefix="tetiwd-chain") as self._pool:
            yield

    def _advance_all(self, n: int) -> None:
        self._in_threads(partial(self._advance, n=n))

    def _save_all(self) -> None:
        self._in_threads(self._save)

    def _freeze_all(self) -> list[Frozen | None]:
        return self._in_threads(self._freeze)

    def _sample(self) -> Ended:
        """Go from check point to check point until there is a reason to end."""
        for n in check_points(self.settings):
            self._advance_all(n)
            if self.ended:  # chains were halted
                self.n_draws = min((len(chain.draws) for chain in self.chains if len(chain.draws)), default=0)
                return self.ended
            self.n_draws, self.ended = n, self._reason_to_end(n)
            if self.ended:
                return self.ended
        raise AssertionError("the last check point is a reason to end")

    def _reason_to_end(self, n: int) -> Ended | None:
        """Look at the first n draws of all chains."""
        if not self.settings.automatic:
            return "fixed"
        try:
            self.found = judge([chain.draws for chain in self.chains], self.times, self.settings, n)
        except KeyboardInterrupt:
            return "stopped"
        return reason_to_end(self.found, self.settings, n)

    def _advance(self, chain: Chain, n: int) -> None:
        """Step a chain until it has n draws, or is told to halt."""
        self.clocks[chain.index].rest()
        while len(chain.draws) < n and not self.halt.is_set():
            self._step(chain)
            self.clocks[chain.index].tick(chain.n_done)
            if self.keeper:
                self.keeper.save_if_due(chain)
        if self.halt.is_set():
            self._save(chain)

    def _step(self, chain: Chain) -> None:
        try:
            chain.step()
        except WorkersError:  # its last snapshot is here
            self._save(chain)
            raise

    def _save(self, chain: Chain) -> None:
        if self.keeper:
            self.keeper.save_if_due(chain, now=True)

    def _freeze(self, chain: Chain) -> Frozen | None:
        frozen = chain.safely(lambda: anneal(chain, self.halt.is_set))
        self.clocks[chain.index].stopped = frozen is not None
        return frozen

    def _in_threads(self, work: Callable[[Chain], Any]) -> list[Any]:
        """Do something with every chain; meanwhile report, and watch the clock and the keyboard."""
        futures = [self._pool.submit(work, chain) for chain in self.chains]
        try:
            while True:
                self._look_up()
                if all_done(futures):
                    break
        except KeyboardInterrupt:
            self._end("stopped")
        except BaseException:
            self.halt.set()
            raise
        return [future.result() for future in futures]

    def _look_up(self) -> None:
        """Report, and end if whoever listens says so, or time is up."""
        if self._report():
            self._end("stopped")
        elif self.deadline is not None and time.monotonic() >= self.deadline and self.ended is None:
            self._end("minutes")

    def _end(self, why: Ended) -> None:
        """Let all chains halt; a reason that is there already stays."""
        self.ended = self.ended or why
        self.halt.set()

    def _report(self) -> bool:
        if self.watch is None:
            return False
        where = [self._where(chain, self.clocks[chain.index]) for chain in self.chains]
        if self.settings.automatic:  # chains wait for each other, so that all of them end at the same time
            together = seconds_for_all(where, self._n_at_once)
            where = [replace(one, seconds_left=together) if one.seconds_left != 0 else one for one in where]
        if self.deadline is not None:
            most = max(0.0, self.deadline - time.monotonic())
            where = [
                replace(one, seconds_left=min(one.seconds_left, most)) if one.seconds_left else one for one in where
            ]
        return bool(self.watch(where))

    @property
    def _n_at_once(self) -> int:
        """Chains that run at the same time."""
        return min(self.n_threads, len(self.chains))

    def _where(self, chain: Chain, clock: Clock) -> Progress:
        total = chain.n_done if self.ended not in (None, "stopped") else chain.settings.n_sweeps
        bounded = self.settings.automatic or self.deadline is not None
        standing = self.found.standing if self.found else ""
        return replace(where_is(chain, clock, total), at_most=bounded, standing=standing)


def where_is(chain: Chain, clock: Clock, n_sweeps: int) -> Progress:
    """How far a chain has come of so many sweeps."""
    done, pace = chain.n_done, clock.seconds_per_sweep()
    return Progress(
        chain=chain.index,
        n_done=done,
        n_sweeps=n_sweeps,
        warming_up=done < chain.settings.n_warmup,
        n_clusters=chain.last_n_clusters,
        log_joint=chain.last_log_joint,
        seconds_left=0.0 if done >= n_sweeps else None if pace is None else pace * (n_sweeps - done),
        seconds_per_sweep=pace,
        done=clock.stopped,
    )
