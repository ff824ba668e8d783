"""Were plain distances taken for squared ones, or the reverse? Signs that the other reading fits the numbers better.

Distances between points in few dimensions betray themselves: squared, they make a similarity matrix of low rank
without negative eigenvalues; read in the wrong way they do neither. And plain distances obey the triangle inequality,
which squared ones need not. In many dimensions (more than half the number of objects) nothing of this shows, and plain
distances that are taken for squared ones remain unnoticed.
"""

from dataclasses import dataclass

import numpy as np

from tetiwd.data.checks import Matrix
from tetiwd.data.negative_type import centred_similarity
from tetiwd.data.series import DistanceSeries

SAMPLE_SIZE = 400  # objects of an epoch that are looked at
FEWEST_OBJECTS = 10
CLEAN = 1e-3  # share of eigenvalue mass that rounded numbers may have in the wrong place
N_TRIPLES = 20_000
ROUNDED = 5e-3  # of the largest distance: differences that rounding in a file may have made
MUCH_NEGATIVE = 0.2  # share of eigenvalue mass; rounding alone can make half of it
SOME_NEGATIVE = 0.01  # the same, of numbers that look like shares
MANY_DETOURS = 1e-3  # share of triples in which the way round is shorter


@dataclass(frozen=True)
class Reading:
    """Eigenvalues of the similarity that a matrix of squared distances implies."""

    negative_share: float  # of the absolute eigenvalue mass
    rest_share: float  # the same beyond the largest half of the eigenvalues

    @property
    def few_dimensions(self) -> bool:
        """Points in fewer dimensions than half the number of objects have just these distances."""
        return self.negative_share < CLEAN and self.rest_share < CLEAN


def read_as_squared(D: Matrix) -> Reading:
    """What matrix of points, if any, has these squared distances?"""
    eigenvalues = np.linalg.eigvalsh(centred_similarity(D))
    mass = np.abs(eigenvalues).sum() or 1.0
    largest_first = np.sort(np.abs(eigenvalues))[::-1]
    return Reading(
        negative_share=float(-eigenvalues[eigenvalues < 0].sum() / mass),
        rest_share=float(largest_first[len(D) // 2 :].sum() / mass),
    )


def suspect_wrong_choice(series: DistanceSeries, squared: bool) -> str | None:
    """A sentence if the numbers look as if ``squared`` had been told the wrong way round; None if they do not."""
    if series.kind != "distances":
        return None
    sizes = np.array(series.n_objects)
    t = int(sizes.argmax())
    if sizes[t] < FEWEST_OBJECTS:
        return None
    D = np.asarray(series.sampled_distances(t, SAMPLE_SIZE)[1], dtype=float)
    other = D**2 if squared else np.sqrt(D)
    if read_as_squared(other).few_dimensions and not read_as_squared(D).few_dimensions:
        return _sentence(squared, "read the other way they are exactly those of points in a few dimensions")
    if squared:
        return None
    share = share_of_detours(np.sqrt(D))
    if share > MANY_DETOURS:
        return _sentence(squared, f"in {share:.1%} of all triples the way round is shorter than the direct way")
    negative = read_as_squared(D).negative_share
    if negative > MUCH_NEGATIVE and read_as_squared(other).negative_share < CLEAN:
        return _sentence(squared, f"no points have them as plain distances ({negative:.0%} of the mass is negative)")
    if D.max() <= 1 and negative > SOME_NEGATIVE and read_as_squared(other).negative_share < CLEAN:
        return _sentence(
            squared,
            f"they lie between 0 and 1, and no points have them as plain distances ({negative:.1%} of the mass is "
            "negative); Bray–Curtis, Jaccard, shares of differing sites and their kind count as squared distances",
        )
    return None


def share_of_detours(distances: Matrix) -> float:
    """Share of triples (i, j, k) with d_ij > d_ik + d_kj, over a fixed sample."""
    n = len(distances)
    i, j, k = np.random.default_rng(0).integers(n, size=(3, N_TRIPLES))
    different = (i != j) & (j != k) & (i != k)
    i, j, k = i[different], j[different], k[different]
    steps = np.diff(np.unique(distances))
    unit = float(steps[steps > 1e-9 * distances.max()].min(initial=np.inf))  # numbers were rounded to this at most
    slack = max(ROUNDED * float(distances.max()), 1.5 * unit if np.isfinite(unit) else 0.0)
    return float((distances[i, j] > distances[i, k] + distances[k, j] + slack).mean())


def _sentence(squared: bool, why: str) -> str:
    told, seem = ("squared", "plain") if squared else ("plain", "squared")
    return f"the numbers were said to be {told} distances, but may be {seem} ones: {why}"
