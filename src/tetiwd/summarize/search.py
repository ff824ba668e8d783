"""The partition of smallest expected loss over draws, as far as a search can find it.

Started from scratch several times, from draws, and from cuts of a linkage tree, objects are moved one at a time to
where they cost least; then, for the best of these, whole clusters are dissolved and built anew. This is the idea of the
SALSO search (Dahl, Johnson and Müller 2022).
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.kernels.allocation import Draft, allocate, clear, improve
from tetiwd.partitions import Ints, Partitions
from tetiwd.summarize.coclustering import coclustering
from tetiwd.summarize.losses import ARI, Loss, losses_to_draws

N_DRAWS_TRIED = 50  # draws that are looked at as candidates
MOST_FOR_LINKAGE = 5000  # objects; a tree needs all pairs
MOST_PASSES = 100
N_TRIED = 3  # best candidates of each origin that the search goes on from
N_REBUILT = 3  # best partitions whose clusters are built anew
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
        self.sizes_of_draws = self.draws.max(axis=1).astype(np.int64) + 1
        first = np.concatenate([[0], np.cumsum(self.sizes_of_draws)])
        self.row = np.ascontiguousarray((self.draws + first[:-1, None]).T.astype(np.int32))
        self.n_rows = int(first[-1])
        self.pairs_of_draws = np.array([ARI().f(np.bincount(labels)).sum() for labels in self.draws])

    def results(self, n_runs: int) -> Iterator[tuple[float, Ints]]:
        """Expected loss and labels of every search."""
        draft = self.empty()
        results = []
        for candidates in (self.some_draws(), self.linkage_cuts()):
            for labels in self.best_of(candidates):
                self.fill(draft, labels)
                results.append(self.improved(draft))
        for _ in range(n_runs):
            draft = self.empty()
            allocate(draft, self.rng.permutation(self.N))
            results.append(self.improved(draft))
        distinct = {by_first_appearance(labels).tobytes(): (price, labels) for price, labels in results}
        for price, labels in sorted(distinct.values(), key=lambda result: result[0])[:N_REBUILT]:
            yield self.rebuilt(draft, price, labels)

    def some_draws(self) -> list[NDArray[Any]]:
        """Draws as candidates, evenly spaced, that have not too many clusters."""
        return [labels for labels in self.partitions.thinned(N_DRAWS_TRIED).labels if labels.max() < self.room]

    def linkage_cuts(self) -> list[NDArray[Any]]:
        """Cuts of the average-linkage tree of 1 − probability of being together."""
        if not 1 < self.N <= MOST_FOR_LINKAGE:
            return []
        from scipy.cluster.hierarchy import cut_tree, linkage
        from scipy.spatial.distance import squareform

        apart = coclustering(self.partitions, None, dtype="float32")
        np.subtract(1, apart, out=apart)
        np.fill_diagonal(apart, 0)
        tree = linkage(squareform(apart, checks=False), "average")
        cuts = cut_tree(tree, n_clusters=np.arange(1, self.room + 1))
        return list(cuts.T.astype(np.int64))

    def best_of(self, candidates: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        """Those of smallest expected loss."""
        losses = [losses_to_draws(labels, self.draws, self.loss).mean() for labels in candidates]
        return [candidates[i] for i in np.argsort(losses, kind="stable")[:N_TRIED]]

    def empty(self) -> Draft:
        """A partition in the form that the kernels take, with all objects out."""
        grow, meet = self.loss.tables(self.N)
        return Draft(self.row, self.n_rows, self.room, grow, meet, self.pairs_of_draws)

    def fill(self, draft: Draft, labels: NDArray[Any]) -> None:
        """Set the partition to these labels."""
        _, labels = np.unique(labels, return_inverse=True)
        draft.n_clusters = int(labels.max()) + 1
        counts, saved, pairs_both = map(np.asarray, (draft.counts, draft.saved, draft.pairs_both))
        np.asarray(draft.labels)[:] = labels
        np.asarray(draft.sizes)[:] = np.bincount(labels, minlength=self.room)
        cells = (self.row.astype(np.int64) * self.room + labels[:, None]).ravel()
        counts[:] = np.bincount(cells, minlength=counts.size).reshape(counts.shape)
        saved[:] = np.asarray(draft.meet)[counts]
        together = (counts * (counts - 1.0) / 2).sum(axis=1)
        draw_of_row = np.repeat(np.arange(len(self.draws)), self.sizes_of_draws)
        pairs_both[:] = np.bincount(draw_of_row, together, minlength=len(self.draws))

    def improved(self, draft: Draft) -> tuple[float, Ints]:
        """Move objects until none wants to."""
        improve(draft, self.rng.permutation(self.N), MOST_PASSES)
        return self.price(draft), np.array(draft.labels)

    def price(self, draft: Draft) -> float:
        """Expected loss of this partition."""
        return float(losses_to_draws(np.asarray(draft.labels), self.draws, self.loss).mean())

    def rebuilt(self, draft: Draft, best: float, labels: Ints) -> tuple[float, Ints]:
        """Dissolve clusters one by one and build them anew, as long as that helps."""
        self.fill(draft, labels)
        for _ in range(MOST_ROUNDS):
            better = False
            for g in self.rng.permutation(int(labels.max()) + 1):
                members = np.flatnonzero(labels == g)  # of another cluster if numbers have changed: as good as any
                if not len(members):
                    continue
                clear(draft, members)
                allocate(draft, self.rng.permutation(members))
                if abs(self.price(draft) - best) < SAME:  # it has become what it was
                    self.fill(draft, labels)
                    continue
                price, others = self.improved(draft)
                if price < best - SAME:
                    best, labels, better = price, others, True
                else:
                    self.fill(draft, labels)
            if not better:
                break
        return best, labels


def by_first_appearance(labels: Ints) -> Ints:
    """The same partition under names that do not depend on those it had."""
    return np.asarray(np.unique(labels, return_index=True)[1][labels])
