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
from tetiwd.cli.command import command
from tetiwd.cli.console import Console, records
from tetiwd.cli.guests import additions
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.settings import RunSettings
from tetiwd.params import AnswerSettings, Hyperparameters, SamplerSettings

if TYPE_CHECKING:
    from tetiwd.analysis import Analysis
    from tetiwd.data import DistanceSeries
    from tetiwd.io.run_folder import RunFolder

FEWEST_DRAWS = 4  # of a chain that an answer can be made from

MoreDraws = Annotated[int | None, o.option("--draws", text="Total draws of each chain, to extend a run.")]


@command(DataSettings, Hyperparameters, SamplerSettings, AnswerSettings)
def fit(
    files: o.Files,
    *,
    out: o.Out = None,
    overwrite: o.Overwrite = False,
    n_threads: o.Threads = None,
    checkpoint_seconds: o.CheckpointSeconds = o.CHECKPOINT_SECONDS,
    strict: o.Strict = False,
    settings: RunSettings,
    console: Console,
) -> None:
    """Find the clusters at every time and the lineages that link them, and write a results folder.

    Ctrl-C keeps the draws so far; tetiwd resume continues from there, also after a crash. Examples:

      tetiwd fit measurements.csv --time year --id patient --standardize --out run

      tetiwd fit d_2001.npy d_2002.npy d_2003.npy --squared

      tetiwd fit genomes.fasta --by year --settings mine.toml --set model.df_A=200
    """
    from tetiwd.chains import check_run, resolved
    from tetiwd.io.read import read_series
    from tetiwd.io.run_folder import RunFolder

    target = Path(f"{stem(files[0])}-tetiwd") if out is None else out
    RunFolder(target).check_free(overwrite=overwrite)
    with console.busy("Reading"):
        found = read_series(files, settings.data)
    for remark in found.remarks:
        console.remark(f"Note: {remark}")
    model = resolved(settings.model, found.series)
    check_run(found.series, model, settings.sampler)
    folder = RunFolder.create(
        target, found.series, settings, model, inputs=found.hashes, remarks=found.remarks, overwrite=overwrite
    )
    run(folder, console, found.series, threads=n_threads, checkpoint_seconds=checkpoint_seconds, strict=strict)


@command()
def resume(
    run_folder: o.Folder,
    *,
    n_draws: MoreDraws = None,
    n_threads: o.Threads = None,
    checkpoint_seconds: o.CheckpointSeconds = o.CHECKPOINT_SECONDS,
    strict: o.Strict = False,
    console: Console,
) -> None:
    """Continue a run that was stopped or killed, or extend a complete one.

    The results are the same as without interruption. Examples:

      tetiwd resume run

      tetiwd resume run --draws 5000
    """
    from tetiwd.io.run_folder import RunFolder

    folder = RunFolder.open(run_folder)
    if n_draws is not None:
        folder.extend(n_draws)
    with console.busy("Reading"):
        series = folder.series()
    run(folder, console, series, threads=n_threads, checkpoint_seconds=checkpoint_seconds, strict=strict)


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
    from tetiwd.cli.doctor import about_compiling
    from tetiwd.io.checkpoint import has_any_checkpoint
    from tetiwd.report import write_report

    settings, began_before = folder.settings(), has_any_checkpoint(folder.checkpoint)
    console.remark(f"{_in_short(series)}, dof {_short(folder.model().dof)}; results will be in {folder.path}")
    console.remark("Going on from checkpoints." if began_before else "Sampling from the beginning.")
    console.remark(about_compiling())
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
