"""One chain on two threads: epochs of equal parity are updated at the same time.

8 epochs of 800 objects in 8 clusters, 100 sweeps from the true labels, through ``run_chains``. The two numbers of
threads alternate three times; the shortest run of each counts, in wall time, which other work on the machine lengthens.
"""

import time

import numpy as np

from benchmarks.cases import DOF
from benchmarks.table import Row, number
from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings, run_chains
from tetiwd.model.designs import simulate_with_clusters

T, N, K, N_SWEEPS = 8, 800, 8, 100


def rows() -> list[Row]:
    """Time on one thread ÷ time on two, and whether the draws are the same."""
    truth = simulate_with_clusters([N] * T, K, Hyperparameters(dof=DOF, alpha=2.0, new_scale=1.0), seed=0)
    series = DistanceSeries.from_distances(truth.D, squared=True)
    settings = SamplerSettings(n_chains=1, n_warmup=0, n_draws=N_SWEEPS, init=truth.labels, anneal=None)
    run_chains(series, Hyperparameters(dof=DOF), settings)  # compiles, and imports what summaries need
    times: dict[int, list[float]] = {1: [], 2: []}
    labels = {}
    for _ in range(3):
        for n_threads in times:
            start = time.perf_counter()
            sample = run_chains(series, Hyperparameters(dof=DOF), settings, n_threads=n_threads)
            times[n_threads].append(time.perf_counter() - start)
            labels[n_threads] = sample.draws[0].labels
    one, two = (min(own) for own in times.values())
    note = f" ({one / N_SWEEPS * 1e3:.1f} ÷ {two / N_SWEEPS * 1e3:.1f} ms per sweep)"
    return [
        Row(f"one thread ÷ two, one chain, T = {T}, n = {N}", number(one / two) + note),
        Row(
            "the same draws on both",
            "identical" if (same := np.array_equal(*labels.values())) else "different",
            "identical",
            same,
        ),
    ]
