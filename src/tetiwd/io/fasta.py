"""Aligned sequences in FASTA files, with dates from a table of objects or from the headers.

A header is taken apart at "|", or at blanks if there is no "|". The first field is the id; the date is the last of the
other fields that is an ISO date (2014, 2014-08 or 2014-08-05).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tetiwd.data.memory import require_memory
from tetiwd.errors import DataError, SettingsError
from tetiwd.io.assemble import Epoch, Found, in_order, rows_to_keep, series_of_epochs, series_of_pooled
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.dates import read_date
from tetiwd.io.files import File, in_file, text_lines
from tetiwd.io.objects import ObjectTable, rows_by_id
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
from tetiwd.io.windows import EpochOfRows, epochs_of, remark_on_order

METRICS = ("hamming", "p-distance")
DATE = re.compile(r"[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?")
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

    def where(self, row: int) -> str:
        """A sequence, for an error."""
        return f"{self.file}: line {self.lines[row]}, sequence {self.ids[row]!r}"


def read_fasta(files: Sequence[File], settings: DataSettings, remarks: list[str], objects: ObjectTable | None) -> Found:
    """A series from aligned sequences."""
    metric = settings.metric or "hamming"
    if metric not in METRICS:
        raise SettingsError(f'metric must be "hamming" or "p-distance" for sequences, not {metric!r}')
    settings = replace(settings, squared=True if settings.squared is None else settings.squared)
    every = [_records(file) for file in files]
    for records in every[1:]:
        if records.n_sites != every[0].n_sites:
            raise DataError(
                f"{records.file}: has sequences of {records.n_sites} sites, but {every[0].file} of "
                f"{every[0].n_sites}; align them together"
            )
    every, rows, time = _epochs(every, settings, remarks, objects)
    ids = [own for records in every for own in records.ids]
    file = ", ".join(records.file for records in every)
    codes = _codes(every, remarks)
    small = rows_to_keep(time, settings, remarks)
    if small is not None:
        rows, time = [rows[row] for row in small], time.take(small)
    with in_file(file):
        if len(time.categories) > 1 and settings.keeps_cross(len(rows)):
            matrix = _distances(codes, rows, metric, settings.dtype, ids)
            own_ids = [ids[row] for row in rows]
            return Found(series_of_pooled(file, matrix, own_ids, time, replace(settings, times=None), remarks))
        epochs = []
        for label in time.categories:
            own = [row for row, epoch in zip(rows, time, strict=True) if epoch == label]
            matrix = _distances(codes, own, metric, settings.dtype, ids)
            epochs.append(Epoch(str(label), file, matrix, [ids[row] for row in own]))
        return Found(series_of_epochs(epochs, time.categories, settings, remarks))


def _records(file: File) -> Records:
    """All sequences of a file, of equal length."""
    records = Records(file.stem, file.name)
    with in_file(file.name):
        checked = 0
        for line, header, sequence in _read_records(file):
            fields = [part.strip() for part in (header.split("|") if "|" in header else header.split())]
            if not fields or not fields[0]:
                raise DataError(f'line {line} has no id after ">"; give every sequence a name')
            if not sequence:
                raise DataError(f"line {line}: the sequence {fields[0]!r} is empty; leave it out")
            if records.ids and len(sequence) != records.n_sites:
                raise DataError(
                    f"line {line}: the sequence {fields[0]!r} has {len(sequence)} sites, but those before it have "
                    f"{records.n_sites}; align the sequences first"
                )
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
            raise DataError('holds no sequences; every one begins with a line ">name"')
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
                raise DataError(f'line {number} does not begin with ">"; this is not a FASTA file')
            if not text.isascii():
                strange = next(letter for letter in text if not letter.isascii())
                raise DataError(f"line {number} has {strange!r}; letters and gaps ({' '.join(GAPS)}) are expected")
            parts.append("".join(text.split()).encode("ascii"))
    if line:
        yield line, header, b"".join(parts)


def _codes(every: Sequence[Records], remarks: list[str]) -> Letters:
    """The letters of all files as small numbers; the text of the files is given up."""
    letters: set[str] = set()
    tables = []
    for records in every:
        table = np.frombuffer(records.text, dtype=np.uint8).reshape(-1, records.n_sites)
        own = letters_in(table)
        strange = {letter for letter in own if not (letter.isascii() and letter.isalpha())} - set(GAPS)
        if strange:
            codes = [ord(letter) for letter in strange]
            row, site = np.argwhere(np.isin(table, codes))[0]
            raise DataError(
                f"{records.where(row)} has {chr(table[row, site])!r} at site {site + 1}; letters and gaps "
                f"({' '.join(GAPS)}) are expected"
            )
        letters |= own
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
        return every, list(range(len(each))), EpochOfRows(each, labels)
    places = [(records, row) for records in every for row in range(len(records.ids))]

    def where(position: int) -> str:
        records, row = places[position]
        return records.where(row)

    without = [position for position, date in enumerate(dates) if is_missing(date)]
    if without and settings.missing == "error":
        source = "its header" if objects is None else objects.file
        raise DataError(
            f"{where(without[0])} has no date in {source} ({len(without)} of {len(dates)} have none); "
            'add it, or leave out such sequences with missing = "drop"'
        )
    if without:
        remarks.append(f"left out {len(without)} of {len(dates)} sequences without a date")
    rows = [position for position, date in enumerate(dates) if not is_missing(date)]
    if not rows:
        raise DataError(f"{every[0].file}: no sequence has a date; give a table of objects with their times")
    declared = None if objects is None else objects.columns.declared.get(objects.time_column)
    time = epochs_of([dates[row] for row in rows], settings.by, lambda i: where(rows[i]), declared)
    remark_on_order(time, remarks)
    return every, rows, time


def _dates_of_objects(every: Sequence[Records], objects: ObjectTable) -> list[Any]:
    """The time of every sequence by its id; None where the table has none."""
    at = rows_by_id(objects)
    rows = [at.get(own) for records in every for own in records.ids]
    return [None if row is None else objects.times[row] for row in rows]


def _distances(codes: Letters, rows: Sequence[int], metric: str, dtype: str, ids: Sequence[str]) -> Any:
    try:
        return sequence_distances(codes[rows], metric, dtype)
    except NoSharedSite as error:
        i, j = (ids[rows[k]] for k in error.pair)
        if i == j:
            raise DataError(f"the sequence {i!r} has no known site; leave it out") from error
        raise DataError(
            f"the sequences {i!r} and {j!r} have no site at which both are known; leave one of them out, or use "
            'metric = "hamming"'
        ) from error
