"""One object, all candidate clusters: the likelihood after joining each, by rank-one formulas in O(k) apiece.

State before the change, in the M-form of the collapsed likelihood:

    M = (αA⁻¹ + diag n)⁻¹, y = 1 − M n, w = nᵀy/α, Q = M S M, p = M S y
    log det⁺(W̃) = −(N − k) log α − log|A| + log|M| − log w + log N
    tr(W̃ D)     = −tr(M S)/α − yᵀS y/(α² w)

An object with row sums r (r_b = distance from it to all others of cluster b) that joins cluster c (sign σ = 1) or
leaves it (σ = −1) adds σ to n_c and σ(e_c rᵀ + r e_cᵀ) to S, which are rank-one and rank-two. With m = M e_c,
q = Q e_c, g = 1 + σ M_cc, κ = y_c / g and v = Mr − σ m (Mr)_c / g

    M → M − σ m mᵀ/g,   y → y − σ κ m,   log|M| → log|M| − log g,   nᵀy → nᵀy + σ κ y_c
    Q → Q + σ (m (v − q)ᵀ + (v − q) mᵀ)/g + Q_cc m mᵀ/g²
    p → p + σ κ (v − q) + (κ Q_cc − σ p_c + σ yᵀr − κ (Mr)_c) m/g
    tr(MS) → tr(MS) + σ (2(Mr)_c − Q_cc)/g
    yᵀSy → yᵀSy − 2σ κ p_c + κ² Q_cc + 2κ (σ yᵀr − κ (Mr)_c).
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CandidateTerms:
    """The pieces above for the objects of one epoch that are in. Rows of A may belong to empty clusters."""

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
        return float(self._combine(dof, self.n_objects, self.total_y, self.log_det_M, self.trace_MS, self.ySy))

    def log_likelihood_joining(self, row_sums: ArrayLike, dof: float) -> Floats:
        """Log likelihood after the object joins each of the k clusters, (k,)."""
        r = np.asarray(row_sums, dtype=float)
        return self._combine(dof, **self._sums_after(slice(None), r, self.M @ r, 1))

    def after(self, cluster: int, row_sums: ArrayLike, sign: Literal[1, -1]) -> "CandidateTerms":
        """The terms after one object joins (sign 1) or leaves (−1) one cluster, O(k²)."""
        r, c = np.asarray(row_sums, dtype=float), cluster
        m, g, Mr = self.M[:, c], 1 + sign * self.M[c, c], self.M @ r
        kappa, Q_cc = self.y[c] / g, self.Q[c, c]
        moved = Mr - sign * Mr[c] / g * m - self.Q[:, c]  # v − q
        cross = np.outer(m, moved)
        towards_m = kappa * Q_cc - sign * self.p[c] + sign * (self.y @ r) - kappa * Mr[c]
        return replace(
            self,
            M=self.M - sign / g * np.outer(m, m),
            Q=self.Q + sign / g * (cross + cross.T) + Q_cc / g**2 * np.outer(m, m),
            y=self.y - sign * kappa * m,
            p=self.p + sign * kappa * moved + towards_m / g * m,
            **self._sums_after(c, r, Mr, sign),
        )

    def _sums_after(self, c: int | slice, r: Floats, Mr: Floats, sign: int) -> dict[str, Any]:
        """The scalar pieces after a change of cluster c, or arrays of them for several."""
        g = 1 + sign * np.diagonal(self.M)[c]
        kappa, Q_cc = self.y[c] / g, np.diagonal(self.Q)[c]
        return {
            "n_objects": self.n_objects + sign,
            "total_y": self.total_y + sign * kappa * self.y[c],
            "log_det_M": self.log_det_M - np.log(g),
            "trace_MS": self.trace_MS + sign * (2 * Mr[c] - Q_cc) / g,
            "ySy": self.ySy
            - 2 * sign * kappa * self.p[c]
            + kappa**2 * Q_cc
            + 2 * kappa * (sign * (self.y @ r) - kappa * Mr[c]),
        }

    def _combine(self, dof: float, n_objects: float, total_y: Any, log_det_M: Any, trace_MS: Any, ySy: Any) -> Any:
        """Put the pieces together; scalars or arrays."""
        alpha, w = self.alpha, total_y / self.alpha
        log_det = (
            -(n_objects - self.n_rows) * np.log(alpha) - self.log_det_A + log_det_M - np.log(w) + np.log(n_objects)
        )
        return dof / 2 * log_det + dof / 4 * (-trace_MS / alpha - ySy / (alpha**2 * w))
