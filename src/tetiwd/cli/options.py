"""Arguments and options that several commands share and that are not settings of a run."""

from pathlib import Path
from typing import Annotated, Any

import typer

from tetiwd.params import CHECKPOINT_SECONDS, RUN

OUTPUT = "Output"


def option(*names: str, panel: str | None = None, text: str, **more: Any) -> Any:
    """An option whose default, if any, is in its text."""
    return typer.Option(*names, help=text, rich_help_panel=panel, show_default=False, **more)


def annotated(type_of_value: Any, option: Any) -> Any:
    """A type with its option, as typer reads it."""
    return Annotated[type_of_value, option]


# What cannot be read is refused by whoever reads it, with an exit code of its own.
Files = Annotated[list[Path], typer.Argument(help="Data files: one for all times, or one per time.", readable=False)]
Folder = Annotated[Path, typer.Argument(metavar="RUN", help="Folder written by tetiwd fit.", readable=False)]
Out = Annotated[
    Path | None,
    option("--out", "-o", panel=OUTPUT, text="Folder for the results; named after the first file if not given."),
]
Strict = Annotated[
    bool, option("--strict", panel=OUTPUT, text="End with exit code 8 if the chains have not converged.")
]
Threads = Annotated[
    int | None, option("--threads", panel=RUN, text="Threads; one per processor if not given.", min=1, metavar="NUMBER")
]
CheckpointSeconds = Annotated[
    float,
    option(
        "--checkpoint-seconds",
        panel=RUN,
        text=f"Seconds between checkpoints of a chain. [default: {CHECKPOINT_SECONDS:g}]",
        min=0,
        metavar="SECONDS",
    ),
]
SettingsFile = Annotated[
    Path | None, option("--settings", panel=RUN, text="TOML file with settings; options override it.")
]
Assignments = Annotated[
    list[str] | None,
    option(
        "--set",
        panel=RUN,
        text="Any other setting, such as model.df_A=200; may be repeated.",
        metavar="TABLE.NAME=VALUE",
    ),
]
NamesFrom = Annotated[
    Path | None,
    option(
        "--names-from",
        panel=OUTPUT,
        text="Earlier run whose lineages lend their numbers, names and colours to those with the same objects.",
        metavar="RUN",
    ),
]
NamesFile = Annotated[
    Path | None,
    option(
        "--names",
        panel=OUTPUT,
        text="Table with names for lineages: columns lineage, name and, if wanted, colour (#RRGGBB).",
        metavar="FILE",
    ),
]
Quiet = Annotated[bool, option("--quiet", "-q", panel=OUTPUT, text="Print only warnings and errors.")]
Json = Annotated[bool, option("--json", panel=OUTPUT, text="Print the result as JSON.")]
Overwrite = Annotated[bool, option("--overwrite", panel=OUTPUT, text="Replace existing results.")]
CsvFile = Annotated[Path | None, option("--out", "-o", panel=OUTPUT, text="CSV file to write; printed if not given.")]
