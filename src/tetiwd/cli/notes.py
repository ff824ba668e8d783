"""``tetiwd notes``: from dated notes to groups of those they are about."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tetiwd.cli import options as o
from tetiwd.cli.console import Console, reports_errors
from tetiwd.cli.fit import Strict

NOTES = "What the notes are"


class Aligned(StrEnum):
    """Where windows begin."""

    object = "object"
    calendar = "calendar"


def _option(*names: str, text: str) -> typer.models.OptionInfo:
    return typer.Option(*names, help=text, rich_help_panel=NOTES, show_default=True)


@reports_errors
def notes(
    file: Annotated[
        Path, typer.Argument(metavar="NOTES", help="Table with one note per row: CSV, TSV (gz) or Parquet.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for the results; named after the file.")
    ] = None,
    id: Annotated[str, _option("--id", text="Column with the id of whom a note is about.")] = "id",
    date: Annotated[str, _option("--date", text="Column with the day.")] = "date",
    text: Annotated[str, _option("--text", text="Column with the text.")] = "text",
    outcome: Annotated[
        list[str] | None, _option("--outcome", text="Column with an outcome (1, 0, yes, no); may be repeated.")
    ] = None,
    good: Annotated[
        list[str] | None, _option("--good", text="Outcome that is good if it happens; others are taken as bad.")
    ] = None,
    date_format: Annotated[
        str | None, _option("--date-format", text="How dates are written, such as %m/%d/%Y; 2014-08-05 needs none.")
    ] = None,
    window: Annotated[str, _option("--window", text="Length of a window: 1y, 6m, 2w, 90d.")] = "1y",
    aligned: Annotated[
        Aligned, _option("--aligned", text="Windows from everybody's first note (object), or by calendar.")
    ] = Aligned.object,
    resolution: Annotated[
        float | None, _option("--resolution", text="The larger, the more clusters of sentences.")
    ] = None,
    dof: o.Dof = None,
    xi: o.Xi = None,
    max_clusters: o.MaxClusters = None,
    loss: o.Loss = None,
    at_most: o.AtMost = None,
    links: o.Links = None,
    chains: o.Chains = None,
    warmup: o.Warmup = None,
    draws: o.NDraws = None,
    seed: o.Seed = None,
    threads: o.Threads = None,
    checkpoint_seconds: o.CheckpointSeconds = 60.0,
    show_ids: Annotated[
        bool, typer.Option("--show-ids", help="List ids on the report.", rich_help_panel=o.SHOW)
    ] = False,
    show_text: Annotated[
        bool, typer.Option("--show-text", help="Show typical sentences on the report.", rich_help_panel=o.SHOW)
    ] = False,
    overwrite: o.Overwrite = False,
    strict: Strict = False,
    quiet: o.Quiet = False,
    as_json: o.Json = False,
) -> None:
    """Group those whom dated notes are about by what the notes say, window by window.

    Nothing leaves this machine. The report has no ids and no sentences unless they are asked for; the folder notes/ of
    the results holds both. Examples:

      tetiwd notes notes.csv --id patient --date date --text note --outcome died --window 1y --out run

      tetiwd simulate --design notes --out play && tetiwd notes play/notes.csv --id patient --outcome died
    """
    from contextlib import nullcontext

    from tetiwd.chains import check_run, resolved
    from tetiwd.cli.fit import run, stem
    from tetiwd.io.files import find_file, sha256_of
    from tetiwd.io.run_folder import RunFolder
    from tetiwd.io.settings import RunSettings
    from tetiwd.notes import NotesSettings, notes_to_series, read_notes
    from tetiwd.notes.requirements import require_text_extra
    from tetiwd.notes.storage import FOLDER, NotesShown, keep_notes
    from tetiwd.notes.watch import StageBar

    require_text_extra()
    console = Console(quiet=quiet, as_json=as_json)
    own = {"resolution": resolution} if resolution is not None else {}
    settings = NotesSettings(window=window, aligned=aligned.value, **own)  # type: ignore[arg-type]
    chosen = RunSettings.from_tables(
        {
            "model": o.model_tables(dof, xi, max_clusters),
            "sampler": o.sampler_tables(chains, warmup, draws, seed),
            "answers": {"links": "place"}
            | o.answer_tables(loss, at_most, links),  # a lineage is what is said, not who it is
        }
    )
    target = Path(f"{stem(file)}-tetiwd") if out is None else out
    folder = RunFolder(target)
    folder.check_free(overwrite=overwrite)
    with console.busy("Reading"):
        table = read_notes(file, id=id, date=date, text=text, outcomes=outcome or [], date_format=date_format)
    with nullcontext() if quiet else StageBar() as bar:
        found = notes_to_series(table, settings, cache=folder.attach(FOLDER), progress=bar)
    for line in found.counts.narrate():
        console.remark(f"Note: {line}")
    model = resolved(chosen.model, found.series)
    check_run(found.series, model, chosen.sampler)
    source = find_file(file)
    folder = RunFolder.create(
        target,
        found.series,
        chosen,
        model,
        inputs={source.name: sha256_of(source)},
        remarks=found.counts.narrate(),
        overwrite=overwrite,
        attached=[FOLDER],
    )
    keep_notes(target, table, settings, NotesShown(show_ids, show_text, tuple(good or ())))
    run(folder, console, found.series, threads=threads, checkpoint_seconds=checkpoint_seconds, strict=strict)
