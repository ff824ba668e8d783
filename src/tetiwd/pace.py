"""How far a chain is, and how fast it goes."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


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

    chain: int
    n_done: int
    n_sweeps: int
    warming_up: bool
    n_clusters: tuple[int, ...]
    log_joint: float
    seconds_left: float | None  # None until the chain has taken a sweep or two
    seconds_per_sweep: float | None = None  # likewise
    done: bool = False  # sampled, and a partition frozen if that was asked for
    at_most: bool = False  # sweeps and time left are limits; the run ends sooner if chains agree
    standing: str = ""  # how far chains are from agreeing


Report = Callable[[Sequence[Progress]], bool | None]


class Clock:
    """Pace of one chain since its first sweep; time spent waiting for a thread does not count."""

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
