"""Distances between aligned sequences: the number of sites where both are known and differ.

Letters become small numbers. Whether they are nucleotides or amino acids is decided by all letters of the input: if
every one of them is a nucleotide or one of the codes for several nucleotides (IUPAC, and X), it is nucleotides, of
which A, C, G and T (or U) are known; otherwise it is amino acids, of which the twenty usual ones are known.
"""

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.checks import Matrix, row_blocks
from tetiwd.errors import DataError
from tetiwd.memory import SMALLER_DATA, require_memory

NUCLEOTIDES, AMINO_ACIDS = ("A", "C", "G", "TU"), tuple("ACDEFGHIKLMNPQRSTVWY")
SEVERAL_NUCLEOTIDES = "RYSWKMBDHVNX"
GAPS = "-.?*~"
UNKNOWN = 255
BLOCK = 1 << 22  # letters looked at together
EXACT_IN_FLOAT32 = 1 << 24

Letters = NDArray[np.uint8]  # (n, sites): bytes, or small numbers


def letters_in(text: Letters) -> set[str]:
    """All characters of an alignment, in capital letters."""
    counts = np.zeros(256, dtype=np.int64)
    flat = text.reshape(-1)
    for start in range(0, flat.size, BLOCK):
        counts += np.bincount(flat[start : start + BLOCK], minlength=256)
    return {chr(code).upper() for code in np.flatnonzero(counts)}


def are_nucleotides(letters: set[str]) -> bool:
    """Whether an alignment with these letters holds nucleotides."""
    return letters <= {*"".join(NUCLEOTIDES), *SEVERAL_NUCLEOTIDES, *GAPS}


def encode(text: Letters, nucleotides: bool) -> Letters:
    """Letters as small numbers in place, 255 for those that are not known."""
    table = np.full(256, UNKNOWN, dtype=np.uint8)
    for code, same in enumerate(NUCLEOTIDES if nucleotides else AMINO_ACIDS):
        for letter in same:
            table[ord(letter)] = table[ord(letter.lower())] = code
    flat = text.reshape(-1)
    for start in range(0, flat.size, BLOCK):
        flat[start : start + BLOCK] = table[flat[start : start + BLOCK]]
    return text


def sequence_distances(codes: Letters, metric: str, dtype: str) -> Matrix:
    """Sites where both are known and differ: their number ("hamming") or share of the sites known ("p-distance")."""
    n, n_sites = codes.shape
    kept = np.dtype(np.float64 if n_sites >= EXACT_IN_FLOAT32 else dtype)
    matrices = 1 if metric == "hamming" else 2
    require_memory(matrices * kept.itemsize * n * n, f"keeping the distances between {n} sequences", SMALLER_DATA)
    D = np.zeros((n, n), kept)
    known_in_both = None if metric == "hamming" else np.zeros((n, n), kept)
    for start in range(0, n_sites, max(1, BLOCK // max(1, n))):
        block = codes[:, start : start + max(1, BLOCK // max(1, n))]
        differs = _sites_that_differ(block)
        _add_products(D, block[:, differs], less_equal=True)
        if known_in_both is not None:
            _add_products(known_in_both, block, less_equal=False)
    if known_in_both is None:
        return D
    for rows, counts in row_blocks(known_in_both):
        if not counts.all():
            i, j = np.argwhere(counts == 0)[0]
            raise NoSharedSite(rows.start + int(i), int(j))
        D[rows] /= counts
    return D


class NoSharedSite(DataError):
    """Two sequences have no known site in common."""

    def __init__(self, i: int, j: int) -> None:
        super().__init__(f"sequences {i} and {j} have no site at which both are known")
        self.pair = i, j


def _sites_that_differ(block: Letters) -> NDArray[np.bool_]:
    """Sites at which two sequences differ; the others add nothing."""
    largest_known = np.where(block == UNKNOWN, 0, block).max(axis=0)
    return block.min(axis=0) < largest_known


def _add_products(total: Matrix, block: Letters, *, less_equal: bool) -> None:
    """Add sites known in both, and take off those that are equal; counts of a block are exact in float32."""
    if block.shape[1] == 0:
        return
    terms = [(1, block != UNKNOWN)]
    if less_equal:
        terms += [(-1, block == state) for state in np.unique(block) if state != UNKNOWN]
    for sign, where in terms:
        indicator = where.astype(np.float32)
        for rows, target in row_blocks(total):
            target += sign * (indicator[rows] @ indicator.T)
