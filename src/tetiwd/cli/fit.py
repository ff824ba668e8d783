"""``tetiwd fit`` and ``tetiwd resume``: from files to a results folder."""

import warnings
from contextlib import nullcontext
from math import ceil, inf, log2
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tetiwd.cli import exit_codes, jobs
from tetiwd.cli import options as o
from tetiwd.cli import workers as w
from tetiwd.cli.check import seen_at_once
from tetiwd.cli.command import command
from tetiwd.cli.console import Console, records
from tetiwd.cli.fast import check_fast, deliver_look, go_on_with, narrow
from tetiwd.cli.guests import Additions, additions
from tetiwd.cli.names import check_no_names, names_for
from tetiwd.cli.sides import Asked, Covariates, Known, MetadataFile, Survival, attach_sides, write_side_tables
from tetiwd.cli.signals import signals_as_interrupt
from tetiwd.cli.slurm import check_writable_in_scripts
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.settings import RunSettings
from tetiwd.params import CHECKPOINT_SECONDS, RUN, AnswerSettings, Hyperparameters, SamplerSettings

if TYPE_CHECKING:
    from tetiwd.analysis import Analysis
    from tetiwd.data import DistanceSeries
    from tetiwd.io.read import Input
    from tetiwd.io.run_folder import RunFolder
    from tetiwd.sample import Sample
    from tetiwd.workflow import Watcher

Fast = Annotated[
    bool,
    o.option(
        "--fast",
        panel=RUN,
        text="A quick look within seconds: one clustering, the most probable one found. It says nothing about "
        "uncertainty; tetiwd resume goes on from there and adds that.",
    ),
]
MoreDraws = Annotated[int | None, o.option("--draws", text="Draws kept of each chain in all, to extend a run.")]
LargerBudget = Annotated[int | None, o.option("--max-draws", text="A larger budget for a run whose chains disagree.")]
MoreMinutes = Annotated[float | None, o.option("--minutes", text="End after so many more minutes of sampling.")]


@command(DataSettings, Hyperparameters, SamplerSettings, AnswerSettings)
def fit(
    files: o.Files,
    *,
    out: o.Out = None,
    overwrite: o.Overwrite = False,
    fast: Fast = False,
    metadata: MetadataFile = None,
    known: Known = None,
    covariates: Covariates = None,
    survival: Survival = None,
    n_threads: o.Threads = None,
    checkpoint_seconds: o.CheckpointSeconds = CHECKPOINT_SECONDS,
    strict: o.Strict = False,
    chain: jobs.Chain = None,
    wait_seconds: jobs.Wait = jobs.WAIT_SECONDS,
    slurm: jobs.Slurm = False,
    scheduler: w.Scheduler = None,
    n_local: w.LocalCluster = None,
    dashboard: w.Dashboard = False,
    names_from: o.NamesFrom = None,
    names: o.NamesFile = None,
    settings: RunSettings,
    console: Console,
) -> None:
    """Find the clusters at every time and the lineages that link them, and write a results folder.

    Ctrl-C keeps the draws so far; tetiwd resume continues from there, also after a crash. Examples:

      tetiwd fit measurements.csv --time year --id patient --standardize --out run

      tetiwd fit d_2001.npy d_2002.npy d_2003.npy --squared

      tetiwd fit measurements.csv --time year --fast --out run && tetiwd resume run

      tetiwd fit genomes.fasta --by year --settings mine.toml --set model.df_A=200

      tetiwd fit unifrac.tsv --squared --metadata samples.tsv --time month --known site
    """
    from dataclasses import replace

    from tetiwd.io.read import read_series
    from tetiwd.io.run_folder import RunFolder
    from tetiwd.workflow import fit_into

    others = {"slurm": slurm, "scheduler": scheduler, "n_local": n_local, "fast": fast}
    jobs.refuse_together({"chain": chain, "overwrite": overwrite} if chain and overwrite else {"chain": chain} | others)
    for name, value in (("metadata", metadata), ("names_from", names_from), ("names", names)):
        jobs.refuse_together({"chain": chain, name: value})
    asked = Asked.of(metadata, known, covariates, survival)
    if fast:
        check_fast(settings, strict=strict, checkpoint_seconds=checkpoint_seconds)
        check_no_names(names_from, names)
    target = Path(f"{stem(files[0])}-tetiwd") if out is None else out
    if slurm:
        check_writable_in_scripts(str(target.resolve()))
    watcher = watcher_for(console)

    def read() -> "Input":
        with console.busy("Reading"):
            given = read_series(files, settings.data)
        for remark in given.remarks:
            console.remark(f"Note: {remark}")
        seen = seen_at_once(given, settings.data.squared)
        for warning in seen:
            console.warn(warning)
        return replace(given, remarks=(*given.remarks, *seen))

    if chain is not None:
        with signals_as_interrupt():
            jobs.fit_chain(
                files, target, settings, chain, read, n_threads=n_threads, checkpoint_seconds=checkpoint_seconds,
                wait_seconds=wait_seconds, watcher=watcher, console=console,
            )  # fmt: skip
        return
    RunFolder(target).check_free(overwrite=overwrite)
    with console.busy("Reading metadata") if asked.file is not None else nullcontext():
        settings = replace(settings, data=asked.times_for(files, settings.data))
    given = read()
    attached = attach_sides(target, asked, given.series, files, settings.data, console)
    options: dict[str, Any] = {"inputs": given.hashes, "remarks": given.remarks, "overwrite": overwrite}
    options |= {"n_threads": n_threads, "watcher": watcher, "attached": attached}
    spread = settings.sampler.spread_epochs
    elsewhere = w.elsewhere(scheduler, n_local, near=target, dashboard=dashboard, spread_epochs=spread)
    with signals_as_interrupt(), elsewhere as who:
        if fast:
            deliver_look(target, given.series, settings, options, console)
            return
        if slurm:
            jobs.prepare_slurm(target, given, settings, options, console)
            return
        options["names"] = names_for(given.series, names_from, names)
        added = additions(target) if attached else Additions()
        options |= {"checkpoint_seconds": checkpoint_seconds, "sections": added.sections} | who
        analysis = fit_into(target, given.series, settings, **options)
        _write_side_tables(added, analysis, target)
        deliver(analysis, console, target, strict=strict)


