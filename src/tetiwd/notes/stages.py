"""Stages one after the other: each is looked up in the cache or made, and reports how far it is."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rich.progress import BarColumn, TextColumn, TimeElapsedColumn

from tetiwd.notes.cache import Arrays, Cache, Texts, key_of
from tetiwd.progress import Bars

STAGES = {  # name → what is shown while it runs
    "sentences": "splitting notes into sentences",
    "bags": "words of sentences",
    "neighbours": "neighbours of sentences",
    "ties": "comparing neighbourhoods",
    "clusters": "clusters of sentences",
    "objects": "comparing objects",
    "distances": "distances",
}
SECONDS_BETWEEN_REPORTS = 0.2


@dataclass(frozen=True)
class Step:
    """How far the pipeline is."""

    stage: str
    number: int  # of the stage, from 1
    n_stages: int
    share: float  # of the stage that is done, from 0 to 1
    cached: bool = False  # taken from the cache

    @property
    def done(self) -> bool:
        """Is the stage complete?"""
        return self.share >= 1.0


Report = Callable[[Step], None]
Make = Callable[[Callable[[float], None]], tuple[Arrays, Texts]]


class Stages:
    """Runs stages with one cache and one progress callback; each depends on ``source`` and on those before it."""

    def __init__(self, cache: Cache, report: Report | None, source: str) -> None:
        self._cache, self._report = cache, report
        self._key, self._last = source, 0.0

    def run(self, name: str, settings: Mapping[str, Any], make: Make) -> tuple[Arrays, Texts]:
        """Output of a stage."""
        self._key = key_of(name, [self._key], settings)
        known = self._cache.load(name, self._key)
        if known is not None:
            self.tell(name, 1.0, cached=True)
            return known
        self.tell(name, 0.0)
        arrays, texts = make(lambda share: self._tell_sometimes(name, share))
        self._cache.store(name, self._key, arrays, texts)
        self.tell(name, 1.0)
        return arrays, texts

    def tell(self, name: str, share: float, *, cached: bool = False) -> None:
        """Report where this is."""
        self._last = time.monotonic()
        if self._report is not None:
            self._report(Step(name, [*STAGES].index(name) + 1, len(STAGES), share, cached))

    def _tell_sometimes(self, name: str, share: float) -> None:
        if share < 1.0 and time.monotonic() - self._last > SECONDS_BETWEEN_REPORTS:
            self.tell(name, share)


class StageBar(Bars):
    """Shows how far every stage is: a bar each on a terminal, a line each in a file. Pass it as ``progress``."""

    def __init__(self) -> None:
        super().__init__(
            TextColumn("{task.fields[stage]}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
        )
        self._printed: set[str] = set()

    def __call__(self, step: Step) -> None:
        """Show the latest."""
        stage = f"{step.number}/{step.n_stages} {STAGES[step.stage]}" + (" (kept from before)" if step.cached else "")
        if self.on_terminal:
            self.show(step.stage, step.share, 1.0, stage=stage)
        elif step.stage not in self._printed:
            self._printed.add(step.stage)
            self.print(stage)
