"""Small random chain states, and the log joint of any rearrangement of them by the plain model functions."""

from typing import NamedTuple

import numpy as np

from reference import random_covariance, rng_for
from tetiwd import DistanceSeries, Gamma, Hyperparameters, log_joint
from tetiwd.model.spreads import LIMIT
from tetiwd.state import ChainState


def small_series(seed: int, sizes, kind: str = "distances") -> DistanceSeries:
    rng = rng_for(seed, 1)
    X = [rng.standard_normal((n, 3)) + 2 * rng.standard_normal((n, 1)) for n in sizes]
    kernels = [x @ x.T / 3 for x in X]
    series = DistanceSeries.from_similarities(kernels, min_objects=1)
    return series if kind == "similarities" else series.to_distances()


def random_state(seed: int, sizes, h: Hyperparameters, kind: str = "distances") -> ChainState:
    """A state with random clusters, links, geometry and scales."""
    rng = rng_for(seed, 2)
    df_A = float(rng_for(seed, 5).uniform(4.5, 20)) if isinstance(h.df_A, Gamma) else h.df_A
    most = int(min(4, np.ceil(df_A) - 1, h.max_clusters or 4))
    labels = [np.unique(rng.integers(most, size=n), return_inverse=True)[1] for n in sizes]
    state = ChainState(small_series(seed, sizes, kind), labels, unit=1.0)
    state.alpha, state.xi, state.new_scale = (float(x) for x in rng.uniform(0.4, 2.0, size=3))
    state.df_A = df_A
    state.kappa = float(rng_for(seed, 4).uniform(0.2, 3.0)) if isinstance(h.kappa, Gamma) else h.kappa
    set_spreads(state, h, rng_for(seed, 6))
    for t, k in enumerate(state.n_clusters):
        A = random_covariance(rng, k, 0.4) if h.full else state.new_scale * np.eye(k)
        state.A[t, :k, :k] = A
    if h.coupling:
        for t in range(len(sizes) - 1):
            k, k_next = state.n_clusters[t], state.n_clusters[t + 1]
            n_links = int(rng.integers(min(k, k_next) + 1))
            for c, f in zip(rng.permutation(k)[:n_links], rng.permutation(k_next)[:n_links], strict=True):
                state.forward[t, c], state.back[t + 1, f] = f, c
    state.check_invariants()
    return state


def set_spreads(state: ChainState, h: Hyperparameters, rng: np.random.Generator) -> None:
    """Random tau and spreads where they may differ; no two alike, to three digits of their logarithms."""
    state.tau = float(rng.uniform(0.2, 1.5)) if isinstance(h.tau_used, Gamma) else h.tau_used
    if state.tau > 0:
        for t, k in enumerate(state.n_clusters):
            x = 0.98 * LIMIT * np.tanh(state.tau * rng.standard_normal(k) / LIMIT)
            state.spreads[t, :k] = np.exp(np.round(x, 3))


def recorded_spreads(state: ChainState) -> np.ndarray:
    """Log spreads of the clusters of all objects, in thousandths, as draws keep them."""
    own = [x[slots] for x, slots in zip(state.log_spreads(), state.z, strict=True)]
    return np.round(1000 * np.concatenate(own)).astype(int)


class World(NamedTuple):
    """Labels as lineage ids and the geometry by lineage id: easy to rearrange."""

    labels: list[np.ndarray]
    lineages: list[list[int]]  # lineage id of every row of A
    A: list[np.ndarray]
    spreads: list[np.ndarray]  # of every row of A

    @classmethod
    def of(cls, state: ChainState) -> "World":
        lineages, sizes = [ids.tolist() for ids in state.lineage_ids()], list(enumerate(state.n_clusters))
        spreads = [state.spreads[t, :k].copy() for t, k in sizes]
        return cls(state.labels(), lineages, [state.A[t, :k, :k].copy() for t, k in sizes], spreads)

    def log_joint(self, state: ChainState, h: Hyperparameters, **scales) -> float:
        orders = [np.argsort(lineages) for lineages in self.lineages]
        A = [A[np.ix_(order, order)] for A, order in zip(self.A, orders, strict=True)]
        spreads = [own[order] for own, order in zip(self.spreads, orders, strict=True)]
        now = {name: getattr(state, name) for name in ("alpha", "xi", "new_scale", "kappa", "df_A", "tau")}
        more = {"spreads_by_epoch": spreads, "kind": state.series.kind}
        return log_joint(state.series.matrices, self.labels, A, h, **now | more | scales)

    def without_row(self, t: int, row: int) -> "World":
        keep = [c for c in range(len(self.lineages[t])) if c != row]
        lineages, A, spreads = list(self.lineages), list(self.A), list(self.spreads)
        lineages[t] = [self.lineages[t][c] for c in keep]
        A[t], spreads[t] = self.A[t][np.ix_(keep, keep)], self.spreads[t][keep]
        return World([own.copy() for own in self.labels], lineages, A, spreads)

    def with_row(self, t: int, lineage: int, row: np.ndarray, variance: float, spread: float = 1.0) -> "World":
        lineages, A, spreads = list(self.lineages), list(self.A), list(self.spreads)
        lineages[t] = [*self.lineages[t], lineage]
        A[t] = np.block([[self.A[t], row[:, None]], [row[None, :], np.array([[variance]])]])
        spreads[t] = np.append(self.spreads[t], spread)
        return World([own.copy() for own in self.labels], lineages, A, spreads)

    def renamed_from(self, t: int, old: int, new: int) -> "World":
        """The same with a lineage renamed from epoch t on."""
        labels = [np.where(own == old, new, own) if s >= t else own.copy() for s, own in enumerate(self.labels)]
        lineages = [[new if c == old and s >= t else c for c in own] for s, own in enumerate(self.lineages)]
        return World(labels, lineages, list(self.A), list(self.spreads))
