"""Sums of squared distances from an object to the members of clusters, whatever the distances come from.

R has a row for every cluster, which is kept up to date as objects move. With a matrix these are the sums themselves,
R[c, l] = Σ D_lj over the members j of c. With features, where D_lj = ‖x_l − x_j‖², they are Σ x_j, Σ ‖x_j‖² and the
number of members n, from which every sum follows without a matrix:

    Σ D_lj = n ‖x_l‖² + Σ ‖x_j‖² − 2 x_l · Σ x_j

The *sides* are clusters in the making: a split fills them while R stays as it is.
"""

import math

import numpy as np

ALL_TRIED_BEYOND = 10_000  # objects; fewer have the same draws with a matrix


def members_tried(data, usual):
    """Members of a split or merge that is always tried, ``usual`` with a matrix; larger ones are in proportion.

    From a matrix a change costs the square of their number, from features their number. Then all are tried, where
    there are so many objects that a few tries in proportion would not do.
    """
    linear = not isinstance(data, np.ndarray) and len(data) > ALL_TRIED_BEYOND
    return math.inf if linear else usual


def sums_of(data, per_unit, R, n_sides):
    """The sums that suit the data: an array, or ``FeatureDistances``, which stands for one."""
    if isinstance(data, np.ndarray):
        return MatrixSums(data, per_unit, R, n_sides)
    if data.is_sparse:
        return SparseSums(data.rows, data.factor * per_unit, R, n_sides)
    return FeatureSums(data.rows, data.centre, data.factor * per_unit, R, n_sides)


class Sums:
    """What the kernels know of the data. Sums are rescaled by ``per_unit``."""

    def at(self, c, obj):
        """Sum over the members of cluster c."""
        return 0.0

    def look(self, obj, n, r):
        """Sums over the members of the first n clusters, into r."""

    def move(self, obj, a, c):
        """An object goes from cluster a to c."""

    def add(self, obj, c, sign):
        """An object joins (sign 1.0) or leaves (−1.0) cluster c."""

    def own(self, obj):
        """Similarity of an object to itself."""
        return 0.0

    def open_sides(self):
        """Nobody is on any side."""

    def join_side(self, obj, side):
        """An object joins a side."""

    def to_side(self, obj, side):
        """Sum over the members of a side."""
        return 0.0


class MatrixSums(Sums):
    """Sums of the entries of D (n, n), squared distances or similarities in double or single precision."""

    def __init__(self, D, per_unit, R, n_sides):
        self.single = D.dtype == np.float32
        self.D = np.empty((0, 0)) if self.single else D
        self.D_single = D if self.single else np.empty((0, 0), np.float32)
        self.per_unit = per_unit
        self.R = R
        self.joined, self.n_joined = np.zeros((n_sides, len(D)), np.int64), np.zeros(n_sides, np.int64)

    def at(self, c, obj):
        """Sum over the members of cluster c."""
        return self.R[c, obj]

    def look(self, obj, n, r):
        """Sums over the members of the first n clusters, into r."""
        for c in range(n):
            r[c] = self.R[c, obj]

    def move(self, obj, a, c):
        """An object goes from cluster a to c: O(n), reads a whole row of D."""
        if self.single:
            for j in range(self.R.shape[1]):
                d = float(self.D_single[obj, j]) * self.per_unit
                self.R[a, j] -= d
                self.R[c, j] += d
        else:
            for j in range(self.R.shape[1]):
                d = float(self.D[obj, j]) * self.per_unit
                self.R[a, j] -= d
                self.R[c, j] += d

    def add(self, obj, c, sign):
        """An object joins (sign 1.0) or leaves (−1.0) cluster c: O(n), too."""
        if self.single:
            for j in range(self.R.shape[1]):
                self.R[c, j] += sign * (float(self.D_single[obj, j]) * self.per_unit)
        else:
            for j in range(self.R.shape[1]):
                self.R[c, j] += sign * (float(self.D[obj, j]) * self.per_unit)

    def own(self, obj):
        """Similarity of an object to itself."""
        if self.single:
            return float(self.D_single[obj, obj]) * self.per_unit
        return float(self.D[obj, obj]) * self.per_unit

    def open_sides(self):
        """Nobody is on any side."""
        for s in range(self.n_joined.shape[0]):
            self.n_joined[s] = 0

    def join_side(self, obj, side):
        """An object joins a side."""
        self.joined[side, self.n_joined[side]] = obj
        self.n_joined[side] += 1

    def to_side(self, obj, side):
        """Sum over the members of a side."""
        total = 0.0
        if self.single:
            for j in range(self.n_joined[side]):
                total += float(self.D_single[obj, self.joined[side, j]])
        else:
            for j in range(self.n_joined[side]):
                total += float(self.D[obj, self.joined[side, j]])
        return total * self.per_unit


