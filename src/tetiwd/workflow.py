"""One way from data and settings to a run folder, draws, answers and a report; every door of the package uses it."""

import gc
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tetiwd.analysis import Analysis
from tetiwd.chains import check_run, run_chains
from tetiwd.checkpoint import has_any_checkpoint
from tetiwd.choosing import choose
from tetiwd.data import DistanceSeries
from tetiwd.data.joining import Joined
from tetiwd.diagnostics import FEWEST_DRAWS
from tetiwd.errands import Workers
from tetiwd.errors import RunFolderError
from tetiwd.extending import Extension, prepare
from tetiwd.io.run_folder import NAMES, RunFolder
from tetiwd.io.settings import RunSettings, merged
from tetiwd.pace import Report
from tetiwd.params import CHECKPOINT_SECONDS
from tetiwd.summarize.naming import LineageName, Names, as_array, checked_name, names_from, with_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from tetiwd.report import Section, SectionMaker

    Beside = Callable[[DistanceSeries], tuple[Sequence[str], Sequence[SectionMaker]]]

MOST_NUMBERS = 10**9  # of lineages, over all runs that extend each other
VISIBLE_ANYWHERE = "#777777"  # on a white page and on a dark one


class Watcher:
    """Is told how a run goes. This one ignores it."""

    progress: Report | bool | None = None  # of the chains, as in ``run_chains``

    def before_sampling(self, folder: RunFolder, series: DistanceSeries, *, resumed: bool) -> None:
        """Everything is ready; ``resumed`` if chains go on from checkpoints."""

    def busy(self, doing: str) -> AbstractContextManager[Any]:
        """Entered while something takes time."""
        return nullcontext()


def fit_into(
    path: str | Path,
    series: DistanceSeries,
    settings: RunSettings | None = None,
    *,
    inputs: dict[str, str] | None = None,
    remarks: Sequence[str] = (),
    overwrite: bool = False,
    attached: Sequence[str] = (),
    n_threads: int | None = None,
    watcher: Watcher | None = None,
    workers: Workers | None = None,
    names: Names | None = None,
    **options: Any,
) -> Analysis | None:
    """Make a run folder and fill it: :func:`start`, then :func:`finish` with the other options."""
    folder = start(
        path,
        series,
        settings or RunSettings(),
        inputs=inputs,
        remarks=remarks,
        overwrite=overwrite,
        attached=attached,
        n_threads=n_threads,
        watcher=watcher,
        workers=workers,
    )
    if names is not None:
        folder.write_names(_as_json(names))
    return finish(folder, series, n_threads=n_threads, watcher=watcher, workers=workers, **options)


def extend_into(
    path: str | Path,
    earlier: str | Path,
    new: DistanceSeries,
    *,
    sampler: Mapping[str, Any] | None = None,
    by_user: Mapping[int, LineageName] | None = None,
    hold_before: Any = None,
    refresh: bool = True,
    inputs: dict[str, str] | None = None,
    remarks: Sequence[str] = (),
    overwrite: bool = False,
    beside: "Beside | None" = None,
    **options: Any,
) -> Analysis | None:
    """Make a run folder for an earlier run with new epochs, and fill it; see :func:`tetiwd.extending.extend`.

    ``sampler`` are settings that differ from those of the earlier run, and ``by_user`` names that the user gives,
    besides those that lineages keep. ``beside`` is called with the whole series before the run begins; it keeps what
    goes with it in folders of the run, and returns their names and sections for the report. Other options are those of
    :func:`finish`.
    """
    if Path(path).resolve() == Path(earlier).resolve():
        raise RunFolderError(f"{path} is the earlier run itself", "choose another folder for the extended run")
    RunFolder(path).check_free(overwrite=overwrite)
    before, given = load_run(earlier), RunFolder.open(earlier).settings()
    settings = RunSettings.from_tables(merged(given.to_tables(), {"sampler": dict(sampler or {})}))
    extension = prepare(before.sample, new, settings.sampler, hold_before=hold_before, refresh=refresh)
    attached, sections = ((), ()) if beside is None else beside(extension.series)
    folder = RunFolder.create(
        path,
        extension.series,
        replace(settings, model=extension.hyperparameters, sampler=extension.settings),
        extension.hyperparameters,
        inputs=inputs,
        remarks=[*remarks, *extension.joined.remarks],
        reasons=[*extension.reasons, *before.sample.reasons],
        overwrite=overwrite,
        attached=attached,
    )
    folder.write_earlier(before.sample, refresh=refresh)
    folder.write_names(_as_json(names_after(before, extension.series, by_user)))
    return finish(folder, extension.series, sections=sections, **options)


