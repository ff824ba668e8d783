"""The partition of smallest expected loss over draws, as far as a search can find it.

Started from scratch several times, from draws, and from cuts of a linkage tree, objects are moved one at a time to
where they cost least; then, for the best of these, whole clusters are dissolved and built anew. This is the idea of the
SALSO search (Dahl, Johnson and Müller 2022).

How often pairs are together is all that Binder's loss needs. It also gives a close approximation of the expected
adjusted Rand index, whose best partitions are then improved exactly, and a bound for the variation of information.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.kernels.allocation import allocate, improve
from tetiwd.kernels.draft import Draft, clear, copy, fill, sum_in_common, twin
from tetiwd.partitions import Ints, Partitions
from tetiwd.summarize.coclustering import times_together
from tetiwd.summarize.losses import ARI, Loss, losses_of

N_DRAWS_TRIED = 50  # draws that are looked at as candidates
N_DRAWS_FOR_CANDIDATES = 100  # draws that candidates are compared with
MOST_FOR_PAIRS = 10000  # objects
MOST_FOR_LINKAGE = 5000
PARTS = 100  # whole parts that a weight of a draw has on average
MOST_PASSES = 100
N_TRIED = 3  # best candidates of each origin that are begun with
N_REBUILT = 3  # best partitions whose clusters are built anew
N_FINISHED = 8  # best partitions by an approximation that are improved exactly
SHAKEN = 0.1  # share of the other objects that are built anew with a cluster
PATIENCE_WITH_PAIRS = 4  # times that every cluster is built anew in vain, where that is cheap
PATIENCE = 1  # the same where it is not
SAME = 1e-12  # difference of losses that is rounding
SPARE_ROOM = 8  # clusters beyond those of the largest draw

Result = tuple[float, Ints]
Counts = NDArray[np.int32]

NOTHING, NO_DRAWS = np.empty((0, 0), np.int32), np.zeros(1, np.int64)


class Search:
    """Looks for the partition of smallest expected loss."""

    def __init__(self, partitions: Partitions, loss: Loss, max_clusters: int | None, rng: np.random.Generator) -> None:
        self.partitions, self.draws, self.loss, self.rng = partitions, partitions.labels, loss, rng
        self.S, self.N = self.draws.shape
        most = int(self.draws.max()) + 1 + SPARE_ROOM if max_clusters is None else max_clusters
        self.room = min(most, self.N)
        self.first = np.concatenate([[0], np.cumsum(self.draws.max(axis=1).astype(np.int64) + 1)])
        self.row = np.ascontiguousarray((self.draws + self.first[:-1, None].astype(np.int32)).T)
        self.sizes_of_rows = np.bincount(self.row.ravel())
        self.f = loss.f(np.arange(self.N + 1))  # a table
        self.theirs = np.add.reduceat(self.f[self.sizes_of_rows], self.first[:-1])
        self.pairs_theirs = np.add.reduceat(ARI().f(self.sizes_of_rows), self.first[:-1])
        self.grow, self.meet = loss.tables(self.N)  # the first is empty for the Rand index
        self.weights = self.weights_for_index() if not len(self.grow) else np.ones(self.S, np.int32)
        self.n_counted = int(self.weights.sum())
        paired = self.N <= MOST_FOR_PAIRS and self.N * self.n_counted < 2**31
        self.together = times_together(self.draws, self.weights) if paired else NOTHING

    def weights_for_index(self) -> NDArray[np.int32]:
        """What a pair adds to the adjusted Rand index in every draw, if mine are as many as theirs on average."""
        pairs, mine = max(self.N * (self.N - 1) / 2, 1.0), self.pairs_theirs.mean()
        best = (mine + self.pairs_theirs) / 2 - mine * self.pairs_theirs / pairs
        weights = 1 / np.maximum(best, max(0.1 * best.mean(), 1.0))
        parts = min(PARTS, max(2**30 // (self.N * self.S), 1))
        return np.maximum(np.round(parts * weights / weights.mean()), 1).astype(np.int32)

    def results(self, n_runs: int) -> list[Result]:
        """Expected loss and labels of the best searches."""
        draft, *exact = self.drafts()
        begun = best_distinct(self.begun(draft, n_runs), N_REBUILT)
        found = best_distinct((result for _, labels in begun for result in self.rebuilt(draft, labels)), N_FINISHED)
        return [self.improved_from(exact[0], labels) for _, labels in found] if exact else found

    def extended(self, some: Ints, labels: Ints) -> Ints:
        """Labels of all objects: those of some are known, the others join where they cost least; then all may move."""
        draft, every = self.drafts()[-1], np.zeros(self.N, dtype=np.int64)
        every[some] = labels
        fill(draft, every)
        rest = np.setdiff1d(np.arange(self.N), some)
        clear(draft, rest)
        allocate(draft, self.rng.permutation(rest))
        return self.improved(draft)[1]

    def drafts(self) -> list[Draft]:
        """What is searched with: pairs alone if they are all that matters, then all draws where this is not exact."""
        additive, n_pairs = len(self.grow) > 0, ARI().f(np.arange(self.N + 1))
        by_pairs = len(self.together) > 0 and np.array_equal(self.f, n_pairs)
        bounded = additive and np.diff(self.meet, 2).max(initial=-1.0) <= SAME
        drafts = []
        if by_pairs:
            mean = np.average(self.pairs_theirs, weights=self.weights, keepdims=True)
            drafts.append(self.draft(self.together, NO_DRAWS, np.empty((self.N, 0), np.int32), mean))
        if not by_pairs or not additive:
            together = self.together if bounded else NOTHING
            drafts.append(self.draft(together, self.first, self.row, self.pairs_theirs))
        return drafts

    def draft(self, together: Counts, first: Ints, row: Counts, pairs_theirs: NDArray[np.float64]) -> Draft:
        """A partition in the form that the kernels take, with all objects out."""
        return Draft(together, self.n_counted, row, first, self.room, self.grow, self.meet, pairs_theirs)

    def begun(self, draft: Draft, n_runs: int) -> Iterator[Result]:
        """Labels from draws, from the linkage tree, and from scratch, after all moves of single objects that help."""
        for candidates in (self.some_draws(), self.linkage_cuts()):
            for labels in self.best_of(candidates):
                yield self.improved_from(draft, labels)
        for _ in range(n_runs):
            clear(draft, np.flatnonzero(np.asarray(draft.labels) >= 0))
            allocate(draft, self.rng.permutation(self.N))
            yield self.improved(draft)

    def some_draws(self) -> list[Ints]:
        """Draws as candidates, evenly spaced, that have not too many clusters."""
        some = self.partitions.thinned(N_DRAWS_TRIED).labels.astype(np.int64)
        return [labels for labels in some if labels.max() < self.room]

    def linkage_cuts(self) -> list[Ints]:
        """Cuts of the average-linkage tree of 1 − probability of being together."""
        if not 1 < self.N <= MOST_FOR_LINKAGE or not len(self.together):
            return []
        from scipy.cluster.hierarchy import linkage
        from scipy.spatial.distance import squareform

        together = squareform(self.together, checks=False)
        return cuts(linkage(1 - together / self.n_counted, "average"), self.room)

    def best_of(self, candidates: Sequence[Ints]) -> list[Ints]:
        """Those of smallest expected loss over some draws."""
        some = self.partitions.thinned(N_DRAWS_FOR_CANDIDATES).labels
        losses = [to_draws.mean() for to_draws in losses_of(candidates, some, self.loss)]
        return [candidates[i] for i in np.argsort(losses, kind="stable")[:N_TRIED]]

    def improved(self, draft: Draft) -> Result:
        """Move objects until none wants to."""
        order = self.order(draft)
        for _ in range(MOST_PASSES):
            if not improve(draft, order):
                break
        return self.price(draft), np.array(draft.labels)

    def improved_from(self, draft: Draft, labels: Ints) -> Result:
        """The same, starting from these labels."""
        fill(draft, labels)
        return self.improved(draft)

    def order(self, draft: Draft) -> Ints:
        """A random order of the objects; cluster by cluster for the Rand index, which is faster."""
        order = self.rng.permutation(self.N)
        return order if not draft.by_index else order[np.argsort(np.asarray(draft.labels)[order], kind="stable")]

    def price(self, draft: Draft) -> float:
        """Expected loss of this partition; if only pairs are known, the loss of their mean numbers."""
        if draft.n_draws:
            theirs, both = self.theirs, np.empty(self.S)
            sum_in_common(draft, self.f, both)
        else:
            theirs, both = np.asarray(draft.pairs_theirs), np.array([draft.pairs_shared / self.n_counted])
        mine = np.full(len(both), self.f[np.asarray(draft.sizes)].sum())
        return float(self.loss.of_sizes(mine, theirs, both, self.N).mean())

    def rebuilt(self, draft: Draft, labels: Ints) -> Iterator[Result]:
        """Take out a cluster and a few other objects and put them in anew, cluster by cluster, as long as it helps."""
        kept = twin(draft)
        fill(kept, labels)
        best, failed = self.price(kept), 0
        yield best, labels
        patience = PATIENCE if draft.n_draws else PATIENCE_WITH_PAIRS
        while failed < patience * kept.n_clusters:
            copy(draft, kept)
            out = (np.asarray(kept.labels) == failed % kept.n_clusters) | (self.rng.random(self.N) < SHAKEN)
            clear(draft, np.flatnonzero(out))
            allocate(draft, self.rng.permutation(np.flatnonzero(out)))
            price, labels = self.improved(draft)
            yield price, labels
            failed += 1
            if price < best - SAME:
                best, failed = price, 0
                copy(kept, draft)


def cuts(tree: NDArray[Any], most: int) -> list[Ints]:
    """Partitions into 1, 2, … clusters, in scipy's form of a tree."""
    n = len(tree) + 1
    node, found = np.arange(n), []
    for m, (a, b) in enumerate(tree[:, :2].astype(np.int64)):
        if n - m <= most:
            found.append(np.unique(node, return_inverse=True)[1])
        node[(node == a) | (node == b)] = n + m
    return [np.zeros(n, dtype=np.int64), *reversed(found)]


def best_distinct(found: Iterable[Result], most: int) -> list[Result]:
    """The best of them, each partition once."""
    distinct = {by_first_appearance(labels).tobytes(): (price, labels) for price, labels in found}
    return sorted(distinct.values(), key=lambda result: result[0])[:most]


def by_first_appearance(labels: Ints) -> Ints:
    """The same partition under names that do not depend on those it had."""
    return np.asarray(np.unique(labels, return_index=True)[1][labels])
