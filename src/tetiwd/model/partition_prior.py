"""How probable linked partitions are before any distance is seen: a Dirichlet process that remembers one epoch.

Sizes of yesterday's clusters, times κ, act as extra counts for those linked into today, and the rate of new clusters is
κξ where there is a yesterday: all that the past leaves counts κ. κ = 1 is the paper's urn. With a limit on the number
of clusters, every label has an equal share of the rate besides. Clusters are compared by lineage id: the same integer
at consecutive epochs means linked; an integer that comes back after a gap counts as new.
"""

from collections.abc import Sequence
from math import exp, inf, lgamma, log
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike


def log_prior_partitions(
    labels_by_epoch: Sequence[ArrayLike], xi: float, max_clusters: int | None = None, kappa: float = 1.0
) -> float:
    """Log probability of a series of linked partitions (paper Eqs. 1 and 12, labels forgotten)."""
    if max_clusters is not None and (max_clusters < 1 or not float(max_clusters).is_integer()):
        raise ValueError(f"max_clusters must be a whole number of at least 1 or None, not {max_clusters!r}")
    total, before = 0.0, dict[int, int]()
    for labels in labels_by_epoch:
        now = _sizes(labels)
        m = {lineage: kappa * size for lineage, size in before.items()}
        total += _log_transition(m, now, kappa * xi if before else xi, max_clusters)
        before = now
    return total


def _log_transition(before: dict[int, float], now: dict[int, int], rate: float, max_clusters: int | None) -> float:
    """Log P(B_t | B_{t−1}) from what is remembered of the clusters before; nothing gives the first epoch."""
    share = 0.0 if max_clusters is None else rate / max_clusters
    remembered, n_now = rate + sum(before.values()), sum(now.values())
    total = lgamma(remembered) - lgamma(remembered + n_now)
    n_new = 0
    for lineage, size in now.items():
        if lineage in before:
            total += lgamma(before[lineage] + share + size) - lgamma(before[lineage] + share)
        elif max_clusters is None:
            total += log(rate) + lgamma(size)
        else:
            total += lgamma(size + share) - lgamma(share)
            n_new += 1
    if max_clusters is not None:
        total += _log_falling(max_clusters - len(before), n_new)
    return total


class FreeLabels(NamedTuple):
    """What a finite ``max_clusters`` leaves free around epoch t, with the object taken out of it."""

    here: int  # labels that a cluster born at t could still take: max_clusters − |clusters at t−1 or new at t|
    unused: int  # labels not used at t: max_clusters − |clusters at t|
    born_next: int | None  # clusters born at t+1, which share those; None at the last epoch


def candidate_weight(
    size: int,
    before: int,
    after: int,
    xi: float,
    max_clusters: int | None = None,
    free: FreeLabels | None = None,
    *,
    kappa: float = 1.0,
    first: bool = False,
) -> float:
    """Prior weight of one object for one candidate cluster at epoch t (paper Eqs. 18–22, corrected).

    ``size`` is the cluster's size at t without the object, ``before`` and ``after`` those of the clusters it is
    linked to at t−1 and t+1, 0 where there is none. With size 0 the candidate is new at t, and ``before`` and
    ``after`` say whether it revives a cluster that ended at t−1, starts one that now begins at t+1, or joins both.
    ``first`` says that t is the first epoch, where ``kappa`` has no say yet.
    """
    if max_clusters is not None and free is None:
        raise ValueError("a finite max_clusters needs the number of free labels")
    rate, rate_next = xi if first else kappa * xi, kappa * xi
    share, share_next = (0.0, 0.0) if max_clusters is None else (rate / max_clusters, rate_next / max_clusters)
    if size:
        m = kappa * size + share_next
        return (kappa * before + size + share) * exp(log_rising(m + kappa, after) - log_rising(m, after))
    if free is None:
        backward = kappa * before if before else rate
        return backward * exp(log_rising(kappa, after) - lgamma(after)) / rate_next if after else backward
    backward = kappa * before + share if before else share * free.here
    if free.born_next is None:
        return backward
    if free.unused == 0:
        return 0.0
    if not after:
        return backward * (free.unused - free.born_next) / free.unused
    return backward * exp(log_rising(share_next + kappa, after) - log_rising(share_next, after)) / free.unused


def _sizes(labels: ArrayLike) -> dict[int, int]:
    assigned = np.asarray(labels)
    if assigned.size and assigned.dtype.kind not in "iu":
        raise ValueError(f"labels must be integers, not {assigned.dtype}")
    lineages, sizes = np.unique(assigned, return_counts=True)
    return {int(lineage): int(size) for lineage, size in zip(lineages, sizes, strict=True)}


def log_rising(x: float, n: int) -> float:
    """log x (x+1) … (x+n−1)."""
    return lgamma(x + n) - lgamma(x)


def _log_falling(n: int, k: int) -> float:
    """log n (n−1) … (n−k+1)."""
    return lgamma(n + 1) - lgamma(n - k + 1) if k <= n else -inf
