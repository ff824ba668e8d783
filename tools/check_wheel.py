"""Try the installed package in an empty folder: kernels are compiled, and a small fit finds clusters and writes files.

cibuildwheel runs this for every wheel; it needs nothing but the package.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import tetiwd
from tetiwd import SamplerSettings, TeTiWD, kernels, simulate_separated

SHORT = SamplerSettings(n_chains=2, n_warmup=50, n_draws=50)


def main() -> None:
    """Fit from Python and from the command line; any failure ends with a traceback or a message."""
    if Path(tetiwd.__file__).is_relative_to(Path(__file__).resolve().parents[1]):
        sys.exit(f"the package under test is the source tree, {tetiwd.__file__}")
    if not kernels.COMPILED:
        sys.exit("the kernels of this wheel are not compiled")
    with tempfile.TemporaryDirectory(prefix="tetiwd-wheel-") as folder:
        os.chdir(folder)
        try:
            fit()
        finally:
            os.chdir(Path(folder).parent)  # Windows removes no folder that is in use
    print(f"tetiwd {tetiwd.__version__} works with Python {sys.version.split()[0]} on {sys.platform}.")


def fit() -> None:
    """Three well separated clusters at every time; then the first commands of a user."""
    world = simulate_separated(seed=1)
    model = TeTiWD(squared=True, dof=100.0, settings=SHORT).fit(list(world.D))
    if list(model.n_clusters_) != [len(set(labels)) for labels in world.labels]:
        sys.exit(f"clusters found: {model.n_clusters_}")
    command = [sys.executable, "-m", "tetiwd"]
    subprocess.run([*command, "simulate", "--sizes", "20,25,20", "--out", "play"], check=True)
    short = ["--chains", "2", "--warmup", "50", "--draws", "50"]
    subprocess.run([*command, "fit", "play/distances.npz", "--squared", *short, "--out", "run"], check=True)
    if not Path("run/report.html").stat().st_size:
        sys.exit("the report is empty")


if __name__ == "__main__":
    main()
