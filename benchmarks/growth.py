"""Growth of the settled sweep: the exponent p in "seconds grow like size to the power p", between two sizes.

Timed like the sweep above: in n from 1,000 to 8,000 objects of one epoch with 8 clusters; in k from 4 to 16 true
clusters of 1,000 objects, relative to the number of clusters found; in T from 2 to 16 epochs of 100 objects in 4
clusters.
"""

from math import log

from benchmarks.sweep import Sweep, measure
from benchmarks.table import Row, at_most, number


def rows() -> list[Row]:
    """Exponents in n, k and T."""
    in_n = exponent(measure(1, 1000, 8), measure(1, 8000, 8), 8)
    few, many = measure(1, 1000, 4), measure(1, 1000, 16)
    in_k = exponent(few, many, many.n_clusters / few.n_clusters)
    in_T = exponent(measure(2, 100, 4), measure(16, 100, 4), 8)
    return [
        at_most("growth of the settled sweep in n, 1,000 → 8,000 (exponent)", in_n, 1.0),
        Row(f"the same in k, {few.n_clusters:.0f} → {many.n_clusters:.0f} clusters at n = 1,000", number(in_k)),
        Row("the same in T, 2 → 16 epochs of n = 100", number(in_T)),
    ]


def exponent(small: Sweep, large: Sweep, ratio_of_sizes: float) -> float:
    """Power of the size that the time of a settled sweep grows with."""
    return log(large.settled / small.settled) / log(ratio_of_sizes)
