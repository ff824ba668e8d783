"""Damaged checkpoints, results, data and settings: an error of our own, or the same answer, and never anything else."""

import contextlib
import gzip
import os
import shutil
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.table import Row

from tetiwd.cli.exit_codes import BY_ERROR
from tetiwd.errors import DataError, RunFolderError, SettingsError
from verification import commands, damage, sandbox
from verification.check import Check, Found, Job
from verification.commands import Ended

NUMBERS = {"checkpoint": 200, "results": 100, "data": 80, "settings of a run": 60, "input": 40, "settings": 20}
FEW, PER_JOB, EVERY_PROCESS = 5, 20, 25  # every so many cases the command is a process of its own
SECONDS, MEBIBYTES = 300.0, 2000
FOLDER, DATA, SETTINGS = BY_ERROR[RunFolderError], BY_ERROR[DataError], BY_ERROR[SettingsError]

LONGER = (*commands.RESUME, "--draws", "90")
ASK = ("summarize", "run", "--json")
PREDICT = ("predict", "run", "new.csv")
SAME, REFUSED, ASKED = "the same answer", "an error of our own", "other answers, as the file asks for them"
GOOD = (SAME, REFUSED, ASKED)
TOML = (
    """[data]\nstandardize = true\ncolumns = ["a", "b"]\n\n[model]\nxi = 0.5\ndof = 3.0\n\n[sampler]\nn_draws = 40\n"""
)


def jobs(few: bool) -> list[Job]:
    """So many cases of every kind of file."""
    found = []
    for kind, n in NUMBERS.items():
        n = FEW if few else n
        for first in range(0, n, PER_JOB):
            numbers = list(range(first, min(first + PER_JOB, n)))
            found.append(Job(f"{kind}, from {first}", {"kind": kind, "numbers": numbers}))
    return found


