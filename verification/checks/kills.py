"""kill −9 at any moment of a fit: afterwards the messages lead to the answer of a fit that nobody disturbed."""

import contextlib
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from benchmarks.table import Row

from verification import commands
from verification.check import Check, Found, Job

N_KILLS, FEW = 50, 2
PER_JOB = 10
EVERY_PROCESS = 5  # every so many kills the fit is a process of its own, otherwise a copy of this one: much faster
FIT = (*commands.FIT, *commands.SHORT)
SAME = "the same answer"
N_OPERATIONS, OPERATIONS_PER_JOB = 160, 8  # on files of the run; there are fewer in one run

Seen = Callable[[Path], bool]


def any_of(*names: str) -> Seen:
    """Whether the folder holds one of these files."""
    return lambda run: any((run / name).exists() for name in names)


PHASES: dict[str, tuple[Seen, Seen]] = {  # what there is when a phase begins, and when it is over
    "reading": (lambda run: True, any_of("data.nc")),
    "sampling": (any_of("data.nc"), any_of("results.nc.new", "results.nc")),
    "summing up": (any_of("results.nc.new", "results.nc"), any_of("labels.csv.new", "labels.csv")),
    "writing": (any_of("labels.csv.new", "labels.csv"), lambda run: False),
}

OPERATIONS = ("open", "os.rename", "os.remove", "os.mkdir")


def jobs(few: bool) -> list[Job]:
    """Every phase at many moments, spread evenly; then every operation on a file."""
    n = FEW if few else N_KILLS
    found = []
    for phase in PHASES:
        for first in range(0, n, PER_JOB):
            moments = [(i + 0.5) / n for i in range(first, min(first + PER_JOB, n))]
            found.append(Job(f"{phase}, from {first}", {"phase": phase, "first": first, "moments": moments}))
    first_ones = range(1, N_OPERATIONS + 1, OPERATIONS_PER_JOB)
    for first in list(first_ones)[: 1 if few else None]:
        numbers = list(range(first, first + (2 if few else OPERATIONS_PER_JOB)))
        found.append(Job(f"operations, from {first}", {"operations": numbers}))
    return found


def run(phase: str = "", first: int = 0, moments: tuple[float, ...] = (), operations: tuple[int, ...] = ()) -> Found:
    """Kill, get on, compare; what happened, by kill."""
    answer, _ = undisturbed()
    cases: list[dict[str, Any]] = []
    for i, moment in enumerate(moments):
        copied = (first + i) % EVERY_PROCESS != 0
        cases.append(one_kill(phase, moment, answer, again=i % 2 == 1, copied=copied))
    for number in operations:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            commands.write_data(folder)
            commands.Copy(FIT, folder, partial(die_at, number)).communicate()
            if has_ended(folder / "run"):
                break  # there are no more
            outcome, done = commands.get_on(folder, FIT, answer)
            cases.append({"outcome": outcome, "done": done, "missed": 0})
    return {"phase": phase or "any operation on a file", "cases": cases}


def die_at(number: int) -> None:
    """Kill this process just before the n-th time that a file of the run is opened, renamed or removed."""
    left = [number]

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event in OPERATIONS and "run" in str(arguments[0]).split(os.sep):
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)


def has_ended(run: Path) -> bool:
    """Whether a run is complete."""
    return (run / "run.toml").exists() and commands.is_complete(run)


@cache
def undisturbed() -> tuple[str, dict[str, float]]:
    """The answer without a kill, and how long every phase takes in a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        commands.write_data(folder)
        process = commands.begin(FIT, folder)
        lengths = timed(process, folder)
        ended = commands.end_of(process)
        if ended.code != 0:
            raise RuntimeError(f"the undisturbed run ended with {ended}")
        return commands.answer_of(folder / "run"), lengths


@cache
def lengths_in_a_copy() -> dict[str, float]:
    """How long every phase takes in a copy of this process, which has imported everything."""
    with tempfile.TemporaryDirectory() as name:
        first, second = Path(name) / "first", Path(name) / "second"
        for folder in (first, second):
            folder.mkdir()
            commands.write_data(folder)
        with contextlib.chdir(first):
            commands.here(FIT)
        process = commands.Copy(FIT, second)
        return timed(process, second)


def timed(process: commands.Process, folder: Path) -> dict[str, float]:
    """How long every phase of a process takes."""
    began, lengths = time.monotonic(), {}
    for phase, (_, over) in PHASES.items():
        commands.wait_for(process, lambda over=over: over(folder / "run"))  # type: ignore[misc]
        lengths[phase], began = time.monotonic() - began, time.monotonic()
    return lengths


def one_kill(phase: str, moment: float, answer: str, *, again: bool, copied: bool) -> dict[str, Any]:
    """Kill a fit at a moment of a phase, given as a share of it; ``again``: kill whoever gets on with it, too.

    A process that was faster than expected is tried again, a little earlier.
    """
    begins, over = PHASES[phase]
    length = (lengths_in_a_copy() if copied else undisturbed()[1])[phase]
    for missed in range(20):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            commands.write_data(folder)
            process = commands.Copy(FIT, folder) if copied else commands.begin(FIT, folder)
            commands.wait_for(process, partial(begins, folder / "run"))
            time.sleep(moment * length * 0.85**missed)
            if not commands.kill(process) or over(folder / "run"):
                continue
            if again and (folder / "run" / "data.nc").exists():
                resume = commands.RESUME
                second = commands.Copy(resume, folder) if copied else commands.begin(resume, folder)
                time.sleep(moment * length if copied else 1.0 + moment)
                commands.kill(second)
            outcome, done = commands.get_on(folder, FIT, answer)
            return {"outcome": outcome, "done": done, "missed": missed}
    return {"outcome": "never hit", "done": [], "missed": missed}


def rows(found: dict[str, Found]) -> list[Row]:
    """How the kills of every phase ended."""
    table = []
    for phase in (*PHASES, "any operation on a file"):
        cases = [case for one in found.values() if one["phase"] == phase for case in one["cases"]]
        outcomes = Counter(case["outcome"] for case in cases)
        if not cases:
            continue
        fitted = sum(len(case["done"]) > 1 for case in cases)
        way = f"{len(cases) - fitted} by resume, {fitted} by fit, as the message says"
        bad = "".join(f"; {n} × {outcome}" for outcome, n in outcomes.items() if outcome != SAME)
        value = f"{outcomes[SAME]} of {len(cases)} end in the same answer ({way}){bad}"
        table.append(Row(f"kill −9: {phase}", value, "all", outcomes[SAME] == len(cases)))
    return table


CHECK = Check(
    "Kills",
    f"A fit is killed {N_KILLS} times in each phase, and once before every operation on a file of the run; every "
    "second run is killed again while it resumes. Every "
    f"{EVERY_PROCESS}th fit is a new process; the others are copies of one that has loaded all libraries. "
    "Then the run is resumed or, where the message says so, fitted again. Draws "
    "and tables must be those of an undisturbed run, bit for bit.",
    jobs,
    run,
    rows,
)
