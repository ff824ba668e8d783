"""New objects: from their distances to the objects of one epoch to probabilities over its clusters and "none of these".

In every draw the new object is treated as the sampler treats one of its own: every cluster has the prior weight of the
urn times the density of the distances (``model.prediction``), and so has a cluster yet to be born, averaged over rows
of A that it might have. Draws count in proportion to how well they predict the new distances, which is what running
the sampler again with the object in it would do to them. Every new object is judged by itself.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import DataError
from tetiwd.params import check_whole
from tetiwd.sample import Sample
from tetiwd.summarize.alignment import match
from tetiwd.summarize.clustering import Clustering, as_clustering
from tetiwd.summarize.coclustering import check_epoch
from tetiwd.summarize.new_in_lineage import LineagesOfDraw, some_draws
from tetiwd.summarize.new_object import EpochOfDraw, draws_with_geometry

if TYPE_CHECKING:
    import pandas as pd


Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Classification:
    """Where new objects belong."""

    time: Any
    lineages: NDArray[np.int64]  # clusters of the epoch, by lineage
    probabilities: Floats  # (m, clusters)
    none: Floats  # (m,) none of these: a new cluster, or one that some draws have and the clustering has not
    unlisted: Floats  # (m,) the second part of that
    effective_draws: Floats  # (m,) effective number of draws that the answer rests on
    together: Floats | None  # (m, n_t) probability to belong with every object of the epoch, if asked for

    @property
    def best(self) -> NDArray[np.int64]:
        """The most probable lineage of every new object, −1 for none of these."""
        everything = np.column_stack([self.probabilities, self.none])
        return np.append(self.lineages, -1)[everything.argmax(axis=1)]

    def table(self) -> "pd.DataFrame":
        """One row per new object: the most probable lineage and the next, with theirs, then all probabilities.

        A lineage of −1 is none of these.
        """
        import pandas as pd

        everything, rows = np.column_stack([self.probabilities, self.none]), np.arange(len(self.none))
        order, names = np.argsort(-everything, axis=1, kind="stable"), np.append(self.lineages, -1)
        table = pd.DataFrame({"best": self.best, "probability": everything[rows, order[:, 0]]})
        table["next"], table["next_probability"] = names[order[:, 1]], everything[rows, order[:, 1]]
        for lineage, probabilities in zip(self.lineages, self.probabilities.T, strict=True):
            table[f"lineage {lineage}"] = probabilities
        table["none of these"] = self.none
        return table

    def __repr__(self) -> str:
        m = len(self.none)
        return (
            f"Classification({m} new objects at {self.time}, {(self.best == -1).sum()} of them in none of the clusters)"
        )


def classify(
    sample: Sample,
    clustering: Clustering,
    new: Any,
    *,
    squared: bool | None = None,
    own: Any = None,
    t: int = -1,
    n_births: int = 50,
    max_draws: int = 200,
    together: bool = False,
    seed: int = 0,
) -> Classification:
    """Probabilities of new objects for the clusters of one epoch.

    Parameters
    ----------
    sample, clustering : Sample, Clustering
        The draws, and the clustering whose clusters are asked for.
    new : array_like, shape (m, n_t)
        Distances (or similarities) from every new object to the objects of the epoch, (m, n_t), in units of the data.
        The model of moving centres needs those to all objects, (m, N), epoch after epoch.
    squared : bool, optional
        For distances: True if the numbers are squared distances, False if they are plain. Never guessed.
    own : array_like, shape (m,), optional
        For similarities: that of every new object with itself, (m,).
    t : int
        Epoch of the objects, counted from 0; the last by default.
    n_births : int
        Possible new clusters looked at per draw.
    max_draws : int
        At most so many draws, evenly spaced among those that have kept A (``SamplerSettings.geometry_every``).
    together : bool
        True also gives the probability to be in one cluster with each object of the epoch.
    seed : int
        Seed of the possible new clusters.

    Returns
    -------
    Classification
        ``best`` is the most probable lineage of every new object, −1 for none; ``table()`` has all probabilities.

    Examples
    --------
    >>> from tetiwd import SamplerSettings, TeTiWD, simulate_separated
    >>> short = SamplerSettings(n_chains=2, n_warmup=50, n_draws=50)
    >>> D = simulate_separated(seed=1).D
    >>> model = TeTiWD(squared=True, dof=100, settings=short, random_state=0).fit(D)
    >>> from tetiwd import classify
    >>> new = simulate_separated(seed=1).D[-1][:3]  # three objects as if they were new
    >>> found = classify(model.sample_, model.analysis_.clustering, new, squared=True)
    >>> found.best.tolist()  # −1: none of these clusters
    [0, 1, -1]
    >>> found.probabilities.shape  # without "none", which is in found.none
    (3, 3)
    """
    t = check_epoch(t, sample.series.n_epochs)
    for name, value in {"n_births": n_births, "max_draws": max_draws}.items():
        check_whole(name, value, 1)
    rows, diagonal = _check_new(sample, new, squared, own, t)
    moves = sample.hyperparameters.moves
    kept = some_draws(sample, max_draws) if moves else draws_with_geometry(sample, max_draws)
    clusters = as_clustering(sample, clustering)
    words = match(clusters.labels[t], np.array([draws.labels_at(t)[i] for draws, i in kept]))[0]
    lineages = clusters.lineages_at(t)
    rng = np.random.default_rng(seed)
    m, n = len(rows), sample.series.n_objects[t]
    by_lineage, by_object = WeightedMean(m, len(lineages) + 2), WeightedMean(m, n if together else 0)
    for s, (draws, i) in enumerate(kept):
        epoch: LineagesOfDraw | EpochOfDraw
        if moves:
            epoch = LineagesOfDraw(sample, draws, i, t)
            log_weights = epoch.weigh(rows)
        else:
            epoch = EpochOfDraw(sample, draws, i, t)
            log_weights = epoch.weigh(rows, diagonal, n_births, rng)
        log_draw = np.logaddexp.reduce(log_weights, axis=1)
        shares = np.exp(log_weights - log_draw[:, None])
        by_lineage.add(log_draw, shares @ _columns(lineages, epoch.slots, words[s]))
        if together:
            by_object.add(log_draw, shares[:, epoch.slots])
    mean = by_lineage.mean
    return Classification(
        time=sample.series.times[t],
        lineages=lineages,
        probabilities=mean[:, :-2],
        none=mean[:, -2:].sum(axis=1),
        unlisted=mean[:, -2],
        effective_draws=by_lineage.effective_draws,
        together=by_object.mean if together else None,
    )


class WeightedMean:
    """Means over draws that count in proportion to given weights, (m, width); weights as logs of any size."""

    def __init__(self, m: int, width: int) -> None:
        self.log_scale = np.full(m, -np.inf)  # the largest log weight so far; everything else is relative to it
        self.weight, self.weight_squared, self.sums = np.zeros(m), np.zeros(m), np.zeros((m, width))

    def add(self, log_weight: Floats, values: Floats) -> None:
        """One more draw."""
        higher = np.maximum(self.log_scale, log_weight)
        shrink, weight = np.exp(self.log_scale - higher), np.exp(log_weight - higher)
        self.log_scale = higher
        self.weight = self.weight * shrink + weight
        self.weight_squared = self.weight_squared * shrink**2 + weight**2
        self.sums = self.sums * shrink[:, None] + weight[:, None] * values

    @property
    def mean(self) -> Floats:
        """The means so far."""
        return self.sums / self.weight[:, None]

    @property
    def effective_draws(self) -> Floats:
        """How many draws of equal weight would be as good, (m,)."""
        return self.weight**2 / self.weight_squared


def _columns(lineages: NDArray[np.int64], slots: NDArray[np.int64], words: NDArray[np.int32]) -> Floats:
    """Column that every cluster of a draw counts for, as 0 and 1: a lineage, "unlisted", or "new"."""
    first = np.unique(slots, return_index=True)[1]
    columns = np.append(
        np.where(words[first] < 0, len(lineages), np.searchsorted(lineages, words[first])), len(lineages) + 1
    )
    return np.eye(len(lineages) + 2)[columns]


def _check_new(sample: Sample, new: Any, squared: bool | None, own: Any, t: int) -> tuple[Floats, Floats]:
    """The new distances, squared, or similarities with their diagonal; refused where they make no sense."""
    series, similar = sample.series, sample.series.kind == "similarities"
    name = "new similarities" if similar else "new distances"
    try:
        rows = np.atleast_2d(np.asarray(new, dtype=float))
    except (TypeError, ValueError):
        raise DataError(f"{name} must be an array of numbers, a row per new object") from None
    n = sum(series.n_objects) if sample.hyperparameters.moves else series.n_objects[t]
    if sample.hyperparameters.moves and (rows.ndim != 2 or rows.shape[1] != n):
        raise DataError(
            f"{name} have shape {rows.shape}; moving centres need those to all {n} objects of all times, so (m, {n})"
        )
    if rows.ndim != 2 or rows.shape[1] != n:
        raise DataError(f"{name} have shape {rows.shape}; epoch {t} ({series.times[t]}) has {n} objects, so (m, {n})")
    if not np.isfinite(rows).all():
        i, j = np.argwhere(~np.isfinite(rows))[0]
        raise DataError(
            f"{name} of object {i} hold {rows[i, j]} for object {j} of the epoch; fill it in or leave it out"
        )
    if similar:
        if own is None:
            raise DataError("similarities need those of every new object with itself: own=…")
        try:
            diagonal = np.atleast_1d(np.asarray(own, dtype=float))
        except (TypeError, ValueError):
            diagonal = np.empty(0)
        if diagonal.shape != (len(rows),) or not np.isfinite(diagonal).all():
            raise DataError(f"own must be {len(rows)} finite numbers, one per new object")
        return rows, diagonal
    if not isinstance(squared, bool | np.bool_):
        raise DataError(f"squared must be True or False, not {squared!r}; it is never guessed")
    if rows.size and rows.min() < 0:
        i, j = np.unravel_index(rows.argmin(), rows.shape)
        raise DataError(f"{name} of object {i} hold {rows[i, j]:.4g} for object {j}; distances are not negative")
    with np.errstate(over="ignore"):
        rows = rows if squared else rows**2
    if not np.isfinite(rows).all():
        raise DataError(f"{name} are too large to be squared; divide all distances by a constant before fitting")
    return rows, np.zeros(len(rows))
