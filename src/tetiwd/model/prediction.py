"""One more object: how probable its distances to the objects of an epoch are, for every cluster it may belong to.

Given the others, an object of cluster c is Gaussian in each of d dimensions. Its mean is a weighted mean of the others
in which every member of cluster b has weight u_b, and its variance is v. With M = (αA⁻¹ + diag n)⁻¹ and y = 1 − Mn,

    distances      u = M e_c + y y_c / nᵀy,   v = α (1 + M_cc + y_c² / nᵀy),   q = uᵀr − uᵀSu / 2
    similarities   u = M e_c,                 v = α (1 + M_cc),                q = K_** − 2uᵀr + uᵀSu

where r_b sums the distances (similarities) from the object to cluster b, S are the block sums, K_** its own similarity,
and q the squared distance to that mean over d. The log likelihood of the epoch grows by −(d/2)(log v + q/v), up to a
constant. For distances the weights sum to one over all objects: where the origin is does not matter. If clusters have
spreads s of their own (distances only), n is n_b/s_b in all of this, u_b is divided by s_b, and 1 + M_cc is s_c + M_cc.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Prediction:
    """The law of one more object for several clusters."""

    weights: Floats  # (k, clusters) weight of a member of every cluster in the mean of the object
    variance: Floats  # (clusters,)
    offset: Floats  # (clusters,) uᵀSu, or one row per object
    similarity: bool

    def log_density(self, row_sums: ArrayLike, dof: float, own: ArrayLike = 0.0) -> Floats:
        """Log density of objects with these row sums (m, k), up to a constant; (m, clusters).

        ``own`` is the similarity of every object with itself, where the data are similarities.
        """
        towards = np.asarray(row_sums, dtype=float) @ self.weights
        if self.similarity:
            squared = np.asarray(own, dtype=float).reshape(-1, 1) - 2 * towards + self.offset
        else:
            squared = towards - self.offset / 2
        return -dof / 2 * (np.log(self.variance) + squared / self.variance)

    def leaving(self, cluster: int, row_sums: ArrayLike, own: ArrayLike = 0.0) -> "Prediction":
        """The same for objects of the epoch itself, members of one cluster, each taken out of the block sums.

        The counts that made this law are without the object. ``row_sums`` (m, k) are over the others.
        """
        u = self.weights[cluster]
        towards = np.asarray(row_sums, dtype=float) @ self.weights
        own_part = np.asarray(own, dtype=float).reshape(-1, 1) * u**2
        return replace(self, offset=self.offset - 2 * u * towards - own_part)


def predict(
    counts: ArrayLike,
    block_sums: ArrayLike,
    A: ArrayLike,
    alpha: float,
    *,
    spreads: ArrayLike | None = None,
    similarity: bool = False,
) -> Prediction:
    """The law of one more object for every row of A; rows of A beyond ``counts`` are clusters without members."""
    A_ = np.asarray(A, dtype=float)
    k, extra = len(A_), len(A_) - len(np.asarray(counts))
    s = np.ones(k) if spreads is None else np.asarray(spreads, dtype=float)
    n = np.pad(np.asarray(counts, dtype=float), (0, extra)) / s
    S = np.asarray(block_sums, dtype=float)
    M = _inverse(n, A_, alpha)
    weights, variance = M.copy(), alpha * (s + np.diagonal(M))
    if not similarity:
        y = 1 - M @ n
        total = n @ y
        weights += np.outer(y, y) / total
        variance = variance + alpha * y**2 / total
    seen = (weights / s[:, None])[: k - extra]
    return Prediction(seen, variance, np.einsum("bc,bd,dc->c", seen, S, seen), similarity)


def predict_first(
    counts: ArrayLike,
    block_sums: ArrayLike,
    A: ArrayLike,
    alpha: float,
    rows: ArrayLike,
    residuals: ArrayLike,
    *,
    spreads: ArrayLike | None = None,
    own_spreads: ArrayLike = 1.0,
    similarity: bool = False,
) -> Prediction:
    """The law of one more object that is the first of its cluster, for several rows that cluster may have in A.

    A row is a = A h with residual variance s = a_cc − hᵀa; give h as the rows of ``rows``, (m, k), and s, (m,). With
    M as above the weights are Mh and the variance is α(1 + hᵀMh) + s; for distances y_c is 1 − nᵀMh. The spreads of
    these clusters are ``own_spreads``, (m,).
    """
    n, S, A_ = (np.asarray(x, dtype=float) for x in (counts, block_sums, A))
    s = np.ones(len(n)) if spreads is None else np.asarray(spreads, dtype=float)
    n = n / s
    h = np.asarray(rows, dtype=float).T
    M = _inverse(n, A_, alpha)
    weights = M @ h
    variance = alpha * (np.asarray(own_spreads) + (h * weights).sum(axis=0)) + np.asarray(residuals, dtype=float)
    if not similarity:
        y, y_new = 1 - M @ n, 1 - n @ weights
        total = n @ y
        weights = weights + np.outer(y, y_new) / total
        variance = variance + alpha * y_new**2 / total
    weights = weights / s[:, None]
    return Prediction(weights, variance, np.einsum("bc,bd,dc->c", weights, S, weights), similarity)


def _inverse(n: Floats, A: Floats, alpha: float) -> Floats:
    """M = (αA⁻¹ + diag n)⁻¹ = L (αI + LᵀnL)⁻¹ Lᵀ with A = LLᵀ; n may be 0."""
    L = np.linalg.cholesky(A)
    return np.asarray(L @ np.linalg.solve(alpha * np.eye(len(A)) + L.T @ (n[:, None] * L), L.T))
