"""A run as jobs: one makes its folder, every chain is a job that needs nothing else, one collects their draws."""

import os
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tetiwd.analysis import Analysis
from tetiwd.data import DistanceSeries
from tetiwd.errors import RunFolderError
from tetiwd.io.run_folder import RunFolder
from tetiwd.io.settings import RunSettings
from tetiwd.one_chain import WAIT_SECONDS, AllChains, HowItEnded, run_one_chain
from tetiwd.params import CHECKPOINT_SECONDS
from tetiwd.workflow import Watcher, finish, start


@dataclass(frozen=True)
class Unfinished:
    """Chains that cannot be collected yet."""

    n_draws: tuple[int, ...]  # of every chain
    wanted: int  # of every chain, before the run can end or go on

    @property
    def behind(self) -> tuple[int, ...]:
        """Numbers of the chains that have fewer."""
        return tuple(i + 1 for i, n in enumerate(self.n_draws) if n < self.wanted)


def is_prepared(path: str | Path) -> bool:
    """Is there a folder with all that chains need?"""
    return (Path(path) / "data.nc").is_file() and (Path(path) / "run.toml").is_file()


def prepare(
    path: str | Path,
    series: DistanceSeries,
    settings: RunSettings,
    *,
    inputs: dict[str, str] | None = None,
    remarks: Sequence[str] = (),
    n_threads: int | None = None,
    watcher: Watcher | None = None,
) -> RunFolder:
    """Make the folder of a run, or take the one that another job has made in the meantime: they choose the same.

    It is made under another name and put in place in one step.
    """
    target = Path(path)
    RunFolder(target).check_free(overwrite=False)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    except OSError as error:
        raise RunFolderError(f"cannot write into {target.parent} ({error.strerror})", "choose another place") from error
    try:
        start(fresh, series, settings, inputs=inputs, remarks=remarks, n_threads=n_threads, watcher=watcher)
        fresh.chmod(0o777 & ~_umask())
        with suppress(OSError):  # somebody was faster
            os.rename(fresh, target)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return RunFolder.open(target)


def run_job(
    path: str | Path,
    chain: int,
    *,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    wait_seconds: float = WAIT_SECONDS,
    watcher: Watcher | None = None,
) -> HowItEnded:
    """Run one chain of a run, counted from 1, from where it is."""
    folder, watcher = RunFolder.open(path), watcher or Watcher()
    folder.check_no_way_out()
    with watcher.busy("Reading"):
        series = folder.series()
    return run_one_chain(
        series,
        folder.hyperparameters(),
        folder.settings().sampler,
        chain - 1,
        folder.checkpoint,
        checkpoint_seconds=checkpoint_seconds,
        wait_seconds=wait_seconds,
        progress=watcher.progress,
    )


def collect(path: str | Path, *, watcher: Watcher | None = None, **options: Any) -> Analysis | Unfinished | None:
    """Join the chains of a run: freeze them, and write draws, answers and the report as if they had run here.

    If chains have not come far enough, nothing is written and the result says which. ``options`` are those of
    :func:`tetiwd.workflow.finish`; None is returned as it does.
    """
    folder, watcher = RunFolder.open(path), watcher or Watcher()
    with watcher.busy("Reading"):
        series = folder.series()
        chains = AllChains(series, folder.hyperparameters(), folder.settings().sampler, folder.checkpoint)
        chains.read()
        wanted = chains.next_check_point()
    if wanted is not None:
        return Unfinished(chains.n_draws, wanted)
    return finish(folder, series, watcher=watcher, **options)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
