"""The prior of linked partitions: weights of one object, and of one epoch given the epoch before.

The formulas are those of ``tetiwd.model.partition_prior``. With κ = 1 what the epoch after says of one more object is a
quotient of counts, and is taken as such.
"""

import math

from tetiwd.kernels import gamma


def worth_of_past(kappa, k_before):
    """How much an object of the epoch before counts: κ, or 1 at the first epoch, where there is none."""
    return kappa if k_before > 0 else 1.0


def share_of_label(rate, max_clusters):
    """What every label has of the rate of new clusters, where their number is limited."""
    return rate / max_clusters if max_clusters > 0 else 0.0


def weight_of_present(size, before, after, model, k_before):
    """Prior weight of one object for a cluster of the given size (see ``tetiwd.model.candidate_weight``)."""
    kappa, worth = model.kappa, worth_of_past(model.kappa, k_before)
    share = share_of_label(worth * model.xi, model.max_clusters)
    backward = worth * before + size + share
    if kappa == 1.0:
        return backward * (size + share + after) / (size + share)
    known = kappa * size + share_of_label(kappa * model.xi, model.max_clusters)
    return backward * ratio_of_rising(known + kappa, known, after)


def log_weight_of_group(size, n, before, after, model, k_before):
    """Log prior weight of n objects that join a cluster of the given size, or more, one after the other."""
    kappa, worth = model.kappa, worth_of_past(model.kappa, k_before)
    known = share_of_label(kappa * model.xi, model.max_clusters)
    total = gamma.log_rising(worth * before + size + share_of_label(worth * model.xi, model.max_clusters), n)
    total += gamma.log_rising(kappa * (size + n) + known, after)
    return total - gamma.log_rising(kappa * size + known, after)


def weight_of_birth(before, after, model, k_before, free_here, unused, born_next):
    """The same for a cluster to be born; born_next is −1 at the last epoch."""
    kappa, worth = model.kappa, worth_of_past(model.kappa, k_before)
    if model.max_clusters == 0:
        return worth * (before if before > 0 else model.xi) * (weight_of_start(after, model) if after > 0 else 1.0)
    share = share_of_label(worth * model.xi, model.max_clusters)
    backward = worth * before + share if before > 0 else share * free_here
    if after > 0:
        if unused <= 0:
            return 0.0
        if kappa == 1.0:
            return backward * (after + share) / (share * unused)
        known = share_of_label(kappa * model.xi, model.max_clusters)
        return backward * ratio_of_rising(known + kappa, known, after) / unused
    if born_next < 0:
        return backward
    return backward * (unused - born_next) / unused if unused > 0 else 0.0


def weight_of_start(after, model):
    """By how much a cluster at the epoch after is more probable with one object before it than with none."""
    if model.kappa == 1.0:
        return after / model.xi
    new = gamma.log_rising(1.0, after - 1)
    return math.exp(gamma.log_rising(model.kappa, after) - new) / (model.kappa * model.xi)


def ratio_of_rising(x, y, n):
    """x (x + 1) … over y (y + 1) …, n factors each."""
    return math.exp(gamma.log_rising(x, n) - gamma.log_rising(y, n))


def log_normaliser(before, epoch, xi, kappa):
    """What ``log_transition`` leaves out of log P(B_t | B_{t−1}): log Γ(r) − log Γ(r + n_t) with r = κ(ξ + n_{t−1})."""
    n_before = 0
    for b in range(before.size[0]):
        n_before += before.counts[b]
    return -gamma.log_rising(worth_of_past(kappa, before.size[0]) * (xi + n_before), epoch.n)


def log_transition(counts_before, k_before, counts, k, back, xi, kappa, max_clusters):
    """Log P(B_t | B_{t−1}) up to terms that the links do not change (see ``tetiwd.model.log_prior_partitions``)."""
    worth = worth_of_past(kappa, k_before)
    share = share_of_label(worth * xi, max_clusters)
    total = 0.0
    n_new = 0
    for c in range(k):
        if back[c] >= 0:
            total += gamma.log_rising(worth * counts_before[back[c]] + share, counts[c])
        elif max_clusters > 0:
            total += gamma.log_rising(share, counts[c])
            n_new += 1
        else:
            total += math.log(worth * xi) + gamma.log_rising(1.0, counts[c] - 1)
    if max_clusters > 0:
        free = max_clusters - k_before
        if n_new > free:
            return -math.inf
        total += gamma.log_rising(free - n_new + 1.0, n_new)
    return total


def log_transitions_around(epoch, before, after, model):
    """The same of an epoch given the epoch before, and of the epoch after given this one."""
    k, xi, kappa = epoch.size[0], model.xi, model.kappa
    total = log_transition(before.counts, before.size[0], epoch.counts, k, epoch.back, xi, kappa, model.max_clusters)
    if after.size[0] > 0:
        total += log_transition(epoch.counts, k, after.counts, after.size[0], after.link, xi, kappa, model.max_clusters)
    return total
