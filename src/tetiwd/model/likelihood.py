"""How probable the distances (or similarities) of one epoch are, given clusters, A and alpha.

The covariance of the objects is Σ = αI + Z A Zᵀ. With G = αI + n^½ A n^½ (k×k) every n×n quantity collapses:
Σ has N − k eigenvalues α and k eigenvalues of G. Distances do not see the direction 1 (a common shift of all
objects), which in the k×k picture is the direction √n; writing H for an orthonormal basis of its complement,

    log det⁺(W̃) = −(N − k) log α − log|HᵀGH|
    tr(W̃ D)     = −tr(S̃)/α + tr((HᵀGH)⁻¹ HᵀS̃H),      S̃ = n^−½ S n^−½.

Where clusters have spreads of their own, the variance within cluster c is α s_c. Then n_c / s_c and S_cb / (s_c s_b)
stand for sizes n and block sums S, of which the first sum to N′, and

    log det⁺(W̃) = −(N − k) log α − Σ n_c log s_c − log|HᵀGH| − log(N′ / N).

This equals the M-form kept by :mod:`tetiwd.model.candidates`, but never divides two small numbers, and a
translation A → A + 1vᵀ + v1ᵀ drops out up to rounding. Constants that depend on the data alone are left out.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def log_likelihood(
    D: ArrayLike, labels: ArrayLike, A: ArrayLike, alpha: float, dof: float, spreads: ArrayLike | None = None
) -> float:
    """Log likelihood of squared distances (equation 9 of the paper, collapsed): cost O(n²) once, then O(k³).

    Parameters
    ----------
    D : array_like, shape (n, n)
        Squared distances.
    labels : array_like of int, shape (n,)
        Cluster of every object, 0 … k − 1.
    A : array_like, shape (k, k)
        Inner products of the cluster centres.
    alpha : float
        Variance within clusters.
    dof : float
        Degrees of freedom.
    spreads : array_like, shape (k,), optional
        Spread of every cluster relative to alpha; all 1 if not given.

    Returns
    -------
    float
        The log likelihood, without its constant.

    Examples
    --------
    >>> import numpy as np
    >>> from tetiwd import log_likelihood
    >>> x = np.array([0.0, 0.1, 5.0, 5.1])
    >>> D = (x[:, None] - x) ** 2
    >>> A = 10 * np.eye(2)
    >>> apart = log_likelihood(D, [0, 0, 1, 1], A, alpha=0.1, dof=1)
    >>> mixed = log_likelihood(D, [0, 1, 0, 1], A, alpha=0.1, dof=1)
    >>> apart > mixed
    True
    """
    counts, block_sums = block_statistics(D, labels, len(np.asarray(A)))
    return log_likelihood_from_blocks(counts, block_sums, A, alpha, dof, spreads)


def log_likelihood_similarity(
    similarity: ArrayLike, labels: ArrayLike, A: ArrayLike, alpha: float, dof: float
) -> float:
    """Log likelihood of similarities under the Wishart–Dirichlet process (paper Eq. 5, collapsed)."""
    counts, block_sums = block_statistics(similarity, labels, len(np.asarray(A)))
    return log_likelihood_similarity_from_blocks(
        counts, block_sums, float(np.trace(np.asarray(similarity))), A, alpha, dof
    )


def log_likelihood_dense(
    D: ArrayLike, labels: ArrayLike, A: ArrayLike, alpha: float, dof: float, spreads: ArrayLike | None = None
) -> float:
    """Log likelihood of squared distances (paper Eq. 9) straight from the definition, O(n³). To compare with."""
    W = np.linalg.inv(_dense_covariance(labels, A, alpha, spreads))
    row_sums = W.sum(axis=1)
    W_tilde = W - np.outer(row_sums, row_sums) / row_sums.sum()
    nonzero = np.linalg.eigvalsh(W_tilde)[1:]  # W̃1 = 0: exactly one eigenvalue is zero, the smallest
    return float(dof / 2 * np.log(nonzero).sum() + dof / 4 * np.sum(W_tilde * np.asarray(D)))


def log_likelihood_similarity_dense(
    similarity: ArrayLike, labels: ArrayLike, A: ArrayLike, alpha: float, dof: float
) -> float:
    """Log likelihood of similarities (paper Eq. 5) straight from the definition, O(n³). To compare with."""
    covariance = _dense_covariance(labels, A, alpha)
    eigenvalues, vectors = np.linalg.eigh(covariance)
    rotated = vectors.T @ np.asarray(similarity) @ vectors
    return float(-dof / 2 * (np.log(eigenvalues).sum() + np.sum(np.diagonal(rotated) / eigenvalues)))


def block_statistics(D: ArrayLike, labels: ArrayLike, n_clusters: int) -> tuple[Floats, Floats]:
    """Cluster sizes and block sums S = Zᵀ D Z: all that the likelihood needs of the data."""
    matrix, assigned = np.asarray(D), _check_labels(labels, n_clusters)
    if matrix.ndim != 2 or matrix.shape != (len(assigned),) * 2:
        raise ValueError(f"{len(assigned)} labels do not fit a matrix of shape {matrix.shape}")
    counts = np.bincount(assigned, minlength=n_clusters).astype(float)
    row_sums = np.zeros((len(assigned), n_clusters))
    for c in range(n_clusters):
        row_sums[:, c] = matrix[:, assigned == c].sum(axis=1, dtype=float)
    block_sums = np.zeros((n_clusters, n_clusters))
    np.add.at(block_sums, assigned, row_sums)
    return counts, block_sums


def log_likelihood_from_blocks(
    counts: ArrayLike,
    block_sums: ArrayLike,
    A: ArrayLike,
    alpha: float,
    dof: float,
    spreads: ArrayLike | None = None,
) -> float:
    """Log likelihood of distances from sizes and block sums; what a "cluster" stands for is not its business."""
    sizes = np.asarray(counts, dtype=float)
    s = np.ones(len(sizes)) if spreads is None else np.asarray(spreads, dtype=float)
    n, scaled_sums, G = _occupied(sizes / s, np.asarray(block_sums) / np.outer(s, s), A, alpha)
    H = _complement(np.sqrt(n))
    factor = np.linalg.cholesky(H.T @ G @ H)
    N = sizes.sum()
    log_det = -(N - len(n)) * np.log(alpha) - 2 * np.log(np.diagonal(factor)).sum()
    log_det -= sizes @ np.log(s) + np.log(n.sum() / N)
    between = np.trace(_solve_cholesky(factor, H.T @ scaled_sums @ H))
    return float(dof / 2 * log_det + dof / 4 * (between - np.trace(scaled_sums) / alpha))


def log_likelihood_similarity_from_blocks(
    counts: ArrayLike, block_sums: ArrayLike, trace: float, A: ArrayLike, alpha: float, dof: float
) -> float:
    """Log likelihood of similarities from sizes, block sums Zᵀ K Z and the trace of K."""
    n, scaled_sums, G = _occupied(counts, block_sums, A, alpha)
    factor = np.linalg.cholesky(G)
    log_det = (n.sum() - len(n)) * np.log(alpha) + 2 * np.log(np.diagonal(factor)).sum()
    between = np.trace(_solve_cholesky(factor, scaled_sums))
    return float(-dof / 2 * (log_det + (trace - np.trace(scaled_sums)) / alpha + between))


def _occupied(counts: ArrayLike, block_sums: ArrayLike, A: ArrayLike, alpha: float) -> tuple[Floats, Floats, Floats]:
    """Sizes n, scaled sums n^−½ S n^−½ and G = αI + n^½ A n^½ of the clusters that have members."""
    n = np.asarray(counts, dtype=float)
    present = np.flatnonzero(n)
    n = n[present]
    root = np.sqrt(n)
    S = np.asarray(block_sums, dtype=float)[np.ix_(present, present)]
    A_present = np.asarray(A, dtype=float)[np.ix_(present, present)]
    return n, S / np.outer(root, root), alpha * np.eye(len(n)) + A_present * np.outer(root, root)


def _complement(vector: Floats) -> Floats:
    """Orthonormal basis (k, k−1) of everything orthogonal to a positive vector: a Householder reflection."""
    unit = vector / np.linalg.norm(vector)
    mirror = unit.copy()
    mirror[0] += 1.0  # unit[0] > 0, so nothing cancels
    reflection = np.eye(len(unit)) - 2 * np.outer(mirror, mirror) / (mirror @ mirror)
    return reflection[:, 1:]


def _solve_cholesky(factor: NDArray[Any], right: Floats) -> Floats:
    """(L Lᵀ)⁻¹ right."""
    return np.linalg.solve(factor.T, np.linalg.solve(factor, right))


def _dense_covariance(labels: ArrayLike, A: ArrayLike, alpha: float, spreads: ArrayLike | None = None) -> Floats:
    covariance = np.asarray(A, dtype=float)
    assigned = _check_labels(labels, len(covariance))
    own = np.ones(len(assigned)) if spreads is None else np.asarray(spreads, dtype=float)[assigned]
    return alpha * np.diag(own) + covariance[np.ix_(assigned, assigned)]


def _check_labels(labels: ArrayLike, n_clusters: int) -> NDArray[Any]:
    """Labels as an array, every one of which indexes a row of A."""
    assigned = np.asarray(labels)
    if len(assigned) and (assigned.min() < 0 or assigned.max() >= n_clusters):
        raise ValueError(f"labels must index the {n_clusters} rows of A; found {assigned.min()} to {assigned.max()}")
    return assigned
