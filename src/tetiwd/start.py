"""Where a chain starts: Ward cuts of different coarseness, one cluster, or labels given by the user."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tetiwd.bonds import bonds_of, check_respectful, respectful
from tetiwd.data import DistanceSeries
from tetiwd.data.checks import Matrix, Place, row_blocks
from tetiwd.data.feature_distances import FeatureDistances
from tetiwd.data.negative_type import Kind
from tetiwd.data.sampling import Tree, cut_tree, sampled_tree
from tetiwd.density import log_partitions
from tetiwd.errors import Setting, SettingsError
from tetiwd.params import Hyperparameters, SamplerSettings
from tetiwd.priors import Gamma
from tetiwd.start_across import Places, linked_start
from tetiwd.state import ChainState, Floats, Ints, start_values

FINEST_CUT = 20


def start_chain(
    series: DistanceSeries,
    hyperparameters: Hyperparameters,
    settings: SamplerSettings,
    chain: int,
    *,
    unit: float | None,
    ward: Callable[[int], list[Ints]] | None = None,
    make: Callable[[list[Ints]], ChainState] | None = None,
) -> ChainState:
    """The first state of a chain; who has the data elsewhere says how to cut Ward's trees and make a state of slots."""
    limit = hyperparameters.max_clusters or np.inf
    if hyperparameters.full and not isinstance(hyperparameters.df_A, Gamma):
        limit = min(limit, np.ceil(hyperparameters.df_A))
    given = not isinstance(settings.init, str)
    if given:
        labels = check_labels(settings.init, series)
    elif settings.init == "one":
        labels = [np.zeros(n, dtype=np.int64) for n in series.n_objects]
    else:
        n_clusters = int(min(limit, coarseness(chain, settings.n_chains)))
        labels = ward(n_clusters) if ward else ward_cuts(series, n_clusters)
    slots = [np.unique(labels_t, return_inverse=True)[1] for labels_t in labels]
    places: Places = []
    if series.ties is not None:
        if series.ties.across and not hyperparameters.coupling:
            fault = " knows no lineages, but there are constraints across time"
            raise SettingsError([Setting("coupling", False), fault], "give those within times only")
        if not given and series.ties.across:
            slots, places = linked_start(slots, series.ties, series.times)
        elif not given:
            bonds = bonds_of(series.ties, series.n_objects)
            slots = [respectful(slots_t, bonds_t, limit) for slots_t, bonds_t in zip(slots, bonds, strict=True)]
    for t, slots_t in enumerate(slots):
        if slots_t.max() >= limit:
            fault, limits = f"the start has {slots_t.max() + 1} clusters at epoch {t}, but ", f" allow {limit:g}"
            raise SettingsError([fault, Setting("max_clusters"), " and ", Setting("df_A"), limits])
    state = make(slots) if make else ChainState(series, slots, unit=unit)
    start_values(state, hyperparameters)
    for t in range(len(places) - 1):
        for component in places[t].keys() & places[t + 1].keys():
            c, f = places[t][component], places[t + 1][component]
            state.forward[t, c], state.back[t + 1, f] = f, c
    if given and hyperparameters.coupling:
        link_by_label(state, labels)
        if log_partitions(state, hyperparameters) == -np.inf:
            limit_of_clusters = Setting("max_clusters", hyperparameters.max_clusters)
            raise SettingsError(
                ["the start needs more than ", limit_of_clusters, " at consecutive epochs"],
                "give linked clusters equal labels, or allow more clusters",
            )
    if series.ties is not None:
        check_respectful(state.labels(), series.ties)
    return state


def coarseness(chain: int, n_chains: int) -> int:
    """Number of clusters of a chain's Ward cut: from 2 to FINEST_CUT in equal ratios over the chains."""
    ratio = 0.5 if n_chains == 1 else chain / (n_chains - 1)
    return round(2 * (FINEST_CUT / 2) ** ratio)


def ward_cuts(series: DistanceSeries, n_clusters: int) -> list[Ints]:
    """Ward's clusters of every epoch."""
    return [
        ward_labels(matrix, n_clusters, series.kind, tree)
        for matrix, tree in zip(series.matrices, series.ward_trees, strict=True)
    ]


def ward_labels(matrix: Matrix, n_clusters: int, kind: Kind = "distances", tree: Tree | None = None) -> Ints:
    """Ward's clusters of squared distances or similarities; at most a third as many as objects."""
    n = len(matrix)
    n_clusters = max(1, min(n_clusters, n // 3))
    if n_clusters == 1:
        return np.zeros(n, dtype=np.int64)
    seen, merges = sampled_tree(matrix, kind, Place("the matrix")) if tree is None else tree
    cut = cut_tree(merges, n_clusters)
    if len(seen) == n:
        return cut
    labels = _nearest(matrix, kind, [seen[cut == c] for c in range(cut.max() + 1)])
    labels[seen] = cut
    return labels


def _nearest(matrix: Matrix, kind: Kind, clusters: list[Ints]) -> Ints:
    """The cluster with the nearest centre for every object."""
    means = _means_over(matrix, clusters)
    within = [means[members, c].mean() for c, members in enumerate(clusters)]
    score = means - np.array(within) / 2  # squared distance from a centre, or what falls with it
    return score.argmin(axis=1) if kind == "distances" else score.argmax(axis=1)


def _means_over(matrix: Matrix, clusters: list[Ints]) -> Floats:
    """Mean of every object's row over the members of clusters, (n, k)."""
    if isinstance(matrix, FeatureDistances):
        labels = np.full(len(matrix), len(clusters))
        for c, members in enumerate(clusters):
            labels[members] = c
        return matrix.row_sums(matrix.sums(labels, len(clusters) + 1)[:-1]) / [len(members) for members in clusters]
    means = np.empty((len(matrix), len(clusters)))
    for rows, block in row_blocks(matrix):
        for c, members in enumerate(clusters):
            means[rows, c] = block[:, members].mean(axis=1, dtype=float)
    return means


def check_labels(labels: Sequence[Any], series: DistanceSeries) -> list[Ints]:
    """Labels given by the user: one integer per object."""
    if len(labels) != series.n_epochs:
        raise SettingsError([Setting("init"), f" has labels for {len(labels)} epochs, but there are {series.n_epochs}"])
    checked = []
    for t, (given, n) in enumerate(zip(labels, series.n_objects, strict=True)):
        array = np.asarray(given)
        if array.shape != (n,) or array.dtype.kind not in "iu":
            fault = f" of epoch {t} must be {n} integers, not {array.dtype} of shape {array.shape}"
            raise SettingsError([Setting("init"), fault])
        checked.append(array.astype(np.int64))
    return checked


def link_by_label(state: ChainState, labels: list[Ints]) -> None:
    """Link clusters with equal labels at consecutive epochs, as far as there are labels."""
    for t in range(len(labels) - 1):
        here, there = np.unique(labels[t]), np.unique(labels[t + 1])
        for c, f in zip(*np.nonzero(here[:, None] == there[None, :]), strict=True):
            state.forward[t, c], state.back[t + 1, f] = f, c
