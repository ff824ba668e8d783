"""Workers of Dask: join a scheduler that is there, or start workers on this machine; close all of it afterwards.

    with dask_workers(n_local=3) as client:
        run_chains(series, executor=executor_of(client))

Dask is optional (the extra ``dask``) and imported when it is needed. Workers on this machine listen on the loopback
interface alone, and there is no dashboard unless it is asked for.
"""

import logging
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import Any

from tetiwd.declare import check_whole
from tetiwd.errors import Setting, SettingsError, WorkersError
from tetiwd.versions import versions

LOOPBACK = "127.0.0.1"
COMPARED = ("tetiwd", "numpy", "python")  # must be the same everywhere; of Python the first two numbers
TTL = "distributed.scheduler.worker-ttl"
SECONDS_TO_JOIN = 30.0
SECONDS_TO_CLOSE = 5.0
SECONDS_OF_SILENCE = 60.0  # after which a local worker that hangs is replaced


@contextmanager
def dask_workers(
    scheduler: str | None = None,
    *,
    n_local: int | None = None,
    dashboard: bool = False,
    timeout: float = SECONDS_TO_JOIN,
) -> Iterator[Any]:
    """A ``distributed.Client`` whose workers have the versions that this process has.

    Parameters
    ----------
    scheduler
        Address of a scheduler, such as "tcp://scheduler:8786". It and its workers stay when the client leaves.
    n_local
        Or: so many worker processes on this machine, with one thread each. They end with the ``with`` statement, or
        with this process.
    dashboard
        True lets local workers come with Dask's dashboard, on the loopback interface.
    timeout
        Seconds to wait for a scheduler and its first worker.
    """
    check_installed()
    if (scheduler is None) == (n_local is None):
        raise SettingsError(["give either ", Setting("scheduler"), " or ", Setting("n_local")])
    if scheduler is not None:
        with _joined(scheduler, timeout) as client:
            yield client
        return
    check_whole("n_local", n_local, 1)
    with _started(n_local or 1, dashboard, timeout) as client:
        yield client


def executor_of(client: Any) -> Executor:
    """The workers of a Dask client as an executor, for :func:`tetiwd.run_chains`.

    Dask's cache is not used: equal jobs are run again.

    Parameters
    ----------
    client : Client
        A ``distributed.Client``.

    Returns
    -------
    Executor
        For the argument ``executor``.

    Examples
    --------
    >>> from distributed import Client
    >>> from tetiwd.cluster import executor_of
    >>> with Client(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as client:
    ...     executor_of(client).submit(abs, -2).result()
    2
    """
    return client.get_executor(pure=False)


def check_installed() -> None:
    """Refuse to go on without Dask, and say what to install."""
    if find_spec("distributed") is None:
        raise WorkersError("Dask is not installed", "install the extra dask: pip install 'tetiwd[dask]'")


@contextmanager
def _joined(address: str, timeout: float) -> Iterator[Any]:
    from distributed import Client

    try:
        client = Client(address, timeout=timeout, set_as_default=False)
    except (OSError, TimeoutError, ValueError, ImportError) as error:
        fault = f"there is no scheduler at {address} ({type(error).__name__}: {error})"
        raise WorkersError(fault, "start one with: dask scheduler") from error
    with _closing(client):
        with _error_without_workers(address):
            client.wait_for_workers(1, timeout=timeout)
        check_versions(client)
        yield client


@contextmanager
def _started(n_workers: int, dashboard: bool, timeout: float) -> Iterator[Any]:
    import dask
    from distributed import Client, LocalCluster

    pages: dict[str, Any] = (
        {} if dashboard else {f"distributed.{who}.http.routes": [] for who in ("scheduler", "worker")}
    )
    with (
        tempfile.TemporaryDirectory(prefix="tetiwd-workers-", ignore_cleanup_errors=True) as scratch,
        dask.config.set({"temporary-directory": scratch, TTL: f"{SECONDS_OF_SILENCE}s"} | pages),
    ):
        cluster = LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            host=LOOPBACK,
            dashboard_address=f"{LOOPBACK}:0",
            scheduler_kwargs={"dashboard": dashboard},
            memory_limit=None,  # the package asks for no more than there is
            local_directory=scratch,
            silence_logs=logging.CRITICAL,  # a worker that dies is told of by whoever waits for it
        )
        try:
            with _closing(Client(cluster, timeout=timeout, set_as_default=False)) as client:
                client.register_plugin(_deaf_to_ctrl_c())
                client.wait_for_workers(n_workers, timeout=timeout)
                check_versions(client)
                yield client
        finally:
            _close(cluster)


@contextmanager
def _closing(client: Any) -> Iterator[Any]:
    try:
        yield client
    finally:
        with suppress(Exception):  # there may be nobody left to say goodbye to
            client.close(timeout=SECONDS_TO_CLOSE)


def _deaf_to_ctrl_c() -> Any:
    """Lets workers go on at Ctrl-C, which reaches all processes of a terminal: this one tells them what to do."""
    from distributed import WorkerPlugin

    class Deaf(WorkerPlugin):
        def setup(self, worker: Any) -> None:
            import signal

            signal.signal(signal.SIGINT, signal.SIG_IGN)

    return Deaf()


def _close(cluster: Any) -> None:
    """End workers; those that do not listen, because they hang or were stopped, are killed."""
    processes = [process for nanny in cluster.workers.values() if (process := _process_of(nanny)) is not None]
    for process in processes:
        if process.status() == "stopped":
            process.kill()
    with suppress(Exception):
        cluster.close(timeout=SECONDS_TO_CLOSE)
    for process in processes:
        with suppress(Exception):
            process.kill()


def _process_of(nanny: Any) -> Any:
    import psutil  # comes with distributed

    try:
        return psutil.Process(nanny.pid)
    except (psutil.Error, AttributeError, TypeError, ValueError):
        return None


@contextmanager
def _error_without_workers(address: str) -> Iterator[None]:
    try:
        yield
    except TimeoutError as error:
        fault = f"the scheduler at {address} has no workers"
        raise WorkersError(fault, f"start some with: dask worker {address}") from error


def check_versions(client: Any) -> None:
    """Refuse workers that have other versions than this process, or lack the package: draws would not be the same."""
    own = _compared(versions())
    for address, theirs in client.run(versions, on_error="return").items():
        if isinstance(theirs, BaseException):
            fault = f"the worker {address} cannot use tetiwd ({type(theirs).__name__}: {theirs})"
            raise WorkersError(fault, "install the same tetiwd there")
        differing = [
            f"{name} {_compared(theirs).get(name)}" for name in own if _compared(theirs).get(name) != own[name]
        ]
        if differing:
            here = ", ".join(f"{name} {own[name]}" for name in own)
            fault = f"the worker {address} has {', '.join(differing)}, and here there are {here}"
            raise WorkersError(fault, "install the same versions on all machines")


def _compared(known: Mapping[str, str]) -> dict[str, str]:
    found = {name: known[name] for name in COMPARED if name in known}
    return found | {"python": ".".join(found["python"].split(".")[:2])}
