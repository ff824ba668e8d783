"""Assignment of clusters to their successors at least cost, where having none has a cost, too."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def assign(squared: Floats, gate: float) -> NDArray[np.int64]:
    """Column of every row, −1 for none: the least sum of squared distances, where having none costs the squared gate.

    Without a gate, having none costs more than all the rest together, so that as many as possible have one. Pairs
    whose distance is NaN are not assigned.
    """
    from scipy.optimize import linear_sum_assignment

    k, m = squared.shape
    finite = squared[np.isfinite(squared)]
    none = gate**2 if gate < np.inf else 3 * float(np.abs(finite).sum()) or 1.0
    costs = np.hstack([np.where(squared <= none, squared, np.inf), np.full((k, k), none)])
    columns = linear_sum_assignment(costs)[1]
    return np.where(columns < m, columns, -1)
