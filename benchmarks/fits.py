"""A whole fit with default settings here ÷ the same with an earlier version, each in its own process.

TETIWD_EARLIER names the Python of an environment in which the earlier version is installed, such as commit a29c3a4 with
numba. Times are processor time of a new process that imports the package, compiles what it has to, chooses what is left
open, and samples; the earlier version always runs 1000 + 1000 sweeps and has only one model. Data are labelled series,
if available, with distances between times where these are known.
"""

import json
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data_sets import SHARED, SHARED_DATA, read_shared
from benchmarks.table import Row, at_most

MEASURE = """
import json, pickle, sys, time
from tetiwd import DistanceSeries, run_chains
D, cross = pickle.load(open(sys.argv[1], "rb"))
sample = run_chains(DistanceSeries.from_distances(D, squared=True, cross=cross))
print(json.dumps({"seconds": time.process_time(), "verdict": sample.diagnostics.verdict}))
"""


def rows() -> list[Row]:
    """Ratio of processor times by data set, with the verdict on the chains."""
    earlier = os.environ.get("TETIWD_EARLIER")
    if not earlier:
        return [Row("default fit against an earlier version", "not measured: TETIWD_EARLIER is not set")]
    table = []
    for name, (folder, options) in SHARED.items():
        if not (SHARED_DATA / folder).is_dir():
            table.append(Row(f"default fit against an earlier version, {name}", "not measured: no data"))
            continue
        with tempfile.TemporaryDirectory() as place:
            file = Path(place) / "data.pickle"
            file.write_bytes(pickle.dumps(contents(folder, options)))
            before, now = (fitted(python, file) for python in (earlier, sys.executable))
        note = f" ({before['seconds']:.0f} → {now['seconds']:.0f} s). Before: {before['verdict']} Now: {now['verdict']}"
        ratio = now["seconds"] / before["seconds"]
        table.append(at_most(f"default fit against an earlier version, {name}", ratio, 1 / 3, note=note))
    return table


def contents(folder: str, options: dict[str, Any]) -> tuple[list[Any], Any]:
    """Squared distances within times, and between all objects if they are known."""
    loaded = read_shared(folder, **options)
    if loaded.Dstar is None:
        return list(loaded.D), None
    order = np.concatenate(loaded.index)
    return list(loaded.D), loaded.Dstar[np.ix_(order, order)]


def fitted(python: str, file: Path) -> dict[str, Any]:
    """Processor time and verdict of a fit under this Python, which has its own version installed."""
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH" or python == sys.executable}
    done = subprocess.run([python, "-c", MEASURE, str(file)], check=True, capture_output=True, text=True, env=own)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
