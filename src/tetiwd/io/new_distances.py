"""New objects to be classified, in the formats of distances that ``fit`` reads: together with objects of the run.

Pairs (long tables), square tables, npz and h5ad files say by id which objects are which. Those that the run does not
know are new.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.errors import DataError, Where
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.files import File, in_file
from tetiwd.io.npy import load_arrays
from tetiwd.io.open_table import open_table
from tetiwd.io.readers import h5ad
from tetiwd.io.readers.arrays import ids_in, unfolded
from tetiwd.io.readers.matrix import column_names, looks_square, read_square
from tetiwd.io.tables import TABLES, TEXT_TABLES

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NewDistances:
    """Distances (or similarities) of new objects to those of some epochs of a run, (m, n)."""

    ids: list[Any] | None
    values: Floats
    own: Floats | None = None  # (m,) of every new object with itself, where that is known
    by_name: bool = True  # whether the file names the objects of the run


def read_new_distances(
    file: File, series: DistanceSeries, epochs: Sequence[int], settings: DataSettings
) -> NewDistances | None:
    """What a file says of new objects and those of the run; None if it is a table of another kind."""
    with in_file(file.name):
        if file.ending in h5ad.READER.endings:
            ids, matrix = h5ad.read_matrix(file, settings)
            return _from_square(ids, matrix, series, epochs)
        if file.ending == ".npz":
            return _from_npz(file, series, epochs, settings)
        if file.ending in TABLES and _holds_pairs(file, settings):
            return _from_pairs(file, series, epochs, settings)
        if file.ending in (".lsmat", *TEXT_TABLES) and looks_square(file, settings) and _has_names(file):
            square = read_square(file)
            return _from_square(square.ids or [], square.matrix, series, epochs)
    return None


def names_known(file: File, series: DistanceSeries, epochs: Sequence[int]) -> bool:
    """True unless the file is a table of which no column is named after an object of these epochs."""
    return file.ending not in TABLES or bool(set(_known(series, epochs)) & set(map(str, open_table(file).names)))


def _holds_pairs(file: File, settings: DataSettings) -> bool:
    return {settings.first, settings.second, settings.distance} <= set(open_table(file).names)


def _has_names(file: File) -> bool:
    from tetiwd.io.csv_table import text_table

    return column_names([fields for _, fields in text_table(file).top]) is not None


def _known(series: DistanceSeries, epochs: Sequence[int]) -> list[str]:
    """Ids of the objects of some epochs, as text."""
    if series.ids is None:
        raise DataError("the run does not know its objects by id", "give a table or npy with distances to its objects")
    return [str(id) for t in epochs for id in series.ids[t].tolist()]


def _new(ids: Sequence[Any], series: DistanceSeries) -> list[Any]:
    """Those that the run does not know, as they first appear."""
    of_run = {str(id) for by_epoch in series.ids or () for id in by_epoch.tolist()}
    new = [id for id in dict.fromkeys(ids) if str(id) not in of_run]
    if not new:
        raise DataError("has no object that the run does not know", "add new ones")
    return new


def _from_square(
    ids: Sequence[Any], matrix: NDArray[Any], series: DistanceSeries, epochs: Sequence[int]
) -> NewDistances:
    """From a matrix over objects of the run and new ones."""
    known, row_of = _known(series, epochs), {str(id): row for row, id in enumerate(ids)}
    absent = next((name for name in known if name not in row_of), None)
    if absent is not None:
        raise DataError(
            f"has no object {absent!r}, which the run has", "give new objects together with those of the run"
        )
    new = _new(ids, series)
    rows, columns = [row_of[str(id)] for id in new], [row_of[name] for name in known]
    values = np.asarray(matrix, dtype=float)
    return NewDistances(new, values[np.ix_(rows, columns)], values[rows, rows])


def _from_npz(file: File, series: DistanceSeries, epochs: Sequence[int], settings: DataSettings) -> NewDistances:
    """From a matrix over all, with ids, or from one with a row per new object and a column per object of the run."""
    name = settings.id or "ids"
    arrays = load_arrays(file, lambda array: array == name)
    matrices = [array for array in arrays if array not in (name, settings.time or "time")]
    if "D" not in matrices and len(matrices) != 1:
        raise DataError(f"holds {len(matrices)} arrays besides ids", "call the distances of the new objects D")
    D = unfolded(arrays["D" if "D" in matrices else matrices[0]])
    ids = ids_in(arrays, name, len(D) if D.ndim else 0)
    if ids is not None and D.shape == (len(ids), len(ids)) and {str(id) for id in ids} >= set(_known(series, epochs)):
        return _from_square(ids, D, series, epochs)
    if D.ndim != 2 or (ids is not None and len(ids) != len(D)):
        raise DataError(f"has distances of shape {D.shape}", "give one row, and one id, per new object")
    return NewDistances(ids, D, by_name=False)


def _from_pairs(file: File, series: DistanceSeries, epochs: Sequence[int], settings: DataSettings) -> NewDistances:
    """From rows with a new object, one of the run, and their distance."""
    table, time = open_table(file), settings.time or "time"
    timed = time in table.names and settings.by is None
    columns = table.read([settings.first, settings.second, *([time] if timed else [])], [settings.distance])
    first, second, values = (
        columns.text[settings.first],
        columns.text[settings.second],
        columns.numbers[settings.distance],
    )
    wanted = {str(series.times[t]) for t in epochs}
    known = {name: position for position, name in enumerate(_known(series, epochs))}
    rows = [row for row in range(len(first)) if not timed or str(columns.text[time][row]) in wanted]
    new = _new([name for row in rows for name in (first[row], second[row])], series)
    number = {str(id): i for i, id in enumerate(new)}
    found, own = np.full((len(new), len(known)), np.nan), np.full(len(new), np.nan)
    for row in rows:
        one, other = str(first[row]), str(second[row])
        for a, b in {(one, other), (other, one)}:
            if a in number and b in known:
                found[number[a], known[b]] = values[row]
            elif a == b and a in number:
                own[number[a]] = values[row]
    if np.isnan(found).any():
        i, j = np.argwhere(np.isnan(found))[0]
        names = list(known)
        fault = f"has no distance between {new[i]!r} and {names[j]!r}"
        raise DataError(fault, "give those to all objects of that time", where=Where(file=file.name))
    return NewDistances(new, found, own)
