"""Sparse matrices as files hold them: nothing may point outside, since scipy does not look and would crash."""

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from tetiwd.errors import plural
from tetiwd.memory import require_memory

BYTES_OF_A_LINE = 64  # of a column its mean, which every epoch keeps, and what is computed with it


def check_sparse(
    values: NDArray[Any], indices: NDArray[Any], ends: NDArray[Any], shape: Sequence[int], form: str = "csr"
) -> None:
    """Raise a ValueError if these are not the parts of a sparse matrix stored by rows (csr) or by columns (csc)."""
    if form not in ("csr", "csc") or len(shape) != 2 or min(shape) < 0:
        raise ValueError(f"a sparse matrix has the form {form!r} and the shape {tuple(shape)}")
    if any(part.ndim != 1 for part in (values, indices, ends)) or {indices.dtype.kind, ends.dtype.kind} - {*"iu"}:
        raise ValueError("the parts of a sparse matrix are not lists of numbers")
    n_lines, n_places = shape if form == "csr" else reversed(shape)
    if len(ends) != n_lines + 1:
        raise ValueError(f"a sparse matrix of shape {tuple(shape)} and form {form} has {len(ends)} ends")
    if ends[0] != 0 or ends[-1] != len(values) or (ends[1:] < ends[:-1]).any():
        raise ValueError(f"a sparse matrix of {len(values)} values has ends that do not rise from 0 to that")
    if len(indices) != len(values):
        raise ValueError(f"a sparse matrix has {len(values)} values at {len(indices)} places")
    if len(indices) and (indices.min() < 0 or indices.max() >= n_places):
        raise ValueError(
            f"a sparse matrix has values outside its {plural(n_places, 'column' if form == 'csr' else 'row')}"
        )
    purpose = f"keeping what is known of {plural(shape[0], 'row')} and {plural(shape[1], 'column')}"
    require_memory(BYTES_OF_A_LINE * sum(shape), purpose, "leave out those without values")


def check_found(X: Any) -> None:
    """The same of a matrix that a library has put together without looking; anything else is let through."""
    if hasattr(X, "indptr"):
        check_sparse(X.data, X.indices, X.indptr, X.shape, X.format)
