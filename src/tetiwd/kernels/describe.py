"""Numbers about the clusters of one epoch that do not depend on their order, recorded with every draw."""

import math

from tetiwd.kernels import dense


def sort_counts(epoch, counts):
    """Sizes of the clusters in increasing order into ``counts``."""
    for c in range(epoch.size[0]):
        size = epoch.counts[c]
        j = c
        while j > 0 and counts[j - 1] > size:
            counts[j] = counts[j - 1]
            j -= 1
        counts[j] = size


def entropy(epoch, counts):
    """Entropy of the sizes of clusters; ``counts`` is scratch."""
    sort_counts(epoch, counts)
    total = 0.0
    for c in range(epoch.size[0]):
        share = counts[c] / float(epoch.n)
        total -= share * math.log(share)
    return total


def mean_distance(epoch):
    """Mean of A_cc + A_bb − 2A_cb over pairs of clusters, 0 if there is only one."""
    k = epoch.size[0]
    total = 0.0
    for i in range(k):
        for j in range(i):
            total += epoch.A[i, i] + epoch.A[j, j] - 2.0 * epoch.A[i, j]
    return 2.0 * total / (k * (k - 1.0)) if k > 1 else 0.0


def log_det(epoch, L):
    """Log determinant of A; L is scratch."""
    if not dense.cholesky(epoch.A, epoch.size[0], L):
        return -math.inf
    return dense.log_det(L, epoch.size[0])
