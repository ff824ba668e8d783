"""What goes beside the distances of a run: metadata of its objects, and their sequences."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tetiwd.cli import options as o
from tetiwd.errors import RunFolderError, Setting, SettingsError

if TYPE_CHECKING:
    from tetiwd.analysis import Analysis
    from tetiwd.cli.console import Console
    from tetiwd.data import DistanceSeries
    from tetiwd.io.data_settings import DataSettings
    from tetiwd.io.kept_metadata import KeptMetadata
    from tetiwd.io.kept_sequences import Letters
    from tetiwd.report import MetadataReport, SitesReport

PANEL = "Metadata"
MetadataFile = Annotated[
    Path | None,
    o.option(
        "--metadata",
        panel=PANEL,
        text="Table of what is known about the objects (CSV, TSV, Parquet, obs of h5ad), joined by id, and by time if "
        "it has the column of times. For one matrix over all times, or sequences, it also gives the times.",
        metavar="FILE",
    ),
]
Known = Annotated[
    str | None,
    o.option("--known", panel=PANEL, text="Column of the metadata with known labels to compare the clusters with."),
]
Covariates = Annotated[
    str | None,
    o.option(
        "--covariates",
        panel=PANEL,
        text="Columns of the metadata to compare between lineages; all others if not given.",
        metavar="NAME,NAME,...",
    ),
]
Survival = Annotated[
    str | None,
    o.option(
        "--survival",
        panel=PANEL,
        text="Two columns of the metadata: the time until an event or the end of observation, and whether the event "
        "happened (1, 0).",
        metavar="TIME,EVENT",
    ),
]


@dataclass(frozen=True)
class Asked:
    """What the options about metadata say."""

    file: Path | None
    known: str | None
    covariates: tuple[str, ...] | None
    survival: tuple[str, str] | None

    @classmethod
    def of(cls, file: Path | None, known: str | None, covariates: str | None, survival: str | None) -> "Asked":
        """Options as they were typed."""
        for name, value in (("known", known), ("covariates", covariates), ("survival", survival)):
            if value is not None and file is None:
                raise SettingsError(
                    [Setting(name), " is about metadata"], ["name the table with ", Setting("metadata")]
                )
        two = None if survival is None else _names(survival)
        if two is not None and len(two) != 2:
            raise SettingsError([Setting("survival"), f" must name two columns, time and event, not {survival!r}"])
        return cls(file, known, None if covariates is None else _names(covariates), two and (two[0], two[1]))

    def report(
        self, series: "DistanceSeries", data: "DataSettings", *, id: str | None = None, time: str | None = None
    ) -> "MetadataReport | None":
        """The metadata joined to a series; None if there are none."""
        from tetiwd.io.files import in_file
        from tetiwd.io.metadata_table import read_metadata
        from tetiwd.report import MetadataReport

        if self.file is None:
            return None
        columns = None
        if self.covariates is not None:
            named = (*self.covariates, *(self.survival or ()), *([self.known] if self.known else []))
            columns = list(dict.fromkeys(named))
        metadata = read_metadata(self.file, series, data, id=id, time=time, columns=columns)
        report = MetadataReport(metadata, self.known, self.covariates, self.survival)
        with in_file(str(self.file)):
            report.check()
        return report

    def times_for(self, files: Sequence[Path], data: "DataSettings") -> "DataSettings":
        """Settings that take times from the metadata, where the data have none of their own and the metadata do."""
        from tetiwd.io.files import find_file
        from tetiwd.io.metadata_table import columns_of_objects
        from tetiwd.io.read import reader_for

        if self.file is None or data.objects is not None or len(files) > 1:
            return data
        if not {"objects", "id"} <= reader_for(files, data).heeds:
            return data
        id, time = columns_of_objects(find_file(self.file), data)
        return data if time is None else replace(data, objects=str(self.file), id=id, time=time)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


def attach_sides(
    run: Path, asked: Asked, series: "DistanceSeries", files: Sequence[Path], data: "DataSettings", console: "Console"
) -> list[str]:
    """Keep metadata and sequences beside a run that is about to begin; the names of the attached folders."""
    from tetiwd.io.kept_sequences import are_sequences, sequences_of

    letters = sequences_of(files, series) if are_sequences(files) else None
    return _attach(run, _kept(asked, series, data, console), letters)


def attach_sides_after(
    run: Path,
    earlier: Path,
    asked: Asked,
    series: "DistanceSeries",
    files: Sequence[Path],
    data: "DataSettings",
    console: "Console",
) -> list[str]:
    """The same for a run that extends an earlier one: what was kept with that one stays, unless it is given again."""
    from tetiwd.io.kept_metadata import kept_metadata, stretched
    from tetiwd.io.longer_alignment import sequences_after
    from tetiwd.io.run_folder import RunFolder

    metadata = _kept(asked, series, data, console)
    known_before = None if metadata is not None else kept_metadata(earlier)
    if known_before is not None:
        metadata = stretched(known_before, RunFolder.open(earlier).series(), series)
        console.remark("Note: metadata are those of the earlier run; for those of new objects use --metadata")
    return _attach(run, metadata, sequences_after(earlier, files, series))


def _kept(asked: Asked, series: "DistanceSeries", data: "DataSettings", console: "Console") -> "KeptMetadata | None":
    """Metadata as they are kept with a run."""
    from tetiwd.io.kept_metadata import KeptMetadata

    report = asked.report(series, data)
    if report is None:
        return None
    for remark in report.metadata.remarks:
        console.remark(f"Note: {asked.file}: {remark}")
    return KeptMetadata(report.metadata, report.known, report.covariates, report.survival)


def _attach(run: Path, metadata: "KeptMetadata | None", letters: "Letters | None") -> list[str]:
    from tetiwd.io import kept_metadata as of_objects
    from tetiwd.io import kept_sequences as of_sequences
    from tetiwd.io.run_folder import RunFolder

    names = []
    if metadata is not None:
        of_objects.keep_metadata(RunFolder(run).attach(of_objects.FOLDER), metadata)
        names.append(of_objects.FOLDER)
    if letters is not None:
        of_sequences.keep_sequences(RunFolder(run).attach(of_sequences.FOLDER), letters)
        names.append(of_sequences.FOLDER)
    return names


def metadata_of_run(
    run: Path, *, show_ids: bool | None, show_text: bool | None
) -> "tuple[MetadataReport | None, bool]":
    """The section about the metadata that were kept with a run."""
    from tetiwd.io.kept_metadata import kept_metadata
    from tetiwd.report import MetadataReport

    kept = kept_metadata(run)
    report = None if kept is None else MetadataReport(kept.metadata, kept.known, kept.covariates, kept.survival)
    return report, bool(show_ids)


def sequences_of_run(run: Path, *, show_ids: bool | None, show_text: bool | None) -> "tuple[SitesReport | None, bool]":
    """The section about the sequences that were kept with a run."""
    from tetiwd.io.kept_sequences import kept_sequences
    from tetiwd.report import SitesReport

    letters = kept_sequences(run)
    return None if letters is None else SitesReport(*letters), bool(show_ids)


def write_side_tables(sections: Sequence[Any], analysis: "Analysis", folder: Path) -> list[Path]:
    """Write the tables of all sections that have some into a folder, which is made if need be."""
    from tetiwd.summarize.naming import with_names
    from tetiwd.writing import write_table

    written = []
    for section in sections:
        for name, table in section.tables(analysis).items() if hasattr(section, "tables") else ():
            try:
                folder.mkdir(parents=True, exist_ok=True)
                write_table(folder / name, with_names(table, analysis.clustering.names))
            except OSError as error:
                fault = f"cannot write {folder / name} ({error.strerror})"
                raise RunFolderError(fault, "make room, or choose another place") from error
            written.append(folder / name)
    return written
