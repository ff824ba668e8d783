"""One folder per run: settings, data, draws, tables, checkpoints. Readable without this package.

run.toml          settings given and resolved, versions, hashes of the inputs, whether the run is complete
data.nc           the validated distances, so that nothing else is needed to continue or to ask again
resolution.json   clusters at several degrees of freedom, if these were chosen from the data
names.json        numbers that lineages take over from an earlier run, and names that a user gave, if there are any
earlier.nc        the draws of the earlier run, if this one extends it
checkpoint/       one file per chain while it runs, and after
results.nc        all draws and sample statistics, in ArviZ's layout
labels.csv        one row per object and time: lineage, certainty, next best lineage
lineages.csv      one row per lineage; links.csv and events.csv: what joins them and what happens to them
forecast.csv      shares of the clusters at the next time
prototypes.csv    the most typical object of every cluster; markers.csv: features that mark lineages
transitions.csv   who came from where; growth.csv: who grows
sites.csv         with sequences: sites that mark lineages
covariates.csv    with metadata: what distinguishes lineages; known_labels.csv and confusion.csv: known labels
diagnostics.json  verdict, R-hat and effective sample sizes
lineages.svg      the lineages as a picture; report.html has it, too, and more

A quick look leaves data.nc, checkpoint/, labels.csv, lineages.csv, lineages.svg and report.html, of the mode alone, and
run.toml has a table [run.mode]. The run that goes on from there replaces them.

Other packages can attach folders of their own (``RunFolder.attach``); overwriting the run removes them.
"""

import json
import shutil
import stat
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tetiwd.data import DistanceSeries
from tetiwd.errors import DataError, RunFolderError, Setting, SettingsError, TetiwdError, Text, give
from tetiwd.io.diagnostics_file import diagnostics_as_json
from tetiwd.io.folder_lock import NAME as LOCK
from tetiwd.io.folder_lock import check_nobody_writes, writing_into
from tetiwd.io.plain_texts import from_json
from tetiwd.io.posterior import read_posterior, write_posterior
from tetiwd.io.resolution_file import read_resolution, write_resolution
from tetiwd.io.series_file import read_series_file, write_series
from tetiwd.io.settings import WRITTEN_BY_A_RUN, RunSettings, read_settings, to_toml
from tetiwd.params import Hyperparameters
from tetiwd.resolution import ResolutionPath
from tetiwd.sample import Sample
from tetiwd.stopping import to_discard_before
from tetiwd.versions import versions
from tetiwd.writing import write_table, write_text

if TYPE_CHECKING:
    import pandas as pd

FORMAT = "tetiwd-run-1"
ATTACHED = "attached.txt"  # file that marks a folder as attached to the run
TABLES = (
    *("labels.csv", "lineages.csv", "links.csv", "events.csv", "forecast.csv"),
    *("prototypes.csv", "markers.csv", "transitions.csv", "growth.csv"),
    *("sites.csv", "known_labels.csv", "confusion.csv", "covariates.csv"),
)
RESOLUTION = "resolution.json"
NAMES, EARLIER = "names.json", "earlier.nc"
FILES = (
    "data.nc",
    RESOLUTION,
    NAMES,
    EARLIER,
    "results.nc",
    *TABLES,
    "diagnostics.json",
    "lineages.svg",
    "report.html",
    "run.toml",
)
MOST_NAMES = 3  # of input files in the head of a page
OTHER_FOLDER = "make room, or choose another folder"


