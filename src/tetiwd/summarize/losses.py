"""How far one partition is from another, and from many draws on average.

With n_g and n_h the sizes of the clusters of two partitions of N objects, and n_gh those of their intersections:

    VI      Σ_g f(n_g) + Σ_h f(n_h) − 2 Σ_gh f(n_gh), over N, with f(n) = n log₂ n: what one tells and the other not
    Binder  pairs that one has together and the other apart, over N²/2, weighted by which has them together
    ARI     1 − adjusted Rand index
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import Setting, SettingsError, quoted
from tetiwd.params import check_positive

Floats = NDArray[np.float64]
CELLS_AT_ONCE = 2**22


@runtime_checkable
class Loss(Protocol):
    """A loss that depends only on sizes of clusters and of their intersections."""

    name: str

    def tables(self, n: int) -> tuple[Floats, Floats]:
        """Price of one more object in a cluster of 0 … n objects, and what is saved in such an intersection."""

    def of_sizes(self, mine: Floats, theirs: Floats, both: Floats, n: int) -> Floats:
        """Loss from Σ f(n_g), Σ f(n_h) and Σ f(n_gh)."""

    def f(self, sizes: NDArray[Any]) -> Floats:
        """The function of a size that is summed: the number of pairs, unless a loss has its own."""
        return sizes * (sizes - 1.0) / 2


@dataclass(frozen=True)
class VI(Loss):
    """Variation of information in bits (Meilă 2007): a metric, from 0 to log₂ N.

    Examples
    --------
    >>> import numpy as np
    >>> from tetiwd import Partitions, VI, representative
    >>> draws = Partitions.from_labels(np.array([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]]))
    >>> representative(draws, VI()).labels
    [array([0, 0, 1, 1])]
    """

    name = "vi"

    def tables(self, n: int) -> tuple[Floats, Floats]:
        """Price of one more object in a cluster of 0 … n objects, and what is saved in such an intersection."""
        grow = np.diff(_n_log_n(n + 1)) / n
        return grow, 2 * grow

    def of_sizes(self, mine: Floats, theirs: Floats, both: Floats, n: int) -> Floats:
        """Loss from Σ f(n_g), Σ f(n_h) and Σ f(n_gh)."""
        return np.maximum((mine + theirs - 2 * both) / n, 0.0)

    def f(self, sizes: NDArray[Any]) -> Floats:
        """The function of a size that is summed."""
        return _n_log_n(int(sizes.max(initial=0)))[sizes]


@dataclass(frozen=True)
class Sure(VI):
    """The default: variation of information, but a single cluster is divided where the draws agree on how.

    One cluster is at most log₂ k bits away from any k clusters, so that it wins where draws agree on the middle of
    clusters and not on their borders.
    """

    agreement = 0.3  # least expected adjusted Rand index of the parts; in a single cloud it is 0.12 and less


@dataclass(frozen=True)
class Binder(Loss):
    """Binder's loss: a price for every pair of objects that is wrongly together or wrongly apart.

    Parameters
    ----------
    join : float
        Price of a pair that is wrongly together.
    split : float
        Price of a pair that is wrongly apart.

    Examples
    --------
    >>> import numpy as np
    >>> from tetiwd import Binder, Partitions, representative
    >>> draws = Partitions.from_labels(np.array([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0]]))
    >>> representative(draws, Binder(join=1.0, split=5.0)).n_clusters
    [1]
    """

    join: float = 1.0
    split: float = 1.0
    name = "binder"

    def __post_init__(self) -> None:
        check_positive("join", self.join)
        check_positive("split", self.split)

    def tables(self, n: int) -> tuple[Floats, Floats]:
        """Price of one more object in a cluster of 0 … n objects, and what is saved in such an intersection."""
        sizes = np.arange(n + 1, dtype=float)
        return 2 * self.join * sizes / n**2, 2 * (self.join + self.split) * sizes / n**2

    def of_sizes(self, mine: Floats, theirs: Floats, both: Floats, n: int) -> Floats:
        """Loss from Σ f(n_g), Σ f(n_h) and Σ f(n_gh)."""
        return 2 * (self.join * (mine - both) + self.split * (theirs - both)) / n**2


@dataclass(frozen=True)
class ARI(Loss):
    """One minus the adjusted Rand index (Hubert and Arabie 1985): minimising it maximises the expected index.

    Examples
    --------
    >>> import numpy as np
    >>> from tetiwd import ARI, Partitions, representative
    >>> draws = Partitions.from_labels(np.array([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]]))
    >>> representative(draws, ARI()).labels
    [array([0, 0, 1, 1])]
    """

    name = "ari"

    def tables(self, n: int) -> tuple[Floats, Floats]:
        """No price of its own for a cluster; for an intersection its size."""
        return np.empty(0), np.arange(n + 1, dtype=float)

    def of_sizes(self, mine: Floats, theirs: Floats, both: Floats, n: int) -> Floats:
        """Loss from Σ f(n_g), Σ f(n_h) and Σ f(n_gh)."""
        pairs = max(n * (n - 1) / 2, 1.0)
        expected, best = mine * theirs / pairs, (mine + theirs) / 2
        same = best - expected <= 1e-12 * pairs  # both all together, or both all apart
        return 1 - np.where(same, 1.0, (both - expected) / np.where(same, 1.0, best - expected))


LOSSES: dict[str, Loss] = {"auto": Sure(), "vi": VI(), "binder": Binder(), "ari": ARI()}  # named in ``params``, too


def as_loss(loss: str | Loss) -> Loss:
    """A loss from its name."""
    if isinstance(loss, Loss) and not isinstance(loss, type):
        return loss
    if not isinstance(loss, str) or loss not in LOSSES:
        names = ", ".join(map(quoted, LOSSES))
        raise SettingsError([Setting("loss"), f" must be {names}, or Binder(join=…, split=…), not {loss!r}"])
    return LOSSES[loss]


def losses_to_draws(labels: NDArray[Any], draws: NDArray[np.int32], loss: Loss) -> Floats:
    """Loss of one partition (N,) towards every draw (S, N), both numbered from 0."""
    return losses_of([labels], draws, loss)[0]


def losses_of(partitions: Sequence[NDArray[Any]], draws: NDArray[np.int32], loss: Loss) -> list[Floats]:
    """The same for several partitions: what they have in common is computed once."""
    S, N = draws.shape
    n_mine, n_theirs = [int(labels.max()) + 1 for labels in partitions], int(draws.max()) + 1
    theirs, both = np.empty(S), np.empty((len(partitions), S))
    step = max(1, CELLS_AT_ONCE // max(N, max(n_mine, default=1) * n_theirs))
    for start in range(0, S, step):
        some = slice(start, start + step)
        clusters = draws[some].astype(np.int64)
        n = len(clusters)
        clusters += np.arange(n)[:, None] * n_theirs
        sizes = np.bincount(clusters.ravel(), minlength=n * n_theirs)
        theirs[some] = loss.f(sizes).reshape(n, -1).sum(axis=1)
        for labels, k, shared in zip(partitions, n_mine, both, strict=True):
            cells = np.bincount((clusters * k + labels).ravel(), minlength=n * n_theirs * k)
            shared[some] = loss.f(cells).reshape(n, -1).sum(axis=1)
    mine = [np.full(S, loss.f(np.bincount(labels)).sum()) for labels in partitions]
    return [loss.of_sizes(own, theirs, shared, N) for own, shared in zip(mine, both, strict=True)]


def _n_log_n(n: int) -> Floats:
    """0 log 0, 1 log 1, … n log n in bits."""
    sizes = np.arange(n + 1, dtype=float)
    return sizes * np.log2(np.maximum(sizes, 1.0))
