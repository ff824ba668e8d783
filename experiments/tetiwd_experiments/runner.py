"""All repeats of an experiment on all processors; can be stopped at any time and continued."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from tetiwd.errands import Errand, Life, Workers
from tetiwd.errors import SamplingError, Setting
from tetiwd.params import check_whole
from tetiwd.threads import n_processors
from tetiwd_experiments.folder import ExperimentFolder
from tetiwd_experiments.plan import Plan, Repeat
from tetiwd_experiments.repeat import run_repeat

POLL_SECONDS = 0.5

Watch = Callable[[int, int], None]  # steps done and steps in all, a step being one method on one data set


def run_experiment(
    plan: Plan,
    folder: ExperimentFolder,
    *,
    n_processes: int | None = None,
    progress: Watch | None = None,
    workers: Workers | None = None,
) -> int:
    """Do every repeat whose table is not there yet; returns how many there were.

    Ctrl-C lets every process finish the method it is busy with, and is then passed on; complete repeats are kept.
    ``workers`` do the repeats, if not processes of this machine.
    """
    if n_processes is not None:
        check_whole("n_processes", n_processes, 1)
    repeats = [repeat for repeat in plan.repeats() if not folder.is_done(repeat)]
    if not repeats:
        return 0
    n_steps = sum(len(repeat.methods) for repeat in repeats)
    if workers is not None:
        _by_workers(workers, repeats, folder, progress, n_steps)
        return len(repeats)
    context = multiprocessing.get_context("spawn")
    n_done, stop = context.Value("i", 0), context.Event()
    n_workers = min(len(repeats), n_processes or n_processors())
    with ProcessPoolExecutor(n_workers, context, _begin, (n_done, stop)) as pool:
        futures = [pool.submit(_work, repeat, folder.path) for repeat in repeats]
        try:
            while not _all_done(futures):
                if progress:
                    progress(n_done.value, n_steps)
        except BrokenProcessPool:
            raise SamplingError(
                "a process was killed, perhaps for lack of memory; complete repeats are kept",
                ["continue with ", Setting("n_processes", 1)],
            ) from None
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    if progress:
        progress(n_steps, n_steps)
    return len(repeats)


def _by_workers(
    workers: Workers, repeats: list[Repeat], folder: ExperimentFolder, progress: Watch | None, n_steps: int
) -> None:
    def watch(errands: list[Errand]) -> None:
        done = [len(e.arguments[0].methods) if e.outcome else e.signs.get("n_done", 0) for e in errands]
        if progress:
            progress(sum(done), n_steps)

    with workers.errands(None) as errands:
        errands.run(repeat_elsewhere, [(repeat, str(folder.path.absolute())) for repeat in repeats], watch)


def repeat_elsewhere(life: Life, repeat: Repeat, path: str) -> None:
    """Errand: do one repeat and keep its table, unless told to stop."""
    from threadpoolctl import threadpool_limits

    n_done = 0
    life.show = lambda: {"n_done": n_done}

    def after_each() -> bool:
        nonlocal n_done
        n_done += 1
        return life.halted

    with threadpool_limits(1):
        table = run_repeat(repeat, after_each)
    if table is not None and not life.replaced:
        ExperimentFolder(Path(path)).write(repeat, table)


def _all_done(futures: list[Future[None]]) -> bool:
    """Wait a moment; raise the error of a repeat if there is one."""
    done, waiting = wait(futures, timeout=POLL_SECONDS, return_when=FIRST_EXCEPTION)
    for future in done:
        future.result()
    return not waiting


class _Shared:
    """What a worker shares with the process that started it."""

    n_done: Any
    stop: Any


def _begin(n_done: Any, stop: Any) -> None:
    """Prepare a worker: one thread for linear algebra; it ignores Ctrl-C and ends with its parent."""
    import scipy.linalg  # noqa: F401  # has threads of its own, to be limited
    import sklearn.cluster  # noqa: F401
    from threadpoolctl import threadpool_limits

    _Shared.n_done, _Shared.stop = n_done, stop
    threadpool_limits(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)


def _work(repeat: Repeat, path: Path) -> None:
    """Do one repeat and keep its table, unless told to stop."""
    if _Shared.stop.is_set():
        return

    def after_each() -> bool:
        with _Shared.n_done.get_lock():
            _Shared.n_done.value += 1
        return bool(_Shared.stop.is_set())

    table = run_repeat(repeat, after_each)
    if table is not None:
        ExperimentFolder(path).write(repeat, table)
