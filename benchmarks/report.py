"""How long summaries, figures and the report of a default fit take, compared with its sampling.

Each data set has its own process, which fits it as ``tetiwd fit`` does. Both times are processor time of that process:
sampling includes the short chains that choose a model, and what is imported afterwards counts as summing up. The
package is there as bytecode, as pip installs it.
"""

import compileall
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.data_sets import data_sets
from benchmarks.machine import ROOT
from benchmarks.table import Row, at_most
from tetiwd import workflow
from tetiwd.workflow import Watcher, fit_into

GOAL = 0.2  # of the time of sampling


class Stopwatch(Watcher):
    """Notes the processor time of sampling and of everything after it."""

    began: float | None = None
    sampling = after = 0.0

    @contextmanager
    def busy(self, doing: str) -> Iterator[None]:
        """First short chains choose a model; last, after the chains, everything is summed up."""
        start = time.process_time()
        self.began = start if self.began is None else self.began
        self.sampling = start - self.began
        yield
        self.after = time.process_time() - start


def rows() -> list[Row]:
    """A row per data set."""
    return [row_of(name) for name, _ in data_sets()]


def row_of(name: str) -> Row:
    """One data set."""
    command = [sys.executable, "-m", "benchmarks.report", name]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    sampling, after = json.loads(done.stdout)
    note = f" ({after:.1f} s ÷ {sampling:.1f} s)"
    found = at_most(f"{name}: summaries, figures and report ÷ sampling", after / sampling, GOAL, note=note)
    print(found.cells, file=sys.stderr, flush=True)
    return found


def main(name: str) -> None:
    """Fit one data set and print both times."""
    compileall.compile_dir(Path(workflow.__file__).parent, quiet=2)
    series, _ = dict(data_sets())[name]()
    watch = Stopwatch()
    with TemporaryDirectory() as folder:
        fit_into(Path(folder) / "run", series, watcher=watch)
    print(json.dumps([watch.sampling, watch.after]))


if __name__ == "__main__":
    main(sys.argv[1])
