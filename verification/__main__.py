"""``make verify``, or ``python -m verification [--few] [--write] [--done] [check …]``: run what is left, print a table.

Jobs that have been done with this state of the files that they depend on are not done again. --few does a few jobs of
every check, in minutes, to see whether all of them work; --write puts the table and its figures into
docs/verification.md. --done runs nothing: it shows, or writes, what has been found so far, and how many jobs are left.
"""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from benchmarks.league.records import Code
from benchmarks.table import Row, markdown

from verification import page
from verification.check import Check, Found, Job
from verification.checks import CHECKS
from verification.records import Records
from verification.states import states

TESTS = Path(__file__).parents[1] / "tests"  # whose worlds and exact laws are used here


def main() -> None:
    """Run, print, and exit with 1 if anything does not hold."""
    parser = ArgumentParser(prog="python -m verification", description="The long verification.")
    parser.add_argument("checks", nargs="*", metavar="check", help=f"some of: {', '.join(CHECKS)} (default: all)")
    parser.add_argument("--few", action="store_true", help="a few jobs of every check, to see whether all of them work")
    parser.add_argument("--write", action="store_true", help="also write docs/verification.md and its figures")
    parser.add_argument("--done", action="store_true", help="run nothing, show what has been found so far")
    parser.add_argument("--processes", type=int, default=2, help="jobs at a time (default: 2)")
    options = parser.parse_args()
    if unknown := set(options.checks) - set(CHECKS):
        parser.error(f"there is no check {', '.join(sorted(unknown))}; there are {', '.join(CHECKS)}")
    if options.write and (options.few or options.checks):
        parser.error("--write needs a whole verification, without --few and names of checks")
    code = Code.of()
    records = Records(states(code))
    rows = {}
    for name in options.checks or CHECKS:
        check, jobs = CHECKS[name], CHECKS[name].jobs(options.few)
        failed = {} if options.done else work_off(name, check, jobs, records, options.processes)
        rows[name] = check.rows(records.of(name, jobs))
        n_left = sum((name, job) not in records for job in jobs) - len(failed)
        if n_left:
            rows[name].append(Row(f"{check.title}: jobs", f"{n_left} of {len(jobs)} {page.NOT_TRIED} yet"))
        rows[name] += [Row(f"job {job}", f"failed: {error}", "ends", False) for job, error in failed.items()]
        print(f"\n{check.title}\n\n{markdown(rows[name])}\n", flush=True)
    if options.write:
        page.write(code, rows, records)
    sys.exit(any(row.held is False for own in rows.values() for row in own))


def work_off(name: str, check: Check, jobs: Iterable[Job], records: Records, processes: int) -> dict[str, str]:
    """Do the jobs that are left, several at a time; returns those that failed, with their errors."""
    failed = {}
    left = [job for job in jobs if (name, job) not in records]
    with ProcessPoolExecutor(min(processes, check.workers or processes), initializer=find_tests) as pool:
        futures = {pool.submit(timed, check, job): job for job in left}
        for i, future in enumerate(as_completed(futures)):
            if error := future.exception():
                failed[futures[future].name] = repr(error)
            else:
                records.add(name, futures[future], *future.result())
            print(f"\r{name}: {i + 1} of {len(left)} jobs", end="", file=sys.stderr, flush=True)
    if left:
        print(file=sys.stderr)
    return failed


def find_tests() -> None:
    """Make the helpers of the tests importable."""
    sys.path.insert(0, str(TESTS))


def timed(check: Check, job: Job) -> tuple[Found, float]:
    """Do a job; what it found, and the processor time that it and its children took, in seconds."""
    start = sum(os.times()[:4])
    return check.run(**job.arguments), sum(os.times()[:4]) - start


if __name__ == "__main__":
    main()
