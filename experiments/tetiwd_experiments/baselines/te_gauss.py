"""Te-Gauss: embed the distances of every epoch, then cluster vectors by a Gaussian mixture that remembers one epoch.

The partitions have the prior of ``tetiwd.model.partition_prior``, as in our model. Given them, objects of a cluster
scatter around its centre with one variance for all clusters and directions, and centres around an origin with another:

    x_i ~ N(μ_c, within · I),   μ_c ~ N(μ₀, between · I),   within, between ~ Gamma,   μ₀ flat.

Centres are integrated out. Every epoch is embedded by itself (kernel PCA), so that centres of different epochs have
nothing to do with each other, and only sizes of clusters are remembered.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from math import exp, lgamma, log, pi
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.priors import Gamma
from tetiwd.start import coarseness, ward_labels
from tetiwd_experiments.baselines.gauss_kernels import View, update_links, update_objects

if TYPE_CHECKING:
    from tetiwd.partitions import Partitions

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TARGET_ACCEPTANCE = 0.4
SCALE_STEPS = 2


@dataclass(frozen=True)
class GaussPriors:
    """Priors of the mixture; the defaults are those of our model.

    Centres scatter around an origin of every epoch, which has a flat prior; or around the centroid of the embedded
    objects, where kernel PCA puts the origin of coordinates.
    """

    within: Gamma = field(default_factory=lambda: Gamma(1.0, 1.0))
    between: Gamma = field(default_factory=lambda: Gamma(1.0, 1.0))
    xi: float = 1.0
    origin: Literal["sampled", "centroid"] = "sampled"


def embed(D: NDArray[np.floating], share: float = 1.0) -> Floats:
    """Kernel PCA of squared distances, (n, p): the fewest components that hold this share of the variance."""
    from sklearn.decomposition import KernelPCA

    pca = KernelPCA(n_components=None, kernel="precomputed", remove_zero_eig=True)
    X = pca.fit_transform(-0.5 * np.asarray(D, dtype=float))
    held = np.cumsum(pca.eigenvalues_) / pca.eigenvalues_.sum()
    return np.ascontiguousarray(X[:, : int(np.searchsorted(held, share - 1e-9)) + 1])


def rescaled(X: list[Floats]) -> list[Floats]:
    """Rescale to a mean variance of 1 over all components and epochs."""
    unit = np.mean([coordinates.var(axis=0, ddof=1).mean() for coordinates in X])
    return [coordinates / np.sqrt(unit) for coordinates in X]


class GaussEpoch(NamedTuple):
    """One epoch, changed in place. Clusters live in slots, see ``gauss_kernels``."""

    X: Floats  # (n, p)
    z: Ints  # (n,) slot of every object
    size: Ints  # (1,) number of clusters k
    order: Ints  # (n,) slots, the k in use first
    counts: Ints  # (n,) objects of every slot
    sums: Floats  # (n, p) their sums
    back: Ints  # (n,) slot of the linked cluster at the epoch before, −1 for none
    forward: Ints  # (n,) the same at the epoch after


@dataclass
class GaussState:
    """The state of a chain."""

    epochs: list[GaussEpoch]
    within: float = 0.5
    between: float = 0.5
    steps: dict[str, float] = field(default_factory=lambda: {"within": 0.1, "between": 0.3})

    @classmethod
    def start(cls, X: list[Floats], labels: list[Ints]) -> "GaussState":
        """Clusters given by labels, none of them linked."""
        return cls([_epoch(coordinates, z) for coordinates, z in zip(X, labels, strict=True)])

    def lineage_labels(self) -> list[Ints]:
        """Labels in which equal integers at consecutive epochs mean linked."""
        labels, free = list[Ints](), 0
        lineage_before = np.empty(0, dtype=np.int64)
        for epoch in self.epochs:
            used = epoch.order[: epoch.size[0]]
            lineage = np.full(len(epoch.order), -1, dtype=np.int64)
            for c in used:
                linked = epoch.back[c] >= 0
                lineage[c] = lineage_before[epoch.back[c]] if linked else free
                free += not linked
            labels.append(lineage[epoch.z])
            lineage_before = lineage
        return labels


def _epoch(X: Floats, labels: Ints) -> GaussEpoch:
    n, (names, z) = len(X), np.unique(labels, return_inverse=True)
    sums = np.zeros_like(X)
    np.add.at(sums, z, X)
    nowhere = np.full(n, -1)
    counts = np.bincount(z, minlength=n)
    return GaussEpoch(X, z, np.array([len(names)]), np.arange(n), counts, sums, nowhere.copy(), nowhere.copy())


def _no_epoch(p: int) -> GaussEpoch:
    """What comes before the first epoch and after the last."""
    none = np.empty(0, dtype=np.int64)
    return GaussEpoch(np.empty((0, p)), none, np.array([0]), none, none, np.empty((0, p)), none, none)


def log_likelihood(epoch: GaussEpoch, within: float, between: float) -> float:
    """Log density of the objects of an epoch given their clusters, centres integrated out."""
    used = epoch.order[: epoch.size[0]]
    n, p = epoch.X.shape
    counts = epoch.counts[used]
    ratio = 1 + counts * between / within
    explained = ((epoch.sums[used] ** 2).sum(axis=1) * between / (within * ratio)).sum()
    square = (np.sum(epoch.X**2) - explained) / within
    return -0.5 * float(n * p * log(2 * pi * within) + p * np.log(ratio).sum() + square)


def log_partitions(state: GaussState, xi: float) -> float:
    """Log prior of the linked partitions, from sizes and links."""
    total, n_before = 0.0, 0
    before = np.empty(0, dtype=np.int64)
    for epoch in state.epochs:
        n_now = len(epoch.z)
        total += lgamma(xi + n_before) - lgamma(xi + n_before + n_now)
        for c in epoch.order[: epoch.size[0]]:
            size = int(epoch.counts[c])
            if epoch.back[c] >= 0:
                earlier = int(before[epoch.back[c]])
                total += lgamma(earlier + size) - lgamma(earlier)
            else:
                total += log(xi) + lgamma(size)
        before, n_before = epoch.counts, n_now
    return total


def log_joint(state: GaussState, priors: GaussPriors) -> float:
    """Log joint density."""
    total = log_partitions(state, priors.xi)
    total += sum(log_likelihood(epoch, state.within, state.between) for epoch in state.epochs)
    return total + priors.within.log_density(state.within) + priors.between.log_density(state.between)


def sweep(state: GaussState, priors: GaussPriors, rng: np.random.Generator) -> dict[str, float]:
    """Objects of every epoch, links between epochs, then the two variances; returns their acceptance rates."""
    epochs = state.epochs
    ends = [_no_epoch(epochs[t].X.shape[1]) for t in (0, -1)]
    views = [View(*epoch) for epoch in (ends[0], *epochs, ends[1])]
    for t in range(len(epochs)):
        update_objects(rng, views[t + 1], views[t], views[t + 2], priors.xi, state.within, state.between)
    for t, (here, there) in enumerate(pairwise(epochs)):
        update_links(rng, views[t + 1], views[t + 2], int(here.size[0] + there.size[0]), priors.xi)
    if priors.origin == "sampled":
        for epoch in epochs:
            _update_origin(epoch, state.within, state.between, rng)
    return {name: _update_variance(state, priors, name, rng) for name in state.steps}


def _update_origin(epoch: GaussEpoch, within: float, between: float, rng: np.random.Generator) -> None:
    """Draw the origin given drawn centres, and make it the origin of coordinates."""
    used = epoch.order[: epoch.size[0]]
    n, p = epoch.counts[used][:, None], epoch.X.shape[1]
    spread = 1 / (1 / between + n / within)
    centres = spread / within * epoch.sums[used] + np.sqrt(spread) * rng.standard_normal((len(used), p))
    shift = centres.mean(axis=0) + np.sqrt(between / len(used)) * rng.standard_normal(p)
    epoch.X[:] -= shift
    epoch.sums[used] -= n * shift


def _update_variance(state: GaussState, priors: GaussPriors, name: str, rng: np.random.Generator) -> float:
    """Random walk of one variance on the log scale."""

    def log_target() -> float:
        value = getattr(state, name)
        data = sum(log_likelihood(epoch, state.within, state.between) for epoch in state.epochs)
        return data + getattr(priors, name).log_density(value) + log(value)

    current, accepted = log_target(), 0
    for _ in range(SCALE_STEPS):
        value = getattr(state, name)
        setattr(state, name, value * exp(state.steps[name] * rng.standard_normal()))
        proposed = log_target()
        if log(rng.random()) < proposed - current:
            current, accepted = proposed, accepted + 1
        else:
            setattr(state, name, value)
    return accepted / SCALE_STEPS


def sample_te_gauss(
    series: DistanceSeries,
    *,
    n_warmup: int = 250,
    n_draws: int = 500,
    share: float = 1.0,
    priors: GaussPriors | None = None,
    seed: int = 0,
) -> "Partitions":
    """One chain from a Ward cut: the linked partitions that were drawn.

    Parameters
    ----------
    series
        Distances; only those within epochs are used.
    n_warmup, n_draws
        Sweeps before recording, during which the steps of the variances are tuned, and recorded draws.
    share
        Share of the variance that the embedding holds.
    priors
        Of the variances, and the Dirichlet rate.
    seed
        Seed of everything random.
    """
    from tetiwd.partitions import Partitions

    priors, rng = priors or GaussPriors(), np.random.default_rng(seed)
    matrices = [np.asarray(D, dtype=float) for D in series.to_distances().matrices]
    cut = coarseness(0, 1)
    labels = [ward_labels(D, cut, tree=tree) for D, tree in zip(matrices, series.ward_trees, strict=True)]
    state = GaussState.start(rescaled([embed(D, share) for D in matrices]), labels)
    drawn: list[list[Ints]] = []
    for i in range(n_warmup + n_draws):
        rates = sweep(state, priors, rng)
        if i >= n_warmup:
            drawn.append(state.lineage_labels())
            continue
        for name, rate in rates.items():
            state.steps[name] *= exp(2.0 / (1 + i) ** 0.6 * (rate - TARGET_ACCEPTANCE))
    return Partitions.from_labels([np.array(labels) for labels in zip(*drawn, strict=True)], times=series.times)
