"""One sweep ÷ one read of the data.

One epoch with 8 clearly separated clusters, default settings. An early sweep is the median of the first 10. A settled
sweep is the median of 40 after another 80, plus a hundredth of the time to rebuild cached sums, which happens every
100 sweeps. Reading is ``D.sum()``, the median of 7. All in processor time.
"""

from dataclasses import dataclass
from functools import cache

from benchmarks.cases import chain_on, seconds, series_of
from benchmarks.table import Row, at_most, number
from tetiwd.sampler import REBUILD_EVERY

GOALS = {500: None, 2000: 0.7, 8000: 0.2}  # by number of objects
N_FIRST, N_SETTLING, N_SETTLED, N_READINGS = 10, 80, 40, 7


@dataclass(frozen=True)
class Sweep:
    """Seconds per sweep and per reading of the data, and clusters per epoch once settled."""

    first: float
    settled: float
    reading: float
    n_clusters: float


def rows() -> list[Row]:
    """Sweep ÷ reading, early and late, by number of objects."""
    table = []
    for n, goal in GOALS.items():
        sweep = measure(1, n, 8)
        ratio, name = sweep.settled / sweep.reading, f"settled sweep ÷ reading D, n = {n:,}"
        note = f" ({sweep.settled * 1e3:.2f} ms, k = {sweep.n_clusters:.0f})"
        table.append(Row(name, number(ratio) + note) if goal is None else at_most(name, ratio, goal, note=note))
        early = f"{number(sweep.first / sweep.reading)} ({sweep.first * 1e3:.2f} ms)"
        table.append(Row(f"one of the first sweeps ÷ reading D, n = {n:,}", early))
    return table


@cache
def measure(T: int, n: int, k: int) -> Sweep:
    """Time sweeps of a chain on T epochs of n objects in k clusters."""
    series = series_of(T, n, k)
    chain = chain_on(series)
    first = seconds(chain.step, N_FIRST)
    for _ in range(N_SETTLING):
        chain.step()
    settled = seconds(chain.step, N_SETTLED) + seconds(chain.state.rebuild, 3) / REBUILD_EVERY
    reading = seconds(lambda: [D.sum() for D in series.D], N_READINGS)
    return Sweep(first, settled, reading, float(chain.state.n_clusters.mean()))
