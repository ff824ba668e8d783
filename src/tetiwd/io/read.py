"""The one door for input files: choose the reader, read, repair, and say what was done."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tetiwd.data import DistanceSeries
from tetiwd.errors import DataError, Setting, SettingsError, Where
from tetiwd.io import readers
from tetiwd.io.constraint_files import constraint_files, read_constraints
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.files import File, find_file, in_file, sha256_of
from tetiwd.io.readers.reader import Reader, check_heeded
from tetiwd.io.tables import listed


@dataclass(frozen=True)
class Input:
    """What was read."""

    series: DistanceSeries
    format: str  # the format that was used
    remarks: tuple[str, ...]  # what the user should know
    hashes: dict[str, str]  # file name as given → sha256


def read_series(paths: Sequence[str | Path], settings: DataSettings | None = None) -> Input:
    """Read a series from one or several files.

    Several files are one epoch each, unless their rows have times of their own. Every error about a file begins with
    its name.
    """
    settings = settings or DataSettings()
    files = _files(paths)
    reader = _reader(files, settings)
    check_heeded(settings, reader, readers.READERS, files[0].name)
    if "kind" in reader.heeds and settings.kind == "distances":
        settings.are_squared()
    objects = [] if settings.objects is None else [find_file(settings.objects)]
    remarks: list[str] = []
    series = reader.read(files, settings, remarks)
    if settings.repair is not None:
        with in_file(", ".join(file.name for file in files)):
            series = series.repair(settings.repair)  # type: ignore[arg-type] # checked by the settings
    known = read_constraints(settings)
    if known is not None:
        with in_file(", ".join(file.name for file in constraint_files(settings))):
            series = series.bound_by(known)
    hashes = {file.name: sha256_of(file) for file in [*files, *objects, *constraint_files(settings)]}
    return Input(series, reader.name, tuple(remarks), hashes)


def reader_for(paths: Sequence[str | Path], settings: DataSettings) -> Reader:
    """The reader that :func:`read_series` would use."""
    return _reader(_files(paths), settings)


def _files(paths: Any) -> list[File]:
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    if not given:
        raise DataError("there are no input files", "name at least one")
    files = [find_file(path) for path in given]
    names = [file.name for file in files]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DataError("is named twice", "name every file once", where=Where(file=twice))
    return files


def _reader(files: Sequence[File], settings: DataSettings) -> Reader:
    """The reader that the settings name, or the one that all files call for."""
    if settings.format != "auto":
        by_name = {reader.name: reader for reader in readers.READERS if reader.known_as is None}
        if settings.format not in by_name:
            known = ", ".join(f'"{name}"' for name in ("auto", *by_name))
            raise SettingsError([Setting("format"), f" must be one of {known}, not {settings.format!r}"])
        special = (reader for reader in readers.READERS if reader.known_as == settings.format)
        return next((one for one in special if files[0].ending in one.endings), by_name[settings.format])
    suited = [_reader_of(file, settings) for file in files]
    for file, reader in zip(files, suited, strict=True):
        if reader is not suited[0]:
            raise DataError(
                f'looks like the format "{reader.name}", but {files[0].name} like "{suited[0].name}"',
                ["read them one by one, or say with ", Setting("format"), " what they are"],
                where=Where(file=file.name),
            )
    return suited[0]


def _reader_of(file: File, settings: DataSettings) -> Reader:
    """From the name of a file; where several readers share an ending, from its first lines."""
    for reader in readers.READERS:
        if file.ending in reader.endings and reader.recognises(file, settings):
            return reader
    known = list(dict.fromkeys(ending for reader in readers.READERS for ending in reader.endings))
    raise DataError(
        "has a name that says nothing about its format",
        [
            f"rename it ({listed(known, 30)}; text may be packed as .gz), or say with ",
            Setting("format"),
            " what it is",
        ],
        where=Where(file=file.name),
    )
