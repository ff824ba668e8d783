"""What kernels are given: one epoch, its neighbours in time, and the numbers of the model.

Clusters of an epoch occupy slots 0 … k−1 of padded arrays with capacity K. Symbols are those of ``tetiwd.model``.
"""

from tetiwd.kernels.bonds import NONE
from tetiwd.kernels.sums import sums_of


class Epoch:
    """Everything about one epoch that moves read and change in place.

    Parameters
    ----------
    data
        Squared distances or similarities in the user's units, as ``tetiwd.kernels.sums`` takes them.
    per_unit
        1 / unit, the factor that rescales them.
    trace
        tr K for similarities, 0 for distances; rescaled.
    z
        (n,) slot of every object.
    R
        (K, …) what the members of a cluster add up to (``tetiwd.kernels.sums``).
    size
        (1,) number of clusters k.
    counts, S, A
        (K,) objects, (K, K) block sums and (K, K) between-cluster covariance.
    back, forward
        (K,) slot of the linked cluster at the epoch before and after, −1 for none.
    spreads
        (K,) variance within every cluster, relative to alpha.
    bonds
        What is known of the objects.
    """

    def __init__(self, data, per_unit, trace, z, R, size, counts, S, A, back, forward, spreads, bonds=NONE):
        self.data, self.sums = data, sums_of(data, per_unit, R, 2)
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
        self.bonds = bonds


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
    return epoch.sums.own(obj) if model.similarity else 0.0
