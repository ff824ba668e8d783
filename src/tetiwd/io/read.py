"""The one door for input files: choose the format, read, repair, and say what was done."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tetiwd.data import DistanceSeries
from tetiwd.errors import DataError
from tetiwd.io.assemble import Found
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.files import File, find_file, in_file, sha256_of
from tetiwd.io.objects import ObjectTable, read_objects
from tetiwd.io.tables import PARQUET, listed, open_table

BY_ENDING = {
    ".npy": "arrays",
    ".npz": "arrays",
    ".h5ad": "h5ad",
    ".lsmat": "matrix",
    **dict.fromkeys((".fa", ".fasta", ".fna", ".aln", ".faa"), "fasta"),
}
TABLES = (".csv", ".tsv", ".tab", ".txt", *PARQUET)


@dataclass(frozen=True)
class Input:
    """What was read."""

    series: DistanceSeries
    format: str  # the format that was used
    remarks: tuple[str, ...]  # what the user should know
    hashes: dict[str, str]  # file name as given → sha256
    n_features: int | None  # for features


def read_series(paths: Sequence[str | Path], settings: DataSettings | None = None) -> Input:
    """Read a series from one or several files.

    Several files are one epoch each, unless their rows have times of their own. Every error about a file begins with
    its name.
    """
    settings = settings or DataSettings()
    files = _files(paths)
    format = settings.format if settings.format != "auto" else _common_format(files, settings)
    settings.check_for(format, files[0].name)
    table = None if settings.objects is None else find_file(settings.objects)
    remarks: list[str] = []
    objects = None if table is None else read_objects(table, settings)
    found = _read(format, files, settings, remarks, objects)
    series = found.series
    if settings.repair is not None:
        with in_file(", ".join(file.name for file in files)):
            series = series.repair(settings.repair)  # type: ignore[arg-type] # checked by the settings
    hashes = {file.name: sha256_of(file) for file in [*files, *([] if table is None else [table])]}
    return Input(series, format, tuple(remarks), hashes, found.n_features)


def _read(
    format: str, files: list[File], settings: DataSettings, remarks: list[str], objects: ObjectTable | None
) -> Found:
    """Readers are loaded when they are needed."""
    if format == "arrays":
        from tetiwd.io.arrays import read_arrays

        return read_arrays(files, settings, remarks, objects)
    if format == "matrix":
        from tetiwd.io.square import read_matrices

        return read_matrices(files, settings, remarks, objects)
    if format == "fasta":
        from tetiwd.io.fasta import read_fasta

        return read_fasta(files, settings, remarks, objects)
    if format == "h5ad":
        from tetiwd.io.h5ad import read_h5ad

        return read_h5ad(files, settings, remarks)
    if format == "long":
        from tetiwd.io.long import read_long

        return read_long(files, settings, remarks)
    from tetiwd.io.features import read_features

    return read_features(files, settings, remarks)


def _files(paths: Any) -> list[File]:
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    if not given:
        raise DataError("there are no input files; name at least one")
    files = [find_file(path) for path in given]
    names = [file.name for file in files]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"{twice}: is named twice; name every file once")
    return files


def _common_format(files: Sequence[File], settings: DataSettings) -> str:
    formats = [_format_of(file, settings) for file in files]
    for file, format in zip(files, formats, strict=True):
        if format != formats[0]:
            raise DataError(
                f'{file.name}: looks like the format "{format}", but {files[0].name} like "{formats[0]}"; '
                "read them one by one, or say with format what they are"
            )
    return formats[0]


def _format_of(file: File, settings: DataSettings) -> str:
    """From the name of a file; for tables, from its columns."""
    if file.ending in BY_ENDING:
        return BY_ENDING[file.ending]
    if file.ending not in TABLES:
        known = [*BY_ENDING, *TABLES]
        raise DataError(
            f"{file.name}: has a name that says nothing about its format; rename it ({listed(known, 30)}; text may be "
            "packed as .gz), or say with format what it is"
        )
    if file.ending not in PARQUET:
        from tetiwd.io.square import looks_square

        if looks_square(file):
            return "matrix"
    names = open_table(file).names
    return "long" if {settings.first, settings.second, settings.distance} <= set(names) else "features"
