"""Start-up time.

``import tetiwd`` in fresh interpreters, the shortest of 7, minus the shortest of 7 that import nothing; and the heavy
packages it loads. The first fit is timed inside a fresh interpreter, from before the import to the end of the first
sweep on a small series, with an empty compile cache and then with the cache filled by the first. On a busy machine,
the processor time is the better guide.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping

from tools.check_import_budget import BUDGET_SECONDS, HEAVY, best_time

from benchmarks.table import Row, at_most

FIRST_FIT = """
import time
start = time.perf_counter(), time.process_time()
from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings, simulate_separated
from tetiwd.sampler import Chain
series = DistanceSeries.from_distances(simulate_separated(0).D, squared=True)
Chain(series, Hyperparameters(dof=100), SamplerSettings(n_chains=1, n_warmup=0)).step()
print(time.perf_counter() - start[0], time.process_time() - start[1])
"""


def rows() -> list[Row]:
    """Import, and first fit with an empty and a filled cache."""
    loaded = sorted(HEAVY & set(run("import tetiwd, sys; print(*sys.modules)", os.environ)))
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"NUMBA_CACHE_DIR": folder}
        (empty, empty_work), (filled, filled_work) = (map(float, run(FIRST_FIT, environment)) for _ in range(2))
    extra = best_time("import tetiwd") - best_time("pass")
    return [
        at_most("import tetiwd over bare Python", extra, BUDGET_SECONDS, " s"),
        Row("heavy packages loaded by it", ", ".join(loaded) or "none", "none", not loaded),
        at_most("first sweep done, empty compile cache", empty, 15, " s", f" ({empty_work:.1f} s of processor time)"),
        at_most("first sweep done, filled compile cache", filled, 2, " s", f" ({filled_work:.1f} s of processor time)"),
    ]


def run(code: str, environment: Mapping[str, str]) -> list[str]:
    """What code prints in an interpreter of its own, in words."""
    done = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    return done.stdout.split()
