"""Build the kernels with checks in a copy of the tree, and run there the tests that prove them exact.

python tools/check_build.py checked      every index is compared with its bounds
python tools/check_build.py sanitized    the address and undefined-behaviour sanitizers of gcc, on Linux
python tools/check_build.py sanitized tests/unit/test_chains.py    other tests

First a fault is planted, which the build has to report; then a short run in every mode of the sampler has to draw what
the kernels of this environment draw, bit for bit.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TREE = Path(__file__).parents[1]
COPIED = ("src", "tests", "benchmarks", "verification", "tools", "setup.py", "pyproject.toml", "README.md", "LICENSE")
ALARM = {"checked": "IndexError: Out of bounds", "sanitized": "AddressSanitizer: heap-buffer-overflow"}
TESTS = ["tests/exact", "tests/property"]
WHERE = "from tetiwd.kernels import entry, COMPILED; print(entry.__file__ if COMPILED else 'not compiled')"
FAULT = """
import numpy as np
from tetiwd.kernels import Epoch, Neighbour, log_prior_of_partitions
one, square = np.ones(1, dtype=np.intp), np.ones((1, 1))
before = Neighbour(one, one.copy(), square, one - 1)
link_to_a_slot_that_does_not_exist = one.copy()
links = link_to_a_slot_that_does_not_exist, one - 2
epoch = Epoch(square, 1.0, 0.0, one - 1, square, one, one, square, square, *links, np.ones(1))
log_prior_of_partitions([(epoch, before, before)], 1.0, 1.0, 0)
"""


def main() -> None:
    """Copy, build, test; any failure ends with a message."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("how", choices=ALARM)
    parser.add_argument("tests", nargs="*", default=TESTS, help="files or folders below the tree, or pytest's options")
    given, more = parser.parse_known_args()
    with tempfile.TemporaryDirectory(prefix="tetiwd-build-") as name:
        folder = Path(name)
        build(given.how, folder)
        environment = surroundings(given.how, folder)
        check_that_it_is_used(given.how, folder, environment)
        check_draws(folder, environment)
        words = ["-m", "pytest", "-n", "auto", "-m", "not slow", *given.tests, *more]
        if subprocess.run([sys.executable, *words], cwd=folder, env=environment, check=False).returncode:
            sys.exit(f"{given.how} kernels fail")
    print(f"No fault was found with {given.how} kernels.")


def build(how: str, folder: Path) -> None:
    """A copy of the tree with kernels built in it."""
    for name in COPIED:
        if (TREE / name).is_dir():
            shutil.copytree(TREE / name, folder / name, ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
        else:
            shutil.copy(TREE / name, folder)
    words = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace", "--parallel", str(os.cpu_count() or 1)]
    subprocess.run(words, cwd=folder, env=os.environ | {"TETIWD_BUILD": how}, check=True)


def surroundings(how: str, folder: Path) -> dict[str, str]:
    """Environment variables under which Python uses the copy."""
    environment = os.environ | {"PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("TETIWD_COMPILED", None)
    if how == "sanitized":  # Python itself is not: the libraries must be there before it
        libraries = [
            subprocess.check_output(["gcc", f"-print-file-name={name}"], text=True).strip()
            for name in ("libasan.so", "libubsan.so", "libstdc++.so")
        ]
        environment |= {"LD_PRELOAD": " ".join(libraries), "PYTHONMALLOC": "malloc"}
        environment |= {"ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
    return environment


def check_that_it_is_used(how: str, folder: Path, environment: dict[str, str]) -> None:
    """Kernels come from the copy, and a fault that is planted is reported in the way of this build."""
    used = subprocess.check_output([sys.executable, "-c", WHERE], cwd=folder, env=environment, text=True).strip()
    if not Path(used).resolve().is_relative_to(folder.resolve()) or used.endswith(".py"):
        sys.exit(f"the kernels under test are {used}, not those that were built")
    words = [sys.executable, "-c", FAULT]
    said = subprocess.run(words, cwd=folder, env=environment, check=False, capture_output=True, text=True).stderr
    if ALARM[how] not in said:
        sys.exit(f"{how} kernels did not report an index that is out of bounds, but said: {said or 'nothing'}")


def check_draws(folder: Path, environment: dict[str, str]) -> None:
    """Every mode of the sampler runs, with the draws of the kernels that this environment has."""
    words = [sys.executable, str(folder / "tests" / "every_mode.py")]
    found = subprocess.run(words, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout
    expected = subprocess.check_output(words, cwd=folder, text=True)
    print(found, end="", flush=True)
    if found != expected:
        sys.exit(f"the kernels of this environment draw something else:\n{expected}")


if __name__ == "__main__":
    main()
