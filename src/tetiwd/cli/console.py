"""Console output: results on stdout, everything else on stderr; less with --quiet, JSON with --json."""

import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from math import isfinite
from typing import TYPE_CHECKING, Any

from tetiwd.writing import LABELS

if TYPE_CHECKING:
    import pandas as pd

WIDEST = 10_000  # columns; tables are never folded


class Console:
    """What one command prints."""

    def __init__(self, *, quiet: bool = False, as_json: bool = False) -> None:
        self.quiet, self.as_json = quiet, as_json

    def say(self, text: str = "") -> None:
        """Print a line for people."""
        if not self.quiet and not self.as_json:
            print(visible(text), flush=True)

    def remark(self, text: str) -> None:
        """Print a remark on stderr."""
        if not self.quiet:
            print(one_line(text), file=sys.stderr, flush=True)

    def warn(self, text: str) -> None:
        """Print a warning on stderr, even when quiet."""
        print(f"Warning: {one_line(text)}", file=sys.stderr, flush=True)

    def complain(self, message: str, kind: str, code: int) -> None:
        """Print an error on stderr, and as JSON if that was asked for."""
        line = one_line(message)
        self.result({"error": {"kind": kind, "message": line, "exit_code": code}})
        print(f"Error: {line}", file=sys.stderr, flush=True)

    def result(self, value: Any) -> None:
        """Print the result as JSON, if that was asked for."""
        if self.as_json:
            print(json.dumps(finite(value), indent=2, default=_plain, allow_nan=False), flush=True)

    def table(self, table: "pd.DataFrame", title: str = "") -> None:
        """Print a table for people."""
        if self.quiet or self.as_json:
            return
        if title:
            self.say(f"\n{title}")
        for line in aligned(table):
            self.say(f"  {line}")

    @contextmanager
    def busy(self, what: str) -> Iterator[None]:
        """Show that something is going on that takes more than a moment."""
        from rich.console import Console as RichConsole

        if self.quiet:
            yield
            return
        console = RichConsole(file=sys.stderr, force_jupyter=False)
        if not console.is_terminal:
            self.remark(f"{what} ...")
            yield
            return
        with console.status(f"{what} ..."):
            yield


def aligned(table: "pd.DataFrame") -> list[str]:
    """Rows of text in columns: numbers to the right, text to the left. Labels of times and objects are shown whole."""
    from rich.console import Console as RichConsole
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=None, pad_edge=False, padding=(0, 1))
    for name, dtype in table.dtypes.items():
        shown.add_column(Text(str(name).replace("_", " ")), justify="right" if dtype.kind in "iufb" else "left")
    for row in table.itertuples(index=False):
        cells = zip(table.columns, row, strict=True)
        shown.add_row(*(Text(visible(_shown(value, whole=name in LABELS))) for name, value in cells))
    page = RichConsole(file=io.StringIO(), width=WIDEST, color_system=None, force_jupyter=False)
    with page.capture() as capture:
        page.print(shown)
    return [line.rstrip() for line in capture.get().splitlines()]


def _shown(value: Any, *, whole: bool) -> str:
    if isinstance(value, float) and not whole:
        return "" if value != value else f"{value:.2f}"
    return str(value)


def visible(text: str) -> str:
    """Text that cannot play tricks on a terminal: control and direction marks are shown as codes."""
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text)


def one_line(text: str, longest_word: int = 300) -> str:
    """Text without line breaks; the middle of very long words is left out."""
    half = longest_word // 2
    words = (word if len(word) <= longest_word else f"{word[:half]}…{word[-half:]}" for word in visible(text).split())
    return " ".join(words)


def _plain(value: Any) -> Any:
    """Numpy numbers and arrays, dates and paths as JSON has them."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def finite(value: Any) -> Any:
    """The same with null where a number is not finite, which JSON cannot say."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def records(table: "pd.DataFrame") -> list[dict[str, Any]]:
    """Rows of a table for JSON."""
    return [{str(name): value for name, value in row.items()} for row in table.to_dict(orient="records")]


class _Forgiving(io.RawIOBase):
    """A stream that goes on into nothing once its reader has left, as ``head -1`` does, or its disk is full."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.fault: OSError | None = None  # why something was lost that somebody may want to read

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def write(self, data: Any) -> int:
        try:
            return os.write(self._descriptor, data)
        except OSError as error:
            self.fault = None if isinstance(error, BrokenPipeError) else error
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, self._descriptor)
            os.close(nothing)
            return len(data)


def outlive_readers() -> None:
    """Let no work be lost because stdout or stderr cannot be written any more, or a terminal lacks a character."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if not isinstance(stream, io.TextIOWrapper):
            continue
        stream.reconfigure(errors="replace")
        if not stream.isatty():
            pipe = io.BufferedWriter(_Forgiving(stream.fileno()))
            setattr(sys, name, io.TextIOWrapper(pipe, stream.encoding, "replace", line_buffering=True))


def lost_output() -> str | None:
    """Why something that was printed is lost, unless nobody wanted to read it."""
    pipe = getattr(sys.stdout, "buffer", None)
    stream = getattr(pipe, "raw", None)
    fault = stream.fault if isinstance(stream, _Forgiving) else None
    return None if fault is None else f"the output cannot be written ({fault.strerror}); make room and try again"
