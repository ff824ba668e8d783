"""Time of one sweep: right after the start, when many objects move, and once the chain has settled."""

import time

from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings
from tetiwd.model.designs import simulate_with_clusters
from tetiwd.sampler import Chain

CASES = ((5, 20), (5, 200), (1, 2000))  # epochs, objects per epoch
N_FIRST, N_SETTLING, N_SETTLED = 10, 150, 50


def main() -> None:
    """Print milliseconds per sweep, and how they compare with reading the data once."""
    print(f"\n{'T':>3} {'n':>6} {'first':>9} {'settled':>9} {'÷ reading D':>12} {'k':>4}   milliseconds per sweep")
    for T, n in CASES:
        model = Hyperparameters(dof=40, alpha=2.0, new_scale=1.0)
        truth = simulate_with_clusters([n] * T, 8, model, seed=0)
        series = DistanceSeries.from_distances(truth.D, squared=True)
        chain = Chain(series, Hyperparameters(dof=40), SamplerSettings(n_chains=1, n_warmup=10_000))
        chain.step()  # compiles
        first = timed(chain, N_FIRST)
        timed(chain, N_SETTLING)
        settled = timed(chain, N_SETTLED)
        reading = min(timed_read(series) for _ in range(5))
        k = chain.state.n_clusters.mean()
        print(f"{T:>3} {n:>6} {first:>9.2f} {settled:>9.2f} {settled / reading:>12.1f} {k:>4.1f}")


def timed(chain: Chain, n: int) -> float:
    """Milliseconds per sweep over n sweeps."""
    start = time.perf_counter()
    for _ in range(n):
        chain.step()
    return (time.perf_counter() - start) / n * 1e3


def timed_read(series: DistanceSeries) -> float:
    """Milliseconds to sum all matrices once."""
    start = time.perf_counter()
    for D in series.D:
        D.sum()
    return (time.perf_counter() - start) * 1e3
