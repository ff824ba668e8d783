"""Hosts as actors of Dask: objects that live in a worker, and die with it.

A worker is lost when Dask says so (it raises OSError, RuntimeError and others), when the scheduler does not know it any
more, or when the scheduler has not heard from it for some time. A worker that computes keeps on answering the
scheduler, so a long visit is not silence. What a host itself raises comes as an answer, and is raised here.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from typing import Any, cast

from tetiwd.errors import WorkersError
from tetiwd.hosts.workers import Call, HostLost, Traffic

SILENCE_SECONDS = 60.0
POLL_SECONDS = 0.5
MOST_TRIES = 20  # of work that no host is needed for


@dataclass(frozen=True)
class Fault:
    """What a host raised, as an answer: so that an error of its own is not taken for its loss."""

    error: Exception


def answer(do: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """What a function returns, or its fault."""
    try:
        return do(*arguments)
    except Exception as error:
        return Fault(error)


def sound(answer: Any) -> Any:
    """An answer, unless it is a fault."""
    if isinstance(answer, Fault):
        raise answer.error
    return answer


class HostActor:
    """The object in the worker."""

    def __init__(self, make: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.host = answer(make, arguments)

    def call(self, method: str, arguments: tuple[Any, ...]) -> Any:
        """Call a method of the host."""
        return self.host if isinstance(self.host, Fault) else answer(getattr(self.host, method), arguments)


@dataclass(frozen=True)
class RemoteHost:
    """A host in a worker: its address, the future that keeps it there, and the actor."""

    address: str
    future: Any
    actor: Any


class DaskWorkers:
    """The workers of a Dask client, on which epochs are kept.

    Parameters
    ----------
    client : Client
        A ``distributed.Client``. It stays open.
    silence_seconds : float
        A worker from which the scheduler has heard nothing for so long is lost. If it speaks again, it is as good as
        a new one.

    Examples
    --------
    >>> from distributed import Client
    >>> from tetiwd.hosts import DaskWorkers
    >>> with Client(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as client:
    ...     len(DaskWorkers(client).names())
    1
    """

    def __init__(self, client: Any, *, silence_seconds: float = SILENCE_SECONDS) -> None:
        self.client, self.silence_seconds, self.traffic = client, silence_seconds, Traffic()
        self._silent: set[str] = set()
        self._heard: dict[str, tuple[float, float]] = {}  # when a worker was last seen, by its clock and by ours

    def at_work(self) -> AbstractContextManager[Any]:
        """While chains ask hosts, each from a thread of its own.

        A client that becomes the current one changes a setting of Dask for all threads and puts back what it found;
        threads that do so at the same time would leave their own change behind. Here it is made for all of them.
        """
        from dask import config

        return cast("AbstractContextManager[Any]", config.set(scheduler="dask.distributed"))

    def names(self) -> list[str]:
        """Addresses of workers that are there; waits for some if there are none."""
        deadline = time.monotonic() + self.silence_seconds
        while True:
            found = sorted(self._known() - self._silent)
            if found:
                return found
            if time.monotonic() > deadline:
                raise WorkersError("no worker is left", "start workers, and resume the run from its checkpoint")
            time.sleep(POLL_SECONDS)

    def hire(self, makers: Sequence[tuple[str, Callable[..., Any], tuple[Any, ...]]]) -> list[RemoteHost]:
        """Make a host in each of some workers."""
        with self.client.as_current():
            futures = [
                self.client.submit(HostActor, make, arguments, actor=True, workers=[address], pure=False)
                for address, make, arguments in makers
            ]
            try:
                return [
                    RemoteHost(address, future, self._wait(future.result, address))
                    for (address, *_), future in zip(makers, futures, strict=True)
                ]
            except HostLost:
                self._release(futures)
                raise

    def ask(self, calls: Sequence[Call]) -> list[Any]:
        """Call hosts at the same time and wait for all answers."""
        with self.client.as_current():
            try:
                pending = [call.host.actor.call(call.method, call.arguments) for call in calls]
            except Exception as error:
                raise HostLost(str(error)) from error
            replies = zip(pending, calls, strict=True)
            answers = [sound(self._wait(reply.result, call.host.address)) for reply, call in replies]
        self.traffic.note([call.arguments for call in calls], answers)
        return answers

    def work(self, tasks: Sequence[tuple[Callable[..., Any], tuple[Any, ...]]]) -> list[Any]:
        """Call functions on all workers in turn; again if one is lost meanwhile."""
        for _ in range(MOST_TRIES):
            names = self.names()
            places = [names[i % len(names)] for i in range(len(tasks))]
            futures = [
                self.client.submit(answer, do, arguments, workers=[name], pure=False)
                for name, (do, arguments) in zip(places, tasks, strict=True)
            ]
            try:
                return [sound(self._wait(future.result, name)) for future, name in zip(futures, places, strict=True)]
            except HostLost as error:
                loss = error
            finally:
                self._release(futures)
        raise WorkersError(f"workers were lost {MOST_TRIES} times in a row ({loss})", "look at their logs")

    def dismiss(self, hosts: Sequence[RemoteHost]) -> None:
        """Let Dask forget hosts."""
        self._release([host.future for host in hosts])

    @staticmethod
    def _release(futures: Sequence[Any]) -> None:
        for future in futures:
            with suppress(Exception):  # the scheduler may be gone
                future.cancel()

    def _wait(self, result: Callable[..., Any], address: str) -> Any:
        """Wait for a worker to answer, as long as there are signs of life."""
        while True:
            try:
                return result(timeout=POLL_SECONDS)
            except TimeoutError:
                self._check_alive(address)
            except Exception as error:
                raise HostLost(f"{address}: {error}") from error

    def _check_alive(self, address: str) -> None:
        if address not in self._known():
            raise HostLost(f"{address} has left")
        if address in self._silent:
            raise HostLost(f"{address} was silent for {self.silence_seconds:g} s")

    def _known(self) -> set[str]:
        """Workers that the scheduler knows; notes which of them it has not heard from for too long."""
        try:
            workers = self.client.scheduler_info(n_workers=-1)["workers"]
        except Exception as error:
            fault = f"the scheduler does not answer ({error})"
            raise WorkersError(fault, "start it again, and resume the run from its checkpoint") from error
        now = time.monotonic()
        for address, about in workers.items():
            if address not in self._heard or self._heard[address][0] != about["last_seen"]:
                self._heard[address] = (about["last_seen"], now)
        self._silent = {address for address, (_, heard) in self._heard.items() if now - heard > self.silence_seconds}
        return set(workers)
