"""``tetiwd extend`` and ``tetiwd names``: a run that lives on, and what its lineages are called."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tetiwd.cli import options as o
from tetiwd.cli.command import Tables, command
from tetiwd.cli.console import Console, records
from tetiwd.cli.fit import deliver, watcher_for
from tetiwd.cli.guests import additions
from tetiwd.cli.names import names_in_file
from tetiwd.cli.sides import Asked, Covariates, Known, MetadataFile, Survival, attach_sides_after, write_side_tables
from tetiwd.cli.signals import signals_as_interrupt
from tetiwd.io.data_settings import DataSettings
from tetiwd.params import CHECKPOINT_SECONDS, SamplerSettings

if TYPE_CHECKING:
    from tetiwd.data import DistanceSeries

Target = Annotated[
    Path | None, o.option("--out", "-o", panel=o.OUTPUT, text="Folder for the results; RUN-extended if not given.")
]
HoldBefore = Annotated[
    str | None,
    o.option(
        "--hold-before",
        text="Leave all times before this one as the earlier draws have them: faster, but an approximation, as new "
        "data then say nothing about them.",
        metavar="TIME",
    ),
]
Refresh = Annotated[
    bool,
    o.option(
        "--refresh/--no-refresh",
        text="Whether chains go through the draws of the earlier run, which takes a fraction of the sweeps, or only "
        "start at one. [default: refresh]",
    ),
]
OF_SAMPLING = (SamplerSettings, "n_chains", "n_draws", "max_draws", "max_minutes", "seed")


@command(DataSettings, OF_SAMPLING)
def extend(
    run_folder: o.Folder,
    files: o.Files,
    *,
    out: Target = None,
    overwrite: o.Overwrite = False,
    hold_before: HoldBefore = None,
    refresh: Refresh = True,
    metadata: MetadataFile = None,
    known: Known = None,
    covariates: Covariates = None,
    survival: Survival = None,
    names: o.NamesFile = None,
    n_threads: o.Threads = None,
    checkpoint_seconds: o.CheckpointSeconds = CHECKPOINT_SECONDS,
    strict: o.Strict = False,
    given: Tables,
    console: Console,
) -> None:
    """Add new times to a run, for a fraction of the time of fitting anew. Lineages keep their names and colours.

    Files may hold the new times only, or the earlier ones as well, unchanged. They are read as those of the earlier run
    were, unless options say otherwise. Degrees of freedom, geometry and unit stay as they are; to choose them anew, run
    tetiwd fit with --names-from. Metadata of the earlier run are taken over. Examples:

      tetiwd extend run measurements_2004.csv --out run-2004

      tetiwd extend run genomes_2004.fasta --metadata all_patients.csv --known clade

      tetiwd extend run d_2004.npy --squared --hold-before 2002
    """
    from tetiwd.io.longer_alignment import with_kept_sequences
    from tetiwd.io.read import read_series
    from tetiwd.io.run_folder import RunFolder
    from tetiwd.io.settings import RunSettings, merged
    from tetiwd.workflow import extend_into

    target = run_folder.with_name(f"{run_folder.name}-extended") if out is None else out
    RunFolder(target).check_free(overwrite=overwrite)
    before = {"data": RunFolder.open(run_folder).settings().to_tables()["data"]}
    before["data"].pop("times", None)  # those of the earlier files
    settings = RunSettings.from_tables(merged(before, {"data": given.get("data", {})}))
    asked = Asked.of(metadata, known, covariates, survival)
    data = asked.times_for(files, settings.data)
    with console.busy("Reading"):
        new = read_series(files, data)
        series = with_kept_sequences(run_folder, files, new.series, data)
    for remark in new.remarks:
        console.remark(f"Note: {remark}")
    options: dict[str, Any] = {"inputs": new.hashes, "remarks": new.remarks, "overwrite": overwrite}
    options |= {"n_threads": n_threads, "checkpoint_seconds": checkpoint_seconds, "watcher": watcher_for(console)}

    def beside(whole: "DistanceSeries") -> tuple[list[str], Any]:
        attached = attach_sides_after(target, run_folder, asked, whole, files, data, console)
        return attached, additions(target).sections

    with signals_as_interrupt():
        analysis = extend_into(
            target,
            run_folder,
            series,
            beside=beside,
            sampler=given.get("sampler"),
            by_user=names_in_file(names),
            hold_before=hold_before,
            refresh=refresh,
            **options,
        )
        if analysis is not None:
            write_side_tables(additions(target).sections, analysis, target)
        deliver(analysis, console, target, strict=strict)


@command()
def names(
    run_folder: o.Folder,
    file: Annotated[
        Path | None,
        typer.Argument(help="Table with the columns lineage, name and, if wanted, colour (#RRGGBB)."),
    ] = None,
    *,
    console: Console,
) -> None:
    """Give lineages names and colours, which then are in all tables and pictures; without a table, list them.

    Runs that extend this one, or that are fitted with --names-from, take them over. Examples:

      tetiwd names run

      tetiwd names run names.csv
    """
    import pandas as pd

    from tetiwd.plots.colours import lineage_colour
    from tetiwd.summarize.naming import lineage_name, named
    from tetiwd.workflow import load_run, rename

    if file is None:
        analysis = load_run(run_folder)
    else:
        added = additions(run_folder)
        given = names_in_file(file)
        with console.busy("Drawing figures"):
            analysis = rename(run_folder, given, sections=added.sections, show_ids=added.show_ids)
            write_side_tables(added.sections, analysis, run_folder)
    with named(analysis.clustering.names):
        lineages = analysis.clustering.lineages.tolist()
        called = [(g, lineage_name(g), lineage_colour(g)) for g in lineages]
    table = pd.DataFrame(called, columns=["lineage", "name", "colour"])
    console.table(table)
    console.result(records(table))
