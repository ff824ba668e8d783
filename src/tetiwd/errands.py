"""Work for any executor of ``concurrent.futures``, in threads, processes or on other machines.

An errand is a function with small arguments: paths and numbers, never matrices. While it is done it shows signs of life
in a folder that all machines see, and looks there whether it is still wanted. One whose worker falls silent, because it
was stopped, say, or its machine is gone, is given out again; so an errand must come to the same result each time.
"""

import json
import os
import secrets
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from tetiwd.data.mapped import save_mapped
from tetiwd.errors import TetiwdError, WorkersError

SILENCE_SECONDS = 300.0  # after which a worker is given up
PATIENCE_SECONDS = 20.0  # the same once all are told to halt
MOST_ATTEMPTS = 3
BEAT_SECONDS = 0.5
LATE_SECONDS = 5 * BEAT_SECONDS
POLL_SECONDS = 0.2
HALT = "halt"
GO_ON = "see that workers run, and try again; a run with checkpoints goes on where it was"
PREFIX = ".tetiwd-jobs-"  # of folders for errands

Signs = dict[str, Any]


class Life:
    """The signs of life that one attempt at an errand gives, in a thread of its own.

    Whoever begins an errand owns it from then on. Another one who is still at it, since it was stopped and goes on, or
    the network was away, sees that and leaves the files of the errand alone.
    """

    def __init__(self, folder: Path, number: int, attempt: int) -> None:
        self.show: Callable[[], Signs] = dict  # more to tell than that the worker is alive
        self._folder, self._signs, self._owner = (
            folder,
            folder / f"signs-{number}-{attempt}",
            folder / f"owner-{number}",
        )
        self._name = secrets.token_hex(8)
        self._beats, self._looked = 0, 0.0
        self._halted = self._replaced = False
        self._over, self._lock = threading.Event(), threading.Lock()
        self._thread = threading.Thread(target=self._beat, name="tetiwd-life", daemon=True)

    def __enter__(self) -> Self:
        _write_quickly(self._owner, self._name)
        self._sign()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    @property
    def halted(self) -> bool:
        """True if the work is no longer wanted, or no longer wanted from here."""
        if time.monotonic() - self._looked > LATE_SECONDS:  # this process was stopped, and much may have happened
            self._sign()
        return self._halted or self._replaced

    @property
    def replaced(self) -> bool:
        """True if somebody else does the errand now."""
        return self.halted and self._replaced

    def _beat(self) -> None:
        while not self._over.wait(BEAT_SECONDS):
            self._sign()

    def _sign(self) -> None:
        with self._lock, suppress(OSError):  # a full disk, say; the next sign may come through
            self._looked = time.monotonic()
            self._halted = (self._folder / HALT).exists()
            self._replaced = not self._owner.is_file() or self._owner.read_text("utf-8") != self._name
            if not self._replaced:
                self._beats += 1
                _write_quickly(self._signs, json.dumps({"beats": self._beats} | self.show()))


@dataclass(frozen=True)
class Outcome:
    """What an errand returned, or the error that it raised."""

    value: Any = None
    error: Exception | None = None


def perform(folder: str, number: int, attempt: int, work: Callable[..., Any], *arguments: Any) -> Outcome:
    """Do an errand, in whatever process this is; ``work`` gets its :class:`Life` and the arguments."""
    place = Path(folder)
    try:
        if not place.is_dir():
            raise WorkersError(f"a worker does not find {folder}", "work in a folder that all machines have")
        with Life(place, number, attempt) as life:
            return Outcome(work(life, *arguments))
    except Exception as error:  # not the executor's fault, and told apart from what is
        return Outcome(error=error)


@dataclass
class Errand:
    """One errand as it is seen by whoever gave it out."""

    number: int
    arguments: tuple[Any, ...]
    attempt: int = 0
    future: "Future[Outcome] | None" = None
    outcome: Outcome | None = None
    signs: Signs = field(default_factory=dict)
    heard: float = 0.0  # when there was a new sign
    given_up: bool = False


@dataclass(frozen=True)
class Workers:
    """An executor, with options for its workers.

    Parameters
    ----------
    executor : Executor
        Any executor of ``concurrent.futures``; it stays open.
    shared : str or Path, optional
        A folder that all workers see under the same name, for the files of their work. None for the folder of
        checkpoints, where there is one, else the usual one for temporary files, which is enough on one machine.
    silence : float
        Seconds without a sign of life after which work is given to another worker, or, if no worker shows any, ends
        with an error. Give more where work may have to wait for its turn that long.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings, Workers, run_chains, simulate_separated
    >>> series = DistanceSeries.from_distances(simulate_separated(seed=1).D, squared=True)
    >>> settings = SamplerSettings(n_chains=2, n_warmup=20, n_draws=20)
    >>> with ThreadPoolExecutor(2) as executor:
    ...     sample = run_chains(series, Hyperparameters(dof=100), settings, executor=Workers(executor))
    ...
    >>> len(sample.draws)
    2
    """

    executor: Executor
    shared: str | Path | None = None
    silence: float = SILENCE_SECONDS

    @contextmanager
    def errands(self, contents: Any, checkpoint: Path | None = None) -> Iterator["Errands"]:
        """Errands whose folder holds these contents, for :func:`tetiwd.data.mapped.open_mapped`; it is removed."""
        place = checkpoint if self.shared is None else Path(self.shared)
        if checkpoint is not None:
            for left in checkpoint.glob(f"{PREFIX}*"):  # by a process that was killed
                shutil.rmtree(left, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix=PREFIX, dir=place, ignore_cleanup_errors=True) as folder:
            save_mapped(Path(folder), contents)
            yield Errands(self.executor, Path(folder), self.silence)


