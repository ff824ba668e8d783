"""The partition of smallest expected loss over draws, as far as a search can find it.

Started from scratch several times, from draws, and from cuts of a linkage tree, objects are moved one at a time to
where they cost least; then, for the best of these, whole clusters are dissolved and built anew. This is the idea of the
SALSO search (Dahl, Johnson and Müller 2022).
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.kernels.allocation import Draft, allocate, clear, fill, improve, sum_in_common
from tetiwd.partitions import Ints, Partitions
from tetiwd.summarize.coclustering import coclustering
from tetiwd.summarize.losses import ARI, Loss

N_DRAWS_BEGUN_WITH = 250
N_DRAWS_TRIED = 50  # draws that are looked at as candidates
MOST_FOR_LINKAGE = 5000  # objects; a tree needs all pairs
MOST_PASSES = 100
DOUBTFUL = 0.25  # share of the objects, those nearest to a move, that are offered other clusters between two passes
FEWEST_DOUBTFUL = 100
N_TRIED = 3  # best candidates of each origin that are begun with
N_FINISHED = 8  # best partitions, by all draws, that are gone on with
N_REBUILT = 3  # best of them whose clusters are built anew
MOST_ROUNDS = 10
SAME = 1e-12  # difference of losses that is rounding
SPARE_ROOM = 8  # clusters beyond those of the largest draw


class Search:
    """Looks for the partition of smallest expected loss."""

    def __init__(self, partitions: Partitions, loss: Loss, max_clusters: int | None, rng: np.random.Generator) -> None:
        self.partitions, self.draws, self.loss, self.rng = partitions, partitions.labels, loss, rng
        self.N = self.draws.shape[1]
        most = int(self.draws.max()) + 1 + SPARE_ROOM if max_clusters is None else max_clusters
        self.room = min(most, self.N)
        self.first = np.concatenate([[0], np.cumsum(self.draws.max(axis=1).astype(np.int64) + 1)])
        self.row = np.ascontiguousarray((self.draws + self.first[:-1, None]).T.astype(np.int32))
        self.sizes_of_rows = np.bincount(self.row.ravel())
        self.f = loss.f(np.arange(self.N + 1))  # a table
        self.theirs = np.add.reduceat(self.f[self.sizes_of_rows], self.first[:-1])

    def results(self, n_runs: int) -> Iterator[tuple[float, Ints]]:
        """Expected loss and labels of every search: many are begun with some of the draws, the best go on with all."""
        some = self.partitions.thinned(N_DRAWS_BEGUN_WITH)
        first = self if some is self.partitions else Search(some, self.loss, self.room, self.rng)
        distinct = {by_first_appearance(labels).tobytes(): labels for labels in first.begun(n_runs)}
        draft = self.empty()
        results = []
        for labels in self.best_of(draft, list(distinct.values()), N_FINISHED):
            fill(draft, labels)
            results.append(self.improved(draft))
        for price, labels in sorted(results, key=lambda result: result[0])[:N_REBUILT]:
            yield self.rebuilt(draft, price, labels)

    def begun(self, n_runs: int) -> Iterator[Ints]:
        """Labels from draws, from the linkage tree, and from scratch, after all moves of single objects that help."""
        draft = self.empty()
        for candidates in (self.some_draws(), self.linkage_cuts()):
            for labels in self.best_of(draft, candidates, N_TRIED):
                fill(draft, labels)
                yield self.improved(draft)[1]
        for _ in range(n_runs):
            clear(draft, np.flatnonzero(np.asarray(draft.labels) >= 0))
            allocate(draft, self.rng.permutation(self.N))
            yield self.improved(draft)[1]

    def some_draws(self) -> list[Ints]:
        """Draws as candidates, evenly spaced, that have not too many clusters."""
        some = self.partitions.thinned(N_DRAWS_TRIED).labels.astype(np.int64)
        return [labels for labels in some if labels.max() < self.room]

    def linkage_cuts(self) -> list[Ints]:
        """Cuts of the average-linkage tree of 1 − probability of being together."""
        if not 1 < self.N <= MOST_FOR_LINKAGE:
            return []
        from scipy.cluster.hierarchy import linkage
        from scipy.spatial.distance import squareform

        apart = coclustering(self.partitions, None, dtype="float32")
        np.subtract(1, apart, out=apart)
        np.fill_diagonal(apart, 0)
        return cuts(linkage(squareform(apart, checks=False), "average"), self.room)

    def best_of(self, draft: Draft, candidates: Sequence[Ints], most: int) -> list[Ints]:
        """Those of smallest expected loss."""
        losses = []
        for labels in candidates:
            fill(draft, labels)
            losses.append(self.price(draft))
        return [candidates[i] for i in np.argsort(losses, kind="stable")[:most]]

    def empty(self) -> Draft:
        """A partition in the form that the kernels take, with all objects out."""
        grow, meet = self.loss.tables(self.N)
        pairs = np.add.reduceat(ARI().f(self.sizes_of_rows), self.first[:-1])
        return Draft(self.row, self.first, self.room, grow, meet, pairs)

    def improved(self, draft: Draft) -> tuple[float, Ints]:
        """Move objects until none wants to."""
        order = self.order(draft)
        for _ in range(MOST_PASSES):
            if not improve(draft, order):
                break
            self.settle(draft, order)
        return self.price(draft), np.array(draft.labels)

    def order(self, draft: Draft) -> Ints:
        """A random order of the objects; cluster by cluster for the Rand index, which is faster."""
        order = self.rng.permutation(self.N)
        return order if not draft.by_pairs else order[np.argsort(np.asarray(draft.labels)[order], kind="stable")]

    def settle(self, draft: Draft, order: Ints) -> None:
        """Move those objects that are nearest to a move, as it was when they were last looked at."""
        margin = np.asarray(draft.margin)[order]
        share = min(max(DOUBTFUL, FEWEST_DOUBTFUL / self.N), 1.0)
        doubtful = order[margin <= np.quantile(margin, share)]
        for _ in range(MOST_PASSES):
            if not improve(draft, doubtful):
                break

    def price(self, draft: Draft) -> float:
        """Expected loss of this partition."""
        both = np.empty(len(self.draws))
        sum_in_common(draft, self.f, both)
        mine = np.full(len(self.draws), self.f[np.asarray(draft.sizes)].sum())
        return float(self.loss.of_sizes(mine, self.theirs, both, self.N).mean())

    def rebuilt(self, draft: Draft, best: float, labels: Ints) -> tuple[float, Ints]:
        """Dissolve clusters one by one and build them anew, as long as that helps."""
        fill(draft, labels)
        for _ in range(MOST_ROUNDS):
            better = False
            for g in self.rng.permutation(int(labels.max()) + 1):
                members = np.flatnonzero(labels == g)  # of another cluster if numbers have changed: as good as any
                if not len(members):
                    continue
                clear(draft, members)
                allocate(draft, self.rng.permutation(members))
                if abs(self.price(draft) - best) > SAME:  # otherwise it has become what it was
                    self.settle(draft, self.order(draft))
                if self.price(draft) < best - SAME:
                    best, labels = self.improved(draft)
                    better = True
                else:
                    fill(draft, labels)
            if not better:
                break
        return best, labels


def cuts(tree: NDArray[Any], most: int) -> list[Ints]:
    """Partitions into 1, 2, … clusters, in scipy's form of a tree."""
    n = len(tree) + 1
    node, found = np.arange(n), []
    for m, (a, b) in enumerate(tree[:, :2].astype(np.int64)):
        if n - m <= most:
            found.append(np.unique(node, return_inverse=True)[1])
        node[(node == a) | (node == b)] = n + m
    return [np.zeros(n, dtype=np.int64), *reversed(found)]


def by_first_appearance(labels: Ints) -> Ints:
    """The same partition under names that do not depend on those it had."""
    return np.asarray(np.unique(labels, return_index=True)[1][labels])
