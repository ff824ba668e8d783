"""Fail if ``import tetiwd`` or ``tetiwd --help`` has become slow or heavy. Part of ``make check``."""

import resource
import subprocess
import sys

YARDSTICK = "import asyncio, http.server, pydoc, unittest.mock"  # of Python itself; machines are compared by it
BUDGET = 3.0  # times the yardstick, both over bare Python, in processor time
HEAVY = {"numpy", "sklearn", "pandas", "matplotlib", "xarray", "scipy"}
REPEATS = 9
STATEMENTS = {
    "import tetiwd": "import sys, tetiwd",
    "tetiwd --help": "import sys; from tetiwd.cli import app; app(['--help'], standalone_mode=False)",
}


def best_times(statements: list[str]) -> list[float]:
    """Processor time of a fresh interpreter in seconds, the shortest of several runs, taken in turns."""
    times = [[used_by(statement) for statement in statements] for _ in range(REPEATS)]
    return [min(own) for own in zip(*times, strict=True)]


def used_by(statement: str) -> float:
    """Processor time of a fresh interpreter in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", statement], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def loaded_by(statement: str) -> set[str]:
    """Names of the modules in an interpreter that ran a statement."""
    code = f"{statement}; print(*sys.modules, file=sys.stderr)"
    return set(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stderr.split())


def main() -> int:
    """Measure, print, and say whether the budget holds."""
    bare, yardstick, *taken = best_times(["pass", YARDSTICK, *STATEMENTS.values()])
    faults = 0
    for (name, statement), seconds in zip(STATEMENTS.items(), taken, strict=True):
        too_heavy = sorted(HEAVY & loaded_by(statement))
        extra = (seconds - bare) / (yardstick - bare)
        print(f"{name}: {(seconds - bare) * 1000:.0f} ms over bare Python, {extra:.2f} times the yardstick")
        if too_heavy:
            print(f"{name} loads {', '.join(too_heavy)}; import them where they are used")
        if extra > BUDGET:
            print(f"{name} may take {BUDGET:g} times as much at most")
        faults += bool(too_heavy) or extra > BUDGET
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
