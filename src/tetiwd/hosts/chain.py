"""A chain whose epochs are with hosts that may be lost: it goes back to its last snapshot and draws the same again."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.draws import Draws
from tetiwd.errors import WorkersError
from tetiwd.hosts.begin import start_spread
from tetiwd.hosts.spread import SpreadEpochs
from tetiwd.hosts.workers import HostLost, Workers
from tetiwd.params import Hyperparameters, SamplerSettings
from tetiwd.sampler import REBUILD_EVERY, Chain, Snapshot, SweepInfo

MOST_LOSSES = 20  # one after the other, without a sweep in between

R = TypeVar("R")


@dataclass(frozen=True)
class Kept:
    """A snapshot that needs nothing of any host: clusters, labels, random streams, how many draws there were."""

    arrays: dict[str, NDArray[Any]]
    values: dict[str, Any]
    n_draws: int


class SpreadChain(Chain):
    """A chain that is run here, with its epochs on workers.

    Draws are those of a :class:`~tetiwd.sampler.Chain` with the same settings. A snapshot is kept whenever the state
    has been rebuilt from the data, for then it follows from labels and clusters alone.
    """

    def __init__(
        self,
        series: DistanceSeries,
        hyperparameters: Hyperparameters,
        settings: SamplerSettings,
        index: int,
        workers: Workers,
    ) -> None:
        self.epochs = SpreadEpochs(workers, series, hyperparameters)
        self.n_losses = 0
        super().__init__(series, hyperparameters, settings, index)
        self._kept = self._take()

    def begin(self, series: DistanceSeries, unit: float | None) -> Any:
        """The first state, whose objects are with hosts."""
        while True:
            try:
                return start_spread(series, self.hyperparameters, self.settings, self.index, self.epochs)
            except HostLost as loss:
                self._count(loss)

    def step(self) -> SweepInfo:
        """One sweep; the first one after a snapshot if a host was lost."""
        info = self._despite_losses(super().step)
        self.n_losses = 0
        if self.n_done % REBUILD_EVERY == 0:
            self._kept = self._take()
        return info

    def safely(self, work: Callable[[], R]) -> R:
        """Do something with the state; again from the same sweep if a host is lost on the way."""
        end = self.n_done

        def until_there() -> R:
            while self.n_done < end:
                super(SpreadChain, self).step()
            return work()

        return self._despite_losses(until_there)

    def snapshot(self) -> Snapshot:
        """The last snapshot, from which a run goes on with the same draws, here or on hosts."""
        return self._kept.arrays, self._kept.values, self.draws.between(0, self._kept.n_draws)

    def restore(self, arrays: dict[str, NDArray[Any]], values: dict[str, Any], draws: Draws) -> None:
        """Go on from a snapshot."""
        while True:
            try:
                super().restore(arrays, values, draws)
                break
            except HostLost as loss:
                self._count(loss)
        self._kept = Kept(arrays, values, len(self.draws))

    def close(self) -> None:
        """Let hosts go."""
        self.epochs.close()

    def _take(self) -> Kept:
        values = {
            "n_done": self.n_done,
            "steps": dict(self.tuning.steps),
            "streams": [rng.bit_generator.state for rng in self.streams.all],
        }
        return Kept(self.state.to_arrays(), values, len(self.draws))

    def _despite_losses(self, work: Callable[[], R]) -> R:
        while True:
            try:
                return work()
            except HostLost as loss:
                self._count(loss)
                self.restore(*self.snapshot())

    def _count(self, loss: HostLost) -> None:
        self.n_losses += 1
        if self.n_losses > MOST_LOSSES:
            fault = f"workers were lost {MOST_LOSSES} times in a row, before a single sweep was done ({loss})"
            raise WorkersError(fault, "look at their logs, and resume the run from its checkpoint") from loss
