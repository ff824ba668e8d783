"""Where every object would go if all others stayed: probabilities of the clusters of its epoch, and of a new one.

Everything but the one object is given: the clusters of all others, A and the scales. That is one Gibbs conditional, so
that the weights are ratios of the joint density (``tests/exact/test_conditional.py``). It says nothing about what
else may be different.

A new cluster has a row of A that is not known; its weight is the mean over rows drawn from the prior. For an object
that is alone in its cluster the row that it has is one of them, as in the sampler.
"""

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.sample import Mode
from tetiwd.summarize.new_in_lineage import lineage_memberships
from tetiwd.summarize.new_object import FRESH, Birth, EpochOfDraw

Floats = NDArray[np.float64]
N_BIRTHS = 50  # possible new clusters looked at


def conditional_memberships(mode: Mode, *, n_births: int = N_BIRTHS) -> list[Floats]:
    """Probability of every object for every cluster of its epoch, in increasing order of lineage, and for a new one.

    T × (n_t, k_t + 1). For an object that is alone, its own cluster is the new one, and the last column is 0.
    """
    if mode.hyperparameters.moves:
        return lineage_memberships(mode)
    return [
        epoch_memberships(
            EpochOfDraw(mode, mode.state, 0, t), matrix, n_births, np.random.default_rng([mode.settings.seed, t])
        )
        for t, matrix in enumerate(mode.series.matrices)
    ]


def epoch_memberships(epoch: EpochOfDraw, matrix: NDArray[Any], n_births: int, rng: np.random.Generator) -> Floats:
    """The same for one epoch, from its distances or similarities."""
    k = len(epoch.A)
    probabilities = np.zeros((len(matrix), k + 1))
    for c, size in enumerate(epoch.sizes.tolist()):
        members = np.flatnonzero(epoch.slots == c)
        own = np.diagonal(matrix)[members].astype(float) if epoch.similarity else np.zeros(size)
        others = epoch.row_sums_of(matrix, members)
        others[:, c] -= own
        rest = [b for b in range(k) if b != c]
        if size > 1:
            columns = [*range(k), k]
            log_weights = without_one_of(epoch, c).weigh_sums(others, own, n_births, rng)
        elif rest:
            columns = [*rest, c]
            log_weights = without_cluster(epoch, c).weigh_sums(others[:, rest], own, n_births, rng)
        else:  # nobody else is there
            columns, log_weights = [c], np.zeros((1, 1))
        total = np.logaddexp.reduce(log_weights, axis=1)
        probabilities[np.ix_(members, columns)] = np.exp(log_weights - total[:, None])
    return probabilities


def without_one_of(epoch: EpochOfDraw, c: int) -> EpochOfDraw:
    """The epoch as one member of a larger cluster meets it, whichever member that is."""
    rest = copy(epoch)
    rest.sizes = epoch.sizes - (np.arange(len(epoch.sizes)) == c)
    rest.left = c
    return rest


def without_cluster(epoch: EpochOfDraw, c: int) -> EpochOfDraw:
    """The epoch as the only member of a cluster meets it; the cluster that it had is one that it may found again."""
    rest, lineage = copy(epoch), int(epoch.lineages[c])
    keep = [b for b in range(len(epoch.A)) if b != c]
    rest.lineages, rest.sizes, rest.spreads = epoch.lineages[keep], epoch.sizes[keep], epoch.spreads[keep]
    rest.A, rest.block_sums = epoch.A[np.ix_(keep, keep)], epoch.block_sums[np.ix_(keep, keep)]
    before, after = (lineage if lineage in sizes else FRESH for sizes in (epoch.before, epoch.after))
    rest.known_birth = Birth(before, after, epoch.A[c, [*keep, c]], float(epoch.spreads[c]))
    return rest
