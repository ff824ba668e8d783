"""Degrees of freedom of the likelihood: from the data, from the rank, or as given.

They say how much independent evidence a matrix of distances carries. Too many split clusters, too few merge them.
Two moment estimators look at different sides of that:

spectrum     PR = (Σλ)² / Σλ² of the centred similarity is the number of directions that matter; n objects in d
             equal directions have 1/PR ≈ 1/d + 1/n. Low when a few clusters dominate the spectrum.
dispersion   within one cluster D_ij / 2α is χ²_d / d, so mean² / variance of the squared distances within the
             clusters of a Ward cut is d/2. High when clusters have substructure that Ward takes apart.

"auto" is the smaller of the two (median over epochs): the cautious reading, which rather merges two clusters that
the data hardly separate than invents one. See `docs/explanation/degrees_of_freedom.md`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tetiwd.data.checks import Matrix
from tetiwd.data.negative_type import centred_similarity, rounding_noise
from tetiwd.errors import SettingsError
from tetiwd.params import check_positive

Dof = str | float | Sequence[float]

SAMPLE_SIZE = 2000  # objects used by the estimators; more change nothing but time
WARD_CLUSTERS = 10
MIN_OBJECTS = 6  # smaller epochs have no say in "auto"


def resolve_dof(dof: Dof, distances_by_epoch: Sequence[Matrix]) -> tuple[float, ...]:
    """One number per epoch from "auto", "spectrum", "dispersion", "rank", a number, or one number per epoch."""
    n_epochs = len(distances_by_epoch)
    if isinstance(dof, str):
        return _estimate(dof, distances_by_epoch)
    plain: Any = dof.tolist() if isinstance(dof, np.ndarray) else dof
    values = list(plain) if isinstance(plain, Sequence) else [plain] * n_epochs
    if len(values) != n_epochs:
        raise SettingsError(f"dof has {len(values)} values for {n_epochs} epochs; give one number or one per epoch")
    for t, value in enumerate(values):
        check_positive(f"dof (epoch {t})", value)
    return tuple(float(value) for value in values)


def _estimate(how: str, distances_by_epoch: Sequence[Matrix]) -> tuple[float, ...]:
    if how == "rank":
        return tuple(float(rank_dof(D)) for D in distances_by_epoch)
    estimators = {
        "spectrum": [spectrum_dof],
        "dispersion": [dispersion_dof],
        "auto": [spectrum_dof, dispersion_dof],
    }
    if how not in estimators:
        raise SettingsError(
            f'dof must be "auto", "rank", "spectrum", "dispersion", a number, or one number per epoch, not {how!r}'
        )
    samples = [_sample(D) for D in distances_by_epoch if len(D) >= MIN_OBJECTS and D.any()]
    if not samples:
        raise SettingsError(
            f"no epoch has {MIN_OBJECTS} objects that differ, which it takes to estimate dof; give a number"
        )
    value = min(float(np.median([estimate(D) for D in samples])) for estimate in estimators[how])
    return (max(1.0, value),) * len(distances_by_epoch)


def spectrum_dof(D: Matrix) -> float:
    """d̂ = 1 / (1/PR − 1/n), from the first two moments of the spectrum; no eigenvalue is computed."""
    K = centred_similarity(D)
    K /= np.trace(K)  # eigenvalues that sum to one have squares within the range of numbers
    inverse_ratio = float(np.sum(K * K))
    return 1 / max(inverse_ratio - 1 / len(D), 1 / len(D) ** 2)


def dispersion_dof(D: Matrix) -> float:
    """d̂ = 2 mean² / variance of the squared distances within the clusters of a Ward cut."""
    from scipy.cluster.hierarchy import fcluster, ward
    from scipy.spatial.distance import squareform

    n_clusters = min(WARD_CLUSTERS, len(D) // 3)
    condensed = squareform(np.asarray(D, dtype=float), checks=False)
    labels = fcluster(ward(np.sqrt(condensed)), n_clusters, criterion="maxclust")
    first, second = np.triu_indices(len(D), 1)
    within = condensed[labels[first] == labels[second]]
    mean = float(within.mean())
    variance = float((within / mean).var()) if mean > 0 else 0.0
    return 2 / variance if variance > 0 else np.inf


def rank_dof(D: Matrix) -> int:
    """Numerical rank of the centred similarity, the paper's suggestion; at most n − 1, and at least 1."""
    eigenvalues = np.linalg.eigvalsh(centred_similarity(D))
    return max(1, int((np.abs(eigenvalues) > rounding_noise(eigenvalues, D.dtype)).sum()))


def _sample(D: Matrix) -> Matrix:
    """At most SAMPLE_SIZE objects, always the same ones."""
    if len(D) <= SAMPLE_SIZE:
        return D
    chosen = np.sort(np.random.default_rng(0).choice(len(D), SAMPLE_SIZE, replace=False))
    return D[np.ix_(chosen, chosen)]
