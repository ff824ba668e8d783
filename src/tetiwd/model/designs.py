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
    """Simulate well separated clusters: 5 epochs of 20 objects in 100 dimensions, 3 clusters.

    Parameters
    ----------
    seed : int or Generator, optional
        Seed.
    alpha : float
        Variance within clusters.

    Returns
    -------
    Simulation
        ``X`` are the objects, ``D`` their squared distances, ``cross`` those across time, and ``labels`` the true
        lineages.

    Examples
    --------
    >>> from tetiwd import simulate_separated
    >>> data = simulate_separated(seed=1)
    >>> data.D[0].shape
    (20, 20)
    """
    h = Hyperparameters(dof=100, alpha=alpha, new_scale=1.0)
    return simulate_with_clusters([20] * 5, 3, h, _stream(seed, 1), first_split=EVEN_SPLIT)


def simulate_overlapping(seed: Seed = None, *, alpha: float = 7.0) -> Simulation:
    """Simulate clusters that overlap a lot: 5 epochs of 200 objects in 40 dimensions, 5 clusters.

    Parameters
    ----------
    seed : int or Generator, optional
        Seed.
    alpha : float
        Variance within clusters: larger means more overlap. At 7, Ward linkage that is told the true number of clusters
        reaches an adjusted Rand index of 0.3 on average.

    Returns
    -------
    Simulation
        ``X`` are the objects, ``D`` their squared distances, ``cross`` those across time, and ``labels`` the true
        lineages.

    Examples
    --------
    >>> from tetiwd import simulate_overlapping
    >>> data = simulate_overlapping(seed=1)
    >>> [len(x) for x in data.X]
    [200, 200, 200, 200, 200]
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
    """Simulate data that do not come from the model: Gaussian clusters whose centres walk randomly.

    Centres are standard normal, move by ``step`` per epoch and dimension, and are drawn back just enough to keep their
    spread, so that the overlap is the same at all epochs. Cluster sizes are Dirichlet–multinomial. By default, Ward
    linkage that is told the true number of clusters reaches an adjusted Rand index of 0.3 on average.

    Parameters
    ----------
    seed : int or Generator, optional
        Seed.
    n_by_epoch : sequence of int
        Number of objects at every epoch.
    n_clusters : int
        Number of clusters.
    n_dimensions : int
        Number of dimensions.
    variance : float
        Variance of objects around their centre.
    step : float
        Standard deviation of a step of a centre, per dimension.

    Returns
    -------
    Simulation
        ``X`` are the objects, ``D`` their squared distances, ``cross`` those across time, and ``labels`` the true
        lineages.

    Examples
    --------
    >>> from tetiwd import simulate_independent
    >>> data = simulate_independent(seed=1, n_by_epoch=[20, 30])
    >>> data.X[1].shape
    (30, 40)
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
    """Simulate epochs of unequal size with 6 clusters that overlap a lot, in 40 dimensions.

    Parameters
    ----------
    seed : int or Generator, optional
        Seed.
    n_by_epoch : sequence of int
        Number of objects at every epoch; by default those of the paper's hospital data.
    independent : bool
        False draws from the model, True from Gaussian clusters that move.
    step : float
        How far they move from epoch to epoch. With 1 they are somewhere else at every epoch, as under the model, which
        remembers how far apart clusters are but not where they were.

    Returns
    -------
    Simulation
        ``X`` are the objects, ``D`` their squared distances, ``cross`` those across time, and ``labels`` the true
        lineages.

    Examples
    --------
    >>> from tetiwd import simulate_unequal
    >>> data = simulate_unequal(seed=1, n_by_epoch=[60, 20, 10])
    >>> [len(x) for x in data.X]
    [60, 20, 10]
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
