"""Install the wheel without extras into an empty environment and use it there, far from the source tree.

python tools/check_install.py dist/tetiwd-*.whl             the newest versions that pip finds
python tools/check_install.py dist/tetiwd-*.whl --lowest    the lowest versions that pyproject.toml allows (needs uv)
"""

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"  # a wheel itself would be the only direct requirement
SHORT = ["--chains", "2", "--warmup", "50", "--draws", "50"]
LARGEST_WHEEL = 2_000_000  # bytes
KERNELS = """
import importlib.util, sys
from tetiwd import kernels
from tetiwd.kernels import assign
compiled = kernels.COMPILED and not assign.__file__.endswith(".py")
sys.exit(not compiled or importlib.util.find_spec("numba") is not None)
"""
RESULTS = ["report.html", "labels.csv", "lineages.csv", "lineages.svg", "results.nc", "run.toml"]
NEW_OBJECTS = """
import numpy as np
D = list(np.load("play/distances.npz").values())[-1]
np.save("new.npy", D[:4])  # four objects that are already there: nearly as good as new ones
"""


def main() -> None:
    """Build an environment, install, run every step a user takes first; any failure ends with a traceback."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--lowest", action="store_true", help="the lowest versions that are allowed")
    given = parser.parse_args()
    wheel = given.wheel.resolve()
    if wheel.stat().st_size > LARGEST_WHEEL:
        sys.exit(f"{wheel.name} has {wheel.stat().st_size} bytes; at most {LARGEST_WHEEL} are wanted")
    with tempfile.TemporaryDirectory(prefix="tetiwd-install-") as name:
        folder = Path(name)
        python = install(wheel, folder / "env", lowest=given.lowest)
        use(python, folder)
    print(f"{wheel.name} works in an empty environment{' with the lowest versions' * given.lowest}.")


def install(wheel: Path, environment: Path, *, lowest: bool) -> Path:
    """An empty environment with nothing but the wheel and what it asks for; returns its interpreter."""
    venv.create(environment, with_pip=not lowest)
    python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if lowest:
        uv, here = [sys.executable, "-m", "uv", "pip"], ["--quiet", "--python", python]
        run([*uv, "install", *here, "--resolution", "lowest-direct", "--requirements", PYPROJECT])
        run([*uv, "install", *here, "--no-deps", wheel])
        run([*uv, "list", "--python", python])
    else:
        run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel])
        run([python, "-m", "pip", "check"])
    return python


def use(python: Path, folder: Path) -> None:
    """simulate, check, fit, report and predict, as commands of the installed package."""
    tetiwd = [python, "-m", "tetiwd"]
    data = ["play/distances.npz", "--squared"]
    where = subprocess.check_output([python, "-c", "import tetiwd; print(tetiwd.__file__)"], cwd=folder, text=True)
    if not Path(where.strip()).is_relative_to(folder):
        sys.exit(f"the package under test is {where.strip()}, not the one that was installed")
    if subprocess.run([python, "-c", KERNELS], cwd=folder, check=False).returncode:
        sys.exit("the wheel has no compiled kernels, or needs a just-in-time compiler")
    check_door(tetiwd, folder)
    run([*tetiwd, "simulate", "--sizes", "20,25,20", "--out", "play"], cwd=folder)
    run([*tetiwd, "check", *data], cwd=folder)
    run([*tetiwd, "fit", *data, *SHORT, "--out", "run"], cwd=folder)
    run([*tetiwd, "report", "run", "--out", "again.html"], cwd=folder)
    run([python, "-c", NEW_OBJECTS], cwd=folder)
    run([*tetiwd, "predict", "run", "new.npy", "--squared"], cwd=folder)
    for name in (*(f"run/{result}" for result in RESULTS), "again.html"):
        if not (folder / name).stat().st_size:
            sys.exit(f"{name} is empty")


def check_door(tetiwd: list[object], folder: Path) -> None:
    """The experiments are another package; without it, their command says where to get it."""
    words = [*map(str, tetiwd), "experiment", "control"]
    result = subprocess.run(words, check=False, cwd=folder, env=plain_environment(), capture_output=True, text=True)
    if result.returncode != 2 or "tetiwd-experiments" not in result.stderr:
        sys.exit(f"tetiwd experiment ended with code {result.returncode} and said: {result.stderr}")


def run(words: list[object], **options: object) -> None:
    """One command, shown; a failure is a failure of the check."""
    shown = list(map(str, words))
    print("$", " ".join([Path(shown[0]).name, *shown[1:]]), flush=True)
    subprocess.run(shown, check=True, env=plain_environment(), **options)  # type: ignore[call-overload]


def plain_environment() -> dict[str, str]:
    """The environment variables without those that lead to other packages."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}


if __name__ == "__main__":
    main()
