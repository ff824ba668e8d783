"""Objects divided into strata, within which values are compared."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Strata:
    """The stratum of every object, and the objects in order of their strata."""

    code: NDArray[np.int64]  # (n,) 0, 1, … none left out
    order: NDArray[np.int64]  # (n,)
    starts: NDArray[np.int64]  # of every stratum in that order

    @classmethod
    def of(cls, labels: NDArray[np.int64]) -> "Strata":
        """Strata from labels."""
        _, code = np.unique(labels, return_inverse=True)
        order = np.argsort(code, kind="stable")
        return cls(code, order, np.flatnonzero(np.diff(code[order], prepend=-1)))

    def sums(self, values: NDArray[np.float64] | NDArray[np.bool_]) -> Floats:
        """Sums over every stratum, (strata, m) from (n, m)."""
        return np.add.reduceat(np.asarray(values, dtype=float)[self.order], self.starts, axis=0)

    def means(self, values: Floats) -> Floats:
        """Mean of the stratum of every object, (n, m); NaN are unknown."""
        known = np.isfinite(values)
        means = self.sums(np.where(known, values, 0.0)) / np.maximum(self.sums(known), 1)
        return np.asarray(means[self.code])

    def deviations(self, values: Floats) -> Floats:
        """From the mean of the stratum; 0 where a value is unknown."""
        return np.where(np.isfinite(values), values - self.means(values), 0.0)
