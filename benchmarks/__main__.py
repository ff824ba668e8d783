"""``python -m benchmarks [--write] [part …]``: measure, print one table; ``--write`` keeps it in docs/benchmarks.md."""

import sys
import time
from argparse import ArgumentParser

from benchmarks import (
    answers,
    drpm,
    earlier,
    fast,
    growth,
    likelihood,
    machine,
    memory,
    mixing,
    moving,
    precision,
    report,
    start_up,
    stopping,
    sweep,
    threads,
)
from benchmarks.table import Row, markdown

SAMPLING = (sweep, moving, earlier, growth, likelihood, mixing, stopping, fast)
REST = (memory, start_up, precision, threads, drpm, answers, report)
PARTS = {module.__name__.rpartition(".")[2]: module for module in (*SAMPLING, *REST)}
TARGET = machine.ROOT / "docs" / "benchmarks.md"
BY_HAND = "<!-- written by hand -->"  # what follows it on the page is kept
INTRODUCTION = """\
# Benchmarks

`make bench` prints this table; `python -m benchmarks --write` writes it. Compare ratios: both sides of a ratio come
from one run on one machine. Goals are those of the design; "–" means that there is none, or that it was not measured.
"""


def main() -> None:
    """Measure the parts asked for, all by default."""
    parser = ArgumentParser(prog="python -m benchmarks", description="Measure against the speed goals.")
    parser.add_argument("parts", nargs="*", metavar="part", help=f"some of: {', '.join(PARTS)} (default: all)")
    parser.add_argument("--write", action="store_true", help="also write docs/benchmarks.md; needs all parts")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    if options.write and options.parts:
        parser.error("--write needs all parts; name none")
    where = machine.describe()
    table = markdown([row for name in options.parts or PARTS for row in measured(name)])
    print(table)
    if options.write:
        by_hand = "".join(TARGET.read_text("utf-8").partition(BY_HAND)[1:])
        TARGET.write_text("\n".join([INTRODUCTION, where, "", table, "", how_measured(), by_hand]), encoding="utf-8")
        print(f"wrote {TARGET.relative_to(machine.ROOT)}", file=sys.stderr)


def measured(name: str) -> list[Row]:
    """The rows of one part, with a line on stderr."""
    print(f"{name} … ", end="", file=sys.stderr, flush=True)
    start = time.perf_counter()
    rows = PARTS[name].rows()
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)
    return rows


def how_measured() -> str:
    """The docstring of every part."""
    sections = [f"### {name.replace('_', ' ')}\n\n{str(module.__doc__).strip()}\n" for name, module in PARTS.items()]
    return "\n".join(["## How each was measured\n", *sections])


if __name__ == "__main__":
    main()
