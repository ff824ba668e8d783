"""All objects of all epochs as points in one space, from cross-time distances D* (kernel PCA, classical scaling).

The points serve to tell where clusters are. They are not for finding clusters: that needs no points.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.checks import Matrix, Place, row_blocks
from tetiwd.data.feature_distances import FeatureDistances
from tetiwd.data.negative_type import centred_similarity, rounding_noise
from tetiwd.data.prepare import prepare_distances
from tetiwd.data.series import DistanceSeries
from tetiwd.errors import DataError
from tetiwd.memory import SMALLER_DATA, require_memory
from tetiwd.params import check_whole

Floats = NDArray[np.float64]

MOST_FOR_ALL_EIGENVALUES = 2000  # objects; beyond them only the largest eigenvalues are computed
N_LARGEST = 50  # components that are kept then, unless told otherwise
N_SPARE = 10  # columns more than components in every block of the iteration
N_BLOCKS = 9


@dataclass(frozen=True, eq=False, repr=False)
class Embedding:
    """Objects of all epochs as points in one space, from :func:`embed`. Axes come in order of their variance."""

    points: Floats  # (N, q), epochs one after the other
    n_objects: tuple[int, ...]
    times: tuple[Any, ...]
    eigenvalues: Floats  # (q,) of the components that are kept
    explained: float  # share of the positive eigenvalue mass that is kept; an upper bound if negative_share is None
    negative_share: float | None  # Σ|λ⁻| / Σ|λ|, 0 for Euclidean distances; None if not all eigenvalues are known

    @property
    def coordinates(self) -> list[Floats]:
        """The points of every epoch, T × (n_t, q)."""
        return np.split(self.points, np.cumsum(self.n_objects)[:-1])

    @property
    def n_components(self) -> int:
        """Number of axes q."""
        return self.points.shape[1]

    def __repr__(self) -> str:
        share = f"{'at most ' * (self.negative_share is None)}{self.explained:.1%} of the positive eigenvalue mass"
        return f"Embedding({len(self.points)} objects in {self.n_components} dimensions; {share})"


def embed(series_or_cross: DistanceSeries | Any, *, n_components: int | None = None, seed: int = 0) -> Embedding:
    """Points whose squared distances are D*, as far as they are Euclidean (kernel PCA, classical scaling).

    Parameters
    ----------
    series_or_cross : DistanceSeries or ndarray of shape (N, N)
        A series with cross-time distances, or D* itself (squared distances) as one epoch.
    n_components : int, optional
        Most axes to keep. None keeps every positive eigenvalue for up to 2000 objects, and the 50 largest beyond
        that. Of more than 2000 objects only the largest are computed (unless you ask for about a tenth of them all):
        memory then stays near that of D*, and the last axes are less exact than the first.
    seed : int
        Seed of the start of that computation.

    Returns
    -------
    Embedding
        ``points`` is (N, q); ``coordinates`` has the points of every epoch.

    Examples
    --------
    >>> from tetiwd import embed, simulate_separated
    >>> space = embed(simulate_separated(seed=1).cross, n_components=2)
    >>> space.points.shape
    (100, 2)
    """
    if n_components is not None:
        check_whole("n_components", n_components, 1)
    if isinstance(series_or_cross, DistanceSeries):
        series = series_or_cross
        return as_points(cross_of(series), series.n_objects, series.times, n_components, seed)
    cross = prepare_distances(series_or_cross, Place("D*"), True, None, 1, False)
    return as_points(cross, (len(cross),), (0,), n_components, seed)


def as_points(
    cross: Matrix, n_objects: tuple[int, ...], times: tuple[Any, ...], n_components: int | None = None, seed: int = 0
) -> Embedding:
    """The embedding of squared distances that are known to be sound."""
    q = n_components or N_LARGEST
    if len(cross) <= MOST_FOR_ALL_EIGENVALUES or N_BLOCKS * (q + N_SPARE) > len(cross):
        largest, vectors, positive, negative = _all_eigenvalues(cross, n_components)
        negative_share = float(negative / (positive + negative)) if negative else 0.0
    elif isinstance(cross, FeatureDistances) and not cross.is_sparse and cross.width <= MOST_FOR_ALL_EIGENVALUES:
        largest, vectors, positive = _of_features(cross, q)
        negative_share = 0.0
    else:
        largest, vectors, positive = _largest_eigenvalues(cross, q, seed)
        negative_share = None
    furthest = vectors[np.abs(vectors).argmax(axis=0), np.arange(len(largest))]
    points = vectors * (np.sign(furthest) * np.sqrt(largest))
    explained = float(largest.sum() / positive) if positive else 1.0
    return Embedding(points, n_objects, times, largest, explained, negative_share)


def cross_of(series: DistanceSeries) -> Matrix:
    """D* of a series that has it."""
    if series.cross is None:
        raise DataError(
            "the series has no distances between epochs (D*); give them with from_distances(…, cross=…), "
            "from_features(…, cross=True) or from_pooled(…)"
        )
    return series.cross


def _all_eigenvalues(D: Matrix, n_components: int | None) -> tuple[Floats, Floats, float, float]:
    """The largest positive eigenvalues of K*, their vectors, and the mass of all positive and all negative ones."""
    from scipy.linalg import eigh

    N = len(D)
    require_memory(4 * 8 * N**2, f"embedding {N} objects", SMALLER_DATA)
    values, vectors = eigh(centred_similarity(D), overwrite_a=True, check_finite=False)
    noise = rounding_noise(values, D.dtype)
    positive, negative = values[values > noise], values[values < -10 * noise]
    keep = np.flatnonzero(values > noise)[::-1][:n_components]
    return values[keep], vectors[:, keep], float(positive.sum()), float(-negative.sum())


def _of_features(D: FeatureDistances, q: int) -> tuple[Floats, Floats, float]:
    """The same without negative ones, from the covariance of the features."""
    X = D.rows - D.centre
    X -= X.mean(axis=0)
    values, vectors = np.linalg.eigh(D.factor * (X.T @ X))
    keep = np.flatnonzero(values > rounding_noise(values, D.dtype))[::-1][:q]
    scale = np.sqrt(D.factor / values[keep])
    return values[keep], X @ (vectors[:, keep] * scale), float(values[values > 0].sum())


def _largest_eigenvalues(D: Matrix, q: int, seed: int) -> tuple[Floats, Floats, float]:
    """The largest positive eigenvalues of K*, their vectors, and the least that the positive mass can be.

    K* is looked at in the space spanned by random columns V, K*V, K*²V, … (a block Krylov space). The positive mass is
    the trace plus the negative mass, and only the trace is known.
    """
    N, width = len(D), q + N_SPARE
    needed = 8 * N * (2 * N_BLOCKS * width + 4 * width)
    require_memory(needed, f"embedding {N} objects in {q} dimensions", "ask for fewer n_components")
    basis, image = np.empty((N, N_BLOCKS * width)), np.empty((N, N_BLOCKS * width))
    block = np.random.default_rng(seed).standard_normal((N, width))
    for first in range(0, N_BLOCKS * width, width):
        columns, before = slice(first, first + width), basis[:, :first]
        for _ in range(2):  # the second time removes what rounding left of the first
            block = np.linalg.qr(block - before @ (before.T @ block))[0]
        basis[:, columns] = block
        image[:, columns] = block = _times_similarity(D, block)
    small = basis.T @ image
    values, vectors = np.linalg.eigh((small + small.T) / 2)
    keep = np.flatnonzero(values > N * np.finfo(D.dtype).eps * values[-1])[::-1][:q]
    trace = float(D.sum(dtype=float)) / (2 * N)
    return values[keep], basis @ vectors[:, keep], max(trace, float(values[keep].sum()))


def _times_similarity(D: Matrix, columns: Floats) -> Floats:
    """K* times columns, without making K*."""
    centred = columns - columns.mean(axis=0)
    if isinstance(D, FeatureDistances):
        product = D.times_similarity(centred)
    else:
        product = np.concatenate([rows.astype(float, copy=False) @ centred for _, rows in row_blocks(D)]) / -2
    return product - product.mean(axis=0)
