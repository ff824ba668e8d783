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

from tetiwd.draws import Draws
from tetiwd.errors import DataError, SettingsError
from tetiwd.model.geometry_prior import draw_row, log_wishart, prior_scale
from tetiwd.model.likelihood import block_statistics
from tetiwd.model.partition_prior import FreeLabels, candidate_weight
from tetiwd.model.prediction import predict, predict_first
from tetiwd.params import is_whole
from tetiwd.summarize.alignment import align
from tetiwd.summarize.clustering import Clustering
from tetiwd.summarize.coclustering import check_epoch
from tetiwd.summarize.partitions import Partitions, numbered

if TYPE_CHECKING:
    import pandas as pd

    from tetiwd.chains import Sample

Floats = NDArray[np.float64]
FRESH = -1  # chain id of a cluster that nobody has seen


@dataclass(frozen=True, eq=False, repr=False)
class Classification:
    """Where new objects belong."""

    time: Any
    chains: NDArray[np.int64]  # clusters of the epoch, by chain
    probabilities: Floats  # (m, clusters)
    none: Floats  # (m,) none of these: a new cluster, or one that some draws have and the clustering has not
    unlisted: Floats  # (m,) the second part of that
    effective_draws: Floats  # (m,) how many draws had a say
    together: Floats | None  # (m, n_t) probability to belong with every object of the epoch, if asked for

    @property
    def best(self) -> NDArray[np.int64]:
        """The most probable chain of every new object, −1 for none of these."""
        everything = np.column_stack([self.probabilities, self.none])
        return np.append(self.chains, -1)[everything.argmax(axis=1)]

    def table(self) -> "pd.DataFrame":
        """One row per new object: the most probable chain, then all probabilities."""
        import pandas as pd

        columns = [f"chain {chain}" for chain in self.chains]
        table = pd.DataFrame(self.probabilities, columns=columns)
        table["none of these"] = self.none
        table.insert(0, "best", self.best)
        return table

    def __repr__(self) -> str:
        m = len(self.none)
        return (
            f"Classification({m} new objects at {self.time}, {(self.best == -1).sum()} of them in none of the clusters)"
        )


