"""1,000 sweeps against 1,000 draws of the R package drpm (Page, Quintana and Dahl), T = 5 epochs of 200 objects.

Ours: one chain on the overlapping design, default settings, seed 0, in processor time. The two models differ (drpm
clusters one number per object and time point), so this compares effort, not results.
"""

import shutil
import subprocess
import time
from dataclasses import replace

from benchmarks.mixing import DEFAULT, overlapping
from benchmarks.table import Row, at_least
from tetiwd import run_chains

R_CODE = """
suppressMessages(library(drpm))
y <- matrix(rnorm(5 * 200, mean = rep(c(-4, -2, 0, 2, 4), each = 40)), nrow = 200)
cat(system.time(invisible(capture.output(drpm_fit(y = y, draws = 1001, burn = 1, thin = 1))))[["user.self"]])
"""


def rows() -> list[Row]:
    """drpm's seconds over ours, or ours alone."""
    settings = replace(DEFAULT, n_chains=1, n_warmup=500, n_draws=500)
    run_chains(*overlapping(), replace(settings, n_warmup=1, n_draws=10))
    start = time.process_time()
    run_chains(*overlapping(), settings)
    ours = time.process_time() - start
    name = "drpm's 1,000 draws ÷ our 1,000 sweeps, T = 5, n = 200"
    theirs = seconds_of_drpm()
    if isinstance(theirs, str):
        return [Row(name, f"not measured here: {theirs}; ours take {ours:.1f} s", "≥ 10")]
    return [at_least(name, theirs / ours, 10, note=f" ({theirs:.1f} ÷ {ours:.1f} s)")]


def seconds_of_drpm() -> float | str:
    """Processor time of drpm, or why it is not known."""
    if shutil.which("Rscript") is None:
        return "R is not installed"
    done = subprocess.run(["Rscript", "-e", R_CODE], capture_output=True, text=True)
    return float(done.stdout) if done.returncode == 0 else "drpm is not installed or did not run"
