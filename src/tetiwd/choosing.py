"""What a run leaves open is chosen from the data before it begins: degrees of freedom, and which model.

Short runs are compared by the merit of their clusters (:mod:`tetiwd.merit`), a score that no model makes. Degrees of
freedom come first, from a path of several values (:mod:`tetiwd.resolution`). Where distances between epochs are known
there are two models: moving centres, which know more about lineages, are tried with the same degrees of freedom, and
taken unless their clusters are worse. The reasons are in ``docs/explanation/choosing.md``.
"""

from dataclasses import dataclass, field, replace
from typing import Literal

from tetiwd.data import DistanceSeries
from tetiwd.params import LARGEST_CROSS, Hyperparameters, SamplerSettings
from tetiwd.resolution import ResolutionPath, Step
from tetiwd.trials import as_step, resolution_path, try_out

Geometry = Literal["full", "moving"]
AS_GOOD = 0.9  # share of the other's worth that is hardly worse, from short runs
MOST_TRIED = 20_000  # objects in all; with more, trials take too long
IN_WORDS = {"full": "the paper's model", "moving": "moving centres"}


@dataclass(frozen=True)
class Choice:
    """Hyperparameters without anything left open, and what they were chosen by."""

    hyperparameters: Hyperparameters
    path: ResolutionPath | None = None  # if degrees of freedom were chosen from one
    trials: dict[Geometry, Step] = field(default_factory=dict)  # of the models, if there was a choice

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the user should know."""
        return (*(self.path.sentences() if self.path else ()), *self._why_this_model())

    def _why_this_model(self) -> tuple[str, ...]:
        if not self.trials:
            return ()
        scores = " and ".join(
            f"{one.worth:.3f} for {IN_WORDS[geometry]} "
            f"({one.merit.separation:.2f} × {one.merit.agreement:.2f} × {one.certainty:.2f})"
            for geometry, one in self.trials.items()
        )
        full, moving = (self.trials[geometry].worth for geometry in ("full", "moving"))
        if self.hyperparameters.geometry == "full":
            reason = "so the paper's model was used"
        elif moving > full:
            reason = "so moving centres were used"
        else:
            reason = "so moving centres, which are hardly worse and know more about lineages, were used"
        return (
            "Two models were tried in short runs. The separation of clusters times the agreement of neighbours times "
            f"the certainty of the draws was {scores}, {reason}.",
        )


def choose(
    hyperparameters: Hyperparameters, series: DistanceSeries, settings: SamplerSettings, *, n_threads: int | None = 1
) -> Choice:
    """Put numbers in place of names of estimators of dof, and a model in place of ``geometry="auto"``.

    The same seed makes the same choice, whatever the number of threads.
    """
    h = hyperparameters
    both = h.geometry == "auto" and both_models_suit(h, series)
    first = h if h.geometry != "auto" else h.with_geometry("moving" if h.speaks_of_motion else "full")
    path = None
    if h.dof == "auto" and sum(series.n_objects) <= MOST_TRIED:
        path = resolution_path(series, first, settings, n_threads=n_threads)
        first = replace(first, dof=path.best.dof)
    elif isinstance(h.dof, str):
        first = replace(first, dof=series.dof("moments" if h.dof == "auto" else h.dof))
    if not both:
        return Choice(first, path)
    models: dict[Geometry, Hyperparameters] = {"full": first, "moving": first.with_geometry("moving")}
    untried = [models["moving"]] if path else list(models.values())
    found = [as_step(sample) for sample in try_out(series, untried, settings, n_threads)]
    full, moving = [path.best, *found] if path else found
    taken: Geometry = "moving" if moving.worth >= AS_GOOD * full.worth else "full"
    return Choice(models[taken], path, {"full": full, "moving": moving})


def both_models_suit(hyperparameters: Hyperparameters, series: DistanceSeries) -> bool:
    """Are distances between epochs known, and do the settings leave the choice open?"""
    h = hyperparameters
    known = series.cross is not None and series.n_epochs > 1 and sum(series.n_objects) <= LARGEST_CROSS
    return known and not h.speaks_of_motion and not h.speaks_of_links
