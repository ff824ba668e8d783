"""Settled sweeps here ÷ settled sweeps of an earlier version, in one run.

TETIWD_EARLIER names the Python of an environment in which the earlier version is installed, such as commit a29c3a4 with
numba. Both run the same code in turn, three times, and the shortest medians of 40 sweeps are compared, in processor
time. Epochs have the given number of objects, in the given number of moderately overlapping clusters.
"""

import os
import subprocess
import sys

from benchmarks.table import Row, at_least

CASES = {"5 × 200, k = 7": (5, 200, 7, 3.0), "21 × 100, k = 4": (21, 100, 4, 3.0), "5 × 150, k = 14": (5, 150, 14, 3.0)}
CASES["1 × 2,000, k = 8"] = (1, 2000, 8, 2.0)  # epochs, objects, clusters, how many times faster it should be
N_TURNS = 3
MEASURE = """
import sys, time
import numpy as np
from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings
from tetiwd.sampler import Chain
T, n, k = map(int, sys.argv[1:])
rng = np.random.default_rng(7)
centres, D = 1.5 * rng.normal(size=(k, 8)), []
for _ in range(T):
    centres = centres + 0.3 * rng.normal(size=centres.shape)
    X = centres[rng.integers(k, size=n)] + 0.6 * rng.normal(size=(n, 8))
    square = (X**2).sum(axis=1)
    D.append(np.maximum(square[:, None] + square - 2 * X @ X.T, 0) / 8)
    D[-1] = (D[-1] + D[-1].T) / 2
    np.fill_diagonal(D[-1], 0)
series = DistanceSeries.from_distances(D, squared=True)
chain = Chain(series, Hyperparameters(dof=8.0), SamplerSettings(n_warmup=60, n_draws=1000, seed=1))
times = []
for sweep in range(110):
    began = time.process_time()
    chain.step()
    times.append(time.process_time() - began)
print(np.median(times[70:]))
"""


def rows() -> list[Row]:
    """How many times faster, by kind of data."""
    earlier = os.environ.get("TETIWD_EARLIER")
    if not earlier:
        return [Row("settled sweep against an earlier version", "not measured: TETIWD_EARLIER is not set")]
    table = []
    for name, (*case, goal) in CASES.items():
        turns = [(seconds(earlier, case), seconds(sys.executable, case)) for _ in range(N_TURNS)]
        before, now = (min(times) for times in zip(*turns, strict=True))
        note = f" × faster ({before * 1e3:.2f} → {now * 1e3:.2f} ms)"
        table.append(at_least(f"settled sweep against an earlier version, {name}", before / now, goal, note=note))
    return table


def seconds(python: str, case: list[int]) -> float:
    """Processor time of a settled sweep under this Python."""
    command = [python, "-c", MEASURE, *map(str, case)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout)
