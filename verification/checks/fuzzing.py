"""Changed files for everything that reads: read, or refused by an error of our own, in bounded time and memory."""

import contextlib
import importlib.util
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.table import Row

from tetiwd.errors import TetiwdError
from tetiwd.io.netcdf import SEALED
from verification import commands, mutation, readable, sandbox
from verification.bombs import BOMBS
from verification.check import Check, Found, Job
from verification.crafted import FAMILIES
from verification.crafted import N_INPUTS as N_CRAFTED

NAMES = (
    "npy", "npz", "condensed", "pooled", "matrix and objects", "square", "lsmat", "long", "parquet", "h5ad", "features",
    "features, dated", "features, packed", "features, parquet", "feature arrays", "features, h5ad", "sequences",
    "sequences, packed", "outcomes", "metadata", "constraints", "fixed labels", "names of lineages", "new objects",
    "new distances", "resolution", "notes", "settings", "run.toml", "data.nc", "results.nc", "checkpoint",
    "draws of a checkpoint",
)  # fmt: skip
GUIDED = ("npy", "square", "long", "features", "sequences", "settings", "run.toml", "checkpoint")
N_INPUTS, FEW, PER_JOB, JOBS_PER_FAMILY = 1000, 20, 500, 4
GUIDED_SECONDS, FEW_SECONDS = 30, 5
SECONDS, WAITING, MEBIBYTES = 10.0, 120.0, 1000  # of processor time and of waiting for an input; beyond what is in use
READ, REFUSED = "read", "refused"


def jobs(few: bool) -> list[Job]:
    """So many inputs for every kind and family of files; then those that atheris finds by watching which code runs."""
    numbers = dict.fromkeys(NAMES, N_INPUTS) | N_CRAFTED
    found = []
    for name, n in numbers.items():
        n = FEW if few else n
        per_job = PER_JOB if name in NAMES else -(-n // JOBS_PER_FAMILY)
        for first in range(0, n, per_job):
            found.append(Job(f"{name}, from {first}", {"name": name, "first": first, "n": min(per_job, n - first)}))
    found.append(Job("bombs", {"name": "bombs", "first": 0, "n": len(BOMBS)}))
    guided = GUIDED[:2] if few else GUIDED
    seconds = FEW_SECONDS if few else GUIDED_SECONDS
    return found + [Job(f"{name}, guided", {"name": name, "seconds": seconds}) for name in guided]


def run(name: str, first: int = 0, n: int = 0, seconds: int | None = None) -> Found:
    """Try inputs; how often they were read and refused, everything else by input, and the most that one took."""
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
        make_run()
        if seconds is not None:
            return {"name": name, "guided": True} | watched(name, seconds)
        if name in NAMES:
            read_unchanged(name)
        found: Found = {"name": name, "read": 0, "refused": 0, "faults": {}, "seconds": 0.0, "mebibytes": 0.0}
        number, end = first, first + n
        while number < end:
            numbers = range(number, end)
            ended = sandbox.in_child(
                lambda say, numbers=numbers: try_all(name, numbers, say),  # type: ignore[misc]
                seconds=WAITING,
                mebibytes=MEBIBYTES,
            )
            for outcome, took, grown in ended.said:
                found["seconds"], found["mebibytes"] = max(found["seconds"], took), max(found["mebibytes"], grown)
                if outcome in (READ, REFUSED):
                    found[outcome] += 1
                else:
                    found["faults"][str(number)] = outcome
                number += 1
            if ended.fault is not None and number < end:
                found["faults"][str(number)] = ended.fault
                number += 1
    return found


def make_run() -> None:
    """A finished run, whose files are changed."""
    commands.write_data(Path())
    ended = commands.here((*commands.FIT, *commands.SHORT))
    if ended.code != 0:
        raise RuntimeError(f"the run to be changed ended with {ended}")


def read_unchanged(name: str) -> None:
    """Raise an error if a valid file is refused, since then all changed ones are."""

    def read(say: Callable[[Any], None]) -> None:
        os.mkdir("input")
        with contextlib.chdir("input"), sandbox.quiet(), warnings.catch_warnings(action="ignore"):
            kind = readable.readables()[name]
            say(tried(kind.read, kind.write()))

    ended = sandbox.in_child(read, seconds=WAITING, mebibytes=MEBIBYTES)
    if ended.fault or ended.said[0][0] != READ:
        raise RuntimeError(f"{name}: a valid file is not read: {ended.fault or ended.said[0][0]}")


def try_all(name: str, numbers: range, say: Callable[[Any], None]) -> None:
    """Try inputs one after the other."""
    warnings.simplefilter("ignore")
    for number in numbers:
        shutil.rmtree("input", ignore_errors=True)
        os.mkdir("input")
        with contextlib.chdir("input"), sandbox.quiet():
            say(tried(*made(name, number)))


def made(name: str, number: int) -> tuple[Callable[[Any], Any], Any]:
    """Write the input of a number into the working folder; how to read it, and what that needs to know."""
    if name == "bombs":
        return BOMBS[number]()
    rng = np.random.default_rng([number, *name.encode()])
    if name in FAMILIES:
        return FAMILIES[name](rng)
    kind = readable.readables()[name]
    known = kind.write()
    files = [Path(kind.spoil)] if kind.spoil else sorted(file for file in Path().rglob("*") if file.is_file())
    valid = [file.read_bytes() for file in files]
    if name.endswith(".nc") and rng.random() < 0.8:
        valid = [content[:-SEALED] for content in valid]  # as if there had never been a checksum
    i = int(rng.integers(len(files)))
    if name == "checkpoint" and rng.random() < 0.7:
        line, _, payload = valid[i].partition(b"\n")
        content = readable.signed(line + b"\n" + mutation.mutated(payload, [payload], rng))
    else:
        content = mutation.mutated(valid[i], valid, rng)
    files[i].write_bytes(content)
    return kind.read, known


def tried(read: Callable[[Any], Any], known: Any) -> tuple[str, float, float]:
    """What became of an input, the seconds of processor time, and by how many MiB the memory in use has grown."""
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    try:
        read(known)
        outcome = READ
    except TetiwdError:
        outcome = REFUSED
    except Exception as error:
        outcome = f"{type(error).__name__}: {str(error)[:150]}"
    took = time.process_time() - began
    if took > SECONDS and outcome in (READ, REFUSED):
        outcome = f"takes {took:.0f} s"
    return outcome, took, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


# Guided by coverage


def watched(name: str, seconds: int) -> Found:
    """Let atheris look for inputs that reach other code; how many it tried, and what it found."""
    if importlib.util.find_spec("atheris") is None:
        return {"inputs": None, "faults": {}}
    command = [sys.executable, "-m", "verification.guided", name, str(seconds)]
    environment = os.environ | {"PYTHONPATH": commands.python_path()}
    try:
        ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=5 * seconds + 300)
    except subprocess.TimeoutExpired:
        return {"inputs": 0, "faults": {"0": "hangs"}}
    inputs = re.search(r"stat::number_of_executed_units:\s*(\d+)", ended.stderr)
    faults = {} if ended.returncode == 0 else {"0": f"exit code {ended.returncode}: {_last_words(ended.stderr)}"}
    return {"inputs": int(inputs[1]) if inputs else 0, "faults": faults}


