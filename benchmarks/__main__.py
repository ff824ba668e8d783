"""``python -m benchmarks [--write] [part …]``: measure, print tables; ``--write`` keeps them in docs/benchmarks.md.

``python -m benchmarks league`` has options and a page of its own; it compares answers, and takes hours.
"""

import sys
import time
from argparse import ArgumentParser

from benchmarks import (
    answers,
    drpm,
    earlier,
    extend,
    fast,
    fits,
    growth,
    hosts,
    installing,
    large,
    likelihood,
    machine,
    memory,
    mixing,
    moving,
    page,
    precision,
    report,
    start_up,
    stopping,
    sweep,
    threads,
)
from benchmarks.league import command as league
from benchmarks.table import Row, markdown

SAMPLING = (sweep, moving, earlier, fits, growth, likelihood, mixing, stopping, fast, extend)
REST = (memory, large, hosts, installing, start_up, precision, threads, drpm, answers, report)
PARTS = {module.__name__.rpartition(".")[2]: module for module in (*SAMPLING, *REST)}
INTRODUCTION = """\
# Benchmarks

How fast the package is, as ratios: both sides of a ratio come from one run on one machine.

`make bench` prints these tables; `python -m benchmarks --write [part …]` writes them here. Goals were set in the
design; "–" means that there is none, or that it was not measured. Open a section to see how, when and where it was
measured."""


def main() -> None:
    """Measure the parts asked for, all by default; the league only if it is asked for."""
    if sys.argv[1:2] == ["league"]:
        league.main(sys.argv[2:])
        return
    parser = ArgumentParser(
        prog="python -m benchmarks", description="Measure against the speed goals; or league: compare answers."
    )
    parser.add_argument("parts", nargs="*", metavar="part", help=f"some of: {', '.join(PARTS)} (default: all)")
    parser.add_argument("--write", action="store_true", help="also write docs/benchmarks.md; other parts keep theirs")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    for name in options.parts or PARTS:
        where = machine.describe()
        table = markdown(measured(name))
        print(table, flush=True)
        if options.write:
            page.write(INTRODUCTION, list(PARTS), name, str(PARTS[name].__doc__), where, table)


def measured(name: str) -> list[Row]:
    """The rows of one part, with a line on stderr."""
    print(f"{name} … ", end="", file=sys.stderr, flush=True)
    start = time.perf_counter()
    rows = PARTS[name].rows()
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)
    return rows


if __name__ == "__main__":
    main()
