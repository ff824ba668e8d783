"""From notes to clusters: seconds and peak memory of every stage.

Synthetic notes of 704, 170 and 123 patients by window (fewer where fewer sentences are asked for), about 50 sentences
per note, are written to a file; a process of its own (Linux) reads them, makes distances with default settings and
without a cache, and runs the sampler with its default settings. The peak is the most that the process held during the
stage, including what earlier stages left behind. ``python -m benchmarks.notes_scale 200000`` measures the size that the
goals are meant for.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.memory import status
from benchmarks.table import Row, at_most, markdown, number
from tetiwd import run_chains
from tetiwd.notes import Step, notes_to_series, read_notes
from tetiwd.notes.synthetic import LIKE_THE_PAPER, synthetic_notes

N_SENTENCES = 20_000
LIKE_THE_PAPER_SENTENCES = 200_000
PATIENTS = (704, 170, 123)
MINUTES, GIBIBYTES = 30, 8


def rows(n_sentences: int = N_SENTENCES) -> list[Row]:
    """One row per stage, and the sums."""
    with tempfile.TemporaryDirectory() as folder:
        share = n_sentences / LIKE_THE_PAPER_SENTENCES
        sizes = [max(10, round(share * n)) for n in PATIENTS]
        made = synthetic_notes(0, sizes, **LIKE_THE_PAPER)
        file = made.write(Path(folder) / "made")
        command = [sys.executable, "-m", "benchmarks.notes_scale", "--measure", str(file)]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    stages = [json.loads(line) for line in lines]
    what = f"notes of {made.n_sentences:,} sentences"
    table = [
        Row(f"{what}: {stage['name']}", f"{number(stage['seconds'])} s, {stage['peak'] / 2**30:.2f} GiB")
        for stage in stages
    ]
    minutes = sum(stage["seconds"] for stage in stages) / 60
    peak = max(stage["peak"] for stage in stages) / 2**30
    return [
        *table,
        at_most(f"{what}: all stages", minutes, MINUTES, " minutes"),
        at_most(f"{what}: peak memory", peak, GIBIBYTES, " GiB"),
    ]


class Clock:
    """Prints seconds and peak memory of one stage after the other."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """A stage begins: the peak is counted from here."""
        Path("/proc/self/clear_refs").write_text("5")
        self.start = time.perf_counter()

    def end(self, name: str) -> None:
        """A stage has ended."""
        found = {"name": name, "seconds": time.perf_counter() - self.start, "peak": status("VmHWM")}
        print(json.dumps(found), flush=True)
        self.begin()

    def step(self, step: Step) -> None:
        """Progress of the pipeline."""
        if step.share == 0.0:
            self.begin()
        elif step.done:
            self.end(step.stage)


def measure(file: str) -> None:
    """All stages in this process."""
    clock = Clock()
    notes = read_notes(file, id="patient", outcomes=["died"])
    clock.end("reading")
    found = notes_to_series(notes, progress=clock.step)
    clock.begin()
    run_chains(found.series, n_threads=os.cpu_count())
    clock.end("sampling")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[2])
    else:
        print(markdown(rows(int(sys.argv[1]) if len(sys.argv) > 1 else N_SENTENCES)))
