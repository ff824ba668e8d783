"""What a run leaves open is chosen from the data before it begins: degrees of freedom, and which model.

Where distances between epochs are known there are two models. Both are tried in short runs. Moving centres, which know
more about lineages, are taken unless the merit of their clustering (:mod:`tetiwd.summarize.merit`) is smaller: a score
of distances and clusters that neither model makes. The reasons are in ``docs/explanation/choosing.md``.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Literal

from tetiwd.data import DistanceSeries
from tetiwd.draws import Draws
from tetiwd.params import LARGEST_CROSS, Hyperparameters, SamplerSettings
from tetiwd.partitions import Partitions
from tetiwd.sampler import Chain, run_chain
from tetiwd.summarize.merit import Merit, merit
from tetiwd.summarize.point_estimate import representative

Geometry = Literal["full", "moving"]
TRIAL = SamplerSettings(n_chains=2, n_warmup=100, n_draws=150, geometry_every=0)
AS_GOOD = 0.95  # share of the other's merit that is no worse, from short runs
IN_WORDS = {"full": "the paper's model", "moving": "moving centres"}


@dataclass(frozen=True)
class Choice:
    """Hyperparameters without anything left open, and why the model was chosen, if there was a choice."""

    hyperparameters: Hyperparameters
    merits: dict[Geometry, Merit]  # of the models that were tried

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the user should know."""
        if not self.merits:
            return ()
        scores = " and ".join(
            f"{one.product:.3f} for {IN_WORDS[geometry]} ({one.separation:.2f} × {one.agreement:.2f})"
            for geometry, one in self.merits.items()
        )
        full, moving = (self.merits[geometry].product for geometry in ("full", "moving"))
        if self.hyperparameters.geometry == "full":
            reason = "so the paper's model was used"
        elif moving > full:
            reason = "so moving centres were used"
        else:
            reason = "so moving centres, which are hardly worse and know more about lineages, were used"
        return (
            f"Two models were tried in short runs. The separation of clusters times the agreement of neighbours was "
            f"{scores}, {reason}.",
        )


def choose(
    hyperparameters: Hyperparameters, series: DistanceSeries, *, seed: int = 0, n_threads: int | None = 1
) -> Choice:
    """Put numbers in place of names of estimators of dof, and a model in place of ``geometry="auto"``.

    The same seed makes the same choice, whatever the number of threads.
    """
    h = hyperparameters
    if isinstance(h.dof, str):
        h = replace(h, dof=series.dof(h.dof))
    if h.geometry != "auto":
        return Choice(h, {})
    if not both_models_suit(h, series):
        return Choice(h.with_geometry("moving" if h.speaks_of_motion else "full"), {})
    models: dict[Geometry, Hyperparameters] = {"full": h.with_geometry("full"), "moving": h.with_geometry("moving")}
    settings = replace(TRIAL, seed=seed)
    merits = {geometry: try_out(series, model, settings, n_threads) for geometry, model in models.items()}
    moving = merits["moving"].product >= AS_GOOD * merits["full"].product
    return Choice(models["moving" if moving else "full"], merits)


def both_models_suit(hyperparameters: Hyperparameters, series: DistanceSeries) -> bool:
    """Are distances between epochs known, and do the settings leave the choice open?"""
    h = hyperparameters
    known = series.cross is not None and series.n_epochs > 1 and sum(series.n_objects) <= LARGEST_CROSS
    return known and not h.speaks_of_motion and not h.speaks_of_links


def try_out(
    series: DistanceSeries, model: Hyperparameters, settings: SamplerSettings, n_threads: int | None = 1
) -> Merit:
    """Merit of the clustering that short chains find."""
    chains = [Chain(series, model, settings, index) for index in range(settings.n_chains)]
    with ThreadPoolExecutor(min(n_threads or settings.n_chains, settings.n_chains)) as pool:
        draws = list(pool.map(run_whole, chains))
    partitions = Partitions.of_draws(draws, series)
    epochs = (partitions.epoch(t) for t in range(partitions.n_epochs))
    return merit(series, [representative(one, "ari", at_most="median", n_runs=1).labels[0] for one in epochs])


def run_whole(chain: Chain) -> Draws:
    """All draws of a chain."""
    for _ in run_chain(chain):
        pass
    return chain.draws
