"""Is a matrix a squared Euclidean distance at all? The report, and two repairs when it is not quite.

D is of negative type when K = −½ Q D Q (Q centres) has no negative eigenvalues. Real dissimilarities often miss
this by a little; the share of negative eigenvalue mass says by how much.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Repair = Literal["shift", "clip"]


@dataclass(frozen=True)
class NegativeType:
    """Eigenvalues of the (centred) similarity of one epoch, summed up."""

    time: Any
    n_objects: int
    n_negative: int  # eigenvalues below rounding noise
    negative_share: float  # Σ|λ⁻| / Σ|λ|, 0 for a squared Euclidean distance
    smallest: float
    largest: float

    @property
    def holds(self) -> bool:
        """True if no eigenvalue is negative beyond rounding."""
        return self.n_negative == 0

    def __str__(self) -> str:
        if self.holds:
            return f"{self.time}: squared Euclidean ({self.n_objects} objects)"
        return (
            f"{self.time}: {self.negative_share:.1%} of the eigenvalue mass is negative "
            f"({self.n_negative} of {self.n_objects} eigenvalues, the smallest {self.smallest:.3g})"
        )


def inspect(similarity: Floats, time: Any) -> NegativeType:
    """Eigenvalue summary of a symmetric matrix."""
    eigenvalues = np.linalg.eigvalsh(similarity)
    mass = float(np.abs(eigenvalues).sum())
    noise = len(eigenvalues) * np.finfo(float).eps * float(np.abs(eigenvalues).max())
    negative = eigenvalues[eigenvalues < -100 * noise]
    return NegativeType(
        time=time,
        n_objects=len(eigenvalues),
        n_negative=len(negative),
        negative_share=float(-negative.sum() / mass) if mass else 0.0,
        smallest=float(eigenvalues[0]),
        largest=float(eigenvalues[-1]),
    )


def centred_similarity(D: NDArray[np.floating[Any]]) -> Floats:
    """K = −½ Q D Q: dot products around the centre of gravity."""
    K = -0.5 * np.asarray(D, dtype=float)
    K -= K.mean(axis=0)
    K -= K.mean(axis=1, keepdims=True)
    return K


def distances_from(similarity: NDArray[np.floating[Any]]) -> Floats:
    """D_ij = K_ii + K_jj − 2 K_ij."""
    K = np.asarray(similarity, dtype=float)
    lengths = np.diagonal(K)
    D = lengths[:, None] + lengths[None, :] - 2 * K
    np.fill_diagonal(D, 0)
    return np.maximum(D, 0, out=D)


def shift_distances(D: NDArray[np.floating[Any]], smallest_eigenvalue: float) -> Floats:
    """Add −2λ_min to every off-diagonal distance: the least constant that makes D of negative type."""
    shifted = np.asarray(D, dtype=float) + max(0.0, -2 * smallest_eigenvalue)
    np.fill_diagonal(shifted, 0)
    return shifted


def clip(similarity: Floats) -> Floats:
    """Set negative eigenvalues to zero."""
    eigenvalues, vectors = np.linalg.eigh(similarity)
    clipped = (vectors * np.maximum(eigenvalues, 0)) @ vectors.T
    return (clipped + clipped.T) / 2
