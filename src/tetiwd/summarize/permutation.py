"""Does a group differ from the rest by more than chance? The permutation test within strata, and false discoveries.

If values have nothing to do with who is in the group, every reshuffling of them within a stratum is equally probable.
Mean, variance and third moment of the group's sum over all reshufflings are known exactly; the tail of its distribution
is that of the Pearson III (shifted gamma) distribution with these moments, which also suits rare values and heavy ties.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.summarize.strata import Strata

Floats = NDArray[np.float64]
FEWEST = 3  # members and others with known values; with fewer, nothing is tested


@dataclass(frozen=True, eq=False)
class Comparison:
    """A group and the rest, for several columns of values at once: sums over strata, each (m,)."""

    excess: Floats  # of the group's sum over what the means of strata would give
    weight: Floats  # Σ n₁n₀/n
    variance: Floats  # of the excess, over all reshufflings
    third: Floats  # its third moment
    n_inside: Floats  # members with a known value
    n_outside: Floats

    @property
    def comparable(self) -> NDArray[np.bool_]:
        """Where there are enough known values on both sides, in common strata."""
        return np.asarray((np.minimum(self.n_inside, self.n_outside) >= FEWEST) & (self.weight > 0))

    @property
    def difference(self) -> Floats:
        """Mean over strata of differences of means, weighted by n₁n₀/n (Mantel and Haenszel); NaN if there is none."""
        return np.where(self.comparable, self.excess / np.where(self.weight > 0, self.weight, 1.0), np.nan)

    @property
    def deviation(self) -> Floats:
        """Standard deviation of the excess; 0 where all values are equal."""
        return np.sqrt(np.where(self.variance > 1e-12 * self.weight, self.variance, 0.0))

    @property
    def skewness(self) -> Floats:
        """Of the excess."""
        cubes = self.deviation**3
        return np.where(cubes > 0, self.third / np.where(cubes > 0, cubes, 1.0), 0.0)

    @property
    def p(self) -> Floats:
        """Two-sided p values; NaN where nothing can be compared."""
        return tail(self.excess, self.deviation, self.skewness, self.comparable)


def compare_within(values: Floats, inside: NDArray[np.bool_], strata: Strata) -> Comparison:
    """Compare the values (n, m) of a group, (n, m) or (n, 1), with those of the rest of the same strata.

    NaN are unknown values.
    """
    known, deviations = np.isfinite(values), strata.deviations(values)
    n, n1 = strata.sums(known), strata.sums(known & inside)
    n0, squares = n - n1, deviations * deviations
    pairs = np.maximum(n * (n - 1.0), 1)
    each = n1 * n0 / pairs
    return Comparison(
        excess=(deviations * inside).sum(axis=0),
        weight=(n1 * n0 / np.maximum(n, 1)).sum(axis=0),
        variance=(each * strata.sums(squares)).sum(axis=0),
        third=(each * (n0 - n1) / np.maximum(n - 2, 1) * strata.sums(squares * deviations)).sum(axis=0),
        n_inside=n1.sum(axis=0),
        n_outside=n0.sum(axis=0),
    )


def tail(excess: Floats, deviation: Floats, skewness: Floats, comparable: NDArray[np.bool_]) -> Floats:
    """Two-sided p values from the moments of a permutation distribution; 1 where it does not vary."""
    from scipy.stats import pearson3

    p = np.where(comparable, 1.0, np.nan)
    varies = comparable & (deviation > 0)
    z, skew = excess[varies] / deviation[varies], skewness[varies]
    p[varies] = np.minimum(1.0, 2 * np.minimum(pearson3.cdf(z, skew), pearson3.sf(z, skew)))
    return p


def ranks_within(values: Floats, strata: NDArray[np.int64]) -> Floats:
    """Ranks of every column within strata, from −½ to ½ with mean 0; ties share theirs, NaN stay.

    The difference of the mean ranks of two groups is P(larger) + ½ P(equal) − ½: half of Cliff's delta.
    """
    from scipy.stats import rankdata

    ranks = np.full(values.shape, np.nan)
    for s in np.unique(strata):
        rows = strata == s
        block: Any = rankdata(values[rows], axis=0, nan_policy="omit")
        n = np.isfinite(values[rows]).sum(axis=0)
        ranks[rows] = (block - 0.5) / np.maximum(n, 1) - 0.5
    return ranks


def q_values(p: NDArray[Any]) -> Floats:
    """Adjusted p values of Benjamini and Hochberg (1995); NaN stay and do not count."""
    from scipy.stats import false_discovery_control

    q, tested = np.full(np.shape(p), np.nan), np.isfinite(p)
    if tested.any():
        q[tested] = false_discovery_control(np.clip(p[tested], 0.0, 1.0))
    return q
