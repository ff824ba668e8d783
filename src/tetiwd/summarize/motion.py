"""How far lineages move from one time to the next, from the draws of moving centres, and in words."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import Setting, SettingsError
from tetiwd.params import LEVEL
from tetiwd.sample import Sample

Floats = NDArray[np.float64]
STAYS, FORGETS = 0.97, 0.3  # rho from which lineages as good as stay, up to which they as good as forget their place


@dataclass(frozen=True, eq=False)
class LineageMotion:
    """Draws of the correlation ρ, and of distances in the unit of the data."""

    rho: Floats  # (S,)
    step: Floats  # (S,) root mean squared distance of a lineage's places at consecutive times
    apart: Floats  # (S,) the same of two lineages at one time
    level: float = LEVEL
    common: Floats | None = None  # (S,) the same of the displacements of two times, if the model has them

    @cached_property
    def relative_step(self) -> Floats:
        """Steps relative to the distance between lineages: 0 if they stay, 1 if they jump anywhere."""
        return self.step / self.apart

    def interval(self, drawn: Floats) -> tuple[float, float]:
        """Central credible interval."""
        tail = (1 - self.level) / 2
        lower, upper = np.quantile(drawn, [tail, 1 - tail])
        return float(lower), float(upper)

    @property
    def kind(self) -> str:
        """ "pooled", "moving" or "static"."""
        rho = float(np.median(self.rho))
        return "pooled" if rho >= STAYS else "static" if rho <= FORGETS else "moving"

    def sentences(self) -> list[str]:
        """What the draws say."""
        lower, upper = self.interval(self.rho)
        verdict = {
            "pooled": "Lineages hardly move: clustering all times together would give much the same result."
            if self.common is None
            else "Lineages hardly move in relation to each other.",
            "moving": "Lineages move, but can still be recognised by their place.",
            "static": "Lineages are in a new place at every time, so times say little about each other.",
        }[self.kind]
        sentences = [
            f"From one time to the next a lineage moves by {np.median(self.step):.3g}, and two lineages are "
            f"{np.median(self.apart):.3g} apart; the correlation of places is {np.median(self.rho):.2f} "
            f"({lower:.2f} to {upper:.2f}).",
            verdict,
        ]
        if self.common is not None:
            lower, upper = self.interval(self.common)
            sentences.append(
                "All objects of a time are displaced together as well, from one time to another by "
                f"{np.median(self.common):.3g} ({lower:.3g} to {upper:.3g})."
            )
        return sentences


def lineage_motion(sample: Sample, *, level: float = LEVEL) -> LineageMotion:
    """How far lineages move; the sample must be of moving centres."""
    if not sample.hyperparameters.moves:
        raise SettingsError(
            ["places of lineages are part of the model only with ", Setting("geometry", "moving")], "run it with that"
        )
    drawn = [draws for draws in sample.draws if len(draws)]
    rho = np.concatenate([draws.array("rho") for draws in drawn])
    scale = np.concatenate([draws.new_scale for draws in drawn])
    common = None
    if sample.hyperparameters.shift != 0:
        common = np.sqrt(2 * np.concatenate([draws.array("shift") for draws in drawn]))
    return LineageMotion(rho, np.sqrt(2 * scale * (1 - rho)), np.sqrt(2 * scale), level, common)
