"""Objects of every time as points in a plane, turned so that lineages stay where they were."""

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tetiwd.summarize.embedding import as_points, embed
from tetiwd.summarize.kinship import recurring

if TYPE_CHECKING:
    from tetiwd.analysis import Analysis

Floats = NDArray[np.float64]
OF_AN_OBJECT = 0.05  # weight of one object that is there at both times; decides what lineages leave open
AS_IT_IS = 1e-9  # share of the identity; decides what nothing else does
_known: "WeakKeyDictionary[Analysis, list[Floats]]" = WeakKeyDictionary()


def object_maps(analysis: "Analysis") -> list[Floats]:
    """Positions of the objects of every time in two dimensions, T × (n_t, 2).

    With cross-time distances all objects are placed together (:func:`tetiwd.embed`). Otherwise every time is placed by
    classical scaling of its D_t, then moved, turned and mirrored to bring the means of its lineages close to where these
    were last (Procrustes, weighted by size); nothing is stretched. They are computed once.
    """
    if analysis not in _known:
        series = analysis.sample.series
        maps = _one_by_one(analysis) if series.cross is None else embed(series, n_components=2).coordinates
        _known[analysis] = [_two_columns(own) for own in maps]
    return [own.copy() for own in _known[analysis]]


def _one_by_one(analysis: "Analysis") -> list[Floats]:
    """Every time by itself, brought near to the one before."""
    series = analysis.sample.series
    distances, labels = series.to_distances().D, analysis.clustering.labels
    maps: list[Floats] = []
    last: dict[int, Floats] = {}  # latest mean of every lineage
    for t, D in enumerate(distances):
        points = _two_columns(as_points(D, (len(D),), (series.times[t],), 2).points)
        lineages, sizes = np.unique(labels[t], return_counts=True)
        means = {int(g): points[labels[t] == g].mean(axis=0) for g in lineages}
        weight = {int(g): float(n) for g, n in zip(lineages, sizes, strict=True)}
        known = [g for g in means if g in last]
        here, there, weights = [means[g] for g in known], [last[g] for g in known], [weight[g] for g in known]
        if t and series.ids is not None:
            before, now = recurring(series.ids[t - 1], series.ids[t])
            here, there = [*here, *points[now]], [*there, *maps[-1][before]]
            weights += [OF_AN_OBJECT] * len(now)
        if here:
            points = _brought_near(points, np.array(here), np.array(there), np.array(weights))
        maps.append(points)
        last |= {int(g): points[labels[t] == g].mean(axis=0) for g in lineages}
    return maps


def _brought_near(points: Floats, here: Floats, there: Floats, weights: Floats) -> Floats:
    """Points moved, turned and mirrored so that landmarks come as near as can be to where they should be."""
    weights = weights / weights.sum()
    centre, goal = weights @ here, weights @ there
    product = ((here - centre) * weights[:, None]).T @ (there - goal)
    scale = max(float(np.abs(product).max()), float((points**2).mean()) * AS_IT_IS)
    left, _, right = np.linalg.svd(product + AS_IT_IS * scale * np.eye(2))
    return np.asarray((points - centre) @ (left @ right) + goal)


def _two_columns(points: Floats) -> Floats:
    """Two axes, also where the distances have fewer."""
    found = np.zeros((len(points), 2))
    found[:, : points.shape[1]] = points[:, :2]
    return found
