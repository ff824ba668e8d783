"""Does the comparison of samplers depend on how draws become one clustering, and on the score?

``python -m benchmarks.estimates [DATA_SETS]``; 20 data sets of each of three kinds take some ten minutes on two cores.
The draws of the experiments, summarised in two ways: with the largest expected adjusted Rand index and no more clusters
than the median draw, as there; and with the smallest expected variation of information, as the package does unless told
otherwise. Both are scored by both. In the unequal design only the two small epochs count.
"""

import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

import numpy as np
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from tetiwd import Hyperparameters, Partitions, representative
from tetiwd.model import Simulation
from tetiwd_experiments.baselines.answer import DRAWS_FOR_SEARCH, answer_from_draws
from tetiwd_experiments.baselines.methods import FULL, OURS
from tetiwd_experiments.baselines.te_gauss import sample_te_gauss
from tetiwd_experiments.baselines.wishart import Effort, every_epoch_alone, wishart_draws
from tetiwd_experiments.designs import DESIGNS
from tetiwd_experiments.repeat import series_of, variation_of_information

DATA = {"overlapping": 0, "400/60/40 model": 1, "400/60/40 independent": 1}  # the first epoch that counts
VARIANTS = {name: draw for design in DESIGNS.values() for name, draw in design.variants.items()}
SAMPLERS = (OURS, "static full-A", "Te-Gauss")
ESTIMATES = {
    "largest ARI, k limited": lambda draws: answer_from_draws(draws).labels[0],
    "smallest VI": lambda draws: representative(draws, "vi", n_runs=4, max_draws=DRAWS_FOR_SEARCH).labels[0],
}


def draws_by_epoch(simulation: Simulation, seed: int) -> dict[str, list[Partitions]]:
    """What every sampler says of every epoch."""
    series, effort, d = series_of(simulation), Effort(seed=seed), float(simulation.n_dimensions)
    together = {
        OURS: wishart_draws(series, Hyperparameters(dof=d), effort),
        "Te-Gauss": sample_te_gauss(series, n_warmup=effort.n_warmup, n_draws=effort.n_draws, seed=seed),
    }
    found = {name: [draws.epoch(t) for t in range(draws.n_epochs)] for name, draws in together.items()}
    found["static full-A"] = [wishart_draws(own, replace(FULL, dof=d), effort) for own in every_epoch_alone(series)]
    return found


def scores(job: tuple[str, int]) -> list[list[list[float]]]:
    """Both scores of every sampler and estimate, averaged over the epochs that count: (samplers, estimates, 2)."""
    variant, seed = job
    simulation = VARIANTS[variant](seed)
    found = draws_by_epoch(simulation, 1000 + seed)
    epochs = range(DATA[variant], len(simulation.labels))

    def mean_scores(sampler: str, estimate: str) -> list[float]:
        pairs = [(simulation.labels[t], ESTIMATES[estimate](found[sampler][t])) for t in epochs]
        both = [np.mean([score(*pair) for pair in pairs]) for score in (adjusted_rand_score, variation_of_information)]
        return list(map(float, both))

    return [[mean_scores(sampler, estimate) for estimate in ESTIMATES] for sampler in SAMPLERS]


def main(n_data_sets: int = 20) -> None:
    """A row per kind of data, estimate and sampler: both scores, and Te-TiWD minus the sampler with standard errors."""
    head = ["data", "estimate", "sampler", "ARI", "VI (bits)", "Te-TiWD − it: ARI", "VI"]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    with ProcessPoolExecutor(mp_context=get_context("spawn"), initializer=threadpool_limits, initargs=(1,)) as pool:
        for variant in DATA:
            table = np.array(list(pool.map(scores, [(variant, seed) for seed in range(n_data_sets)])))
            differences = table[:, :1] - table
            errors = differences.std(axis=0, ddof=1) / np.sqrt(n_data_sets)
            for e, estimate in enumerate(ESTIMATES):
                for s, sampler in enumerate(SAMPLERS):
                    means = [f"{mean:.3f}" for mean in table[:, s, e].mean(axis=0)]
                    apart = [
                        f"{own:+.3f} ± {error:.3f}" if s else "–"
                        for own, error in zip(differences[:, s, e].mean(axis=0), errors[s, e], strict=True)
                    ]
                    print(f"| {' | '.join([variant, estimate, sampler, *means, *apart])} |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
