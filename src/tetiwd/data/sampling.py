"""A few objects that stand for many: always the same ones, their squared distances, and Ward's tree of them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.checks import Matrix, Place
from tetiwd.data.negative_type import Kind, distances_from

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Tree = tuple[Ints, Floats]  # the objects that Ward saw, and how it merged them

WARD_OBJECTS = 2000  # that Ward sees of an epoch; the others join the nearest cluster


def sample_objects(n: int, at_most: int) -> Ints:
    """All of n objects, or as many as are allowed: drawn with a fixed seed, in increasing order."""
    if n <= at_most:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, at_most, replace=False))


def sampled_distances(matrix: Matrix, kind: Kind, at_most: int, place: Place) -> tuple[Ints, Matrix]:
    """Which objects were chosen, and squared distances between them; those of all objects are not copied."""
    chosen = sample_objects(len(matrix), at_most)
    part = np.asarray(matrix) if len(chosen) == len(matrix) else matrix[np.ix_(chosen, chosen)]
    if kind == "distances":
        return chosen, part
    ids: Any = chosen if place.ids is None else place.ids[chosen]
    return chosen, distances_from(part, Place(place.name, ids))


def pairs(D: Matrix) -> Floats:
    """The distances of all pairs, in the order of scipy."""
    from scipy.spatial.distance import squareform

    return squareform(D, checks=False).astype(float, copy=False)


def sampled_tree(matrix: Matrix, kind: Kind, place: Place) -> Tree:
    """Ward's tree of at most WARD_OBJECTS objects."""
    seen, D = sampled_distances(matrix, kind, WARD_OBJECTS, place)
    squared = pairs(D)
    del D  # Ward makes a copy of the pairs
    return seen, tree_of_pairs(squared)


def ward_tree(D: Matrix) -> Floats:
    """Ward's tree of squared distances, as scipy writes it."""
    return tree_of_pairs(pairs(D))


def tree_of_pairs(squared: Floats) -> Floats:
    """Ward's tree of the squared distances of all pairs, which it overwrites; nothing to merge if there are none."""
    from scipy.cluster.hierarchy import ward

    if not len(squared):
        return np.empty((0, 4))
    return ward(np.sqrt(squared, out=squared))


def cut_tree(tree: Floats, n_clusters: int) -> Ints:
    """Labels 0, 1, … of at most so many clusters."""
    from scipy.cluster.hierarchy import fcluster

    return fcluster(tree, n_clusters, criterion="maxclust").astype(np.int64) - 1
