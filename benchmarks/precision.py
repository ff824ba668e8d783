"""Distances in half the memory: float32 ÷ float64.

Time is that of a settled sweep at n = 2,000; the two alternate, 15 times. Posterior means come from two runs on the
overlapping design (4 chains of 300 + 500 sweeps) with the same seed. They make the same choices until rounding changes
one, and diverge from then on; the share of draws with equal labels shows how far. The difference of means is in Monte
Carlo standard errors of independent runs; it is 0 if all labels are equal.
"""

import numpy as np

from benchmarks.cases import chain_on, seconds, series_of
from benchmarks.mixing import DEFAULT, overlapping, run
from benchmarks.sweep import N_SETTLING
from benchmarks.table import Row, number
from tetiwd import run_chains

N, N_ROUNDS = 2000, 15


def rows() -> list[Row]:
    """Time, and shift of the posterior means of alpha and of the number of clusters."""
    single, double = run_chains(*overlapping(np.float32), DEFAULT).draws, run(overlapping, "all moves")[0].draws
    alpha = shift([d.alpha for d in single], [d.alpha for d in double])
    k = shift([d.n_clusters.mean(axis=1) for d in single], [d.n_clusters.mean(axis=1) for d in double])
    equal = np.mean([(one.labels == other.labels).all(axis=1) for one, other in zip(single, double, strict=True)])
    return [
        Row("float32 ÷ float64, settled sweep, n = 2,000", number(ratio_of_times())),
        Row("float32 and float64, same seed: draws with equal labels", f"{100 * equal:.0f} %"),
        Row("float32 − float64, posterior mean of alpha", f"{number(alpha)} standard errors"),
        Row("float32 − float64, posterior mean of k", f"{number(k)} standard errors"),
    ]


def ratio_of_times() -> float:
    """Settled sweep in float32 ÷ in float64."""
    chains = [chain_on(series_of(1, N, 8, dtype)) for dtype in (np.float32, np.float64)]
    for chain in chains:
        for _ in range(N_SETTLING):
            chain.step()
    times = [[seconds(chain.step, 4) for chain in chains] for _ in range(N_ROUNDS)]
    single, double = np.median(times, axis=0)
    return single / double


def shift(one: list[np.ndarray], other: list[np.ndarray]) -> float:
    """Difference of two means in Monte Carlo standard errors."""
    from arviz_stats.base import array_stats

    difference = np.mean(one) - np.mean(other)
    errors = [float(array_stats.mcse(np.array(draws), method="mean")) for draws in (one, other)]
    return abs(difference) / float(np.linalg.norm(errors))