@command()
def resume(
    run_folder: o.Folder,
    *,
    n_draws: MoreDraws = None,
    max_draws: LargerBudget = None,
    max_minutes: MoreMinutes = None,
    n_threads: o.Threads = None,
    checkpoint_seconds: o.CheckpointSeconds = CHECKPOINT_SECONDS,
    strict: o.Strict = False,
    chain: jobs.Chain = None,
    wait_seconds: jobs.Wait = jobs.WAIT_SECONDS,
    scheduler: w.Scheduler = None,
    n_local: w.LocalCluster = None,
    dashboard: w.Dashboard = False,
    console: Console,
) -> None:
    """Continue a run that was stopped or killed, extend a complete one, or go on from a quick look (fit --fast).

    The results are the same as without interruption, or without the look. Examples:

      tetiwd resume run

      tetiwd resume run --draws 5000
    """
    from tetiwd.io.run_folder import RunFolder
    from tetiwd.workflow import resume as go_on

    jobs.refuse_together({"chain": chain, "scheduler": scheduler, "n_local": n_local})
    if chain is not None:
        jobs.refuse_together({"chain": chain, "n_draws": n_draws, "max_draws": max_draws, "max_minutes": max_minutes})
        with signals_as_interrupt():
            jobs.run_chain(run_folder, chain, checkpoint_seconds, wait_seconds, watcher_for(console), console)
        return
    added = additions(run_folder)
    folder = RunFolder.open(run_folder)
    if folder.status == "complete" and n_draws is max_draws is max_minutes is None:
        console.remark("This run is complete: its answers are written again. --draws or --max-draws add draws.")
    spread = folder.settings().sampler.spread_epochs
    elsewhere = w.elsewhere(scheduler, n_local, near=run_folder, dashboard=dashboard, spread_epochs=spread)
    with signals_as_interrupt(), elsewhere as who:
        analysis = go_on(
            run_folder,
            n_draws=n_draws,
            max_draws=max_draws,
            max_minutes=max_minutes,
            n_threads=n_threads,
            checkpoint_seconds=checkpoint_seconds,
            sections=added.sections,
            show_ids=added.show_ids,
            watcher=watcher_for(console),
            **who,
        )
        _write_side_tables(added, analysis, run_folder)
        deliver(analysis, console, run_folder, strict=strict)


def _write_side_tables(added: Additions, analysis: "Analysis | None", run: Path) -> None:
    """Tables about metadata and sequences, which go into the run folder."""
    if analysis is not None:
        write_side_tables(added.sections, analysis, run)


