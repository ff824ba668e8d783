"""New sequences to be classified: alone, if those of the run were kept, or in one alignment with them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.errors import DataError, Where
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.files import File, in_file
from tetiwd.io.kept_sequences import Letters, alphabet_of, check_alike
from tetiwd.io.readers.fasta import READER, Records, codes_of, records_of
from tetiwd.io.sequences import sequence_distances

FASTA = READER.endings
ROUNDING = 1e-6  # of the largest distance, by which float32 may differ


def read_new_sequences(
    file: File,
    series: DistanceSeries,
    epochs: Sequence[int],
    settings: DataSettings,
    kept: Letters | None = None,
) -> tuple[list[str], NDArray[np.float64]]:
    """Ids of the sequences that the run does not know, and their distances to the objects of some epochs.

    A file with none of the sequences of the run is compared with those that were kept. The numbers are those that the
    run was made from, before any squaring. An alignment in which the sequences of the run have other distances than
    they had is refused.
    """
    with in_file(file.name):
        if series.ids is None:
            raise DataError("the run does not know its sequences by id", "give distances to its objects")
        records = records_of(file)
        row_of = {id: row for row, id in enumerate(records.ids)}
        if len(row_of) < len(records.ids):
            twice = next(id for row, id in enumerate(records.ids) if row_of[id] != row)
            raise DataError(f"has the id {twice!r} twice", "give every sequence its own name")
        known = [[str(id) for id in series.ids[t].tolist()] for t in epochs]
        of_run = {str(id) for ids in series.ids for id in ids.tolist()}
        if kept is not None and of_run.isdisjoint(row_of):
            return records.ids, _to_kept(records, kept, series, epochs, settings)
        for id in (id for ids in known for id in ids):
            if id not in row_of:
                fault = f"has no sequence {id!r}, which the run has"
                raise DataError(fault, "align new sequences together with those of the run, in one file")
        new = [id for id in records.ids if id not in of_run]
        if not new:
            raise DataError("has no sequence that the run does not know", "add new ones")
        codes = codes_of([records], [])
        members = [row_of[id] for ids in known for id in ids]
        D = sequence_distances(codes[[*members, *(row_of[id] for id in new)]], settings.metric or "hamming", "float64")
        _check_same(D, series, epochs, settings, file)
        return new, np.asarray(D[len(members) :, : len(members)])


def _to_kept(
    records: Records, kept: Letters, series: DistanceSeries, epochs: Sequence[int], settings: DataSettings
) -> NDArray[np.float64]:
    """Distances of all sequences of a file to those that were kept with the run, of some epochs."""
    remarks: list[str] = []
    codes = codes_of([records], remarks)
    check_alike(kept, (codes, alphabet_of(remarks)))
    ends = np.cumsum(series.n_objects)
    members = np.concatenate([kept[0][ends[t] - series.n_objects[t] : ends[t]] for t in epochs])
    D = sequence_distances(np.concatenate([members, codes]), settings.metric or "hamming", "float64")
    return np.asarray(D[len(members) :, : len(members)])


def _check_same(
    D: NDArray[Any], series: DistanceSeries, epochs: Sequence[int], settings: DataSettings, file: File
) -> None:
    """Refuse an alignment that gives the objects of the run other distances."""
    if settings.repair is not None:  # the run has others on purpose
        return
    start = 0
    for t in epochs:
        then = series.matrices[t]
        now = D[start : start + len(then), start : start + len(then)]
        now = now**2 if settings.squared is False else now
        if np.abs(now - then).max() > ROUNDING * max(1.0, float(then.max())):
            raise DataError(
                "gives the sequences of the run other distances than they had",
                "add new sequences without aligning the others anew, and keep all sites",
                where=Where(file=file.name),
            )
        start += len(then)