class NodeMatrixSums(MatrixSums):
    """The same for moving centres, which rescale every distance before they add it up."""

    def to_side(self, obj, side):
        """Sum over the members of a side."""
        total = 0.0
        if self.single:
            for j in range(self.n_joined[side]):
                total += float(self.D_single[obj, self.joined[side, j]]) * self.per_unit
        else:
            for j in range(self.n_joined[side]):
                total += float(self.D[obj, self.joined[side, j]]) * self.per_unit
        return total


class FeatureSums(Sums):
    """Sums of squared Euclidean distances between rows of features (n, p), with their centre taken off."""

    def __init__(self, X, centre, per_unit, R, n_sides):
        self.single = X.dtype == np.float32
        self.X = np.empty((0, 0)) if self.single else X
        self.X_single = X if self.single else np.empty((0, 0), np.float32)
        self.centre = centre
        self.per_unit = per_unit
        self.R = R
        self.p = X.shape[1]
        self.sides = np.zeros((n_sides, R.shape[1]))
        self.loaded, self.x, self.square = -1, np.zeros(self.p), 0.0  # one object, its features, ‖x‖²

    def load(self, obj):
        """The features of one object, in double precision."""
        if obj == self.loaded:
            return
        self.loaded = obj
        square = 0.0
        for f in range(self.p):
            value = float(self.X_single[obj, f]) if self.single else float(self.X[obj, f])
            self.x[f] = value - self.centre[f]
            square += self.x[f] * self.x[f]
        self.square = square

    def from_row(self, rows, c):
        """Sum of distances of the loaded object to those that a row has added up."""
        total, n = 0.0, rows[c, self.p + 1]
        if n == 0.0:
            return 0.0
        for f in range(self.p):
            total += self.x[f] * rows[c, f]
        return (n * self.square + rows[c, self.p] - 2.0 * total) * self.per_unit

    def add_to_row(self, rows, c, sign):
        """Count the loaded object into a row, or out of it."""
        for f in range(self.p):
            rows[c, f] += sign * self.x[f]
        rows[c, self.p] += sign * self.square
        rows[c, self.p + 1] += sign

    def at(self, c, obj):
        """Sum over the members of cluster c."""
        self.load(obj)
        return self.from_row(self.R, c)

    def look(self, obj, n, r):
        """Sums over the members of the first n clusters, into r."""
        self.load(obj)
        for c in range(n):
            r[c] = self.from_row(self.R, c)

    def move(self, obj, a, c):
        """An object goes from cluster a to c."""
        self.add(obj, a, -1.0)
        self.add(obj, c, 1.0)

    def add(self, obj, c, sign):
        """An object joins (sign 1.0) or leaves (−1.0) cluster c."""
        self.load(obj)
        self.add_to_row(self.R, c, sign)

    def open_sides(self):
        """Nobody is on any side."""
        for s in range(self.sides.shape[0]):
            for f in range(self.sides.shape[1]):
                self.sides[s, f] = 0.0

    def join_side(self, obj, side):
        """An object joins a side."""
        self.load(obj)
        self.add_to_row(self.sides, side, 1.0)

    def to_side(self, obj, side):
        """Sum over the members of a side."""
        self.load(obj)
        return self.from_row(self.sides, side)


class SparseSums(FeatureSums):
    """The same for features most of which are zero (CSR); no centre is taken off, or none would be."""

    def __init__(self, X, per_unit, R, n_sides):
        FeatureSums.__init__(self, np.empty((0, X.shape[1])), np.empty(0), per_unit, R, n_sides)
        self.values, self.columns = X.data, X.indices.astype(np.int32, copy=False)
        self.ends = X.indptr.astype(np.int64, copy=False)
        self.start = self.end = 0

    def load(self, obj):
        """Where the features of one object are."""
        if obj == self.loaded:
            return
        self.loaded, self.start, self.end = obj, self.ends[obj], self.ends[obj + 1]
        square = 0.0
        for e in range(self.start, self.end):
            square += self.values[e] * self.values[e]
        self.square = square

    def from_row(self, rows, c):
        """Sum of distances of the loaded object to those that a row has added up."""
        total, n = 0.0, rows[c, self.p + 1]
        if n == 0.0:
            return 0.0
        for e in range(self.start, self.end):
            total += self.values[e] * rows[c, self.columns[e]]
        return (n * self.square + rows[c, self.p] - 2.0 * total) * self.per_unit

    def add_to_row(self, rows, c, sign):
        """Count the loaded object into a row, or out of it."""
        for e in range(self.start, self.end):
            rows[c, self.columns[e]] += sign * self.values[e]
        rows[c, self.p] += sign * self.square
        rows[c, self.p + 1] += sign
