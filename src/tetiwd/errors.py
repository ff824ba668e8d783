"""Errors as parts: the fault, where it is, and the remedy. They become text only when somebody reads them.

A text may name settings. They are :class:`Setting` objects, not words, so that every door can write them in its own
way: ``symmetrize="mean"`` in Python, ``symmetrize = "mean"`` in a settings file, ``--symmetrize`` on a command line.

    raise DataError(
        ["is not symmetric at ", pair], ["to average them, ", give("symmetrize", "mean")], where=Where(matrix="D[2]")
    )
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any


class NoValue(Enum):
    """Stands for the value of a setting that is named without one; the same object in every process."""

    NO_VALUE = "no value"


NO_VALUE: Any = NoValue.NO_VALUE


@dataclass(frozen=True)
class Setting:
    """A setting that a message names, with a value or without.

    ``give`` asks the reader to give it ("pass", "set" or "add"); ``refused`` says that the fault is its value, which a
    switch without a value cannot have; ``python`` is said instead to somebody who writes Python, where another function
    does what the setting does. Without a name it is only the value, such as True in Python and true elsewhere.
    """

    name: str
    value: Any = NO_VALUE
    give: bool = False
    python: str | None = None
    refused: bool = False


Text = str | Setting | Sequence[str | Setting]
Dialect = Callable[[Setting], str]


def give(name: str, value: Any = NO_VALUE, *, python: str | None = None) -> Setting:
    """Ask the reader to give a setting."""
    return Setting(name, value, give=True, python=python)


def value_of(value: Any) -> Setting:
    """A value by itself, as the reader would write it; None means that the setting is left out."""
    return Setting("", value)


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
    if not setting.name:
        return quoted(setting.value)
    text = setting.name if setting.value is NO_VALUE else f"{setting.name}={quoted(setting.value)}"
    return f"pass {text}" if setting.give else text


def in_toml(setting: Setting) -> str:
    """A setting as an entry of a settings file."""
    if not setting.name:
        return as_toml(setting.value)
    text = setting.name if setting.value is NO_VALUE else f"{setting.name} = {as_toml(setting.value)}"
    return f"set {text}" if setting.give else text


def as_toml(value: Any) -> str:
    """A value as it stands in a settings file."""
    if value is None:
        return "left out"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(as_toml, value))}]"
    return quoted(value) if isinstance(value, str) else str(value)


class TetiwdError(Exception):
    """Base of all errors raised on purpose by this package."""

    def __init__(self, fault: Text = "", remedy: Text = "", *, where: Where | None = None) -> None:
        super().__init__(fault)
        self.fault, self.remedy, self.where = fault, remedy, where or Where()
        self.dialect: Dialect | None = None  # the only one that suits, if the fault is in a settings file, say

    def __str__(self) -> str:
        return self.told()

    def told(self, dialect: Dialect = in_python) -> str:
        """The whole message, with settings written in a dialect."""
        dialect = self.dialect or dialect
        fault, remedy = (_told(text, dialect) for text in (self.fault, self.remedy))
        return f"{self.where}{fault}; {remedy}" if remedy else f"{self.where}{fault}"

    def located(self, **known: Any) -> None:
        """Add what is known about the place, where nothing better is known already."""
        self.where = replace(self.where, **{k: v for k, v in known.items() if getattr(self.where, k) is None})


class DataError(TetiwdError, ValueError):
    """The data cannot be used as they are. The message names the epoch, the objects, the worst value and a remedy.

    Examples
    --------
    >>> import numpy as np
    >>> from tetiwd import DataError, DistanceSeries
    >>> try:
    ...     DistanceSeries.from_distances([np.ones((4, 4))], squared=True)
    ... except DataError as error:
    ...     print(error)
    ...
    D[0] has a nonzero diagonal: 1 at object 0; an object is at distance 0 from itself: set the diagonal to 0
    """


class SettingsError(TetiwdError, ValueError):
    """A setting or hyperparameter makes no sense.

    Examples
    --------
    >>> from tetiwd import SamplerSettings, SettingsError
    >>> try:
    ...     SamplerSettings(n_chains=0)
    ... except SettingsError as error:
    ...     print(error)
    ...
    n_chains must be a whole number of at least 1, not 0
    """


class MemoryLimitError(TetiwdError, MemoryError):
    """More memory is needed than there is; nothing was started.

    Examples
    --------
    >>> from tetiwd import MemoryLimitError
    >>> issubclass(MemoryLimitError, MemoryError)  # so that either name catches it
    True
    """


class CheckpointError(TetiwdError):
    """A checkpoint cannot be used: it is missing, damaged, or belongs to other data or settings.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from tetiwd import CheckpointError, DistanceSeries, Hyperparameters, run_chains, simulate_separated
    >>> series = DistanceSeries.from_distances(simulate_separated(seed=1).D, squared=True)
    >>> with TemporaryDirectory() as folder:
    ...     try:
    ...         run_chains(series, Hyperparameters(dof=100), checkpoint=folder, resume=True)
    ...     except CheckpointError as error:
    ...         print("nothing to resume")
    ...
    nothing to resume
    """


class SamplingError(TetiwdError):
    """The sampler cannot go on from where it is.

    Examples
    --------
    >>> from tetiwd import SamplingError
    >>> issubclass(SamplingError, Exception)
    True
    """


class WorkersError(TetiwdError):
    """Work cannot be given to other processes or machines, or none of them answers.

    Examples
    --------
    >>> from tetiwd import WorkersError
    >>> issubclass(WorkersError, Exception)
    True
    """


class RunFolderError(TetiwdError):
    """A results folder cannot be made or read.

    Examples
    --------
    >>> from tetiwd import RunFolderError, load_run
    >>> try:
    ...     load_run("no-such-folder")
    ... except RunFolderError as error:
    ...     print(error)
    ...
    there is no folder no-such-folder; give the folder that fit has written
    """


def _told(text: Text, dialect: Dialect) -> str:
    parts = [text] if isinstance(text, str | Setting) else text
    return "".join(dialect(part) if isinstance(part, Setting) else part for part in parts)


def quoted(value: Any) -> str:
    """A value as Python writes it, text with the quotation marks that TOML has, too."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


def plural(n: int, what: str) -> str:
    """ "1 cluster", "2 clusters"."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"
