"""Start-up time.

``import tetiwd`` and ``tetiwd --help`` in fresh interpreters, the shortest of 9 minus the shortest of 9 that import
nothing, compared with the import of four larger modules of Python itself; and the heavy packages that they load. The
first sweep is timed in a fresh interpreter on a small series, from after the import of the sampler, in processor time:
nothing is compiled at run time, so it is the same on a machine that has never run it.
"""

import os
import subprocess
import sys
from collections.abc import Mapping

from tools.check_import_budget import BUDGET, HEAVY, STATEMENTS, YARDSTICK, best_times, loaded_by

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
    """Import, help and first sweep."""
    bare, yardstick, *taken = best_times(["pass", YARDSTICK, *STATEMENTS.values()])
    found = []
    for (name, statement), seconds in zip(STATEMENTS.items(), taken, strict=True):
        heavy = sorted(HEAVY & loaded_by(statement))
        note = f" ({1000 * (seconds - bare):.0f} ms)"
        found.append(
            at_most(f"{name} ÷ four modules of Python", (seconds - bare) / (yardstick - bare), BUDGET, note=note)
        )
        found.append(Row(f"heavy packages loaded by {name}", ", ".join(heavy) or "none", "none", not heavy))
    first, imports = map(float, run(FIRST_SWEEP, os.environ))
    return [*found, at_most("first sweep after the import", first, 2, " s", f" (the import: {imports:.1f} s)")]


def run(code: str, environment: Mapping[str, str]) -> list[str]:
    """What code prints in an interpreter of its own, in words."""
    done = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    return done.stdout.split()