def classify(
    sample: "Sample",
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
    sample, clustering
        The draws, and the clustering whose clusters are asked for.
    new
        Distances (or similarities) from every new object to the objects of the epoch, (m, n_t), in units of the data.
    squared
        For distances: True if the numbers are squared distances, False if they are plain. Never guessed.
    own
        For similarities: that of every new object with itself, (m,).
    t
        Epoch of the objects, counted from 0; the last by default.
    n_births
        Possible new clusters looked at per draw.
    max_draws
        At most so many draws, evenly spaced among those that have kept A (``SamplerSettings.geometry_every``).
    together
        True also gives the probability to be in one cluster with each object of the epoch.
    seed
        Seed of the possible new clusters.
    """
    t = check_epoch(t, sample.series.n_epochs)
    for name, value in {"n_births": n_births, "max_draws": max_draws}.items():
        if not is_whole(value, 1):
            raise SettingsError(f"{name} must be a whole number of at least 1, not {value!r}")
    rows, diagonal = _check_new(sample, new, squared, own, t)
    kept = _kept_draws(sample, max_draws)
    labels = numbered(np.array([draws.labels[i] for draws, i in kept]).reshape(len(kept), -1))
    partitions = Partitions(labels, sample.series.n_objects, sample.series.times, sample.series.ids)
    alignment = align(partitions, clustering, max_draws=len(kept))
    chains = np.unique(alignment.clustering.labels[t])
    rng = np.random.default_rng(seed)
    m, n = rows.shape
    log_total = np.full(m, -np.inf)  # of everything so far; sums below are relative to it
    weight = np.zeros(m)
    weight_squared = np.zeros(m)
    sums = np.zeros((m, len(chains) + 2))
    with_each = np.zeros((m, n)) if together else None
    for s, (draws, i) in enumerate(kept):
        epoch = EpochOfDraw(sample, draws, i, t)
        log_weights = epoch.weigh(rows, diagonal, n_births, rng)
        log_draw = np.logaddexp.reduce(log_weights, axis=1)
        higher = np.maximum(log_total, log_draw)
        shrink, grow = np.exp(log_total - higher), np.exp(log_draw - higher)
        log_total = higher
        weight, weight_squared = weight * shrink + grow, weight_squared * shrink**2 + grow**2
        shares = np.exp(log_weights - higher[:, None])  # the draw's weight is in them
        slot = np.full(len(chains) + 1, -1)
        present = np.unique(partitions.at(t)[s])
        for g, label in enumerate(alignment.counterpart[s, t, chains]):
            slot[g] = np.searchsorted(present, label) if label >= 0 else -1
        sums *= shrink[:, None]
        listed = slot[slot >= 0]
        sums[:, np.flatnonzero(slot >= 0)] += shares[:, listed]
        sums[:, -1] += shares[:, -1]
        sums[:, -2] += shares[:, :-1].sum(axis=1) - shares[:, listed].sum(axis=1)
        if with_each is not None:
            with_each *= shrink[:, None]
            with_each += shares[:, np.searchsorted(present, partitions.at(t)[s])]
    sums = np.maximum(sums / weight[:, None], 0.0)
    return Classification(
        time=sample.series.times[t],
        chains=chains,
        probabilities=sums[:, :-2],
        none=sums[:, -1] + sums[:, -2],
        unlisted=sums[:, -2],
        effective_draws=weight**2 / weight_squared,
        together=None if with_each is None else with_each / weight[:, None],
    )


class EpochOfDraw:
    """One epoch in one draw, as a new object meets it."""

    def __init__(self, sample: "Sample", draws: Draws, i: int, t: int) -> None:
        self.h, series = sample.hyperparameters, sample.series
        self.similarity = series.kind == "similarities"
        self.dof = self.h.dof_by_epoch(series.n_epochs)[t]
        self.alpha, self.xi, self.new_scale = (float(getattr(draws, name)[i]) for name in ("alpha", "xi", "new_scale"))
        geometry = draws.geometry[i // draws.geometry_every]
        self.A = geometry[t]
        self.chains, self.slots, self.sizes = np.unique(draws.labels_at(t)[i], return_inverse=True, return_counts=True)
        self.last = t + 1 == series.n_epochs or not self.h.coupling
        self.A_before, self.before = np.empty((0, 0)), dict[int, int]()
        self.A_after, self.after = np.empty((0, 0)), dict[int, int]()
        if t > 0 and self.h.coupling:
            self.A_before, self.before = geometry[t - 1], _sizes(draws.labels_at(t - 1)[i])
        if not self.last:
            self.A_after, self.after = geometry[t + 1], _sizes(draws.labels_at(t + 1)[i])
        self.block_sums = block_statistics(series.matrices[t], self.slots, len(self.A))[1]

    def weigh(self, rows: Floats, own: Floats, n_births: int, rng: np.random.Generator) -> Floats:
        """Log weights of new objects for every cluster, and for one yet to be born, (m, k + 1)."""
        row_sums = np.zeros((len(rows), len(self.A)))
        for c in range(len(self.A)):
            row_sums[:, c] = rows[:, self.slots == c].sum(axis=1)
        law = predict(self.sizes, self.block_sums, self.A, self.alpha, similarity=self.similarity)
        present = law.log_density(row_sums, self.dof, own) + np.log([self.weight(c) for c in self.chains.tolist()])
        births = self.weigh_births(row_sums, own, n_births, rng)
        return np.column_stack([present, births]) + self.log_constant()

    def weigh_births(self, row_sums: Floats, own: Floats, n_births: int, rng: np.random.Generator) -> Floats:
        """Log weight of a new cluster, averaged over kinds and rows of A drawn from the prior, (m,)."""
        kinds = [
            (b, f)
            for b in (FRESH, *(c for c in self.before if c not in self.chains))
            for f in (FRESH, *(c for c in self.after if c not in self.chains))
        ]
        weights = np.array([self.weight(FRESH, b, f) for b, f in kinds])
        no_room = self.h.geometry == "full" and self.h.df_A <= len(self.A)
        if no_room or not weights.sum():
            return np.full(len(row_sums), -np.inf)
        drawn = rng.choice(len(kinds), size=n_births, p=weights / weights.sum())
        rows, log_forward = np.empty((n_births, len(self.A) + 1)), np.empty(n_births)
        for i, kind in enumerate(drawn):
            b, f = kinds[int(kind)]
            rows[i], log_forward[i] = self.draw_birth(b, f, rng)
        h = np.linalg.solve(self.A, rows[:, :-1].T).T
        residuals = rows[:, -1] - (h * rows[:, :-1]).sum(axis=1)
        law = predict_first(self.sizes, self.block_sums, self.A, self.alpha, h, residuals, similarity=self.similarity)
        found = law.log_density(row_sums, self.dof, own) + log_forward
        return np.logaddexp.reduce(found, axis=1) - np.log(n_births) + np.log(weights.sum())

    def weight(self, chain: int, b: int = FRESH, f: int = FRESH) -> float:
        """Prior weight of a chain that is there, or of one to be born that continues b and goes on as f."""
        size = int(self.sizes[self.chains == chain].sum()) if chain != FRESH else 0
        before, after = (self.before.get(chain if size else b, 0), self.after.get(chain if size else f, 0))
        free = None
        if self.h.max_clusters is not None:
            here = len({*self.before, *self.chains.tolist()})
            born_next = None if self.last else sum(c not in self.chains for c in self.after)
            free = FreeLabels(self.h.max_clusters - here, self.h.max_clusters - len(self.chains), born_next)
        return candidate_weight(size, before, after, self.xi, self.h.max_clusters, free)

    def draw_birth(self, b: int, f: int, rng: np.random.Generator) -> tuple[Floats, float]:
        """The row in A of a new cluster, and the log factor by which A of the next epoch becomes more probable."""
        k = len(self.A)
        if self.h.geometry == "isotropic":
            return np.append(np.zeros(k), self.new_scale), 0.0
        chains, chains_before = self.chains.tolist(), sorted(self.before)
        scale = prior_scale(self.A_before, chains_before, [*chains, b], self.new_scale)
        row = draw_row(self.A, scale, self.h.df_A, rng)
        if f == FRESH:
            return row, 0.0
        A = np.zeros((k + 1, k + 1))
        A[:k, :k] = self.A
        A[k] = A[:, k] = row
        chains_after = sorted(self.after)
        with_it = prior_scale(A, [*chains, f], chains_after, self.new_scale)
        without = prior_scale(self.A, chains, chains_after, self.new_scale)
        return row, log_wishart(self.A_after, with_it, self.h.df_A) - log_wishart(self.A_after, without, self.h.df_A)

    def log_constant(self) -> float:
        """What one more object does to the constants of the urn, the same for all clusters."""
        n, m, later = int(self.sizes.sum()), sum(self.before.values()), sum(self.after.values())
        forward = 0.0 if self.last else np.log(self.xi + n) - np.log(self.xi + n + later)
        return float(forward - np.log(self.xi + m + n))


def _sizes(labels: NDArray[Any]) -> dict[int, int]:
    chains, sizes = np.unique(labels, return_counts=True)
    return dict(zip(chains.tolist(), sizes.tolist(), strict=True))


def _kept_draws(sample: "Sample", max_draws: int) -> list[tuple[Draws, int]]:
    """Draws that have kept A, evenly spaced over all chains."""
    kept = [(draws, i) for draws in sample.draws for i in draws.with_geometry]
    if not kept:
        raise SettingsError("no draw has kept its A; sample with geometry_every=10, say")
    rows = np.linspace(0, len(kept) - 1, min(max_draws, len(kept))).round().astype(int)
    return [kept[row] for row in rows]


def _check_new(sample: "Sample", new: Any, squared: bool | None, own: Any, t: int) -> tuple[Floats, Floats]:
    """The new distances, squared, or similarities with their diagonal; refused where they make no sense."""
    series, similar = sample.series, sample.series.kind == "similarities"
    name = "new similarities" if similar else "new distances"
    try:
        rows = np.atleast_2d(np.asarray(new, dtype=float))
    except (TypeError, ValueError):
        raise DataError(f"{name} must be an array of numbers, a row per new object") from None
    n = series.n_objects[t]
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
    return rows if squared else rows**2, np.zeros(len(rows))
