"""From draws to the point estimate.

1,000 draws of one epoch, made by the sampler from 8 overlapping clusters (the standard deviation of an object is 0.8 of
the distance between centres), 4 chains of 200 + 250 sweeps. The search is ``representative`` with its default settings,
in processor time. The ratio compares the expected loss of its result with that of the best of 100 draws.
"""

import time

import numpy as np

from benchmarks.table import Row, at_most, number
from tetiwd import DistanceSeries, Hyperparameters, Partitions, SamplerSettings, representative, run_chains
from tetiwd.summarize.losses import as_loss, losses_to_draws

SETTINGS = SamplerSettings(n_chains=4, n_warmup=200, n_draws=250, anneal=None)
GOALS = {200: 0.2, 2000: 3.3}  # three times what R's salso takes


def rows() -> list[Row]:
    """Seconds at both sizes for every loss."""
    representative(draws_of(20), "vi")
    representative(draws_of(20), "ari")
    return [row for n in GOALS for row in rows_at(n)]


def rows_at(n: int) -> list[Row]:
    """Seconds of every loss at one size."""
    draws = draws_of(n)
    found = []
    for loss in ("vi", "binder", "ari"):
        start = time.process_time()
        answer = representative(draws, loss)
        took = time.process_time() - start
        best = min(losses_to_draws(own, draws.labels, as_loss(loss)).mean() for own in draws.thinned(100).labels)
        note = f" (loss {number(answer.expected_loss / best)} of that of the best of 100 draws)"
        found.append(at_most(f"representative by {loss}, n = {n:,}, 1,000 draws", took, GOALS[n], " s", note))
    return found


def draws_of(n: int) -> Partitions:
    """1,000 draws of the partition of n objects."""
    rng = np.random.default_rng(n)
    centres = rng.standard_normal((8, 10))
    X = centres[rng.integers(8, size=n)] + 0.8 * np.sqrt(2) * rng.standard_normal((n, 10))
    series = DistanceSeries.from_features(X, time=np.zeros(n, dtype=int))
    return run_chains(series, Hyperparameters(dof=10), SETTINGS).partitions
