"""A progress bar per chain: sweeps done, warm-up or drawing, clusters found, time left."""

import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

if TYPE_CHECKING:
    from tetiwd.chains import Progress as Where

SECONDS_BETWEEN_LINES = 30.0


class ProgressBar:
    """Shows where chains are, on stderr; pass it to ``run_chains`` as ``progress`` inside a ``with`` statement."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(file=sys.stderr, force_jupyter=False)
        self._bars = Progress(
            TextColumn("chain {task.fields[chain]}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}"),
            TextColumn("{task.fields[what]}", style="dim"),
            console=self._console,
        )
        self._last_line = 0.0
        self._tasks: dict[int, TaskID] = {}

    def __enter__(self) -> "ProgressBar":
        if self._console.is_terminal:
            self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def __call__(self, where: Sequence["Where"]) -> None:
        """Show the latest: bars on a terminal, a line now and then in a file."""
        if not self._console.is_terminal:
            if time.monotonic() - self._last_line > SECONDS_BETWEEN_LINES or all(w.n_done == w.n_sweeps for w in where):
                self._last_line = time.monotonic()
                for one in where:
                    left = in_words(one.seconds_left, one.n_done)
                    self._console.print(f"chain {one.chain + 1}: {one.n_done}/{one.n_sweeps}, {left}; {what(one)}")
            return
        for one in where:
            shown: dict[str, Any] = {
                "chain": one.chain + 1,
                "left": in_words(one.seconds_left, one.n_done),
                "what": what(one),
            }
            if one.chain not in self._tasks:
                self._tasks[one.chain] = self._bars.add_task("", total=one.n_sweeps, **shown)
            self._bars.update(self._tasks[one.chain], completed=one.n_done, **shown)


def in_words(seconds: float | None, n_done: int) -> str:
    """Time left, for people."""
    if seconds is None:
        return "compiling or waiting" if n_done == 0 else "…"
    if seconds == 0:
        return "sampled"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min left" if hours else f"{minutes}:{rest:02d} left"


def what(one: "Where") -> str:
    """Warm-up or drawing, and how many clusters there are."""
    low, high = min(one.n_clusters), max(one.n_clusters)
    clusters = f"{low}" if low == high else f"{low} to {high}"
    return f"{'warming up' if one.warming_up else 'drawing'}, {clusters} cluster{'s' if high > 1 else ''}"