def as_workers(given: "Executor | Workers") -> Workers:
    """Workers, whichever way they were given."""
    return given if isinstance(given, Workers) else Workers(given)


class Errands:
    """Gives errands to an executor and sees them through.

    ``folder`` is one that all workers see under the same name; see :class:`Workers` for the rest.
    """

    def __init__(self, executor: Executor, folder: Path, silence: float) -> None:
        self.executor, self.folder, self.silence = executor, folder, silence
        self.halted = False
        self._n_given = 0
        self._heard = time.monotonic()  # when there was a sign of any worker

    def halt(self) -> None:
        """Let all errands end early; those that have not begun are not begun."""
        if not self.halted:
            self.halted = True
            _write_quickly(self.folder / HALT, "")

    def go_on(self) -> None:
        """Take back :meth:`halt`."""
        self.halted = False
        (self.folder / HALT).unlink(missing_ok=True)

    def run(
        self,
        work: Callable[..., Any],
        arguments: Sequence[tuple[Any, ...]],
        watch: Callable[[list[Errand]], Any] = lambda errands: None,
    ) -> list[Any]:
        """What ``work`` returns for each of the arguments; None where it was not begun, or given up, after a halt.

        ``watch`` is called a few times a second with all errands. What it raises, and Ctrl-C, halts the errands and is
        raised once they have ended; so is what an errand raises.
        """
        errands = [Errand(self._n_given + i, args) for i, args in enumerate(arguments)]
        self._n_given += len(errands)
        self._heard = time.monotonic()
        try:
            for errand in errands:
                self._give(errand, work)
            for _ in self._until_done(errands, work):
                watch(errands)
        except BaseException:
            self._abandon(errands, work)
            raise
        return [None if errand.outcome is None else errand.outcome.value for errand in errands]

    def _give(self, errand: Errand, work: Callable[..., Any]) -> None:
        errand.attempt, errand.signs, errand.heard = errand.attempt + 1, {}, time.monotonic()
        task = (str(self.folder), errand.number, errand.attempt, work, *errand.arguments)
        with _errors_of_workers():
            errand.future = self.executor.submit(perform, *task)

    def _until_done(self, errands: list[Errand], work: Callable[..., Any]) -> Iterator[None]:
        """Wait for errands, and say so now and then; raises what one of them raised."""
        while True:
            yield
            waiting = [e.future for e in errands if e.outcome is None and not e.given_up and e.future is not None]
            if not waiting:
                return
            wait(waiting, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
            for errand in errands:
                if errand.outcome is None and not errand.given_up:
                    self._look_at(errand, work)

    def _look_at(self, errand: Errand, work: Callable[..., Any]) -> None:
        now, future = time.monotonic(), errand.future
        patience = min(self.silence, PATIENCE_SECONDS) if self.halted else self.silence
        assert future is not None
        if self._has_new_signs(errand):
            errand.heard = self._heard = now
        if self.halted and not errand.signs and future.cancel():
            errand.given_up = True
        elif future.done():
            with _errors_of_workers():
                errand.outcome = future.result()
            self._heard = now
            if errand.outcome.error is not None:
                raise errand.outcome.error
        elif errand.signs and now - errand.heard > patience:
            self._replace(errand, work)
        elif now - self._heard > self.silence:
            raise WorkersError(f"no worker has shown a sign of life for {self.silence:.0f} seconds", GO_ON)

    def _has_new_signs(self, errand: Errand) -> bool:
        try:
            signs = json.loads((self.folder / f"signs-{errand.number}-{errand.attempt}").read_text("utf-8"))
        except (OSError, ValueError):
            return False
        new = signs != errand.signs
        errand.signs = signs
        return bool(new)

    def _replace(self, errand: Errand, work: Callable[..., Any]) -> None:
        """Give up a worker that is silent; its errand goes to another one, unless it is no longer wanted."""
        if self.halted:
            errand.given_up = True
        elif errand.attempt == MOST_ATTEMPTS:
            fault = f"{MOST_ATTEMPTS} workers have fallen silent for {self.silence:.0f} seconds, one after the other"
            raise WorkersError(fault, GO_ON)
        else:
            self._give(errand, work)

    def _abandon(self, errands: list[Errand], work: Callable[..., Any]) -> None:
        """Let errands end after an error; none is waited for longer than silence is suffered."""
        with suppress(OSError):
            self.halt()
        open_ones = [errand for errand in errands if errand.outcome is None and errand.future is not None]
        for errand in open_ones:
            with suppress(Exception, KeyboardInterrupt):
                for _ in self._until_done([errand], work):
                    pass


@contextmanager
def _errors_of_workers() -> Iterator[None]:
    """Whatever an executor raises by itself means that a worker is gone, and cannot be replaced."""
    try:
        yield
    except TetiwdError:
        raise
    except Exception as error:
        told = str(error).strip()
        shown = type(error).__name__ + (f": {told}" if told else "")
        raise WorkersError(f"a worker was lost ({shown})", GO_ON) from error


def _write_quickly(path: Path, text: str) -> None:
    """Whoever reads the file sees the old text or the new one; nobody minds if a crash of the machine loses it."""
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(text, "utf-8")
    os.replace(fresh, path)
