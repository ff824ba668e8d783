"""One evaluation of the likelihood: the definition, O(n³), against the collapsed form, O(k³)."""

import timeit

import numpy as np

from tetiwd.model import block_statistics, log_likelihood_dense, log_likelihood_from_blocks
from tetiwd.model.simulation import squared_distances

K, DOF, ALPHA = 8, 40, 1.0


def main() -> None:
    """Print times per evaluation and their ratio for growing n."""
    rng = np.random.default_rng(0)
    print(f"{'n':>6} {'dense':>12} {'collapsed':>12} {'ratio':>8}   (k = {K}, plain numpy)")
    for n in (50, 200, 800):
        labels = rng.integers(K, size=n)
        D = squared_distances(rng.standard_normal((n, DOF)))
        counts, block_sums = block_statistics(D, labels, K)
        dense = best(lambda D=D, z=labels: log_likelihood_dense(D, z, np.eye(K), ALPHA, DOF))
        ours = best(lambda n=counts, S=block_sums: log_likelihood_from_blocks(n, S, np.eye(K), ALPHA, DOF))
        print(f"{n:>6} {dense * 1e6:>9.0f} µs {ours * 1e6:>9.0f} µs {dense / ours:>8.0f}")


def best(call) -> float:
    """Shortest time of one call, in seconds."""
    timer = timeit.Timer(call)
    n, _ = timer.autorange()
    return min(timer.repeat(5, n)) / n
