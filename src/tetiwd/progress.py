"""Progress on stderr: a bar per chain with sweeps done, time left and the state of the chain; bars for other work."""

import sys
import time
from collections.abc import Hashable, Sequence
from math import ceil, isfinite
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TaskID, TextColumn

from tetiwd.pace import Progress as Where

SECONDS_BETWEEN_LINES = 30.0
MOST_TIMES = 8  # for which the number of clusters is shown one by one


class Bars:
    """Bars on a terminal, lines of text elsewhere; nothing any more once nobody reads them.

    A ``with`` statement draws the bars. Columns may show ``task.fields``, which :meth:`show` sets.
    """

    def __init__(self, *columns: ProgressColumn, console: Console | None = None) -> None:
        self._console = console or Console(file=sys.stderr, force_jupyter=False)
        self._bars = Progress(*columns, console=self._console)
        self._tasks: dict[Hashable, TaskID] = {}
        self._last_line = 0.0
        self._unread = False
        self.on_terminal = self._console.is_terminal

    def __enter__(self) -> Self:
        if self.on_terminal:
            self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.on_terminal:
            self._bars.stop()

    def show(self, key: Hashable, completed: float, total: float, **fields: Any) -> None:
        """Draw the bar of this key as it is now; it is added below the others if it is new."""
        if key not in self._tasks:
            self._tasks[key] = self._bars.add_task("", total=total, **fields)
        self._bars.update(self._tasks[key], completed=completed, total=total, **fields)

    def print(self, line: str) -> None:
        """Write a line."""
        if self._unread:
            return
        try:
            print(line, file=self._console.file, flush=True)
        except OSError:  # the reader of the pipe has left; the work goes on
            self._unread = True

    def line_is_due(self) -> bool:
        """Has no line been written for half a minute? Begins another half minute if so."""
        due = time.monotonic() - self._last_line > SECONDS_BETWEEN_LINES
        if due:
            self._last_line = time.monotonic()
        return due


class ProgressBar(Bars):
    """Shows where chains are, on stderr; pass it to ``run_chains`` as ``progress`` inside a ``with`` statement."""

    def __init__(self, console: Console | None = None) -> None:
        super().__init__(
            TextColumn("chain {task.fields[chain]}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}"),
            TextColumn("{task.fields[what]}", style="dim"),
            console=console,
        )
        self._ended: set[int] = set()

    def __call__(self, where: Sequence[Where]) -> None:
        """Show the latest: bars on a terminal, a line now and then in a file."""
        if not self.on_terminal:
            self._print_lines(where)
            return
        for one in where:
            self.show(one.chain, one.n_done, one.n_sweeps, chain=one.chain + 1, left=in_words(one), what=what(one))

    def _print_lines(self, where: Sequence[Where]) -> None:
        """Chains that move, every half minute; each once more when it is done."""
        due = self.line_is_due()
        for one in where:
            if one.chain in self._ended or not (one.done or (due and one.n_done)):
                continue
            if one.done:
                self._ended.add(one.chain)
            self.print(f"chain {one.chain + 1}: {one.n_done}/{one.n_sweeps} sweeps, {in_words(one)}; {what(one)}")


class StepBar(Bars):
    """Shows steps done, steps in all and the time left: a bar on a terminal, a line now and then in a file."""

    def __init__(self, name: str, console: Console | None = None) -> None:
        super().__init__(
            TextColumn(name), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[left]}"), console=console
        )
        self._name, self._began = name, time.monotonic()

    def __call__(self, n_done: int, n_steps: int) -> None:
        """Show the latest."""
        pace = (time.monotonic() - self._began) / max(n_done, 1)
        left = time_left(pace * (n_steps - n_done)) if n_done else "starting"
        left = "done" if n_done == n_steps else left
        if self.on_terminal:
            self.show("steps", n_done, n_steps, left=left)
        elif self.line_is_due() or n_done == n_steps:
            self.print(f"{self._name}: {n_done}/{n_steps}, {left}")


def time_left(seconds: float) -> str:
    """Time left, for people."""
    minutes, rest = divmod(ceil(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min left" if hours else f"{minutes}:{rest:02d} left"


def in_words(one: Where) -> str:
    """Time left of a chain, for people."""
    if one.done:
        return "done"
    if one.seconds_left is None:
        return "waiting" if one.n_done == 0 else "…"
    if one.seconds_left == 0:
        return "freezing a partition"
    return f"{'at most ' if one.at_most else ''}{time_left(one.seconds_left)}"


def what(one: Where) -> str:
    """Warm-up or drawing, whether chains agree, sweeps per second, clusters at every time, log joint density."""
    low, high = min(one.n_clusters), max(one.n_clusters)
    clusters = " ".join(map(str, one.n_clusters)) if len(one.n_clusters) <= MOST_TIMES else f"{low} to {high}"
    phase = "" if one.done else "warming up" if one.warming_up else "drawing"
    parts = [part for part in (phase, one.standing) if part]
    if one.seconds_per_sweep:
        pace = 1 / one.seconds_per_sweep
        parts.append(f"{pace:.0f} sweeps/s" if pace >= 10 else f"{pace:.1f} sweeps/s")
    parts.append(f"clusters {clusters}")
    if isfinite(one.log_joint):
        parts.append(f"log joint {one.log_joint:.0f}")
    return ", ".join(parts)
