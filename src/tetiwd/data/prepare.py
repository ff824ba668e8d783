"""From the matrix the user passed to an array of squared distances or similarities.

An array that needs no change is looked at, not copied. One that does is copied once, and that copy is changed in place;
the user's own array never is.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.checks import (
    Matrix,
    Place,
    check_distances,
    check_finite,
    check_range,
    check_similarities,
    check_size,
    check_symmetric,
    count_not_finite,
    row_blocks,
)
from tetiwd.errors import DataError, Setting, plural
from tetiwd.memory import SMALLER_DATA, require_memory


def prepare_square(matrix: Any, place: Place, symmetrize: str | None, min_objects: int) -> Matrix:
    """A square, finite, symmetric array."""
    if symmetrize not in (None, "mean"):
        raise DataError([Setting("symmetrize"), f' must be "mean" or None, not {symmetrize!r}'])
    array = as_square_matrix(matrix, place)
    check_size(len(array), min_objects, place)
    if place.ids is not None and len(place.ids) != len(array):
        place.fail(f"has {plural(len(array), 'object')} but {plural(len(place.ids), 'id')}", "give one id per object")
    check_finite(array, place)
    if symmetrize == "mean":
        return symmetrized(array)
    check_symmetric(array, place)
    return array


def prepare_distances(
    matrix: Any,
    place: Place,
    squared: bool,
    symmetrize: str | None,
    min_objects: int,
    copy: bool,
    *,
    ours: bool = False,
) -> Matrix:
    """Squared distances: checked, rid of rounding noise. ``ours`` if nobody else holds the matrix."""
    was_integer = getattr(getattr(matrix, "dtype", None), "kind", "f") in "iu"
    array = prepare_square(matrix, place, symmetrize, min_objects)
    check_distances(array, place, was_integer=was_integer)
    ours = ours or not share_memory(array, matrix)
    clean = tidy(array, in_place=ours)
    ours = ours or clean is not array
    if not squared:
        clean = squares(clean, place, in_place=ours)
        ours = True
    check_range(clean, place)
    return clean.copy() if copy and not ours else clean


def squares(array: Matrix, place: Place, *, in_place: bool) -> Matrix:
    """The entries squared, within the range of numbers."""
    some_differ = array.any()
    with np.errstate(over="ignore", under="ignore"):
        squared = np.multiply(array, array, out=array if in_place else None)
    if count_not_finite(squared):
        place.fail(f"overflows when squared in {array.dtype}", "divide the distances by a constant, or use float64")
    if some_differ and not squared.any():
        place.fail(
            f"is zero everywhere when squared in {array.dtype}", "multiply the distances by a constant, or use float64"
        )
    return squared


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only, row-major view that does not make the caller's own array read-only.

    Matrices are symmetric here, so that one in column-major order is read as its transpose instead of copied. What
    stands for a matrix is read-only anyway.
    """
    if not isinstance(array, np.ndarray):
        return array
    view = np.ascontiguousarray(array.T if array.flags.f_contiguous else array).view()
    view.flags.writeable = False
    return view


def prepare_similarities(matrix: Any, place: Place, symmetrize: str | None, min_objects: int, copy: bool) -> Matrix:
    """Dot products: checked, exactly symmetric."""
    array = prepare_square(matrix, place, symmetrize, min_objects)
    check_similarities(array, place)
    check_range(array, place)
    if not is_exactly_symmetric(array):
        return symmetrized(array)
    return np.array(array) if copy else array


def check_room_for_copies(matrices: Sequence[Any], *, squared: bool, copy: bool) -> None:
    """Refuse copies that cannot fit, from shapes alone."""
    needed = sum(bytes_of_copy(matrix, squared=squared, copy=copy) for matrix in matrices)
    require_memory(needed, "a copy of the matrices", SMALLER_DATA)


def bytes_of_copy(matrix: Any, *, squared: bool, copy: bool) -> int:
    """What a copy of the matrix takes, 0 if none is needed or if it is not an array of numbers."""
    if not isinstance(matrix, np.ndarray) or matrix.ndim != 2:
        return 0
    in_one_piece = matrix.flags.c_contiguous or matrix.flags.f_contiguous
    if in_one_piece and squared and not copy and matrix.dtype in (np.float32, np.float64):
        return 0
    return matrix.size * (4 if matrix.dtype == np.float32 else 8)


def share_memory(array: Matrix, given: Any) -> bool:
    """Whether an array may look at the memory of what it was made from."""
    return not isinstance(given, list | tuple) and np.may_share_memory(array, np.asarray(given))


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
    if array.dtype in (np.float32, np.float64):
        return array
    require_memory(8 * array.size, f"a copy of {array.dtype} numbers as float64", SMALLER_DATA)
    return array.astype(np.float64)


def tidy(matrix: Matrix, *, in_place: bool) -> Matrix:
    """The matrix with rounding noise removed: symmetric, zero diagonal, nothing below zero. A copy only if needed."""
    symmetric = is_exactly_symmetric(matrix)
    if symmetric and not np.diagonal(matrix).any() and matrix.min() >= 0:
        return matrix
    clean = matrix if symmetric and in_place else symmetrized(matrix)
    np.fill_diagonal(clean, 0)
    return np.maximum(clean, 0, out=clean)


def symmetrized(matrix: Matrix) -> Matrix:
    """Average of the matrix and its transpose, a new array."""
    require_memory(matrix.nbytes, "a copy of the matrix, which is not exactly symmetric,", SMALLER_DATA)
    clean = matrix + matrix.T
    clean /= 2
    return clean


def is_exactly_symmetric(matrix: Matrix) -> bool:
    """Equal to its transpose bit by bit."""
    return all(np.array_equal(block, matrix[:, rows].T) for rows, block in row_blocks(matrix))
