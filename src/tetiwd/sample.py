"""Sample: the draws of all chains, and what follows from them alone."""

from dataclasses import dataclass, replace
from functools import cached_property

from tetiwd.data import DistanceSeries
from tetiwd.diagnostics import Diagnostics, diagnose
from tetiwd.draws import Draws, Frozen
from tetiwd.errors import Setting, SettingsError
from tetiwd.params import Hyperparameters, SamplerSettings
from tetiwd.partitions import Partitions
from tetiwd.resolution import ResolutionPath
from tetiwd.stopping import Ended


@dataclass(frozen=True, eq=False, repr=False)
class Sample:
    """The draws of all chains, from :func:`tetiwd.run_chains` or ``sample_`` of a fitted model.

    Examples
    --------
    >>> from tetiwd import SamplerSettings, TeTiWD, simulate_separated
    >>> short = SamplerSettings(n_chains=2, n_warmup=50, n_draws=50)
    >>> D = simulate_separated(seed=1).D
    >>> model = TeTiWD(squared=True, dof=100, settings=short, random_state=0).fit(D)
    >>> sample = model.sample_
    >>> sample.ended
    'fixed'
    >>> sample.partitions
    Partitions(100 draws of 5 epochs, 100 objects)
    >>> sample.diagnostics.converged in (True, False)
    True
    """

    series: DistanceSeries
    hyperparameters: Hyperparameters
    settings: SamplerSettings
    draws: list[Draws]  # one per chain
    frozen: list[Frozen]  # one per chain, empty if annealing was not asked for or the run was stopped
    ended: Ended = "fixed"  # why sampling ended; "fixed" after a number of draws that was given
    remarks: tuple[str, ...] = ()  # what the user should know, such as a damaged checkpoint
    n_discarded: int = 0  # draws of each chain, after warm-up, that are not among these
    resolution: ResolutionPath | None = None  # from which degrees of freedom were chosen
    reasons: tuple[str, ...] = ()  # why this model was chosen, if there was a choice

    def __repr__(self) -> str:
        return f"Sample({len(self.draws)} chains × {min(map(len, self.draws))} draws; {self.diagnostics.verdict})"

    @property
    def complete(self) -> bool:
        """False if the run was stopped before its end."""
        return self.ended != "stopped"

    @cached_property
    def diagnostics(self) -> Diagnostics:
        """Whether the chains agree, and how many effective draws there are."""
        return diagnose(self.draws, self.series.times, self.settings.seed)

    @cached_property
    def partitions(self) -> Partitions:
        """The draws of all chains as partitions, one chain after the other."""
        return Partitions.of_draws(self.draws, self.series)

    def with_draws(self, fewest: int) -> "Sample | None":
        """The chains with at least so many draws, for a run that was stopped early; None if there are none."""
        kept = [draws for draws in self.draws if len(draws) >= fewest]
        if len(kept) == len(self.draws):
            return self
        if not kept:
            return None
        n = len(self.draws) - len(kept)
        remark = f"{n} of {len(self.draws)} chains had not begun to draw when the run was stopped."
        return replace(self, draws=kept, frozen=[], remarks=(*self.remarks, remark))

    @property
    def best_frozen(self) -> Frozen:
        """The annealed partition with the highest joint density among the chains."""
        if not self.frozen:
            raise SettingsError("no partition was frozen", ["run to the end, with ", Setting("anneal")])
        return max(self.frozen, key=lambda frozen: frozen.log_joint)


@dataclass(frozen=True, eq=False, repr=False)
class Mode:
    """One clustering and its geometry and scales, found by several starts. It says nothing about uncertainty."""

    series: DistanceSeries
    hyperparameters: Hyperparameters
    settings: SamplerSettings
    starts: tuple[Frozen, ...]  # where every chain was frozen
    state: Draws  # the best of them as a single draw, with its A
    resolution: ResolutionPath | None = None  # from which degrees of freedom were chosen
    reasons: tuple[str, ...] = ()  # why this model was chosen, if there was a choice

    @property
    def best(self) -> int:
        """Which start was the best."""
        return max(range(len(self.starts)), key=lambda i: self.starts[i].log_joint)

    @property
    def log_joint(self) -> float:
        """Log joint density of the mode."""
        return self.starts[self.best].log_joint

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self.state.n_clusters[0].tolist()))
        return f"Mode({shown} clusters; log joint {self.log_joint:.6g}, the best of {len(self.starts)} starts)"


def as_partitions(draws: Sample | Partitions) -> Partitions:
    """A sample or partitions, as partitions."""
    if isinstance(draws, Partitions):
        return draws
    if isinstance(draws, Sample):
        return draws.partitions
    raise SettingsError(f"give a Sample or Partitions, not {type(draws).__name__}; see Partitions.from_labels")
