"""From settings and data to a results folder with the mode in it, which ``tetiwd resume`` makes an ordinary run of."""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tetiwd.choosing import choose
from tetiwd.data import DistanceSeries
from tetiwd.io.run_folder import RunFolder
from tetiwd.io.settings import RunSettings
from tetiwd.mode import check_heeded, check_mode, find_mode
from tetiwd.mode_analysis import ModeAnalysis
from tetiwd.workflow import VISIBLE_ANYWHERE, Watcher, while_choosing

if TYPE_CHECKING:
    import pandas as pd


def look_into(
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
) -> ModeAnalysis | None:
    """Make a run folder and write the mode into it; None if it was interrupted. See :func:`tetiwd.workflow.fit_into`.

    Checkpoints of the chains are left in the folder. A run that goes on from them is the one that there would have been
    without the look.
    """
    settings, watcher, began = settings or RunSettings(), watcher or Watcher(), time.monotonic()
    check_heeded(settings.sampler, settings.answers)
    RunFolder(path).check_free(overwrite=overwrite)
    with while_choosing(settings, watcher):
        choice = choose(settings.model, series, settings.sampler, n_threads=n_threads)
    hyperparameters = choice.hyperparameters
    check_mode(series, hyperparameters, settings.sampler)
    folder = RunFolder.create(
        path,
        series,
        settings,
        hyperparameters,
        inputs=inputs,
        remarks=remarks,
        reasons=choice.reasons,
        resolution=choice.resolution,
        overwrite=overwrite,
        attached=attached,
    )
    watcher.before_sampling(folder, series, resumed=False)
    with folder.working():
        mode = find_mode(
            series,
            hyperparameters,
            settings.sampler,
            n_threads=n_threads,
            progress=watcher.progress,
            checkpoint=folder.checkpoint,
        )
        if mode is None:
            folder.stop()
            return None
        mode = replace(mode, reasons=choice.reasons, resolution=choice.resolution)
        with watcher.busy("Drawing figures"):
            analysis = ModeAnalysis(mode, settings.answers, time.monotonic() - began)
            _write(folder, analysis)
    return analysis


def save_mode(analysis: ModeAnalysis, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write the folder of a mode that was found in memory; it has no checkpoints."""
    mode = analysis.mode
    settings = RunSettings(model=mode.hyperparameters, sampler=mode.settings, answers=analysis.settings)
    folder = RunFolder.create(
        path,
        mode.series,
        settings,
        mode.hyperparameters,
        overwrite=overwrite,
        reasons=mode.reasons,
        resolution=mode.resolution,
    )
    _write(folder, analysis)
    return folder.path


def _write(folder: RunFolder, analysis: ModeAnalysis) -> None:
    from tetiwd.plots import alluvial_svg
    from tetiwd.report import write_mode_report

    tables: dict[str, pd.DataFrame] = {
        "labels.csv": analysis.memberships.table(),
        "lineages.csv": analysis.lineages.table(),
    }
    folder.write_tables(tables, {"lineages.svg": alluvial_svg(analysis.lineages, ink=VISIBLE_ANYWHERE)})
    write_mode_report(analysis, folder.path / "report.html", overwrite=True, origin=folder.origin)
    facts: dict[str, Any] = {
        "log_joint": analysis.mode.log_joint,
        "log_joint_by_start": [frozen.log_joint for frozen in analysis.mode.starts],
    }
    folder.close_mode(facts, seconds=analysis.seconds)