def names_after(earlier: Analysis, series: DistanceSeries, by_user: Mapping[int, LineageName] | None = None) -> Names:
    """Names for the lineages of a series from an earlier analysis, and those that a user gives besides."""
    n_given = 0 if earlier.names is None else earlier.names.n_given
    names = names_from(earlier.sample.series, earlier.clustering, series, n_given=n_given)
    return replace(names, by_user={**names.by_user, **(by_user or {})})


def rename(path: str | Path, by_user: Mapping[int, LineageName], **options: Any) -> Analysis:
    """Give lineages of a run names, and write its tables, picture and report anew."""
    folder = RunFolder.open(path)
    analysis = load_run(path)
    unknown = sorted(set(by_user) - set(analysis.clustering.lineages.tolist()))
    if unknown:
        raise RunFolderError(f"{path} has no lineage {unknown[0]}", "give numbers as in lineages.csv")
    names = analysis.names or Names()
    folder.write_names(_as_json(replace(names, by_user={**names.by_user, **by_user})))
    analysis = load_run(path)
    _write(folder, analysis, **options)
    return analysis


def start(
    path: str | Path,
    series: DistanceSeries,
    settings: RunSettings,
    *,
    inputs: dict[str, str] | None = None,
    remarks: Sequence[str] = (),
    overwrite: bool = False,
    attached: Sequence[str] = (),
    n_threads: int | None = None,
    watcher: Watcher | None = None,
    workers: Workers | None = None,
) -> RunFolder:
    """Choose what was left open, check that the run is possible, and make its folder; see :meth:`RunFolder.create`."""
    RunFolder(path).check_free(overwrite=overwrite)
    with while_choosing(settings, watcher or Watcher()):
        choice = choose(settings.model, series, settings.sampler, n_threads=n_threads, workers=workers)
    check_run(series, choice.hyperparameters, settings.sampler)
    return RunFolder.create(
        path,
        series,
        settings,
        choice.hyperparameters,
        inputs=inputs,
        remarks=remarks,
        reasons=choice.reasons,
        resolution=choice.resolution,
        overwrite=overwrite,
        attached=attached,
    )


def while_choosing(settings: RunSettings, watcher: Watcher) -> AbstractContextManager[Any]:
    """Tells that a model is being chosen, if anything was left open."""
    is_open = "auto" in (settings.model.dof, settings.model.geometry)
    return watcher.busy("Choosing a model") if is_open else nullcontext()


