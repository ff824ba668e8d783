"""Metrics by name for feature input, and whether their values are squared distances or have to be squared."""

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.checks import Matrix, not_finite, row_blocks
from tetiwd.data.feature_distances import Rows, as_csr, is_sparse, squared_between
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


def between(new: Rows, X: Rows, metric: Metric, squared: bool | None) -> Floats:
    """Squared distances from every row of ``new`` to every row of X."""
    from scipy.spatial.distance import cdist

    if is_sparse(X):
        found = [as_points(as_csr(rows), metric, squared) for rows in (new, X)]
        (new, factor), (X, _) = (points for points in found if points is not None)
        return factor * squared_between(new, X)
    squared = _are_squared(metric, squared)
    (new, X), metric, factor = _as_known_to_scipy(metric, new, X)
    try:
        values = factor * cdist(new, X, metric)
    except (ValueError, AttributeError) as error:
        raise DataError(f"metric {metric!r} failed: {error}", "choose another metric") from error
    return np.asarray(values if squared else values**2)


def between_rows(X: Rows, metric: Metric, squared: bool | None) -> Callable[[Any, Any], Floats]:
    """Squared distances between some rows of X and others, by their places; 0 from a row to itself."""
    _are_squared(metric, squared)
    if is_sparse(X) and as_points(X, metric, squared) is None:
        raise DataError(f"metric {metric!r} is not known for sparse rows", "pass X.toarray()")

    def found(some: NDArray[np.int64], others: NDArray[np.int64]) -> Floats:
        D = between(X[some], X[others], metric, squared)
        D[np.equal.outer(some, others)] = 0.0
        if not np.isfinite(D).all():
            row, column = np.argwhere(~np.isfinite(D))[0]
            fault = f"the {metric} distance between rows {some[row]} and {others[column]} is {D[row, column]}"
            raise DataError(fault, "drop rows that are empty or beyond the range of numbers")
        return D

    return found


def _as_known_to_scipy(metric: Metric, *tables: Floats) -> tuple[list[Floats], Metric, float]:
    """Tables and a metric that scipy knows, and the factor that turns it into the metric asked for."""
    if isinstance(metric, str) and metric == "braycurtis" and any((X < 0).any() for X in tables):
        raise DataError("braycurtis needs numbers that are not negative", "give counts or shares, or another metric")
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


def as_single(X: Floats) -> NDArray[np.float32]:
    """Features in single precision, if they are within its range."""
    _within_range(np.abs(X), np.dtype(np.float32), "features")
    return X.astype(np.float32)


def _within_range(values: Floats, dtype: np.dtype[Any], what: str = "squared distances") -> Floats:
    largest = float(np.max(values, initial=0.0))
    if float(np.finfo(dtype).max) < largest:
        wider = ", or use float64" if dtype == np.float32 else ""
        raise DataError(f"{what} of {largest:.3g} are beyond {dtype}", f"divide the features by a constant{wider}")
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


def as_points(X: Rows, metric: Metric, squared: bool | None) -> tuple[Rows, float] | None:
    """Rows and a factor: squared Euclidean distances of the rows times it are those of the metric. None if none are."""
    if _are_squared(metric, squared) != SQUARED_AS_IS.get(metric if isinstance(metric, str) else ""):
        return None
    if metric in ("euclidean", "sqeuclidean"):
        return X, 1.0
    X = X if is_sparse(X) else X.astype(float, copy=False)
    if metric in ("cityblock", "hamming"):
        return (X, 1 / X.shape[1] if metric == "hamming" else 1.0) if _is_binary(X) else None
    if metric == "cosine":
        return _divided(X, np.sqrt(_row_sums(X * X)), "cosine needs rows with a number other than zero"), 0.5
    if metric == "hellinger":
        fault = "hellinger needs nonnegative rows with a positive sum"
        if (X.data if is_sparse(X) else X).min(initial=0) < 0:
            raise DataError(fault, "drop empty rows")
        return np.sqrt(_divided(X, _row_sums(X), fault)), 0.5
    return None


def _is_binary(X: Rows) -> bool:
    values = X.data if is_sparse(X) else X
    return bool(((values == 0) | (values == 1)).all())


def _row_sums(X: Rows) -> Floats:
    return np.asarray(X.sum(axis=1, dtype=float)).ravel()


def _divided(X: Rows, by: Floats, fault: str) -> Rows:
    """Every row divided by a number, which must be positive."""
    if (by <= 0).any():
        raise DataError(fault, "drop empty rows")
    if not is_sparse(X):
        return X / by[:, None]
    from scipy.sparse import diags_array

    return diags_array(1 / by) @ X


def as_features(X: Any) -> Floats:
    """A two-dimensional array of finite numbers."""
    if is_sparse(X):
        raise DataError("X is a sparse matrix", ["pass X.toarray(), or leave out ", Setting("matrix", True)])
    return as_rows(X, keep_single=False)


def as_rows(X: Any, *, keep_single: bool = True) -> Rows:
    """The same, in single precision or sparse (CSR) if X is so."""
    if is_sparse(X):
        X = as_csr(X)
        if not np.isfinite(X.data).all():
            entries, odd = X.tocoo(), np.flatnonzero(~np.isfinite(X.data))
            _fail_not_finite(X.data[odd[0]], entries.row[odd[0]], entries.col[odd[0]], len(odd))
        return X
    try:
        array = np.asarray(X, dtype=np.float32 if keep_single and getattr(X, "dtype", None) == np.float32 else float)
    except (TypeError, ValueError) as error:
        raise DataError(f"X cannot be read as numbers ({error})", "encode text columns first") from error
    if array.ndim != 2 or array.shape[1] == 0:
        raise DataError(f"X must have one row per object and one column per feature, not shape {array.shape}")
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        _fail_not_finite(array[tuple(bad[0])], bad[0][0], bad[0][1], len(bad))
    return array


def _fail_not_finite(value: Any, row: int, column: int, n_bad: int) -> NoReturn:
    raise DataError(
        f"X has {value} at row {row}, column {column} ({not_finite(n_bad)})",
        "drop or impute missing values first",
    )
