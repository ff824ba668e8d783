"""Negative controls: bugs that are planted on purpose, one at a time, must be caught by a named test."""

import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

from benchmarks.machine import ROOT
from benchmarks.table import Row

from verification.check import Check, Found, Job

FILES = {
    "tests/exact": "caught",
    "tests/statistical/test_planted_bugs.py": "caught",
    "tests/statistical/test_paired.py": "caught",
    "tests/statistical/test_lineage_sbc.py": "noticed",
    "tests/statistical/test_simulate.py": "noticed",
}
QUICK = ("tests/statistical/test_simulate.py",)


def jobs(few: bool) -> list[Job]:
    """Tests that plant bugs, by the file they are in."""
    files = QUICK if few else FILES
    return [Job(file, {"file": file, "word": FILES[file]}) for file in files]


def run(file: str, word: str) -> Found:
    """The outcome of every test of a file whose name says that something is caught."""
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.xml"
        words = ["-m", "pytest", "-q", file, "-k", word, "-o", "junit_logging=no", f"--junitxml={results}"]
        subprocess.run([sys.executable, *words], cwd=ROOT, check=False, capture_output=True)
        cases = ElementTree.parse(results).getroot().iter("testcase")
        return {f"{case.get('classname')}: {case.get('name')}": not len(case) for case in cases}


def rows(found: dict[str, Found]) -> list[Row]:
    """A row for every file, with the bugs that got away."""
    table = []
    for file, outcome in found.items():
        away = [name for name, caught in outcome.items() if not caught]
        value = f"{len(outcome) - len(away)} of {len(outcome)}" + (f"; not: {', '.join(away)}" if away else "")
        table.append(Row(f"planted bugs caught in {file}", value, "all", bool(outcome) and not away))
        table += [Row(f"— {plain(name)}", "caught" if caught else "not caught") for name, caught in outcome.items()]
    return table


def plain(name: str) -> str:
    """A test's name in words, with the bug in brackets."""
    place, _, test = name.partition(": ")
    return (
        f"{test.removeprefix('test_').replace('_', ' ').replace('[', ' (').replace(']', ')')}, {place.split('.')[-1]}"
    )


CHECK = Check(
    "Planted bugs",
    "A test that cannot fail proves nothing. So bugs are planted in the weights, densities, proposals and random draws "
    "of the sampler, one at a time, and the tests above and those of conditional ratios must catch each of them.",
    jobs,
    run,
    rows,
    inner=True,
)
