"""DistanceSeries: what the user brings, validated once and read-only from then on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import metrics
from tetiwd.data.checks import Matrix, Place, check_size, tolerance
from tetiwd.data.degrees import Dof, resolve_dof
from tetiwd.data.labels import epoch_labels, ids_by_epoch, rows_by_time
from tetiwd.data.negative_type import (
    NegativeType,
    Repair,
    centred_similarity,
    clip,
    distances_from,
    inspect,
    shift_distances,
)
from tetiwd.data.prepare import as_square_matrix, frozen, prepare_distances, prepare_similarities
from tetiwd.errors import DataError

Kind = Literal["distances", "similarities"]


@dataclass(frozen=True, eq=False, repr=False)
class DistanceSeries:
    """Squared distances (or similarities) between the objects present at each of several epochs.

    Make one with :meth:`from_distances`, :meth:`from_similarities`, :meth:`from_features` or :meth:`from_pooled`.
    Arrays are not copied where it can be avoided: the series looks at the array it was given, so do not change
    that array afterwards, or pass ``copy=True``.
    """

    matrices: tuple[Matrix, ...]  # T × (n_t, n_t) squared distances or similarities, in the user's units
    kind: Kind
    times: tuple[Any, ...]
    ids: tuple[NDArray[Any], ...] | None  # T × (n_t,), None where identities are unknown
    cross: Matrix | None  # D*: (N, N) squared distances of all objects, epoch after epoch

    @classmethod
    def from_distances(
        cls,
        matrices: Sequence[Any],
        *,
        squared: bool,
        ids: Sequence[Sequence[Any]] | None = None,
        times: Sequence[Any] | None = None,
        cross: Any = None,
        symmetrize: Literal["mean"] | None = None,
        min_objects: int = 3,
        copy: bool = False,
    ) -> Self:
        """One square matrix of distances per epoch.

        Parameters
        ----------
        matrices
            Square arrays, one per epoch in order of time; their sizes may differ.
        squared
            True if the numbers are squared distances, False if they are plain and have to be squared.
        ids, times
            Ids of the objects at every epoch, and a label per epoch. An id at two epochs is the same object.
        cross
            Distances between all objects of all epochs, (N, N), in the order of the epochs; squared or plain like
            ``matrices``. Used for tracking clusters, never for finding them.
        symmetrize
            "mean" averages D_ij and D_ji where they differ.
        min_objects
            Smallest epoch that is accepted.
        copy
            True keeps a private copy of every matrix.
        """
        _check_flag("squared", squared)
        labels = epoch_labels(matrices, ids, times)
        prepared = [
            prepare_distances(matrix, Place(f"D[{t}]{label}", own), squared, symmetrize, min_objects, copy)
            for t, (matrix, label, own) in enumerate(zip(matrices, labels.shown, labels.ids, strict=True))
        ]
        series = cls(tuple(prepared), "distances", labels.times, labels.checked([len(D) for D in prepared]), None)
        if cross is None:
            return series
        prepared_cross = prepare_distances(cross, Place("D*"), squared, symmetrize, 1, copy)
        series._check_cross(prepared_cross)
        return replace(series, cross=prepared_cross)

    @classmethod
    def from_similarities(
        cls,
        matrices: Sequence[Any],
        *,
        ids: Sequence[Sequence[Any]] | None = None,
        times: Sequence[Any] | None = None,
        symmetrize: Literal["mean"] | None = None,
        min_objects: int = 3,
        copy: bool = False,
    ) -> Self:
        """One square matrix of dot products (a Mercer kernel) per epoch; see :meth:`to_distances`."""
        labels = epoch_labels(matrices, ids, times)
        prepared = [
            prepare_similarities(matrix, Place(f"K[{t}]{label}", own), symmetrize, min_objects, copy)
            for t, (matrix, label, own) in enumerate(zip(matrices, labels.shown, labels.ids, strict=True))
        ]
        return cls(tuple(prepared), "similarities", labels.times, labels.checked([len(K) for K in prepared]), None)

    @classmethod
    def from_features(
        cls,
        X: Any,
        *,
        time: Any,
        metric: metrics.Metric = "euclidean",
        squared: bool | None = None,
        ids: Sequence[Any] | None = None,
        cross: bool = False,
        min_objects: int = 3,
    ) -> Self:
        """One row of features per object and time; distances are computed within every epoch.

        ``metric`` is "euclidean", "sqeuclidean", "cosine", "hellinger", "cityblock", "hamming", "jaccard" or
        "braycurtis", for which it is known what makes squared distances of them; for any other metric of scipy, or a
        function, say with ``squared`` whether its values are squared distances. ``cross=True`` also keeps the
        distances between epochs (N×N).
        """
        features = metrics.as_features(X)
        if cross:
            pooled = metrics.pairwise(features, metric, squared)
            return cls.from_pooled(pooled, time=time, squared=True, ids=ids, min_objects=min_objects)
        times, rows = rows_by_time(time, len(features), "X")
        own_ids = None if ids is None else ids_by_epoch(ids, rows, len(features))
        for t, members in enumerate(rows):
            check_size(len(members), min_objects, Place(f"D[{t}] ({times[t]})"))
        blocks = [metrics.pairwise(features[members], metric, squared) for members in rows]
        return cls.from_distances(blocks, squared=True, ids=own_ids, times=times, min_objects=min_objects)

    @classmethod
    def from_pooled(
        cls,
        cross: Any,
        *,
        time: Any,
        squared: bool,
        ids: Sequence[Any] | None = None,
        keep_cross: bool = True,
        symmetrize: Literal["mean"] | None = None,
        min_objects: int = 3,
    ) -> Self:
        """One matrix over all objects of all epochs, with the time of every row; epochs come in order of time.

        Clustering reads only the blocks within epochs. ``keep_cross=False`` drops the rest.
        """
        _check_flag("squared", squared)
        pooled = as_square_matrix(cross, Place("D*"))
        times, rows = rows_by_time(time, len(pooled), "D*")
        own_ids = None if ids is None else ids_by_epoch(ids, rows, len(pooled))
        blocks = [pooled[np.ix_(members, members)] for members in rows]
        series = cls.from_distances(
            blocks, squared=squared, ids=own_ids, times=times, symmetrize=symmetrize, min_objects=min_objects
        )
        if not keep_cross:
            return series
        order = np.concatenate(rows)
        in_order = np.array_equal(order, np.arange(len(pooled)))
        arranged = pooled if in_order else pooled[np.ix_(order, order)]
        return replace(series, cross=prepare_distances(arranged, Place("D*"), squared, symmetrize, 1, False))

    @property
    def n_epochs(self) -> int:
        """Number of epochs T."""
        return len(self.matrices)

    @property
    def n_objects(self) -> tuple[int, ...]:
        """Number of objects at every epoch."""
        return tuple(len(matrix) for matrix in self.matrices)

    @property
    def D(self) -> tuple[Matrix, ...]:
        """Squared distances at every epoch."""
        if self.kind != "distances":
            raise DataError("this series holds similarities; call to_distances() first, or use .matrices")
        return self.matrices

    @cached_property
    def unit(self) -> float:
        """Mean half of the squared distances over all pairs within epochs: dividing by it makes that mean 1."""
        total = pairs = 0.0
        for matrix in self.matrices:
            n = len(matrix)
            sum_all = float(matrix.sum(dtype=float))
            half = sum_all / 2 if self.kind == "distances" else n * float(np.trace(matrix, dtype=float)) - sum_all
            total += half
            pairs += n * (n - 1)
        if total <= 0 or pairs == 0:
            raise DataError("no two objects differ at any epoch; there is nothing to cluster")
        return total / pairs

    def rescaled(self) -> list[Matrix]:
        """The matrices divided by :attr:`unit` (new arrays); priors have one meaning on this scale."""
        return [matrix / matrix.dtype.type(self.unit) for matrix in self.matrices]

    def to_distances(self) -> Self:
        """The same objects as squared distances D_ij = K_ii + K_jj − 2K_ij."""
        if self.kind == "distances":
            return self
        matrices = tuple(frozen(distances_from(K)) for K in self.matrices)
        return replace(self, matrices=matrices, kind="distances")

    def dof(self, dof: Dof = "auto") -> tuple[float, ...]:
        """Degrees of freedom per epoch: "auto", "rank", "spectrum", "dispersion", a number, or one per epoch."""
        return resolve_dof(dof, self.to_distances().matrices)

    def negative_type(self) -> list[NegativeType]:
        """How far every epoch is from squared Euclidean distances (or from a Mercer kernel); O(n³)."""
        return [inspect(self._similarity(matrix), time) for matrix, time in zip(self.matrices, self.times, strict=True)]

    def repair(self, how: Repair) -> Self:
        """A series without negative eigenvalues.

        "shift" adds the least common constant to all distances between different objects (to the squared length of
        every object for similarities); it changes no ranking. "clip" sets negative eigenvalues to zero, which alters
        the data least in total. Where cross-time distances are known they are repaired and the epochs cut from them.
        """
        if how not in ("shift", "clip"):
            raise DataError(f'repair must be "shift" or "clip", not {how!r}')
        whole = self.matrices if self.cross is None else (self.cross,)
        similarities = [self._similarity(matrix) for matrix in whole]
        if how == "shift":
            smallest = min(float(np.linalg.eigvalsh(K)[0]) for K in similarities)
            repaired = [self._shift(matrix, smallest) for matrix in whole]
        else:
            clipped = [clip(K) for K in similarities]
            repaired = clipped if self.kind == "similarities" else [distances_from(K) for K in clipped]
        if self.cross is None:
            return replace(self, matrices=tuple(frozen(matrix) for matrix in repaired))
        cross = frozen(repaired[0])
        return replace(self, matrices=tuple(frozen(cross[s, s]) for s in self._cross_slices()), cross=cross)

    def __len__(self) -> int:
        return self.n_epochs

    def __repr__(self) -> str:
        sizes = self.n_objects
        shown = ", ".join(map(str, sizes)) if len(sizes) <= 6 else f"{min(sizes)} to {max(sizes)}"
        parts = [
            f"{len(sizes)} epoch{'s' if len(sizes) > 1 else ''}",
            f"{shown} objects",
            "squared distances" if self.kind == "distances" else "similarities",
            "ids known" if self.ids is not None else "no ids",
        ]
        if self.cross is not None:
            parts.append("cross-time distances")
        return f"DistanceSeries({'; '.join(parts)})"

    def _similarity(self, matrix: Matrix) -> NDArray[np.float64]:
        if self.kind == "distances":
            return centred_similarity(matrix)
        return np.asarray(matrix, dtype=float)

    def _shift(self, matrix: Matrix, smallest: float) -> NDArray[np.float64]:
        if self.kind == "distances":
            return shift_distances(matrix, smallest)
        return np.asarray(matrix, dtype=float) + max(0.0, -smallest) * np.eye(len(matrix))

    def _cross_slices(self) -> list[slice]:
        ends = np.cumsum(self.n_objects)
        return [slice(int(end) - n, int(end)) for end, n in zip(ends, self.n_objects, strict=True)]

    def _check_cross(self, cross: Matrix) -> None:
        N = sum(self.n_objects)
        if len(cross) != N:
            raise DataError(
                f"D* has {len(cross)} rows but the epochs have {N} objects together; "
                "give the objects of all epochs, epoch after epoch"
            )
        for t, (matrix, own) in enumerate(zip(self.matrices, self._cross_slices(), strict=True)):
            block = cross[own, own]
            gap = np.abs(block - matrix)
            if gap.max() > tolerance(matrix) + tolerance(cross):
                i, j = (int(x) for x in np.unravel_index(int(gap.argmax()), gap.shape))
                place = Place(f"D[{t}]", None if self.ids is None else self.ids[t])
                raise DataError(
                    f"D* and D[{t}] disagree at {place.pair(i, j)}: {block[i, j]:.6g} and {matrix[i, j]:.6g}; "
                    "both must be on one scale, in the same order of objects"
                )


def _check_flag(name: str, value: Any) -> None:
    if not isinstance(value, bool | np.bool_):
        raise DataError(f"{name} must be True or False, not {value!r}; it is never guessed")
