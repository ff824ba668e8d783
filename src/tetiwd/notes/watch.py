"""A progress bar for the stages of the pipeline."""

import sys
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from tetiwd.notes.stages import Step

IN_WORDS = {
    "sentences": "splitting notes into sentences",
    "bags": "words of sentences",
    "neighbours": "neighbours of sentences",
    "ties": "comparing neighbourhoods",
    "clusters": "clusters of sentences",
    "objects": "comparing objects",
    "distances": "distances",
}


class StageBar:
    """Shows which stage the pipeline is at and how far it is: a bar on a terminal, a line per stage in a file."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(file=sys.stderr, force_jupyter=False)
        self._bar = Progress(
            TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"), TimeElapsedColumn(),
            console=self._console,
        )  # fmt: skip
        self._tasks: dict[str, int] = {}

    def __enter__(self) -> "StageBar":
        if self._console.is_terminal:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def __call__(self, step: Step) -> None:
        """Show the latest."""
        said = f"{step.number}/{step.n_stages} {IN_WORDS[step.stage]}" + (" (kept from before)" if step.cached else "")
        first = step.stage not in self._tasks
        if first:
            self._tasks[step.stage] = self._bar.add_task(said, total=1.0)
        self._bar.update(self._tasks[step.stage], completed=step.share, description=said)  # type: ignore[arg-type]
        if first and not self._console.is_terminal:
            self._console.print(said, soft_wrap=True, highlight=False)
