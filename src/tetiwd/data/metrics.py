"""Metrics by name for feature input, and whether their values are squared distances or have to be squared."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.checks import Matrix, row_blocks
from tetiwd.errors import DataError, Setting, give

Floats = NDArray[np.float64]
Metric = str | Callable[[Floats, Floats], float]

# True: the values are squared distances as they are (their square root is a Euclidean metric, or close to one).
# False: the values are plain distances and are squared.
SQUARED_AS_IS = {
    "euclidean": False,
    "sqeuclidean": True,
    "cosine": True,  # 1 − cos = ½‖u − v‖² of unit vectors
    "hellinger": True,  # ½‖√p − √q‖² of rows scaled to sum one
    "cityblock": True,
    "hamming": True,
    "jaccard": True,
    "braycurtis": True,  # not always Euclidean: look at negative_type()
}

SCALED_BY_THE_ROWS = {"seuclidean", "se", "s", "mahalanobis", "mahal", "mah"}  # with scipy's short names


def pairwise(X: Floats, metric: Metric, squared: bool | None, dtype: np.dtype[Any]) -> Matrix:
    """Squared distances between the rows of X, computed in float64 and kept as ``dtype``, some rows at a time."""
    from scipy.spatial.distance import cdist, pdist, squareform

    squared = _are_squared(metric, squared)
    (X,), metric, factor = _as_known_to_scipy(metric, X)
    D = np.empty((len(X), len(X)), dtype)
    for rows, block in row_blocks(D):
        start, end = rows.start, rows.start + len(block)
        try:
            among = squareform(pdist(X[start:end], metric))
            beyond = cdist(X[start:end], X[end:], metric) if end < len(X) else np.empty((len(block), 0))
        except (ValueError, AttributeError) as error:
            raise DataError(f"metric {metric!r} failed: {error}", "choose another metric") from error
        values = factor * np.hstack([among, beyond])
        with np.errstate(over="ignore"):
            block[:, start:] = _within_range(values if squared else values**2, dtype)
        D[end:, start:end] = block[:, end:].T
    return D


def between(new: Floats, X: Floats, metric: Metric, squared: bool | None) -> Floats:
    """Squared distances from every row of ``new`` to every row of X."""
    from scipy.spatial.distance import cdist

    squared = _are_squared(metric, squared)
    (new, X), metric, factor = _as_known_to_scipy(metric, new, X)
    try:
        values = factor * cdist(new, X, metric)
    except (ValueError, AttributeError) as error:
        raise DataError(f"metric {metric!r} failed: {error}", "choose another metric") from error
    return np.asarray(values if squared else values**2)


def _as_known_to_scipy(metric: Metric, *tables: Floats) -> tuple[list[Floats], Metric, float]:
    """Tables and a metric that scipy knows, and the factor that turns it into the metric asked for."""
    if not isinstance(metric, str) or metric != "hellinger":
        return list(tables), metric, 1.0
    roots = []
    for X in tables:
        sums = X.sum(axis=1, keepdims=True)
        if (X < 0).any() or (sums <= 0).any():
            raise DataError("hellinger needs nonnegative rows with a positive sum", "drop empty rows")
        roots.append(np.sqrt(X / sums))
    return roots, "sqeuclidean", 0.5


def as_precision(dtype: Any) -> np.dtype[Any]:
    """The type of number that distances are kept as."""
    for known in (np.dtype(np.float32), np.dtype(np.float64)):
        if dtype in (known, known.type, known.name):
            return known
    raise DataError(f'dtype must be "float32" or "float64", not {dtype!r}')


def _within_range(values: Floats, dtype: np.dtype[Any]) -> Floats:
    largest = float(np.max(values, initial=0.0))
    if float(np.finfo(dtype).max) < largest:
        wider = ", or use float64" if dtype == np.float32 else ""
        raise DataError(
            f"squared distances of {largest:.3g} are beyond {dtype}", f"divide the features by a constant{wider}"
        )
    return values


def _are_squared(metric: Any, squared: Any) -> bool:
    """Whether the values of a metric are squared distances, once both arguments make sense."""
    if not isinstance(metric, str) and not callable(metric):
        raise DataError(f"metric must be a name or a function of two rows, not {metric!r}")
    name = metric if isinstance(metric, str) else getattr(metric, "__name__", "")
    if name.lower().removeprefix("test_") in SCALED_BY_THE_ROWS:
        raise DataError(
            f"metric {name!r} takes its scale from the rows it sees, so every epoch would have another",
            [give("standardize", True), " and ", Setting("metric", "euclidean")],
        )
    if squared is None:
        if name not in SQUARED_AS_IS or callable(metric):
            raise DataError(
                f"metric {metric!r} is not one of {', '.join(SQUARED_AS_IS)}",
                [
                    "for another metric say with ",
                    Setting("squared", True),
                    " or ",
                    Setting("squared", False),
                    " whether its values are squared distances",
                ],
            )
        return SQUARED_AS_IS[name]
    if name in ("euclidean", "sqeuclidean") and squared in (True, False) and bool(squared) != SQUARED_AS_IS[name]:
        kind = "plain" if squared else "squared"
        raise DataError(f"{name} distances are {kind}, which is known", ["leave out ", Setting("squared")])
    if not isinstance(squared, bool | np.bool_):
        raise DataError(f"squared must be True, False or None (known from the metric), not {squared!r}")
    return bool(squared)


def as_features(X: Any) -> Floats:
    """A two-dimensional array of finite numbers."""
    if hasattr(X, "toarray"):
        raise DataError("X is a sparse matrix", "pass X.toarray()")
    try:
        array = np.asarray(X, dtype=float)
    except (TypeError, ValueError) as error:
        raise DataError(f"X cannot be read as numbers ({error})", "encode text columns first") from error
    if array.ndim != 2 or array.shape[1] == 0:
        raise DataError(f"X must have one row per object and one column per feature, not shape {array.shape}")
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        row, column = bad[0]
        raise DataError(
            f"X has {array[row, column]} at row {row}, column {column} ({len(bad)} entries are not finite)",
            "drop or impute missing values first",
        )
    return array
