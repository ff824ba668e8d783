"""How far must clusters move before it is better not to pool? Te-TiWD, its static version and pooled TIWD by step.

``python -m benchmarks.moving_clusters [DATA_SETS]``; 24 data sets per step take about ten minutes on two cores. Sizes
400/60/40, six Gaussian clusters in 40 dimensions; a step of 0 leaves centres where they are, 1 puts them elsewhere.
"""

import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from tetiwd.baselines.methods import METHODS, OURS, Task
from tetiwd.baselines.wishart import Effort
from tetiwd.experiments.designs import SMALLER
from tetiwd.experiments.unit import series_of
from tetiwd.model import simulate_unequal

STEPS = (0.0, 0.25, 0.5, 0.7, 0.85, 1.0)
COMPARED = (OURS, "static full-A", "pooled TIWD")


def scores(job: tuple[float, int]) -> list[float]:
    """Adjusted Rand index of every method on one data set, averaged over epochs."""
    step, seed = job
    simulation = simulate_unequal(seed, n_by_epoch=SMALLER, independent=True, step=step)
    task = Task(series_of(simulation), simulation.X[0].shape[1], Effort(seed=1000 + seed))
    found = []
    for name in COMPARED:
        pairs = zip(simulation.labels, METHODS[name].find(task).labels, strict=True)
        found.append(float(np.mean([adjusted_rand_score(*pair) for pair in pairs])))
    return found


def main(n_data_sets: int = 24) -> None:
    """A row per step."""
    print(f"| step | {' | '.join(COMPARED)} | Te-TiWD − pooled |\n|---|{'---|' * (len(COMPARED) + 1)}")
    with ProcessPoolExecutor(mp_context=get_context("spawn"), initializer=threadpool_limits, initargs=(1,)) as pool:
        for step in STEPS:
            table = np.array(list(pool.map(scores, [(step, seed) for seed in range(n_data_sets)])))
            difference = table[:, 0] - table[:, -1]
            error = difference.std(ddof=1) / np.sqrt(n_data_sets)
            means = " | ".join(f"{mean:.3f}" for mean in table.mean(axis=0))
            print(f"| {step:g} | {means} | {difference.mean():+.3f} ± {error:.3f} |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