def _last_words(text: str) -> str:
    """The line that says what went wrong."""
    said = [line for line in text.splitlines() if re.match(r"\s*(\w+(Error|Exception)|==\d+==)", line)]
    return (said or text.splitlines() or ["nothing"])[0][:200]


def rows(found: dict[str, Found]) -> list[Row]:
    """Inputs, outcomes and limits, by kind of file."""
    table = []
    for name in (*NAMES, "bombs", *FAMILIES):
        own = [one for one in found.values() if one["name"] == name and not one.get("guided")]
        if not own:
            continue
        faults = {number: fault for one in own for number, fault in one["faults"].items()}
        read, refused = sum(one["read"] for one in own), sum(one["refused"] for one in own)
        took, grown = max(one["seconds"] for one in own), max(one["mebibytes"] for one in own)
        value = f"{read + refused + len(faults):,} inputs: {read} read, {refused} refused; "
        value += f"at most {took:.1f} s and {grown:.0f} MiB more{shown(faults)}"
        what = "crafted" if name in FAMILIES else "changed"
        table.append(Row(f"{what} files: {name}", value, f"no other error, ≤ {SECONDS:.0f} s", not faults))
    for one in found.values():
        if one.get("guided"):
            what = f"changed files, guided by coverage: {one['name']}"
            if one["inputs"] is None:
                table.append(Row(what, "**not tried: atheris is not installed**", "no other error"))
            else:
                held = not one["faults"] and one["inputs"] > 0
                table.append(Row(what, f"{one['inputs']:,} inputs{shown(one['faults'])}", "no other error", held))
    return table


def shown(faults: dict[str, str]) -> str:
    """The most frequent faults, with the number of an input."""
    counts = Counter(faults.values())
    first = {fault: number for number, fault in reversed(faults.items())}
    return "".join(f"; **{n} × {fault} (input {first[fault]})**" for fault, n in counts.most_common(3))


CHECK = Check(
    "Changed files (fuzzing)",
    f"{N_INPUTS:,} inputs for every reader of data, settings, results and checkpoints are made from valid files by "
    "changing bytes, words and lines, also inside archives that are repacked with correct checksums. Each must be "
    "read, or refused with one of our own errors, in a process with limited memory; crashes and other exceptions are "
    "faults. "
    f"Another {sum(N_CRAFTED.values()):,} are crafted with knowledge of their formats: sparse matrices that point "
    "outside, links and odd types in HDF5 files, arrays whose headers lie, trees with other values, tables with odd "
    "columns and cells, and run folders with links, pipes and files of other runs. What is read is used, too. "
    "Where atheris is installed, it looks for inputs that reach more of the code.",
    jobs,
    run,
    rows,
)
