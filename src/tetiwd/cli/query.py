"""``tetiwd summarize``, ``report``, ``predict`` and ``forecast``: commands on a finished run."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tetiwd.cli import options as o
from tetiwd.cli.command import Tables, command
from tetiwd.cli.console import Console, records
from tetiwd.cli.guests import additions, made_from_notes
from tetiwd.cli.sides import Asked, Covariates, Known, MetadataFile, Survival, write_side_tables
from tetiwd.errors import DataError, Setting, SettingsError, give, plural
from tetiwd.io.data_settings import DataSettings
from tetiwd.params import AnswerSettings

if TYPE_CHECKING:
    import pandas as pd

    from tetiwd.analysis import Analysis
    from tetiwd.data import DistanceSeries
    from tetiwd.data.features import FeatureSpace
    from tetiwd.io.new_distances import NewDistances
    from tetiwd.io.new_objects import NewObjects
    from tetiwd.summarize.outcomes import Outcomes

POINT_ESTIMATE = (AnswerSettings, "loss", "at_most", "min_size", "links", "level")


@command(POINT_ESTIMATE)
def summarize(run_folder: o.Folder, *, as_json: o.Json = False, given: Tables) -> None:
    """Print the results of a run again, with another loss or other links if asked for.

    Nothing is written. Examples:

      tetiwd summarize run

      tetiwd summarize run --loss ari --at-most median --json
    """
    from tetiwd.cli.fit import tell

    tell(_analysis(run_folder, given), Console(as_json=as_json), None if given else run_folder)


@command(POINT_ESTIMATE, (AnswerSettings, "n_next"))
def report(
    run_folder: o.Folder,
    *,
    out: Annotated[Path | None, o.option("--out", "-o", text="File to write; RUN/report.html if not given.")] = None,
    show_ids: Annotated[bool, o.option("--show-ids", text="List objects by their ids.")] = False,
    show_text: Annotated[
        bool, o.option("--show-text", text="Show typical sentences; only for a run made from notes.")
    ] = False,
    figures: Annotated[
        Path | None, o.option("--figures", text="Folder to write every figure to, as SVG, PNG and PDF.")
    ] = None,
    outcomes: Annotated[
        Path | None, o.option("--outcomes", text="Table with ids and a column of outcomes (1, 0, true, false).")
    ] = None,
    outcome: Annotated[
        str | None, o.option("--outcome", text="Column with the outcome; the only one if not given.")
    ] = None,
    metadata: MetadataFile = None,
    known: Known = None,
    covariates: Covariates = None,
    survival: Survival = None,
    id: Annotated[str | None, o.option("--id", text="Column with the ids in these tables.")] = None,
    time: Annotated[
        str | None, o.option("--time", text="Column with the times in these tables, if values change with time.")
    ] = None,
    tables: Annotated[
        Path | None, o.option("--tables", text="Folder to write the tables about metadata and sequences to, as CSV.")
    ] = None,
    overwrite: o.Overwrite = False,
    quiet: o.Quiet = False,
    given: Tables,
) -> None:
    """Write the report of a run: one HTML file that needs no network and no other file.

    It has no ids unless asked for. Examples:

      tetiwd report run --out for-the-board.html

      tetiwd report run --out report.html --figures figures

      tetiwd report run --out relapse.html --outcomes patients.csv --id patient --outcome relapse

      tetiwd report run --out known.html --metadata patients.csv --id patient --known diagnosis --tables known
    """
    from tetiwd.io.run_folder import RunFolder
    from tetiwd.plots import save_figures
    from tetiwd.report import MetadataReport, check_target, write_report

    asked = Asked.of(metadata, known, covariates, survival)
    if outcomes is None and outcome is not None:
        fault = " is about the table of outcomes"
        raise SettingsError([Setting("outcome"), fault], ["name it with ", Setting("outcomes")])
    for name, value in (("id", id), ("time", time)):
        if value is not None and outcomes is None and metadata is None:
            fault, remedy = " is about a table of outcomes or metadata", " or "
            raise SettingsError(
                [Setting(name), fault], ["name it with ", Setting("outcomes"), remedy, Setting("metadata")]
            )
    target = run_folder / "report.html" if out is None else out
    analysis = _analysis(run_folder, given)
    check_target(target, overwrite=overwrite)
    console = Console(quiet=quiet)
    data, series = RunFolder.open(run_folder).settings().data, analysis.sample.series
    rates = None if outcomes is None else _rates(analysis, data, outcomes, outcome, id, time)
    given_now = asked.report(series, data, id=id, time=time)
    with console.busy("Drawing figures"):
        sections = list(additions(run_folder, show_ids=show_ids, show_text=show_text).sections)
        if given_now is not None:  # in place of what was given before
            sections = [given_now, *(one for one in sections if not isinstance(one, MetadataReport))]
        if tables is not None and not write_side_tables(sections, analysis, tables):
            raise SettingsError([f"{run_folder} has no metadata"], ["name them with ", Setting("metadata")])
        if show_text and not made_from_notes(run_folder):
            raise SettingsError([f"{run_folder} was not made from notes"], ["leave out ", Setting("show_text")])
        path = write_report(
            analysis,
            target,
            overwrite=overwrite,
            show_ids=show_ids,
            outcomes=rates,
            sections=sections,
            origin=RunFolder.open(run_folder).origin,
        )
    console.say(f"Wrote {path}.")
    if figures is not None:
        with console.busy("Drawing figures"):
            written = save_figures(analysis, figures, overwrite=overwrite, outcomes=rates)
        console.say(f"Wrote {len(written)} figures into {figures}.")


@command((DataSettings, "squared", "obsm"))
def predict(
    run_folder: o.Folder,
    new: Annotated[
        Path,
        typer.Argument(
            help="New objects: features (a table, npy, npz, h5ad) or distances to the objects of one time (a table, "
            "npy, npz); or new objects together with those of the run, known by id: a square table, a table of pairs, "
            "npz, h5ad, or an alignment (FASTA). Tables are CSV, TSV or Parquet."
        ),
    ],
    *,
    at: Annotated[str | None, o.option("--at", text="Time of the new objects; the last if not given.")] = None,
    id: Annotated[str | None, o.option("--id", text="Column with the ids of the new objects.")] = None,
    out: o.CsvFile = None,
    overwrite: o.Overwrite = False,
    as_json: o.Json = False,
    given: Tables,
) -> None:
    """Assign new objects to clusters, with probabilities, one of them for belonging to none.

    Examples:

      tetiwd predict run new_patients.csv --id patient

      tetiwd predict run new_distances.csv --squared --at 2003
    """
    from dataclasses import replace

    from tetiwd.io.files import find_file, in_file
    from tetiwd.io.obs_table import H5AD
    from tetiwd.io.run_folder import RunFolder
    from tetiwd.summarize.classify import classify
    from tetiwd.workflow import load_run

    folder, analysis = RunFolder.open(run_folder), load_run(run_folder)
    series = analysis.sample.series
    t, moves = _epoch(series, at), analysis.sample.hyperparameters.moves
    data = folder.settings().data
    with in_file(str(new)):
        squared, obsm = (given.get("data", {}).get(name) for name in ("squared", "obsm"))
        if obsm is not None and (series.features is None or find_file(new).ending not in H5AD):
            raise SettingsError(
                [Setting("obsm", obsm), " is for features in an h5ad file"], ["leave out ", Setting("obsm")]
            )
        data = data if obsm is None else replace(data, obsm=obsm)
        epochs = range(series.n_epochs) if moves else [t]
        if made_from_notes(run_folder):
            check_named(new, id, series, epochs)
        remarks: list[str] = []
        found, told = _new_objects(new, run_folder, series, epochs, data, id, squared, remarks)
        how: dict[str, Any] = {"own": found.own} if series.kind == "similarities" else {"squared": told}
        classification = classify(analysis.sample, analysis.clustering, found.values, t=t, **how)
    for remark in remarks:
        Console().warn(remark)
    table = classification.table()
    if found.ids is None:
        table.insert(0, "row", range(len(table)))  # from 0, as in labels.csv
    else:
        table.insert(0, "id", found.ids)
    _deliver(table, analysis, out, overwrite, as_json)


@command((AnswerSettings, "level", "n_next"))
def forecast(
    run_folder: o.Folder,
    *,
    backtest: Annotated[
        bool, o.option("--backtest", text="Instead, test how well such forecasts would have done at earlier times.")
    ] = False,
    out: o.CsvFile = None,
    overwrite: o.Overwrite = False,
    as_json: o.Json = False,
    given: Tables,
) -> None:
    """Forecast the sizes of the clusters at the next time, and the probability of a new one.

    Examples:

      tetiwd forecast run --n-next 200

      tetiwd forecast run --backtest
    """
    from tetiwd.backtesting import backtest as run_backtest
    from tetiwd.summarize.forecast import forecast as make_forecast

    if backtest and "n_next" in given.get("answers", {}):
        raise SettingsError("a backtest knows how many objects there were", ["leave out ", Setting("n_next")])
    analysis = _analysis(run_folder, given)
    level, n_next = analysis.settings.level, analysis.settings.n_next
    if backtest:
        with Console().busy("Forecasting earlier times"):
            table = run_backtest(analysis.sample, analysis.alignment, level=level).table()
    else:
        seed = analysis.sample.settings.seed
        table = make_forecast(analysis.sample, analysis.alignment, n_next=n_next, level=level, seed=seed).table()
    _deliver(table, analysis, out, overwrite, as_json)


def _rates(
    analysis: "Analysis", data: DataSettings, file: Path, outcome: str | None, id: str | None, time: str | None
) -> "Outcomes":
    """Outcomes by lineage from a table of ids and outcomes."""
    from tetiwd.io.files import in_file
    from tetiwd.io.metadata_table import read_outcomes
    from tetiwd.summarize.outcomes import outcomes_by_lineage

    series, partitions = analysis.sample.series, analysis.alignment.partitions
    name, values, varies = read_outcomes(file, outcome, id, series, data, time)
    by_object: Any = [values[columns] for columns in partitions.columns]
    if not varies and series.ids is not None:
        ids = [id for at_time in series.ids for id in at_time.tolist()]
        by_object = dict(zip(ids, values, strict=True))
    with in_file(str(file)):
        return outcomes_by_lineage(analysis.alignment, by_object, name=name, level=analysis.settings.level)


def _analysis(run_folder: Path, given: Tables) -> "Analysis":
    """The answers of a run, with other settings for them if any are given. Lineages keep their names."""
    from dataclasses import replace

    from tetiwd.analysis import Analysis
    from tetiwd.workflow import load_run, names_after

    analysis, answers = load_run(run_folder), given.get("answers")
    if not answers:
        return analysis
    names = analysis.names
    if names is not None and len(analysis.clustering.lineages):
        names = names_after(analysis, analysis.sample.series)
    return Analysis(analysis.sample, replace(analysis.settings, **answers), names)


def _epoch(series: "DistanceSeries", at: str | None) -> int:
    names = [str(time) for time in series.times]
    if at is None:
        return len(names) - 1
    if at not in names:
        raise SettingsError(f"there is no time {at!r}", f"there are {', '.join(names)}")
    return names.index(at)


def _new_objects(
    file: Path,
    run_folder: Path,
    series: "DistanceSeries",
    epochs: Sequence[int],
    data: DataSettings,
    id: str | None,
    squared: bool | None,
    remarks: list[str],
) -> tuple["NewDistances", bool]:
    """The new objects with their distances to the objects of some times, and whether these are squared."""
    from dataclasses import replace

    import numpy as np

    from tetiwd.io.files import find_file
    from tetiwd.io.kept_sequences import kept_sequences
    from tetiwd.io.new_distances import NewDistances, read_new_distances
    from tetiwd.io.new_objects import by_position, read_new_objects
    from tetiwd.io.new_sequences import FASTA, read_new_sequences

    if series.features is not None:
        return _new_features(file, series.features, epochs, data, id, squared, remarks), True
    objects = None if series.ids is None else [str(name) for s in epochs for name in series.ids[s].tolist()]
    if find_file(file).ending not in FASTA:
        found = read_new_distances(find_file(file), series, epochs, data if id is None else replace(data, id=id))
        if found is not None and series.kind == "distances":
            remarks += [] if found.by_name else by_position(objects, None, "object")
            return found, data.are_squared() if squared is None else squared
        if found is not None and found.own is not None and not np.isnan(found.own).any():
            return found, True
    if series.kind == "similarities":
        raise DataError(
            "a run on similarities needs those of new objects with themselves",
            "give new objects together with those of the run, or use tetiwd.classify in Python",
        )
    if find_file(file).ending in FASTA:
        for name, value in (("id", id), ("squared", squared)):
            if value is not None:
                fault = " has no effect on sequences"
                raise SettingsError([Setting(name, value), fault], ["leave out ", Setting(name)])
        new = read_new_sequences(find_file(file), series, epochs, data, kept_sequences(run_folder))
        return NewDistances(*new), data.squared is not False
    rows = read_new_objects(file, id, data)
    if (squared is None and data.squared is None) or rows.names is not None:
        ids_of_run = [] if series.ids is None else [str(id) for own in series.ids for id in own.tolist()]
        _check_distances(rows, ids_of_run, sum(series.n_objects[s] for s in epochs))
    told = data.are_squared() if squared is None else squared
    return NewDistances(rows.ids, rows.in_order(objects, "object", remarks)), told


def _new_features(
    file: Path,
    space: "FeatureSpace",
    epochs: Sequence[int],
    data: DataSettings,
    id: str | None,
    squared: bool | None,
    remarks: list[str],
) -> "NewDistances":
    """New objects of a run from features, with the distances that follow."""
    import numpy as np

    from tetiwd.io.new_distances import NewDistances
    from tetiwd.io.new_objects import read_new_objects

    new = read_new_objects(file, id, data, space.names)
    if squared is not None:
        raise SettingsError("the run was made from features", ["leave out ", Setting("squared", squared)])
    rows = new.in_order(space.names, "feature", remarks)
    return NewDistances(new.ids, np.hstack([space.squared_distances(rows, s) for s in epochs]))


def check_named(file: Path, id: str | None, series: "DistanceSeries", epochs: Sequence[int]) -> None:
    """Refuse new texts: distances between texts depend on all of them, so that only distances can be given."""
    from tetiwd.io.files import find_file
    from tetiwd.io.new_distances import names_known

    if not names_known(find_file(file), series, epochs):
        raise DataError(
            "the run was made from notes, and distances between those depend on all of them",
            "run tetiwd notes again with the new ones, or give a table of distances to the objects of the run",
        )


def _check_distances(new: "NewObjects", ids: Sequence[str], n_objects: int) -> None:
    """Refuse columns that cannot be distances to the objects of a time: of another number, none named after one."""
    n_columns = new.values.shape[1]
    if n_columns == n_objects or set(ids) & set(new.names or ()):
        return
    raise DataError(
        f"has {plural(n_columns, 'column')} of numbers, not distances to {n_objects} objects, and the run was "
        "not made from features",
        "give the distances of new objects to those of the run, or, for a run on sequences, new ones (FASTA)",
    )


def _deliver(table: "pd.DataFrame", analysis: "Analysis", out: Path | None, overwrite: bool, as_json: bool) -> None:
    """Write a table as CSV, or print it, with the names of lineages."""
    from tetiwd.errors import RunFolderError
    from tetiwd.summarize.naming import with_names
    from tetiwd.writing import write_table

    console, table = Console(as_json=as_json), with_names(table, analysis.clustering.names)
    if out is None and overwrite:
        raise SettingsError([Setting("overwrite"), " is about a file"], ["name it with ", Setting("out")])
    if out is None:
        console.result(records(table))
        console.table(table)
        return
    if out.exists() and not overwrite:
        raise RunFolderError(f"{out} is there already", ["choose another name, or ", give("overwrite", True)])
    try:
        write_table(out, table)
    except OSError as error:
        raise RunFolderError(f"cannot write {out} ({error.strerror})", "make room, or choose another place") from error
    console.say(f"Wrote {out}.")