class RunFolder:
    """The folder of one run."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.about: dict[str, Any] = {}

    @classmethod
    def create(
        cls,
        path: str | Path,
        series: DistanceSeries,
        settings: RunSettings,
        model: Hyperparameters,
        *,
        inputs: dict[str, str] | None = None,
        remarks: Sequence[str] = (),
        reasons: Sequence[str] = (),
        resolution: ResolutionPath | None = None,
        overwrite: bool = False,
        attached: Sequence[str] = (),
    ) -> "RunFolder":
        """Make the folder and put into it all that is needed to run, and to run again.

        ``model`` is ``settings.model`` with nothing left open; ``reasons`` say why it was chosen, and ``resolution`` is
        the path that its degrees of freedom come from. ``inputs`` are the hashes of input files, and ``remarks`` what
        there is to know about reading them. A folder that holds anything is left alone, unless ``overwrite`` is asked
        for and it holds a run. Folders attached to an earlier run are removed, except those named in ``attached``.
        """
        folder = cls(path)
        folder.check_free(overwrite=overwrite)
        folder.about = settings.to_tables() | {
            "run": {"format": FORMAT, "status": "stopped", "started": _now()},
            "inputs": {
                "remarks": list(map(_utf8, remarks)),
                "sha256": {_utf8(k): v for k, v in (inputs or {}).items()},
            },
            "resolved": {
                "dof": list(model.dof_by_epoch(series.n_epochs)),
                "df_A": to_toml(model.df_A),
                "unit": series.unit,
                "geometry": model.geometry,
                "reasons": list(reasons),
            },
            "versions": versions(),
        }
        try:
            folder.path.mkdir(parents=True, exist_ok=True)
            folder.check_no_way_out()
            with writing_into(folder.path):
                folder._check_nothing_in_the_way(overwrite=overwrite)  # somebody may have been faster
                folder._clear(keep=attached)
                folder._write_about()
                if resolution is not None:
                    write_resolution(folder.path / RESOLUTION, resolution)
                write_series(folder.path / "data.nc", series)  # last: from here on the run can be resumed
        except OSError as error:
            raise RunFolderError(f"cannot write into {path} ({error.strerror})", OTHER_FOLDER) from error
        return folder

    @classmethod
    def open(cls, path: str | Path) -> "RunFolder":
        """A folder that holds a run."""
        folder = cls(path)
        if not folder.path.is_dir():
            raise RunFolderError(f"there is no folder {path}; give the folder that fit has written")
        if not (folder.path / "run.toml").is_file():
            raise RunFolderError(f"{path} holds no run.toml, so it is not a run; give the folder that fit has written")
        folder._check_all_have_an_end()
        try:
            folder.about = read_settings(folder.path / "run.toml")
        except SettingsError as error:
            raise RunFolderError(f"{error}; restore it, or run fit again") from error
        run = folder.about.get("run", {})
        if not all(isinstance(folder.about.get(name, {}), dict) for name in WRITTEN_BY_A_RUN) or "format" not in run:
            raise RunFolderError(f"{folder.path / 'run.toml'} does not say what wrote it; restore it, or run fit again")
        if run["format"] != FORMAT:
            raise RunFolderError(
                f"{path} was written as {run['format']!r}, and this version reads {FORMAT!r}; run fit again"
            )
        if "status" not in run:
            raise RunFolderError(f"{folder.path / 'run.toml'} does not say how the run ended; restore it, or fit again")
        return folder

    @contextmanager
    def working(self) -> Iterator[None]:
        """While this process writes into the folder, no other does; run.toml says that the run is going on."""
        self.check_no_way_out()
        before = (self.path / "run.toml").read_text("utf-8")
        with ExitStack() as stack:
            try:
                stack.enter_context(writing_into(self.path))
                self.about["run"]["status"] = "running"
                self._write_about()
            except OSError as error:
                raise RunFolderError(
                    f"cannot write into {self.path} ({error.strerror})", "make room, or see who owns it"
                ) from error
            with self._noting_the_end(before):
                yield

    @contextmanager
    def _noting_the_end(self, before: str) -> Iterator[None]:
        """If what follows fails, run.toml does not say that the run is going on."""
        try:
            yield
        except TetiwdError:  # refused before anything was done, or stopped where it cannot go on
            with suppress(OSError):
                write_text(self.path / "run.toml", before)
            raise
        except BaseException:
            with suppress(OSError):
                self.stop()
            raise

    def stop(self) -> None:
        """Note that a run was stopped before there were results."""
        self.about["run"]["status"] = "stopped"
        self._write_about()

    def check_free(self, *, overwrite: bool) -> None:
        """Refuse to touch what is there, unless it is a run and overwriting was asked for."""
        if not self.path.exists():
            return
        check_nobody_writes(self.path)
        self._check_nothing_in_the_way(overwrite=overwrite)

    def _check_nothing_in_the_way(self, *, overwrite: bool) -> None:
        if not self.path.is_dir():
            raise RunFolderError(f"{self.path} is a file; choose another name for the results folder")
        if all(_is_attached(entry) or _is_unfinished(entry) for entry in self.path.iterdir()):
            return
        if not (self.path / "run.toml").is_file():
            raise RunFolderError(f"{self.path} is not empty and holds no run; choose another folder")
        if not overwrite and not self._never_began():
            remedy: Text = ["choose another folder, continue the run with tetiwd resume, or ", give("overwrite", True)]
            raise RunFolderError(f"{self.path} already holds a run", remedy)

    def _never_began(self) -> bool:
        """True if whoever made the folder was killed before there was anything to resume."""
        if any((self.path / name).exists() for name in ("data.nc", "results.nc", self.checkpoint.name)):
            return False
        try:
            RunFolder.open(self.path)
        except RunFolderError:  # somebody else's, perhaps
            return False
        return True

    def _check_all_have_an_end(self) -> None:
        """Refuse pipes and devices, which somebody might wait for, or read for ever."""
        for entry in self.path.rglob("*"):
            with suppress(OSError):  # gone in the meantime
                mode = entry.stat().st_mode
                if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                    raise RunFolderError(f"{entry} is neither a file nor a folder", "remove it")

    def check_no_way_out(self) -> None:
        """Refuse to write where a folder of the run is a link to another place."""
        own = self.path.resolve()
        for entry in self.path.iterdir() if self.path.is_dir() else []:
            if entry.is_dir() and not entry.resolve().is_relative_to(own):
                fault = f"{entry} is a link that leads out of the results folder, where nothing is written"
                raise RunFolderError(fault, "put the folder itself in its place, or remove the link")

    def attach(self, name: str) -> Path:
        """A folder inside this one for files of another package; made if need be, and readable by its owner only."""
        folder = self.path / name
        self.check_no_way_out()
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_text(folder / ATTACHED, "This folder belongs to the run beside it and is removed with it.\n")
        except OSError as error:
            raise RunFolderError(f"cannot write into {folder} ({error.strerror})", OTHER_FOLDER) from error
        return folder

    @property
    def checkpoint(self) -> Path:
        """Where chains keep their checkpoints."""
        return self.path / "checkpoint"

    @property
    def status(self) -> str:
        """ "running" (or killed), "stopped" early, "mode" (a quick look without draws), or "complete"."""
        return str(self.about["run"]["status"])

    @property
    def origin(self) -> tuple[str, ...]:
        """Names of the data and the day of the run, for people."""
        names = [Path(name).name for name in self.about.get("inputs", {}).get("sha256", {})]
        shown = f"{', '.join(names[:MOST_NAMES])}{f' and {len(names) - MOST_NAMES} more' * (len(names) > MOST_NAMES)}"
        return tuple(filter(None, (shown, str(self.about["run"].get("started", ""))[:10])))

    def settings(self) -> RunSettings:
        """Settings as they were given."""
        return RunSettings.from_tables(self.about)

    def extend(
        self, *, n_draws: int | None = None, max_draws: int | None = None, max_minutes: float | None = None
    ) -> None:
        """Ask for more draws than there are: for a fixed number of them, or for a larger budget."""
        sampler, given = self.settings().sampler, self.about.setdefault("sampler", {})
        if n_draws is not None:
            known = self.about["run"].get("n_draws", 0) if sampler.n_draws is None else sampler.n_draws
            _check_no_less("n_draws", n_draws, known)
            given |= {"n_draws": n_draws, "n_warmup": sampler.n_warmup}
            if sampler.automatic and sampler.n_discarded is None:
                given["n_discarded"] = to_discard_before(n_draws)
        elif max_draws is not None:
            if not sampler.automatic:
                raise SettingsError(
                    [Setting("max_draws"), f" has no meaning for this run, which has {sampler.n_draws} draws"],
                    ["give ", Setting("n_draws")],
                )
            _check_no_less("max_draws", max_draws, sampler.max_draws)
            given["max_draws"] = max_draws
        if max_minutes is not None:
            given["max_minutes"] = max_minutes

    def hyperparameters(self) -> Hyperparameters:
        """The model as it was used, with degrees of freedom and geometry."""
        given = self.settings().model
        try:
            if given.geometry == "auto":
                given = replace(given, geometry=self.about["resolved"]["geometry"])
            if isinstance(given.dof, str):
                given = replace(given, dof=tuple(self.about["resolved"]["dof"]))
        except (KeyError, TypeError, SettingsError) as error:
            fault = f"{self.path / 'run.toml'} does not say which dof and geometry the run had"
            raise RunFolderError(f"{fault}; restore it, or run fit again") from error
        return given

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why this model was chosen, if there was a choice."""
        return tuple(map(str, self.about.get("resolved", {}).get("reasons", ())))

    def resolution(self, series: DistanceSeries) -> ResolutionPath | None:
        """The path that degrees of freedom were chosen from; None if they were given, or the file is damaged."""
        file = self.path / RESOLUTION
        try:
            return read_resolution(file, series.n_objects) if file.is_file() else None
        except DataError as error:
            warnings.warn(f"{self.path}: {error}; the report does without it", stacklevel=2)
            return None

    def series(self) -> DistanceSeries:
        """The data."""
        if self._never_began():
            raise RunFolderError(f"{self.path} holds a run that was stopped before it began; run fit again")
        try:
            return read_series_file(self.path / "data.nc")
        except DataError as error:
            raise RunFolderError(f"{self.path}: {error}") from error

    def sample(self) -> Sample:
        """All draws."""
        file = self.path / "results.nc"
        if not file.is_file():
            fault = "holds a quick look, which has no draws" if "mode" in self.about["run"] else "has no results yet"
            raise RunFolderError(f"{self.path} {fault}; continue the run with: tetiwd resume {self.path}")
        settings, series, hyperparameters = self.settings(), self.series(), self.hyperparameters()
        try:
            sample = read_posterior(file, series, hyperparameters, settings.sampler)
            return replace(sample, reasons=self.reasons, resolution=self.resolution(series))
        except DataError as error:
            raise RunFolderError(f"{self.path}: {error}") from error

    def write_names(self, names: Mapping[str, Any]) -> None:
        """Write what is known of the names of lineages."""
        with self._writing_results():
            write_text(self.path / NAMES, json.dumps(names) + "\n")

    def names(self) -> dict[str, Any] | None:
        """What is known of the names of lineages; None if nothing is."""
        file = self.path / NAMES
        if not file.is_file():
            return None
        try:
            return dict(from_json(file.read_text("utf-8")))
        except (OSError, ValueError, TypeError) as error:
            raise RunFolderError(f"{file} cannot be read ({error}); restore it, or delete it to number anew") from error

    def write_earlier(self, sample: Sample, *, refresh: bool) -> None:
        """Keep the draws of the run that this one extends."""
        with self._writing_results():
            write_posterior(self.path / EARLIER, sample)
            self.about["run"]["extends"] = {"n_epochs": sample.series.n_epochs, "refresh": refresh}
            self._write_about()

    @property
    def extends(self) -> bool:
        """Whether this run adds times to an earlier one."""
        return "extends" in self.about["run"]

    def earlier(self, series: DistanceSeries) -> tuple[Sample, bool] | None:
        """The draws of the run that this one extends, and whether chains go through them; None if it extends none."""
        if not self.extends:
            return None
        about = self.about["run"]["extends"]
        settings, n = self.settings(), int(about["n_epochs"])
        dof = self.hyperparameters().dof_by_epoch(series.n_epochs)
        model = replace(self.hyperparameters(), dof=dof[:n])
        try:
            return read_posterior(self.path / EARLIER, series.until(n), model, settings.sampler), bool(about["refresh"])
        except DataError as error:
            raise RunFolderError(f"{self.path}: {error}") from error

    def write_draws(self, sample: Sample) -> None:
        """Write results.nc."""
        with self._writing_results():
            write_posterior(self.path / "results.nc", sample)

    def write_answers(self, sample: Sample, tables: "Mapping[str, pd.DataFrame]", texts: Mapping[str, str]) -> None:
        """Write tables and texts by file name, and diagnostics.json."""
        diagnostics = diagnostics_as_json(sample, self.about["inputs"].get("remarks", ()))
        self.write_tables(tables, {"diagnostics.json": json.dumps(diagnostics, indent=2) + "\n", **texts})

    def write_tables(self, tables: "Mapping[str, pd.DataFrame]", texts: Mapping[str, str]) -> None:
        """Write tables and texts by file name."""
        with self._writing_results():
            for name, table in tables.items():
                write_table(self.path / name, table)
            for name, text in texts.items():
                write_text(self.path / name, text)

    def close(self, sample: Sample, *, seconds: float | None = None) -> None:
        """Write to run.toml that all results are there; so it must come last."""
        self.about["run"].pop("mode", None)  # the results of a quick look have been replaced
        self.about["sampler"] = RunSettings(sampler=sample.settings).to_tables()["sampler"]
        facts = {"ended": sample.ended, "n_draws": min(map(len, sample.draws)), "n_discarded": sample.n_discarded}
        self.about["run"] |= facts
        self._close("complete" if sample.complete else "stopped", seconds)

    def close_mode(self, facts: Mapping[str, Any], *, seconds: float | None = None) -> None:
        """The same for a quick look, with facts about the mode."""
        self.about["run"]["mode"] = dict(facts)
        self._close("mode", seconds)

    def _close(self, status: str, seconds: float | None) -> None:
        self.about["run"] |= {"status": status, "finished": _now()}
        if seconds is not None:
            self.about["run"]["seconds"] = round(seconds, 1)
        with self._writing_results():
            self._write_about()

    @contextmanager
    def _writing_results(self) -> Iterator[None]:
        self.check_no_way_out()
        try:
            yield
        except OSError as error:
            raise RunFolderError(
                f"cannot write results into {self.path} ({error.strerror}); make room, then continue with tetiwd resume"
            ) from error

    def _clear(self, *, keep: Sequence[str]) -> None:
        """Remove the files of an earlier run, and nothing else."""
        for name in FILES:
            (self.path / name).unlink(missing_ok=True)
        if self.checkpoint.is_dir():
            shutil.rmtree(self.checkpoint)
        for entry in list(self.path.iterdir()) if self.path.is_dir() else []:
            if _is_attached(entry) and entry.name not in keep:
                shutil.rmtree(entry)

    def _write_about(self) -> None:
        import tomli_w

        write_text(self.path / "run.toml", tomli_w.dumps(self.about))


def _check_no_less(name: str, wanted: int, known: int) -> None:
    if wanted < known:
        fault = f" is less than the {known} draws of this run"
        raise SettingsError([Setting(name, wanted), fault], "give a larger number")


def _is_attached(entry: Path) -> bool:
    return entry.is_dir() and not entry.is_symlink() and (entry / ATTACHED).is_file()


def _is_unfinished(entry: Path) -> bool:
    """A file of a run that was being written when the process was killed, or the lock of whoever did so."""
    return (entry.suffix == ".new" and entry.stem in FILES) or entry.name == LOCK


def _utf8(text: str) -> str:
    """Text that can be written; bytes of a file name that are no text are shown as codes."""
    return text.encode("utf-8", "backslashreplace").decode()


def _now() -> str:
    return datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="seconds")
