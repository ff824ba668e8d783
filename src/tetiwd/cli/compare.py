"""``tetiwd compare``: what changed from one run to another."""

from pathlib import Path
from typing import Annotated

import typer

from tetiwd.cli import options as o
from tetiwd.cli.command import command
from tetiwd.cli.console import Console, records
from tetiwd.errors import RunFolderError, give

FILES = ("times.csv", "lineages.csv", "moved.csv", "parameters.csv", "compare.svg")


@command()
def compare(
    first: Annotated[Path, typer.Argument(metavar="RUN1", help="Folder of the earlier run.")],
    second: Annotated[Path, typer.Argument(metavar="RUN2", help="Folder of the later run.")],
    *,
    out: Annotated[
        Path | None, o.option("--out", "-o", panel=o.OUTPUT, text="Folder for the tables as CSV, and a picture.")
    ] = None,
    overwrite: o.Overwrite = False,
    show_ids: Annotated[bool, o.option("--show-ids", text="List the objects that moved by their ids.")] = False,
    console: Console,
) -> None:
    """Print what changed between two runs: lineages, objects that moved, clusters per time and parameters.

    Examples:

      tetiwd compare run run-2004

      tetiwd compare run other-seed --out compared --json
    """
    from tetiwd.comparing import compare as side_by_side
    from tetiwd.plots import alluvial_svg
    from tetiwd.plots.comparison import comparison_layout
    from tetiwd.workflow import load_run
    from tetiwd.writing import write_table, write_text

    if out is not None and not overwrite and any((out / name).exists() for name in FILES):
        raise RunFolderError(
            f"{out} holds a comparison already", ["choose another folder, or ", give("overwrite", True)]
        )
    with console.busy("Comparing"):
        found = side_by_side(load_run(first), load_run(second))
        tables = {
            f"Lineages of both runs (1: {first.name}, 2: {second.name}; common: objects in both):": found.lineages(),
            "Objects that moved (expected: the lineage of run 2 that matches that of run 1):": found.moved(
                ids=show_ids
            ),
            "Clusters by time, and how much they agree (ari: adjusted Rand index, 1 if the same; vi: variation of "
            "information in bits, 0 if the same):": found.times(),
            "Parameters:": found.parameters(),
        }
    for title, table in tables.items():
        if len(table):
            console.table(table, title)
        else:
            console.say(f"\n{title.split(' (')[0].rstrip(':')}: none.")
    lineages, moved, times, parameters = tables.values()
    if out is not None:
        try:
            out.mkdir(parents=True, exist_ok=True)
            for name, table in zip(FILES, (times, lineages, moved, parameters), strict=False):
                write_table(out / name, table)
            layout = comparison_layout(found, (first.name or "run 1", second.name or "run 2"))
            write_text(out / FILES[-1], alluvial_svg(layout, title="Lineages of two runs"))
        except OSError as error:
            raise RunFolderError(f"cannot write into {out} ({error.strerror})", "choose another folder") from error
        console.say(f"\nWrote {', '.join(FILES)} into {out}.")
    console.result(
        {
            "lineages": records(lineages),
            "moved": records(moved),
            "times": records(times),
            "parameters": records(parameters),
        }
    )
