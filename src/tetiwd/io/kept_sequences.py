"""Aligned sequences of the objects of a series, read again from their files and kept with a run."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.errors import DataError, RunFolderError, Where
from tetiwd.io.files import File, find_file
from tetiwd.io.npy import load_arrays
from tetiwd.io.readers.fasta import READER, codes_of, records_of
from tetiwd.io.sequences import AMINO_ACIDS, NUCLEOTIDES, UNKNOWN
from tetiwd.memory import require_memory
from tetiwd.writing import write_whole

FOLDER, FILE = "sequences", "letters.npz"
COUNTS = 16  # bytes per site and letter when sites are compared
Letters = tuple[NDArray[np.uint8], tuple[str, ...]]


def are_sequences(paths: Sequence[Path]) -> bool:
    """Whether all files hold sequences, by their names."""
    return all(find_file(path).ending in READER.endings for path in paths)


def sequences_of(paths: Sequence[Path], series: DistanceSeries) -> Letters | None:
    """Letters of all objects of a series as small numbers, (N, sites), and the letters; None if ids do not tell which
    sequence is whose, as where they are those of subjects."""
    every = [records_of(find_file(path)) for path in paths]
    names = [id for records in every for id in records.ids]
    row_of = {name: row for row, name in enumerate(names)}
    ids = [] if series.ids is None else [str(id) for at_time in series.ids for id in at_time.tolist()]
    if len(row_of) < len(names) or not ids or not all(id in row_of for id in ids):
        return None
    remarks: list[str] = []
    codes = codes_of(every, remarks)
    return codes[[row_of[id] for id in ids]], alphabet_of(remarks)


def alphabet_of(remarks: Sequence[str]) -> tuple[str, ...]:
    """The letters that sequences were read as, from what was said about them."""
    return tuple(same[0] for same in (NUCLEOTIDES if "nucleotides" in remarks[-1] else AMINO_ACIDS))


def check_alike(kept: Letters, added: Letters) -> None:
    """New sequences have the sites and the alphabet of those that were kept, or an error."""
    (before, alphabet), (now, other) = kept, added
    if before.shape[1] != now.shape[1]:
        fault = f"has sequences of {now.shape[1]} sites, and those of the run have {before.shape[1]}"
        raise DataError(fault, "align new sequences to those of the run, without adding sites")
    if alphabet != other:
        raise DataError("has amino acids where the run has nucleotides, or the other way round", "give the same kind")


def keep_sequences(folder: Path, letters: Letters) -> None:
    """Write them into the folder that is attached to a run."""
    codes, alphabet = letters

    def write(fresh: Path) -> None:
        with open(fresh, "wb") as stream:
            np.savez_compressed(stream, codes=codes, letters=np.array(alphabet))

    write_whole(folder / FILE, write)


def kept_sequences(run: Path) -> Letters | None:
    """The sequences that were kept with a run."""
    file = run / FOLDER / FILE
    if not file.is_file():
        return None
    try:
        found = load_arrays(File(str(file), file), lambda name: name == "letters")
    except DataError as error:
        raise RunFolderError(error.fault, "remove it, or run fit again", where=error.where) from error
    codes, letters = found.get("codes", np.zeros(0)), tuple(map(str, found.get("letters", np.zeros(0)).ravel()))
    known = letters in (tuple(same[0] for same in alphabet) for alphabet in (NUCLEOTIDES, AMINO_ACIDS))
    if not known or codes.ndim != 2 or codes.dtype != np.uint8 or not _are_among(codes, len(letters)):
        raise RunFolderError("does not hold sequences", "remove it, or run fit again", where=Where(file=str(file)))
    return codes, letters


def _are_among(codes: NDArray[np.uint8], n_letters: int) -> bool:
    """Whether known codes are positions of letters; refuses what there is no memory to count."""
    counts = COUNTS * n_letters * codes.shape[1]
    require_memory(codes.nbytes + counts, f"comparing {codes.shape[1]:,} sites", "remove them from the run")
    return all((row[row != UNKNOWN] < n_letters).all() for row in codes)
