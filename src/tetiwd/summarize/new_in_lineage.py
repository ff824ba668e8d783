"""Weights of the lineages of one draw of moving centres for one more object, from its distances to all objects.

The weights are ratios of the joint density with the object and without it, up to one constant for all draws.
"""

from collections.abc import Iterator
from copy import copy
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.feature_distances import FeatureDistances
from tetiwd.draws import Draws
from tetiwd.model.moving import one_dof
from tetiwd.model.nodes import NodeTerms, lineage_covariance, node_statistics
from tetiwd.model.urn import log_prior_counts
from tetiwd.node_state import all_distances
from tetiwd.partitions import Ints, evenly_spaced
from tetiwd.sample import Mode, Sample

Floats = NDArray[np.float64]
ROWS_AT_ONCE = 4096


class LineagesOfDraw:
    """All lineages of one draw, as a new object of epoch t meets them."""

    def __init__(self, sample: Sample | Mode, draws: Draws, i: int, t: int) -> None:
        series, self.t = sample.series, t
        self.n_objects, T = series.n_objects, series.n_epochs
        self.epochs = np.repeat(np.arange(T), self.n_objects)
        labels = draws.labels.reshape(len(draws), -1)[i].astype(np.int64)
        ids, self.lineages = np.unique(labels, return_inverse=True)
        self.alpha, self.new_scale = float(draws.alpha[i]), float(draws.new_scale[i])
        self.urn = tuple(float(draws.array(name)[i]) for name in ("xi", "delta", "kappa"))
        self.dof = one_dof(sample.hyperparameters)
        A_1 = lineage_covariance(T, float(draws.array("rho")[i]), self.new_scale)
        spreads = np.full(len(ids) + 1, self.alpha)  # the last is a lineage to be born, with the common spread
        if "log_spreads" in draws.axes:
            spreads[self.lineages] *= np.exp(draws.array("log_spreads")[i] / 1000)
        statistics = statistics_of(all_distances(series), self.lineages, self.epochs, len(ids) + 1, T)
        shift = float(draws.array("shift")[i]) if "shift" in draws.axes else 0.0
        self.terms = NodeTerms.build(*statistics, A_1, spreads, shift)
        here = self.lineages[self.epochs == t]
        self.present, self.slots = np.unique(here, return_inverse=True)  # lineages at t, and those of its objects

    def weigh(self, rows: Floats) -> Floats:
        """Log weights of objects with distances (m, N), for every cluster of epoch t and for any other, (m, k + 1)."""
        return self._with_any_other(self.weigh_lineages(rows))

    def weigh_sums(self, sums: Floats, prior: Floats) -> Floats:
        """The same for one object, from :meth:`sums_of` and :meth:`log_weights`; gives (k + 1,)."""
        return self._with_any_other(self._weigh_one(sums, prior)[None])[0]

    def _with_any_other(self, by_lineage: Floats) -> Floats:
        others = [c for c in range(len(self.terms.spreads)) if c not in set(self.present.tolist())]
        rest = np.logaddexp.reduce(by_lineage[:, others], axis=1)
        return np.column_stack([by_lineage[:, self.present], rest])

    def weigh_lineages(self, rows: Floats) -> Floats:
        """Log weights of objects for every lineage, absent or not, and last for one to be born, (m, C + 1)."""
        prior = self.log_weights()
        return np.array([self._weigh_one(self.sums_of(row), prior) for row in rows]).reshape(len(rows), len(prior))

    def _weigh_one(self, sums: Floats, prior: Floats) -> Floats:
        distance, variance = self.terms.predict(sums, self.t)
        return np.asarray(prior - self.dof / 2 * (np.log(variance) + distance / variance))

    def sums_of(self, row: Floats) -> Floats:
        """Distances of one object to the members of every node, summed, (C + 1, T), from those to all objects."""
        sums = np.zeros(self.terms.counts.shape)
        np.add.at(sums, (self.lineages, self.epochs), row)
        return sums

    def sums_of_own(self, data: Any) -> Iterator[Floats]:
        """The same of every object of epoch t in turn, from a matrix or features, where it takes O(n C T p)."""
        mine = np.flatnonzero(self.epochs == self.t)
        if not isinstance(data, FeatureDistances):
            yield from (self.sums_of(data[obj].astype(float)) for obj in mine)
            return
        shape = self.terms.counts.shape
        totals = data.sums(self.lineages * shape[1] + self.epochs, shape[0] * shape[1])
        for some in (mine[start : start + ROWS_AT_ONCE] for start in range(0, len(mine), ROWS_AT_ONCE)):
            yield from data.row_sums(totals, some).reshape(-1, *shape)

    def log_weights(self) -> Floats:
        """Log prior weight of every lineage for one more object: how much more probable the urn becomes."""
        counts, base = self.terms.counts, log_prior_counts(self.terms.counts, *self.urn)
        found = np.empty(len(counts))
        for c in range(len(counts)):
            more = counts.copy()
            more[c, self.t] += 1
            found[c] = log_prior_counts(more, *self.urn) - base
        return found

    def without(self, obj: int, sums: Floats) -> "LineagesOfDraw":
        """The same as an object that is in it meets it; ``sums`` are those of :meth:`sums_of`."""
        rest = copy(self)
        leaving: Literal[-1] = -1
        rest.terms = self.terms.after(int(self.lineages[obj]), int(self.epochs[obj]), sums, leaving)
        return rest


def statistics_of(data: Any, lineages: Ints, epochs: Ints, n_lineages: int, n_epochs: int) -> tuple[Floats, Floats]:
    """Sizes and block sums of all nodes, from a matrix or what stands for one."""
    if not isinstance(data, FeatureDistances):
        return node_statistics(data, lineages, epochs, n_lineages, n_epochs)
    sums, shape = data.sums(lineages * n_epochs + epochs, n_lineages * n_epochs), (n_lineages, n_epochs)
    return sums[:, -1].reshape(shape), data.block_sums(sums).reshape(shape * 2)


def some_draws(sample: Sample, at_most: int) -> list[tuple[Draws, int]]:
    """Draws evenly spaced over all chains: the draws of a chain, and which of them."""
    kept = [(draws, i) for draws in sample.draws for i in range(len(draws))]
    return [kept[row] for row in evenly_spaced(len(kept), at_most)]


def lineage_memberships(mode: Mode) -> list[Floats]:
    """Probability of every object for every cluster of its epoch and for any other, if all others stay.

    T × (n_t, k_t + 1). For an object that is alone, its own cluster is the other one, and the last column is 0.
    """
    found, end, cross = [], 0, all_distances(mode.series)
    for t, n in enumerate(mode.series.n_objects):
        epoch = LineagesOfDraw(mode, mode.state, 0, t)
        k = len(epoch.present)
        probabilities, priors = np.zeros((n, k + 1)), dict[int, Floats]()  # the latter by lineage that is left
        for item, sums in enumerate(epoch.sums_of_own(cross)):
            own, rest = epoch.slots[item], epoch.without(end + item, sums)
            if own not in priors:
                priors[own] = rest.log_weights()
            log_weights = rest.weigh_sums(sums, priors[own])
            if np.sum(epoch.lineages == epoch.present[own]) == 1:  # nobody else: its lineage is the one to be born
                log_weights[k], log_weights[own] = -np.inf, log_weights[k]
            probabilities[item] = np.exp(log_weights - np.logaddexp.reduce(log_weights))
        found.append(probabilities)
        end += n
    return found
