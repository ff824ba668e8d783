"""The prior of linked partitions: weights of one object, and of one epoch given the epoch before.

The formulas are those of ``tetiwd.model.partition_prior``.
"""

import math

from tetiwd.kernels import gamma


def weight_of_present(size, before, after, xi, max_clusters):
    """Prior weight of one object for a cluster of the given size (see ``tetiwd.model.candidate_weight``)."""
    share = xi / max_clusters if max_clusters > 0 else 0.0
    return (before + size + share) * (size + share + after) / (size + share)


def weight_of_birth(before, after, xi, max_clusters, free_here, unused, born_next):
    """The same for a cluster to be born; born_next is −1 at the last epoch."""
    if max_clusters == 0:
        return (before if before > 0 else xi) * (after / xi if after > 0 else 1.0)
    share = xi / max_clusters
    backward = before + share if before > 0 else share * free_here
    if after > 0:
        return backward * (after + share) / (share * unused) if unused > 0 else 0.0
    if born_next < 0:
        return backward
    return backward * (unused - born_next) / unused if unused > 0 else 0.0


def log_normaliser(before, epoch, xi):
    """log Γ(ξ+n_{t−1}) − log Γ(ξ+n_{t−1}+n_t), the part of log P(B_t | B_{t−1}) that ``log_transition`` leaves out."""
    n_before = 0
    for b in range(before.size[0]):
        n_before += before.counts[b]
    return -gamma.log_rising(xi + n_before, epoch.n)


def log_transition(counts_before, k_before, counts, k, back, xi, max_clusters):
    """Log P(B_t | B_{t−1}) up to terms that the links do not change (see ``tetiwd.model.log_prior_partitions``)."""
    share = xi / max_clusters if max_clusters > 0 else 0.0
    total = 0.0
    n_new = 0
    for c in range(k):
        if back[c] >= 0:
            total += gamma.log_rising(counts_before[back[c]] + share, counts[c])
        elif max_clusters > 0:
            total += gamma.log_rising(share, counts[c])
            n_new += 1
        else:
            total += math.log(xi) + gamma.log_rising(1.0, counts[c] - 1)
    if max_clusters > 0:
        free = max_clusters - k_before
        if n_new > free:
            return -math.inf
        total += gamma.log_rising(free - n_new + 1.0, n_new)
    return total


def log_transitions_around(epoch, before, after, xi, max_clusters):
    """The same of an epoch given the epoch before, and of the epoch after given this one."""
    k = epoch.size[0]
    total = log_transition(before.counts, before.size[0], epoch.counts, k, epoch.back, xi, max_clusters)
    if after.size[0] > 0:
        total += log_transition(epoch.counts, k, after.counts, after.size[0], after.link, xi, max_clusters)
    return total
