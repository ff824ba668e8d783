"""How the between-cluster covariance moves through time: a Wishart process that grows and loses rows.

Wishart in the "mean = scale" convention: A ~ W_ν(P) has mean P. P_t is A_{t−1} restricted to the clusters linked
into t, plus s on the diagonal for those born at t; deleting and adding rows is one rule.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetiwd.priors import Gamma

Floats = NDArray[np.float64]


def log_prior_geometry(
    A_by_epoch: Sequence[ArrayLike], lineage_ids_by_epoch: Sequence[ArrayLike], df_A: float, new_scale: float
) -> float:
    """Log density of A_1 … A_T given which of their rows are linked (paper, "Prior over A_t").

    Where some A_t has df_A + 1 rows or more, there is no such Wishart distribution, and −inf is returned.
    """
    total = 0.0
    A_before, lineages_before = np.empty((0, 0)), np.empty(0, dtype=int)
    for A, lineages in zip(A_by_epoch, lineage_ids_by_epoch, strict=True):
        A_now, lineages_now = np.asarray(A, dtype=float), np.asarray(lineages, dtype=int)
        if df_A <= len(A_now) - 1:
            return -np.inf
        total += log_wishart(A_now, prior_scale(A_before, lineages_before, lineages_now, new_scale), df_A)
        if total == -np.inf:  # such an A can be no scale of the next
            return total
        A_before, lineages_before = A_now, lineages_now
    return total


def prior_scale(A_before: Floats, lineages_before: ArrayLike, lineages_now: ArrayLike, new_scale: float) -> Floats:
    """P_t: yesterday's A for linked clusters, ``new_scale`` on the diagonal for new ones."""
    row_before = {lineage: row for row, lineage in enumerate(_distinct(lineages_before))}
    now = _distinct(lineages_now)
    linked = [c for c, lineage in enumerate(now) if lineage in row_before]
    source = [row_before[now[c]] for c in linked]
    P = new_scale * np.eye(len(now))
    P[np.ix_(linked, linked)] = np.asarray(A_before)[np.ix_(source, source)]
    return P


def log_wishart(A: ArrayLike, scale: ArrayLike, df: float) -> float:
    """Log density of A ~ W_df(scale) with mean = scale, all constants included; −inf where A is not positive."""
    from scipy.special import multigammaln

    A_, P = _symmetric("A", A), _symmetric("scale", scale)
    k = len(A_)
    if df <= k - 1:
        raise ValueError(f"a {k}×{k} Wishart matrix needs more than {k - 1} degrees of freedom, not {df:g}")
    try:
        log_det_A = _log_det(A_)
    except np.linalg.LinAlgError:
        return -np.inf
    return float(
        (df - k - 1) / 2 * log_det_A
        - df / 2 * np.trace(np.linalg.solve(P, A_))
        - df / 2 * (_log_det(P) + k * np.log(2 / df))
        - multigammaln(df / 2, k)
    )


def draw_row(A11: ArrayLike, scale: ArrayLike, df: float, rng: np.random.Generator) -> Floats:
    """Draw the last row of a (k+1)×(k+1) Wishart matrix given the k×k rest (paper Eq. 14): (A_21, A_22)."""
    A, (beta, residual) = _symmetric("A", A11), _regression(scale, df)
    k = len(A)
    noise = np.linalg.cholesky(A) @ rng.standard_normal(k)
    A12 = A @ beta + np.sqrt(residual / df) * noise
    schur = residual / df * rng.chisquare(df - k)
    return np.append(A12, schur + A12 @ np.linalg.solve(A, A12))


def log_row_density(A: ArrayLike, scale: ArrayLike, df: float) -> float:
    """Log density of the last row of A given the rest, the law of :func:`draw_row`; −inf where A is not positive."""
    A_, (beta, residual) = _symmetric("A", A), _regression(scale, df)
    A11, A12, k = A_[:-1, :-1], A_[:-1, -1], len(A_) - 1
    try:
        log_det = _log_det(A11)
    except np.linalg.LinAlgError:
        return -np.inf
    away, variance = A12 - A11 @ beta, residual / df
    log_normal = -0.5 * (k * np.log(2 * np.pi * variance) + log_det + away @ np.linalg.solve(A11, away) / variance)
    schur = A_[-1, -1] - A12 @ np.linalg.solve(A11, A12)
    return float(log_normal + Gamma((df - k) / 2, 2 * variance).log_density(schur))


def _regression(scale: ArrayLike, df: float) -> tuple[Floats, float]:
    """β = P₁₁⁻¹P₁₂ and P₂₂.₁ = P₂₂ − P₂₁β of a partitioned scale matrix, if df allow a row of its size."""
    P = _symmetric("scale", scale)
    k = len(P) - 1
    if df <= k:
        raise ValueError(
            f"a row of a {k + 1}×{k + 1} Wishart matrix needs more than {k} degrees of freedom, not {df:g}"
        )
    beta = np.linalg.solve(P[:-1, :-1], P[:-1, -1])
    return beta, float(P[-1, -1] - P[:-1, -1] @ beta)


def _symmetric(name: str, matrix: ArrayLike) -> NDArray[Any]:
    """The matrix as floats, if it is symmetric up to rounding."""
    M = np.asarray(matrix, dtype=float)
    if M.ndim != 2 or M.shape[0] != M.shape[1]:
        raise ValueError(f"{name} must be a square matrix, not of shape {M.shape}")
    gap = np.abs(M - M.T).max(initial=0)
    if not gap <= 1e-9 * np.abs(M).max(initial=0):
        raise ValueError(f"{name} is not symmetric: entries across its diagonal differ by {gap:.3g}")
    return M


def _distinct(lineage_ids: ArrayLike) -> list[int]:
    """Lineage ids as a list, none of them twice."""
    lineages = [int(lineage) for lineage in np.asarray(lineage_ids, dtype=int)]
    if len(set(lineages)) < len(lineages):
        raise ValueError(f"a lineage has one row of A at an epoch, but lineage ids repeat: {lineages}")
    return lineages


def _log_det(A: Floats) -> float:
    """Log determinant of a positive definite matrix."""
    return 2 * float(np.log(np.diagonal(np.linalg.cholesky(A))).sum())
