"""Do distances come from a tree, as those of sequences that evolve do?

Four objects have three ways to be two pairs, and so three sums of two distances. On a tree the two largest sums are
equal. *Delta* is the difference of the two largest relative to that of the largest and the smallest: 0 on a tree, 1 at
worst (Holland, Huber, Dress and Moulton 2002). Its mean over random fours says how tree-like distances are: about 0.15
for genomes of viruses, 0.3 and more for measurements and texts, and nearly 0.5 for noise.
"""

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.checks import Matrix
from tetiwd.data.sampling import sample_objects

N_FOURS = 10_000
MOST_OBJECTS = 1000  # from which fours are drawn
TREE_LIKE = 0.2  # largest mean delta of distances that come from a tree
SEED = 0  # the same data always have the same delta
TIED = 1e-12  # relative to the largest sum: differences of equal sums, after rounding


def mean_delta(D: Matrix, n_fours: int = N_FOURS, seed: int = SEED) -> float:
    """Mean delta of random fours; 1 if there are fewer than four objects, or none that differ.

    ``D`` are squared distances: where distances are counts of differences, as between sequences, their square roots are
    the distances between points, and the counts themselves are what adds up along a tree.
    """
    if len(D) < 4:
        return 1.0
    seen = sample_objects(len(D), MOST_OBJECTS)
    D = np.asarray(D[np.ix_(seen, seen)], dtype=float)  # features make blocks of distances, not single ones
    a, b, c, d = _fours(len(D), n_fours, np.random.default_rng(seed))
    sums = np.sort([D[a, b] + D[c, d], D[a, c] + D[b, d], D[a, d] + D[b, c]], axis=0)
    upper, whole = sums[2] - sums[1], sums[2] - sums[0]
    differ = whole > TIED * sums[2]
    return float(np.mean(upper[differ] / whole[differ])) if differ.any() else 1.0


def _fours(n: int, n_fours: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """(4, n_fours) objects, different ones in every four: a number stands for one that is not among those before it."""
    fours = np.empty((4, n_fours), dtype=np.int64)
    for i in range(4):
        drawn = rng.integers(n - i, size=n_fours)
        for before in np.sort(fours[:i], axis=0):
            drawn += drawn >= before
        fours[i] = drawn
    return fours
