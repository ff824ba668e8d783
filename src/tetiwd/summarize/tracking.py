"""Tracking from cross-time distances: which clusters go on, how far they move, and which of them come back.

Clusters of different epochs are linked if their means are close. Distances between means are averages of D* and need no
embedding: ‖mean_g − mean_h‖² = D̄_gh − D̄_gg/2 − D̄_hh/2. If D* is Euclidean that is what all components of :func:`embed`
give; fewer components give less. Links that were sampled play no part; this is a second opinion on them.

The squared distance of two sample means is too large by v_g/n_g + v_h/n_h on average, v being the variance within a
cluster and n its size. That is subtracted everywhere ("debiased"). v is pooled over the clusters of an epoch.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.checks import Matrix, row_blocks
from tetiwd.data.feature_distances import FeatureDistances
from tetiwd.data.series import DistanceSeries
from tetiwd.errors import DataError, SettingsError
from tetiwd.memory import require_memory
from tetiwd.params import check_whole
from tetiwd.partitions import Ints, Partitions, check_labels
from tetiwd.summarize.assignment import assign
from tetiwd.summarize.clustering import Clustering, each_alone, in_order_of_birth
from tetiwd.summarize.embedding import Embedding, as_points, cross_of, embed

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Embedding", "Tracks", "embed", "track"]

Floats = NDArray[np.float64]

GATE_SHARE = 0.75  # squared gate, as a share of the squared distance to the nearest other cluster


@dataclass(frozen=True, eq=False, repr=False)
class Tracks:
    """Clusters linked over time by the distance of their means, from :func:`track`.

    Tracks are numbered from 0 in order of their first epoch, the larger one (over all epochs) first. Distances are in
    units of the square root of D*. They are debiased; a squared distance below 0 counts as 0.
    """

    labels: list[Ints]  # T × (n_t,) track of every object
    times: tuple[Any, ...]
    gate: float  # clusters farther apart than this are not linked
    means: Floats  # (T, n_tracks, q) for plots, NaN where a track is absent
    sizes: Ints  # (T, n_tracks), 0 where a track is absent
    clusters: "Clusters"  # of all epochs
    at: Ints  # (T, n_tracks) which of the clusters, −1 where a track is absent

    @property
    def n_tracks(self) -> int:
        """Number of tracks."""
        return self.sizes.shape[1]

    def distances(self) -> "pd.DataFrame":
        """One row per track and step: from when to when, epochs skipped, and the distance between the means."""
        import pandas as pd

        columns = ["track", "from_time", "to_time", "n_skipped", "distance", "raw_distance"]
        rows = [
            (j, self.times[a], self.times[b], b - a - 1, *self._distance(j, a, b))
            for j in range(self.n_tracks)
            for a, b in self._steps(j)
        ]
        kinds = {"track": int, "n_skipped": int, "distance": float, "raw_distance": float}
        return pd.DataFrame(rows, columns=columns).astype(kinds)

    def table(self) -> "pd.DataFrame":
        """One row per track: when it was there, how far it came, and its size at every epoch."""
        import pandas as pd

        rows = []
        for j in range(self.n_tracks):
            present, steps = np.flatnonzero(self.sizes[:, j]), self._steps(j)
            row = {
                "track": j,
                "first": self.times[present[0]],
                "last": self.times[present[-1]],
                "n_epochs": len(present),
                "n_returns": sum(b > a + 1 for a, b in steps),
                "travelled": float(sum(self._distance(j, a, b)[0] for a, b in steps)),
                "straight": self._distance(j, present[0], present[-1])[0] if steps else 0.0,
            }
            rows.append(row | {f"size at {time}": int(n) for time, n in zip(self.times, self.sizes[:, j], strict=True)})
        return pd.DataFrame(rows)

    def _steps(self, j: int) -> list[tuple[int, int]]:
        """Epochs of a track, each with the next one it is present at."""
        return list(pairwise(np.flatnonzero(self.sizes[:, j]).tolist()))

    def _distance(self, j: int, a: int, b: int) -> tuple[float, float]:
        """Debiased and raw distance of the means of a track at two epochs."""
        pair = self.at[a, j], self.at[b, j]
        squared = self.clusters.debiased[pair], self.clusters.raw[pair]
        return float(np.sqrt(max(0.0, squared[0]))), float(np.sqrt(max(0.0, squared[1])))

    def __repr__(self) -> str:
        n_links = int((self.sizes > 0).sum()) - self.n_tracks
        return (
            f"Tracks({self.n_tracks} tracks with {n_links} links over {len(self.times)} epochs; gate {self.gate:.4g})"
        )


def track(
    series: DistanceSeries,
    clustering: Clustering | Sequence[Any],
    *,
    gate: float | Literal["auto"] = "auto",
    embedding: Embedding | None = None,
    max_gap: int | None = None,
) -> Tracks:
    """Link the clusters of every epoch to those before whose means are closest.

    Epoch by epoch, clusters are assigned to the tracks there are, each track to one cluster at most, so that the sum
    of debiased squared distances is least; a cluster without a track costs the squared gate and begins a new one. A
    track that has ended stays where it was last seen and can be taken up again.

    Parameters
    ----------
    series : DistanceSeries
        A series with cross-time distances.
    clustering : Clustering or list of T integer arrays
        The clusters of every epoch, or a list of integer arrays. Labels say who is together within an epoch; that
        they are equal at two epochs means nothing here.
    gate : float or "auto"
        Clusters farther apart than this are not linked, a number in units of the square root of D*, ``inf`` for no
        limit. "auto" takes the median squared distance of a cluster to the nearest other one of its epoch, three
        quarters of it, and the root; if no two clusters of an epoch can be told apart there is no limit.
    embedding : Embedding, optional
        From :func:`embed`: the space that ``Tracks.means`` are in, to plot them among the objects. None gives them a
        space of their own, with the same distances but other axes. Links do not depend on it.
    max_gap : int, optional
        Most epochs in a row that a track may be absent from; None for any number.

    Returns
    -------
    Tracks
        ``labels`` has the track of every object; ``table()`` has one row per track.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]] * 2)
    >>> year = np.repeat([2020, 2021], 6)
    >>> from tetiwd import DistanceSeries, track
    >>> series = DistanceSeries.from_features(X, time=year)
    >>> track(series, [[0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0]]).labels[1]  # same places, other labels
    array([0, 0, 0, 1, 1, 1])
    """
    automatic = isinstance(gate, str) and gate == "auto"
    if not automatic and (not isinstance(gate, Real) or isinstance(gate, bool) or not gate > 0):
        raise SettingsError(f'gate must be a positive number, inf, or "auto", not {gate!r}')
    if max_gap is not None:
        check_whole("max_gap", max_gap, 0)
    offsets = np.cumsum(series.n_objects)[:-1]
    labels = np.split(each_alone(check_labels(clustering, series.n_objects, "the clustering")), offsets)
    if embedding is not None and len(embedding.points) != sum(series.n_objects):
        raise DataError(
            f"the embedding has {len(embedding.points)} points but the series has {sum(series.n_objects)} objects; "
            "use embed(series)"
        )
    clusters = _clusters(cross_of(series), labels)
    limit = _automatic_gate(clusters) if automatic else float(gate)
    linked = _link(clusters, limit, max_gap)[clusters.slot]
    whole = Partitions(linked[None].astype(np.int32), series.n_objects, series.times)
    return _tracks(whole.split(in_order_of_birth(linked, whole)), series.times, limit, clusters, embedding)


@dataclass(frozen=True, eq=False)
class Clusters:
    """The k clusters of all epochs together."""

    slot: Ints  # (N,) cluster of every object, 0 … k − 1
    epoch: Ints  # (k,)
    sizes: Ints  # (k,)
    raw: Floats  # (k, k) squared distances of the means
    debiased: Floats  # (k, k) the same without what chance adds on average; can be negative


def _clusters(D: Matrix, labels: list[Ints]) -> Clusters:
    """Clusters and the distances of their means. An epoch of lone objects gets the variance of the others."""
    slots = [np.unique(labels_t, return_inverse=True)[1].ravel() for labels_t in labels]
    k_by_epoch = np.array([slots_t.max() + 1 for slots_t in slots])
    epoch = np.repeat(np.arange(len(slots)), k_by_epoch)
    slot = np.concatenate(slots) + np.repeat(np.cumsum(k_by_epoch) - k_by_epoch, [len(slots_t) for slots_t in slots])
    sizes = np.bincount(slot)
    require_memory(6 * 8 * len(sizes) ** 2, f"tracking {len(sizes)} clusters", "give a clustering with fewer clusters")
    raw, from_mean = distances_of_means(D, slot, sizes)
    scatter, spare = np.bincount(epoch, sizes * from_mean), np.bincount(epoch, sizes - 1)
    within = np.where(spare > 0, scatter / np.maximum(1, spare), scatter.sum() / max(1, spare.sum()))
    noise = within[epoch] / sizes
    return Clusters(slot, epoch, sizes, raw, raw - noise - noise[:, None])


def distances_of_means(D: Matrix, slot: Ints, sizes: Ints) -> tuple[Floats, Floats]:
    """Squared distances between the means of k clusters, (k, k), and of a member from its mean on average, (k,)."""
    if isinstance(D, FeatureDistances):
        sums = D.block_sums(D.sums(slot, len(sizes)))
    else:
        order, starts = np.argsort(slot, kind="stable"), np.cumsum(sizes) - sizes
        sums = np.zeros((len(sizes), len(sizes)))
        for rows, block in row_blocks(D):
            np.add.at(sums, slot[rows], np.add.reduceat(block[:, order], starts, axis=1, dtype=float))
    mean = sums / sizes / sizes[:, None]
    from_mean = np.diagonal(mean) / 2
    return (mean + mean.T) / 2 - from_mean - from_mean[:, None], from_mean


def _automatic_gate(clusters: Clusters) -> float:
    """Root of a share of the median squared distance to the nearest other cluster; inf where that is 0 or unknown."""
    rivals = (clusters.epoch == clusters.epoch[:, None]) & ~np.eye(len(clusters.epoch), dtype=bool)
    nearest = np.where(rivals, clusters.debiased, np.inf).min(axis=1)[rivals.any(axis=1)]
    squared = GATE_SHARE * float(np.median(nearest)) if len(nearest) else 0.0
    return float(np.sqrt(squared)) if squared > 0 else np.inf


def _link(clusters: Clusters, gate: float, max_gap: int | None) -> Ints:
    """The track of every cluster, numbered as they begin."""
    tracks = np.empty(len(clusters.epoch), dtype=np.int64)
    last: Ints = np.empty(0, dtype=np.int64)  # latest cluster of every track
    for t in range(int(clusters.epoch[-1]) + 1):
        now = np.flatnonzero(clusters.epoch == t)
        squared = clusters.debiased[np.ix_(now, last)]
        if max_gap is not None:
            squared[:, t - clusters.epoch[last] - 1 > max_gap] = np.inf
        tracks_now = assign(squared, gate)
        new = tracks_now < 0
        tracks_now[new] = len(last) + np.arange(new.sum())
        last = np.append(last, now[new])
        last[tracks_now] = now
        tracks[now] = tracks_now
    return tracks


def _tracks(
    labels: list[Ints], times: tuple[Any, ...], gate: float, clusters: Clusters, embedding: Embedding | None
) -> Tracks:
    """Means and sizes by epoch and track."""
    flat = np.concatenate(labels)
    first = np.unique(clusters.slot, return_index=True)[1]
    places = clusters.epoch, flat[first]
    at = np.full((len(labels), int(flat.max()) + 1), -1, dtype=np.int64)
    at[places] = np.arange(len(first))
    sizes = np.where(at < 0, 0, clusters.sizes[at])
    if embedding is None:
        points = as_points(clusters.raw, (len(first),), (0,)).points
    else:
        points = np.zeros((len(first), embedding.n_components))
        np.add.at(points, clusters.slot, embedding.points / clusters.sizes[clusters.slot, None])
    means = np.full((*at.shape, points.shape[1]), np.nan)
    means[places] = points
    return Tracks(labels, times, gate, means, sizes, clusters, at)
