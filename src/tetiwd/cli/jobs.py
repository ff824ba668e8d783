"""Chains as jobs of their own: the options of ``tetiwd fit`` and ``tetiwd resume`` for it, and what they do."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tetiwd.cli import exit_codes
from tetiwd.cli import options as o
from tetiwd.cli.console import Console
from tetiwd.cli.slurm import write_scripts
from tetiwd.cli.workers import WORKERS
from tetiwd.errors import RunFolderError, Setting, SettingsError
from tetiwd.io.settings import RunSettings

if TYPE_CHECKING:
    from tetiwd.io.read import Input
    from tetiwd.workflow import Watcher

WAIT_SECONDS = 60.0

Chain = Annotated[
    int | None,
    o.option(
        "--chain",
        panel=WORKERS,
        text="Run this chain alone, from 1; others are run by other commands, here or on machines that see the results "
        "folder. The same command goes on where it was; tetiwd collect joins the chains.",
        min=1,
    ),
]
Wait = Annotated[
    float,
    o.option(
        "--wait",
        panel=WORKERS,
        text=f"With --chain: seconds to wait for the other chains at a convergence check. [default: {WAIT_SECONDS:g}]",
        min=0,
    ),
]
Slurm = Annotated[
    bool,
    o.option(
        "--slurm",
        panel=WORKERS,
        text="Run nothing, but make the results folder, and in it scripts that run every chain as a job of SLURM and "
        "collect them.",
    ),
]


def refuse_together(given: Mapping[str, Any]) -> None:
    """Refuse options that say different things about who runs the chains: at most one of these may be given."""
    names = [name for name, value in given.items() if value]
    if len(names) > 1:
        first, second = (Setting(name, given[name]) for name in names[:2])
        raise SettingsError([first, " and ", second, " cannot be had together"], "leave out one of them")


def fit_chain(
    files: Sequence[Path],
    target: Path,
    settings: RunSettings,
    chain: int,
    read: "Callable[[], Input]",
    *,
    n_threads: int | None,
    checkpoint_seconds: float,
    wait_seconds: float,
    watcher: "Watcher",
    console: Console,
) -> None:
    """Run one chain; the first job makes the folder, and others find it."""
    from tetiwd.chain_jobs import is_prepared, prepare

    if is_prepared(target):
        check_same_run(target, files, settings)
    else:
        given = read()
        options: dict[str, Any] = {"inputs": given.hashes, "remarks": given.remarks}
        prepare(target, given.series, settings, n_threads=n_threads, watcher=watcher, **options)
        check_same_run(target, files, settings)
    run_chain(target, chain, checkpoint_seconds, wait_seconds, watcher, console)


def check_same_run(target: Path, files: Sequence[Path], settings: RunSettings) -> None:
    """Refuse to add a chain to a run that has other settings or other data."""
    from tetiwd.io.files import find_file, sha256_of
    from tetiwd.io.run_folder import RunFolder

    folder = RunFolder.open(target)
    remedy = f"choose another folder, or go on with that run: tetiwd resume {shlex.quote(str(target))} --chain NUMBER"
    if RunSettings.from_tables(settings.to_tables()) != folder.settings():
        raise RunFolderError(f"{target} holds a run with other settings", remedy)
    known = set(folder.about.get("inputs", {}).get("sha256", {}).values())
    for file in files:
        if file.is_file() and sha256_of(find_file(file)) not in known:
            raise RunFolderError(f"{target} holds a run of other data than {file}", remedy)


def run_chain(
    target: Path, chain: int, checkpoint_seconds: float, wait_seconds: float, watcher: "Watcher", console: Console
) -> None:
    """Run one chain of a run that is there, and say what to do next."""
    from tetiwd.chain_jobs import run_job

    how = run_job(target, chain, checkpoint_seconds=checkpoint_seconds, wait_seconds=wait_seconds, watcher=watcher)
    name = shlex.quote(str(target))
    collect = f"tetiwd collect {name}"
    told = {
        "done": f"Chain {chain} has all its draws. When the others have, too: {collect}",
        "waiting": f"Chain {chain} has to wait for others. Run it again when they have come as far; to see: {collect}",
        "stopped": f"Chain {chain} was stopped; the same command goes on.",
    }
    console.say(told[how])
    console.result({"folder": str(target), "chain": chain, "ended": how})
    if how == "stopped":
        raise typer.Exit(exit_codes.INTERRUPTED)


def prepare_slurm(
    target: Path, given: "Input", settings: RunSettings, options: dict[str, Any], console: Console
) -> None:
    """Make the folder of a run, with scripts for SLURM."""
    from tetiwd.workflow import start

    folder = start(target, given.series, settings, **options)
    script = write_scripts(folder, given.series)
    console.say(f"Submit {settings.sampler.n_chains} chains with: sh {shlex.quote(str(script))}")
    console.say("Options of sbatch may follow, such as --partition=long --time=4:00:00.")
    console.result({"folder": str(target), "script": str(script)})
