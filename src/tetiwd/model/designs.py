"""Simulated experiments, each a function of a seed: the paper's three, and one with epochs of unequal size."""

from collections.abc import Sequence
from numbers import Integral

import numpy as np

from tetiwd.errors import SettingsError
from tetiwd.model.simulation import Ints, Simulation, draw_geometry, draw_objects
from tetiwd.params import Hyperparameters
from tetiwd.priors import Gamma

Seed = int | np.random.Generator | None

ANY_SPLIT = 1.0  # Dirichlet weight of every cluster at the first epoch: all proportions are equally likely
EVEN_SPLIT = 5.0  # sizes differ, but none is tiny


def simulate_separated(seed: Seed = None, *, alpha: float = 2.0) -> Simulation:
    """Well separated: 5 epochs of 20 objects in 100 dimensions, 3 clusters, alpha = 2."""
    h = Hyperparameters(dof=100, alpha=alpha, new_scale=1.0)
    return simulate_with_clusters([20] * 5, 3, h, _stream(seed, 1), first_split=EVEN_SPLIT)


def simulate_overlapping(seed: Seed = None, *, alpha: float = 7.0) -> Simulation:
    """Highly overlapping: 5 epochs of 200 objects in 40 dimensions, 5 clusters; larger alpha, more overlap.

    At alpha = 7 Ward linkage told the true number of clusters reaches an adjusted Rand index of 0.3 on average.
    """
    return simulate_with_clusters([200] * 5, 5, Hyperparameters(dof=40, alpha=alpha, new_scale=1.2), _stream(seed, 2))


def simulate_independent(
    seed: Seed = None,
    *,
    n_by_epoch: Sequence[int] = (200,) * 5,
    n_clusters: int = 5,
    n_dimensions: int = 40,
    variance: float = 6.0,
    step: float = 0.5,
) -> Simulation:
    """Independent of the model: Gaussian clusters with centres on a random walk, sizes Dirichlet–multinomial.

    Centres are standard normal, move by ``step`` per epoch and dimension, and are drawn back just enough to keep
    their spread, so that the overlap is the same at all epochs; objects scatter around them with ``variance``. Ward
    linkage told the true number of clusters reaches an adjusted Rand index of 0.3 on average.
    """
    if not 0 <= step <= 1:
        raise SettingsError(f"step must lie between 0 and 1, not {step!r}")
    rng = _stream(seed, 3)
    labels = draw_sizes(n_by_epoch, n_clusters, rng)
    centres = rng.standard_normal((n_clusters, n_dimensions))
    X = []
    for epoch_labels in labels:
        noise = rng.standard_normal((len(epoch_labels), n_dimensions))
        X.append(centres[epoch_labels] + np.sqrt(variance) * noise)
        centres = np.sqrt(1 - step**2) * centres + step * rng.standard_normal(centres.shape)
    return Simulation(X=X, labels=labels, alpha=variance)


def simulate_unequal(
    seed: Seed = None,
    *,
    n_by_epoch: Sequence[int] = (704, 170, 123),
    independent: bool = False,
    step: float = 1.0,
) -> Simulation:
    """Unequal sizes, those of the paper's hospital data unless given: 6 highly overlapping clusters, 40 dimensions.

    From the model, or with ``independent=True`` from Gaussian clusters that move by ``step``. With a step of 1 they
    are somewhere else at every epoch, as they are under the model, which remembers how far clusters are apart but
    not where they were.
    """
    rng = _stream(seed, 4)
    if independent:
        return simulate_independent(rng, n_by_epoch=n_by_epoch, n_clusters=6, step=step)
    return simulate_with_clusters(n_by_epoch, 6, Hyperparameters(dof=40, alpha=7.0, new_scale=1.2), rng)


def simulate_with_clusters(
    n_by_epoch: Sequence[int],
    n_clusters: int,
    hyperparameters: Hyperparameters,
    seed: Seed = None,
    *,
    first_split: float = ANY_SPLIT,
) -> Simulation:
    """From the model, but with a given number of clusters, all of them present at every epoch."""
    h = hyperparameters
    if isinstance(h.alpha, Gamma) or isinstance(h.new_scale, Gamma) or isinstance(h.df_A, Gamma):
        raise TypeError("designs need alpha, new_scale and df_A fixed at a number")
    rng = np.random.default_rng(seed)
    labels = draw_sizes(n_by_epoch, n_clusters, rng, first_split)
    A = draw_geometry(labels, h.df_A, h.new_scale, rng)
    X = draw_objects(labels, A, h.alpha, h.dof_by_epoch(len(labels)), rng)
    return Simulation(X=X, labels=labels, alpha=h.alpha, A=A, new_scale=h.new_scale)


def _stream(seed: Seed, design: int) -> np.random.Generator:
    """Random numbers of one design: an integer seed gives every design a stream of its own."""
    return np.random.default_rng([int(seed), design] if isinstance(seed, Integral) else seed)


def draw_sizes(
    n_by_epoch: Sequence[int], n_clusters: int, rng: np.random.Generator, first_split: float = ANY_SPLIT
) -> list[Ints]:
    """Dirichlet–multinomial sizes, first with equal weights, then given the sizes before; no cluster is empty."""
    series: list[Ints] = []
    weights = np.full(n_clusters, first_split)
    for n in n_by_epoch:
        if n < n_clusters:
            raise SettingsError(f"{n} objects cannot fill {n_clusters} clusters")
        while True:
            labels = rng.choice(n_clusters, size=n, p=rng.dirichlet(weights))
            if len(np.unique(labels)) == n_clusters:
                break
        series.append(labels.astype(np.int64))
        weights = np.bincount(labels, minlength=n_clusters) + 1 / n_clusters
    return series
