"""A small run that many tests repeat, and a hash of everything it drew."""

import hashlib

import numpy as np

from tetiwd import DistanceSeries, Gamma, Hyperparameters, SamplerSettings, simulate
from tetiwd.partitions import Partitions

MODEL = Hyperparameters(dof=6, df_A=30, xi=Gamma(2, 0.5), geometry="full")
SETTINGS = SamplerSettings(n_chains=2, n_warmup=30, n_draws=25, thin=2, n_anneal=10, seed=5)


def small_series(n_by_epoch=(14, 11, 12)) -> DistanceSeries:
    truth = simulate(n_by_epoch, Hyperparameters(dof=6, alpha=0.3, new_scale=1.0), seed=3)
    return DistanceSeries.from_distances(truth.D, squared=True)


TWO_EPOCHS = [np.repeat([0, 1, 2], [4, 2, 1]), np.repeat([0, 1, 3], [6, 3, 1])]  # a partition


def as_draws(*partitions) -> Partitions:
    """Every argument is one draw: labels per epoch."""
    return Partitions.from_labels([np.array(own) for own in zip(*partitions, strict=True)])


def digest(sample) -> str:
    """Hash of all draws, bit by bit."""
    found = hashlib.sha256()
    for draws in sample.draws:
        for name, values in sorted(draws.to_arrays().items()):
            found.update(name.encode())
            found.update(np.ascontiguousarray(values).tobytes())
    return found.hexdigest()
