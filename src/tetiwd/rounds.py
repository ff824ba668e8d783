"""Chains in threads, from one check point to the next until they may end; then each freezes a partition."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any

from tetiwd.annealing import anneal
from tetiwd.checkpoint import Keeper
from tetiwd.diagnostics import Diagnostics
from tetiwd.draws import Draws, Frozen
from tetiwd.pace import Clock, Progress, Report
from tetiwd.sampler import Chain
from tetiwd.stopping import Ended, check_points, judge, n_to_discard

POLL_SECONDS = 0.2


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
        self.clocks = [Clock() for _ in self.chains]
        minutes = self.settings.max_minutes
        self.deadline = None if minutes is None else time.monotonic() + 60 * minutes

    def run(self) -> list[Frozen]:
        """Sample and freeze; returns the frozen partitions, none if this was not asked for or not finished."""
        with ThreadPoolExecutor(min(self.n_threads, len(self.chains)), thread_name_prefix="tetiwd-chain") as pool:
            self._sample(pool)
            interrupted = self.ended == "stopped"
            self.halt.clear()
            frozen = [] if interrupted else self._in_threads(pool, self._freeze)
        self._report()
        return [one for one in frozen if one is not None] if None not in frozen else []

    @property
    def n_discarded(self) -> int:
        """Draws at the beginning of every chain that answers do without."""
        return n_to_discard(self.settings, self.n_draws)

    def kept(self) -> list[Draws]:
        """The draws of every chain that answers are made from; of unequal number if chains were halted."""
        end = None if self.ended in ("minutes", "stopped") else self.n_draws
        return [chain.draws.between(self.n_discarded, end) for chain in self.chains]

    def _sample(self, pool: ThreadPoolExecutor) -> None:
        """Go from check point to check point until there is a reason to end."""
        for n in check_points(self.settings):
            self._in_threads(pool, lambda chain, n=n: self._advance(chain, n))
            if self.ended:
                self.n_draws = min((len(chain.draws) for chain in self.chains if len(chain.draws)), default=0)
                break
            self.n_draws = n
            if not self.settings.automatic:
                self.ended = "fixed"
                break
            self.found = judge([chain.draws for chain in self.chains], self.times, self.settings, n)
            if self.found.agree:
                self.ended = "agreed"
                break
        self.ended = self.ended or "draws"
        for chain in self.chains if self.keeper else ():
            self.keeper.save_if_due(chain, now=True)  # type: ignore[union-attr]

    def _advance(self, chain: Chain, n: int) -> None:
        """Step a chain until it has n draws, or is told to halt."""
        while len(chain.draws) < n and not self.halt.is_set():
            chain.step()
            self.clocks[chain.index].tick(chain.n_done)
            if self.keeper:
                self.keeper.save_if_due(chain)

    def _freeze(self, chain: Chain) -> Frozen | None:
        frozen = anneal(chain, self.halt.is_set) if chain.settings.anneal else None
        self.clocks[chain.index].stopped = True
        return frozen

    def _in_threads(self, pool: ThreadPoolExecutor, work: Callable[[Chain], Any]) -> list[Any]:
        """Do something with every chain; meanwhile report, and watch the clock and the keyboard."""
        futures = [pool.submit(work, chain) for chain in self.chains]
        try:
            while not _all_done(futures):
                if self._report():
                    self._end("stopped")
                elif self.deadline is not None and time.monotonic() >= self.deadline and self.ended is None:
                    self._end("minutes")
        except KeyboardInterrupt:
            self._end("stopped")
        except BaseException:
            self.halt.set()
            raise
        return [future.result() for future in futures]

    def _end(self, why: Ended) -> None:
        """Let all chains halt; a reason that is there already stays."""
        self.ended = self.ended or why
        self.halt.set()

    def _report(self) -> bool:
        return bool(self.watch and self.watch([self._where(*pair) for pair in zip(self.chains, self.clocks, strict=True)]))

    def _where(self, chain: Chain, clock: Clock) -> Progress:
        done, pace = chain.n_done, clock.seconds_per_sweep()
        total = done if self.ended not in (None, "stopped") else chain.settings.n_sweeps
        left = 0.0 if done >= total else None if pace is None else pace * (total - done)
        if left and self.deadline is not None:
            left = min(left, max(0.0, self.deadline - time.monotonic()))
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
            at_most=self.settings.automatic or self.deadline is not None,
            standing=self.found.standing if self.found else "",
        )


def _all_done(futures: list[Future[Any]]) -> bool:
    """Wait a moment; raise what a chain raised."""
    done, waiting = wait(futures, timeout=POLL_SECONDS, return_when=FIRST_EXCEPTION)
    for future in done:
        future.result()
    return not waiting