def watcher_for(console: Console) -> "Watcher":
    """Lets the console show how a run goes."""
    from tetiwd.kernels import COMPILED, SLOW, SlowWarning
    from tetiwd.workflow import Watcher

    warnings.simplefilter("ignore", SlowWarning)  # it is said below

    class OnConsole(Watcher):
        progress = not console.quiet

        def before_sampling(self, folder: "RunFolder", series: "DistanceSeries", *, resumed: bool) -> None:
            dof = _short(folder.hyperparameters().dof)
            console.remark(f"{_in_short(series)}, dof {dof}; results will be in {folder.path}")
            start = "Going through earlier draws." if folder.extends else "Sampling from the beginning."
            console.remark("Going on from checkpoints." if resumed else start)
            if not COMPILED:
                console.warn(SLOW)

        def busy(self, doing: str) -> Any:
            return console.busy(doing)

    return OnConsole()


def deliver(analysis: "Analysis | None", console: Console, folder: Path, *, strict: bool = False) -> "Analysis":
    """Tell the findings of a run, and end the program if it was interrupted, or chains disagree and that matters."""
    if analysis is None:
        console.warn(f"stopped before there were draws; go on with: {go_on_with(folder)}")
        raise typer.Exit(exit_codes.INTERRUPTED)
    tell(analysis, console, folder)
    diagnostics = analysis.sample.diagnostics
    if console.quiet:
        for trouble in (*analysis.sample.remarks, *([] if diagnostics.converged else [diagnostics.verdict])):
            console.warn(trouble)
    if not analysis.sample.complete:
        console.warn(f"stopped early; go on with: {go_on_with(folder)}")
        raise typer.Exit(exit_codes.INTERRUPTED)
    if strict and not diagnostics.converged:
        raise typer.Exit(exit_codes.NOT_CONVERGED)
    return analysis


def tell(analysis: "Analysis", console: Console, folder: Path | None = None) -> None:
    """What was found, for people or as JSON."""
    from tetiwd.narrative import narrate
    from tetiwd.summarize.naming import with_names

    sentences = narrate(analysis)
    console.say()
    for sentence in sentences:
        console.say(sentence)
    console.table(analysis.n_clusters(), "Clusters in the point estimate, and median and interval of the draws:")
    lineages = with_names(analysis.lineages.table(), analysis.clustering.names)
    console.table(narrow(lineages), "Lineages and their sizes:")
    if folder is not None:
        console.say(f"\nLook at {folder / 'report.html'}; labels are in {folder / 'labels.csv'}.")
        if analysis.sample.complete and not analysis.sample.diagnostics.agree:
            console.say(f"For more draws: {go_on_with(folder)}{_further(analysis.sample)}")
    console.result(
        {
            "folder": None if folder is None else str(folder),
            "words": sentences,
            "converged": analysis.sample.diagnostics.converged,
            "complete": analysis.sample.complete,
            "ended": analysis.sample.ended,
            "clusters": records(analysis.n_clusters()),
            "lineages": records(lineages),
        }
    )


def _in_short(series: "DistanceSeries") -> str:
    sizes = series.n_objects
    shown = ", ".join(map(str, sizes)) if len(sizes) <= 6 else f"{min(sizes)} to {max(sizes)}"
    return f"{len(sizes)} time{'s' if len(sizes) > 1 else ''} with {shown} objects"


def _further(sample: "Sample") -> str:
    """Options that let a run go on after its end."""
    if sample.ended == "minutes":
        return ""
    s = sample.settings
    if s.n_draws is not None:
        return f" --draws {3 * s.n_draws}"
    wanted = sample.diagnostics.draws_wanted(min(map(len, sample.draws)) + sample.n_discarded)
    doublings = max(1, ceil(log2(wanted / s.max_draws))) if 0 < wanted < inf else 1
    return f" --max-draws {s.max_draws * 2**doublings}"


def stem(file: Path) -> str:
    """The name of a file without what tells its kind."""
    return file.name.removesuffix(".gz").rsplit(".", 1)[0] or "data"


def _short(dof: Any) -> str:
    values = sorted({round(float(value), 2) for value in dof}) if isinstance(dof, tuple) else [float(dof)]
    return f"{values[0]:.3g}" if len(values) == 1 else f"{values[0]:.3g} to {values[-1]:.3g}"
