"""Runs as records: a line each in a file that later runs add to, with labels, so that scores can be computed anew."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tetiwd
from benchmarks import machine

FILE = "records.jsonl"
UNKNOWN = "unknown"  # where there is no git


@dataclass(frozen=True)
class Record:
    """What one method found in one set."""

    set: str
    method: str  # one of methods.METHODS or of ours.SETTINGS
    seed: int
    ours: bool
    data: str  # fingerprint of the series
    truth: list[list[int]]  # by epoch
    linked: bool  # whether equal labels at two epochs are a link
    labels: dict[str, list[list[int]]] = field(default_factory=dict)  # by estimate and epoch; others have one, ""
    seconds: dict[str, float] = field(default_factory=dict)  # by estimate, processor time
    agree: bool | None = None  # chains
    chosen: dict[str, Any] = field(default_factory=dict)
    version: str = ""
    commit: str = ""
    code: str = ""  # hash of the files of the package
    date: str = ""
    machine: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """What a record is an answer to; the package is part of the question only where it answers."""
        return self.set, self.data, self.method, str(self.seed), self.code if self.ours else ""


@dataclass(frozen=True)
class Code:
    """Which files of the package are in use."""

    version: str
    commit: str
    tree: str  # hash of its files
    changed: bool  # since that commit

    @classmethod
    def of(cls, commit: str = "HEAD") -> "Code":
        """The package as of a commit of the tree that it is imported from."""
        folder = Path(tetiwd.__file__).parent
        short = machine.git("rev-parse", "--short", commit, folder=folder)
        tree = machine.git("rev-parse", "--short", f"{commit}:./", folder=folder)
        changed = commit == "HEAD" and bool(machine.git("status", "--porcelain", "--", ".", folder=folder))
        return cls(tetiwd.__version__, short or UNKNOWN, tree or UNKNOWN, changed)


class Kept:
    """Records of earlier runs and of this one; in memory only if there is no folder."""

    def __init__(self, folder: Path | None) -> None:
        self.path = None if folder is None else folder / FILE
        self.records: dict[tuple[str, ...], Record] = {}
        if self.path is not None and self.path.exists():
            for line in self.path.read_text("utf-8").splitlines():
                record = Record(**json.loads(line))
                self.records[record.key] = record

    def add(self, record: Record) -> None:
        """Keep a record; the last one with a key counts."""
        self.records[record.key] = record
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab", buffering=0) as file:  # one write, so that several runs may share the file
                file.write((json.dumps(asdict(record)) + "\n").encode())


def as_lists(labels: Iterable[NDArray[Any]]) -> list[list[int]]:
    """Labels of every epoch as small whole numbers, the same number for the same label at all epochs."""
    by_epoch = list(labels)
    codes = np.unique(np.concatenate(by_epoch), return_inverse=True)[1]
    return [part.tolist() for part in np.split(codes, np.cumsum([len(own) for own in by_epoch])[:-1])]
