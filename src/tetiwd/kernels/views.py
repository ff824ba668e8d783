"""What kernels are given: one epoch, its neighbours in time, and the numbers of the model.

Clusters of an epoch occupy slots 0 … k−1 of padded arrays with capacity K. Symbols are those of ``tetiwd.model``.
"""

import numpy as np


class Epoch:
    """Everything about one epoch that moves read and change in place.

    Parameters
    ----------
    D
        (n, n) squared distances or similarities in the user's units, in double or single precision.
    per_unit
        1 / unit, the factor that rescales them.
    trace
        tr K for similarities, 0 for distances; rescaled.
    z
        (n,) slot of every object.
    R
        (K, n) row sums: rescaled D of every object summed over the members of a cluster.
    size
        (1,) number of clusters k.
    counts, S, A
        (K,) objects, (K, K) block sums and (K, K) between-cluster covariance.
    back, forward
        (K,) slot of the linked cluster at the epoch before and after, −1 for none.
    spreads
        (K,) variance within every cluster, relative to alpha.
    """

    def __init__(self, D, per_unit, trace, z, R, size, counts, S, A, back, forward, spreads):
        self.single = D.dtype == np.float32
        self.D = np.empty((0, 0)) if self.single else D
        self.D_single = D if self.single else np.empty((0, 0), np.float32)
        self.per_unit = per_unit
        self.trace = trace
        self.n = len(z)
        self.z = z
        self.R = R
        self.size = size
        self.counts = counts
        self.S = S
        self.A = A
        self.back = back
        self.forward = forward
        self.spreads = spreads


class Neighbour:
    """The clusters of the epoch before or after, and their links towards this one. Size 0 at either end.

    Parameters
    ----------
    size, counts, A
        As those of an epoch.
    link
        (K,) slot of the linked cluster at this epoch, −1 for none.
    """

    def __init__(self, size, counts, A, link):
        self.size = size
        self.counts = counts
        self.A = A
        self.link = link


class Model:
    """Numbers that stay fixed while one epoch is updated.

    ``max_clusters`` is 0 for no limit; ``isotropic`` means A = new_scale · I; ``power`` is 1 for sampling, larger to
    anneal, inf for the best candidate; ``tau`` is 0 if all spreads are equal, ``limit`` the largest |log spread|.
    """

    def __init__(self, alpha, dof, df_A, xi, kappa, new_scale, max_clusters, isotropic, similarity, power, tau, limit):
        self.alpha = alpha
        self.dof = dof
        self.df_A = df_A
        self.xi = xi
        self.kappa = kappa
        self.new_scale = new_scale
        self.max_clusters = max_clusters
        self.isotropic = isotropic
        self.similarity = similarity
        self.power = power
        self.tau = tau
        self.limit = limit


def own_similarity(epoch, model, obj):
    """Rescaled similarity of an object to itself; 0 for distances."""
    if not model.similarity:
        return 0.0
    if epoch.single:
        return float(epoch.D_single[obj, obj]) * epoch.per_unit
    return float(epoch.D[obj, obj]) * epoch.per_unit


def sum_row(epoch, row, columns, side, n):
    """Sum of some entries of one row of D: those in the first n columns listed for a side."""
    total = 0.0
    if epoch.single:
        for j in range(n):
            total += float(epoch.D_single[row, columns[side, j]])
    else:
        for j in range(n):
            total += float(epoch.D[row, columns[side, j]])
    return total


def move_row_sums(epoch, obj, a, c):
    """R after an object went from cluster a to c: O(n), the only place where a whole row of D is read."""
    if epoch.single:
        for j in range(epoch.n):
            d = float(epoch.D_single[obj, j]) * epoch.per_unit
            epoch.R[a, j] -= d
            epoch.R[c, j] += d
    else:
        for j in range(epoch.n):
            d = float(epoch.D[obj, j]) * epoch.per_unit
            epoch.R[a, j] -= d
            epoch.R[c, j] += d
