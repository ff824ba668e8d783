"""Degrees of freedom of the likelihood: from the data, from the rank, or as given.

They say how much independent evidence a matrix of distances carries. Too many split clusters, too few merge them.
Two moment estimators look at different sides of that:

spectrum     PR = (Σλ)² / Σλ² of the centred similarity is the number of directions that matter; n objects in d
             equal directions have 1/PR ≈ 1/d + 1/n. Low when a few clusters dominate the spectrum.
dispersion   within one cluster D_ij / 2α is χ²_d / d, so mean² / variance of the squared distances within the
             clusters of a Ward cut is d/2. High when clusters have substructure that Ward takes apart.

"moments" is the smaller of the two (median over epochs): the cautious reading, which rather merges two clusters that
the data hardly separate than invents one. For Euclidean distances between features it is the spectrum, raised halfway
to the dispersion where that is higher, and no more than the number of columns that vary. Both estimators look at no
more than 2000 objects of an epoch, always the same ones, so that their time and memory do not grow with larger epochs;
only "rank" decomposes the whole matrix. A run with "auto" tries values around "moments". See
`docs/explanation/degrees_of_freedom.md`.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tetiwd.data.checks import Matrix, row_blocks
from tetiwd.data.negative_type import centred_similarity, check_room_for_eigenvalues, rounding_noise
from tetiwd.data.sampling import cut_tree, pairs, ward_tree
from tetiwd.errors import Setting, SettingsError, plural
from tetiwd.params import check_positive, check_way_to_dof

Dof = str | float | Sequence[float]
DistancesAt = Callable[[int, int], Matrix]  # squared distances of an epoch between at most so many of its objects

SAMPLE_SIZE = 2000  # objects used by the estimators; more change nothing but time
WARD_CLUSTERS = 10
MIN_OBJECTS = 6  # smaller epochs have no say in "moments"


def resolve_dof(
    dof: Dof, n_objects: Sequence[int], distances_at: DistancesAt, n_features: int | None = None
) -> tuple[float, ...]:
    """One number per epoch from "moments", "spectrum", "dispersion", "rank", a number, or one number per epoch."""
    n_epochs = len(n_objects)
    if isinstance(dof, str):
        return _estimate(dof, n_objects, distances_at, n_features)
    plain: Any = dof.tolist() if isinstance(dof, np.ndarray) else dof
    values = list(plain) if isinstance(plain, Sequence) else [plain] * n_epochs
    if len(values) != n_epochs:
        raise SettingsError(
            [Setting("dof"), f" has {plural(len(values), 'value')} for {plural(n_epochs, 'epoch')}"],
            "give one number or one per epoch",
        )
    for t, value in enumerate(values):
        check_positive(f"dof (epoch {t})", value)
    return tuple(float(value) for value in values)


def _estimate(
    how: str, n_objects: Sequence[int], distances_at: DistancesAt, n_features: int | None
) -> tuple[float, ...]:
    check_way_to_dof(how)
    if how == "rank":
        return tuple(float(rank_dof(distances_at(t, n))) for t, n in enumerate(n_objects))
    return dof_from(how, [moments_of(distances_at(t, SAMPLE_SIZE)) for t in range(len(n_objects))], n_features)


def moments_of(D: Matrix) -> tuple[float, float] | None:
    """The two estimates from the squared distances of one epoch, or of a sample of it; None if there are too few."""
    return (spectrum_dof(D), dispersion_dof(D)) if len(D) >= MIN_OBJECTS and D.any() else None


def dof_from(
    how: str, moments: Sequence[tuple[float, float] | None], n_features: int | None = None
) -> tuple[float, ...]:
    """One number per epoch from the estimates of all of them."""
    by_epoch = [found for found in moments if found is not None]
    if not by_epoch and how == "moments" and n_features is not None:
        return (float(n_features),) * len(moments)
    if not by_epoch:
        raise SettingsError(
            ["no epoch has ", f"{MIN_OBJECTS} different objects, which estimating ", Setting("dof"), " takes"],
            ["give a number with ", Setting("dof")],
        )
    spectrum, dispersion = np.median(by_epoch, axis=0).tolist()
    if how == "moments":
        value = min(spectrum, dispersion) if n_features is None else halfway(spectrum, dispersion, n_features)
    else:
        value = {"spectrum": spectrum, "dispersion": dispersion}[how]
    return (max(1.0, value),) * len(moments)


def halfway(spectrum: float, dispersion: float, n_features: int) -> float:
    """From the spectrum halfway to the dispersion where that is higher, and no more than there are features."""
    return min(float(n_features), max(spectrum, (spectrum + dispersion) / 2))


def spectrum_dof(D: Matrix) -> float:
    """d̂ = 1 / (1/PR − 1/n), from the first two moments of the spectrum; no eigenvalue is computed."""
    n, means = len(D), np.concatenate([block.mean(axis=1, dtype=float) for _, block in row_blocks(D)])
    mean = float(means.mean())
    trace = n * mean / 2
    inverse_ratio = 0.0
    for rows, block in row_blocks(D):
        K = means[rows, None] + means
        K -= mean
        K -= block
        K /= 2 * trace  # eigenvalues that sum to one have squares within the range of numbers
        inverse_ratio += float(np.vdot(K, K))
    return 1 / max(inverse_ratio - 1 / n, 1 / n**2)


def dispersion_dof(D: Matrix) -> float:
    """d̂ = 2 mean² / variance of the squared distances within the clusters of a Ward cut."""
    labels = cut_tree(ward_tree(D), min(WARD_CLUSTERS, len(D) // 3))
    together = np.concatenate([labels[i + 1 :] == label for i, label in enumerate(labels)])
    within = pairs(D)[together]
    mean = float(within.mean())
    within /= mean or 1.0
    variance = float(within.var())
    return 2 / variance if variance > 0 else np.inf


def rank_dof(D: Matrix) -> int:
    """Numerical rank of the centred similarity, the paper's suggestion; at most n − 1, and at least 1."""
    check_room_for_eigenvalues(len(D))
    eigenvalues = np.linalg.eigvalsh(centred_similarity(D))
    return max(1, int((np.abs(eigenvalues) > rounding_noise(eigenvalues, D.dtype)).sum()))
