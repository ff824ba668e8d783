"""A move of the sampler, and the arguments that all moves of a sweep share."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tetiwd.params import Hyperparameters, SamplerSettings

Axis = Literal["time", "step", "scale_move", "draw"]  # a value per epoch, boundary between epochs, scale; one value


@dataclass(frozen=True)
class Sweep:
    """Everything besides the state that the moves of one sweep are given."""

    models: list[Any]  # numbers for the kernels: one per epoch, or one in all
    hyperparameters: Hyperparameters
    settings: SamplerSettings
    epoch_rngs: list[np.random.Generator]
    rng: np.random.Generator  # for what concerns all epochs
    steps: dict[str, float]  # step sizes by scale
    coupled: bool
    power: float = 1.0
    dof_factor: float = 1.0  # of the likelihood
    pool: Executor | None = None


@dataclass(frozen=True)
class Move:
    """One move of a sweep.

    Parameters
    ----------
    name
        Its name.
    update
        Changes the state in place and returns an array for every statistic.
    reports
        Names of the statistics and their axes. They are recorded with every draw and written to results.nc.
    needs_links
        True if the move is left out while epochs are not coupled; its statistics are then NaN.
    """

    name: str
    update: Callable[[Any, Sweep], Sequence[NDArray[Any]]]
    reports: Mapping[str, Axis]
    needs_links: bool = False

    def __call__(self, state: Any, sweep: Sweep) -> dict[str, NDArray[Any]]:
        """Make the move; returns its statistics by name."""
        if self.needs_links and not sweep.coupled:
            sizes = {"time": state.n_epochs, "step": state.n_epochs - 1}
            return {name: np.full(sizes[axis], np.nan) for name, axis in self.reports.items()}
        return dict(zip(self.reports, self.update(state, sweep), strict=True))
