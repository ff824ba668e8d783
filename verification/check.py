"""What a check is: jobs that can run anywhere in any order, and rows of a table made from what they found.

A job is small (seconds to a few minutes), depends on nothing but its arguments and the code, and returns plain numbers
and texts. So jobs run in several processes, and a verification that was interrupted goes on with those that are left.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.table import Row

Found = dict[str, Any]  # what a job found; goes through JSON


@dataclass(frozen=True)
class Job:
    """One call of a function of the check, by arguments that go through JSON."""

    name: str  # unique within the check
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Check:
    """One way of trying to prove the package wrong."""

    title: str
    explanation: str  # what is done, and what would be a failure; a paragraph of the page
    jobs: Callable[[bool], Sequence[Job]]  # all of them, or a few (True) to see whether everything works
    run: Callable[..., Found]  # a function of a module, so that another process can find it
    rows: Callable[[dict[str, Found]], list[Row]]  # from what was found, by job
    plot: Callable[[dict[str, Found]], Any] | None = None  # a figure, if there is something to see
    summary: Callable[[dict[str, Found]], str] | None = None  # words or a table ahead of the rows
    workers: int | None = None  # processes at a time, where jobs disturb each other
    inner: bool = False  # whether it depends on nothing that reads files, draws, writes reports or talks to users
