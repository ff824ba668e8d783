"""How popular the clusters will be at the next epoch.

In the urn of the model an object of the next epoch joins a cluster in proportion to κ times its members now plus those
of the next epoch already there, or begins a new one with weight κξ. All new clusters together gain weight like one
cluster that begins with κξ. So the counts of the clusters there are, and of all new ones together, are
Dirichlet–multinomial with κ times the weights (n_1, …, n_k, ξ); with at most K clusters at a time the weights are
(n_1 + ξ/K, …, n_k + ξ/K, ξ(K − k)/K). In the urn of moving centres lineages that are absent may return: they are among
the others.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import Setting, SettingsError
from tetiwd.params import LEVEL, check_positive, check_share, check_whole
from tetiwd.partitions import Ints, Partitions
from tetiwd.sample import Sample, as_partitions
from tetiwd.summarize.alignment import MAX_DRAWS, Alignment, as_alignment
from tetiwd.summarize.clustering import Clustering
from tetiwd.summarize.coclustering import check_epoch

if TYPE_CHECKING:
    import pandas as pd


Floats = NDArray[np.float64]

N_SIMULATIONS = 20_000  # at least so many, spread evenly over the draws
SMALLEST_SHARE = 0.005  # below this, shares are shown as 0
MOST_SHOWN = 6  # clusters that a printed forecast names


@dataclass(frozen=True, eq=False, repr=False)
class Forecast:
    """Where the objects of the next epoch will be.

    Arrays over groups have an entry for every lineage of the clustering that is there at the epoch, then one for
    "other" (clusters of the draws that the clustering does not have, and unassigned objects) and one for "new" (all
    clusters not there yet). A draw without a cluster of the clustering is one in which nobody joins it.
    """

    lineages: Ints  # lineages of the clustering at the epoch
    sizes: Ints  # their members there
    n_now: int  # all objects there, those that are unassigned included
    time: Any  # name of the epoch from which the next is forecast
    n_next: int
    level: float  # of the intervals
    weights: Floats  # (draws, groups) weights in the urn before the first object of the next epoch
    counts: Ints  # (simulations, groups) objects of the next epoch
    kappa: float = 1.0  # what an object of this epoch weighs in the urn, on average

    @property
    def groups(self) -> list[int | str]:
        """Names of the columns: numbers of lineages, "other", "new"."""
        return [*self.lineages.tolist(), "other", "new"]

    @cached_property
    def expected(self) -> Floats:
        """Expected share of every group. For "new" also the probability that the first object begins a new cluster."""
        return np.asarray((self.weights / self.weights.sum(axis=1, keepdims=True)).mean(axis=0))

    @cached_property
    def nobody(self) -> Floats:
        """Probability that nobody is in the group: that the cluster dies, or that no new one appears."""
        total = self.weights.sum(axis=1, keepdims=True)
        rest = total - self.weights
        return np.asarray(np.exp(log_rising(rest, self.n_next) - log_rising(total, self.n_next)).mean(axis=0))

    @property
    def others_matter(self) -> bool:
        """True if "other" has objects now, or is expected to have a share that rounds to a per cent."""
        return bool(self.sizes.sum() < self.n_now or self.expected[-2] >= SMALLEST_SHARE)

    @property
    def new_cluster(self) -> float:
        """Probability that at least one new cluster appears."""
        return 1 - float(self.nobody[-1])

    @cached_property
    def quantiles(self) -> Floats:
        """Lower end of the central interval of every share, median, upper end; (3, groups)."""
        tail = (1 - self.level) / 2
        return np.quantile(self.counts, [tail, 0.5, 1 - tail], axis=0, method="inverted_cdf") / self.n_next

    def table(self) -> "pd.DataFrame":
        """One row per group: share now (in the clustering), and what is forecast."""
        import pandas as pd

        lower, median, upper = self.quantiles
        return pd.DataFrame(
            {
                "cluster": pd.Series(self.groups, dtype=object),
                "now": [*(self.sizes / self.n_now), 1 - self.sizes.sum() / self.n_now, 0.0],
                "expected": self.expected,
                "median": median,
                "lower": lower,
                "upper": upper,
                "nobody": self.nobody,
            }
        )

    def __repr__(self) -> str:
        k = len(self.lineages)
        largest = np.argsort(-self.expected[:k], kind="stable")[:MOST_SHOWN]
        shown = [f"cluster {self.lineages[c]}: {self._share(c)}" for c in largest]
        if k > MOST_SHOWN:
            shown.append(f"{k - MOST_SHOWN} more")
        shown += [f"other: {self._share(k)}", f"new: {self._share(k + 1)}"]
        return (
            f"Forecast({self.n_next} objects after epoch {self.time}, {self.level:.0%} intervals; {', '.join(shown)}; "
            f"a new cluster appears with probability {self.new_cluster:.2g})"
        )

    def _share(self, group: int) -> str:
        lower, _, upper = self.quantiles[:, group]
        return f"{self.expected[group]:.1%} ({lower:.1%} to {upper:.1%})"


def forecast(
    draws: Sample | Partitions,
    clustering: Clustering | Alignment | Any,
    *,
    n_next: int | None = None,
    at: int = -1,
    level: float = LEVEL,
    xi: Any = None,
    max_clusters: int | None = None,
    seed: int = 0,
    max_draws: int = MAX_DRAWS,
) -> Forecast:
    """Shares of the clusters at the epoch after ``at``, as the urn of the model has them.

    Parameters
    ----------
    draws : Sample or Partitions
        A sample, or partitions from elsewhere.
    clustering : Clustering or Alignment
        The clustering whose lineages are forecast. The clusters of every draw are matched with them; give the result of
        :func:`align` if that has been done.
    n_next : int, optional
        Objects expected at the next epoch; None for as many as at ``at``.
    at : int
        Epoch (counted from 0) that is known; −1 is the last.
    level : float
        Probability of the intervals. Counts are whole numbers, so that intervals hold a little more.
    xi, max_clusters : float or sequence, int, optional
        Rate of new clusters (one number, or one per draw; None for 1) and truncation of the partition prior, for
        partitions from elsewhere. A sample knows its own.
    seed : int
        Seed of the simulated counts. The same seed gives the same answer.
    max_draws : int
        No more draws than this are used, evenly spaced.

    Returns
    -------
    Forecast
        ``table()`` has one row per cluster; ``expected`` has the shares, ``new_cluster`` the probability that one
        appears.

    Examples
    --------
    >>> from tetiwd import Partitions, align, representative, forecast
    >>> draws = Partitions.from_labels(
    ...     [
    ...         [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1]],  # three draws at the first time
    ...         [[0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1]],
    ...     ],
    ...     times=[2020, 2021],
    ...     ids=[list("abcdef"), list("abcdef")],
    ... )
    >>> alignment = align(draws, representative(draws))
    >>> forecast(draws, alignment, n_next=10).table()[["cluster", "now", "expected"]].round(2)
      cluster   now  expected
    0       0  0.67      0.52
    1       1  0.33      0.33
    2   other  0.00      0.00
    3     new  0.00      0.14
    """
    partitions = as_partitions(draws)
    t = check_epoch(at, partitions.n_epochs)
    n_next = partitions.n_objects[t] if n_next is None else n_next
    check_whole("n_next", n_next, 1)
    check_share("level", level)
    rates, max_clusters = _rates(draws, partitions, xi, max_clusters)
    alignment = as_alignment(partitions, clustering, max_draws)
    rows = partitions.spaced(alignment.n_draws)
    weights, kappa = _weights(alignment, t, rates[rows], max_clusters), np.ones(len(rows))
    if isinstance(draws, Sample):
        h, kept = draws.hyperparameters, [chain for chain in draws.draws if len(chain)]
        kappa = np.concatenate([chain.drawn("kappa", h.kappa) for chain in kept])[rows]
        weights = kappa[:, None] * weights
        if h.moves:
            delta = np.concatenate([chain.array("delta") for chain in kept])[rows]
            weights[:, -2] += kappa * absent_weights(alignment.partitions, t, delta)
    rng = np.random.default_rng(seed)
    gammas = rng.standard_gamma(np.repeat(weights, -(-N_SIMULATIONS // len(weights)), axis=0))
    counts = rng.multinomial(n_next, gammas / gammas.sum(axis=1, keepdims=True))
    lineages = alignment.clustering.lineages_at(t)
    sizes, n_now = alignment.clustering.sizes[t, lineages], partitions.n_objects[t]
    time, counted = partitions.times[t], float(kappa.mean())
    return Forecast(lineages, sizes, n_now, time, int(n_next), float(level), weights, counts, counted)


def _rates(
    draws: Sample | Partitions, partitions: Partitions, xi: Any, max_clusters: int | None
) -> tuple[Floats, int | None]:
    """ξ of every draw, and the most clusters at a time."""
    if not isinstance(draws, Partitions):
        if xi is not None or max_clusters is not None:
            raise SettingsError("a sample has its own xi and max_clusters; leave them out, or give Partitions")
        if not draws.hyperparameters.coupling:
            how = Setting("coupling", False)
            raise SettingsError(["the sample was run with ", how, ", without links"], "run it again without that")
        return np.concatenate([chain.xi for chain in draws.draws if len(chain)]), draws.hyperparameters.max_clusters
    rates = np.atleast_1d(np.asarray(1.0 if xi is None else xi))
    if rates.dtype.kind not in "iuf" or rates.shape not in ((1,), (partitions.n_draws,)):
        raise SettingsError(f"xi must be one number or one for each of the {partitions.n_draws} draws, not {xi!r}")
    for rate in rates:
        check_positive("xi", float(rate))
    if max_clusters is not None:
        check_whole("max_clusters", max_clusters, 1)
    return np.broadcast_to(rates.astype(float), partitions.n_draws), max_clusters


def _weights(alignment: Alignment, t: int, rates: Floats, max_clusters: int | None) -> Floats:
    """Weight of every lineage, of other clusters, and of new ones in the urn, for every draw of one epoch."""
    there = np.append(alignment.present[t], True)
    sizes = alignment.sizes_at(t)[:, there].astype(float)
    if max_clusters is None:
        return np.column_stack([sizes, rates])
    epoch = alignment.partitions.epoch(t)
    n_clusters = epoch.labels.max(axis=1) + 1
    if n_clusters.max() > max_clusters:
        raise SettingsError(
            f"a draw has {n_clusters.max()} clusters at epoch {epoch.times[0]}, more than max_clusters = "
            f"{max_clusters}; give the number the draws were made with, or None"
        )
    matched = alignment.counterpart[:, t, there[:-1]] >= 0
    n_in_group = np.column_stack([matched, n_clusters - matched.sum(axis=1), max_clusters - n_clusters])
    return np.column_stack([sizes, np.zeros(len(sizes))]) + n_in_group * (rates / max_clusters)[:, None]


def absent_weights(partitions: Partitions, t: int, delta: Floats) -> Floats:
    """What the urn with returns remembers, in every draw, of all lineages that were there before t and are not at t."""
    draws, k = np.arange(partitions.n_draws)[:, None], int(partitions.labels.max()) + 1
    weights = np.zeros((len(draws), k))
    for epoch in range(t + 1):
        cells = (draws * k + partitions.at(epoch)).ravel()
        sizes = np.bincount(cells, minlength=weights.size).reshape(weights.shape)
        remembered = sizes * delta[:, None] ** (t - epoch) if epoch < t else np.zeros(weights.shape)
        weights = np.where(sizes > 0, remembered, weights)  # only the last time counts
    return np.asarray(weights.sum(axis=1))


def log_rising(x: Any, n: Any) -> Floats:
    """log x (x + 1) … (x + n − 1) for n of at least 1; −inf at x = 0."""
    from scipy.special import gammaln

    return np.asarray(gammaln(x + n) - gammaln(x))
