"""DistanceSeries: what the user brings, validated once and read-only from then on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self, cast

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import metrics
from tetiwd.data.checks import Matrix, Place, check_cross, check_size, count_not_finite
from tetiwd.data.constraints import Constraints, Ties, resolve
from tetiwd.data.dof import Dof, resolve_dof
from tetiwd.data.epochs import Epochs, epochs_by_time, ids_of_rows, separate_epochs
from tetiwd.data.feature_distances import FeatureDistances, Rows, among, check_features, cut, is_sparse
from tetiwd.data.features import FeatureSpace, names_of_columns, standardized
from tetiwd.data.ids import check_labels_agree
from tetiwd.data.landmarks import (
    FEWEST,
    Approximation,
    Between,
    check_landmarks,
    points_from_landmarks,
    points_of_epochs,
    some_of_matrix,
)
from tetiwd.data.negative_type import Kind, NegativeType, Repair, distances_from, inspect, repaired
from tetiwd.data.prepare import (
    as_square_matrix,
    check_room_for_copies,
    frozen,
    prepare_distances,
    prepare_similarities,
)
from tetiwd.data.sampling import Tree, sampled_distances, sampled_tree
from tetiwd.errors import DataError, Setting
from tetiwd.memory import SMALLER_DATA, available_memory, require_memory
from tetiwd.params import LARGEST_CROSS as LARGEST_CROSS
from tetiwd.params import LARGEST_MATRIX, is_whole


@dataclass(frozen=True, eq=False, repr=False)
class DistanceSeries:
    """Squared distances (or similarities) between the objects present at each of several epochs.

    Make one with :meth:`from_distances`, :meth:`from_similarities`, :meth:`from_features` or :meth:`from_pooled`.

    Arrays are not copied where it can be avoided, and never changed. The series keeps a view of a float32 or float64
    array of squared distances that is contiguous and needs no conversion; so do not change that array afterwards, or
    pass ``copy=True``. Otherwise the series keeps one copy of its own and the array can be let go. What does not fit
    into memory is refused with a :class:`~tetiwd.MemoryLimitError` before it is made.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]] * 2)
    >>> year = np.repeat([2020, 2021], 6)
    >>> from tetiwd import DistanceSeries
    >>> series = DistanceSeries.from_features(X, time=year)
    >>> series
    DistanceSeries(2 epochs; 6, 6 objects; squared distances; no ids; cross-time distances)
    >>> series.D[0][0].round(2)
    array([0.000e+00, 1.000e-02, 4.000e-02, 2.500e+01, 2.601e+01, 2.704e+01])
    """

    matrices: tuple[Matrix, ...]  # T × (n_t, n_t) squared distances or similarities, in the user's units
    kind: Kind  # what they are
    times: tuple[Any, ...]  # of the epochs
    ids: tuple[NDArray[Any], ...] | None  # T × (n_t,), None where identities are unknown
    cross: Matrix | None  # D*: (N, N) squared distances of all objects, epoch after epoch
    features: FeatureSpace | None = None  # what the distances were computed from, if that is known
    approximation: Approximation | None = None  # how close distances from landmarks come to the true ones
    given_unit: float | None = None  # of the series that this one extends; None for one of its own
    ties: Ties | None = None  # what is known of objects beforehand
    rows: tuple[NDArray[np.int64], ...] | None = None  # T × (n_t,) rows of the input, from 0, if it covers all epochs

    def __post_init__(self) -> None:
        object.__setattr__(self, "matrices", tuple(map(frozen, self.matrices)))
        if self.ids is not None:
            object.__setattr__(self, "ids", tuple(frozen(labels) for labels in self.ids))
        if self.cross is not None:
            object.__setattr__(self, "cross", frozen(self.cross))

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles go through the constructor, which makes their arrays read-only again."""
        parts = (self.matrices, self.kind, self.times, self.ids, self.cross, self.features, self.approximation)
        return type(self), (*parts, self.given_unit, self.ties, self.rows)

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
        overwrite: bool = False,
        landmarks: int | None = None,
    ) -> Self:
        """One square matrix of distances per epoch.

        Parameters
        ----------
        matrices : sequence of T arrays, each of shape (n_t, n_t)
            Square arrays, one per epoch in order of time; their sizes may differ.
        squared : bool
            True if the numbers are squared distances, False if they are plain and have to be squared.
        ids, times : sequence, optional
            Ids of the objects at every epoch, and a label per epoch. An id at two epochs is the same object. The row
            labels of DataFrames serve as ids where none are given.
        cross : array_like, shape (N, N), optional
            Distances between all objects of all epochs, (N, N), in the order of the epochs; squared or plain like
            ``matrices``. They link clusters through time; moving centres use them for clustering, too.
        symmetrize : {"mean"}, optional
            "mean" averages D_ij and D_ji where they differ.
        min_objects : int
            Smallest epoch that is accepted.
        copy : bool
            True keeps a private copy of every matrix.
        overwrite : bool
            True allows the series to change the arrays in place, which saves a copy where they are not squared yet.
        landmarks : int, optional
            For matrices that do not fit into memory, such as files opened by ``np.load`` with ``mmap_mode="r"``: only
            the columns of so many objects of every epoch are read; see :meth:`from_features`. How closely distances
            come is the worst of all epochs.

        Returns
        -------
        DistanceSeries
            The series.

        Examples
        --------
        >>> import numpy as np
        >>> from tetiwd import DistanceSeries
        >>> x = np.array([0.0, 0.1, 5.0])
        >>> D = abs(x[:, None] - x)  # plain distances between three objects
        >>> DistanceSeries.from_distances([D, D], squared=False, times=[2020, 2021])
        DistanceSeries(2 epochs; 3, 3 objects; squared distances; no ids)
        """
        _check_flag("squared", squared)
        epochs = separate_epochs("D", matrices, ids, times)
        if landmarks is not None:
            for name, given in (("symmetrize", symmetrize), ("cross", cross)):
                if given is not None:
                    raise DataError([Setting(name), " needs whole matrices"], ["leave out ", Setting("landmarks")])
            return cls._each_from_landmarks(epochs, squared, landmarks, min_objects)
        check_room_for_copies(epochs.sources, squared=squared or overwrite, copy=copy)
        prepared = [
            prepare_distances(matrix, place, squared, symmetrize, min_objects, copy, ours=overwrite)
            for matrix, place in zip(epochs.sources, epochs.places, strict=True)
        ]
        series = cls(tuple(prepared), "distances", epochs.times, epochs.ids, None)
        return series if cross is None else series._with_cross(cross, squared, symmetrize, copy)

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
        """One square matrix of dot products (a Mercer kernel) per epoch.

        Parameters
        ----------
        matrices : sequence of T arrays, each of shape (n_t, n_t)
            Similarities, one matrix per epoch in order of time.
        ids, times, symmetrize, min_objects, copy : optional
            As for :meth:`from_distances`.

        Returns
        -------
        DistanceSeries
            A series of the kind "similarities".

        Examples
        --------
        >>> import numpy as np
        >>> from tetiwd import DistanceSeries
        >>> X = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]])
        >>> DistanceSeries.from_similarities([X @ X.T]).kind
        'similarities'
        """
        epochs = separate_epochs("K", matrices, ids, times)
        check_room_for_copies(epochs.sources, squared=True, copy=copy)
        prepared = [
            prepare_similarities(matrix, place, symmetrize, min_objects, copy)
            for matrix, place in zip(epochs.sources, epochs.places, strict=True)
        ]
        return cls(tuple(prepared), "similarities", epochs.times, epochs.ids, None)

    @classmethod
    def from_features(
        cls,
        X: Any,
        *,
        time: Any,
        metric: metrics.Metric = "euclidean",
        squared: bool | None = None,
        standardize: bool = False,
        ids: Sequence[Any] | None = None,
        cross: bool | None = None,
        min_objects: int = 3,
        dtype: Any = "float64",
        matrix: bool | None = None,
        landmarks: int | None = None,
    ) -> Self:
        """Distances between the rows of a table of features.

        Parameters
        ----------
        X : array_like, DataFrame or sparse matrix, shape (N, p)
            One row per object and time.
        time : array_like, shape (N,)
            Time of every row. Epochs of numbers, dates and text that is about time ("2003/04", "Q1 2004") are sorted;
            those of an ordered Categorical come in its order.
        metric : str or callable
            "euclidean", "sqeuclidean", "cosine", "hellinger", "cityblock", "hamming", "jaccard" or "braycurtis", for
            which it is known what makes squared distances of them; or any other metric of scipy, or a function, with
            ``squared``.
        squared : bool, optional
            Whether the values of any other metric are squared distances.
        standardize : bool
            True first gives every column mean 0 and standard deviation 1 over all epochs.
        ids : sequence of length N, optional
            Id of every row. The same id at two times is the same object.
        cross : bool, optional
            True also keeps the distances between epochs, (N, N), which tell best which cluster is which later. None
            keeps them for up to 5000 rows.
        min_objects : int
            Smallest epoch that is accepted.
        dtype : {"float64", "float32"}
            "float32" keeps distances in half the memory; they are computed in double precision all the same.
        matrix : bool, optional
            False keeps the features instead of a matrix of distances, which takes O(n) memory and gives the same
            answers up to rounding; X may then be sparse (CSR). It needs distances that are Euclidean by their metric:
            "euclidean", "sqeuclidean", "cosine", "hellinger", and "hamming" or "cityblock" of zeros and ones. None does
            so for sparse X, and where matrices would take more than 1 GiB or do not fit. The series then looks at X if
            its rows are in order of time; do not change it afterwards.
        landmarks : int, optional
            For other metrics where matrices do not fit: only distances to so many objects are computed (200 are a good
            number), and those between all objects follow from them approximately. How closely is found on a sample and
            is in ``approximation``.

        Returns
        -------
        DistanceSeries
            The series.

        Examples
        --------
        >>> import numpy as np
        >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]] * 2)
        >>> year = np.repeat([2020, 2021], 6)
        >>> from tetiwd import DistanceSeries
        >>> DistanceSeries.from_features(X, time=year, metric="euclidean").n_objects
        (6, 6)
        """
        _check_flag("standardize", standardize)
        names, precision = names_of_columns(X), metrics.as_precision(dtype)
        rows, centre, spread = metrics.as_rows(X), None, None
        if standardize:
            rows, centre, spread = standardized(rows, names)
        n = rows.shape[0]
        epochs = epochs_by_time("X", time, ids_of_rows(rows, ids, Place("X")), n, min_objects)
        for name, flag in (("matrix", matrix), ("cross", cross)):
            if flag is not None:
                _check_flag(name, flag)
        if landmarks is not None:
            if matrix is not None:
                raise DataError([Setting("landmarks"), " are used without a matrix"], ["leave out ", Setting("matrix")])
            space = FeatureSpace((rows,), metric, squared, names, centre, spread)
            between = metrics.between_rows(rows, metric, squared)
            return cls._from_landmarks(
                between, landmarks, space, epochs, len(epochs.sources) > 1 if cross is None else cross
            )
        asked = is_sparse(rows) if matrix is None else not matrix
        if asked or (matrix is None and not _is_moderate([n] if cross else map(len, epochs.sources), precision)):
            points = metrics.as_points(rows, metric, squared)
            if points is not None:
                space = FeatureSpace((rows,), metric, squared, names, centre, spread)
                return cls._without_matrix(*points, space, epochs, precision, cross)
            if asked:
                way = ["pass X.toarray()"] if matrix is None else ["leave out ", Setting("matrix", False)]
                raise DataError(
                    f"metric {metric!r} needs a matrix of distances, which are not Euclidean for these features",
                    [*way, ", choose another metric, or take ", Setting("landmarks")],
                )
        features = metrics.as_features(rows)
        space = FeatureSpace(tuple(features[rows] for rows in epochs.sources), metric, squared, names, centre, spread)
        if cross is None:
            cross = len(epochs.sources) > 1 and len(features) <= LARGEST_CROSS
        if cross:
            _check_room_for_distances([len(features)], precision)
            pooled = metrics.pairwise(features, metric, squared, precision)
            series = cls.from_pooled(pooled, time=time, squared=True, ids=ids, min_objects=min_objects)
            return replace(series, features=space)
        _check_room_for_distances([len(rows) for rows in epochs.sources], precision)
        blocks = []
        for rows, place in zip(epochs.sources, epochs.places, strict=True):
            D = metrics.pairwise(features[rows], metric, squared, precision)
            blocks.append(prepare_distances(D, place, True, None, min_objects, False, ours=True))
        return cls(tuple(blocks), "distances", epochs.times, epochs.ids, None, space, rows=_rows_of(epochs))

    @classmethod
    def _without_matrix(
        cls,
        points: Rows,
        factor: float,
        space: FeatureSpace,
        epochs: Epochs,
        precision: np.dtype[Any],
        cross: bool | None,
    ) -> Self:
        """A series of features: rows of ``points``, with a factor, have the distances that those of ``space`` have."""
        order, sizes = np.concatenate(epochs.sources), [len(members) for members in epochs.sources]
        rows = _in_order(points, order, precision)
        parts = cut(rows, sizes)
        matrices = [FeatureDistances(part, factor) for part in parts]
        for D, place in zip(matrices, epochs.places, strict=True):
            check_features(D, place)
        whole = None
        if len(parts) > 1 if cross is None else cross:
            whole = FeatureDistances(rows, factor)
            check_features(whole, Place("D*"))
        given = parts if space.rows[0] is points else cut(_in_order(space.rows[0], order, None), sizes)
        space = replace(space, rows=given)
        held = cast("tuple[Matrix, ...]", tuple(matrices))
        known = epochs.times, epochs.ids, cast("Matrix | None", whole), space
        return cls(held, "distances", *known, rows=_rows_of(epochs))

    @classmethod
    def _from_landmarks(
        cls, between: Between, landmarks: int, space: FeatureSpace | None, epochs: Epochs, cross: bool
    ) -> Self:
        """A series of points that stand for the objects; ``between`` knows the true distances."""
        order, sizes = np.concatenate(epochs.sources), [len(members) for members in epochs.sources]
        points, approximation = points_from_landmarks(
            lambda some, others: between(order[some], order[others]),
            check_landmarks(landmarks, len(order)),
            np.repeat(np.arange(len(sizes)), sizes),
            cross=cross,
        )
        matrices = [FeatureDistances(part) for part in cut(points, sizes)]
        for D, place in zip(matrices, epochs.places, strict=True):
            check_features(D, place)
        whole = FeatureDistances(points) if cross else None
        if space is not None:
            space = replace(space, rows=cut(_in_order(space.rows[0], order, None), sizes))
        held = cast("tuple[Matrix, ...]", tuple(matrices))
        known = epochs.times, epochs.ids, cast("Matrix | None", whole), space, approximation
        return cls(held, "distances", *known, rows=_rows_of(epochs))

    @classmethod
    def _each_from_landmarks(cls, epochs: Epochs, squared: bool, landmarks: int, min_objects: int) -> Self:
        """A series of points that stand for the objects of one matrix per epoch."""
        for matrix, place in zip(epochs.sources, epochs.places, strict=True):
            check_size(len(matrix), max(min_objects, FEWEST), place)
        check_landmarks(landmarks, max(map(len, epochs.sources)))
        points, about = points_of_epochs(epochs.sources, squared, landmarks, epochs.places)
        held = [FeatureDistances(rows) for rows in points]
        for D, place in zip(held, epochs.places, strict=True):
            check_features(D, place)
        whole = cast("tuple[Matrix, ...]", tuple(held))
        return cls(whole, "distances", epochs.times, epochs.ids, None, None, about)

    @classmethod
    def from_pooled(
        cls,
        cross: Any,
        *,
        time: Any,
        squared: bool,
        ids: Sequence[Any] | None = None,
        keep_cross: bool | Literal["if known"] = True,
        symmetrize: Literal["mean"] | None = None,
        min_objects: int = 3,
        landmarks: int | None = None,
    ) -> Self:
        """One matrix over all objects of all epochs, with the time of every row.

        Clustering reads only the blocks within epochs, unless centres move.

        Parameters
        ----------
        cross : array_like, shape (N, N)
            Distances between all objects.
        time : array_like, shape (N,)
            Time of every row. Epochs of numbers, dates and text that is about time ("2003/04", "Q1 2004") are sorted;
            those of an ordered Categorical come in its order.
        squared : bool
            True if the numbers are squared distances, False if they are plain and have to be squared.
        ids : sequence of length N, optional
            Id of every row. The same id at two times is the same object.
        keep_cross : bool or "if known"
            False neither checks nor keeps distances between epochs; "if known" keeps them if there are several epochs
            and no value is missing.
        symmetrize, min_objects : optional
            As for :meth:`from_distances`.
        landmarks : int, optional
            For a matrix that does not fit into memory, such as a file opened by ``np.load`` with ``mmap_mode="r"``:
            only its columns of so many objects are read; see :meth:`from_features`.

        Returns
        -------
        DistanceSeries
            The series.

        Examples
        --------
        >>> import numpy as np
        >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]] * 2)
        >>> year = np.repeat([2020, 2021], 6)
        >>> from tetiwd import DistanceSeries
        >>> D = abs(X - X.T)  # plain distances between all 12 rows
        >>> DistanceSeries.from_pooled(D, time=year, squared=False).n_objects
        (6, 6)
        """
        _check_flag("squared", squared)
        if keep_cross != "if known":
            _check_flag("keep_cross", keep_cross)
        if landmarks is not None:
            if symmetrize is not None:
                raise DataError(
                    [Setting("symmetrize"), " needs the whole matrix"], ["leave out ", Setting("landmarks")]
                )
            matrix = cross if isinstance(cross, np.ndarray) else as_square_matrix(cross, Place("D*"))
            epochs = epochs_by_time("D*", time, ids_of_rows(cross, ids, Place("D*")), len(matrix), min_objects)
            between = some_of_matrix(matrix, squared, Place("D*"))
            return cls._from_landmarks(
                between, landmarks, None, epochs, keep_cross is not False and len(epochs.sources) > 1
            )
        if keep_cross:
            check_room_for_copies([cross], squared=squared, copy=False)
        pooled = as_square_matrix(cross, Place("D*"))
        epochs = epochs_by_time("D*", time, ids_of_rows(cross, ids, Place("D*")), len(pooled), min_objects)
        whole = keep_cross is True
        if keep_cross == "if known":
            whole = len(epochs.sources) > 1 and count_not_finite(pooled) == 0
        order = np.concatenate(epochs.sources)
        rearrange = whole and not np.array_equal(order, np.arange(len(order)))
        _check_room_for_distances([len(rows) for rows in epochs.sources] + [len(order)] * rearrange, pooled.dtype)
        if keep_cross is not True:  # errors name the epoch
            series = cls._cut(pooled, epochs, squared, symmetrize, min_objects)
        if whole:  # checked before it is cut and arranged, so that errors name the rows of the user
            pooled = prepare_distances(cross, Place("D*", epochs.names_of_rows()), squared, symmetrize, 1, False)
        if keep_cross is True:
            series = cls._cut(pooled, epochs, True, None, min_objects)
        if not whole:
            return series
        return replace(series, cross=pooled[np.ix_(order, order)] if rearrange else pooled)

    @classmethod
    def _cut(cls, pooled: Matrix, epochs: Epochs, squared: bool, symmetrize: Any, min_objects: int) -> Self:
        """The blocks of epochs in one matrix over all of them."""
        blocks = []
        for rows, place in zip(epochs.sources, epochs.places, strict=True):
            D = pooled[np.ix_(rows, rows)]
            blocks.append(prepare_distances(D, place, squared, symmetrize, min_objects, False, ours=True))
        return cls(tuple(blocks), "distances", epochs.times, epochs.ids, None, rows=_rows_of(epochs))

    @property
    def n_epochs(self) -> int:
        """Number of epochs T."""
        return len(self.matrices)

    @property
    def n_objects(self) -> tuple[int, ...]:
        """Number of objects at every epoch."""
        return tuple(len(matrix) for matrix in self.matrices)

    @property
    def has_matrices(self) -> bool:
        """False if there are features in their place: :attr:`matrices` are then ``FeatureDistances``."""
        return not isinstance(self.matrices[0], FeatureDistances)

    @property
    def D(self) -> tuple[Matrix, ...]:
        """Squared distances at every epoch."""
        if self.kind != "distances":
            raise DataError("this series holds similarities", "call to_distances() first, or use .matrices")
        return self.matrices

    @cached_property
    def unit(self) -> float:
        """Mean half of the squared distances over all pairs within epochs: dividing by it makes that mean 1.

        A series that extends another has the unit of that one.
        """
        if self.given_unit is not None:
            return self.given_unit
        total = pairs = 0.0
        for matrix in self.matrices:
            n = len(matrix)
            sum_all = float(matrix.sum(dtype=float))
            half = sum_all / 2 if self.kind == "distances" else n * float(np.trace(matrix, dtype=float)) - sum_all
            total += half
            pairs += n * (n - 1)
        if total <= 0 or pairs == 0:
            raise DataError("no two objects differ at any epoch", "there is nothing to cluster")
        return total / pairs

    def rescaled(self) -> list[Matrix]:
        """The matrices divided by :attr:`unit` (new arrays); priors have one meaning on this scale."""
        return [np.asarray(matrix) / matrix.dtype.type(self.unit) for matrix in self.matrices]

    def to_distances(self) -> Self:
        """The same objects as squared distances D_ij = K_ii + K_jj − 2K_ij, which must not be negative.

        Returns
        -------
        DistanceSeries
            A series of the kind "distances"; the same one if it is that already.

        Examples
        --------
        >>> import numpy as np
        >>> from tetiwd import DistanceSeries
        >>> X = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]])
        >>> DistanceSeries.from_similarities([X @ X.T]).to_distances().D[0].round(2)
        array([[0.  , 0.01, 2.  ],
               [0.01, 0.  , 1.81],
               [2.  , 1.81, 0.  ]])
        """
        if self.kind == "distances":
            return self
        matrices = tuple(distances_from(K, self._place("K", t)) for t, K in enumerate(self.matrices))
        return replace(self, matrices=matrices, kind="distances")

    def dof(self, dof: Dof = "moments") -> tuple[float, ...]:
        """Degrees of freedom per epoch.

        Estimates look at no more than 2000 objects of an epoch, always the same ones; "rank" looks at all, in O(n³).

        Parameters
        ----------
        dof : {"moments", "rank", "spectrum", "dispersion"}, float or sequence of float
            How to estimate them, a number, or one number per epoch.

        Returns
        -------
        tuple of float
            One number per epoch.

        Examples
        --------
        >>> import numpy as np
        >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]] * 2)
        >>> year = np.repeat([2020, 2021], 6)
        >>> from tetiwd import DistanceSeries
        >>> series = DistanceSeries.from_features(X, time=year)
        >>> series.dof(10)
        (10.0, 10.0)
        >>> len(series.dof("moments"))
        2
        """
        n_directions = None if self.features is None else self.features.n_directions
        return resolve_dof(dof, self.n_objects, lambda t, at_most: self.sampled_distances(t, at_most)[1], n_directions)

    def sampled_distances(self, t: int, at_most: int) -> tuple[NDArray[np.int64], Matrix]:
        """At most so many objects of epoch t, always the same ones, and the squared distances between them."""
        return sampled_distances(self.matrices[t], self.kind, at_most, self._place("K", t))

    @cached_property
    def ward_trees(self) -> list[Tree]:
        """Ward's tree of every epoch, for starts of chains."""
        return [sampled_tree(matrix, self.kind, self._place("K", t)) for t, matrix in enumerate(self.matrices)]

    def until(self, n_epochs: int) -> Self:
        """The first epochs, with their ids, times and cross-time distances.

        Parameters
        ----------
        n_epochs : int
            How many.

        Returns
        -------
        DistanceSeries
            The shorter series.

        Examples
        --------
        >>> import numpy as np
        >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]] * 2)
        >>> year = np.repeat([2020, 2021], 6)
        >>> from tetiwd import DistanceSeries
        >>> series = DistanceSeries.from_features(X, time=year)
        >>> series.until(1).times
        (2020,)
        """
        if not is_whole(n_epochs, 1) or n_epochs > self.n_epochs:
            raise DataError(
                f"the series has {self.n_epochs} epochs", f"keep between 1 and all of them, not {n_epochs!r}"
            )
        n, before = int(n_epochs), slice(0, sum(self.n_objects[:n_epochs]))
        return replace(
            self,
            matrices=self.matrices[:n],
            times=self.times[:n],
            ids=None if self.ids is None else self.ids[:n],
            cross=None if self.cross is None else among(self.cross, before),
            features=None if self.features is None else self.features.until(n),
            ties=None if self.ties is None else self.ties.restricted(np.arange(before.stop)),
            rows=None if self.rows is None else self.rows[:n],
        )

    def restricted(self, rows: Sequence[NDArray[np.int64]]) -> Self:
        """Only these objects of every epoch."""
        first = np.concatenate([[0], np.cumsum(self.n_objects)[:-1]])
        places = np.concatenate([start + rows_t for start, rows_t in zip(first, rows, strict=True)])
        return replace(
            self,
            matrices=tuple(among(matrix, some) for matrix, some in zip(self.matrices, rows, strict=True)),
            ids=None if self.ids is None else tuple(ids[some] for ids, some in zip(self.ids, rows, strict=True)),
            cross=None if self.cross is None else among(self.cross, places),
            features=None if self.features is None else self.features.restricted(rows),
            ties=None if self.ties is None else self.ties.restricted(places),
            rows=None if self.rows is None else tuple(own[some] for own, some in zip(self.rows, rows, strict=True)),
        )

    def bound_by(self, constraints: Constraints) -> Self:
        """The same series with what is known of its objects: every clustering of it will respect that.

        Parameters
        ----------
        constraints : Constraints
            What is known.

        Returns
        -------
        DistanceSeries
            The series with constraints.

        Examples
        --------
        >>> import numpy as np
        >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]] * 2)
        >>> year = np.repeat([2020, 2021], 6)
        >>> from tetiwd import Constraints, DistanceSeries
        >>> series = DistanceSeries.from_features(X, time=year, ids=list("abcdef") * 2)
        >>> known = series.bound_by(Constraints(must_link=[("a", "b")]))
        >>> known.ties is not None
        True
        """
        return replace(self, ties=resolve(constraints, self.times, self.ids, self.n_objects))

    def negative_type(self) -> list[NegativeType]:
        """How far every epoch is from squared Euclidean distances (or from a Mercer kernel); O(n³).

        Returns
        -------
        list of NegativeType
            One per epoch, with the share of negative eigenvalues.

        Examples
        --------
        >>> import numpy as np
        >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]] * 2)
        >>> year = np.repeat([2020, 2021], 6)
        >>> from tetiwd import DistanceSeries
        >>> series = DistanceSeries.from_features(X, time=year)
        >>> len(series.negative_type())
        2
        """
        return [inspect(matrix, self.kind, time) for matrix, time in zip(self.matrices, self.times, strict=True)]

    def repair(self, how: Repair) -> Self:
        """A series without negative eigenvalues; the same data if none is negative beyond rounding.

        Where cross-time distances are known they are repaired and the epochs cut from them.

        Parameters
        ----------
        how : {"shift", "clip"}
            "shift" adds the smallest sufficient constant to all distances between different objects (to the squared
            length of every object for similarities). It changes no ranking, but it flattens the data: all distances
            become more alike, :attr:`unit` grows, and so do estimated degrees of freedom. "clip" sets negative
            eigenvalues to zero, which alters the data least in total.

        Returns
        -------
        DistanceSeries
            The repaired series.

        Examples
        --------
        >>> import numpy as np
        >>> from tetiwd import DistanceSeries
        >>> D = np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 1.0], [9.0, 1.0, 0.0]])  # too far apart for a triangle
        >>> DistanceSeries.from_distances([D], squared=True).repair("clip").D[0].round(2)
        array([[0.  , 2.25, 9.  ],
               [2.25, 0.  , 2.25],
               [9.  , 2.25, 0.  ]])
        """
        if how not in ("shift", "clip"):
            raise DataError([Setting("repair"), f' must be "shift" or "clip", not {how!r}'])
        if not self.has_matrices:
            return self
        whole = self.matrices if self.cross is None else (self.cross,)
        sound = repaired(whole, self.kind, how)
        if all(new is old for new, old in zip(sound, whole, strict=True)):
            return self
        if self.cross is None:
            return replace(self, matrices=tuple(sound), features=None)
        cross = sound[0]
        blocks = tuple(cross[rows, rows] for rows in self._cross_slices())
        return replace(self, matrices=blocks, cross=cross, features=None)

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
        if self.approximation is not None:
            parts.append(f"from {self.approximation.n_landmarks} landmarks")
        elif not self.has_matrices:
            parts.append("from features, without matrices")
        return f"DistanceSeries({'; '.join(parts)})"

    def _place(self, letter: str, t: int) -> Place:
        label = "" if self.times[t] == t else f" ({self.times[t]})"
        return Place(f"{letter}[{t}]{label}", None if self.ids is None else self.ids[t], t)

    def _cross_slices(self) -> list[slice]:
        ends = np.cumsum(self.n_objects)
        return [slice(int(end) - n, int(end)) for end, n in zip(ends, self.n_objects, strict=True)]

    def _with_cross(self, cross: Any, squared: bool, symmetrize: Literal["mean"] | None, copy: bool) -> Self:
        N, n_rows = sum(self.n_objects), len(as_square_matrix(cross, Place("D*")))
        if n_rows != N:
            raise DataError(
                f"D* has {n_rows} rows but the epochs have {N} objects together",
                "give the objects of all epochs, epoch after epoch",
            )
        if self.ids is not None:
            check_labels_agree(cross, [label for ids in self.ids for label in ids.tolist()], Place("D*"))
        prepared = prepare_distances(cross, Place("D*"), squared, symmetrize, 1, copy)
        for t, rows in enumerate(self._cross_slices()):
            check_cross(prepared, rows, self.matrices[t], self._place("D", t))
        return replace(self, cross=prepared)


