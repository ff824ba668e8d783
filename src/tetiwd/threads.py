"""Work in threads, one piece per chain: reports now and then, and stops when asked to, by a report or by Ctrl-C."""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

C = TypeVar("C")
R = TypeVar("R")
POLL_SECONDS = 0.2


def n_processors() -> int:
    """Processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_threads(
    work: Callable[[C], R], chains: Sequence[C], n_threads: int, report: Callable[[], bool], stop: threading.Event
) -> list[R]:
    """What the work returns for every chain.

    ``report`` is called a few times a second; if it returns True, ``stop`` is set, and so it is by Ctrl-C. The work has
    to look at it and end by itself. What a chain raises is raised here.
    """
    with ThreadPoolExecutor(min(n_threads, len(chains)), thread_name_prefix="tetiwd-chain") as pool:
        futures = [pool.submit(work, chain) for chain in chains]
        try:
            while True:
                if report():
                    stop.set()
                if all_done(futures):
                    break
        except KeyboardInterrupt:
            stop.set()
        except BaseException:
            stop.set()
            raise
    report()
    return [future.result() for future in futures]


def all_done(futures: Sequence[Future[Any]]) -> bool:
    """Wait a moment; raise what a chain raised."""
    done, waiting = wait(futures, timeout=POLL_SECONDS, return_when=FIRST_EXCEPTION)
    for future in done:
        future.result()
    return not waiting
