"""Objects of every time as points in a plane, turned so that lineages stay where they were."""

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.series import DistanceSeries
from tetiwd.summarize.clustering import Clustering
from tetiwd.summarize.embedding import as_points, embed
from tetiwd.summarize.kinship import recurring

Floats = NDArray[np.float64]
WEIGHT_OF_OBJECT = 0.05  # of an object present at both times; it settles what lineages leave open
SHARE_OF_IDENTITY = 1e-9  # settles what nothing else does


def object_maps(series: DistanceSeries, clustering: Clustering) -> tuple[Floats, ...]:
    """Positions of the objects of every time in two dimensions, T × (n_t, 2), read-only.

    With cross-time distances all objects are placed together (:func:`tetiwd.embed`). Otherwise every time is placed by
    classical scaling of its D_t, then moved, turned and mirrored to bring the means of its lineages close to their last
    position (Procrustes, weighted by size); nothing is stretched.
    """
    maps = _one_by_one(series, clustering) if series.cross is None else embed(series, n_components=2).coordinates
    planes = tuple(_two_columns(points) for points in maps)
    for plane in planes:
        plane.setflags(write=False)
    return planes


def _one_by_one(series: DistanceSeries, clustering: Clustering) -> list[Floats]:
    """Every time by itself, moved near the time before."""
    distances = series.to_distances().D
    maps: list[Floats] = []
    last: dict[int, Floats] = {}  # latest mean of every lineage
    for t, (D, labels) in enumerate(zip(distances, clustering.labels, strict=True)):
        points = _two_columns(as_points(D, (len(D),), (series.times[t],), 2).points)
        lineages = clustering.lineages_at(t)
        means = {int(g): points[labels == g].mean(axis=0) for g in lineages}
        weight = {int(g): float((labels == g).sum()) for g in lineages}
        known = [g for g in means if g in last]
        here, there, weights = [means[g] for g in known], [last[g] for g in known], [weight[g] for g in known]
        if t and series.ids is not None:
            before, now = recurring(series.ids[t - 1], series.ids[t])
            here, there = [*here, *points[now]], [*there, *maps[-1][before]]
            weights += [WEIGHT_OF_OBJECT] * len(now)
        if here:
            points = _moved_near(points, np.array(here), np.array(there), np.array(weights))
        maps.append(points)
        last |= {int(g): points[labels == g].mean(axis=0) for g in lineages}
    return maps


def _moved_near(points: Floats, here: Floats, there: Floats, weights: Floats) -> Floats:
    """Points moved, turned and mirrored so that landmarks ``here`` come as close as possible to ``there``."""
    weights = weights / weights.sum()
    centre, goal = weights @ here, weights @ there
    product = ((here - centre) * weights[:, None]).T @ (there - goal)
    scale = max(float(np.abs(product).max()), float((points**2).mean()) * SHARE_OF_IDENTITY)
    left, _, right = np.linalg.svd(product + SHARE_OF_IDENTITY * scale * np.eye(2))
    return np.asarray((points - centre) @ (left @ right) + goal)


def _two_columns(points: Floats) -> Floats:
    """Two axes, even if the distances span fewer."""
    plane = np.zeros((len(points), 2))
    plane[:, : points.shape[1]] = points[:, :2]
    return plane
