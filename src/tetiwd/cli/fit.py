"""``tetiwd fit`` and ``tetiwd resume``: from files to a results folder."""

import shlex
import signal
import time as clock
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tetiwd.cli import exit_codes
from tetiwd.cli import options as o
from tetiwd.cli.console import Console, records, reports_errors
from tetiwd.cli.guests import additions

if TYPE_CHECKING:
    from tetiwd.analysis import Analysis
    from tetiwd.data import DistanceSeries
    from tetiwd.io.run_folder import RunFolder

FEWEST_DRAWS = 4  # of a chain that an answer can be made from

Out = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", help="Folder for the results; named after the first file if not given.", show_default=False,
        rich_help_panel=o.SHOW,
    ),
]  # fmt: skip
Strict = Annotated[
    bool,
    typer.Option("--strict", help="End with exit code 8 if the chains do not agree.", rich_help_panel=o.SHOW),
]
MoreDraws = Annotated[
    int | None,
    typer.Option("--draws", help="Draws of each chain in all, to extend a run.", show_default=False),
]


@reports_errors
def fit(
    files: o.Files,
    out: Out = None,
    format: o.Format = None,
    squared: o.Squared = None,
    similarities: o.Similarities = False,
    metric: o.Metric = None,
    standardize: o.Standardize = False,
    columns: o.Columns = None,
    id: o.Id = None,
    time: o.Time = None,
    times: o.Times = None,
    by: o.By = None,
    objects: o.Objects = None,
    drop_missing: o.Missing = False,
    drop_small: o.DropSmall = False,
    symmetrize: o.Symmetrize = False,
    cross: o.Cross = None,
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
    settings: o.SettingsFile = None,
    assignments: o.Assignments = None,
    overwrite: o.Overwrite = False,
    strict: Strict = False,
    quiet: o.Quiet = False,
    as_json: o.Json = False,
) -> None:
    """Find clusters at every time and the lineages that link them, and write a folder of results.

    Ctrl-C keeps what was drawn; tetiwd resume goes on from there, also after a crash. Examples:

      tetiwd fit measurements.csv --time year --id patient --standardize --out run

      tetiwd fit d_2001.npy d_2002.npy d_2003.npy --squared

      tetiwd fit genomes.fasta --by year --settings mine.toml --set model.df_A=200
    """
    from tetiwd.chains import check_run, resolved
    from tetiwd.io.read import read_series
    from tetiwd.io.run_folder import RunFolder
    from tetiwd.io.settings import RunSettings, merged, parse_assignment, read_settings

    given = o.data_tables(
        format=format, squared=squared, similarities=similarities, metric=metric, standardize=standardize,
        columns=columns, id=id, time=time, times=times, by=by, objects=objects, drop_missing=drop_missing,
        drop_small=drop_small, symmetrize=symmetrize, cross=cross,
    )  # fmt: skip
    options = {
        "data": given,
        "model": o.model_tables(dof, xi, max_clusters),
        "sampler": o.sampler_tables(chains, warmup, draws, seed),
        "answers": o.answer_tables(loss, at_most, links),
    }
    tables = [read_settings(settings)] if settings else []
    chosen = RunSettings.from_tables(merged(*tables, options, *map(parse_assignment, assignments or [])))
    console = Console(quiet=quiet, as_json=as_json)
    target = Path(f"{stem(files[0])}-tetiwd") if out is None else out
    RunFolder(target).check_free(overwrite=overwrite)
    with console.busy("Reading"):
        found = read_series(files, chosen.data)
    for remark in found.remarks:
        console.remark(f"Note: {remark}")
    model = resolved(chosen.model, found.series)
    check_run(found.series, model, chosen.sampler)
    folder = RunFolder.create(
        target, found.series, chosen, model, inputs=found.hashes, remarks=found.remarks, overwrite=overwrite
    )
    run(folder, console, found.series, threads=threads, checkpoint_seconds=checkpoint_seconds, strict=strict)


@reports_errors
def resume(
    run_folder: o.Folder,
    draws: MoreDraws = None,
    threads: o.Threads = None,
    checkpoint_seconds: o.CheckpointSeconds = 60.0,
    strict: Strict = False,
    quiet: o.Quiet = False,
    as_json: o.Json = False,
) -> None:
    """Continue a run that was stopped or killed, or extend one that is complete.

    The results are the same as if it had never been interrupted. Examples:

      tetiwd resume run

      tetiwd resume run --draws 5000
    """
    from tetiwd.io.run_folder import RunFolder

    folder = RunFolder.open(run_folder)
    if draws is not None:
        folder.extend(draws)
    console = Console(quiet=quiet, as_json=as_json)
    with console.busy("Reading"):
        series = folder.series()
    run(folder, console, series, threads=threads, checkpoint_seconds=checkpoint_seconds, strict=strict)


