"""The program as a process of its own, and what is left behind: how it ended, and the answer in a results folder."""

import contextlib
import hashlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from tetiwd.cli.exit_codes import BUG, MEANING
from verification import sandbox

TOO_LONG = 300.0  # seconds after which a command hangs
FIT = ("fit", "x.csv", "--out", "run", "--geometry", "full", "--dof", "3", "--chains", "2", "--seed", "5", "-q")
SHORT = ("--warmup", "60", "--draws", "60", "--checkpoint-seconds", "0.01", "--threads", "1")
RESUME = ("resume", "run", "-q", "--checkpoint-seconds", "0.01", "--threads", "1")
DRAWS = ("posterior", "sample_stats", "geometry", "annealed")  # groups of results.nc
TABLES = ("labels.csv", "lineages.csv", "links.csv", "events.csv", "forecast.csv")


@dataclass(frozen=True)
class Ended:
    """How a command ended; ``code`` is None if it had to be killed because it took too long."""

    code: int | None
    errors: str
    seconds: float = 0.0
    output: str = ""

    @property
    def fault(self) -> str | None:
        """What no command may do, whatever happens to it."""
        if self.code is None:
            return "hangs"
        if "Traceback" in self.errors:
            return "traceback"
        if self.code == BUG or self.code not in MEANING:
            return f"exit code {self.code}"
        return None

    def __str__(self) -> str:
        return f"{self.code}: {self.errors.strip()[-200:]}"


def begin(
    words: Sequence[str], folder: Path, *, wrapped: Sequence[str] = (), by: Sequence[str] = (), **options: object
) -> subprocess.Popen:
    """Start a command in a folder; ``wrapped`` are arguments of Python that run it, ``by`` a program that starts it."""
    program = [*by, sys.executable, *(wrapped or ("-m", "tetiwd"))]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": python_path()}
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE} | options
    return subprocess.Popen([*program, *words], cwd=folder, env=environment, text=True, **pipes)  # type: ignore[call-overload]


class Copy:
    """A command in a copy of this process, which has its libraries already; can be waited for and killed."""

    def __init__(self, words: Sequence[str], folder: Path, before: Callable[[], None] = lambda: None) -> None:
        self.returncode: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            code = BUG
            try:
                nothing = os.open(os.devnull, os.O_RDWR)
                for descriptor in range(3):
                    os.dup2(nothing, descriptor)
                os.chdir(folder)
                before()
                code = here(words).code or 0
            finally:
                os._exit(code)

    def poll(self) -> int | None:
        """How it ended; None if it has not."""
        if self.returncode is None and os.waitpid(self.pid, os.WNOHANG)[0]:
            self.returncode = 0  # nobody asks for more
        return self.returncode

    def send_signal(self, number: int) -> None:
        """To a process that has not ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def communicate(self) -> None:
        """Wait for the end."""
        if self.returncode is None:
            os.waitpid(self.pid, 0)
            self.returncode = 0


Process = subprocess.Popen | Copy


def python_path() -> str:
    """Where a process in another folder finds what this one has imported."""
    return os.pathsep.join(os.path.abspath(place) for place in sys.path if place)


def end_of(process: subprocess.Popen, began: float | None = None, limit: float = TOO_LONG) -> Ended:
    """Wait for a command."""
    began = time.monotonic() if began is None else began
    try:
        output, errors = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        return Ended(None, process.communicate()[1] or "", limit)
    return Ended(process.returncode, errors or "", time.monotonic() - began, output or "")


def run(words: Sequence[str], folder: Path, **options: object) -> Ended:
    """A command from beginning to end."""
    began = time.monotonic()
    return end_of(begin(words, folder, **options), began)  # type: ignore[arg-type]


def here(words: Sequence[str]) -> Ended:
    """A command inside this process, in its working folder: much faster, but a crash takes this process along."""
    from typer.testing import CliRunner

    from tetiwd.cli import app

    result = CliRunner().invoke(app, list(words))
    unexpected = result.exception is not None and not isinstance(result.exception, SystemExit)
    errors = f"{result.stderr}Traceback: {result.exception!r}" if unexpected else result.stderr
    return Ended(result.exit_code, errors, output=result.stdout)


def apart(words: Sequence[str], folder: Path) -> Ended:
    """A command in a child that is a copy of this process: fast, and a crash is its own."""
    found = sandbox.in_child(
        lambda say: say(asdict(_here_in(words, folder))), seconds=TOO_LONG, mebibytes=sandbox.PLENTY
    )
    if found.fault is None:
        return Ended(**found.said[0])
    return Ended(None if found.fault == "hangs" else BUG, found.fault)


def _here_in(words: Sequence[str], folder: Path) -> Ended:
    with contextlib.chdir(folder):
        return here(words)


def kill(process: Process) -> bool:
    """kill −9; false if the process had ended before."""
    alive = process.poll() is None
    if alive:
        process.send_signal(signal.SIGKILL)
    process.communicate()
    return alive


def wait_for(process: Process, happened: Callable[[], bool], limit: float = TOO_LONG) -> bool:
    """Wait until something has happened, or the process has ended."""
    end = time.monotonic() + limit
    while process.poll() is None and time.monotonic() < end:
        if happened():
            return True
        time.sleep(0.0005)
    return happened()


def write_data(folder: Path, seed: int = 4) -> None:
    """x.csv: twelve objects in three groups at three times."""
    rng = np.random.default_rng(seed)
    rows = [
        f"{2001 + t},p{i},{','.join(f'{x:.4f}' for x in rng.normal(size=3) + 4 * (np.arange(3) == i % 3))}"
        for t in range(3)
        for i in range(12)
    ]
    (folder / "x.csv").write_text("\n".join(["time,id,a,b,c", *rows, ""]), "utf-8")


def answer_of(run: Path) -> str:
    """Hash of everything that was drawn and of all tables; raises what reading a broken folder raises."""
    import h5py

    digest = hashlib.sha256()

    def take(name: str, item: object) -> None:
        if isinstance(item, h5py.Dataset) and name.split("/")[0] in DRAWS and item.dtype.kind in "iuf":
            digest.update(name.encode())
            digest.update(np.ascontiguousarray(item[()]).tobytes())

    with h5py.File(run / "results.nc", "r") as file:
        file.visititems(take)
    for name in TABLES:
        digest.update((run / name).read_bytes())
    return digest.hexdigest()


def is_complete(run: Path) -> bool:
    """Whether the folder says that the run has ended, and everything is there."""
    said = re.search(r'^status = "complete"$', (run / "run.toml").read_text("utf-8"), re.MULTILINE)
    return bool(said) and all((run / name).exists() for name in (*TABLES, "results.nc", "report.html"))


def get_on(folder: Path, fit: Sequence[str], answer: str) -> tuple[str, list[str]]:
    """Do what the messages offer until there is a result: how that ended, in words, and what was done.

    First the run is resumed. Whoever is told to fit again does so. Two refusals in a row have no way out.
    """
    done = []
    for words in (RESUME, fit):
        ended = apart(words, folder)
        done.append(f"{words[0]} {ended}")
        if ended.fault is not None:
            return ended.fault, done
        if ended.code == 0:
            if not is_complete(folder / "run"):
                return "not complete", done
            return "the same answer" if answer_of(folder / "run") == answer else "another answer", done
        if words is RESUME and not re.search(r"run fit again|folder that fit has written", ended.errors):
            return "no way out is offered", done
    return "no way out works", done