def finish(
    folder: RunFolder,
    series: DistanceSeries,
    *,
    n_threads: int | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    sections: "Sequence[Section | SectionMaker]" = (),
    show_ids: bool = False,
    watcher: Watcher | None = None,
    workers: Workers | None = None,
    hosts: Any = None,
) -> Analysis | None:
    """Sample, from checkpoints if there are any; then write draws, answers and the report.

    ``sections`` and ``show_ids`` are for the report. ``workers`` run the chains, if not threads; or ``hosts`` have the
    epochs, as ``run_chains`` takes them, and read their data from files in the results folder meanwhile. A run that is
    interrupted keeps what was drawn; the result is None if that is too little for an answer.
    """
    watcher, settings, resumed = watcher or Watcher(), folder.settings(), has_any_checkpoint(folder.checkpoint)
    watcher.before_sampling(folder, series, resumed=resumed)
    began = time.monotonic()
    extension = _extension(folder, series)
    with folder.working():
        with data_for(hosts, series, folder) as readable:
            drawn = run_chains(
                readable,
                folder.hyperparameters(),
                settings.sampler,
                n_threads=n_threads,
                progress=watcher.progress,
                checkpoint=folder.checkpoint,
                checkpoint_seconds=checkpoint_seconds,
                resume=resumed,
                executor=workers,
                hosts=hosts,
                begin=None if extension is None else extension.chain,
            )
        sample = replace(drawn, series=series).with_draws(FEWEST_DRAWS)
        if sample is None:
            folder.stop()
            return None
        sample = replace(sample, reasons=folder.reasons, resolution=folder.resolution(series))
        with watcher.busy("Summing up the draws"):
            analysis = Analysis(sample, settings.answers, _names(folder, series.n_objects))
            _write(folder, analysis, began, sections=sections, show_ids=show_ids)
    return analysis


@contextmanager
def data_for(hosts: Any, series: DistanceSeries, folder: RunFolder) -> Iterator[DistanceSeries]:
    """A series that workers can read; what is written for them is removed afterwards."""
    if hosts is None:
        yield series
        return
    from tetiwd.hosts import in_files

    with tempfile.TemporaryDirectory(prefix=".epochs-", dir=folder.path) as place:
        yield in_files(series, place)


def resume(
    path: str | Path,
    *,
    n_draws: int | None = None,
    max_draws: int | None = None,
    max_minutes: float | None = None,
    watcher: Watcher | None = None,
    **options: Any,
) -> Analysis | None:
    """Continue a run, or extend it; see :meth:`RunFolder.extend` for how far, and :func:`finish` for other options."""
    folder, watcher = RunFolder.open(path), watcher or Watcher()
    folder.extend(n_draws=n_draws, max_draws=max_draws, max_minutes=max_minutes)
    with watcher.busy("Reading"):
        series = folder.series()
    return finish(folder, series, watcher=watcher, **options)