def run(kind: str, numbers: Sequence[int]) -> Found:
    """Damage, ask, judge; what happened, by case."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_runs(folder / "whole")
        expected_answers(folder / "whole")  # before there are children, so that it is done once
        cases = [one_case(folder, kind, number) for number in numbers]
    return {"kind": kind, "cases": cases}


def one_case(folder: Path, kind: str, number: int) -> dict[str, Any]:
    """One damaged file, in a child of this process."""
    place = folder / "case"
    shutil.copytree(folder / "whole", place)
    rng = np.random.default_rng([number, *kind.encode()])
    asking = partial(commands.run, folder=place, stdout=-1) if number % EVERY_PROCESS == 0 else commands.here

    def case(say: Callable[[Any], None]) -> None:
        os.chdir(place)
        with sandbox.quiet():
            what = damaged(kind, rng)
            say(what)
            say(KINDS[kind](asking, what))

    ended = sandbox.in_child(case, seconds=SECONDS, mebibytes=MEBIBYTES)
    shutil.rmtree(place)
    what = ended.said[0] if ended.said else "?"
    return {"what": what, "outcome": ended.fault or ended.said[1]}


# Two runs, and the answers that they give


def make_runs(folder: Path) -> None:
    """Two finished runs of different data, whose chains have two generations of checkpoints, and their inputs."""
    for name, seed in (("run", 4), ("other", 5)):
        place = folder / name
        place.mkdir(parents=True)
        commands.write_data(place, seed)
        with contextlib.chdir(place):
            ended = commands.here((*commands.FIT, *commands.SHORT))
        if ended.code != 0:
            raise RuntimeError(f"the run to be damaged ended with {ended}")
        shutil.move(place / "x.csv", folder / f"{name}.csv")
        shutil.move(place / "run", folder / "finished")
        place.rmdir()
        shutil.move(folder / "finished", place)
    shutil.move(folder / "run.csv", folder / "x.csv")
    with gzip.GzipFile(folder / "x.csv.gz", "wb", mtime=0) as packed:
        packed.write((folder / "x.csv").read_bytes())
    X = np.random.default_rng(7).normal(size=(2, 8, 3))
    np.savez(folder / "d.npz", **{f"D_{t}": ((x[:, None] - x) ** 2).sum(-1) for t, x in enumerate(X)})
    (folder / "mine.toml").write_text(TOML, "utf-8")
    (folder / "new.csv").write_text("id,a,b,c\nu,1,2,0\nv,4,0,0\n", "utf-8")


@cache
def expected_answers(whole: Path) -> dict[tuple[str, ...], str]:
    """What commands say, and the hash of an extended run, without damage."""
    with tempfile.TemporaryDirectory() as name:
        shutil.copytree(whole, name, dirs_exist_ok=True)
        with contextlib.chdir(name):
            return answers_here()


def answers_here() -> dict[tuple[str, ...], str]:
    """The same in the working folder, where the run is extended in the end."""
    found = {}
    for words in (ASK, PREDICT, ("check", "x.csv.gz", "--json"), ("check", "d.npz", "--squared", "--json")):
        ended = commands.here(words)
        if ended.code != 0:
            raise RuntimeError(f"{words} ended with {ended}")
        found[words] = ended.output
    found[commands.RESUME] = commands.answer_of(Path("run"))
    commands.here(LONGER)
    found[LONGER] = commands.answer_of(Path("run"))
    return found


# Damage


def damaged(kind: str, rng: np.random.Generator) -> str:
    """Damage a file of a kind in the working folder; which, and how."""
    run, other = Path("run"), Path("other")
    files = {
        "checkpoint": sorted(run.glob("checkpoint/*")),
        "results": [run / "results.nc"],
        "data": [run / "data.nc"],
        "settings of a run": [run / "run.toml"],
        "input": [Path("x.csv.gz"), Path("d.npz")],
        "settings": [Path("mine.toml")],
    }[kind]
    file = files[rng.integers(len(files))]
    if kind == "checkpoint" and rng.random() < 0.25:
        second = [one for one in files if one != file][rng.integers(len(files) - 1)]
        damage.exchange(file, second)
        return f"{file.name} and {second.name} exchanged"
    if run in file.parents and rng.random() < 0.15:
        shutil.copy(other / file.relative_to(run), file)
        return f"{file.name} of another run"
    ways = damage.ALONE[: -1 if kind == "settings" else None]
    way = ways[rng.integers(len(ways))]
    way(file, rng)
    return f"{file.name}: {way.__name__.replace('_', ' ')}"


# Questions to what is damaged

Asking = Callable[[Sequence[str]], Ended]


def judged(ended: Ended, answer: str | None, expected: str, code: int) -> str:
    """What became of a command: the answer that was expected, an error with the right code, or a fault."""
    if ended.fault is not None:
        return f"{ended.fault}: {ended.errors[-150:]}" if ended.code is not None else ended.fault
    if ended.code == 0:
        return SAME if answer == expected else "another answer"
    if ended.code != code or not ended.errors.rstrip().splitlines()[-1].startswith("Error: "):
        return f"exit code {ended.code}: {ended.errors[-150:]}"
    return REFUSED


def answer_here() -> str:
    """The answer in the run of the working folder; what is wrong with it if there is none."""
    try:
        return commands.answer_of(Path("run"))
    except (OSError, KeyError, ValueError) as error:
        return repr(error)


def with_checkpoint(asking: Asking, what: str) -> str:
    """Extending the run gives the same draws, from the generation before if need be, which is said; or is refused."""
    ended = asking(LONGER)
    outcome = judged(ended, answer_here(), expected()[LONGER], FOLDER)
    if (
        outcome == SAME
        and list(Path("run/checkpoint").glob("*.damaged"))
        and "Warning: the checkpoint" not in ended.errors
    ):
        return "goes back without a word"
    return outcome


def with_results(asking: Asking, what: str) -> str:
    """Questions are answered as ever or refused, and resuming writes the results again."""
    outcomes = []
    for words in (ASK, PREDICT):
        ended = asking(words)
        outcomes.append(judged(ended, ended.output, expected()[words], FOLDER))
    ended = asking(commands.RESUME)
    again = judged(ended, answer_here(), expected()[commands.RESUME], FOLDER)
    outcomes.append(again if again != REFUSED else "resume does not help")
    return worst(outcomes)


def with_data(asking: Asking, what: str) -> str:
    """Questions are answered as ever or refused, and so is more sampling."""
    outcomes = []
    for words in (ASK, PREDICT):
        ended = asking(words)
        outcomes.append(judged(ended, ended.output, expected()[words], FOLDER))
    ended = asking(LONGER)
    return worst([*outcomes, judged(ended, answer_here(), expected()[LONGER], FOLDER)])


def with_settings_of_run(asking: Asking, what: str) -> str:
    """The same; only answers that the damaged file asks for in another way may differ."""
    with contextlib.suppress(tomllib.TOMLDecodeError, UnicodeDecodeError, OSError):
        read = [tomllib.loads(Path(place, "run.toml").read_text("utf-8")) for place in ("run", "../whole/run")]
        if read[0].get("answers") != read[1]["answers"]:
            return ASKED if all(asking(words).fault is None for words in (ASK, PREDICT, LONGER)) else "a fault"
    return with_data(asking, what)


def with_input(asking: Asking, what: str) -> str:
    """Formats with checksums are read as ever or refused."""
    npz = "d.npz" in what
    words = ("check", "d.npz", "--squared", "--json") if npz else ("check", "x.csv.gz", "--json")
    ended = asking(words)
    return judged(ended, ended.output, expected()[words], DATA)


def with_settings(asking: Asking, what: str) -> str:
    """Settings that make sense are taken, since nobody can know others; all others are refused."""
    ended = asking(("check", "x.csv", "--settings", "mine.toml", "--json"))
    outcome = judged(ended, "", "", DATA if ended.code == DATA else SETTINGS)
    return ASKED if outcome == SAME else outcome


def expected() -> dict[tuple[str, ...], str]:
    """Answers without damage; they are known in the child, too."""
    return expected_answers(Path.cwd().parent / "whole")


def worst(outcomes: Sequence[str]) -> str:
    """The first one that is not good; else a refusal, if there was one."""
    bad = [outcome for outcome in outcomes if outcome not in GOOD]
    return bad[0] if bad else REFUSED if REFUSED in outcomes else SAME


KINDS: dict[str, Callable[[Asking, str], str]] = {
    "checkpoint": with_checkpoint,
    "results": with_results,
    "data": with_data,
    "settings of a run": with_settings_of_run,
    "input": with_input,
    "settings": with_settings,
}


def rows(found: dict[str, Found]) -> list[Row]:
    """How the cases of every kind of file ended."""
    table = []
    for kind in KINDS:
        cases = [case for one in found.values() if one["kind"] == kind for case in one["cases"]]
        if not cases:
            continue
        outcomes = Counter(case["outcome"] for case in cases)
        bad = {case["what"]: case["outcome"] for case in cases if case["outcome"] not in GOOD}
        shown = "; ".join(f"{outcomes[name]} × {name}" for name in GOOD if outcomes[name])
        shown += "".join(f"; **{what}: {outcome}**" for what, outcome in list(bad.items())[:3])
        table.append(Row(f"{len(cases)} damaged files: {kind}", shown, "nothing else", not bad))
    return table


CHECK = Check(
    "Damaged files",
    f"{sum(NUMBERS.values())} files are damaged: bits and bytes flipped, blocks zeroed; files cut off, extended, "
    "replaced by junk, removed, or exchanged between chains, generations and runs. Every command must end with the "
    "same answer as without damage (if it comes from the previous checkpoint, a message must say so), or with one of "
    "our own errors and its exit code. "
    f"Every {EVERY_PROCESS}th command runs in a new process.",
    jobs,
    run,
    rows,
)
