"""From nothing to the first report: the wheel, and ``make demo`` in a fresh clone.

The wheel is built from this tree; `make wheel` also tries it in an empty environment. The demo is run as a newcomer
runs it: the last commit is cloned, and `make demo` makes an environment, compiles, installs, fits and writes the
report. Its time is that of the clock, as others wait for it, and depends on how fast packages are downloaded.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tools.check_install import LARGEST_WHEEL

import tetiwd
from benchmarks.machine import ROOT
from benchmarks.table import Row, at_most

LONGEST_DEMO = 90  # seconds


def rows() -> list[Row]:
    """The size of the wheel, and how the demo went."""
    with tempfile.TemporaryDirectory() as folder:
        return [wheel_row(Path(folder)), *demo_rows(Path(folder) / "clone")]


def wheel_row(folder: Path) -> Row:
    """Build the wheel."""
    subprocess.run([sys.executable, "-m", "build", "--outdir", folder], cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    size = wheel.stat().st_size
    return Row("size of the wheel", f"{size:,} bytes", f"≤ {LARGEST_WHEEL:,} bytes", size <= LARGEST_WHEEL)


def demo_rows(clone: Path) -> list[Row]:
    """Clone, and run the first of the two commands of the README."""
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    start = time.perf_counter()
    subprocess.run(["make", "demo"], cwd=clone, check=True, capture_output=True)
    seconds = time.perf_counter() - start
    (run,) = (clone / "penguins-demo").glob("**/run.toml")
    converged = tetiwd.load_run(run.parent).sample.diagnostics.converged
    numba = list((clone / ".venv").glob("lib/python*/site-packages/numba"))
    return [
        at_most("`make demo` in a fresh clone", seconds, LONGEST_DEMO, " s"),
        Row("its chains agree", "yes" if converged else "no", "yes", converged),
        Row("numba in its environment", "yes" if numba else "no", "no", not numba),
    ]
