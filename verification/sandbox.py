"""A function in a child of this process, with bounds on time and memory: whatever it does, this process lives on.

A child is a copy of this process, so that libraries are loaded once. It tells what it found over a pipe as it goes, so
that the last word of one that crashed says where.
"""

import contextlib
import json
import os
import resource
import select
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PLENTY = 4000  # MiB, for what is not expected to ask for much


@dataclass(frozen=True)
class Ended:
    """What a child said, a list of plain values, and how it ended: None if well."""

    said: list[Any]
    fault: str | None


def in_child(function: Callable[[Callable[[Any], None]], None], *, seconds: float, mebibytes: int) -> Ended:
    """Call a function, which gets another function to say things with.

    ``seconds`` is the longest time between two words, ``mebibytes`` what may be asked for beyond what this process has.
    """
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(reads)
            bound_memory(mebibytes)
            with os.fdopen(writes, "w", buffering=1) as pipe:
                function(lambda word: pipe.write(json.dumps(word) + "\n"))  # type: ignore[arg-type,return-value]
            code = 0
        finally:
            os._exit(code)
    os.close(writes)
    said, late = [], False
    try:
        for line in lines_of(reads, seconds):
            said.append(json.loads(line))
    except TimeoutError:
        late = True
        os.kill(child, signal.SIGKILL)
    finally:
        os.close(reads)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if late:
        return Ended(said, "hangs")
    return Ended(said, None if status == 0 else f"crash ({status})")


def bound_memory(mebibytes: int) -> None:
    """Let this process ask for so much more than it has."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    limit = pages * resource.getpagesize() + (mebibytes << 20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def lines_of(descriptor: int, seconds: float) -> Iterator[bytes]:
    """Lines from a pipe until it is closed; a TimeoutError if none comes for so long."""
    rest, end = b"", time.monotonic() + seconds
    while True:
        if not select.select([descriptor], [], [], max(0.0, end - time.monotonic()))[0]:
            raise TimeoutError
        some = os.read(descriptor, 1 << 16)
        if not some:
            return
        *whole, rest = (rest + some).split(b"\n")
        if whole:
            end = time.monotonic() + seconds
        yield from whole


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep what libraries write to the terminal from it."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    kept = [os.dup(descriptor) for descriptor in (1, 2)]
    for descriptor in (1, 2):
        os.dup2(nothing, descriptor)
    try:
        yield
    finally:
        for descriptor, old in zip((1, 2), kept, strict=True):
            os.dup2(old, descriptor)
            os.close(old)
        os.close(nothing)
