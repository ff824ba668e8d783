"""Random choices made from uniform numbers alone, so that a seed gives the same ones on every machine."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Draws:
    """Random choices made from uniform numbers."""

    def __init__(self, seed: int) -> None:
        self.uniform = np.random.default_rng(seed).random

    def below(self, limit: Any, n: int) -> Ints:
        """Whole numbers 0 … limit − 1; the limit is one for all, or one for each."""
        return (self.uniform(n) * limit).astype(np.int64)

    def between(self, limits: tuple[int, int], n: int) -> Ints:
        """Whole numbers, the limits included."""
        return limits[0] + self.below(limits[1] - limits[0] + 1, n)

    def weighted(self, weights: Any, n: int) -> Ints:
        """Positions drawn with probability proportional to their weight."""
        return at(weights, self.uniform(n))

    def some_of(self, items: Ints, weights: Floats, n: int) -> Ints:
        """Different items in increasing order; those of large weight are likely to be among them."""
        order = np.argsort(self.uniform(len(items)) / weights, kind="stable")
        return np.sort(items[order[:n]])


def at(weights: Any, quantiles: Floats) -> Ints:
    """Where these shares of the whole weight are reached."""
    cumulative = np.cumsum(np.asarray(weights, dtype=float))
    position = np.searchsorted(cumulative, quantiles * cumulative[-1], side="right")
    return np.minimum(position, np.flatnonzero(weights)[-1])
