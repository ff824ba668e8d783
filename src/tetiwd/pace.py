"""How far a chain is, and how fast it goes."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

ENOUGH_SWEEPS, ENOUGH_SECONDS = 20, 1.0  # either tells the pace of a chain


@dataclass(frozen=True)
class Progress:
    """How far one chain is; what the function ``progress`` of :func:`tetiwd.run_chains` gets for every chain.

    Examples
    --------
    >>> from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings, run_chains, simulate_separated
    >>> def show(chains):
    ...     return max(chain.n_done for chain in chains) > 10_000  # True would stop the run
    ...
    >>> series = DistanceSeries.from_distances(simulate_separated(seed=1).D, squared=True)
    >>> settings = SamplerSettings(n_chains=1, n_warmup=20, n_draws=20)
    >>> len(run_chains(series, Hyperparameters(dof=100), settings, progress=show).draws)
    1
    """

    chain: int  # counted from 0
    n_done: int  # sweeps
    n_sweeps: int  # in all
    warming_up: bool
    n_clusters: tuple[int, ...]  # of every epoch
    log_joint: float
    seconds_left: float | None  # None until a pace is known; without a fixed number of draws, of all chains together
    seconds_per_sweep: float | None = None  # of the latest sweeps
    done: bool = False  # sampled, and a partition frozen if that was asked for
    at_most: bool = False  # sweeps and time left are limits; the run ends sooner if chains agree
    standing: str = ""  # how far chains are from agreeing


Report = Callable[[Sequence[Progress]], bool | None]


class Clock:
    """Pace of the latest sweeps of one chain, from the last half of them on; time spent waiting does not count."""

    def __init__(self) -> None:
        self.stopped = False  # the chain has nothing left to do
        self._n_done = 0
        self._since: float | None = None  # when the last sweep ended; None after a rest
        self._timed = (0, 0.0)  # sweeps that were timed, and seconds they took
        self._marks = (self._timed, self._timed)  # the same when it was about half of that, and a quarter

    def rest(self) -> None:
        """The chain waits for others, or for a thread; time counts again from its next sweep on."""
        self._since = None

    def tick(self, n_done: int) -> None:
        """A sweep has ended."""
        now = time.monotonic()
        if self._since is not None:
            self._timed = self._timed[0] + n_done - self._n_done, self._timed[1] + now - self._since
        self._n_done, self._since = n_done, now
        if self._timed[0] >= 2 * self._marks[1][0]:
            self._marks = self._marks[1], self._timed

    def seconds_per_sweep(self) -> float | None:
        """Mean time of the latest sweeps, half of all or more: early ones can be much faster, with few clusters.

        None as long as there is little to go by.
        """
        (n, seconds), (n_before, seconds_before) = self._timed, self._marks[0]
        if n == n_before or (n < ENOUGH_SWEEPS and seconds < ENOUGH_SECONDS):
            return None
        return (seconds - seconds_before) / (n - n_before)


def seconds_for_all(chains: Sequence[Progress], n_at_once: int) -> float | None:
    """Time until all chains have taken their sweeps, so many chains at once; None if no pace is known yet."""
    known = [one.seconds_per_sweep for one in chains if one.seconds_per_sweep is not None]
    if not known:
        return None
    usual = sum(known) / len(known)
    work = [
        (usual if one.seconds_per_sweep is None else one.seconds_per_sweep) * max(0, one.n_sweeps - one.n_done)
        for one in chains
    ]
    return max([*work, sum(work) / n_at_once])
