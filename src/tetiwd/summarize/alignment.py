"""Draws matched with one clustering: which cluster of a draw corresponds to which of the clustering.

At every epoch the clusters of a draw are matched one to one with those of the clustering so that as many objects as
possible agree. A cluster of the draw that is left over is "another one" (label −1), one of the clustering that is left
over has no counterpart in that draw. Unassigned objects of the clustering have no say.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import SettingsError
from tetiwd.partitions import Ints, Partitions, numbered
from tetiwd.sample import Sample, as_partitions
from tetiwd.summarize.clustering import UNASSIGNED, Clustering, as_clustering

Bools = NDArray[np.bool_]

OTHER = -1  # a cluster of a draw that the clustering does not have
MAX_DRAWS = 1000  # that are aligned, unless told otherwise
CELLS_AT_ONCE = 10**6  # numbers of a table, of all draws in it


@dataclass(frozen=True, eq=False)
class Alignment:
    """Draws matched with a clustering, whose lineages 0 … n_lineages − 1 are the words for their clusters."""

    partitions: Partitions
    clustering: Clustering
    words: NDArray[np.int32]  # (S, N) lineage of the clustering that every object is in, or OTHER
    counterpart: NDArray[np.int32]  # (S, T, n_lineages) the draw's label of every cluster, −1 where it has none

    @property
    def n_draws(self) -> int:
        """Number of draws S."""
        return self.partitions.n_draws

    @property
    def n_lineages(self) -> int:
        """Lineages of the clustering."""
        return self.clustering.n_lineages

    @cached_property
    def present(self) -> Bools:
        """Does the clustering have this lineage at this epoch? (T, n_lineages)."""
        return self.clustering.sizes > 0

    def words_at(self, t: int) -> NDArray[np.int32]:
        """The lineages that the objects of epoch t are in, (S, n_t)."""
        return self.words[:, self.partitions.columns[t]]

    def slots_at(self, t: int) -> NDArray[np.int32]:
        """The same with ``n_lineages`` for others."""
        return np.where(self.words_at(t) < 0, self.n_lineages, self.words_at(t))

    def sizes(self) -> NDArray[np.int64]:
        """Members of every lineage at every epoch in every draw, (S, T, n_lineages + 1); others come last."""
        return np.stack([self.sizes_at(t) for t in range(self.partitions.n_epochs)], axis=1)

    def sizes_at(self, t: int) -> NDArray[np.int64]:
        """Members of every lineage at epoch t in every draw, (S, n_lineages + 1); others come last."""
        S, k = self.n_draws, self.n_lineages + 1
        cells = np.arange(S)[:, None] * k + self.slots_at(t)
        return np.bincount(cells.ravel(), minlength=S * k).reshape(S, k)

    def linked(self, t: int) -> Bools:
        """Are clusters of t−1 and t linked? (S, n_lineages, n_lineages)."""
        self._check_has_one_before(t)
        here, there = self.counterpart[:, t - 1], self.counterpart[:, t]
        return (here[:, :, None] == there[:, None, :]) & (here >= 0)[:, :, None]

    def born(self, t: int) -> Bools:
        """Is the cluster there at t, and its lineage was not before? (S, n_lineages)."""
        self._check_has_one_before(t)
        return (self.counterpart[:, t] >= 0) & ~self.alive_at(t, t - 1)

    def died(self, t: int) -> Bools:
        """Was the cluster there before t, and its lineage is not now? (S, n_lineages)."""
        self._check_has_one_before(t)
        return (self.counterpart[:, t - 1] >= 0) & ~self.alive_at(t - 1, t)

    def alive_at(self, t: int, other: int) -> Bools:
        """Is the draw's lineage that a cluster of t belongs to there at another epoch? (S, n_lineages)."""
        labels = self.counterpart[:, t]
        return np.take_along_axis(self._alive[:, other], np.maximum(labels, 0), axis=1) & (labels >= 0)

    def _check_has_one_before(self, t: int) -> None:
        if not 1 <= t < self.partitions.n_epochs:
            raise SettingsError(f"links lead to the epochs 1 to {self.partitions.n_epochs - 1}, not to epoch {t!r}")

    @cached_property
    def _alive(self) -> Bools:
        """Is the draw's lineage with this label there at this epoch? (S, T, labels)."""
        partitions = self.partitions
        alive = np.zeros((partitions.n_draws, partitions.n_epochs, int(partitions.labels.max()) + 1), dtype=bool)
        for t in range(partitions.n_epochs):
            np.put_along_axis(alive[:, t], partitions.at(t).astype(np.int64), True, axis=1)
        return alive


