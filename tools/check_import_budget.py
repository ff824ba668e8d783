"""Fail if ``import tetiwd`` has become slow or heavy. Part of ``make check``."""

import subprocess
import sys
import time

BUDGET_SECONDS = 0.3  # over bare Python
HEAVY = {"numba", "sklearn", "pandas", "matplotlib", "xarray", "scipy"}
REPEATS = 7


def best_time(statement: str) -> float:
    """Shortest of several runs of a fresh interpreter, in seconds."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", statement], check=True)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> int:
    """Measure, print, and say whether the budget holds."""
    loaded = subprocess.run(
        [sys.executable, "-c", "import tetiwd, sys; print(*sys.modules)"], check=True, capture_output=True, text=True
    ).stdout.split()
    too_heavy = sorted(HEAVY & set(loaded))
    extra = best_time("import tetiwd") - best_time("pass")
    print(f"import tetiwd: {extra * 1000:.0f} ms over bare Python (budget {BUDGET_SECONDS * 1000:.0f} ms)")
    if too_heavy:
        print(f"import tetiwd loads {', '.join(too_heavy)}; import them where they are used")
    return int(bool(too_heavy) or extra > BUDGET_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
