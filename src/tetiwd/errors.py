"""Errors as parts: the fault, where it is, and the remedy. They become text only when somebody reads them.

A text may name settings. They are :class:`Setting` objects, not words, so that every door can write them in its own
way: ``symmetrize="mean"`` in Python, ``symmetrize = "mean"`` in a settings file, ``--symmetrize`` on a command line.

    raise DataError(
        ["is not symmetric at ", pair], ["to average them, ", give("symmetrize", "mean")], where=Where(matrix="D[2]")
    )
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

NO_VALUE: Any = object()  # a setting is named without a value


@dataclass(frozen=True)
class Setting:
    """A setting that a message names, with a value or without.

    ``give`` asks the reader to give it ("pass", "set" or "add"); ``python`` is said instead to somebody who writes
    Python, where another function does what the setting does.
    """

    name: str
    value: Any = NO_VALUE
    give: bool = False
    python: str | None = None


Text = str | Setting | Sequence[str | Setting]
Dialect = Callable[[Setting], str]


def give(name: str, value: Any = NO_VALUE, *, python: str | None = None) -> Setting:
    """Ask the reader to give a setting."""
    return Setting(name, value, give=True, python=python)


@dataclass(frozen=True)
class Where:
    """Where something is wrong: in which file and line or row, in which matrix."""

    file: str | None = None
    line: int | None = None  # of a text file, from 1
    row: int | None = None  # of a table without lines, from 1
    column: str | None = None
    matrix: str | None = None  # what the fault calls it, such as "D[2] (2003)"
    epoch: int | None = None  # position of the time point, from 0

    def __str__(self) -> str:
        """What stands in front of the fault."""
        unit = f"line {self.line}" if self.line is not None else f"row {self.row}" if self.row is not None else None
        column = None if self.column is None else f"column {self.column}"
        place = ", ".join(part for part in (unit, column) if part is not None)
        text = "".join(f"{part}: " for part in (self.file, place) if part)
        return text + (f"{self.matrix} " if self.matrix is not None else "")


def in_python(setting: Setting) -> str:
    """A setting as an argument of a function."""
    if setting.python is not None:
        return setting.python
    text = setting.name if setting.value is NO_VALUE else f"{setting.name}={_quoted(setting.value)}"
    return f"pass {text}" if setting.give else text


class TetiwdError(Exception):
    """Base of all errors raised on purpose by this package."""

    def __init__(self, fault: Text = "", remedy: Text = "", *, where: Where | None = None) -> None:
        super().__init__(fault)
        self.fault, self.remedy, self.where = fault, remedy, where or Where()

    def __str__(self) -> str:
        return self.told()

    def told(self, dialect: Dialect = in_python) -> str:
        """The whole message, with settings written in a dialect."""
        fault, remedy = (_told(text, dialect) for text in (self.fault, self.remedy))
        return f"{self.where}{fault}; {remedy}" if remedy else f"{self.where}{fault}"

    def located(self, **known: Any) -> None:
        """Add what is known about the place, where nothing better is known already."""
        self.where = replace(self.where, **{k: v for k, v in known.items() if getattr(self.where, k) is None})


class DataError(TetiwdError, ValueError):
    """The data cannot be used as they are."""


class SettingsError(TetiwdError, ValueError):
    """A setting or hyperparameter makes no sense."""


class MemoryLimitError(TetiwdError, MemoryError):
    """More memory is needed than there is; nothing was started."""


class CheckpointError(TetiwdError):
    """A checkpoint cannot be used."""


class SamplingError(TetiwdError):
    """The sampler cannot go on from where it is."""


class RunFolderError(TetiwdError):
    """A results folder cannot be made or read."""


def _told(text: Text, dialect: Dialect) -> str:
    parts = [text] if isinstance(text, str | Setting) else text
    return "".join(dialect(part) if isinstance(part, Setting) else part for part in parts)


def _quoted(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)
