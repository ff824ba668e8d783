"""From the arguments of a constructor to epochs: their matrices or rows, ids, times, and names for errors."""

from dataclasses import dataclass
from numbers import Real
from reprlib import repr as short
from typing import Any

from numpy.typing import NDArray

from tetiwd.data.checks import Place, check_size
from tetiwd.data.ids import check_ids, check_labels_agree, ids_of_tables
from tetiwd.data.labels import as_list, is_iterable, plain
from tetiwd.data.times import check_times, rows_by_time
from tetiwd.errors import DataError, plural


@dataclass(frozen=True)
class Epochs:
    """What belongs to each of T epochs, before the matrices are checked."""

    sources: list[Any]  # T × the matrix as it was given, or the rows of one matrix or table that covers all epochs
    times: tuple[Any, ...]
    ids: tuple[NDArray[Any], ...] | None
    places: list[Place]

    def names_of_rows(self) -> list[tuple[Any, Any]] | None:
        """Id and time of every row of one matrix that covers all epochs; None without ids."""
        if self.ids is None:
            return None
        names = {
            int(row): (plain(label), time)
            for rows, ids, time in zip(self.sources, self.ids, self.times, strict=True)
            for row, label in zip(rows, ids, strict=True)
        }
        return [names[row] for row in range(len(names))]


def separate_epochs(letter: str, matrices: Any, ids: Any, times: Any) -> Epochs:
    """Epochs that come as one matrix each."""
    sources = _matrix_list(matrices, letter)
    labels = tuple(range(len(sources))) if times is None else check_times(times, len(sources))
    shown = ["" if times is None else f" ({label})" for label in labels]
    places = [Place(f"{letter}[{t}]{label}", epoch=t) for t, label in enumerate(shown)]
    if ids is None:
        by_epoch = ids_of_tables(sources, places)
    else:
        by_epoch = _ids_by_epoch(ids, shown)
        for matrix, given, place in zip(sources, by_epoch, places, strict=True):
            check_labels_agree(matrix, given, place)
    if by_epoch is None:
        return Epochs(sources, labels, None, places)
    checked = check_ids(by_epoch, shown, [range(len(given)) for given in by_epoch])
    places = [Place(place.name, array, place.epoch) for place, array in zip(places, checked, strict=True)]
    return Epochs(sources, labels, checked, places)


def ids_of_rows(matrix: Any, ids: Any, place: Place) -> list[Any] | None:
    """Ids of the rows of one matrix or table that covers all epochs: as given, or its labels."""
    if ids is None:
        tables = ids_of_tables([matrix], [place])
        return None if tables is None else tables[0]
    values = as_list(ids, "ids", "one id per row")
    check_labels_agree(matrix, values, place)
    return values


def epochs_by_time(what: str, time: Any, ids: list[Any] | None, n: int, min_objects: int) -> Epochs:
    """Epochs that are rows of one matrix or table; without ids, errors name the rows."""
    if n == 0:
        raise DataError(f"{what} has no rows", "there must be at least one epoch")
    times, rows = rows_by_time(time, n, what)
    shown = [f" ({label})" for label in times]
    checked = None
    if ids is not None:
        if len(ids) != n:
            raise DataError(f"there are {plural(n, 'row')} but {plural(len(ids), 'id')}", "give one id per row")
        positions = [members.tolist() for members in rows]
        checked = check_ids([[ids[row] for row in members] for members in positions], shown, positions)
    places = [Place(f"D[{t}]{label}", rows[t] if checked is None else checked[t], t) for t, label in enumerate(shown)]
    for members, place in zip(rows, places, strict=True):
        check_size(len(members), min_objects, place)
    return Epochs(list(rows), times, checked, places)


def _matrix_list(matrices: Any, letter: str) -> list[Any]:
    """One entry per epoch, whatever holds them."""
    if isinstance(matrices, dict):
        raise DataError(
            "expected one matrix per epoch but got a dict", f"pass list({letter}.values()) and times=list({letter})"
        )
    if len(getattr(matrices, "shape", ())) == 2:
        raise DataError("expected one matrix per epoch but got a single matrix", f"wrap it in a list: [{letter}]")
    if not is_iterable(matrices):
        raise DataError(f"expected a list with one matrix per epoch, not {short(matrices)}")
    sources = list(matrices)
    if not sources:
        raise DataError("there are no epochs", "give at least one matrix")
    if all(_is_row(row, len(sources)) for row in sources):
        raise DataError(
            "expected one matrix per epoch but got the rows of a single matrix", f"wrap it in a list: [{letter}]"
        )
    return sources


def _is_row(row: Any, n: int) -> bool:
    one_dimensional = isinstance(row, list | tuple) or getattr(row, "ndim", None) == 1
    return one_dimensional and len(row) == n and all(isinstance(value, Real) for value in row)


def _ids_by_epoch(ids: Any, shown: list[str]) -> list[list[Any]]:
    """One list of ids per epoch."""
    by_epoch = as_list(ids, "ids", "the ids of every epoch")
    if len(by_epoch) != len(shown):
        raise DataError(
            f"there are {plural(len(shown), 'epoch')} but {plural(len(by_epoch), 'list')} of ids",
            "give one list per epoch",
        )
    return [
        as_list(given, f"the ids of epoch {t}{label}", "one id per object")
        for t, (given, label) in enumerate(zip(by_epoch, shown, strict=True))
    ]
