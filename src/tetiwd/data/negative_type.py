"""Is a matrix a squared Euclidean distance at all? The report, and two repairs when it is not quite.

D is of negative type when K = −½ Q D Q (Q centres) has no negative eigenvalues. Real dissimilarities often miss
this by a little; the share of negative eigenvalue mass says by how much.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tetiwd.data.checks import Matrix, Place, row_blocks, tolerance
from tetiwd.errors import Setting, give
from tetiwd.memory import SMALLER_DATA, require_memory

Floats = NDArray[np.float64]
Kind = Literal["distances", "similarities"]
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


def inspect(matrix: Matrix, kind: Kind, time: Any = None) -> NegativeType:
    """Eigenvalue summary of squared distances (centred) or of similarities."""
    check_room_for_eigenvalues(len(matrix))
    eigenvalues = np.linalg.eigvalsh(similarity_of(matrix, kind))
    mass = float(np.abs(eigenvalues).sum())
    noise = 10 * rounding_noise(eigenvalues, matrix.dtype)  # distances are often computed in that precision, too
    negative = eigenvalues[eigenvalues < -noise]
    return NegativeType(
        time=time,
        n_objects=len(eigenvalues),
        n_negative=len(negative),
        negative_share=float(np.abs(negative).sum() / mass) if mass else 0.0,
        smallest=float(eigenvalues[0]),
        largest=float(eigenvalues[-1]),
    )


def repaired(matrices: Sequence[Matrix], kind: Kind, how: Repair) -> list[Matrix]:
    """The matrices without negative eigenvalues: as they are, if none is negative beyond rounding."""
    reports = [inspect(matrix, kind) for matrix in matrices]
    if all(report.holds for report in reports):
        return list(matrices)
    if how == "shift":
        shift = shift_distances if kind == "distances" else shift_similarities
        smallest = min(report.smallest for report in reports)
        return [shift(matrix, smallest) for matrix in matrices]
    clipped = [clip(similarity_of(matrix, kind)) for matrix in matrices]
    return clipped if kind == "similarities" else [distances_from(K, Place("the clipped matrix")) for K in clipped]


def rounding_noise(eigenvalues: Matrix, dtype: DTypeLike) -> float:
    """How far rounding the n × n entries to ``dtype`` moves an eigenvalue, at most."""
    return len(eigenvalues) * float(np.finfo(dtype).eps) * float(np.abs(eigenvalues).max())


def check_room_for_eigenvalues(n: int) -> None:
    """Refuse eigenvalues of a matrix that does not fit twice; the routine works on a copy."""
    require_memory(2 * 8 * n**2, f"finding the eigenvalues of {n} objects", "use a sample of the objects")


def similarity_of(matrix: Matrix, kind: Kind) -> Floats:
    """Dot products in double precision; those of distances are around the centre of gravity."""
    return centred_similarity(matrix) if kind == "distances" else np.asarray(matrix, dtype=float)


def centred_similarity(D: Matrix) -> Floats:
    """K = −½ Q D Q: dot products around the centre of gravity."""
    K = np.multiply(D, -0.5, dtype=float)
    K -= K.mean(axis=0)
    K -= K.mean(axis=1, keepdims=True)
    return K


def distances_from(similarity: Matrix, place: Place) -> Matrix:
    """D_ij = K_ii + K_jj − 2 K_ij in the precision of K; below zero only by rounding, which is removed."""
    require_memory(similarity.nbytes, f"turning similarities of {len(similarity)} objects into distances", SMALLER_DATA)
    lengths = np.diagonal(similarity).astype(float)
    D = np.empty_like(similarity, order="C")
    for rows, K in row_blocks(similarity):
        D[rows] = lengths[rows, None] + lengths - 2 * K.astype(float)
    smallest = D.min()
    if smallest < -4 * tolerance(similarity):  # D_ij adds four entries of K
        pair = place.pair(*np.argwhere(smallest == D)[0])
        place.fail(
            f"gives a negative squared distance at {pair}: {smallest:.6g}",
            [
                "these are not dot products: ",
                give("repair", "shift", python='call repair("shift")'),
                " or ",
                Setting("repair", "clip", python='repair("clip")'),
                " first",
            ],
        )
    return np.maximum(D, 0, out=D)


def shift_distances(D: Matrix, smallest_eigenvalue: float) -> Matrix:
    """Add −2λ_min to every off-diagonal distance: the least constant that makes D of negative type."""
    shifted = np.asarray(D, dtype=float) - 2 * smallest_eigenvalue
    np.fill_diagonal(shifted, 0)
    return shifted


def shift_similarities(K: Matrix, smallest_eigenvalue: float) -> Matrix:
    """Add −λ_min to every squared length: the least constant that leaves no negative eigenvalue."""
    return np.asarray(K, dtype=float) - smallest_eigenvalue * np.eye(len(K))


def clip(similarity: Floats) -> Matrix:
    """Set negative eigenvalues to zero."""
    eigenvalues, vectors = np.linalg.eigh(similarity)
    clipped = (vectors * np.maximum(eigenvalues, 0)) @ vectors.T
    return (clipped + clipped.T) / 2
