"""Polite requests to end, from a scheduler or a terminal that closes: they keep what was drawn, as Ctrl-C does."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

NAMES = ("SIGTERM", "SIGHUP")  # the second is not known everywhere
OUTPUT = (1, 2)  # descriptors of stdout and stderr


@contextmanager
def signals_as_interrupt() -> Iterator[None]:
    """Turn them into a KeyboardInterrupt; one that is ignored, as nohup has it, stays ignored."""
    terminals = [descriptor for descriptor in OUTPUT if os.isatty(descriptor)]

    def interrupt(number: int, frame: Any) -> None:
        if signal.Signals(number).name == "SIGHUP":
            _into_nothing(terminals)  # they are gone, and whoever writes to them fails
        raise KeyboardInterrupt

    known = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in known}
    heeded = {number: handler for number, handler in before.items() if handler is not signal.SIG_IGN}
    for number in heeded:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in heeded.items():
            signal.signal(number, handler)


def _into_nothing(descriptors: list[int]) -> None:
    """Whatever is written to these goes nowhere from now on."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    for descriptor in descriptors:
        os.dup2(nothing, descriptor)
    os.close(nothing)
