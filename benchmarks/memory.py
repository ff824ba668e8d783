"""Peak memory ÷ size of the data.

One epoch of 6,000 objects in float64 goes through ``DistanceSeries.from_distances``, a chain and 5 sweeps in a separate
process (Linux); the matrix is read from a file. The peak is that of the process, minus its memory after importing, so
the matrix itself counts as 1. Plain distances are squared in place if the caller allows it (``overwrite=True``, as the
readers of files do), otherwise into a copy, because the caller's array is never changed.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.cases import DOF, chain_on, series_of
from benchmarks.table import Row, at_most, number
from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings
from tetiwd.sampler import Chain

N = 6000
GOALS = {"squared": 1.2, "plain, overwritten": 1.5, "plain, kept": None}


def rows() -> list[Row]:
    """Peak ÷ size of D, squared and plain distances."""
    table = []
    D = series_of(1, N, 8).D[0]
    for kind, goal in GOALS.items():
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "D.npy"
            np.save(file, D if kind == "squared" else np.sqrt(D))
            command = [sys.executable, "-m", "benchmarks.memory", str(file), kind]
            ratio = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        what = f"peak memory ÷ size of D, {kind}, n = {N:,}"
        table.append(Row(what, number(ratio)) if goal is None else at_most(what, ratio, goal))
    return table


def peak_over_data(file: str, kind: str) -> float:
    """What this process needs at most beyond its start, over the size of the matrix in a file."""
    chain_on(series_of(2, 20, 2)).step()  # imports and compiles
    before = status("VmRSS")
    D = np.load(file)
    series = DistanceSeries.from_distances([D], squared=kind == "squared", overwrite=kind == "plain, overwritten")
    chain = Chain(series, Hyperparameters(dof=DOF), SamplerSettings(n_chains=1))
    for _ in range(5):
        chain.step()
    return (status("VmHWM") - before) / D.nbytes


def status(name: str) -> int:
    """Bytes this process holds now (VmRSS) or held at most (VmHWM); ``ru_maxrss`` would include the parent's peak."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


if __name__ == "__main__":
    print(peak_over_data(*sys.argv[1:]))
