"""Stages one after the other: each is looked up in the cache or made, and says how far it is."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tetiwd.notes.cache import Arrays, Cache, Texts, key_of

NAMES = ("sentences", "bags", "neighbours", "ties", "clusters", "objects", "distances")
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
    """Runs stages with one cache and one progress callback."""

    def __init__(self, cache: Cache, report: Report | None) -> None:
        self._cache, self._report = cache, report
        self._last = 0.0

    def run(self, name: str, inputs: list[str], settings: Mapping[str, Any], make: Make) -> tuple[Arrays, Texts, str]:
        """Output of a stage, and the key that the stages after it depend on."""
        key = key_of(name, inputs, settings)
        known = self._cache.load(name, key)
        if known is not None:
            self.tell(name, 1.0, cached=True)
            return *known, key
        self.tell(name, 0.0)
        arrays, texts = make(lambda share: self._tell_sometimes(name, share))
        self._cache.store(name, key, arrays, texts)
        self.tell(name, 1.0)
        return arrays, texts, key

    def tell(self, name: str, share: float, *, cached: bool = False) -> None:
        """Report where this is."""
        self._last = time.monotonic()
        if self._report is not None:
            self._report(Step(name, NAMES.index(name) + 1, len(NAMES), share, cached))

    def _tell_sometimes(self, name: str, share: float) -> None:
        if share < 1.0 and time.monotonic() - self._last > SECONDS_BETWEEN_REPORTS:
            self.tell(name, share)
