"""What a run leaves open is chosen from the data before it begins: degrees of freedom, and which model.

Short runs are compared by the merit of their clusters (:mod:`tetiwd.merit`), a score that no model makes. Degrees of
freedom come first, from a path of several values (:mod:`tetiwd.resolution`). Where distances between epochs are known
there are other models besides the paper's, which know more about lineages. Pooled centres are tried if the distances
come from a tree, and taken unless their clusters are worse; then moving centres, which are taken unless their clusters
or lineages are worse. The reasons are in ``docs/explanation/choosing.md``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tetiwd.data import DistanceSeries
from tetiwd.data.tree_likeness import TREE_LIKE, mean_delta
from tetiwd.errands import Workers
from tetiwd.merit import merit_of_lineages
from tetiwd.params import LARGEST_CROSS, Hyperparameters, SamplerSettings
from tetiwd.resolution import AS_GOOD_ON_A_TREE, LEAST_MERIT, Neighbours, ResolutionPath, Step
from tetiwd.trials import REACH, as_step, resolution_path, scaled, try_out

Geometry = Literal["full", "moving", "pooled"]
AS_GOOD = 0.8  # share of another score that is not much worse, from short runs


@dataclass(frozen=True)
class Trial:
    """How good the answers of a model are, from short runs."""

    merit: float  # of the clusters of every epoch
    certainty: float  # of the draws
    lineages: float  # merit of lineages over all epochs

    @property
    def clusters(self) -> float:
        """The merit of clusters times their certainty."""
        return self.merit * self.certainty

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
    delta: float = 1.0  # how far from a tree the distances are
    neighbours: Neighbours | None = None  # half and twice the degrees of freedom, if the path is not of this model

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why this and nothing else, in sentences."""
        path = self.resolution.sentences(self.neighbours) if self.resolution else ()
        return (*path, *self._why_pooled_or_not(), *self._why_moving_or_not())

    def _why_pooled_or_not(self) -> list[str]:
        if "pooled" not in self.trials:
            return []
        pooled = self.hyperparameters.geometry == "pooled"
        taken = f"so pooled centres were {'used' if pooled else 'not used'}"
        return [
            f"The distances are nearly those of a tree (mean delta {self.delta:.2f}; 0 on a tree), as between "
            "sequences that evolve. Branches of a tree stay where they are, so pooled centres were tried in short "
            f"runs: their clusters at single times scored {self.trials['pooled'].merit:.3f}, those of the paper's "
            f"model {self.trials['full'].merit:.3f} (separation × agreement of neighbours), {taken}."
        ]

    def _why_moving_or_not(self) -> list[str]:
        if "moving" not in self.trials:
            return []
        full, moving = (self.trials[geometry] for geometry in ("full", "moving"))
        if nothing_said(full, moving):
            reason = "which is too little to tell; so moving centres, which know more, were used"
        elif self.hyperparameters.geometry == "full":
            reason = "so the paper's model was used"
        elif moving.clusters >= full.clusters and moving.lineages >= full.lineages:
            reason = "so moving centres were used"
        else:
            reason = "so moving centres, which are not much worse and know more about lineages, were used"
        return [
            "Two models were tried in short runs, the paper's and moving centres. Clusters at single times scored "
            f"{full.clusters:.3f} and {moving.clusters:.3f} (separation × agreement of neighbours × certainty of the "
            f"draws), lineages over all times {full.lineages:.3f} and {moving.lineages:.3f} (separation × agreement), "
            f"{reason}."
        ]


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
    usual = estimate("moments" if h.dof == "auto" else h.dof) if isinstance(h.dof, str) else None

    def resolved(model: Hyperparameters) -> tuple[Hyperparameters, ResolutionPath | None]:
        """With degrees of freedom, and the path that they are from."""
        if h.dof != "auto":
            return (model if usual is None else model.with_dof(usual)), None
        path = resolution_path(series, model, settings, usual=usual, n_threads=n_threads, executor=workers)
        return model.with_dof(path.best.dof), path

    def steps_of(models: Sequence[Hyperparameters]) -> list[Step]:
        """What short runs find."""
        return [as_step(sample) for sample in try_out(series, models, settings, n_threads, workers)]

    def judged(step: Step) -> Trial:
        """How well a model does."""
        lineages = merit_of_lineages(series, step.labels).product
        return Trial(step.merit.product, max(step.certainty, 0.0), lineages)

    def tried(model: Hyperparameters, path: ResolutionPath | None) -> Trial:
        """The same; what the path of a model has found is not done again."""
        return judged(path.best if path else steps_of([model])[0])

    first, path = resolved(h.without_auto())
    if h.geometry != "auto" or settings.spread_epochs or not other_models_suit(h, series):
        return Choice(first, path)
    trials: dict[Geometry, Trial] = {"full": tried(first, path)}
    delta = mean_delta(series.cross)  # type: ignore[arg-type]
    if delta <= TREE_LIKE:
        pooled, path_of_pooled = resolved(h.with_geometry("pooled"))
        trials["pooled"] = tried(pooled, path_of_pooled)
        if trials["pooled"].merit >= max(LEAST_MERIT, AS_GOOD_ON_A_TREE * trials["full"].merit):
            return Choice(pooled, path_of_pooled, trials, delta)
    moving = first.with_geometry("moving")
    (step,) = steps_of([moving])
    trials["moving"] = judged(step)
    if not (nothing_said(trials["full"], trials["moving"]) or trials["moving"].not_much_worse(trials["full"])):
        return Choice(first, path, trials, delta)
    if path is None:
        return Choice(moving, None, trials, delta)
    half, double = steps_of([moving.with_dof(scaled(path.best.dof, at)) for at in (-REACH, REACH)])
    return Choice(moving, path, trials, delta, Neighbours(step, half, double))


def other_models_suit(hyperparameters: Hyperparameters, series: DistanceSeries) -> bool:
    """Are distances between epochs known, and do the settings leave the choice open?"""
    h = hyperparameters
    known = series.cross is not None and series.n_epochs > 1 and sum(series.n_objects) <= LARGEST_CROSS
    return known and not h.speaks_of_motion and not h.speaks_of_links
