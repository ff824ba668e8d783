"""The largest entries of the rows of a sparse matrix, with ties broken the same way on every machine."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


def best_of_rows(values: "csr_matrix", at_most: int, first: int) -> tuple[Ints, Floats]:
    """Columns and values of the largest entries of every row, largest first; −1 and 0 where a row has fewer.

    The rows are ``first``, ``first + 1``, … of a square matrix. Among equal values the column that comes next after
    the number of the row wins, in a circle: no column is favoured by all rows.
    """
    n_rows, n = values.shape
    columns = np.full((n_rows, at_most), -1, dtype=np.int32)
    largest = np.zeros((n_rows, at_most))
    ends = values.indptr.tolist()
    for row in range(n_rows):
        entries = slice(ends[row], ends[row + 1])
        where, value = values.indices[entries], values.data[entries]
        if len(value) > at_most:
            least = np.partition(value, len(value) - at_most)[len(value) - at_most]
            kept = np.flatnonzero(value >= least)
            where, value = where[kept], value[kept]
        order = np.lexsort(((where - (first + row)) % n, -value))[:at_most]
        columns[row, : len(order)] = where[order]
        largest[row, : len(order)] = value[order]
    return columns, largest
