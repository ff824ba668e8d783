"""Which clusters of different epochs are of one kind, beyond what links say: because the same objects are in them
(ids recur), or because they lie in the same place (cross-time distances).

Links of the model are one to one between consecutive epochs. That a cluster has split or merged, or that one has come
back, can only be said where objects are known by name or distances between epochs are given.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tetiwd.summarize.alignment import Alignment

Bools = NDArray[np.bool_]
LEAST_SHARED = 2  # objects; one alone is a traveller


class Kinship(Protocol):
    """Says which clusters of two epochs are kin, in every draw."""

    def between(self, alignment: Alignment, t: int, later: int) -> tuple[Bools, Bools] | None:
        """Two arrays (S, n_chains, n_chains), earlier by later: "goes on in" and "comes from"; None if unknown."""


@dataclass(frozen=True)
class SharedObjects:
    """Kin by name: a good share of the returning objects of one cluster are in the other."""

    share: float = 0.25

    def between(self, alignment: Alignment, t: int, later: int) -> tuple[Bools, Bools] | None:
        """Shares of the objects that are there at both epochs."""
        ids = alignment.partitions.ids
        if ids is None:
            return None
        here, there = recurring(ids[t], ids[later])
        if not len(here):
            return None
        counts = flows_in_draws(alignment, t, here, later, there)[:, :-1, :-1]
        enough = counts >= LEAST_SHARED
        leaving, arriving = counts.sum(axis=2, keepdims=True), counts.sum(axis=1, keepdims=True)
        return enough & (counts >= self.share * leaving), enough & (counts >= self.share * arriving)


@dataclass(frozen=True)
class SamePlace:
    """Kin by place: means that are no farther apart than a gate, in an embedding of all objects.

    Give it ``embed(series).coordinates`` and the ``gate`` of :func:`track`. Like there, what chance adds to squared
    distances of means is subtracted.
    """

    coordinates: Sequence[NDArray[np.float64]]  # T × (n_t, q)
    gate: float

    def between(self, alignment: Alignment, t: int, later: int) -> tuple[Bools, Bools] | None:
        """Distances between the means of every draw's clusters."""
        (a, noise_a), (b, noise_b) = self._means(alignment, t), self._means(alignment, later)
        squared = (a**2).sum(axis=2)[:, :, None] + (b**2).sum(axis=2)[:, None, :] - 2 * a @ b.transpose(0, 2, 1)
        squared -= noise_a[:, :, None] + noise_b[:, None, :]
        near = squared <= self.gate**2  # False where a cluster has no counterpart, and all is NaN
        return near, near

    def _means(self, alignment: Alignment, t: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Means of the clusters of epoch t, (S, n_chains, q), and the variance of each; NaN where a draw has none."""
        words, X, k = alignment.words_at(t), self.coordinates[t], alignment.n_chains
        means, noise = np.full((len(words), k, X.shape[1]), np.nan), np.full((len(words), k), np.nan)
        lengths = (X**2).sum(axis=1)
        for s, own in enumerate(words):
            member = own[None, :] == np.arange(k)[:, None]
            there = member.any(axis=1)
            sizes = member[there].sum(axis=1)
            means[s, there] = (member[there] @ X) / sizes[:, None]
            scatter = lengths[own >= 0].sum() - sizes @ (means[s, there] ** 2).sum(axis=1)
            noise[s, there] = scatter / max(1, sizes.sum() - len(sizes)) / sizes
        return means, noise


def recurring(earlier: NDArray[Any], later: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Positions of the objects that are there at both epochs."""
    position = {own: i for i, own in enumerate(later.tolist())}
    pairs = [(i, position[own]) for i, own in enumerate(earlier.tolist()) if own in position]
    here, there = zip(*pairs, strict=True) if pairs else ((), ())
    return np.array(here, dtype=np.int64), np.array(there, dtype=np.int64)


def flows_in_draws(
    alignment: Alignment, t: int, here: NDArray[np.int64], later: int, there: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Objects that go from one chain to another in every draw, (S, n_chains + 1, n_chains + 1); others come last."""
    S, k = alignment.n_draws, alignment.n_chains + 1
    start, end = alignment.words_at(t)[:, here], alignment.words_at(later)[:, there]
    start, end = np.where(start < 0, k - 1, start), np.where(end < 0, k - 1, end)
    cells = (np.arange(S)[:, None] * k + start).astype(np.int64) * k + end
    return np.bincount(cells.ravel(), minlength=S * k * k).reshape(S, k, k)
