"""Aligned sequences in FASTA files, with dates from a table of objects or from the headers.

A header is taken apart at "|", or at blanks if there is no "|". The first field is the id; the date is the last of the
other fields that is an ISO date (2014, 2014-08 or 2014-08-05; XX stands for a month or day that is not known).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tetiwd.data import DistanceSeries
from tetiwd.data.checks import Matrix
from tetiwd.data.time_order import read_date
from tetiwd.errors import DataError, Setting, SettingsError, Text, Where
from tetiwd.io.assemble import Epoch, in_order, large_epochs, series_of_epochs, series_of_pooled
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.files import File, in_file, text_lines
from tetiwd.io.objects import ObjectTable, read_objects, rows_by_id
from tetiwd.io.readers.reader import Reader
from tetiwd.io.sequences import (
    GAPS,
    Letters,
    NoSharedSite,
    are_nucleotides,
    encode,
    letters_in,
    sequence_distances,
)
from tetiwd.io.tables import is_missing
from tetiwd.io.windows import EpochOfRows, epochs_of, rows_by_epoch, with_order
from tetiwd.memory import require_memory

METRICS = ("hamming", "p-distance")
DATE = re.compile(r"[0-9]{4}(-([0-9]{2}|XX)(-([0-9]{2}|XX))?)?", re.IGNORECASE)
EXPECTED_LETTERS = f"letters and gaps ({' '.join(GAPS)}) are expected"
CHECK_EVERY = 1 << 24  # bytes read between two looks at the memory


@dataclass
class Records:
    """The sequences of one file."""

    name: str  # what the label of its epoch is made from if there are no dates
    file: str
    ids: list[str] = field(default_factory=list)
    dates: list[str | None] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    n_sites: int = 0
    text: bytearray = field(default_factory=bytearray)

    def where(self, row: int, end: str = "") -> Where:
        """A sequence, for an error."""
        return Where(file=self.file, line=self.lines[row], matrix=f"sequence {self.ids[row]!r}{end}")


def read_fasta(files: Sequence[File], settings: DataSettings, remarks: list[str]) -> DistanceSeries:
    """A series from aligned sequences."""
    metric = settings.metric or "hamming"
    if metric not in METRICS:
        raise SettingsError([Setting("metric"), f' must be "hamming" or "p-distance" for sequences, not {metric!r}'])
    if settings.squared:
        raise SettingsError(
            [Setting("squared", True), " has no effect: differences between sequences count as squared distances"],
            ["leave out ", Setting("squared")],
        )
    objects = read_objects(settings)
    settings = replace(settings, squared=True if settings.squared is None else settings.squared)
    every = [records_of(file) for file in files]
    for records in every[1:]:
        if records.n_sites != every[0].n_sites:
            raise DataError(
                f"has sequences of {records.n_sites} sites, but {every[0].file} of {every[0].n_sites}",
                "align them together",
                where=Where(file=records.file),
            )
    every, rows, time = _epochs(every, settings, remarks, objects)
    names = [id for records in every for id in records.ids]
    ids = _ids(names, objects)
    file = ", ".join(records.file for records in every)
    codes = codes_of(every, remarks)
    with in_file(file):
        large, time = large_epochs(time, settings, remarks)
        if large is not None:
            rows = [rows[row] for row in large]
        if len(time.categories) > 1 and settings.keeps_cross(len(rows)):
            matrix = distances_of(codes, rows, metric, settings.dtype, names)
            return series_of_pooled(file, matrix, [ids[row] for row in rows], time, settings, remarks)
        epochs = []
        for label, positions in rows_by_epoch(time):
            members = [rows[position] for position in positions]
            matrix = distances_of(codes, members, metric, settings.dtype, names)
            epochs.append(Epoch(str(label), file, matrix, [ids[row] for row in members]))
        return series_of_epochs(epochs, list(time.categories), settings, remarks)


READER = Reader(
    "fasta",
    endings=(".fa", ".fasta", ".fna", ".aln", ".faa"),
    heeds=frozenset({"metric", "id", "objects", "subject", "missing", "cross"}),
    read=read_fasta,
)


def records_of(file: File) -> Records:
    """All sequences of a file, of equal length."""
    records = Records(file.stem, file.name)
    with in_file(file.name):
        checked = 0
        for line, header, sequence in _read_records(file):
            fields = [part.strip() for part in (header.split("|") if "|" in header else header.split())]
            if not fields or not fields[0]:
                raise DataError('has no id after ">"', "give every sequence a name", where=Where(line=line))
            place = Where(line=line, matrix=f"sequence {fields[0]!r}")
            if not sequence:
                raise DataError("is empty", "leave it out", where=place)
            if records.ids and len(sequence) != records.n_sites:
                fault = f"has {len(sequence)} sites, but those before it have {records.n_sites}"
                raise DataError(fault, "align the sequences first", where=place)
            records.n_sites = len(sequence)
            records.ids.append(fields[0])
            dates = [part for part in fields[1:] if DATE.fullmatch(part) and read_date(part)]
            records.dates.append(dates[-1] if dates else None)
            records.lines.append(line)
            records.text += sequence
            if len(records.text) - checked > CHECK_EVERY:
                checked = len(records.text)
                require_memory(2 * checked, "keeping the sequences", "use fewer sequences")
        if not records.ids:
            raise DataError("holds no sequences", 'every one begins with a line ">name"')
    return records


def _read_records(file: File) -> Iterator[tuple[int, str, bytes]]:
    """Line number, header and sequence of every record."""
    line, header, parts = 0, "", [b""]
    for number, text in enumerate(text_lines(file), 1):
        if text.startswith(">"):
            if line:
                yield line, header, b"".join(parts)
            line, header, parts = number, text[1:].strip(), []
        elif text.strip() and not (text.startswith(";") and not line):
            if not line:
                fault = 'does not begin with ">"'
                raise DataError(fault, "this is not a FASTA file", where=Where(line=number))
            if not text.isascii():
                strange = next(letter for letter in text if not letter.isascii())
                raise DataError(f"has {strange!r}", EXPECTED_LETTERS, where=Where(line=number))
            parts.append("".join(text.split()).encode("ascii"))
    if line:
        yield line, header, b"".join(parts)


def codes_of(every: Sequence[Records], remarks: list[str]) -> Letters:
    """The letters of all files as small numbers, which replace the text in memory."""
    letters: set[str] = set()
    tables = []
    for records in every:
        table = np.frombuffer(records.text, dtype=np.uint8).reshape(-1, records.n_sites)
        present = letters_in(table)
        strange = {letter for letter in present if not (letter.isascii() and letter.isalpha())} - set(GAPS)
        if strange:
            codes = [ord(letter) for letter in strange]
            row, site = np.argwhere(np.isin(table, codes))[0]
            fault = f"has {chr(table[row, site])!r} at site {site + 1}"
            raise DataError(fault, EXPECTED_LETTERS, where=records.where(row))
        letters |= present
        tables.append(table)
    nucleotides = are_nucleotides(letters)
    kind = "nucleotides (A, C, G and T or U" if nucleotides else "amino acids (the twenty usual ones"
    remarks.append(f"sequences read as {kind} are known, anything else counts as unknown)")
    return encode(tables[0] if len(tables) == 1 else np.concatenate(tables), nucleotides)


def _epochs(
    every: list[Records], settings: DataSettings, remarks: list[str], objects: ObjectTable | None
) -> tuple[list[Records], list[int], EpochOfRows]:
    """Files in order, the sequences that have a time, and their epochs."""
    dates: list[Any] = [date for records in every for date in records.dates]
    if objects is not None:
        dates = _dates_of_objects(every, objects)
    elif settings.times is not None or (not any(dates) and settings.by is None):
        every, labels = in_order(every, settings, remarks, "files")
        each = [label for records, label in zip(every, labels, strict=True) for _ in records.ids]
        return every, list(range(len(each))), with_order(each, labels)
    places = [(records, row) for records in every for row in range(len(records.ids))]

    def where(position: int, end: str = "") -> Where:
        records, row = places[position]
        return records.where(row, end)

    without = [position for position, date in enumerate(dates) if is_missing(date)]
    if without and settings.missing == "error":
        source = "its header" if objects is None else objects.file
        remedy: Text = ["add it, or leave out such sequences with ", Setting("missing", "drop")]
        if len(without) == len(dates):
            remedy = ["write dates as in >name|2014-08-05, or give a table of them with ", Setting("objects")]
        raise DataError(
            f"has no date in {source} ({len(without)} of {len(dates)} have none)", remedy, where=where(without[0])
        )
    if without:
        remarks.append(f"left out {len(without)} of {len(dates)} sequences without a date")
    rows = [position for position, date in enumerate(dates) if not is_missing(date)]
    if not rows:
        remedy = ["write dates as in >name|2014-08-05, or give a table of them with ", Setting("objects")]
        raise DataError("no sequence has a date", remedy, where=Where(file=every[0].file))
    declared = None if objects is None else objects.declared
    return every, rows, epochs_of([dates[row] for row in rows], settings, lambda i: where(rows[i], ":"), declared)


def _ids(names: Sequence[str], objects: ObjectTable | None) -> list[Any]:
    """The subject of every sequence if the table of objects tells, otherwise its own id."""
    if objects is None or objects.subjects is None:
        return list(names)
    at = rows_by_id(objects)
    return [name if name not in at else objects.subjects[at[name]] for name in names]


def _dates_of_objects(every: Sequence[Records], objects: ObjectTable) -> list[Any]:
    """The time of every sequence by its id; None where the table has none."""
    at = rows_by_id(objects)
    rows = [at.get(id) for records in every for id in records.ids]
    return [None if row is None else objects.times[row] for row in rows]


def distances_of(codes: Letters, rows: Sequence[int], metric: str, dtype: str, ids: Sequence[str]) -> Matrix:
    """Distances between some sequences; errors name them."""
    try:
        return sequence_distances(codes[rows], metric, dtype)
    except NoSharedSite as error:
        i, j = (ids[rows[k]] for k in error.pair)
        if i == j:
            raise DataError(f"the sequence {i!r} has no known site", "leave it out") from error
        raise DataError(
            f"the sequences {i!r} and {j!r} have no site at which both are known",
            ["leave one of them out, or use ", Setting("metric", "hamming")],
        ) from error