def align(draws: Sample | Partitions, clustering: Clustering | Any, *, max_draws: int = MAX_DRAWS) -> Alignment:
    """Match the clusters of every draw with those of a clustering, epoch by epoch.

    Labels of draws mean nothing beyond their draw. After this, the clusters of all draws have the names of the
    clustering, and everything about lineages can be computed.

    Parameters
    ----------
    draws : Sample or Partitions
        A sample, or partitions from elsewhere.
    clustering : Clustering
        The clustering to match them with, usually from :func:`tetiwd.representative`.
    max_draws : int
        At most so many draws are matched, evenly spaced.

    Returns
    -------
    Alignment
        The draws in the words of the clustering. Most functions that answer questions take it.

    Examples
    --------
    >>> from tetiwd import Partitions, align, representative
    >>> draws = Partitions.from_labels(
    ...     [
    ...         [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1]],  # three draws at the first time
    ...         [[0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1]],
    ...     ],
    ...     times=[2020, 2021],
    ...     ids=[list("abcdef"), list("abcdef")],
    ... )
    >>> alignment = align(draws, representative(draws))
    >>> alignment.n_draws
    3
    >>> alignment.sizes()[:, 0]  # of lineages 0 and 1 and of all others, at the first time, in every draw
    array([[3, 3, 0],
           [2, 4, 0],
           [3, 3, 0]])
    """
    partitions = as_partitions(draws).thinned(max_draws)
    clustering = as_clustering(partitions, clustering)
    words = np.empty(partitions.labels.shape, dtype=np.int32)
    counterpart = np.full((partitions.n_draws, partitions.n_epochs, clustering.n_lineages), -1, dtype=np.int32)
    for t, labels in enumerate(clustering.labels):
        words_here, counterpart_here = match(labels, partitions.at(t))
        words[:, partitions.columns[t]] = words_here
        counterpart[:, t, : counterpart_here.shape[1]] = counterpart_here
    return Alignment(partitions, clustering, words, counterpart)


def as_alignment(
    draws: Sample | Partitions, clustering: Clustering | Alignment | Any, max_draws: int = MAX_DRAWS
) -> Alignment:
    """An alignment as it is; a clustering aligned with the draws."""
    return clustering if isinstance(clustering, Alignment) else align(draws, clustering, max_draws=max_draws)


def match(labels: Ints, drawn: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Match the clusters of draws of one epoch, (S, n), with labelled clusters of its objects, (n,).

    Returns the label of every object's cluster in every draw, (S, n), OTHER if it has no counterpart; and the draw's
    label of every labelled cluster, (S, labels), −1 if there is none.
    """
    from scipy.optimize import linear_sum_assignment

    assigned = labels != UNASSIGNED
    lineages, slot = np.unique(labels[assigned], return_inverse=True)
    theirs = numbered(drawn)
    n_theirs = theirs.max(axis=1) + 1
    most = int(n_theirs.max(initial=0))
    name = np.full((len(drawn), most), OTHER, dtype=np.int32)  # of every cluster of a draw
    counterpart = np.full((len(drawn), int(labels.max()) + 1), -1, dtype=np.int32)
    label = np.zeros((len(drawn), most), dtype=np.int32)
    np.put_along_axis(label, theirs, drawn.astype(np.int32, copy=False), axis=1)
    at_once = max(1, CELLS_AT_ONCE // max(1, len(labels), len(lineages) * most))
    for first in range(0, len(drawn), at_once):
        overlaps = _overlaps(slot, theirs[first : first + at_once, assigned], len(lineages), most)
        best, clear = _clear_matches(overlaps)
        rows = first + np.flatnonzero(clear)[:, None]
        name[rows, best[clear]] = lineages
        counterpart[rows, lineages] = label[rows, best[clear]]
        for s in first + np.flatnonzero(~clear):
            overlap = overlaps[s - first]
            mine, matched = linear_sum_assignment(overlap[:, : n_theirs[s]], maximize=True)
            real = overlap[mine, matched] > 0
            mine, matched = lineages[mine[real]], matched[real]
            name[s, matched] = mine
            counterpart[s, mine] = label[s, matched]
    return np.take_along_axis(name, theirs, axis=1), counterpart


def _clear_matches(overlaps: Ints) -> tuple[Ints, Bools]:
    """The cluster that shares most objects with each of mine in every draw, (draws, mine), and the draws in which that
    is the only best matching: no two of mine have the same one, and none has a second one that is as good."""
    best = overlaps.argmax(axis=2)
    only = (overlaps == overlaps.max(axis=2, keepdims=True)).sum(axis=2) == 1
    apart = (np.diff(np.sort(best, axis=1), axis=1) > 0).all(axis=1)
    return best, only.all(axis=1) & apart


def _overlaps(mine: Ints, theirs: NDArray[Any], n_mine: int, n_theirs: int) -> Ints:
    """Objects in common of every pair of clusters in every draw, (draws, mine, theirs)."""
    draws = np.arange(len(theirs))[:, None]
    cells, shape = (draws * n_mine + mine) * n_theirs + theirs, (len(theirs), n_mine, n_theirs)
    return np.bincount(cells.ravel(), minlength=len(theirs) * n_mine * n_theirs).reshape(shape)
