"""A series with new epochs at its end: what is joined, what has to be the same, and distances across the seam.

The unit stays that of the earlier series, so that scales keep their meaning. Distances between old and new objects are
known if there are features on both sides, or if the new data cover the old epochs as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import metrics
from tetiwd.data.checks import Matrix
from tetiwd.data.feature_distances import FeatureDistances, Rows, among, is_sparse
from tetiwd.data.features import FeatureSpace
from tetiwd.data.fingerprint import parts
from tetiwd.data.ids import check_ids
from tetiwd.data.series import DistanceSeries
from tetiwd.data.times import check_times, sorted_times
from tetiwd.errors import DataError
from tetiwd.memory import SMALLER_DATA, require_memory
from tetiwd.params import LARGEST_CROSS

ROUNDING = 1e-6  # of the largest number, when an epoch is compared with an earlier copy of itself


@dataclass(frozen=True)
class Joined:
    """A series with new epochs at its end."""

    series: DistanceSeries
    n_old: int  # epochs of the earlier series
    remarks: tuple[str, ...] = ()  # what was lost on the way


def join(old: DistanceSeries, new: DistanceSeries) -> Joined:
    """A series with the new epochs of another one at its end.

    The other series may have epochs of the earlier one, too; these must be unchanged. Objects with the same id are the
    same objects.
    """
    if old.kind != new.kind:
        raise DataError(f"the new data are {new.kind} and the earlier ones {old.kind}", "give the same kind")
    times = _continued(old, new)
    fresh = [j for j, time in enumerate(times) if time not in old.times]
    if not fresh:
        raise DataError("the new data have no new time", "give at least one that the earlier run does not have")
    again = {j: old.times.index(time) for j, time in enumerate(times) if time in old.times}
    known_in_whole = len(again) == old.n_epochs and new.cross is not None
    features = None if known_in_whole and old.features is None else _in_one_space(old, new, fresh)
    for j, t in again.items():
        _check_unchanged(old, t, new, j, features)
    all_times = (*old.times, *(times[j] for j in fresh))
    _check_last(old, all_times)
    remarks: list[str] = []
    ids = _ids(old, new, fresh, all_times, remarks)
    if features is not None:
        matrices, cross = _from_features(old, features)
    else:
        matrices = tuple(new.matrices[j] for j in fresh)
        if old.has_matrices != new.has_matrices:
            raise DataError("one of the two has features in place of a matrix", "read both in the same way")
        cross = _cut(new, [*sorted(again, key=lambda j: again[j]), *fresh]) if known_in_whole else None
    if old.cross is not None and cross is None:
        remarks.append("Distances between earlier and new objects are not known, so links no longer go by place.")
    joined = replace(
        old,
        matrices=(*old.matrices, *matrices),
        times=all_times,
        ids=ids,
        cross=cross,
        features=features,
        given_unit=old.unit,
        rows=None,  # of two inputs
    )
    return Joined(joined, old.n_epochs, tuple(remarks))


def from_epoch(series: DistanceSeries, first: int) -> DistanceSeries:
    """The epochs from one on, without distances to others, in the unit of the whole."""
    return replace(
        series,
        matrices=series.matrices[first:],
        times=series.times[first:],
        ids=None if series.ids is None else series.ids[first:],
        cross=None,
        features=None,
        given_unit=series.unit,
        rows=None if series.rows is None else series.rows[first:],
    )


def _continued(old: DistanceSeries, new: DistanceSeries) -> list[Any]:
    """Times of the new data as the earlier ones write them; epochs that are only counted are counted on."""
    counted = all(series.times == tuple(range(series.n_epochs)) for series in (old, new))
    if counted and not (new.n_epochs > old.n_epochs and _same(old.matrices[0], new.matrices[0])):
        return [old.n_epochs + t for t in range(new.n_epochs)]
    if all(isinstance(time, str) for time in old.times):
        return [str(time) for time in new.times]
    return list(new.times)


def _check_last(old: DistanceSeries, times: tuple[Any, ...]) -> None:
    """New epochs come after the earlier ones, as far as their labels tell."""
    check_times(times, len(times))
    try:
        ordered, before = sorted_times(list(times)), sorted_times(list(old.times))
    except DataError:  # text that does not say when
        return
    if before == list(old.times) and ordered != list(times):
        late = next(time for time, sorted_one in zip(times, ordered, strict=True) if time != sorted_one)
        raise DataError(f"new times must come after {old.times[-1]!r}, and {late!r} is out of order", "fit anew")


def _check_unchanged(old: DistanceSeries, t: int, new: DistanceSeries, j: int, features: FeatureSpace | None) -> None:
    """An epoch that comes again has the objects and numbers it had."""
    fault = ""
    if old.n_objects[t] != new.n_objects[j]:
        fault = f"had {old.n_objects[t]} objects and now has {new.n_objects[j]}"
    elif old.ids is not None and new.ids is not None and list(map(str, old.ids[t])) != list(map(str, new.ids[j])):
        fault = "has other objects than before, or in another order"
    elif features is not None and new.features is not None:
        if not _same(features.rows[t], _moved(new.features, features, j)):
            fault = "has other features than before"
    elif not _same(old.matrices[t], new.matrices[j]):
        fault = "has other distances than before"
    if fault:
        raise DataError(f"the time {old.times[t]!r} {fault}", "leave it out, or fit all data anew")


def _same(one: Any, other: Any) -> bool:
    """Are the numbers of two matrices, or of features, equal up to rounding?"""
    mine, theirs = _arrays(one), _arrays(other)
    if [array.shape for array in mine] != [array.shape for array in theirs]:
        return False
    return all(
        float(np.abs(a - b).max(initial=0.0)) <= ROUNDING * float(np.abs(a).max(initial=0.0))
        for a, b in zip(mine, theirs, strict=True)
    )


def _arrays(matrix: Any) -> list[NDArray[Any]]:
    if is_sparse(matrix):
        return [np.asarray(part, dtype=float) for part in (matrix.data, matrix.indices, matrix.indptr)]
    return [np.asarray(part, dtype=float) for part in parts(matrix)]


def _ids(
    old: DistanceSeries, new: DistanceSeries, fresh: Sequence[int], times: tuple[Any, ...], remarks: list[str]
) -> tuple[NDArray[Any], ...] | None:
    if old.ids is None:
        if new.ids is not None:
            remarks.append("The earlier objects have no ids, so those of the new ones are not used.")
        return None
    if new.ids is None:
        raise DataError("the earlier objects have ids and the new ones have none", "give the new ones ids as well")
    known = [list(ids) for ids in old.ids]
    as_text = all(isinstance(id, str) for ids in known for id in ids)
    added = [[str(id) if as_text else id for id in new.ids[j].tolist()] for j in fresh]
    every = [ids if as_text else np.asarray(ids).tolist() for ids in known] + added
    return check_ids(every, [f" ({time})" for time in times], [range(len(ids)) for ids in every])


def _in_one_space(old: DistanceSeries, new: DistanceSeries, fresh: Sequence[int]) -> FeatureSpace | None:
    """Features of all epochs, on the scale of the earlier ones; None where one side has none."""
    one, other = old.features, new.features
    if one is None or other is None or old.approximation is not None:
        return None
    if one.metric != other.metric or one.squared != other.squared:
        raise DataError(f"the metric was {one.metric!r} and is {other.metric!r} now", "compare all objects alike")
    if one.n_features != other.n_features or (one.names and other.names and one.names != other.names):
        raise DataError(
            f"the new objects have other features ({other.n_features}) than the earlier ones ({one.n_features})",
            "give the same columns in the same order",
        )
    return replace(one, rows=(*one.rows, *(_moved(other, one, j) for j in fresh)))


def _moved(space: FeatureSpace, target: FeatureSpace, t: int) -> Rows:
    """Features of an epoch, standardised as those of another series are."""
    rows = space.rows[t]
    if space.centre is not None and space.spread is not None:
        rows = rows * space.spread + space.centre
    if target.centre is not None and target.spread is not None:
        rows = (rows - target.centre) / target.spread
    return rows


def _from_features(old: DistanceSeries, space: FeatureSpace) -> tuple[tuple[Matrix, ...], Matrix | None]:
    """Distances of the new epochs and, if they are kept, between all objects."""
    T, n = old.n_epochs, sum(rows.shape[0] for rows in space.rows)
    wanted = old.cross is not None or (T == 1 and n <= LARGEST_CROSS)
    if not old.has_matrices:
        found = [metrics.as_points(rows, space.metric, space.squared) for rows in space.rows]
        points = [one for one in found if one is not None]
        matrices = [FeatureDistances(rows, factor) for rows, factor in points[T:]]
        whole = FeatureDistances(_stacked([rows for rows, _ in points]), points[0][1]) if wanted else None
        return cast("tuple[Matrix, ...]", tuple(matrices)), cast("Matrix | None", whole)
    dtype = old.matrices[0].dtype
    new = [metrics.pairwise(np.asarray(rows), space.metric, space.squared, dtype) for rows in space.rows[T:]]
    if not wanted:
        return tuple(new), None
    require_memory(dtype.itemsize * n**2, f"keeping the distances between {n} objects", SMALLER_DATA)
    cross, end = np.zeros((n, n), dtype), sum(old.n_objects)
    cross[:end, :end] = old.matrices[0] if T == 1 else old.cross
    for t in range(T, len(space.rows)):
        start, end = end, end + space.rows[t].shape[0]
        cross[start:end, start:end] = new[t - T]
        before = np.concatenate(space.rows[:t])
        cross[start:end, :start] = metrics.between(space.rows[t], before, space.metric, space.squared)
        cross[:start, start:end] = cross[start:end, :start].T
    return tuple(new), cross


def _stacked(rows: Sequence[Rows]) -> Rows:
    if not is_sparse(rows[0]):
        return np.concatenate(rows)
    from scipy.sparse import vstack

    return vstack(rows, format="csr")


def _cut(series: DistanceSeries, epochs: Sequence[int]) -> Any:
    """Distances between all objects of some epochs, in this order."""
    first = np.concatenate([[0], np.cumsum(series.n_objects)])
    places = np.concatenate([np.arange(first[j], first[j + 1]) for j in epochs])
    return among(series.cross, places)
