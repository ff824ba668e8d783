"""One progress bar for an experiment, with the time left."""

import sys
import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

SECONDS_BETWEEN_LINES = 30.0


class StepBar:
    """Shows steps done, steps in all and the time left: a bar on a terminal, a line now and then in a file."""

    def __init__(self, what: str, console: Console | None = None) -> None:
        self._console = console or Console(file=sys.stderr, force_jupyter=False)
        self._bar = Progress(
            TextColumn(what),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}"),
            console=self._console,
        )
        self._what, self._began, self._last_line = what, time.monotonic(), time.monotonic()
        self._task = self._bar.add_task("", total=None, left="starting")

    def __enter__(self) -> "StepBar":
        if self._console.is_terminal:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def __call__(self, n_done: int, n_steps: int) -> None:
        """Show the latest."""
        left = time_left(n_done, n_steps, time.monotonic() - self._began)
        if self._console.is_terminal:
            self._bar.update(self._task, completed=n_done, total=n_steps, left=left)
        elif n_done == n_steps or time.monotonic() - self._last_line > SECONDS_BETWEEN_LINES:
            self._last_line = time.monotonic()
            self._console.print(f"{self._what}: {n_done}/{n_steps}, {left}", soft_wrap=True, highlight=False)


def time_left(n_done: int, n_steps: int, seconds: float) -> str:
    """For people, from the pace so far."""
    if n_done == n_steps:
        return "done"
    if n_done == 0:
        return "starting"
    minutes = seconds * (n_steps / n_done - 1) / 60
    if minutes >= 90:
        return f"{minutes / 60:.1f} h left"
    return f"{minutes:.0f} min left" if minutes >= 1 else "less than a minute left"
