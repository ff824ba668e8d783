"""``tetiwd fit --fast``: a quick look, told for people or as JSON."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tetiwd.cli import exit_codes
from tetiwd.cli.console import Console, records
from tetiwd.io.settings import RunSettings
from tetiwd.params import CHECKPOINT_SECONDS

if TYPE_CHECKING:
    from tetiwd.data import DistanceSeries
    from tetiwd.mode_analysis import ModeAnalysis

SHOWN = ("lineage", "name", "first", "last", "objects", "stability")  # columns of lineages, where they are there


def check_fast(settings: RunSettings, *, strict: bool, checkpoint_seconds: float) -> None:
    """Refuse what has no effect on a quick look."""
    from tetiwd.mode import check_heeded, has_no_effect

    check_heeded(settings.sampler, settings.answers)
    if strict:
        raise has_no_effect("strict", True)
    if checkpoint_seconds != CHECKPOINT_SECONDS:
        raise has_no_effect("checkpoint_seconds", checkpoint_seconds)


def deliver_look(
    target: Path, series: "DistanceSeries", settings: RunSettings, options: dict[str, Any], console: Console
) -> None:
    """Take the look and tell what was found; ends the program if it was interrupted."""
    from tetiwd.quick_look import look_into

    analysis = look_into(target, series, settings, **options)
    if analysis is None:
        console.warn(f"stopped before there was a result; go on with: {go_on_with(target)}")
        raise typer.Exit(exit_codes.INTERRUPTED)
    tell_mode(analysis, console, target)


def tell_mode(analysis: "ModeAnalysis", console: Console, folder: Path) -> None:
    """What the mode says."""
    from tetiwd.narrative import narrate_mode, quick_look

    sentences = [quick_look(analysis), *narrate_mode(analysis), *analysis.mode.reasons]
    console.say()
    for sentence in sentences:
        console.say(sentence)
    console.table(analysis.n_clusters(), "Clusters:")
    console.table(narrow(analysis.lineages.table()), "Lineages and their sizes:")
    console.say(f"\nLook at {folder / 'report.html'}; labels are in {folder / 'labels.csv'}.")
    console.say(f"To see how certain this is: {go_on_with(folder)}")
    console.result(
        {
            "folder": str(folder),
            "words": sentences,
            "log_joint": analysis.mode.log_joint,
            "clusters": records(analysis.n_clusters()),
            "lineages": records(analysis.lineages.table()),
        }
    )


def narrow(table: Any) -> Any:
    """A table of lineages that fits a terminal: sizes as they follow each other in time."""
    sizes = [name for name in table.columns if str(name).startswith("size at ")]
    shown = table[[name for name in SHOWN if name in table]].copy()
    for name in ("first", "last"):
        shown[name] = shown[name].astype(str)
    shown["sizes"] = [" ".join(str(size) if size else "·" for size in row) for row in table[sizes].to_numpy()]
    return shown


def go_on_with(folder: Path) -> str:
    """The command that continues a run."""
    return f"tetiwd resume {shlex.quote(str(folder))}"
