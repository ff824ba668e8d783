"""The draws of all chains as partitions: every draw divides all objects of all epochs into lineages."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.data.ids import check_ids
from tetiwd.draws import Draws
from tetiwd.errors import DataError, SettingsError
from tetiwd.params import is_whole

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Partitions:
    """Draws of linked partitions, from ``Sample.partitions`` or, with draws from elsewhere, :meth:`from_labels`.

    Two objects with the same label are in the same cluster if they are of one epoch, and in clusters of the same
    lineage if they are of different epochs. Labels mean nothing beyond their draw.

    Examples
    --------
    >>> import numpy as np
    >>> from tetiwd import Partitions
    >>> draws = Partitions.from_labels(np.array([[0, 0, 1], [0, 1, 1]]))
    >>> draws.n_draws, draws.n_objects
    (2, (3,))
    """

    labels: NDArray[np.int32]  # (S, N): 0, 1, … in every draw, none left out; epochs side by side
    n_objects: tuple[int, ...]  # of every epoch
    times: tuple[Any, ...]  # of the epochs
    ids: tuple[NDArray[Any], ...] | None = None  # T × (n_t,), None where identities are unknown

    @classmethod
    def of_draws(cls, draws: Sequence[Draws], series: DistanceSeries) -> "Partitions":
        """The draws of all chains, one chain after the other."""
        drawn = [chain.labels.reshape(len(chain), -1) for chain in draws if len(chain)]
        if not drawn:
            raise SettingsError("the sample has no draws yet; run it longer")
        return cls(numbered(np.concatenate(drawn)), series.n_objects, series.times, series.ids)

    @classmethod
    def from_labels(
        cls, labels: Any, *, times: Sequence[Any] | None = None, ids: Sequence[Sequence[Any]] | None = None
    ) -> "Partitions":
        """Partitions that were drawn by other software.

        Parameters
        ----------
        labels : array_like of int, shape (S, n), or list of T of them
            One array for a single epoch, or one per epoch.
        times : sequence of length T, optional
            Labels of the epochs; 0, 1, … if not given.
        ids : sequence of T sequences, optional
            Ids of the objects of every epoch.

        Returns
        -------
        Partitions
            The draws.

        Examples
        --------
        >>> import numpy as np
        >>> from tetiwd import Partitions
        >>> one = Partitions.from_labels(np.array([[0, 0, 1], [0, 1, 1]]))  # two draws of three objects
        >>> two = Partitions.from_labels([np.zeros((2, 3), int), np.ones((2, 4), int)], times=[2020, 2021])
        >>> one.n_epochs, two.n_objects
        (1, (3, 4))
        """
        by_epoch = list(labels) if isinstance(labels, list | tuple) else [labels]
        if not by_epoch:
            raise DataError("there is no epoch; give an array of labels for each")
        arrays = [_as_labels(labels_t, t) for t, labels_t in enumerate(by_epoch)]
        if len({len(labels_t) for labels_t in arrays}) != 1:
            raise DataError(f"every epoch needs the same number of draws, not {[len(labels_t) for labels_t in arrays]}")
        if times is not None and np.shape(times)[:1] != (len(arrays),):
            raise DataError(f"times must have a value for each of the {len(arrays)} epochs, not {times!r}")
        n_objects = tuple(labels_t.shape[1] for labels_t in arrays)
        named = tuple(range(len(arrays)) if times is None else times)
        return cls(
            numbered(np.hstack(arrays)), n_objects, named, None if ids is None else _as_ids(ids, n_objects, named)
        )

    @property
    def n_draws(self) -> int:
        """Number of draws S."""
        return len(self.labels)

    @property
    def n_epochs(self) -> int:
        """Number of epochs T."""
        return len(self.n_objects)

    @cached_property
    def columns(self) -> tuple[slice, ...]:
        """Where every epoch is in :attr:`labels`."""
        ends = np.cumsum(self.n_objects)
        return tuple(slice(int(end) - n, int(end)) for end, n in zip(ends, self.n_objects, strict=True))

    def at(self, t: int) -> NDArray[np.int32]:
        """Labels of one epoch in all draws.

        Parameters
        ----------
        t : int
            Epoch, counted from 0.

        Returns
        -------
        ndarray of int, shape (S, n_t)
            Labels, which mean nothing beyond their draw.
        """
        return self.labels[:, self.columns[t]]

    def epoch(self, t: int) -> "Partitions":
        """The partitions of one epoch by itself.

        Parameters
        ----------
        t : int
            Epoch, counted from 0.

        Returns
        -------
        Partitions
            The same draws of that epoch.
        """
        ids = None if self.ids is None else (self.ids[t],)
        return Partitions(numbered(self.at(t)), (self.n_objects[t],), (self.times[t],), ids)

    def as_one_epoch(self) -> "Partitions":
        """The same partitions of all objects, as if they were there at one time."""
        return Partitions(self.labels, (sum(self.n_objects),), (None,))

    def spaced(self, at_most: int) -> Ints:
        """Which draws to take for no more than so many, evenly spaced."""
        if not is_whole(at_most, 1):
            raise SettingsError(f"the number of draws must be a whole number of at least 1, not {at_most!r}")
        return evenly_spaced(self.n_draws, at_most)

    def thinned(self, at_most: int) -> "Partitions":
        """Fewer draws, evenly spaced.

        Parameters
        ----------
        at_most : int
            How many to keep.

        Returns
        -------
        Partitions
            These draws.
        """
        rows = self.spaced(at_most)
        if len(rows) == self.n_draws:
            return self
        return Partitions(self.labels[rows], self.n_objects, self.times, self.ids)

    def split(self, labels: NDArray[Any]) -> list[Any]:
        """An array over all objects as a list over epochs."""
        return [labels[columns] for columns in self.columns]

    def __repr__(self) -> str:
        return f"Partitions({self.n_draws} draws of {self.n_epochs} epochs, {sum(self.n_objects)} objects)"


def evenly_spaced(n: int, at_most: int) -> Ints:
    """Which of n things to take for no more than so many: all of them, or evenly spaced ones."""
    return np.linspace(0, n - 1, min(at_most, n)).round().astype(np.int64)


def numbered(labels: NDArray[Any]) -> NDArray[np.int32]:
    """Every row relabelled 0, 1, … in increasing order of its labels."""
    S, N = labels.shape
    lowest = labels.min(initial=0)
    n_numbers = int(labels.max(initial=0)) - int(lowest) + 1
    if n_numbers <= N:  # a table of them is faster than sorting
        place = labels.astype(np.int64) - lowest
        there = np.zeros((S, n_numbers), dtype=bool)
        np.put_along_axis(there, place, True, axis=1)
        return np.take_along_axis(np.cumsum(there, axis=1, dtype=np.int32) - 1, place, axis=1).astype(np.int32)
    order = np.argsort(labels, axis=1, kind="stable")
    in_order = np.take_along_axis(labels, order, axis=1)
    ranks = np.zeros((S, N), dtype=np.int32)
    np.cumsum(in_order[:, 1:] != in_order[:, :-1], axis=1, out=ranks[:, 1:])
    result = np.empty_like(ranks)
    np.put_along_axis(result, order, ranks, axis=1)
    return result


def check_labels(labels: Any, n_objects: Sequence[int], name: str = "labels") -> Ints:
    """Labels per epoch (or one array over all objects) as one array that fits the draws."""
    whole = labels.labels if hasattr(labels, "labels") else labels
    if isinstance(whole, list | tuple) and any(
        hasattr(part, "__len__") and not isinstance(part, str) for part in whole
    ):
        parts = [_as_array(part, f"{name} of epoch {t}") for t, part in enumerate(whole)]
        shapes = [part.shape for part in parts]
        if shapes != [(n,) for n in n_objects]:
            raise DataError(f"{name} must be one list per epoch with {tuple(n_objects)} entries; shapes are {shapes}")
        flat = np.concatenate([_as_integers(part, name) for part in parts])
    else:
        flat = _as_array(whole, name)
    if flat.shape != (sum(n_objects),):
        raise DataError(
            f"{name} has shape {flat.shape}; give one list per epoch, or one of all {sum(n_objects)} objects"
        )
    return _as_integers(flat, name)


def _as_ids(ids: Sequence[Sequence[Any]], n_objects: Sequence[int], times: Sequence[Any]) -> tuple[NDArray[Any], ...]:
    if not isinstance(ids, Sequence) or [np.shape(ids_t)[:1] for ids_t in ids] != [(n,) for n in n_objects]:
        raise DataError(f"ids must be one list per epoch, with {tuple(n_objects)} entries")
    shown = ["" if time == t else f" ({time})" for t, time in enumerate(times)]
    return check_ids([list(ids_t) for ids_t in ids], shown, [range(n) for n in n_objects])


def _as_labels(labels: Any, t: int) -> NDArray[Any]:
    array = _as_array(labels, f"labels of epoch {t}")
    if array.ndim != 2 or not array.size:
        raise DataError(f"labels of epoch {t} must have a row per draw and a column per object, not {array.shape}")
    return _as_integers(array, f"labels of epoch {t}")


def _as_array(values: Any, name: str) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except ValueError:
        raise DataError(f"{name} must be an array, with rows of equal length") from None


def _as_integers(array: NDArray[Any], name: str) -> Ints:
    if array.dtype.kind not in "iu":
        raise DataError(f"{name} must be integers, not {array.dtype}")
    if array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise DataError(f"{name} must be smaller than 2⁶³; {array.max()} is too large")
    return array.astype(np.int64)
