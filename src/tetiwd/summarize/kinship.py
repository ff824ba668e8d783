"""Which clusters of different epochs are of one kind, beyond what links say: because the same objects are in them
(ids recur), or because they lie in the same place (cross-time distances).

Links of the model are one to one between consecutive epochs. That a cluster has split or merged, or that one has come
back, can only be said where objects are known by name or distances between epochs are given.
"""

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.feature_distances import FeatureDistances
from tetiwd.summarize.alignment import Alignment

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

LEAST_SHARED = 2  # objects; one alone is a traveller
DRAWS_AT_ONCE = 64  # bounds the memory for who is where


class Kinship(Protocol):
    """Says which clusters of two epochs are kin, in every draw."""

    def between(self, alignment: Alignment, t: int, later: int) -> tuple[Bools, Bools] | None:
        """Two arrays (S, n_lineages, n_lineages), earlier by later: "goes on in" and "comes from"; None if unknown."""


@dataclass(frozen=True)
class SharedObjects:
    """Relates clusters by the objects they share: a good share of those that return from one are in the other.

    Examples
    --------
    >>> from tetiwd import Partitions, SharedObjects, align, lineages, representative
    >>> ids = [list("abcdef")] * 2
    >>> draws = Partitions.from_labels([[[0, 0, 0, 0, 0, 0]], [[0, 0, 0, 1, 1, 1]]], ids=ids)
    >>> found = lineages(align(draws, representative(draws)), kinship=SharedObjects())
    >>> found.events()[["event", "lineage", "probability"]]
       event  lineage  probability
    0   born        1          1.0
    1  split        0          1.0
    """

    share: float = 0.25  # of the returning objects of a cluster that makes another one its kin

    def between(self, alignment: Alignment, t: int, later: int) -> tuple[Bools, Bools] | None:
        """Shares of the objects that are there at both epochs."""
        flows = recurring_flows(alignment, t, later)
        if flows is None:
            return None
        counts = flows[:, :-1, :-1]
        enough = counts >= LEAST_SHARED
        leaving, arriving = flows.sum(axis=2)[:, :-1, None], flows.sum(axis=1)[:, None, :-1]
        return enough & (counts >= self.share * leaving), enough & (counts >= self.share * arriving)


