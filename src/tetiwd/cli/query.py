"""``tetiwd summarize``, ``report``, ``predict`` and ``forecast``: questions to a run that is there."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tetiwd.cli import options as o
from tetiwd.cli.console import Console, records, reports_errors
from tetiwd.cli.guests import additions
from tetiwd.errors import DataError, SettingsError

if TYPE_CHECKING:
    import pandas as pd

    from tetiwd.analysis import Analysis
    from tetiwd.data import DistanceSeries
    from tetiwd.summarize.outcomes import Outcomes

Level = Annotated[float | None, typer.Option("--level", help="Probability of intervals (0.9).", show_default=False)]
At = Annotated[
    str | None, typer.Option("--at", help="Time the new objects belong to; the last if not given.", show_default=False)
]


@reports_errors
def summarize(
    run_folder: o.Folder,
    loss: o.Loss = None,
    at_most: o.AtMost = None,
    links: o.Links = None,
    as_json: o.Json = False,
) -> None:
    """Say again what a run has found; with another loss or another kind of links if asked for.

    Nothing is written. Examples:

      tetiwd summarize run

      tetiwd summarize run --loss ari --at-most median --json
    """
    from tetiwd.cli.fit import tell

    answers = o.answer_tables(loss, at_most, links)
    tell(_analysis(run_folder, answers), Console(as_json=as_json), None if answers else run_folder)


@reports_errors
def report(
    run_folder: o.Folder,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write; RUN/report.html if not given.")
    ] = None,
    show_ids: Annotated[bool, typer.Option("--show-ids", help="List objects by their ids.")] = False,
    show_text: Annotated[
        bool, typer.Option("--show-text", help="Show typical sentences, if the run was made from notes.")
    ] = False,
    figures: Annotated[
        Path | None, typer.Option("--figures", help="Folder to write every figure to, as SVG, PNG and PDF.")
    ] = None,
    outcomes: Annotated[
        Path | None, typer.Option("--outcomes", help="Table with ids and a column of outcomes (1, 0, true, false).")
    ] = None,
    outcome: Annotated[str | None, typer.Option("--outcome", help="That column; the only one if not given.")] = None,
    id: o.Id = None,
    loss: o.Loss = None,
    at_most: o.AtMost = None,
    links: o.Links = None,
    overwrite: o.Overwrite = False,
    quiet: o.Quiet = False,
) -> None:
    """Write the report of a run: one HTML file that needs no network and no other file.

    Ids are in it only if they are asked for. Examples:

      tetiwd report run --out for-the-board.html

      tetiwd report run --out report.html --figures figures

      tetiwd report run --out relapse.html --outcomes patients.csv --id patient --outcome relapse
    """
    from tetiwd.plots import save_figures
    from tetiwd.report import check_target, write_report

    target = run_folder / "report.html" if out is None else out
    analysis = _analysis(run_folder, o.answer_tables(loss, at_most, links))
    check_target(target, overwrite=overwrite)
    console = Console(quiet=quiet)
    rates = None if outcomes is None else _rates(analysis, outcomes, outcome, id)
    with console.busy("Drawing"):
        sections = additions(run_folder, show_ids=show_ids, show_text=show_text).sections
        path = write_report(analysis, target, overwrite=overwrite, show_ids=show_ids, outcomes=rates, sections=sections)
    console.say(f"Wrote {path}.")
    if figures is not None:
        with console.busy("Drawing"):
            written = save_figures(analysis, figures, overwrite=overwrite, outcomes=rates)
        console.say(f"Wrote {len(written)} figures into {figures}.")


@reports_errors
def predict(
    run_folder: o.Folder,
    new: Annotated[
        Path,
        typer.Argument(
            help="New objects: a table of features, or of distances to the objects of one time (CSV, TSV, npy)."
        ),
    ],
    at: At = None,
    squared: o.Squared = None,
    id: o.Id = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="CSV file to write; printed if not given.")] = None,
    overwrite: o.Overwrite = False,
    as_json: o.Json = False,
) -> None:
    """Which cluster new objects belong to, with probabilities, and how probable it is that they belong to none.

    Examples:

      tetiwd predict run new_patients.csv --id patient

      tetiwd predict run new_distances.csv --squared --at 2003
    """
    from tetiwd.io.files import in_file
    from tetiwd.io.run_folder import RunFolder
    from tetiwd.summarize.classify import classify

    folder = RunFolder.open(run_folder)
    analysis = folder.analysis()
    series = analysis.sample.series
    t = _epoch(series, at)
    data = folder.settings().data
    with in_file(str(new)):
        ids, distances, told = _new_objects(new, series, t, data, id, squared)
        found = classify(analysis.sample, analysis.clustering, distances, squared=told, t=t)
    table = found.table()
    if ids is not None:
        table.insert(0, "id", ids)
    _deliver(table, out, overwrite, as_json)


@reports_errors
def forecast(
    run_folder: o.Folder,
    n_next: Annotated[
        int | None, typer.Option("--n-next", help="Objects expected at the next time; as many as now if not given.")
    ] = None,
    level: Level = None,
    backtest: Annotated[
        bool, typer.Option("--backtest", help="Instead: how well such forecasts would have done at earlier times.")
    ] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="CSV file to write; printed if not given.")] = None,
    overwrite: o.Overwrite = False,
    as_json: o.Json = False,
) -> None:
    """How large the clusters will be at the next time, and how probable a new one is.

    Examples:

      tetiwd forecast run --n-next 200

      tetiwd forecast run --backtest
    """
    from tetiwd.params import check_share
    from tetiwd.summarize.backtest import backtest as run_backtest
    from tetiwd.summarize.forecast import forecast as make_forecast

    analysis = _analysis(run_folder, {})
    wanted = analysis.settings.level if level is None else level
    check_share("level", wanted)
    if backtest:
        with Console().busy("Forecasting earlier times"):
            table = run_backtest(analysis.sample, level=wanted).table()
    else:
        n_next = analysis.settings.n_next if n_next is None else n_next
        seed = analysis.sample.settings.seed
        table = make_forecast(analysis.sample, analysis.clustering, n_next=n_next, level=wanted, seed=seed).table()
    _deliver(table, out, overwrite, as_json)


def _rates(analysis: "Analysis", file: Path, outcome: str | None, id: str | None) -> "Outcomes":
    """Outcomes by lineage from a table of ids and outcomes."""
    from tetiwd.io.files import in_file
    from tetiwd.io.outcome_table import read_outcomes
    from tetiwd.summarize.outcomes import outcomes_by_lineage

    name, values = read_outcomes(file, outcome, id)
    with in_file(str(file)):
        return outcomes_by_lineage(analysis.alignment, values, name=name)


def _analysis(run_folder: Path, answers: dict[str, Any]) -> "Analysis":
    """The answers of a run, with other settings for them if any are given."""
    from dataclasses import replace

    from tetiwd.analysis import Analysis
    from tetiwd.io.run_folder import RunFolder

    analysis = RunFolder.open(run_folder).analysis()
    return analysis if not answers else Analysis(analysis.sample, replace(analysis.settings, **answers))


def _epoch(series: "DistanceSeries", at: str | None) -> int:
    names = [str(time) for time in series.times]
    if at is None:
        return len(names) - 1
    if at not in names:
        raise SettingsError(f"there is no time {at!r}; there are {', '.join(names)}")
    return names.index(at)


def _new_objects(
    file: Path, series: "DistanceSeries", t: int, data: Any, id: str | None, squared: bool | None
) -> tuple[list[Any] | None, Any, bool]:
    """Ids of the new objects if there are any, their distances to the objects of time t, and are these squared?"""
    from tetiwd.io.new_objects import read_new_objects

    if series.kind == "similarities":
        raise DataError(
            "a run on similarities needs those of new objects with themselves: use tetiwd.classify in Python"
        )
    names = None if series.features is None else series.features.names
    ids, table = read_new_objects(file, id, data.id or "id", names)
    if series.features is not None:
        return ids, series.features.squared_distances(table, t), True
    told = data.squared if squared is None else squared
    if told is None:
        raise SettingsError(
            f"{file.name}: are the distances squared? say so with --squared or --plain; it is never guessed"
        )
    if series.ids is not None:
        objects = [str(own) for own in series.ids[t].tolist()]
        table = _in_order(table.rename(columns=str), objects)
    return ids, table.to_numpy(), told


def _in_order(table: "pd.DataFrame", objects: list[str]) -> "pd.DataFrame":
    """Columns named after objects in the order of the objects; columns with no such name count by position."""
    if not set(objects) & set(table.columns):
        return table
    absent = next((own for own in objects if own not in table.columns), None)
    if absent is not None:
        raise DataError(f"has no column for object {absent!r}; name all {len(objects)} objects of that time, or none")
    return table[objects]


def _deliver(table: "pd.DataFrame", out: Path | None, overwrite: bool, as_json: bool) -> None:
    """Write a table as CSV, or print it."""
    from tetiwd.errors import RunFolderError
    from tetiwd.writing import write_table

    console = Console(as_json=as_json)
    if out is None:
        console.result(records(table))
        console.table(table)
        return
    if out.exists() and not overwrite:
        raise RunFolderError(f"{out} is there already; choose another name, or add --overwrite")
    try:
        write_table(out, table)
    except OSError as error:
        raise RunFolderError(f"cannot write {out} ({error.strerror}); choose another place") from error
    console.say(f"Wrote {out}.")