def _rows_of(epochs: Epochs) -> tuple[NDArray[np.int64], ...]:
    """Which rows of the input the objects of every epoch are."""
    return tuple(np.asarray(rows, dtype=np.int64) for rows in epochs.sources)


def _is_moderate(n_objects: Iterable[int], dtype: np.dtype[Any]) -> bool:
    """Are matrices of distances small enough to be kept unasked?"""
    room, needed = available_memory(), sum(dtype.itemsize * n**2 for n in n_objects)
    return needed <= LARGEST_MATRIX and (room is None or needed <= room[0])


def _in_order(rows: Rows, order: NDArray[np.int64], precision: np.dtype[Any] | None) -> Rows:
    """Rows epoch after epoch; in single precision if that is asked for."""
    single = precision == np.float32 and not is_sparse(rows) and rows.dtype != np.float32
    if np.array_equal(order, np.arange(len(order))) and not single:
        return rows if is_sparse(rows) else np.ascontiguousarray(rows)
    size = 12 * rows.nnz if is_sparse(rows) else rows.size * (4 if single else rows.itemsize)
    require_memory(size, "a copy of the features", SMALLER_DATA)
    moved = rows[order]
    return metrics.as_single(moved) if single else moved


def _check_room_for_distances(n_objects: Sequence[int], dtype: np.dtype[Any]) -> None:
    shown = f"{max(n_objects)} objects" if len(n_objects) == 1 else f"up to {max(n_objects)} objects at every epoch"
    needed = sum(dtype.itemsize * n**2 for n in n_objects)
    require_memory(needed, f"keeping the distances between {shown} as {dtype}", SMALLER_DATA)


def _check_flag(name: str, value: Any) -> None:
    if not isinstance(value, bool | np.bool_):
        raise DataError([Setting(name), f" must be True or False, not {value!r}"], "it is never guessed")
