"""The program and its commands. Every command is in a file of its own and imports what it needs when it runs."""

import io
import sys
from typing import Annotated

import typer

import tetiwd
from tetiwd.cli import check, demo, doctor, experiment, fit, notes, query, simulate
from tetiwd.cli.console import ask_for_traceback
from tetiwd.cli.exit_codes import MEANING

EXIT_CODES = "  ".join(f"{code}: {text}." for code, text in MEANING.items())

app = typer.Typer(
    name="tetiwd",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"Exit codes. {EXIT_CODES}",
)


def _show_version(value: bool) -> None:
    if value:
        print(f"tetiwd {tetiwd.__version__}")
        raise typer.Exit


@app.callback()
def start(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and stop.")
    ] = False,
    traceback: Annotated[bool, typer.Option("--traceback", help="Show where in the program an error arose.")] = False,
) -> None:
    """Clusters of distances through time: which there are at every time, and which of today is yesterday's.

    Begin with: tetiwd demo. Then look at your own data with tetiwd check FILE, and cluster them with tetiwd fit FILE.
    """
    ask_for_traceback(traceback)


app.command()(check.check)
app.command()(fit.fit)
app.command()(notes.notes)
app.command()(fit.resume)
app.command()(query.summarize)
app.command()(query.report)
app.command()(query.predict)
app.command()(query.forecast)
app.command()(simulate.simulate)
app.command()(demo.demo)
app.command()(experiment.experiment)
app.command()(doctor.warmup)
app.command()(doctor.doctor)


def main() -> None:
    """What ``tetiwd`` on a command line calls."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # where a terminal has no sign for a letter
    app()
