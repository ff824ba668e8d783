"""Start-up time.

``import tetiwd`` in fresh interpreters, the shortest of 7, minus the shortest of 7 that import nothing; and the heavy
packages it loads. The first sweep is timed in a fresh interpreter on a small series, from after the import of the
sampler, in processor time: nothing is compiled at run time, so it is the same on a machine that has never run it.
"""

import os
import subprocess
import sys
from collections.abc import Mapping

from tools.check_import_budget import BUDGET_SECONDS, HEAVY, best_time

from benchmarks.table import Row, at_most

FIRST_SWEEP = """
import time
began = time.process_time()
from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings, simulate_separated
from tetiwd.sampler import Chain
imported = time.process_time()
series = DistanceSeries.from_distances(simulate_separated(0).D, squared=True)
Chain(series, Hyperparameters(dof=100), SamplerSettings(n_chains=1, n_warmup=0, n_draws=1)).step()
print(time.process_time() - imported, imported - began)
"""


def rows() -> list[Row]:
    """Import and first sweep."""
    loaded = sorted(HEAVY & set(run("import tetiwd, sys; print(*sys.modules)", os.environ)))
    first, imports = map(float, run(FIRST_SWEEP, os.environ))
    extra = best_time("import tetiwd") - best_time("pass")
    return [
        at_most("import tetiwd over bare Python", extra, BUDGET_SECONDS, " s"),
        Row("heavy packages loaded by it", ", ".join(loaded) or "none", "none", not loaded),
        at_most("first sweep after the import", first, 2, " s", f" (the import: {imports:.1f} s)"),
    ]


def run(code: str, environment: Mapping[str, str]) -> list[str]:
    """What code prints in an interpreter of its own, in words."""
    done = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    return done.stdout.split()
