"""How well objects can be told apart at all: each is classified by somebody who is told the clusters of all others.

``python -m benchmarks.ceiling [DATA_SETS]`` takes data sets of the experiments, 50 per kind of data, in some seconds.
A cluster is a sphere around the mean of its other members, all with one variance, and as probable as it is large. Who
clusters is told nothing, so that the adjusted Rand index in the table is hardly within reach. The exception:
objects that are alone in their cluster, of which there are many in the separated design, are always classified wrongly.
"""

import sys

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from tetiwd_experiments.designs import DESIGNS


def told_all_others(X: NDArray[np.float64], labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """The most probable cluster of every object if those of all other objects are known."""
    chains, own = np.unique(labels, return_inverse=True)
    n, d, k = *X.shape, len(chains)
    members = np.eye(k)[own]  # (n, k)
    sizes, sums = members.sum(axis=0), members.T @ X
    variance = ((X - (sums / sizes[:, None])[own]) ** 2).sum() / (d * (n - k))
    others = sizes - members  # (n, k): sizes without the object itself
    weights = np.maximum(others, 1)
    means = (sums - members[:, :, None] * X[:, None]) / weights[:, :, None]  # (n, k, d)
    spread = variance * (1 + 1 / weights)
    fit = -((X[:, None] - means) ** 2).sum(axis=2) / (2 * spread) - d / 2 * np.log(spread)
    with np.errstate(divide="ignore"):  # nobody else is in it
        return chains[(fit + np.log(others)).argmax(axis=1)]


def main(n_data_sets: int = 50) -> None:
    """A row per variant: mean adjusted Rand index at every epoch, and over all epochs."""
    print("| data | every epoch | all epochs |\n|---|---|---|")
    for design in DESIGNS.values():
        for variant, draw in design.variants.items():
            scores = np.array(
                [
                    [
                        adjusted_rand_score(labels, told_all_others(X, labels))
                        for X, labels in zip(simulation.X, simulation.labels, strict=True)
                    ]
                    for simulation in map(draw, range(n_data_sets))
                ]
            )
            epochs = ", ".join(f"{score:.3f}" for score in scores.mean(axis=0))
            print(f"| {variant} | {epochs} | {scores.mean():.3f} |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
