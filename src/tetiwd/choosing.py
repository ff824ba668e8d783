"""What a run leaves open is chosen from the data before it begins: degrees of freedom, and which model.

Short runs are compared by the merit of their clusters (:mod:`tetiwd.merit`), a score that no model makes. Degrees of
freedom come first, from a path of several values (:mod:`tetiwd.resolution`). Where distances between epochs are known
there are two models: moving centres, which know more about lineages, are tried with the same degrees of freedom, and
taken unless their clusters or lineages are worse. The reasons are in ``docs/explanation/choosing.md``.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from tetiwd.data import DistanceSeries
from tetiwd.errands import Workers
from tetiwd.merit import merit_of_lineages
from tetiwd.params import LARGEST_CROSS, Hyperparameters, SamplerSettings
from tetiwd.resolution import LEAST_MERIT, ResolutionPath
from tetiwd.trials import as_step, resolution_path, try_out

Geometry = Literal["full", "moving"]
AS_GOOD = 0.8  # share of another score that is not much worse, from short runs


@dataclass(frozen=True)
class Trial:
    """How good the answers of a model are, from short runs."""

    clusters: float  # of every epoch: their merit, times the certainty of the draws
    lineages: float  # merit of lineages over all epochs

    def not_much_worse(self, other: "Trial") -> bool:
        """Are clusters and lineages nearly as good as those of another model, or better?"""
        return self.clusters >= AS_GOOD * other.clusters and self.lineages >= AS_GOOD * other.lineages

    @property
    def says_something(self) -> bool:
        """False if clusters overlap too much to be judged."""
        return self.clusters >= LEAST_MERIT


def nothing_said(*trials: Trial) -> bool:
    """True if the clusters of every model overlap too much to be judged."""
    return not any(trial.says_something for trial in trials)


@dataclass(frozen=True)
class Choice:
    """Hyperparameters without anything left open, and what they were chosen by."""

    hyperparameters: Hyperparameters
    resolution: ResolutionPath | None = None  # if degrees of freedom were chosen from one
    trials: dict[Geometry, Trial] = field(default_factory=dict)  # of the models, if there was a choice

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why this and nothing else, in sentences."""
        return (*(self.resolution.sentences() if self.resolution else ()), *self._why_this_model())

    def _why_this_model(self) -> tuple[str, ...]:
        if not self.trials:
            return ()
        full, moving = (self.trials[geometry] for geometry in ("full", "moving"))
        if nothing_said(full, moving):
            reason = "which is too little to tell; so moving centres, which know more, were used"
        elif self.hyperparameters.geometry == "full":
            reason = "so the paper's model was used"
        elif moving.clusters > full.clusters and moving.lineages > full.lineages:
            reason = "so moving centres were used"
        else:
            reason = "so moving centres, which are not much worse and know more about lineages, were used"
        return (
            "Two models were tried in short runs, the paper's and moving centres. Clusters of a time scored "
            f"{full.clusters:.3f} and {moving.clusters:.3f} (separation × agreement of neighbours × certainty of the "
            f"draws), lineages over all times {full.lineages:.3f} and {moving.lineages:.3f} (separation × agreement), "
            f"{reason}.",
        )


def choose(
    hyperparameters: Hyperparameters,
    series: DistanceSeries,
    settings: SamplerSettings,
    estimate: Callable[[str], Any] | None = None,
    *,
    n_threads: int | None = 1,
    workers: Workers | None = None,
) -> Choice:
    """Put numbers in place of names of estimators of dof, and a model in place of ``geometry="auto"``.

    ``estimate`` is a function that estimates dof by an estimator of this name, if not that of the series itself. The
    same seed makes the same choice, whatever the number of threads, and whoever works on it.
    """
    h, estimate = hyperparameters, estimate or series.dof
    both = h.geometry == "auto" and not settings.spread_epochs and both_models_suit(h, series)
    first = h.without_auto()
    path = None
    if h.dof == "auto":
        usual = estimate("moments")
        path = resolution_path(series, first, settings, usual=usual, n_threads=n_threads, executor=workers)
        first = first.with_dof(path.best.dof)
    elif isinstance(h.dof, str):
        first = first.with_dof(estimate(h.dof))
    if not both:
        return Choice(first, path)
    models: dict[Geometry, Hyperparameters] = {"full": first, "moving": first.with_geometry("moving")}
    untried = [models["moving"]] if path else list(models.values())
    steps = [*([path.best] if path else []), *map(as_step, try_out(series, untried, settings, n_threads, workers))]
    full, moving = (Trial(step.worth, merit_of_lineages(series, step.labels).product) for step in steps)
    taken: Geometry = "moving" if nothing_said(full, moving) or moving.not_much_worse(full) else "full"
    return Choice(models[taken], path, {"full": full, "moving": moving})


def both_models_suit(hyperparameters: Hyperparameters, series: DistanceSeries) -> bool:
    """Are distances between epochs known, and do the settings leave the choice open?"""
    h = hyperparameters
    known = series.cross is not None and series.n_epochs > 1 and sum(series.n_objects) <= LARGEST_CROSS
    return known and not h.speaks_of_motion and not h.speaks_of_links
