"""Bayesian bootstrap (Rubin 1981): what random weights of the objects make of a difference between two groups."""

import numpy as np
from numpy.typing import NDArray

from tetiwd.summarize.strata import Strata

Floats = NDArray[np.float64]


def weighted_difference(
    values: Floats, inside: NDArray[np.bool_], strata: Strata, ends: Floats, rng: np.random.Generator
) -> Floats:
    """One draw of the difference of means within strata, (m,), for the columns of values (n, m); NaN are unknown.

    ``ends`` are the lowest and highest values that are possible, (2, m); half an object with each is added to either
    group. For shares within one stratum, the draws are those of the Beta posterior with Jeffreys' prior.
    """
    known, means, deviations = np.isfinite(values), strata.means(values), strata.deviations(values)
    n, n1 = strata.sums(known), strata.sums(known & inside[:, None])
    comparable = (n1 * (n - n1) / np.maximum(n, 1)).sum(axis=0)
    by_side, counts = [], []
    for some in (inside, ~inside):
        here = known[some]
        weights = rng.exponential(size=len(here))[:, None] * here
        count = here.sum(axis=0)
        base = np.where(here, means[some], 0.0).sum(axis=0) / np.maximum(count, 1)
        added = rng.gamma(0.5, size=(2, values.shape[1]))
        total = (weights * deviations[some]).sum(axis=0) + (added * (ends - base)).sum(axis=0)
        by_side.append(total / (weights.sum(axis=0) + added.sum(axis=0)))
        counts.append(np.maximum(count, 1))
    scale = comparable * (1 / counts[0] + 1 / counts[1])  # 1 if there is one stratum
    return np.asarray((by_side[0] - by_side[1]) / np.where(scale > 0, scale, np.nan))


def interval(drawn: Floats, level: float) -> Floats:
    """Lower and upper ends, (2, m), from draws (S, m); NaN do not count."""
    tail, ends = (1 - level) / 2, np.full((2, drawn.shape[1]), np.nan)
    known = np.isfinite(drawn).any(axis=0)
    ends[:, known] = np.nanquantile(drawn[:, known], [tail, 1 - tail], axis=0)
    return ends
