"""From whatever the user passed to an array of squared distances or similarities."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.checks import (
    Matrix,
    Place,
    check_distances,
    check_finite,
    check_similarities,
    check_size,
    check_symmetric,
    count_not_finite,
    row_blocks,
    smallest_entry,
)
from tetiwd.errors import DataError


def prepare_square(matrix: Any, place: Place, symmetrize: str | None, min_objects: int) -> Matrix:
    """A square, finite, symmetric array."""
    if symmetrize not in (None, "mean"):
        raise DataError(f'symmetrize must be "mean" or None, not {symmetrize!r}')
    array = as_square_matrix(matrix, place)
    check_size(len(array), min_objects, place)
    if place.ids is not None and len(place.ids) != len(array):
        place.fail(f"has {len(array)} objects but {len(place.ids)} ids", "give one id per object")
    check_finite(array, place)
    if symmetrize == "mean":
        return symmetrized(array)
    check_symmetric(array, place)
    return array


def prepare_distances(
    matrix: Any, place: Place, squared: bool, symmetrize: str | None, min_objects: int, copy: bool
) -> Matrix:
    """Squared distances: checked, rid of rounding noise."""
    was_integer = getattr(getattr(matrix, "dtype", None), "kind", "f") in "iu"
    array = prepare_square(matrix, place, symmetrize, min_objects)
    check_distances(array, place, was_integer=was_integer)
    array = tidy(array)
    if not squared:
        array = squares(array, place)
    return np.array(array) if copy and squared else array


def squares(array: Matrix, place: Place) -> Matrix:
    """The entries squared, within the range of numbers."""
    with np.errstate(over="ignore", under="ignore"):
        squared = array * array
    if count_not_finite(squared):
        place.fail(f"overflows when squared in {array.dtype}", "divide the distances by a constant, or use float64")
    if array.any() and not squared.any():
        place.fail(
            f"is zero everywhere when squared in {array.dtype}", "multiply the distances by a constant, or use float64"
        )
    return squared


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only, row-major view that does not make the caller's own array read-only."""
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


def prepare_similarities(matrix: Any, place: Place, symmetrize: str | None, min_objects: int, copy: bool) -> Matrix:
    """Dot products: checked, exactly symmetric."""
    array = prepare_square(matrix, place, symmetrize, min_objects)
    check_similarities(array, place)
    if not is_exactly_symmetric(array):
        return symmetrized(array)
    return np.array(array) if copy else array


def as_square_matrix(matrix: Any, place: Place) -> Matrix:
    """A square floating-point array; float32 stays float32, everything else becomes float64."""
    if hasattr(matrix, "toarray"):
        place.fail("is a sparse matrix", "distances of all pairs are needed: pass matrix.toarray()")
    if isinstance(matrix, np.ma.MaskedArray) and np.ma.is_masked(matrix):
        place.fail("has masked entries", "fill them, or leave out the objects they belong to")
    try:
        array = np.asarray(matrix)
    except ValueError as error:
        place.fail(f"cannot be read as an array ({error})", "pass a square array of numbers")
    if array.dtype.kind not in "biuf":
        kind = {"c": "complex numbers", "O": "Python objects", "U": "text", "S": "text"}.get(array.dtype.kind)
        place.fail(f"holds {kind or array.dtype}", "convert it to real numbers, for example with .astype(float)")
    if array.ndim == 1:
        place.fail(
            f"is one-dimensional, of shape {array.shape}",
            "a condensed matrix can be unfolded with scipy.spatial.distance.squareform",
        )
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        place.fail(f"is not square: its shape is {array.shape}", "row i and column i must be the same object")
    keep = array.dtype in (np.float32, np.float64)
    return array if keep else array.astype(np.float64)


def tidy(matrix: Matrix) -> Matrix:
    """The matrix with rounding noise removed: symmetric, zero diagonal, nothing below zero. A copy only if needed."""
    if not np.diagonal(matrix).any() and smallest_entry(matrix)[0] >= 0 and is_exactly_symmetric(matrix):
        return matrix
    clean = symmetrized(matrix)
    np.fill_diagonal(clean, 0)
    return np.maximum(clean, 0, out=clean)


def symmetrized(matrix: Matrix) -> Matrix:
    """Average of the matrix and its transpose, a new array."""
    clean = matrix + matrix.T
    clean /= 2
    return clean


def is_exactly_symmetric(matrix: Matrix) -> bool:
    """Equal to its transpose bit by bit."""
    return all(np.array_equal(block, matrix[:, rows].T) for rows, block in row_blocks(matrix))