def save(analysis: Analysis, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write the folder of a run that was made in memory; it has no checkpoints."""
    sample = analysis.sample
    settings = RunSettings(model=sample.hyperparameters, sampler=sample.settings, answers=analysis.settings)
    folder = RunFolder.create(
        path,
        sample.series,
        settings,
        sample.hyperparameters,
        overwrite=overwrite,
        reasons=sample.reasons,
        resolution=sample.resolution,
    )
    if analysis.names is not None:
        folder.write_names(_as_json(analysis.names))
    _write(folder, analysis)
    return folder.path


def load_run(path: str | Path) -> Analysis:
    """Read a results folder that ``tetiwd fit`` or ``TeTiWD.save`` has written.

    Parameters
    ----------
    path : str or Path
        The folder.

    Returns
    -------
    Analysis
        The draws and all answers, without sampling again.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from tetiwd import SamplerSettings, TeTiWD, simulate_separated
    >>> short = SamplerSettings(n_chains=2, n_warmup=50, n_draws=50)
    >>> D = simulate_separated(seed=1).D
    >>> model = TeTiWD(squared=True, dof=100, settings=short, random_state=0).fit(D)
    >>> from tetiwd import load_run
    >>> with TemporaryDirectory() as folder:
    ...     path = model.save(f"{folder}/run")
    ...     analysis = load_run(path)
    ...
    >>> analysis.clustering.n_clusters == model.n_clusters_
    True
    """
    folder = RunFolder.open(path)
    sample = folder.sample()
    return Analysis(sample, folder.settings().answers, _names(folder, sample.series.n_objects))


def write_results(folder: RunFolder, analysis: Analysis, *, seconds: float | None = None) -> None:
    """Write draws, tables and the picture of the lineages."""
    from tetiwd.plots import alluvial_svg

    folder.write_draws(analysis.sample)  # first, so that they are safe whatever happens to the answers
    lineages, events = analysis.lineages, analysis.lineages.events()
    events["others"] = [" ".join(map(str, others)) for others in events.others]
    tables = {
        "labels.csv": analysis.memberships.table(),
        "lineages.csv": lineages.table(),
        "links.csv": _flat_links(lineages.links()),
        "events.csv": events,
        "prototypes.csv": analysis.prototypes,
        "growth.csv": analysis.growth.table(),
    }
    for name, answer in (
        ("forecast.csv", analysis.forecast),
        ("transitions.csv", analysis.transitions),
        ("markers.csv", analysis.markers),
    ):
        if answer is not None:
            tables[name] = answer.table()
    tables = {name: with_names(table, analysis.clustering.names) for name, table in tables.items()}
    folder.write_answers(analysis.sample, tables, {"lineages.svg": alluvial_svg(lineages, ink=VISIBLE_ANYWHERE)})
    folder.close(analysis.sample, seconds=seconds)


def _extension(folder: RunFolder, series: DistanceSeries) -> Extension | None:
    """The extension that a run is, if it is one."""
    known = folder.earlier(series)
    if known is None:
        return None
    sample, refresh = known
    joined = Joined(series, sample.series.n_epochs)
    return Extension(sample, joined, folder.hyperparameters(), folder.settings().sampler, refresh)


def _names(folder: RunFolder, n_objects: Sequence[int]) -> Names | None:
    """What is known of the names of lineages, from the folder of a run with so many objects at every time."""
    known = folder.names()
    if known is None:
        return None
    try:
        numbers, n_given = known.get("before"), int(known.get("n_given", 0))
        before = None if numbers is None else tuple(map(as_array, numbers))
        if before is not None and tuple(own.shape for own in before) != tuple((n,) for n in n_objects):
            raise ValueError("it is about other objects")
        if not 0 <= n_given <= MOST_NUMBERS or any(((own < -1) | (own > MOST_NUMBERS)).any() for own in before or ()):
            raise ValueError("it has numbers that no lineage has")
        return Names(before, n_given, dict(checked_name(*row) for row in known.get("by_user", ())))
    except (ArithmeticError, TypeError, ValueError) as error:
        fault = f"{folder.path / NAMES} is damaged ({error})"
        raise RunFolderError(fault, "restore it, or delete it to number anew") from error


def _as_json(names: Names) -> dict[str, Any]:
    return {
        "n_given": names.n_given,
        "by_user": [[g, known.name, known.colour] for g, known in names.by_user.items()],
        "before": None if names.before is None else [own.tolist() for own in names.before],
    }


def _write(folder: RunFolder, analysis: Analysis, began: float | None = None, **options: Any) -> None:
    with rarely_collected():
        from threadpoolctl import threadpool_limits

        from tetiwd.report.page import report_html

        with threadpool_limits(1):  # matrices are small, and threads that wait for each other keep the processor busy
            write_results(folder, analysis, seconds=None if began is None else time.monotonic() - began)
            folder.write_tables({}, {"report.html": report_html(analysis, origin=folder.origin, **options)})


@contextmanager
def rarely_collected(n_objects: int = 100_000) -> Iterator[None]:
    """Look for garbage only after so many new objects: figures are made of many, few of them are garbage."""
    before = gc.get_threshold()
    gc.set_threshold(max(n_objects, before[0]) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _flat_links(links: Any) -> Any:
    """Links with lineages and times in columns of their own."""
    flat = links.drop(columns=["source", "target"])
    for name, end in (("to", "target"), ("from", "source")):
        flat.insert(0, f"{name}_time", [time for _, time in links[end]])
        flat.insert(0, f"{name}_lineage", [lineage for lineage, _ in links[end]])
    return flat
