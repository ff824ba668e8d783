"""Weights of the clusters of one draw and epoch, and of a cluster yet to be born, for one more object.

The weights are ratios of the joint density with the object and without it, up to one constant for all draws
(``tests/exact/test_classify.py``).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.feature_distances import FeatureDistances
from tetiwd.draws import Draws
from tetiwd.errors import Setting, SettingsError
from tetiwd.model.geometry_prior import draw_row, log_wishart, prior_scale
from tetiwd.model.likelihood import block_statistics
from tetiwd.model.partition_prior import FreeLabels, candidate_weight, log_rising
from tetiwd.model.prediction import Prediction, predict, predict_first
from tetiwd.model.spreads import draw_log_spread
from tetiwd.partitions import evenly_spaced
from tetiwd.sample import Mode, Sample

Floats = NDArray[np.float64]
FRESH = -1  # lineage id of a cluster that nobody has seen


class Birth(NamedTuple):
    """A cluster that may be born: lineages it continues and goes on as, FRESH for none; its row in A, its spread."""

    before: int
    after: int
    row: Floats  # (k + 1,)
    spread: float


class EpochOfDraw:
    """One epoch in one draw, as a new object meets it."""

    left: int | None = None  # cluster that the objects to be weighed have been taken out of, if they are of the epoch
    known_birth: Birth | None = None  # one that is looked at besides those drawn from the prior

    def __init__(self, sample: Sample | Mode, draws: Draws, i: int, t: int) -> None:
        self.h, series = sample.hyperparameters, sample.series
        self.similarity = series.kind == "similarities"
        self.dof = self.h.dof_by_epoch(series.n_epochs)[t]
        self.alpha, self.xi, self.new_scale = (float(getattr(draws, name)[i]) for name in ("alpha", "xi", "new_scale"))
        self.kappa = float(draws.drawn("kappa", self.h.kappa)[i])
        self.df_A = float(draws.drawn("df_A", self.h.df_A)[i]) if self.h.full else np.inf
        unequal = "log_spreads" in draws.axes
        self.tau = float(draws.drawn("tau", self.h.tau_used)[i]) if unequal else 0.0
        geometry = draws.geometry[i // draws.geometry_every]
        self.A = geometry[t]
        self.lineages, self.slots, self.sizes = np.unique(
            draws.labels_at(t)[i], return_inverse=True, return_counts=True
        )
        self.spreads = np.ones(len(self.A))  # relative to alpha
        if unequal:
            start = sum(series.n_objects[:t])
            own = draws.array("log_spreads")[i][start : start + series.n_objects[t]]
            self.spreads[self.slots] = np.exp(own / 1000)
        self.last = t + 1 == series.n_epochs or not self.h.coupling
        self.A_before, self.before = np.empty((0, 0)), dict[int, int]()
        self.A_after, self.after = np.empty((0, 0)), dict[int, int]()
        if t > 0 and self.h.coupling:
            self.A_before, self.before = geometry[t - 1], _sizes(draws.labels_at(t - 1)[i])
        if not self.last:
            self.A_after, self.after = geometry[t + 1], _sizes(draws.labels_at(t + 1)[i])
        self.block_sums = block_sums_of(series.matrices[t], self.slots, len(self.A))

    def weigh(self, rows: Floats, diagonal: Floats, n_births: int, rng: np.random.Generator) -> Floats:
        """Log weights of new objects for every cluster, and for one yet to be born, (m, k + 1)."""
        return self.weigh_sums(self.row_sums(rows), diagonal, n_births, rng)

    def row_sums(self, rows: Floats) -> Floats:
        """Distances from objects to all objects of every cluster, (m, k)."""
        sums = np.zeros((len(rows), len(self.A)))
        for c in range(len(self.A)):
            sums[:, c] = rows[:, self.slots == c].sum(axis=1, dtype=float)
        return sums

    def row_sums_of(self, data: Any, members: NDArray[np.int64]) -> Floats:
        """The same of objects of this epoch, whose matrix is given, or what stands for it."""
        if isinstance(data, FeatureDistances):
            return data.row_sums(data.sums(self.slots, len(self.A)), members)
        return self.row_sums(data[members])

    def weigh_sums(self, row_sums: Floats, diagonal: Floats, n_births: int, rng: np.random.Generator) -> Floats:
        """The same from the sums of distances to every cluster."""
        given = (self.sizes, self.block_sums, self.A, self.alpha)
        law = predict(*given, spreads=self.spreads, similarity=self.similarity)
        law = self._seen(law, row_sums, diagonal)
        present = law.log_density(row_sums, self.dof, diagonal) + np.log(
            [self.weight(c) for c in self.lineages.tolist()]
        )
        births = self.weigh_births(row_sums, diagonal, n_births, rng)
        return np.column_stack([present, births]) + self.log_constant()

    def weigh_births(self, row_sums: Floats, diagonal: Floats, n_births: int, rng: np.random.Generator) -> Floats:
        """Log weight of a new cluster, averaged over kinds and rows of A drawn from the prior, (m,)."""
        kinds = [
            (b, f)
            for b in (FRESH, *(c for c in self.before if c not in self.lineages))
            for f in (FRESH, *(c for c in self.after if c not in self.lineages))
        ]
        weights = np.array([self.weight(FRESH, b, f) for b, f in kinds])
        if self.df_A <= len(self.A) or not weights.sum():
            return np.full(len(row_sums), -np.inf)
        births = [] if self.known_birth is None else [self.known_birth]
        drawn = rng.choice(len(kinds), size=n_births - len(births), p=weights / weights.sum())
        births += [self.draw_birth(*kinds[int(kind)], rng) for kind in drawn]
        rows, log_forward = np.array([birth.row for birth in births]), [self.log_forward(birth) for birth in births]
        h = np.linalg.solve(self.A, rows[:, :-1].T).T
        residuals = rows[:, -1] - (h * rows[:, :-1]).sum(axis=1)
        given = (self.sizes, self.block_sums, self.A, self.alpha, h, residuals)
        own = np.array([birth.spread for birth in births])
        law = predict_first(*given, spreads=self.spreads, own_spreads=own, similarity=self.similarity)
        law = self._seen(law, row_sums, diagonal)
        log_weights = law.log_density(row_sums, self.dof, diagonal) + log_forward
        return np.logaddexp.reduce(log_weights, axis=1) - np.log(n_births) + np.log(weights.sum())

    def weight(self, lineage: int, b: int = FRESH, f: int = FRESH) -> float:
        """Prior weight of a lineage that is there, or of one to be born that continues b and goes on as f."""
        size = int(self.sizes[self.lineages == lineage].sum()) if lineage != FRESH else 0
        before, after = (self.before.get(lineage if size else b, 0), self.after.get(lineage if size else f, 0))
        free = None
        if self.h.max_clusters is not None:
            here = len({*self.before, *self.lineages.tolist()})
            born_next = None if self.last else sum(c not in self.lineages for c in self.after)
            free = FreeLabels(self.h.max_clusters - here, self.h.max_clusters - len(self.lineages), born_next)
        first = not self.before
        return candidate_weight(size, before, after, self.xi, self.h.max_clusters, free, kappa=self.kappa, first=first)

    def draw_birth(self, b: int, f: int, rng: np.random.Generator) -> Birth:
        """A cluster that continues b and goes on as f, with a row of A and a spread drawn from their priors."""
        spread = float(np.exp(draw_log_spread(self.tau, rng))) if self.tau > 0 else 1.0
        if self.h.geometry == "isotropic":
            return Birth(b, f, np.append(np.zeros(len(self.A)), self.new_scale), spread)
        scale = prior_scale(self.A_before, sorted(self.before), [*self.lineages.tolist(), b], self.new_scale)
        return Birth(b, f, draw_row(self.A, scale, self.df_A, rng), spread)

    def log_forward(self, birth: Birth) -> float:
        """Log factor by which A of the next epoch becomes more probable if this cluster is born."""
        if birth.after == FRESH or self.h.geometry == "isotropic":
            return 0.0
        k, lineages, lineages_after = len(self.A), self.lineages.tolist(), sorted(self.after)
        A = np.zeros((k + 1, k + 1))
        A[:k, :k] = self.A
        A[k] = A[:, k] = birth.row
        with_it = prior_scale(A, [*lineages, birth.after], lineages_after, self.new_scale)
        without = prior_scale(self.A, lineages, lineages_after, self.new_scale)
        return log_wishart(self.A_after, with_it, self.df_A) - log_wishart(self.A_after, without, self.df_A)

    def _seen(self, law: Prediction, row_sums: Floats, diagonal: Floats) -> Prediction:
        """The law that objects meet: without themselves, if they are of the epoch."""
        return law if self.left is None else law.leaving(self.left, row_sums, diagonal)

    def log_constant(self) -> float:
        """Change of the constants of the urn by one more object; the same for all clusters."""
        n, m, later = int(self.sizes.sum()), sum(self.before.values()), sum(self.after.values())
        now, then = self.kappa * (self.xi + n), self.kappa * (self.xi + n + 1)
        forward = 0.0 if self.last else log_rising(now, later) - log_rising(then, later)
        return float(forward - np.log((self.kappa if m else 1.0) * (self.xi + m) + n))


def block_sums_of(data: Any, slots: NDArray[np.int64], n_clusters: int) -> Floats:
    """Sums of distances between clusters, from a matrix or what stands for one."""
    if isinstance(data, FeatureDistances):
        return data.block_sums(data.sums(slots, n_clusters))
    return block_statistics(data, slots, n_clusters)[1]


def draws_with_geometry(sample: Sample, at_most: int) -> list[tuple[Draws, int]]:
    """Draws that have kept A, evenly spaced over all chains: the draws of a chain, and which of them."""
    kept = [(draws, i) for draws in sample.draws for i in draws.with_geometry[: len(draws.geometry)]]
    if not kept:
        raise SettingsError("no draw has kept its A", ["run it again with ", Setting("geometry_every", 10)])
    return [kept[row] for row in evenly_spaced(len(kept), at_most)]


def _sizes(labels: NDArray[Any]) -> dict[int, int]:
    lineages, sizes = np.unique(labels, return_counts=True)
    return dict(zip(lineages.tolist(), sizes.tolist(), strict=True))
