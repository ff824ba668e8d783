"""Writing files so that a crash leaves either the old one or the new one, and tables so that they open safely."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_whole(path: Path, write: Callable[[Path], Any]) -> None:
    """Let ``write`` make a file next to the place where it belongs, then put it there in one step."""
    fresh = path.with_name(path.name + ".new")
    try:
        write(fresh)
        with open(fresh, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(fresh, path)
    except BaseException:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    """A text file in UTF-8."""
    write_whole(path, lambda fresh: fresh.write_bytes(text.encode()))


def write_table(path: Path, table: "pd.DataFrame") -> None:
    """A CSV file. Text that a spreadsheet would take for a formula gets an apostrophe in front."""
    safe = table.map(harmless).rename(columns=harmless)
    write_text(path, safe.to_csv(index=False, float_format="%.6g", lineterminator="\n"))


def harmless(value: Any) -> Any:
    """A value as a cell that no spreadsheet evaluates."""
    return f"'{value}" if isinstance(value, str) and value.startswith(STARTS_A_FORMULA) else value
