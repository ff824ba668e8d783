"""Run folders in which something else is in the place of a file: a link, a pipe, a folder, a file of another run."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from verification import commands
from verification.crafted import reading
from verification.crafted.chance import Crafted, Rng, a_few, one_of

FORECAST, REPORT, LONGER = ("forecast", "run"), ("report", "run", "-q"), (*commands.RESUME, "--draws", "70")
AGAIN = (*commands.FIT, *commands.SHORT, "--overwrite")
COMMANDS = (reading.ASK, reading.ASK, FORECAST, REPORT, commands.RESUME, LONGER, AGAIN)
NEW = (
    "run.toml.new",
    "names.json",
    "resolution.json",
    "metadata",
    "metadata/metadata.json",
    "sequences",
    "notes",
    ".lock",
)


def write(rng: Rng) -> Crafted:
    """A run beside files of somebody else; something in it is changed in one or a few ways, then it is asked."""
    if not Path("../second").exists():
        _make_second()
    shutil.copytree("../run", "run")
    shutil.copy("../x.csv", "x.csv")
    shutil.copytree("../run", "theirs/run")
    Path("theirs/secret").write_text("theirs", "utf-8")
    for _ in range(a_few(rng)):
        entries = sorted(Path("run").rglob("*"))
        folders = [path for path in entries if path.is_dir()]
        entries = folders if folders and rng.random() < 0.3 else entries
        entry = Path("run", one_of(NEW, rng)) if not entries or rng.random() < 0.15 else one_of(entries, rng)
        one_of(CHANGES, rng)(entry, rng)
    return ask, one_of(COMMANDS, rng)


def ask(words: Any) -> None:
    """A command, which must leave alone what is not in the folder."""
    before = _seen(Path("theirs"))
    try:
        reading.ask(words)
    finally:
        if _seen(Path("theirs")) != before:
            raise AssertionError(f"{words[0]} has changed files of somebody else")


def _seen(folder: Path) -> dict[str, bytes]:
    """Everything in it."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and not path.is_symlink()}


def _make_second() -> None:
    """Another run, of other data with the same names."""
    aside = Path("second").resolve()
    aside.mkdir()
    commands.write_data(aside, seed=5)
    home = Path.cwd()
    os.chdir(aside)
    try:
        commands.here((*commands.FIT, *commands.SHORT))
    finally:
        os.chdir(home)
    shutil.move(aside / "run", "../second")
    shutil.rmtree(aside)


def _remove(entry: Path) -> None:
    if entry.is_dir() and not entry.is_symlink():
        shutil.rmtree(entry)
    else:
        entry.unlink(missing_ok=True)
    entry.parent.mkdir(parents=True, exist_ok=True)


# Changes


def link(entry: Path, rng: Rng) -> None:
    """A link: to files of somebody else, to the run, to itself, to a device, or to nothing."""
    relative = entry.relative_to("run")
    targets = (
        *(Path("theirs/secret"), Path("theirs"), Path("theirs/run", relative), Path("theirs/nothing"), Path("run")),
        *(entry, Path("run/run.toml"), Path("theirs/run/checkpoint"), Path("../second", relative)),
        *(Path("/dev/zero"), Path("/dev/null"), Path("/dev/full"), Path("/proc/self/mem"), Path("/")),
    )
    target = Path(os.path.abspath(one_of(targets, rng)))
    _remove(entry)
    entry.symlink_to(target)


def pipe(entry: Path, rng: Rng) -> None:
    """A pipe, which nobody writes to."""
    _remove(entry)
    os.mkfifo(entry)


def folder(entry: Path, rng: Rng) -> None:
    """A folder, empty or not."""
    _remove(entry)
    entry.mkdir()
    if rng.random() < 0.5:
        (entry / one_of(("a", "attached.txt", "run.toml"), rng)).write_text("a", "utf-8")


def file(entry: Path, rng: Rng) -> None:
    """A file without anything, or with junk, also in the place of a folder."""
    _remove(entry)
    entry.write_bytes(one_of((b"", b"\0" * 1000, b"junk", b"{}", b"[]", b"\x93NUMPY", b"PK\x03\x04"), rng))


def of_second(entry: Path, rng: Rng) -> None:
    """The file of another run."""
    other = Path("../second", entry.relative_to("run"))
    if other.is_file():
        _remove(entry)
        shutil.copy(other, entry)


def exchange(entry: Path, rng: Rng) -> None:
    """Another file of the same run."""
    other = one_of([path for path in sorted(Path("../run").rglob("*")) if path.is_file()], rng)
    _remove(entry)
    shutil.copy(other, entry)


def remove(entry: Path, rng: Rng) -> None:
    """Nothing."""
    _remove(entry)


CHANGES: tuple[Callable[[Path, Rng], None], ...] = (link, link, link, pipe, folder, file, of_second, exchange, remove)
