"""The prior of lineages with returns: an urn that remembers every lineage by its last size, ever more faintly.

A lineage last seen at epoch s with n objects has weight m(t) = κ n δ^(t−s−1) at epoch t. Objects of an epoch join a
lineage in proportion to that weight plus those who have joined already, or begin one with weight ξ (at the first epoch
with objects) or κξ (later):

    P(B_t | past) = Γ(ξ_t + M)/Γ(ξ_t + M + n_t) · Π_seen Γ(m_c + n_ct)/Γ(m_c) · Π_unseen ξ_t Γ(n_ct),   M = Σ m_c.

With κ = 1 and no absences this is the paper's prior, :func:`tetiwd.model.log_prior_partitions`.
"""

from collections.abc import Sequence
from math import lgamma, log

import numpy as np
from numpy.typing import ArrayLike


def log_prior_lineages(
    labels_by_epoch: Sequence[ArrayLike], xi: float, delta: float = 1.0, kappa: float = 1.0
) -> float:
    """Log probability of lineages; the same integer means the same lineage at any two epochs."""
    total, memory = 0.0, dict[int, float]()
    for labels in labels_by_epoch:
        lineages, sizes = np.unique(np.asarray(labels, dtype=np.int64), return_counts=True)
        now = dict(zip(lineages.tolist(), sizes.tolist(), strict=True))
        rate = kappa * xi if memory else xi
        remembered = rate + sum(memory.values())
        total += lgamma(remembered) - lgamma(remembered + sum(now.values()))
        for lineage, size in now.items():
            m = memory.get(lineage)
            total += log(rate) + lgamma(size) if m is None else lgamma(m + size) - lgamma(m)
        memory = remember(memory, now, delta, kappa)
    return total


def log_prior_counts(counts: ArrayLike, xi: float, delta: float = 1.0, kappa: float = 1.0) -> float:
    """The same from the sizes of all lineages at all epochs, (C, T)."""
    from scipy.special import gammaln

    sizes = np.asarray(counts, dtype=float)
    total, memory, seen_any = 0.0, np.zeros(len(sizes)), False
    for n in sizes.T:
        rate = kappa * xi if seen_any else xi
        remembered = rate + memory.sum()
        total += gammaln(remembered) - gammaln(remembered + n.sum())
        known, new = (n > 0) & (memory > 0), (n > 0) & (memory == 0)
        total += np.sum(gammaln(memory[known] + n[known]) - gammaln(memory[known]))
        total += np.sum(log(rate) + gammaln(n[new]))
        memory, seen_any = np.where(n > 0, kappa * n, delta * memory), seen_any or bool(n.sum() > 0)
    return float(total)


def remember(memory: dict[int, float], sizes: dict[int, int], delta: float, kappa: float) -> dict[int, float]:
    """Weights of all lineages seen so far at the next epoch."""
    return {c: delta * m for c, m in memory.items() if c not in sizes} | {c: kappa * n for c, n in sizes.items()}
