"""A progress bar per chain: sweeps done, time left, what it is doing, how fast, clusters found, log joint density."""

import sys
import time
from collections.abc import Sequence
from math import isfinite
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from tetiwd.pace import Progress as Where

SECONDS_BETWEEN_LINES = 30.0
MOST_TIMES = 8  # for which the number of clusters is shown one by one


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
        self._ended: set[int] = set()

    def __enter__(self) -> "ProgressBar":
        if self._console.is_terminal:
            self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def __call__(self, where: Sequence[Where]) -> None:
        """Show the latest: bars on a terminal, a line now and then in a file."""
        if not self._console.is_terminal:
            self._print_lines(where)
            return
        for one in where:
            shown: dict[str, Any] = {"chain": one.chain + 1, "left": in_words(one), "what": what(one)}
            if one.chain not in self._tasks:
                self._tasks[one.chain] = self._bars.add_task("", total=one.n_sweeps, **shown)
            self._bars.update(self._tasks[one.chain], completed=one.n_done, **shown)

    def _print_lines(self, where: Sequence[Where]) -> None:
        """Chains that move, every half minute; each once more when it is done."""
        due = time.monotonic() - self._last_line > SECONDS_BETWEEN_LINES
        if due:
            self._last_line = time.monotonic()
        for one in where:
            if one.chain in self._ended or not (one.done or (due and one.n_done)):
                continue
            if one.done:
                self._ended.add(one.chain)
            line = f"chain {one.chain + 1}: {one.n_done}/{one.n_sweeps} sweeps, {in_words(one)}; {what(one)}"
            self._console.print(line, soft_wrap=True, highlight=False)


def in_words(one: Where) -> str:
    """Time left, for people."""
    if one.done:
        return "done"
    seconds = one.seconds_left
    if seconds is None:
        return "compiling or waiting" if one.n_done == 0 else "…"
    if seconds == 0:
        return "freezing a partition"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min left" if hours else f"{minutes}:{rest:02d} left"


def what(one: Where) -> str:
    """Warm-up or drawing, sweeps per second, clusters at every time, log joint density."""
    low, high = min(one.n_clusters), max(one.n_clusters)
    clusters = " ".join(map(str, one.n_clusters)) if len(one.n_clusters) <= MOST_TIMES else f"{low} to {high}"
    parts = ["warming up" if one.warming_up else "drawing"]
    if one.seconds_per_sweep:
        pace = 1 / one.seconds_per_sweep
        parts.append(f"{pace:.0f} sweeps/s" if pace >= 10 else f"{pace:.1f} sweeps/s")
    parts.append(f"clusters {clusters}")
    if isfinite(one.log_joint):
        parts.append(f"log joint {one.log_joint:.0f}")
    return ", ".join(parts)
