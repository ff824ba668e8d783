"""Tests of a feature on clusters that have not seen it.

Clusters were found with the features, so that some features differ between them by construction, even where there are
no clusters at all: tests of features on the clusters themselves reject too often. Here the objects are divided into two
halves by chance. The profiles of lineages in one half, and all features but one, assign the objects of the other half
anew, and the one feature is tested on these. So are the halves in turn, and the two statistics are added up as if they
told the same, for they may: the standard deviation of their sum is taken to be the sum of both.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tetiwd.summarize.appearances import Appearances
from tetiwd.summarize.permutation import Comparison, compare_within, tail
from tetiwd.summarize.strata import Strata

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Costs = Callable[[Ints, Bools], Floats]  # of some features, from profiles of some rows → (N, k, m)


@dataclass(frozen=True, eq=False)
class Halves:
    """Objects divided by chance, and what is known of their lineages."""

    appearances: Appearances
    labels: Ints  # (N,) lineages of the clustering, −1 for unassigned objects
    n_lineages: int
    first: Bools  # (N,) in the first half

    @classmethod
    def of(cls, appearances: Appearances, labels: Ints, n_lineages: int, seed: int = 0) -> "Halves":
        """Divide the objects of every lineage, as it is when they are seen first, into two halves."""
        rng = np.random.default_rng(seed)
        n = appearances.n_objects
        lineage = np.full(n, -1)
        lineage[appearances.who[::-1]] = labels[::-1]  # the first appearance is written last
        order = np.lexsort((rng.random(n), lineage))
        half = np.empty(n, dtype=bool)
        half[order] = np.arange(n) % 2 == 0
        return cls(appearances, labels, n_lineages, half[appearances.who])

    def test(
        self, chunks: Iterator[tuple[Ints, Floats, Ints]], costs: Costs, n_features: int
    ) -> Iterator[tuple[Ints, Floats, Floats]]:
        """Test columns of values.

        ``chunks`` yields some features, columns of values (N, m) that belong to them, and the position among those
        features of every column. Yields the features, and for all lineages the p values of the columns and the shares
        of members that stay, (k, m).
        """
        strata = Strata.of(self.appearances.first)
        totals = [self._total(costs, half, n_features) for half in (self.first, ~self.first)]
        for some, values, of_feature in chunks:
            new = np.full((len(self.labels), len(some)), -1)
            for half, total in zip((self.first, ~self.first), totals, strict=True):
                without = total[:, :, None] - costs(some, half)
                new[~half] = without[~half].argmin(axis=1)
            new = new[:, of_feature]
            p, stay = np.empty((2, self.n_lineages, values.shape[1]))
            for g in range(self.n_lineages):
                member = new == g
                both = [
                    self._compared(np.where(half[:, None], np.nan, values), member, strata)
                    for half in (self.first, ~self.first)
                ]
                p[g] = _together(*both)
                own = self.labels == g
                stay[g] = member[own].mean(axis=0)
            yield some, p, stay

    def _total(self, costs: Costs, half: Bools, n_features: int) -> Floats:
        """Costs of all features together, (N, k); infinite for lineages that are not there at a time."""
        total = np.zeros((len(self.labels), self.n_lineages))
        step = max(1, AT_ONCE // max(1, total.size))
        for start in range(0, n_features, step):
            total += costs(np.arange(start, min(start + step, n_features)), half).sum(axis=2)
        there = np.zeros((int(self.appearances.epoch.max()) + 1, self.n_lineages + 1), dtype=bool)
        there[self.appearances.epoch, self.labels] = True
        known = np.bincount(self.labels[half & (self.labels >= 0)], minlength=self.n_lineages) > 0
        candidates = (there[:, :-1] & known)[self.appearances.epoch]
        n = np.bincount(self.labels[half & (self.labels >= 0)], minlength=self.n_lineages)
        return np.where(candidates, total - np.log(np.maximum(n, 1)), np.inf)

    def _compared(self, values: Floats, member: Bools, strata: Strata) -> Comparison:
        return compare_within(self.appearances.one_value_each(values, member), self.appearances.ever(member), strata)


AT_ONCE = 1 << 23  # costs that are computed together


def _together(one: Comparison, other: Comparison) -> Floats:
    """p values from both halves; from one of them where the other has too few members."""
    use = [one.comparable, other.comparable]
    deviation = use[0] * one.deviation + use[1] * other.deviation
    excess = use[0] * one.excess + use[1] * other.excess
    weighted = use[0] * one.deviation * one.skewness + use[1] * other.deviation * other.skewness
    skewness = weighted / np.where(deviation > 0, deviation, 1.0)
    return tail(excess, deviation, skewness, use[0] | use[1])