@dataclass(frozen=True, eq=False)
class SamePlace:
    """Recognise splits, merges and returns by place: clusters are kin if their means are no farther apart than a gate.

    As in :func:`tetiwd.track`, squared distances of means are averages of D*, and what chance adds to them is
    subtracted.

    Parameters
    ----------
    cross : ndarray, shape (N, N)
        Squared distances between all objects of all epochs, ``series.cross``.
    gate : float
        The largest distance, as in :func:`tetiwd.track`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]] * 2)
    >>> year = np.repeat([2020, 2021], 6)
    >>> from tetiwd import DistanceSeries, Partitions, SamePlace, align, lineages, representative, track
    >>> series = DistanceSeries.from_features(X, time=year)
    >>> draws = Partitions.from_labels([[[0, 0, 0, 1, 1, 1]], [[0, 0, 0, 0, 0, 0]]])
    >>> clustering = representative(draws)
    >>> gate = track(series, clustering).gate
    >>> lineages(align(draws, clustering), kinship=SamePlace(series.cross, gate)).events().columns.tolist()
    ['time', 'event', 'lineage', 'probability', 'others']
    """

    cross: NDArray[Any]  # D*, (N, N)
    gate: float
    _within: dict[int, tuple[Alignment, Floats]] = field(default_factory=dict, init=False, repr=False)

    def between(self, alignment: Alignment, t: int, later: int) -> tuple[Bools, Bools] | None:
        """Means of every draw's clusters that are near each other."""
        near = self.squared_distances(alignment, t, later) <= self.gate**2  # False where it is NaN
        return near, near

    def squared_distances(self, alignment: Alignment, t: int, later: int) -> Floats:
        """Of the means of a draw's clusters, (S, n_lineages, n_lineages); NaN where a cluster has no counterpart."""
        within, within_later = self._half_within(alignment, t), self._half_within(alignment, later)
        return self._mean_distances(alignment, t, later) - within[:, :, None] - within_later[:, None, :]

    def _half_within(self, alignment: Alignment, t: int) -> Floats:
        """Half the mean distance within a cluster, plus the variance of its mean, (S, n_lineages).

        Kept for the alignment that was asked for last.
        """
        if t not in self._within or self._within[t][0] is not alignment:
            half = np.diagonal(self._mean_distances(alignment, t, t), axis1=1, axis2=2) / 2
            sizes = alignment.sizes_at(t)[:, :-1]
            spare = np.maximum(1, (sizes - 1).clip(min=0).sum(axis=1))
            variance = np.nansum(sizes * half, axis=1) / spare
            self._within[t] = alignment, half + variance[:, None] / np.maximum(1, sizes)
        return self._within[t][1]

    def _mean_distances(self, alignment: Alignment, t: int, later: int) -> Floats:
        """Means of D* over pairs of clusters of two epochs, (S, n_lineages, n_lineages)."""
        if isinstance(self.cross, FeatureDistances):
            return self._means_of_features(self.cross, alignment, t, later)
        columns = alignment.partitions.columns
        block = np.asarray(self.cross[columns[t], columns[later]], dtype=float)
        here, there = (np.flatnonzero(alignment.present[epoch]) for epoch in (t, later))
        result = np.full((alignment.n_draws, alignment.n_lineages, alignment.n_lineages), np.nan)
        words, words_later = alignment.words_at(t)[:, None], alignment.words_at(later)[:, None]
        for start in range(0, alignment.n_draws, DRAWS_AT_ONCE):
            some = slice(start, start + DRAWS_AT_ONCE)
            left = (words[some] == here[:, None]).astype(float)
            right = (words_later[some] == there[:, None]).astype(float)
            sizes = left.sum(axis=2)[:, :, None] * right.sum(axis=2)[:, None, :]
            with np.errstate(invalid="ignore"):
                result[some, here[:, None], there] = left @ (block @ right.transpose(0, 2, 1)) / sizes
        return result

    def _means_of_features(self, cross: FeatureDistances, alignment: Alignment, t: int, later: int) -> Floats:
        """The same without a matrix."""
        k, starts = alignment.n_lineages, [columns.start for columns in alignment.partitions.columns]
        result = np.empty((alignment.n_draws, k, k))
        for s, words in enumerate(zip(alignment.slots_at(t), alignment.slots_at(later), strict=True)):
            left, right = (
                cross.sums(slots, k + 1, starts[epoch])[:-1] for slots, epoch in zip(words, (t, later), strict=True)
            )
            with np.errstate(invalid="ignore"):
                result[s] = cross.block_sums(left, right) / (left[:, -1:] * right[:, -1])
        return result


def recurring(earlier: NDArray[Any], later: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Positions of the objects that are there at both epochs."""
    position = {id: i for i, id in enumerate(later.tolist())}
    pairs = [(i, position[id]) for i, id in enumerate(earlier.tolist()) if id in position]
    here, there = zip(*pairs, strict=True) if pairs else ((), ())
    return np.array(here, dtype=np.int64), np.array(there, dtype=np.int64)


def recurring_flows(alignment: Alignment, t: int, later: int) -> NDArray[np.int64] | None:
    """The flows of :func:`flows_in_draws` between two epochs; None if no object is known to be there at both."""
    ids = alignment.partitions.ids
    if ids is None:
        return None
    here, there = recurring(ids[t], ids[later])
    return flows_in_draws(alignment, t, here, later, there) if len(here) else None


def flows_in_draws(
    alignment: Alignment, t: int, here: NDArray[np.int64], later: int, there: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Objects that go from one lineage to another, (S, n_lineages + 1, n_lineages + 1); others come last."""
    S, k = alignment.n_draws, alignment.n_lineages + 1
    start, end = alignment.slots_at(t)[:, here], alignment.slots_at(later)[:, there]
    cells = (np.arange(S)[:, None] * k + start).astype(np.int64) * k + end
    return np.bincount(cells.ravel(), minlength=S * k * k).reshape(S, k, k)
