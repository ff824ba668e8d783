"""Long tables: one row per pair of objects and epoch."""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.data.checks import located
from tetiwd.errors import DataError, give
from tetiwd.io.assemble import Epoch, series_of_epochs
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.files import File, in_file
from tetiwd.io.open_table import Table, open_table
from tetiwd.io.readers.arrays import unfolded
from tetiwd.io.readers.reader import Reader
from tetiwd.io.rows import Part, epochs_of_parts, part_of, time_column
from tetiwd.io.tables import TABLES, as_ids, is_row_number, no_column
from tetiwd.io.windows import rows_by_epoch
from tetiwd.memory import SMALLER_DATA, require_memory

PAIR = ("first", "second", "distance")  # the settings that name the columns of a pair
BYTES_PER_ROW = 200  # what sorting takes, measured
SAME = 1e-10  # two values of a pair agree if they differ by no more than this times the largest value of the epoch


def read_long(files: Sequence[File], settings: DataSettings, remarks: list[str]) -> DistanceSeries:
    """A series from tables with the columns time (if there is more than one epoch), i, j and distance."""
    import pandas as pd

    settings = _with_names(files[0], settings, remarks)
    parts, time = epochs_of_parts([_read(file, settings, remarks) for file in files], settings, remarks)
    first, second = (
        [name for part in parts for name in part.text(column)] for column in (settings.first, settings.second)
    )
    codes, names = pd.factorize(np.fromiter([*first, *second], dtype=object))
    ids = as_ids(names.tolist())
    firsts, seconds = np.split(codes, 2)
    values = np.concatenate([part.numbers(settings.distance) for part in parts])
    file = ", ".join(part.file for part in parts)
    epochs = []
    with in_file(file):
        require_memory(BYTES_PER_ROW * len(values), f"sorting {len(values)} rows", "give the distances as matrices")
        for t, (label, rows) in enumerate(rows_by_epoch(time)):
            with located(matrix=f"epoch {label}", epoch=t):
                pairs = Pairs(label, ids, firsts[rows], seconds[rows], values[rows])
                epochs.append(Epoch(str(label), file, pairs.matrix(settings), pairs.ids))
    return series_of_epochs(epochs, list(time.categories), settings, remarks)


def holds_pairs(file: File, settings: DataSettings) -> bool:
    """Whether a table has the columns of pairs, or the settings say which columns these are."""
    return _names_are_given(settings) or _pair_columns(open_table(file), settings) is not None


READER = Reader(
    "long",
    endings=TABLES,
    heeds=frozenset({"kind", *PAIR, "symmetrize", "missing"}),
    read=read_long,
    recognises=holds_pairs,
)


def _names_are_given(settings: DataSettings) -> bool:
    return any(getattr(settings, field.name) != field.default for field in fields(settings) if field.name in PAIR)


def _pair_columns(table: Table, settings: DataSettings) -> list[str] | None:
    """Columns of the two objects and their distance: as the settings name them, or the only three candidates.

    Columns with other names are accepted if there is no choice: besides the times there are two columns of text and
    one of numbers, and the user says whether distances are squared, which has no effect on features.
    """
    names = [settings.first, settings.second, settings.distance]
    if set(names) <= set(table.names):
        return names
    if _names_are_given(settings) or set(names) & set(table.names) or settings.squared is None:
        return None
    if settings.metric is not None or settings.columns or settings.id is not None or settings.standardize:
        return None
    rest = [name for name in table.names if name != (settings.time or "time") and not is_row_number(name)]
    if len(rest) != 3:
        return None
    numbers = [name for name in rest if table.is_number(name)]
    if len(numbers) != 1:
        return None
    return [name for name in rest if name not in numbers] + numbers


def _with_names(file: File, settings: DataSettings, remarks: list[str]) -> DataSettings:
    """The settings with the names of the columns of pairs."""
    with in_file(file.name):
        names = _pair_columns(open_table(file), settings)
    if names is None or settings.distance in names:
        return settings
    first, second, distance = names
    remarks.append(f"{file.name}: read as pairs of objects ({first}, {second}) with the distance {distance}")
    return replace(settings, first=first, second=second, distance=distance)