def run(
    folder: "RunFolder",
    console: Console,
    series: "DistanceSeries",
    *,
    threads: int | None = None,
    checkpoint_seconds: float = 60.0,
    strict: bool = False,
) -> "Analysis":
    """Sample, from checkpoints if there are any; answer, write, and say what was found."""
    from tetiwd.analysis import Analysis
    from tetiwd.chains import run_chains
    from tetiwd.io.checkpoint import has_any_checkpoint
    from tetiwd.report import write_report

    settings, began_before = folder.settings(), has_any_checkpoint(folder.checkpoint)
    console.remark(f"{_in_short(series)}, dof {_short(folder.model().dof)}; results will be in {folder.path}")
    console.remark("Going on from checkpoints." if began_before else "Sampling from the beginning.")
    console.remark("The first run on a machine compiles for up to a minute.")
    began = clock.monotonic()
    with folder.working(), sigterm_as_interrupt():
        sample = run_chains(
            series,
            folder.model(),
            settings.sampler,
            n_threads=threads,
            progress=not console.quiet,
            checkpoint=folder.checkpoint,
            checkpoint_seconds=checkpoint_seconds,
            resume=began_before,
        )
        usable = sample.with_draws(FEWEST_DRAWS)
        if usable is None:
            folder.stop()
            console.warn(f"stopped before there were draws; go on with: {_resume(folder.path)}")
            raise typer.Exit(exit_codes.INTERRUPTED)
        with console.busy("Summing up the draws"):
            analysis = Analysis(usable, settings.answers)
            folder.write_results(analysis, seconds=clock.monotonic() - began)
            added = additions(folder.path)
            write_report(
                analysis, folder.path / "report.html", overwrite=True, show_ids=added.show_ids, sections=added.sections
            )
    tell(analysis, console, folder.path)
    if console.quiet and not usable.diagnostics.converged:
        console.warn(usable.diagnostics.verdict)
    if not sample.complete:
        console.warn(f"stopped early; go on with: {_resume(folder.path)}")
        raise typer.Exit(exit_codes.INTERRUPTED)
    if strict and not sample.diagnostics.converged:
        raise typer.Exit(exit_codes.NOT_CONVERGED)
    return analysis


def tell(analysis: "Analysis", console: Console, folder: Path | None = None) -> None:
    """What was found, for people or as JSON."""
    from tetiwd.summarize.narrative import narrate

    sentences = narrate(analysis)
    console.say()
    for sentence in sentences:
        console.say(sentence)
    console.table(analysis.n_clusters(), "Clusters in the representative clustering; median and interval of the draws:")
    console.table(_narrow(analysis.lineages.table()), "Lineages and their sizes:")
    if folder is not None:
        console.say(f"\nLook at {folder / 'report.html'}; labels are in {folder / 'labels.csv'}.")
        if analysis.sample.complete and not analysis.sample.diagnostics.converged:
            console.say(f"For more draws: {_resume(folder)} --draws {3 * analysis.sample.settings.n_draws}")
    console.result(
        {
            "folder": None if folder is None else str(folder),
            "words": sentences,
            "converged": analysis.sample.diagnostics.converged,
            "complete": analysis.sample.complete,
            "clusters": records(analysis.n_clusters()),
            "lineages": records(analysis.lineages.table()),
        }
    )


def _narrow(table: Any) -> Any:
    """A table of lineages that fits a terminal: sizes as they follow each other in time."""
    sizes = [name for name in table.columns if str(name).startswith("size at ")]
    shown = table[["lineage", "first", "last", "objects", "stability"]].copy()
    for name in ("first", "last"):
        shown[name] = shown[name].astype(str)
    shown["sizes"] = [" ".join(str(size) if size else "·" for size in row) for row in table[sizes].to_numpy()]
    return shown


@contextmanager
def sigterm_as_interrupt() -> Iterator[None]:
    """A polite request to end, as a scheduler sends it, keeps what was drawn just as Ctrl-C does."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _in_short(series: "DistanceSeries") -> str:
    sizes = series.n_objects
    shown = ", ".join(map(str, sizes)) if len(sizes) <= 6 else f"{min(sizes)} to {max(sizes)}"
    return f"{len(sizes)} time{'s' if len(sizes) > 1 else ''} with {shown} objects"


def _resume(folder: Path) -> str:
    return f"tetiwd resume {shlex.quote(str(folder))}"


def stem(file: Path) -> str:
    """The name of a file without what tells its kind."""
    return file.name.removesuffix(".gz").rsplit(".", 1)[0] or "data"


def _short(dof: Any) -> str:
    values = sorted({round(float(own), 2) for own in dof}) if isinstance(dof, tuple) else [float(dof)]
    return f"{values[0]:.3g}" if len(values) == 1 else f"{values[0]:.3g} to {values[-1]:.3g}"
