"""Where a chain starts: Ward cuts of different coarseness, one cluster, or labels given by the user."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.density import log_partitions
from tetiwd.errors import SettingsError
from tetiwd.params import Hyperparameters, SamplerSettings
from tetiwd.state import ChainState, Ints, start_values

WARD_OBJECTS = 2000  # Ward sees at most this many objects of an epoch; the others join the nearest cluster
FINEST_CUT = 20


def start_chain(
    series: DistanceSeries,
    hyperparameters: Hyperparameters,
    settings: SamplerSettings,
    chain: int,
    *,
    unit: float | None,
) -> ChainState:
    """The first state of a chain."""
    limit = hyperparameters.max_clusters or np.inf
    if hyperparameters.geometry == "full":
        limit = min(limit, np.ceil(hyperparameters.df_A))
    given = not isinstance(settings.init, str)
    if given:
        labels = check_labels(settings.init, series)
    elif settings.init == "one":
        labels = [np.zeros(n, dtype=np.int64) for n in series.n_objects]
    else:
        n_clusters = int(min(limit, coarseness(chain, settings.n_chains)))
        labels = [ward_labels(D, n_clusters) for D in series.to_distances().matrices]
    slots = [np.unique(own, return_inverse=True)[1] for own in labels]
    for t, own in enumerate(slots):
        if own.max() >= limit:
            raise SettingsError(
                f"the start has {own.max() + 1} clusters at epoch {t}, but max_clusters and df_A allow {limit:g}"
            )
    state = ChainState(series, slots, unit=unit)
    start_values(state, hyperparameters)
    if given and hyperparameters.coupling:
        _link_by_label(state, labels)
        if log_partitions(state, hyperparameters, state.xi) == -np.inf:
            raise SettingsError(
                f"the start needs more than max_clusters = {hyperparameters.max_clusters} at consecutive epochs; "
                "give linked clusters equal labels, or allow more clusters"
            )
    return state


def coarseness(chain: int, n_chains: int) -> int:
    """Number of clusters of a chain's Ward cut: from 2 to FINEST_CUT in equal ratios over the chains."""
    ratio = 0.5 if n_chains == 1 else chain / (n_chains - 1)
    return round(2 * (FINEST_CUT / 2) ** ratio)


def ward_labels(D: NDArray[np.floating[Any]], n_clusters: int) -> Ints:
    """Ward's clusters of squared distances; at most a third as many as objects."""
    from scipy.cluster.hierarchy import fcluster, ward
    from scipy.spatial.distance import squareform

    n = len(D)
    n_clusters = max(1, min(n_clusters, n // 3))
    if n_clusters == 1:
        return np.zeros(n, dtype=np.int64)
    seen = np.arange(n)
    if n > WARD_OBJECTS:
        seen = np.sort(np.random.default_rng(0).choice(n, WARD_OBJECTS, replace=False))
    condensed = squareform(np.asarray(D[np.ix_(seen, seen)], dtype=float), checks=False)
    found = fcluster(ward(np.sqrt(condensed)), n_clusters, criterion="maxclust").astype(np.int64) - 1
    if len(seen) == n:
        return found
    to_mean = np.empty((n, found.max() + 1))
    for c in range(to_mean.shape[1]):
        members = seen[found == c]
        within = D[np.ix_(members, members)].mean(dtype=float) / 2
        to_mean[:, c] = D[:, members].mean(axis=1, dtype=float) - within
    labels = to_mean.argmin(axis=1)
    labels[seen] = found
    return labels


def check_labels(labels: Sequence[Any], series: DistanceSeries) -> list[Ints]:
    """Labels given by the user: one integer per object."""
    if len(labels) != series.n_epochs:
        raise SettingsError(f"init has labels for {len(labels)} epochs, but there are {series.n_epochs}")
    checked = []
    for t, (own, n) in enumerate(zip(labels, series.n_objects, strict=True)):
        array = np.asarray(own)
        if array.shape != (n,) or array.dtype.kind not in "iu":
            raise SettingsError(f"init of epoch {t} must be {n} integers, not {array.dtype} of shape {array.shape}")
        checked.append(array.astype(np.int64))
    return checked


def _link_by_label(state: ChainState, labels: list[Ints]) -> None:
    for t in range(state.n_epochs - 1):
        here, there = np.unique(labels[t]), np.unique(labels[t + 1])
        for c, f in zip(*np.nonzero(here[:, None] == there[None, :]), strict=True):
            state.forward[t, c], state.back[t + 1, f] = f, c
