"""What small epochs gain, from what, and when it would be better to pool.

``python -m benchmarks.small_epochs [DATA_SETS [STEP ...]]``; 20 data sets per row take a quarter of an hour on two
cores. A step is a number or "model"; all of them if not given.
Adjusted Rand index in the epochs of 60 and 40 objects of the unequal design 400/60/40, from the model and from Gaussian
clusters; with a step of 0 their centres stay where they are, with 1 they are in a new place at every epoch. "Unlinked"
is Te-TiWD without links and without memory of A: epochs share only the two scales.
"""

import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

import numpy as np
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from tetiwd.model import simulate_unequal
from tetiwd_experiments.baselines.methods import FULL, METHODS, OURS, Task
from tetiwd_experiments.baselines.wishart import Effort, wishart_clusters
from tetiwd_experiments.designs import SMALLER
from tetiwd_experiments.repeat import series_of

MODEL = None
STEPS = (MODEL, 1.0, 0.7, 0.5, 0.25, 0.0)
METHOD_OF = {name: METHODS[name].find for name in (OURS, "static full-A", "pooled TIWD")}
METHOD_OF["unlinked"] = lambda task: wishart_clusters(task.series, replace(FULL, dof=40.0), task.effort)
COMPARED = (OURS, "unlinked", "static full-A", "pooled TIWD")
DIFFERENCES = [(OURS, "unlinked"), ("unlinked", "static full-A"), (OURS, "static full-A"), (OURS, "pooled TIWD")]


def scores(job: tuple[float | None, int]) -> list[float]:
    """Adjusted Rand index of every method on one data set, averaged over the small epochs."""
    step, seed = job
    way = {} if step is MODEL else {"independent": True, "step": step}
    simulation = simulate_unequal(seed, n_by_epoch=SMALLER, **way)
    task = Task(series_of(simulation), simulation.n_dimensions, Effort(seed=1000 + seed))
    found = []
    for name in COMPARED:
        pairs = zip(simulation.labels[1:], METHOD_OF[name](task).labels[1:], strict=True)
        found.append(float(np.mean([adjusted_rand_score(*pair) for pair in pairs])))
    return found


def main(n_data_sets: int = 20, steps: Sequence[float | None] = STEPS) -> None:
    """A row per kind of data: means, then differences with standard errors."""
    head = ["data", *COMPARED, *(" − ".join(pair) for pair in DIFFERENCES)]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    with ProcessPoolExecutor(mp_context=get_context("spawn"), initializer=threadpool_limits, initargs=(1,)) as pool:
        for step in steps:
            table = np.array(list(pool.map(scores, [(step, seed) for seed in range(n_data_sets)])))
            columns = dict(zip(COMPARED, table.T, strict=True))
            differences = np.column_stack([columns[one] - columns[other] for one, other in DIFFERENCES])
            errors = differences.std(axis=0, ddof=1) / np.sqrt(n_data_sets)
            cells = [f"{mean:.3f}" for mean in table.mean(axis=0)]
            cells += [f"{own:+.3f} ± {error:.3f}" for own, error in zip(differences.mean(axis=0), errors, strict=True)]
            print(f"| {'model' if step is MODEL else f'step {step:g}'} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    asked = [MODEL if own == "model" else float(own) for own in sys.argv[2:]]
    main(int(sys.argv[1]) if sys.argv[1:] else 20, asked or STEPS)
