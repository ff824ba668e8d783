"""Forward simulation of the whole model: urn, Wishart process, Gaussian objects, squared distances.

Written from the generative story alone. It shares no code with the densities or the sampler, so that agreement
between them means something.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import SettingsError
from tetiwd.model.spreads import draw_log_spread
from tetiwd.params import Hyperparameters
from tetiwd.priors import Gamma, Prior

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SCALES = ("alpha", "xi", "new_scale", "kappa", "df_A")
MOST_TRIES = 1000  # of drawing scales and partitions that go together


@dataclass(frozen=True, eq=False)
class Simulation:
    """Simulated objects with the truth behind them; lists run over epochs."""

    X: list[Floats]  # T × (n_t, d)
    labels: list[Ints]  # T × (n_t,) lineage ids: equal at consecutive epochs means linked
    alpha: float
    A: list[Floats] | None = None  # T × (k_t, k_t), rows in increasing order of lineage id
    xi: float | None = None
    new_scale: float | None = None
    kappa: float | None = None
    df_A: float | None = None
    tau: float | None = None
    spreads: list[Floats] | None = None  # T × (k_t,), relative to alpha; None if all are equal

    @property
    def n_dimensions(self) -> int:
        """Dimensions of the one space that the objects of all epochs live in."""
        dimensions = [X.shape[1] for X in self.X]
        if len(set(dimensions)) > 1:
            raise SettingsError(
                f"objects of different epochs have no distances: they live in {dimensions} dimensions; "
                "simulate with one dof for all epochs"
            )
        return dimensions[0]

    @cached_property
    def D(self) -> list[Floats]:
        """Squared distances within every epoch, divided by the number of dimensions."""
        return [squared_distances(X) for X in self.X]

    @cached_property
    def similarity(self) -> list[Floats]:
        """Dot products within every epoch, divided by the number of dimensions."""
        return [X @ X.T / X.shape[1] for X in self.X]

    @cached_property
    def cross(self) -> Floats:
        """D*: squared distances between all objects of all epochs, (N, N)."""
        d = self.n_dimensions
        return squared_distances(np.concatenate([X.reshape(-1, d) for X in self.X]))

    @property
    def n_clusters(self) -> list[int]:
        """True number of clusters at every epoch."""
        return [len(np.unique(labels)) for labels in self.labels]


def simulate(
    n_by_epoch: Sequence[int],
    hyperparameters: Hyperparameters,
    seed: int | np.random.Generator | None = None,
    *,
    persistence: float = 0.0,
) -> Simulation:
    """Draw everything from the model: scales, linked partitions, A_t, and objects with their distances.

    If df_A has a prior, scales and partitions are drawn until df_A has room for all clusters. That is the model: its
    density is 0 where there is none. A df_A that is fixed and too small is an error.

    Parameters
    ----------
    n_by_epoch : sequence of int
        Number of objects at every epoch.
    hyperparameters : Hyperparameters
        The model; ``dof`` is the number of dimensions.
    seed : int or Generator, optional
        Seed.
    persistence : float
        Between 0 and 1: correlation of the centres of linked clusters. It does not change the distribution of any D_t
        (the model looks at one epoch at a time), only the distances across time. 0 is the paper's story.

    Returns
    -------
    Simulation
        ``X`` are the objects, ``D`` their squared distances, ``cross`` those across time, and ``labels`` the true
        lineages.

    Examples
    --------
    >>> from tetiwd import Hyperparameters, simulate
    >>> data = simulate([10, 12], Hyperparameters(dof=20), seed=1)
    >>> [D.shape for D in data.D]
    [(10, 10), (12, 12)]
    """
    if not len(n_by_epoch):
        raise SettingsError("a simulation needs at least one epoch; n_by_epoch is empty")
    rng = np.random.default_rng(seed)
    h = hyperparameters
    dof = h.dof_by_epoch(len(n_by_epoch))
    for _ in range(MOST_TRIES):
        value = {name: _draw_scale(getattr(h, name), rng) for name in SCALES}
        labels = _draw_labels(n_by_epoch, h, value["xi"], value["kappa"], rng)
        most = max(len(np.unique(own)) for own in labels)
        if not h.full or not isinstance(h.df_A, Gamma) or value["df_A"] > most - 1:
            break
    else:
        raise SettingsError(
            f"df_A had no room for all clusters in {MOST_TRIES} attempts", "give a prior of larger values"
        )
    if h.full:
        A = draw_geometry(labels, value["df_A"], value["new_scale"], rng)
    else:
        A = [value["new_scale"] * np.eye(len(np.unique(epoch_labels))) for epoch_labels in labels]
    tau, spreads = _draw_scale(h.tau_used, rng), None
    if tau > 0:
        spreads = [np.exp([draw_log_spread(tau, rng) for _ in A_t]) for A_t in A]
    X = draw_objects(labels, A, value["alpha"], dof, rng, persistence, spreads)
    return Simulation(X=X, labels=labels, A=A, tau=tau, spreads=spreads, **value)


def _draw_labels(
    n_by_epoch: Sequence[int], h: Hyperparameters, xi: float, kappa: float, rng: np.random.Generator
) -> list[Ints]:
    """Lineages of all objects; without coupling no two epochs share one."""
    if h.coupling:
        return draw_partitions(n_by_epoch, xi, h.max_clusters, rng, kappa)
    alone = [draw_partitions([n], xi, h.max_clusters, rng)[0] for n in n_by_epoch]
    return [partition + sum(int(earlier.max()) + 1 for earlier in alone[:t]) for t, partition in enumerate(alone)]


def draw_partitions(
    n_by_epoch: Sequence[int], xi: float, max_clusters: int | None, rng: np.random.Generator, kappa: float = 1.0
) -> list[Ints]:
    """Linked partitions by an urn: an object joins a lineage with weight "members now and κ times those before"."""
    before: dict[int, int] = {}
    next_lineage = 0
    series = []
    for n in n_by_epoch:
        if n < 1:
            raise SettingsError(f"every epoch needs at least one object, not {n}")
        now: dict[int, int] = {}
        rate = kappa * xi if before else xi
        share = 0.0 if max_clusters is None else rate / max_clusters
        labels = np.empty(n, dtype=np.int64)
        for item in range(n):
            lineages = list(before | now)
            weights = [kappa * before.get(c, 0) + now.get(c, 0) + share for c in lineages]
            newborn = rate if max_clusters is None else share * (max_clusters - len(lineages))
            pick = _pick([*weights, newborn], rng)
            if pick == len(lineages):
                lineage, next_lineage = next_lineage, next_lineage + 1
            else:
                lineage = lineages[pick]
            now[lineage] = now.get(lineage, 0) + 1
            labels[item] = lineage
        series.append(labels)
        before = now
    return series


def draw_geometry(
    labels_by_epoch: Sequence[Ints], df_A: float, new_scale: float, rng: np.random.Generator
) -> list[Floats]:
    """A_1 … A_T from the Wishart process, rows in increasing order of lineage id."""
    from scipy.stats import wishart

    series: list[Floats] = []
    lineages_before: list[int] = []
    for labels in labels_by_epoch:
        lineages = sorted({int(c) for c in labels})
        if df_A <= len(lineages) - 1:
            raise SettingsError(
                f"the simulation made {len(lineages)} clusters, which need df_A > {len(lineages) - 1}; df_A is {df_A:g}"
            )
        mean = np.diag(np.full(len(lineages), new_scale))
        for a, lineage_a in enumerate(lineages):
            for b, lineage_b in enumerate(lineages):
                if lineage_a in lineages_before and lineage_b in lineages_before:
                    mean[a, b] = series[-1][lineages_before.index(lineage_a), lineages_before.index(lineage_b)]
        draw = wishart.rvs(df_A, mean / df_A, random_state=rng)
        series.append(np.reshape(draw, (len(lineages),) * 2))
        lineages_before = lineages
    return series


def draw_objects(
    labels_by_epoch: Sequence[Ints],
    A_by_epoch: Sequence[Floats],
    alpha: float,
    dof: Sequence[float],
    rng: np.random.Generator,
    persistence: float = 0.0,
    spreads_by_epoch: Sequence[Floats] | None = None,
) -> list[Floats]:
    """Objects around their cluster centres; every column of X_t is N(0, αI + Z A_t Zᵀ).

    With spreads of their own, α of an object is multiplied by that of its cluster.
    """
    if not 0 <= persistence <= 1:
        raise SettingsError(f"persistence must lie between 0 and 1, not {persistence!r}")
    if any(d != int(d) for d in dof):
        raise SettingsError(f"objects live in a whole number of dimensions; cannot simulate with dof = {tuple(dof)}")
    if persistence and len(set(dof)) > 1:
        raise SettingsError("centres can persist only if dof is the same at all epochs")
    series = []
    direction: dict[int, Floats] = {}
    all_spreads = spreads_by_epoch or [np.ones(len(A)) for A in A_by_epoch]
    for labels, A, d, spreads in zip(labels_by_epoch, A_by_epoch, dof, all_spreads, strict=True):
        lineages = sorted({int(c) for c in labels})
        fresh = {c: rng.standard_normal(int(d)) for c in lineages}
        earlier = direction if persistence else {}
        direction = {
            c: persistence * earlier[c] + np.sqrt(1 - persistence**2) * fresh[c] if c in earlier else fresh[c]
            for c in lineages
        }
        eigenvalues, vectors = np.linalg.eigh(A)
        root = (vectors * np.sqrt(np.maximum(eigenvalues, 0))) @ vectors.T
        centres = root @ np.array([direction[c] for c in lineages])
        row = [lineages.index(int(c)) for c in labels]
        scale = np.sqrt(alpha * spreads[row])[:, None]
        series.append(centres[row] + scale * rng.standard_normal((len(labels), int(d))))
    return series


def squared_distances(X: Floats) -> Floats:
    """‖x_i − x_j‖² divided by the number of columns, with an exactly zero diagonal."""
    from scipy.spatial.distance import pdist, squareform

    return np.asarray(squareform(pdist(X, "sqeuclidean"))) / X.shape[1]


def _draw_scale(prior: Prior, rng: np.random.Generator) -> float:
    return float(rng.gamma(prior.shape, prior.scale)) if isinstance(prior, Gamma) else float(prior)


def _pick(weights: Sequence[float], rng: np.random.Generator) -> int:
    """Index drawn with probability proportional to its weight."""
    cumulative = np.cumsum(weights)
    return int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))
