"""Hosts as actors of Dask: objects that live in a worker, and die with it.

A worker is lost when Dask says so (OSError, RuntimeError), when the scheduler does not know it any more, or when the
scheduler has not heard from it for some time. A worker that computes keeps on answering the scheduler, so a long visit
is not silence.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from tetiwd.errors import WorkersError
from tetiwd.hosts.workers import Call, HostLost, Traffic

SILENCE_SECONDS = 60.0
POLL_SECONDS = 0.5
DASK_FAILS = (OSError, RuntimeError)  # what Dask raises when the worker of an actor is gone


@dataclass(frozen=True)
class Fault:
    """What a host raised, as an answer: so that an error of its own is not taken for its loss."""

    error: Exception


class HostActor:
    """The object in the worker."""

    def __init__(self, make: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.host, self.fault = None, None
        try:
            self.host = make(*arguments)
        except Exception as error:
            self.fault = Fault(error)

    def call(self, method: str, arguments: tuple[Any, ...]) -> Any:
        """Call a method of the host."""
        if self.fault is not None:
            return self.fault
        try:
            return getattr(self.host, method)(*arguments)
        except Exception as error:
            return Fault(error)


@dataclass(frozen=True)
class RemoteHost:
    """A host in a worker: its address, the future that keeps it there, and the actor."""

    address: str
    future: Any
    actor: Any


class DaskWorkers:
    """The workers of a Dask client as places for hosts.

    Parameters
    ----------
    client
        A ``distributed.Client``. It stays open.
    silence_seconds
        A worker from which the scheduler has heard nothing for so long is given up.
    """

    def __init__(self, client: Any, *, silence_seconds: float = SILENCE_SECONDS) -> None:
        self.client, self.silence_seconds, self.traffic = client, silence_seconds, Traffic()
        self._given_up: set[str] = set()
        self._heard: dict[str, tuple[float, float]] = {}  # when a worker was last seen, by its clock and by ours

    def names(self) -> list[str]:
        """Addresses of workers that are there; waits for some if there are none."""
        deadline = time.monotonic() + self.silence_seconds
        while True:
            found = sorted(set(self._seen()) - self._given_up)
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
            hosts = []
            for (address, *_), future in zip(makers, futures, strict=True):
                actor = self._wait(future.result, address)
                hosts.append(RemoteHost(address, future, actor))
            return hosts

    def ask(self, calls: Sequence[Call]) -> list[Any]:
        """Call hosts at the same time and wait for all answers."""
        with self.client.as_current():
            try:
                pending = [call.host.actor.call(call.method, call.arguments) for call in calls]
            except DASK_FAILS as error:
                raise HostLost(str(error)) from error
            answers = [self._wait(reply.result, call.host.address) for reply, call in zip(pending, calls, strict=True)]
        for answer in answers:
            if isinstance(answer, Fault):
                raise answer.error
        self.traffic.note([call.arguments for call in calls], answers)
        return answers

    def work(self, tasks: Sequence[tuple[Callable[..., Any], tuple[Any, ...]]]) -> list[Any]:
        """Call functions anywhere; Dask calls them again where a worker was lost."""
        futures = [self.client.submit(do, *arguments, pure=False) for do, arguments in tasks]
        try:
            return [future.result() for future in futures]
        finally:
            for future in futures:
                future.release()

    def dismiss(self, hosts: Sequence[RemoteHost]) -> None:
        """Let Dask forget hosts."""
        for host in hosts:
            with suppress(*DASK_FAILS):
                host.future.release()

    def _wait(self, result: Callable[..., Any], address: str) -> Any:
        """Wait for a worker to answer, as long as there are signs of life."""
        while True:
            try:
                return result(timeout=POLL_SECONDS)
            except TimeoutError:
                self._check_alive(address)
            except DASK_FAILS as error:
                raise HostLost(f"{address}: {error}") from error

    def _check_alive(self, address: str) -> None:
        seen = self._seen()
        if address not in seen:
            raise HostLost(f"{address} has left")
        if address in self._given_up:
            raise HostLost(f"{address} was silent")

    def _seen(self) -> dict[str, float]:
        """Workers that the scheduler knows, and when it last heard from them; those that are silent are given up."""
        try:
            workers = self.client.scheduler_info(n_workers=-1)["workers"]
        except DASK_FAILS as error:
            fault = f"the scheduler does not answer ({error})"
            raise WorkersError(fault, "start it again, and resume the run from its checkpoint") from error
        now, seen = time.monotonic(), {address: about["last_seen"] for address, about in workers.items()}
        for address, last in seen.items():
            if self._heard.get(address, (None, now))[0] != last:
                self._heard[address] = (last, now)
            elif now - self._heard[address][1] > self.silence_seconds:
                self._given_up.add(address)
        return seen
