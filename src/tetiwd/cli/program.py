"""The program and its commands. Commands import what they need when they run, so that --help stays fast."""

import sys
from typing import Annotated

import typer

import tetiwd
from tetiwd.cli import check, collect, compare, demo, doctor, extend, fit, notes, query, resolution, simulate
from tetiwd.cli.console import Console, lost_output, outlive_readers
from tetiwd.cli.exit_codes import MEANING, exit_code_of
from tetiwd.cli.plug_ins import Commands
from tetiwd.errors import RunFolderError

EXIT_CODES = "  ".join(f"{code}: {text}." for code, text in MEANING.items())

app = typer.Typer(
    name="tetiwd",
    cls=Commands,
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
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    traceback: Annotated[bool, typer.Option("--traceback", help="Show the traceback of an error.")] = False,
) -> None:
    """Cluster pairwise distances at several time points, and link the clusters into lineages.

    Start with tetiwd demo. Then check your own data with tetiwd check FILE, and cluster them with tetiwd fit FILE.
    """


app.command()(check.check)
app.command()(resolution.resolution)
app.command()(fit.fit)
app.command()(notes.notes)
app.command()(fit.resume)
app.command()(collect.collect)
app.command()(extend.extend)
app.command()(query.summarize)
app.command()(query.report)
app.command()(query.predict)
app.command()(query.forecast)
app.command()(compare.compare)
app.command()(extend.names)
app.command()(simulate.simulate)
app.command()(demo.demo)
app.command()(doctor.doctor)


def main() -> None:
    """Entry point of ``tetiwd`` and ``python -m tetiwd``."""
    outlive_readers()
    try:
        app()
    except SystemExit as end:
        lost = lost_output()
        if lost and not end.code:
            code = exit_code_of(RunFolderError())
            Console().complain(lost, "OSError", code)
            sys.exit(code)
        raise
