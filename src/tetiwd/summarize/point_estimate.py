"""One clustering that stands for all draws: first the clusters of every epoch, then the links between them.

At every epoch the partition of smallest expected loss is searched for. Then links are chosen so that as many statements
as possible are expected to be right: where every cluster comes from, and where it goes. Where lineages were sampled and
hardly move, all epochs are searched together instead: then lineages are what is estimated.
"""

from itertools import pairwise
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.data.sampling import sample_objects
from tetiwd.errors import Setting, SettingsError
from tetiwd.params import LINKS, AnswerSettings, AtMost, check_at_most, check_seed, check_whole
from tetiwd.partitions import Ints, Partitions, numbered
from tetiwd.sample import Sample, as_partitions
from tetiwd.summarize.alignment import Alignment, align
from tetiwd.summarize.clustering import Clustering, as_clustering, in_order_of_birth
from tetiwd.summarize.embedding import cross_of
from tetiwd.summarize.kinship import SamePlace
from tetiwd.summarize.links import LineageLinks, Links, ModelLinks, ObjectLinks, PlaceLinks
from tetiwd.summarize.losses import ARI, Loss, Sure, as_loss, losses_to_draws
from tetiwd.summarize.motion import lineage_motion
from tetiwd.summarize.search import Search

MOST_SEARCHED = 20_000  # objects of an epoch; with more, the others join what was found for some
MOST_LABELS = 10**8  # objects × draws that are looked at when the others join


def representative(
    draws: Sample | Partitions,
    loss: str | Loss = AnswerSettings.loss,
    *,
    n_runs: int = 16,
    max_draws: int = 1000,
    at_most: AtMost = None,
    links: str | Links = AnswerSettings.links,
    jointly: bool | None = None,
    seed: int = 0,
) -> Clustering:
    """The clustering with the smallest expected loss over the draws, and the most probable links.

    Parameters
    ----------
    draws : Sample or Partitions
        A sample, or partitions from elsewhere.
    loss : {"auto", "vi", "binder", "ari"} or Loss
        "vi" (variation of information), "binder", "ari" (maximises the expected adjusted Rand index), or
        ``Binder(join=…, split=…)`` if wrongly joining and wrongly splitting a pair have different prices. "auto" is
        "vi", except where that is a single cluster although the draws agree on how to divide it: there it is "ari",
        with no more clusters than the median draw has.
    n_runs : int
        Searches from scratch at every epoch, each with a random order of objects.
    max_draws : int
        The search looks at no more draws than this, evenly spaced; the loss that is returned is over all of them.
    at_most : int, "median" or None
        Most clusters an epoch may have: a number, "median" for as many as the median draw has there, or None for as
        many as any draw has, and some more. Without a limit "ari" and "binder" leave doubtful objects in clusters of
        one or two, which costs them little. With a limit the search is more easily caught, so that it is begun four
        times as often.
    links : {"auto", "model", "objects", "place"} or Links
        How clusters are linked into lineages: by the sampled links ("model"), by shared objects ("objects": most of
        those that stay go from one cluster to the other), by the distance of their means, from cross-time distances
        ("place"), or by links of your own. With objects or places a lineage may skip epochs and return. "auto" takes
        objects if any is there at two consecutive epochs, else places if the series has D*, else the model. Lineages
        of moving centres are sampled, with their returns, so that "auto" takes objects, else the model.
    jointly : bool, optional
        True to search for lineages of all epochs together, False for clusters of every epoch, which are then linked.
        None takes lineages if they were sampled (moving centres) and hardly move: then an object says as much about
        other epochs as about its own. Links of your own, or by objects, need clusters of every epoch.
    seed : int
        Seed of the orders. The same seed gives the same answer.

    Returns
    -------
    Clustering
        The clustering, with its lineages and its expected loss.

    Examples
    --------
    >>> import numpy as np
    >>> from tetiwd import Partitions, representative
    >>> draws = Partitions.from_labels(np.array([[0, 0, 0, 1, 1, 1]] * 2 + [[0, 0, 1, 1, 1, 1]]))
    >>> representative(draws).labels
    [array([0, 0, 0, 1, 1, 1])]
    """
    partitions, measure = as_partitions(draws), as_loss(loss)
    check_whole("n_runs", n_runs, 1)
    check_at_most(at_most)
    check_seed(seed)
    how = source_of_links(draws, links)
    some = partitions.thinned(max_draws)
    n_runs = n_runs if at_most is None else 4 * n_runs
    if lineages_are_known(draws, how) if jointly is None else jointly:
        lineages = best_partition(some.as_one_epoch(), measure, at_most, n_runs, seed)
        return as_clustering(partitions, some.split(lineages), measure, "joint search", LineageLinks())
    clusters = [best_partition(some.epoch(t), measure, at_most, n_runs, seed, t) for t in range(some.n_epochs)]
    source = place_links(how, clusters) if isinstance(how, DistanceSeries) else how
    return as_clustering(partitions, linked(some, clusters, source), measure, "search", source)


