"""Chains that run elsewhere, as errands for any executor; here is only what can be read of them.

Data travel as a folder that workers map into memory, draws as the checkpoints of the chains. A chain does not notice
where it runs, so that the draws are those of a run in threads.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import nan
from pathlib import Path
from typing import Any, cast

from numpy.typing import NDArray

from tetiwd.annealing import anneal
from tetiwd.checkpoint import Keeper, checkpoint_of, has_any_checkpoint, has_checkpoint
from tetiwd.data import DistanceSeries
from tetiwd.data.mapped import open_mapped
from tetiwd.draws import Draws, Frozen
from tetiwd.errands import Errand, Errands, Life
from tetiwd.errors import CheckpointError
from tetiwd.params import Hyperparameters, SamplerSettings
from tetiwd.rounds import Rounds
from tetiwd.sampler import Chain, no_draws
from tetiwd.stopping import Ended


class DistantChain:
    """What is known here of a chain that runs elsewhere: its draws, and how far it is."""

    state = None  # elsewhere

    def __init__(
        self, series: DistanceSeries, hyperparameters: Hyperparameters, settings: SamplerSettings, index: int
    ) -> None:
        self.hyperparameters, self.settings, self.index = hyperparameters, settings, index
        self.draws = no_draws(series.n_objects, hyperparameters, settings)
        self.n_done = 0
        self.last_n_clusters = (0,) * series.n_epochs
        self.last_log_joint = nan

    def restore(self, arrays: dict[str, NDArray[Any]], values: dict[str, Any], draws: Draws) -> None:
        """Take the draws that go with a snapshot."""
        self.draws, self.n_done = draws, values["n_done"]
        if len(self.draws):
            self.last_n_clusters = tuple(self.draws.n_clusters[-1].tolist())
            self.last_log_joint = float(self.draws.log_joint[-1])


@dataclass(frozen=True)
class Place:
    """Where an errand finds data and checkpoints: paths, and nothing that is large."""

    data: str
    checkpoint: str
    seconds: float  # between checkpoints

    @contextmanager
    def chain(self, index: int, life: Life) -> Iterator[tuple[Chain, Keeper]]:
        """A chain that goes on from its checkpoint, and shows how far it is."""
        series, hyperparameters, settings = open_mapped(Path(self.data))
        chain, folder = Chain(series, hyperparameters, settings, index), Path(self.checkpoint)
        keeper = Keeper(folder, series, cast("list[Chain]", [chain]), self.seconds)
        keeper.open(resume=has_checkpoint(checkpoint_of(folder, index)))
        life.show = lambda: {
            "n_done": chain.n_done,
            "n_clusters": chain.last_n_clusters,
            "log_joint": chain.last_log_joint,
        }
        yield chain, keeper


def advance(life: Life, place: Place, index: int, n_draws: int) -> list[str]:
    """Errand: step a chain until it has so many draws; they are in its checkpoint. Returns remarks."""
    with place.chain(index, life) as (chain, keeper):
        while len(chain.draws) < n_draws and not life.halted:
            chain.step()
            if not life.replaced:
                keeper.save_if_due(chain)
        if not life.replaced:
            keeper.save_if_due(chain, now=True)
        return keeper.remarks


def freeze(life: Life, place: Place, index: int) -> Frozen | None:
    """Errand: freeze a copy of a chain."""
    with place.chain(index, life) as (chain, _):
        return anneal(chain, lambda: life.halted)


@dataclass
class DistantRounds(Rounds):
    """Rounds of chains that run elsewhere; ``chains`` are :class:`DistantChain`."""

    errands: Errands = field(kw_only=True)
    place: Place = field(kw_only=True)

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        yield

    def _advance_all(self, n: int) -> None:
        due = [chain for chain in self.chains if len(chain.draws) < n]
        for clock in self.clocks.values():
            clock.rest()
        remarks = self._run(advance, due, n)
        self._read()
        keeper = self._keeper
        keeper.remarks += [one for own in remarks for one in own or () if one not in keeper.remarks]
        behind = next((chain for chain in due if len(chain.draws) < n), None)
        if behind is not None and self.ended is None:
            name = checkpoint_of(keeper.folder, behind.index)
            reasons = "; ".join(keeper.remarks) or "it has fewer draws than its worker says"
            raise CheckpointError(f"the draws of chain {behind.index + 1} are not in {name} ({reasons})", "make room")

    def _save_all(self) -> None:
        """Workers have done so."""

    def _freeze_all(self) -> list[Frozen | None]:
        self.errands.go_on()
        frozen = self._run(freeze, self.chains)
        for clock, one in zip(self.clocks.values(), frozen, strict=True):
            clock.stopped = one is not None
        return frozen

    def _run(self, work: Callable[..., Any], chains: Sequence[Chain], *more: Any) -> list[Any]:
        def watch(errands: list[Errand]) -> None:
            for chain, errand in zip(chains, errands, strict=True):
                self._note(chain, errand)
            self._look_up()

        try:
            return self.errands.run(work, [(self.place, chain.index, *more) for chain in chains], watch)
        except KeyboardInterrupt:
            self._end("stopped")
            return [None] * len(chains)

    def _note(self, chain: Chain, errand: Errand) -> None:
        """Take over how far a chain says it is."""
        n_done = errand.signs.get("n_done", 0)
        if n_done > chain.n_done:
            chain.n_done = n_done
            chain.last_n_clusters = tuple(errand.signs["n_clusters"])
            chain.last_log_joint = errand.signs["log_joint"]
            self.clocks[chain.index].tick(n_done)

    def _end(self, why: Ended) -> None:
        super()._end(why)
        self.errands.halt()

    def _read(self) -> None:
        if has_any_checkpoint(self._keeper.folder):
            self._keeper.open(resume=True)

    @property
    def _n_at_once(self) -> int:
        return len(self.chains)  # how many workers there are is not known here

    @property
    def _keeper(self) -> Keeper:
        assert self.keeper is not None
        return self.keeper
