"""Writing files so that a crash leaves either the old one or the new one, and tables so that they open safely."""

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
LABELS = ("time", "id", "first", "last", "from_time", "to_time")  # columns of tables that name times and objects


def write_whole(path: Path, write: Callable[[Path], Any]) -> None:
    """Let ``write`` fill a new file next to the place where it belongs, then put it there in one step."""
    fresh = path.with_name(path.name + ".new")
    if path.exists() and not path.is_file():  # a device, say, which would be replaced
        raise OSError(errno.EEXIST, "it is not a plain file", str(path))
    try:
        new_file(fresh).close()
        write(fresh)
        with open(fresh, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(fresh, path)
    except BaseException:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise


def new_file(path: Path) -> IO[bytes]:
    """A new file to write. One that was left behind is removed, and so is a link, whatever it leads to."""
    path.unlink(missing_ok=True)
    return open(path, "x+b")


def open_no_link(path: Path, mode: str, **options: Any) -> Any:
    """Open a file for writing, or raise an OSError if it is a link: what it leads to is somebody else's."""
    if path.is_symlink():  # not every system knows the flag below
        raise OSError(errno.ELOOP, f"{path.name} is a link", str(path))
    no_link = getattr(os, "O_NOFOLLOW", 0)
    return open(path, mode, opener=lambda name, flags: os.open(name, flags | no_link, 0o666), **options)


def write_text(path: Path, text: str) -> None:
    """A text file in UTF-8."""
    write_whole(path, lambda fresh: fresh.write_bytes(text.encode()))


def write_table(path: Path, table: "pd.DataFrame") -> None:
    """A CSV file. Numbers have six digits, but for labels of times and objects, which are written whole. Text that a
    spreadsheet would take for a formula gets an apostrophe in front."""
    whole = {name: table[name].map(str) for name in LABELS if name in table and table[name].dtype.kind == "f"}
    safe = table.assign(**whole).map(harmless).rename(columns=harmless)
    write_text(path, safe.to_csv(index=False, float_format="%.6g", lineterminator="\n"))


def harmless(value: Any) -> Any:
    """A value as a cell that no spreadsheet evaluates."""
    if not isinstance(value, str):
        return value
    in_one_cell = value.replace("\r", " ")  # some programs begin a new row there
    return f"'{in_one_cell}" if value.startswith(STARTS_A_FORMULA) else in_one_cell
