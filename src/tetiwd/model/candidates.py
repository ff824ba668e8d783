"""One object, all candidate clusters: the likelihood after joining each, by rank-one formulas in O(k) apiece.

State without the object, in the M-form of the collapsed likelihood:

    M = (αA⁻¹ + diag n)⁻¹, y = 1 − M n, w = nᵀy/α, Q = M S M, p = M S y
    log det⁺(W̃) = −(N − k) log α − log|A| + log|M| − log w + log N
    tr(W̃ D)     = −tr(M S)/α − yᵀS y/(α² w)

Joining cluster c with row sums r (r_b = distance from the object to all of cluster b) changes n_c by one and S by
the cross e_c rᵀ + r e_cᵀ, which are rank-one and rank-two; g = 1 + M_cc and κ = y_c / g.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CandidateTerms:
    """The pieces above for one epoch with one object taken out. Rows of A may belong to empty clusters."""

    alpha: float
    n_objects: float
    n_rows: int
    M: Floats  # (k, k)
    Q: Floats  # (k, k)
    y: Floats  # (k,)
    p: Floats  # (k,)
    log_det_M: float
    log_det_A: float
    total_y: float  # nᵀy = α w
    trace_MS: float
    ySy: float

    @classmethod
    def build(cls, counts: ArrayLike, block_sums: ArrayLike, A: ArrayLike, alpha: float) -> "CandidateTerms":
        """Everything from scratch, O(k³)."""
        n, S, A_ = (np.asarray(x, dtype=float) for x in (counts, block_sums, A))
        k = len(n)
        factor = np.linalg.cholesky(A_)
        inner = np.linalg.inv(alpha * np.eye(k) + factor.T @ (n[:, None] * factor))  # M = L (αI + LᵀnL)⁻¹ Lᵀ
        M = factor @ inner @ factor.T
        y = 1 - M @ n
        log_det_A = 2 * float(np.log(np.diagonal(factor)).sum())
        return cls(
            alpha=alpha,
            n_objects=float(n.sum()),
            n_rows=k,
            M=M,
            Q=M @ S @ M,
            y=y,
            p=M @ S @ y,
            log_det_M=log_det_A + float(np.linalg.slogdet(inner)[1]),
            log_det_A=log_det_A,
            total_y=float(n @ y),
            trace_MS=float(np.sum(M * S)),
            ySy=float(y @ S @ y),
        )

    def log_likelihood(self, dof: float) -> float:
        """Log likelihood of the objects that are in."""
        return float(self._combine(self.n_objects, self.total_y, self.log_det_M, self.trace_MS, self.ySy, dof))

    def log_likelihood_joining(self, row_sums: ArrayLike, dof: float) -> Floats:
        """Log likelihood after the object joins each of the k clusters, (k,)."""
        r = np.asarray(row_sums, dtype=float)
        g = 1 + np.diagonal(self.M)
        kappa = self.y / g
        Mr, Q_cc = self.M @ r, np.diagonal(self.Q)
        total_y = self.total_y + self.y**2 / g
        trace_MS = self.trace_MS + (2 * Mr - Q_cc) / g
        ySy = self.ySy - 2 * kappa * self.p + kappa**2 * Q_cc + 2 * kappa * (self.y @ r - kappa * Mr)
        return self._combine(self.n_objects + 1, total_y, self.log_det_M - np.log(g), trace_MS, ySy, dof)

    def _combine(self, n_objects: float, total_y: Any, log_det_M: Any, trace_MS: Any, ySy: Any, dof: float) -> Any:
        """Put the pieces together; scalars or arrays."""
        alpha, w = self.alpha, total_y / self.alpha
        log_det = (
            -(n_objects - self.n_rows) * np.log(alpha) - self.log_det_A + log_det_M - np.log(w) + np.log(n_objects)
        )
        return dof / 2 * log_det + dof / 4 * (-trace_MS / alpha - ySy / (alpha**2 * w))
