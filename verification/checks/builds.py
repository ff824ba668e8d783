"""The kernels compiled, as plain Python, with checked indices and with sanitizers must draw the same, bit for bit."""

import subprocess
import sys

from benchmarks.machine import ROOT
from benchmarks.table import Row

from verification.check import Check, Found, Job

AGREE = "test_compiled_and_plain_python_agree"
COMMANDS = {
    "plain Python": [
        "-m",
        "pytest",
        *(f"tests/unit/{file}.py::{AGREE}" for file in ("test_chains", "test_moving_chains")),
    ],
    "checked indices": ["tools/check_build.py", "checked"],
    "address and undefined-behaviour sanitizers": ["tools/check_build.py", "sanitized"],
}


def jobs(few: bool) -> list[Job]:
    """The builds; plain Python alone if a few are enough."""
    return [Job(name, {"name": name}) for name in list(COMMANDS)[: 1 if few else None]]


def run(name: str) -> Found:
    """Does the build agree, and what did it say last?"""
    done = subprocess.run([sys.executable, *COMMANDS[name]], cwd=ROOT, check=False, capture_output=True, text=True)
    last = [line for line in (done.stderr if done.returncode else done.stdout).splitlines() if line.strip()][-1:]
    return {"fine": done.returncode == 0, "said": last[0] if last else "nothing"}


def rows(found: dict[str, Found]) -> list[Row]:
    """What every build said."""
    return [
        Row(f"kernels, {name}", one["said"].strip("= "), "same draws, no fault", one["fine"])
        for name, one in found.items()
    ]


CHECK = Check(
    "Builds",
    "Every mode of the sampler runs with the kernels as they are, and with kernels that check indices or memory; "
    "draws must agree bit for bit, and the exact tests must pass there as well. A fault planted first shows that these "
    "checks work.",
    jobs,
    run,
    rows,
    workers=1,
    inner=True,
)
