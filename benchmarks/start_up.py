"""Seconds before the first sweep: with an empty and with a filled compile cache."""

import os
import subprocess
import sys
import tempfile

CODE = """
import time
start = time.perf_counter()
from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings, simulate_separated
from tetiwd.sampler import Chain
series = DistanceSeries.from_distances(simulate_separated(0).D, squared=True)
chain = Chain(series, Hyperparameters(dof=100), SamplerSettings(n_chains=1, n_warmup=0))
chain.step()
chain.step()
print(time.perf_counter() - start)
"""


def main() -> None:
    """Print both times."""
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"NUMBA_CACHE_DIR": cache}
        command = [sys.executable, "-c", CODE]
        times = [
            float(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)
            for _ in range(2)
        ]
    empty, filled = times
    print(f"\nimport, data and two sweeps: {empty:.1f} s with an empty compile cache, {filled:.1f} s with a filled one")
