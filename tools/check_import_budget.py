"""Fail if ``import tetiwd`` or ``tetiwd --help`` has become slow or heavy. Part of ``make check``."""

import os
import subprocess
import sys

BUDGET_SECONDS = 0.3  # of processor time over bare Python; waiting for other processes does not count
HEAVY = {"sklearn", "pandas", "matplotlib", "xarray", "scipy"}
REPEATS = 7
STATEMENTS = {
    "import tetiwd": "import sys, tetiwd",
    "tetiwd --help": "import sys; from tetiwd.cli import app; app(['--help'], standalone_mode=False)",
}


def best_time(statement: str) -> float:
    """Processor time of a fresh interpreter in seconds, the shortest of several runs."""
    times = []
    for _ in range(REPEATS):
        start = sum(os.times()[2:4])
        subprocess.run([sys.executable, "-c", statement], check=True, stdout=subprocess.DEVNULL)
        times.append(sum(os.times()[2:4]) - start)
    return min(times)


def main() -> int:
    """Measure, print, and say whether the budget holds."""
    bare = best_time("pass")
    faults = 0
    for name, statement in STATEMENTS.items():
        loaded = subprocess.run(
            [sys.executable, "-c", f"{statement}; print(*sys.modules, file=sys.stderr)"],
            check=True,
            capture_output=True,
            text=True,
        ).stderr.split()
        too_heavy = sorted(HEAVY & set(loaded))
        extra = best_time(statement) - bare
        print(f"{name}: {extra * 1000:.0f} ms over bare Python (budget {BUDGET_SECONDS * 1000:.0f} ms)")
        if too_heavy:
            print(f"{name} loads {', '.join(too_heavy)}; import them where they are used")
        faults += bool(too_heavy) or extra > BUDGET_SECONDS
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
