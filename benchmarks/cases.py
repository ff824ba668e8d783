"""What the measurements share: simulated data, a chain on them, and a clock."""

import time
from collections.abc import Callable
from statistics import median

import numpy as np
from numpy.typing import DTypeLike

from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings
from tetiwd.model.designs import simulate_with_clusters
from tetiwd.sampler import Chain

DOF = 40
ENDLESS = 1_000_000  # sweeps of warm-up: the chain is stepped by hand and records nothing


def series_of(T: int, n: int, k: int, dtype: DTypeLike = np.float64) -> DistanceSeries:
    """T epochs of n objects each, in k clusters that are easy to tell apart."""
    truth = simulate_with_clusters([n] * T, k, Hyperparameters(dof=DOF, alpha=2.0, new_scale=1.0), seed=0)
    return DistanceSeries.from_distances([D.astype(dtype, copy=False) for D in truth.D], squared=True)


def chain_on(series: DistanceSeries) -> Chain:
    """A chain with default settings, at its start; everything has been compiled."""
    settings = SamplerSettings(n_chains=1, n_warmup=ENDLESS)
    small = Chain(series_of(2, 20, 2, series.D[0].dtype), Hyperparameters(dof=DOF), SamplerSettings(n_warmup=1))
    for _ in range(2):
        small.step()
    return Chain(series, Hyperparameters(dof=DOF), settings)


def seconds(call: Callable[[], object], repeats: int) -> float:
    """Median processor time of a call; unlike the time on the wall it hardly depends on what else is running."""
    return median(_once(call) for _ in range(repeats))


def _once(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start