def best_partition(
    draws: Partitions, loss: Loss, at_most: AtMost, n_runs: int, seed: int, t: int = 0
) -> NDArray[np.int64]:
    """Labels of the partition with the smallest expected loss; "median" are as many clusters as the median draw has."""
    most = int(np.median(draws.labels.max(axis=1) + 1)) if at_most == "median" else at_most
    rng, n = np.random.default_rng([seed, t]), draws.labels.shape[1]
    some = sample_objects(n, MOST_SEARCHED)
    part = draws
    if len(some) < n:
        part = Partitions(numbered(np.ascontiguousarray(draws.labels[:, some])), (len(some),), (None,))
    labels = min(Search(part, loss, most, rng).results(n_runs), key=lambda result: result[0])[1]
    if isinstance(loss, Sure) and labels.max() == 0:
        labels = parts_if_sure(part, loss.agreement, most, n_runs, seed, t)
    if part is draws:
        return labels
    return Search(draws.thinned(max(1, MOST_LABELS // n)), loss, most, rng).extended(some, labels)


def parts_if_sure(
    draws: Partitions, agreement: float, at_most: int | None, n_runs: int, seed: int, t: int
) -> NDArray[np.int64]:
    """The parts of a single cluster with the largest expected adjusted Rand index, or all together if that is small."""
    n_usual = int(np.median(draws.labels.max(axis=1) + 1))
    parts = best_partition(draws, ARI(), min(n_usual, at_most or n_usual), n_runs, seed, t)
    agree = 1 - float(losses_to_draws(parts, draws.labels, ARI()).mean()) >= agreement
    return parts if agree else np.zeros_like(parts)


def lineages_are_known(draws: Sample | Partitions, links: Links | DistanceSeries) -> bool:
    """Were lineages sampled that stay where they are, so that epochs can be searched together?"""
    if not isinstance(draws, Sample) or not isinstance(links, LineageLinks):
        return False
    return lineage_motion(draws).kind == "pooled"


def annealed(sample: Sample, loss: str | Loss = AnswerSettings.loss) -> Clustering:
    """The annealed partition of the most probable chain with its links: the paper's way to a single answer.

    Parameters
    ----------
    sample : Sample
        Draws of a run that was annealed (``SamplerSettings.anneal``).
    loss : str or Loss
        The loss to report for it, as in :func:`tetiwd.representative`.

    Returns
    -------
    Clustering
        The partition, with its expected loss over the draws.

    Examples
    --------
    >>> from tetiwd import SamplerSettings, TeTiWD, simulate_separated
    >>> short = SamplerSettings(n_chains=2, n_warmup=50, n_draws=50)
    >>> D = simulate_separated(seed=1).D
    >>> model = TeTiWD(squared=True, dof=100, settings=short, random_state=0).fit(D)
    >>> from tetiwd import annealed
    >>> annealed(model.sample_).n_clusters
    [3, 4, 4, 3, 3]
    """
    return as_clustering(sample, sample.best_frozen.labels, loss, "annealing")


def source_of_links(draws: Sample | Partitions, links: str | Links) -> Links | DistanceSeries:
    """Source of the links; the series if they come from its cross-time distances, which need the clusters first."""
    if not isinstance(links, str):
        return links
    ids = as_partitions(draws).ids
    series = None if isinstance(draws, Partitions) or draws.series.cross is None else draws.series
    if isinstance(draws, Sample) and draws.hyperparameters.moves and links in ("auto", "model"):
        return sampled_lineages(links, ids)
    return links_called(links, ids, series)


def sampled_lineages(links: str, ids: tuple[NDArray[Any], ...] | None) -> Links | DistanceSeries:
    """Links by name where lineages were sampled: "auto" takes objects, else lineages; places are what they went by."""
    source = links_called(links, ids, None)
    return LineageLinks() if isinstance(source, ModelLinks) else source


def links_called(
    links: str, ids: tuple[NDArray[Any], ...] | None, series: DistanceSeries | None
) -> Links | DistanceSeries:
    """The same by name, for objects with these ids and a series with cross-time distances, where there are any."""
    if links not in LINKS:
        fault = f' must be "auto", "model", "objects", "place" or Links, not {links!r}'
        raise SettingsError([Setting("links"), fault])
    if links == "objects" and ids is None:
        raise SettingsError([Setting("links", "objects"), " needs ids"], "give the objects ids")
    if links == "place" and series is None:
        raise SettingsError(
            [Setting("links", "place"), " needs distances between times, which this series does not have"],
            ["give them with ", Setting("cross")],
        )
    known = [] if ids is None else [set(ids_t.tolist()) for ids_t in ids]
    recurring = any(a & b for a, b in pairwise(known))
    if links == "objects" and not recurring and len(known) > 1:
        fault = " needs objects that are there at two consecutive times; there are none"
        raise SettingsError([Setting("links", "objects"), fault])
    if links == "objects" or (links == "auto" and recurring):
        return ObjectLinks()
    return series if series is not None and links in ("auto", "place") else ModelLinks()


def place_links(series: DistanceSeries, labels: list[Ints]) -> PlaceLinks:
    """Links from cross-time distances, with the gate that suits these clusters."""
    from tetiwd.summarize.tracking import track

    tracks = track(series, labels)
    return PlaceLinks(SamePlace(cross_of(series), tracks.gate))


def linked(draws: Sample | Partitions, labels: list[Ints], links: Links) -> list[Ints]:
    """Clusters of every epoch, renamed so that those with the most probable links share a label."""
    partitions = as_partitions(draws)
    if partitions.n_epochs == 1:
        return labels
    first = np.cumsum([0, *(int(labels_t.max()) + 1 for labels_t in labels[:-1])])
    own = np.concatenate([labels_t + start for labels_t, start in zip(labels, first, strict=True)])
    apart = Clustering(partitions.split(in_order_of_birth(own, partitions)), partitions.times, nan, "", "search")
    alignment = align(partitions, apart, max_draws=partitions.n_draws)
    lineage = np.arange(apart.n_lineages)
    ended: dict[int, int] = {}  # clusters that go nowhere, and their epochs
    for t in range(1, partitions.n_epochs):
        successors = dict(best_links(alignment, t, links))
        ended |= {int(g): t - 1 for g in np.flatnonzero(alignment.present[t - 1]) if g not in successors}
        new = {int(h) for h in np.flatnonzero(alignment.present[t])} - set(successors.values())
        successors |= returns(alignment, t, links, ended, new)
        for earlier, later in successors.items():
            lineage[later] = lineage[earlier]
            ended.pop(earlier, None)
    return [lineage[labels_t] for labels_t in apart.labels]


def best_links(alignment: Alignment, t: int, links: Links) -> list[tuple[int, int]]:
    """Links from t−1 to t that are expected to make most statements right.

    A link states two things, where one cluster goes and where the other comes from; without it the statements are that
    one has died and the other was born.
    """
    from scipy.optimize import linear_sum_assignment

    here, there = (np.flatnonzero(alignment.present[epoch]) for epoch in (t - 1, t))
    probability = links.linked(alignment, t).mean(axis=0)[np.ix_(here, there)]
    died, born = links.died(alignment, t).mean(axis=0)[here], links.born(alignment, t).mean(axis=0)[there]
    gain = np.maximum(2 * probability - died[:, None] - born[None, :], 0.0)
    pairs = zip(*linear_sum_assignment(gain, maximize=True), strict=True)
    return [(int(here[g]), int(there[h])) for g, h in pairs if gain[g, h] > 0]


def returns(alignment: Alignment, t: int, links: Links, ended: dict[int, int], new: set[int]) -> dict[int, int]:
    """Lineages that ended before t−1 and the new clusters of t that they probably come back as, the latest first."""
    successors: dict[int, int] = {}
    for earlier in sorted({epoch for epoch in ended.values() if epoch < t - 1}, reverse=True):
        back = links.returned(alignment, earlier, t)
        if back is None:
            continue
        for g in [g for g, epoch in ended.items() if epoch == earlier]:
            probability = back[:, g].mean(axis=0)
            h = int(probability.argmax())
            if probability[h] > 0.5 and h in new and h not in successors.values():
                successors[g] = h
    return successors
