"""How the program speaks: results on stdout, everything else on stderr; less when quiet, JSON when asked for."""

import functools
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from tetiwd.cli import exit_codes
from tetiwd.cli.wording import in_words_of_options, one_line, visible
from tetiwd.errors import MemoryLimitError, RunFolderError, TetiwdError
from tetiwd.writing import LABELS

if TYPE_CHECKING:
    import pandas as pd

F = TypeVar("F", bound=Callable[..., Any])


class Console:
    """One command's way of reports_errors."""

    def __init__(self, *, quiet: bool = False, as_json: bool = False) -> None:
        self.quiet, self.as_json = quiet, as_json

    def say(self, text: str = "") -> None:
        """A line for people."""
        if not self.quiet and not self.as_json:
            print(visible(text), flush=True)

    def remark(self, text: str) -> None:
        """Something to know, on stderr."""
        if not self.quiet:
            print(one_line(text), file=sys.stderr, flush=True)

    def warn(self, text: str) -> None:
        """Something to look at, on stderr, even when quiet."""
        print(f"Warning: {one_line(text)}", file=sys.stderr, flush=True)

    def result(self, value: Any) -> None:
        """The result as JSON, if that was asked for."""
        if self.as_json:
            print(json.dumps(finite(value), indent=2, default=_plain, allow_nan=False), flush=True)

    def table(self, table: "pd.DataFrame", title: str = "") -> None:
        """A table for people."""
        if self.quiet or self.as_json:
            return
        if title:
            self.say(f"\n{title}")
        for line in aligned(table):
            self.say(f"  {line}")

    @contextmanager
    def busy(self, what: str) -> Iterator[None]:
        """Show that something is going on that takes more than a moment."""
        from rich.console import Console

        if self.quiet:
            yield
            return
        console = Console(file=sys.stderr, force_jupyter=False)
        if not console.is_terminal:
            self.remark(f"{what} ...")
            yield
            return
        with console.status(f"{what} ..."):
            yield


def aligned(table: "pd.DataFrame") -> list[str]:
    """Rows of text in columns: numbers to the right, text to the left. Labels of times and objects are shown whole."""
    head = [str(name).replace("_", " ") for name in table.columns]
    whole = [name in LABELS for name in table.columns]
    rows = table.itertuples(index=False)
    cells = [[visible(_shown(value, own)) for value, own in zip(row, whole, strict=True)] for row in rows]
    widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
    numeric = [table.dtypes.iloc[i].kind in "iufb" for i in range(len(head))]

    def line(row: Sequence[str]) -> str:
        parts = [v.rjust(w) if right else v.ljust(w) for v, w, right in zip(row, widths, numeric, strict=True)]
        return "  ".join(parts).rstrip()

    return [line(head), *map(line, cells)]


def _shown(value: Any, whole: bool) -> str:
    if isinstance(value, float) and not whole:
        return "" if value != value else f"{value:.2f}"
    return str(value)


def reports_errors(function: F) -> F:
    """Turn errors of a command into one line and an exit code; the traceback only on request."""

    @functools.wraps(function)
    def command(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TetiwdError as error:
            if wants_traceback():
                raise
            code = exit_codes.exit_code_of(error)
            _complain(in_words_of_options(str(error)), type(error).__name__, code, as_json=bool(kwargs.get("as_json")))
            raise typer.Exit(code) from None
        except KeyboardInterrupt:
            print("Stopped.", file=sys.stderr)
            raise typer.Exit(exit_codes.INTERRUPTED) from None
        except BrokenPipeError:  # whoever read our output has had enough
            sys.stderr.close()
            raise typer.Exit(exit_codes.OK) from None
        except (typer.Exit, typer.Abort, SystemExit):
            raise
        except Exception as error:
            if wants_traceback():
                raise
            message, code = _unforeseen(error)
            _complain(message, type(error).__name__, code, as_json=bool(kwargs.get("as_json")))
            raise typer.Exit(code) from None

    return command  # type: ignore[return-value]


def _unforeseen(error: Exception) -> tuple[str, int]:
    """What to say about an error nobody has put into words: the system refused something, or it is a bug."""
    if isinstance(error, MemoryError):
        return f"there is not enough memory ({error}); use smaller data", exit_codes.exit_code_of(MemoryLimitError())
    if isinstance(error, OSError) and error.filename is not None and error.strerror is not None:
        message = f"{error.filename} cannot be used ({error.strerror}); choose another name or place"
        return message, exit_codes.exit_code_of(RunFolderError())
    where = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
    message = f"{type(error).__name__}: {error}{where}; this is a fault of the program: run again with --traceback"
    return message, exit_codes.BUG


def wants_traceback() -> bool:
    """Was ``tetiwd --traceback …`` typed?"""
    return _Asked.traceback


class _Asked:
    traceback = False


def ask_for_traceback(value: bool) -> None:
    """Remember whether tracebacks are wanted."""
    _Asked.traceback = value


def _complain(message: str, kind: str, code: int, *, as_json: bool) -> None:
    line = one_line(message)
    if as_json:
        print(json.dumps({"error": {"kind": kind, "message": line, "exit_code": code}}))
    print(f"Error: {line}", file=sys.stderr)


def _plain(value: Any) -> Any:
    """Numpy numbers and arrays, dates and paths as JSON has them."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def finite(value: Any) -> Any:
    """The same with null where a number is not finite, which JSON cannot say."""
    if isinstance(value, dict):
        return {key: finite(own) for key, own in value.items()}
    if isinstance(value, list | tuple):
        return [finite(own) for own in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def records(table: "pd.DataFrame") -> list[dict[str, Any]]:
    """Rows of a table for JSON."""
    return [{str(name): value for name, value in row.items()} for row in table.to_dict(orient="records")]
