"""How far the truth may be from one clustering: the smallest ball around it that holds, say, 90 % of the draws.

Its edges say what else is possible (Wade and Ghahramani 2018): among the draws of the ball the upper bound has the
fewest clusters, the lower bound the most, the horizontal bound is the farthest; ties go to the farthest.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.params import LEVEL, check_share
from tetiwd.partitions import Ints, Partitions, check_labels
from tetiwd.sample import Sample, as_partitions
from tetiwd.summarize.clustering import Clustering, in_order_of_birth, losses_by_draw
from tetiwd.summarize.coclustering import check_epoch
from tetiwd.summarize.losses import Loss, as_loss

ROUNDING = 1e-12  # equal partitions under other names differ by less


@dataclass(frozen=True, eq=False, repr=False)
class Bound:
    """A draw at the edge of the ball."""

    labels: list[Ints]  # T × (n_t,), numbered like those of a clustering
    distance: float
    draw: int  # which one, counted over all chains

    @property
    def n_clusters(self) -> list[int]:
        """Clusters at every epoch."""
        return [len(np.unique(labels)) for labels in self.labels]

    def __repr__(self) -> str:
        return f"Bound({', '.join(map(str, self.n_clusters))} clusters at distance {self.distance:.3g})"


@dataclass(frozen=True, eq=False, repr=False)
class CredibleBall:
    """Draws around a clustering."""

    level: float
    radius: float
    loss: str
    distances: NDArray[np.float64]  # (S,) from the clustering to every draw
    upper: tuple[Bound, ...]  # fewest clusters
    lower: tuple[Bound, ...]  # most clusters
    horizontal: tuple[Bound, ...]  # farthest

    @property
    def inside(self) -> NDArray[np.bool_]:
        """Which draws are in the ball, (S,)."""
        return self.distances <= self.radius + ROUNDING

    def __repr__(self) -> str:
        return (
            f"CredibleBall({self.level:.0%} within {self.loss} {self.radius:.3g}; "
            f"upper {self.upper[0]}, lower {self.lower[0]}, horizontal {self.horizontal[0]})"
        )


def credible_ball(
    draws: Sample | Partitions,
    clustering: Clustering | Any,
    *,
    t: int | None = None,
    level: float = LEVEL,
    loss: str | Loss = "vi",
) -> CredibleBall:
    """The smallest ball around a clustering that holds at least ``level`` of the draws.

    Parameters
    ----------
    draws : Sample or Partitions
        A sample, or partitions from elsewhere.
    clustering : Clustering or sequence of arrays
        The centre: a :class:`Clustering`, or labels per epoch.
    t : int, optional
        Epoch to look at by itself; None for all of them: distances are then means over epochs, weighted by their
        numbers of objects, and clusters are counted over all epochs.
    level : float
        Posterior probability of the ball.
    loss : str or Loss
        Distance between partitions: "vi" and "binder" (with equal prices) are metrics, "ari" is not.

    Returns
    -------
    CredibleBall
        Its ``radius``, the ``distances`` of all draws, and the draws at its edge: with the fewest clusters (``upper``),
        the most (``lower``) and the farthest (``horizontal``).

    Examples
    --------
    >>> import numpy as np
    >>> from tetiwd import Partitions, credible_ball, representative
    >>> draws = Partitions.from_labels(np.array([[0, 0, 0, 1, 1, 1]] * 9 + [[0, 0, 1, 1, 1, 1]]))
    >>> ball = credible_ball(draws, representative(draws))
    >>> ball.radius, int(ball.inside.sum())
    (0.0, 9)
    """
    partitions, distance = as_partitions(draws), as_loss(loss)
    check_share("level", level)
    centre = check_labels(clustering, partitions.n_objects)
    if t is not None:
        t = check_epoch(t, partitions.n_epochs)
        centre = centre[partitions.columns[t]]
        partitions = partitions.epoch(t)
    distances = losses_by_draw(centre, partitions, distance)
    rank = max(int(np.ceil(level * len(distances) - 1e-9)) - 1, 0)
    radius = float(np.sort(distances)[rank])
    inside = np.flatnonzero(distances <= radius + ROUNDING)
    sizes = sum(partitions.epoch(epoch).labels[inside].max(axis=1) for epoch in range(partitions.n_epochs))
    edges = (inside[sizes == sizes.min()], inside[sizes == sizes.max()], inside)
    bounds = [_farthest(partitions, distances, rows) for rows in edges]
    return CredibleBall(level, radius, distance.name, distances, *bounds)


def _farthest(partitions: Partitions, distances: NDArray[np.float64], rows: Ints) -> tuple[Bound, ...]:
    """The draws farthest away, each partition once."""
    most = distances[rows].max()
    bounds: dict[bytes, Bound] = {}
    for row in rows[distances[rows] >= most - ROUNDING]:
        labels = in_order_of_birth(partitions.labels[row], partitions)
        bounds.setdefault(labels.tobytes(), Bound(partitions.split(labels), float(distances[row]), int(row)))
    return tuple(bounds.values())
