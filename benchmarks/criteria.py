"""Other criteria for the degrees of freedom, next to the rule: ``python -m benchmarks.criteria [SETS]``.

For every labelled series of the league, the paper's model at several values (:func:`tetiwd.resolution_path`), and the
adjusted Rand index with the labels of the clusters that each criterion takes:

merit        the rule of the package
stability    most like the clusters in draws from four fifths of the objects
merit × stability
dispersion   the value is nearest to what the distances within its own clusters say: 2 mean² / variance
check        a posterior predictive check: nine tenths of the distances within clusters are below the quantile of χ²
held out     the sizes of clusters and mean distances between them, from four fifths of the pairs of objects, predict
             the other pairs best; clusters were found with all pairs

Single clusters are stable and hold no surprise, so all but the rule leave them out if there is anything else. Values
above the estimate are never taken.
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from benchmarks.labelled import Labelled
from benchmarks.league import scores
from benchmarks.league.runs import load
from benchmarks.league.sets import SETS
from benchmarks.table import aligned
from tetiwd import ResolutionPath, SamplerSettings, resolution_path
from tetiwd.resolution import Step

Ints, Floats = NDArray[np.int64], NDArray[np.float64]
LARGEST_SHARE = 0.9  # of the distances within clusters, in the check
HELD_OUT = 0.2  # share of the pairs


def main(names: Sequence[str]) -> None:
    """Print a line per set, and the means."""
    header, rows = ["set", "estimate", *CRITERIA, "best value"], []
    for name in names or SETS:
        data = load(name)
        if data is None:
            continue
        rows.append([name, *indices(data)])
        print(name, *(f"{value:.3f}" for value in rows[-1][1:]), file=sys.stderr, flush=True)
    means = np.mean([row[1:] for row in rows], axis=0)
    print(aligned(header, [[name, *(f"{value:.2f}" for value in own)] for name, *own in [*rows, ["mean", *means]]]))


def indices(data: Labelled) -> list[float]:
    """The adjusted Rand index at the estimate, of what every criterion takes, and of the best value up to it."""
    path = resolution_path(data.series, settings=SamplerSettings(seed=0), subsample=True)
    steps = path.steps[: path.usual + 1]
    known = [np.unique(own, return_inverse=True)[1] for own in data.labels]
    index = [scores.agreement(known, step.labels) for step in steps]
    divided = [i for i, step in enumerate(steps) if step.n_clusters > 1] or [path.usual]
    taken = [path.chosen]
    for criterion in list(CRITERIA.values())[1:]:
        values = criterion(data, path, steps)
        taken.append(max(divided, key=lambda i: values[i]))
    return [index[-1], *(index[i] for i in taken), max(index)]


def within(data: Labelled, step: Step) -> list[Floats]:
    """Squared distances within every cluster at every epoch, relative to their mean."""
    found = []
    for D, labels in zip(data.series.matrices, step.labels, strict=True):
        for cluster in np.unique(labels):
            own = np.flatnonzero(labels == cluster)
            pairs = np.asarray(D)[np.ix_(own, own)][np.triu_indices(len(own), 1)]
            if len(pairs) > 1 and pairs.any():
                found.append(pairs / pairs.mean())
    return found


def dispersion(data: Labelled, path: ResolutionPath, steps: Sequence[Step]) -> list[float]:
    """Minus the distance of a value from what its own clusters say, on the scale of logarithms."""
    variances = [np.var(np.concatenate(within(data, step))) for step in steps]
    return [-abs(np.log(2 / variance / np.median(step.dof))) for variance, step in zip(variances, steps, strict=True)]


def check(data: Labelled, path: ResolutionPath, steps: Sequence[Step]) -> list[float]:
    """Minus how far the largest distances within clusters are from what the model expects."""
    gaps = []
    for step in steps:
        dof = float(np.median(step.dof))
        expected = chi2.ppf(LARGEST_SHARE, dof) / dof
        gaps.append(-abs(np.log(np.quantile(np.concatenate(within(data, step)), LARGEST_SHARE) / expected)))
    return gaps


def held_out(data: Labelled, path: ResolutionPath, steps: Sequence[Step]) -> list[float]:
    """Minus the squared error of pairs that were left out, predicted by the mean of their pair of clusters."""
    errors = np.zeros(len(steps))
    for t, D in enumerate(data.series.matrices):
        above = np.triu_indices(len(D), 1)
        pairs = np.asarray(D, dtype=float)[above]
        out = np.random.default_rng(t).random(len(pairs)) < HELD_OUT
        for i, step in enumerate(steps):
            errors[i] += error_of(pairs, out, step.labels[t], above)
    return [-float(error) for error in errors]


def error_of(pairs: Floats, out: NDArray[np.bool_], labels: Ints, above: tuple[Any, Any]) -> float:
    """Relative squared error of the pairs left out of one epoch."""
    clusters = np.unique(labels, return_inverse=True)[1]
    a, b = clusters[above[0]], clusters[above[1]]
    block = np.minimum(a, b) * (clusters.max() + 1) + np.maximum(a, b)
    n, total = (np.bincount(block[~out], weights, int(block.max()) + 1) for weights in (None, pairs[~out]))
    overall = pairs[~out].mean()
    predicted = ((total + overall) / (n + 1))[block[out]]  # a block without pairs is predicted by the overall mean
    return float(((pairs[out] - predicted) ** 2).sum() / ((pairs[out] - overall) ** 2).sum())


CRITERIA: dict[str, Callable[[Labelled, ResolutionPath, Sequence[Step]], Sequence[float]]] = {
    "merit": lambda data, path, steps: path.scores,
    "stability": lambda data, path, steps: [step.stability for step in steps],
    "merit × stability": lambda data, path, steps: [
        score * max(step.stability, 0.0) for score, step in zip(path.scores, steps, strict=False)
    ],
    "dispersion": dispersion,
    "check": check,
    "held out": held_out,
}

if __name__ == "__main__":
    main(sys.argv[1:])
