"""Long tables: one row per pair of objects and epoch."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.memory import SMALLER_DATA, require_memory
from tetiwd.errors import DataError
from tetiwd.io.arrays import unfolded
from tetiwd.io.assemble import Epoch, Found, series_of_epochs
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.files import File, in_file
from tetiwd.io.rows import Part, epochs_of_parts, part_of, time_column
from tetiwd.io.tables import as_ids, listed, open_table

BYTES_PER_ROW = 200  # what sorting takes, measured
SAME = 1e-10  # two values of a pair agree if they differ by no more than this times the largest value of the epoch


def read_long(files: Sequence[File], settings: DataSettings, remarks: list[str]) -> Found:
    """A series from tables with the columns time (if there is more than one epoch), i, j and distance."""
    if settings.kind == "distances":
        settings.are_squared()
    parts, time = epochs_of_parts([_read(file, settings, remarks) for file in files], settings, remarks)
    names = {name: None for part in parts for column in (settings.first, settings.second) for name in part.text(column)}
    ids = as_ids(list(names))
    code = {name: position for position, name in enumerate(names)}
    first, second = (
        np.array([code[name] for part in parts for name in part.text(column)])
        for column in (settings.first, settings.second)
    )
    values = np.concatenate([part.numbers(settings.distance) for part in parts])
    file = ", ".join(part.file for part in parts)
    with in_file(file):
        require_memory(BYTES_PER_ROW * len(values), f"sorting {len(values)} rows", "give the distances as matrices")
    epoch = {label: t for t, label in enumerate(time.categories)}
    epoch_of_row = np.array([epoch[label] for label in time])
    epochs = []
    with in_file(file):
        for t, label in enumerate(time.categories):
            rows = np.flatnonzero(epoch_of_row == t)
            pairs = Pairs(label, ids, first[rows], second[rows], values[rows])
            epochs.append(Epoch(str(label), file, pairs.matrix(settings), pairs.ids))
    return Found(series_of_epochs(epochs, time.categories, settings, remarks))


def _read(file: File, settings: DataSettings, remarks: list[str]) -> Part:
    with in_file(file.name):
        table = open_table(file)
        pair = (settings.first, settings.second)
        for name, setting in zip((*pair, settings.distance), ("first", "second", "distance"), strict=True):
            if name not in table.names:
                raise DataError(
                    f"has no column {name!r}; name it with {setting} (the columns are {listed(table.names)})"
                )
        time = time_column(table, settings)
        columns = table.read([*pair, *([] if time is None else [time])], [settings.distance])
        return part_of(file, columns, time, settings, remarks)


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
        self.label, self.values = label, values
        both = np.stack([first, second], axis=1).ravel()
        _, appears, inverse = np.unique(both, return_index=True, return_inverse=True)
        order = np.argsort(appears)  # objects in the order in which they first appear
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        local = place[inverse.ravel()].reshape(-1, 2)
        self.ids = [ids[both[appears[o]]] for o in order]
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
                f"epoch {self.label} has no row for the pair {self._pair(*_pair_at(missing, n))} "
                f"({n_pairs - len(known)} of its {n_pairs} pairs are missing); distances of all pairs are needed: "
                "add them, or leave out objects"
            )
        if (counts > 1).any():
            if settings.symmetrize == "mean":
                return np.add.reduceat(values, starts) / counts
            spread = np.maximum.reduceat(values, starts) - np.minimum.reduceat(values, starts)
            worst = int(spread.argmax())
            if spread[worst] > SAME * np.abs(values).max():
                own = values[starts[worst] : starts[worst] + counts[worst]]
                raise DataError(
                    f"epoch {self.label} has different values for the pair {self._pair(*_pair_at(worst, n))}: "
                    f'{own.min():.6g} and {own.max():.6g}; correct one, or set symmetrize = "mean" to average them'
                )
        return values[starts]

    def _diagonal(self, rows: NDArray[np.bool_], n: int, settings: DataSettings) -> NDArray[np.float64]:
        own, values = self.low[rows], self.values[rows]
        diagonal = np.full(n, 0.0 if settings.kind == "distances" else np.nan)
        diagonal[own] = values
        wrong = np.flatnonzero(values if settings.kind == "distances" else values != diagonal[own])
        if len(wrong):
            first = wrong[0]
            raise DataError(
                f"epoch {self.label} has the value {values[first]:.6g} for the object {self.ids[own[first]]!r} and "
                "itself; "
                + ("this distance is 0: " if settings.kind == "distances" else "it has another one, too: ")
                + "correct it, or leave out the row"
            )
        if np.isnan(diagonal).any():
            lacking = self.ids[int(np.isnan(diagonal).argmax())]
            raise DataError(
                f"epoch {self.label} has no row for the object {lacking!r} and itself; "
                "similarities need the squared length of every object"
            )
        return diagonal

    def _pair(self, i: int, j: int) -> str:
        return f"({self.ids[i]!r}, {self.ids[j]!r})"


def _pair_at(position: int, n: int) -> tuple[int, int]:
    """The pair at a position of the condensed matrix."""
    i = 0
    while position >= n - 1 - i:
        position -= n - 1 - i
        i += 1
    return i, i + 1 + position