def _read(file: File, settings: DataSettings, remarks: list[str]) -> Part:
    with in_file(file.name):
        table = open_table(file)
        for setting in PAIR:
            if getattr(settings, setting) not in table.names:
                raise no_column(table.names, getattr(settings, setting), setting)
        time = time_column(table, settings)
        texts = [settings.first, settings.second, *([] if time is None else [time])]
        return part_of(file, table.read(texts, [settings.distance]), time, settings, remarks)


class Pairs:
    """The rows of one epoch."""

    def __init__(
        self,
        label: Any,
        ids: Sequence[Any],
        first: NDArray[np.intp],
        second: NDArray[np.intp],
        values: NDArray[np.float64],
    ) -> None:
        import pandas as pd

        self.label, self.values = label, values
        codes, objects = pd.factorize(np.stack([first, second], axis=1).ravel())  # as they first appear
        local = codes.reshape(-1, 2)
        self.ids = [ids[position] for position in objects]
        self.low, self.high = local.min(axis=1), local.max(axis=1)

    def matrix(self, settings: DataSettings) -> NDArray[np.float64]:
        """The square matrix; every pair must be there, and there must be no contradiction."""
        n = len(self.ids)
        alone = self.low == self.high
        condensed = self._condensed(~alone, n, settings)
        diagonal = self._diagonal(alone, n, settings)
        require_memory(8 * n * n, f"keeping the distances between the {n} objects of epoch {self.label}", SMALLER_DATA)
        matrix = unfolded(condensed) if n > 1 else np.zeros((1, 1))
        np.fill_diagonal(matrix, diagonal)
        return matrix

    def _condensed(self, rows: NDArray[np.bool_], n: int, settings: DataSettings) -> NDArray[np.float64]:
        low, high, values = self.low[rows], self.high[rows], self.values[rows]
        at = low * n - low * (low + 1) // 2 + high - low - 1  # position in the condensed matrix
        order = np.argsort(at, kind="stable")
        at, values = at[order], values[order]
        known, starts, counts = np.unique(at, return_index=True, return_counts=True)
        n_pairs = n * (n - 1) // 2
        if len(known) < n_pairs:
            gap = np.flatnonzero(known != np.arange(len(known)))
            missing = int(gap[0]) if len(gap) else len(known)
            raise DataError(
                f"has no row for the pair {self._pair(missing)} "
                f"({n_pairs - len(known)} of its {n_pairs} pairs are missing)",
                "distances of all pairs are needed: add them, or leave out objects",
            )
        if (counts > 1).any():
            if settings.symmetrize == "mean":
                return np.add.reduceat(values, starts) / counts
            spread = np.maximum.reduceat(values, starts) - np.minimum.reduceat(values, starts)
            worst = int(spread.argmax())
            if spread[worst] > SAME * np.abs(values).max():
                both = values[starts[worst] : starts[worst] + counts[worst]]
                raise DataError(
                    f"has different values for the pair {self._pair(worst)}: {both.min():.6g} and {both.max():.6g}",
                    ["correct one, or ", give("symmetrize", "mean"), " to average them"],
                )
        return values[starts]

    def _diagonal(self, rows: NDArray[np.bool_], n: int, settings: DataSettings) -> NDArray[np.float64]:
        objects, values = self.low[rows], self.values[rows]
        diagonal = np.full(n, 0.0 if settings.kind == "distances" else np.nan)
        diagonal[objects] = values
        wrong = np.flatnonzero(values if settings.kind == "distances" else values != diagonal[objects])
        if len(wrong):
            first = wrong[0]
            reason = "this distance is 0" if settings.kind == "distances" else "it has another one, too"
            raise DataError(
                f"has the value {values[first]:.6g} for the object {self.ids[objects[first]]!r} and itself",
                f"{reason}: correct it, or leave out the row",
            )
        if np.isnan(diagonal).any():
            lacking = self.ids[int(np.isnan(diagonal).argmax())]
            raise DataError(
                f"has no row for the object {lacking!r} and itself",
                "similarities need the squared length of every object",
            )
        return diagonal

    def _pair(self, position: int) -> str:
        """The pair at a position of the condensed matrix."""
        n = len(self.ids)
        ends = np.cumsum(np.arange(n - 1, 0, -1))
        i = int(np.searchsorted(ends, position, side="right"))
        j = n - (int(ends[i]) - position)
        return f"({self.ids[i]!r}, {self.ids[j]!r})"
