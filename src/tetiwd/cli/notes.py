"""``tetiwd notes``: cluster people or things by what their dated notes say."""

from pathlib import Path
from typing import Annotated, Any

import typer

from tetiwd.cli import options as o
from tetiwd.cli.command import Tables, command
from tetiwd.cli.console import Console
from tetiwd.notes.settings import NotesSettings
from tetiwd.params import CHECKPOINT_SECONDS, AnswerSettings, Hyperparameters, SamplerSettings

INPUT = "Input"


def _column(name: str, text: str) -> Any:
    return o.option(name, panel=INPUT, text=text)


@command(NotesSettings, Hyperparameters, SamplerSettings, AnswerSettings)
def notes(
    file: Annotated[
        Path, typer.Argument(metavar="NOTES", help="Table with one note per row: CSV, TSV (gz) or Parquet.")
    ],
    *,
    out: o.Out = None,
    id: Annotated[str, _column("--id", "Column with the id of the person or thing. [default: id]")] = "id",
    date: Annotated[str, _column("--date", "Column with the date. [default: date]")] = "date",
    text: Annotated[str, _column("--text", "Column with the text. [default: text]")] = "text",
    outcome: Annotated[
        list[str] | None, _column("--outcome", "Column with an outcome (1, 0, yes, no); may be repeated.")
    ] = None,
    good: Annotated[
        list[str] | None, _column("--good", "Outcome that is good if it happens; others count as bad.")
    ] = None,
    date_format: Annotated[
        str | None, _column("--date-format", "Format of dates such as %m/%d/%Y; 2014-08-05 needs none.")
    ] = None,
    n_threads: o.Threads = None,
    checkpoint_seconds: o.CheckpointSeconds = CHECKPOINT_SECONDS,
    show_ids: Annotated[bool, o.option("--show-ids", panel=o.OUTPUT, text="List ids in the report.")] = False,
    show_text: Annotated[
        bool, o.option("--show-text", panel=o.OUTPUT, text="Show typical sentences in the report.")
    ] = False,
    overwrite: o.Overwrite = False,
    strict: o.Strict = False,
    given: Tables,
    console: Console,
) -> None:
    """Cluster people (or things) by what their dated notes say, one time window at a time.

    Nothing leaves this machine. The report has no ids and no sentences unless asked for; the folder notes/ of the
    results holds both. Examples:

      tetiwd notes notes.csv --id patient --date date --text note --outcome died --window 1y --out run

      tetiwd simulate --design notes --out play && tetiwd notes play/notes.csv --id patient --outcome died
    """
    from contextlib import nullcontext

    from tetiwd.cli.fit import deliver, stem, watcher_for
    from tetiwd.cli.guests import additions
    from tetiwd.cli.signals import signals_as_interrupt
    from tetiwd.io.files import find_file, sha256_of
    from tetiwd.io.run_folder import RunFolder
    from tetiwd.io.settings import RunSettings, merged
    from tetiwd.notes import notes_to_series, read_notes
    from tetiwd.notes.requirements import require_text_extra
    from tetiwd.notes.stages import StageBar
    from tetiwd.notes.storage import FOLDER, NotesShown, keep_notes
    from tetiwd.workflow import finish, start

    require_text_extra()
    settings = NotesSettings(**given.pop("notes", {}))
    by_place = {"answers": {"links": "place"}}  # a lineage is a topic, not a group of people
    chosen = RunSettings.from_tables(merged(by_place, given))
    target = Path(f"{stem(file)}-tetiwd") if out is None else out
    folder = RunFolder(target)
    folder.check_free(overwrite=overwrite)
    with console.busy("Reading"):
        table = read_notes(file, id=id, date=date, text=text, outcomes=outcome or [], date_format=date_format)
    with nullcontext() if console.quiet else StageBar() as bar:
        noted = notes_to_series(table, settings, cache=folder.attach(FOLDER), progress=bar)
    remarks = noted.counts.narrate()
    for remark in remarks:
        console.remark(f"Note: {remark}")
    source = find_file(file)
    with signals_as_interrupt():
        folder = start(
            target,
            noted.series,
            chosen,
            inputs={source.name: sha256_of(source)},
            remarks=remarks,
            overwrite=overwrite,
            attached=[FOLDER],
            n_threads=n_threads,
            watcher=watcher_for(console),
        )
        keep_notes(target, table, settings, NotesShown(show_ids, show_text, tuple(good or ())))
        added = additions(target)
        analysis = finish(
            folder,
            noted.series,
            n_threads=n_threads,
            checkpoint_seconds=checkpoint_seconds,
            sections=added.sections,
            show_ids=added.show_ids,
            watcher=watcher_for(console),
        )
        deliver(analysis, console, target, strict=strict)
