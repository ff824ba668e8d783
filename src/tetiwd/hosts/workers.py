"""Where hosts can be: processes that answer calls, and may be lost. Those of this process never are."""

import pickle
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol


class HostLost(Exception):
    """A host does not answer any more; whatever it had is gone."""


@dataclass
class Traffic:
    """How much has travelled. Bytes are counted only if asked for, since that takes time."""

    count_bytes: bool = False
    barriers: int = 0
    messages: int = 0
    n_bytes: int = 0

    def note(self, questions: Sequence[Any], answers: Sequence[Any]) -> None:
        """One more round of questions that were waited for together."""
        self.barriers += 1
        self.messages += len(questions) + len(answers)
        if self.count_bytes:
            self.n_bytes += sum(len(pickle.dumps(one, protocol=5)) for one in (*questions, *answers))


@dataclass(frozen=True)
class Call:
    """A question to one host: a method of :class:`~tetiwd.hosts.host.EpochHost` and its arguments."""

    host: Any
    method: str
    arguments: tuple[Any, ...] = ()


class Workers(Protocol):
    """Processes that hosts can be put into."""

    traffic: Traffic

    def at_work(self) -> AbstractContextManager[Any]:
        """While chains ask hosts, each from a thread of its own."""

    def names(self) -> list[str]:
        """Those that are there now; an error if there are none."""

    def hire(self, makers: Sequence[tuple[str, Callable[..., Any], tuple[Any, ...]]]) -> list[Any]:
        """Make a host in each of some workers: its name, a class and arguments. Raises :class:`HostLost`."""

    def ask(self, calls: Sequence[Call]) -> list[Any]:
        """Call hosts at the same time and wait for all answers. Raises :class:`HostLost`."""

    def work(self, tasks: Sequence[tuple[Callable[..., Any], tuple[Any, ...]]]) -> list[Any]:
        """Call functions anywhere and wait for all results."""

    def dismiss(self, hosts: Sequence[Any]) -> None:
        """Hosts that are not needed any more."""


class LocalWorkers:
    """Hosts in this process, one after the other: for tests, and to see what the way to other processes costs."""

    def __init__(self, n_workers: int = 1) -> None:
        self.n_workers, self.traffic = n_workers, Traffic()

    def at_work(self) -> AbstractContextManager[Any]:
        """Nothing to be done."""
        return nullcontext()

    def names(self) -> list[str]:
        """All of them."""
        return [f"here-{i}" for i in range(self.n_workers)]

    def hire(self, makers: Sequence[tuple[str, Callable[..., Any], tuple[Any, ...]]]) -> list[Any]:
        """Make hosts."""
        return [make(*arguments) for _, make, arguments in makers]

    def ask(self, calls: Sequence[Call]) -> list[Any]:
        """Call hosts one after the other."""
        answers = [getattr(call.host, call.method)(*call.arguments) for call in calls]
        self.traffic.note([call.arguments for call in calls], answers)
        return answers

    def work(self, tasks: Sequence[tuple[Callable[..., Any], tuple[Any, ...]]]) -> list[Any]:
        """Call functions."""
        return [do(*arguments) for do, arguments in tasks]

    def dismiss(self, hosts: Sequence[Any]) -> None:
        """Nothing to be done."""
