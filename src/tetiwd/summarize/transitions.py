"""Who came from where: how objects pass from lineage to lineage.

With ids, an object comes from the lineage in which it was seen last. Without ids, but with distances across times, it
comes from the place where it is: the lineage of the time before whose mean is nearest to it. Shares are posterior: in
every draw the passages are counted and the shares drawn from the Dirichlet posterior of the counts (its prior has the
weight of one object in all), so that intervals hold both chance and uncertain membership.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.feature_distances import FeatureDistances
from tetiwd.params import LEVEL, check_share
from tetiwd.partitions import evenly_spaced
from tetiwd.summarize.alignment import OTHER, Alignment
from tetiwd.summarize.kinship import flows_in_draws
from tetiwd.summarize.lineages import next_appearances

if TYPE_CHECKING:
    import pandas as pd

    from tetiwd.data import DistanceSeries

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
MOST_DRAWS = 400
MOST_DISTANCES = 4 * 10**9  # that are looked at for places; large data use fewer draws
SHARES = tuple(f"{share}{end}" for share in ("goes", "came") for end in ("", "_lower", "_upper"))
COLUMNS = ("from_time", "to_time", "from_lineage", "to_lineage", "objects", "expected", *SHARES)


@dataclass(frozen=True, eq=False, repr=False)
class Transitions:
    """Passages between lineages, from time to time and over all times."""

    by: str  # "ids" or "places"
    steps: "pd.DataFrame"
    pooled: "pd.DataFrame"

    def table(self) -> "pd.DataFrame":
        """One row per pair of times and pair of lineages that objects pass between.

        ``objects`` counts in the clustering, ``expected`` is the mean over draws. ``goes`` is the posterior mean share
        of the objects of the first lineage, as far as they are seen again, that are then in the second; ``came`` is the
        share of those in the second that had been in the first. Lineage −1 are unassigned objects, and clusters of
        draws that the clustering does not have. By places, ``goes`` is not known. ``by`` says which it is.
        """
        return self.steps.assign(by=self.by)

    def over_all_times(self) -> "pd.DataFrame":
        """The same for all times together, without the columns of times."""
        return self.pooled.copy()

    def __repr__(self) -> str:
        return f"Transitions(by {self.by}: {len(self.pooled)} pairs of lineages)"


def transitions(
    alignment: Alignment, series: "DistanceSeries", *, level: float = LEVEL, seed: int = 0
) -> Transitions | None:
    """Who came from where: passages between the lineages of a clustering.

    Parameters
    ----------
    alignment : Alignment
        The draws matched with a clustering, from :func:`tetiwd.align`.
    series : DistanceSeries
        The data, with ids that return or distances across times.
    level : float
        Probability of the intervals.
    seed : int
        Seed of the intervals.

    Returns
    -------
    Transitions or None
        ``table()`` has one row per step and pair of lineages, ``over_all_times()`` the same for all times together.
        None if neither ids that return nor distances across times are known, or there is only one time.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]] * 2)
    >>> year = np.repeat([2020, 2021], 6)
    >>> from tetiwd import Partitions, align, representative, DistanceSeries, transitions
    >>> draws = Partitions.from_labels(
    ...     [
    ...         [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1]],  # three draws at the first time
    ...         [[0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1]],
    ...     ],
    ...     times=[2020, 2021],
    ...     ids=[list("abcdef"), list("abcdef")],
    ... )
    >>> alignment = align(draws, representative(draws))
    >>> series = DistanceSeries.from_features(X, time=year, ids=list("abcdef") * 2)
    >>> transitions(alignment, series).table()[["from_lineage", "to_lineage", "objects"]]
       from_lineage  to_lineage  objects
    0             0           0        3
    1             1           0        1
    2             1           1        2
    """
    import pandas as pd

    check_share("level", level)
    ids = alignment.partitions.ids
    pairs = [] if ids is None else next_appearances(ids)
    if not pairs and (series.cross is None or alignment.partitions.n_epochs == 1):
        return None
    by = "ids" if pairs else "places"
    steps = _by_ids(alignment, pairs) if pairs else _by_places(alignment, series)
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    every_count: Any = 0
    every_drawn: Any = None
    k = alignment.n_lineages
    for t, later, counted, drawn in steps:
        times = {"from_time": series.times[t], "to_time": series.times[later]}
        rows += [times | row for row in _rows(counted, drawn, k, level, rng)]
        every_count = every_count + counted
        every_drawn = drawn if every_drawn is None else _added(every_drawn, drawn)
    pooled = _rows(every_count, every_drawn, k, level, rng)
    tables = [pd.DataFrame(rows, columns=list(COLUMNS)), pd.DataFrame(pooled, columns=list(COLUMNS[2:]))]
    if by == "places":
        for table in tables:
            table[[name for name in SHARES if name.startswith("goes")]] = np.nan
    return Transitions(by, *tables)


def _added(one: Counts, other: Counts) -> Counts:
    """Counts of two steps together; of different numbers of draws, evenly spaced ones of the larger."""
    n = min(len(one), len(other))
    return one[evenly_spaced(len(one), n)] + other[evenly_spaced(len(other), n)]


def _by_ids(alignment: Alignment, pairs: list[Any]) -> Iterator[tuple[int, int, Counts, Counts]]:
    """Epochs, and passages of objects that are seen at both, in the clustering and in draws."""
    labels = alignment.clustering.labels
    draws = evenly_spaced(alignment.n_draws, MOST_DRAWS)
    for t, later, here, there in pairs:
        drawn = flows_in_draws(alignment, t, here, later, there)[draws]
        yield t, later, _counted(labels[t][here], labels[later][there], alignment.n_lineages), drawn


def _by_places(alignment: Alignment, series: "DistanceSeries") -> Iterator[tuple[int, int, Counts, Counts]]:
    """The same for every time and the one before, by the nearest lineage there."""
    labels, k, columns = alignment.clustering.labels, alignment.n_lineages, alignment.partitions.columns
    for t in range(1, len(labels)):
        size = len(labels[t - 1]) * len(labels[t]) * (k + 1)
        draws = evenly_spaced(alignment.n_draws, int(np.clip(MOST_DISTANCES // size, 10, MOST_DRAWS)))
        place = _Places(series, t, columns)
        counted = _counted(place.nearest(labels[t - 1], k), labels[t], k)
        before, now = alignment.words_at(t - 1), alignment.words_at(t)
        drawn = np.stack([_counted(place.nearest(before[s], k), now[s], k) for s in draws])
        yield t - 1, t, counted, drawn


@dataclass(frozen=True, eq=False)
class _Places:
    """Objects of a time and those of the time before."""

    series: "DistanceSeries"
    t: int
    columns: tuple[slice, ...]

    def nearest(self, lineage: NDArray[Any], k: int) -> NDArray[np.int64]:
        """The lineage of the time before whose mean is nearest to every object, (n_t,); OTHER is none of them."""
        slots = np.where(lineage < 0, k, lineage).astype(np.int64)
        n = np.bincount(slots, minlength=k + 1)
        cross, before, now = self.series.cross, self.columns[self.t - 1], self.columns[self.t]
        if isinstance(cross, FeatureDistances):
            sums = cross.sums(slots, k + 1, before.start)
            to_all, within = cross.row_sums(sums, now), np.diagonal(cross.block_sums(sums))
        else:
            member = np.eye(k + 1)[slots]
            to_all = np.asarray(cross[now, before], dtype=float) @ member  # type: ignore[index]
            block = np.asarray(self.series.cross[before, before], dtype=float)  # type: ignore[index]
            within = np.einsum("ik,ik->k", member, block @ member)
        size = np.maximum(n, 1)
        to_mean = to_all / size - within / (2.0 * size**2)
        to_mean[:, n == 0] = np.inf
        to_mean[:, k] = np.inf  # unassigned objects are at no place of their own
        return np.where(np.isfinite(to_mean).any(axis=1), to_mean.argmin(axis=1), OTHER)


def _counted(start: NDArray[Any], end: NDArray[Any], k: int) -> Counts:
    """Objects by where they start and end, (k + 1, k + 1); −1 comes last."""
    cells = np.where(start < 0, k, start).astype(np.int64) * (k + 1) + np.where(end < 0, k, end)
    return np.bincount(cells, minlength=(k + 1) ** 2).reshape(k + 1, k + 1)


def _rows(counted: Any, drawn: Any, k: int, level: float, rng: np.random.Generator) -> list[dict[str, Any]]:
    """A row for every pair of lineages that objects pass between."""
    weights = rng.gamma(drawn + 1.0 / (k + 1))
    expected = drawn.mean(axis=0)
    tail = (1 - level) / 2
    rows = []
    shares: dict[str, Floats] = {}
    for name, axis in (("goes", 2), ("came", 1)):
        share = weights / np.maximum(weights.sum(axis=axis, keepdims=True), np.finfo(float).tiny)
        lower, upper = np.quantile(share, [tail, 1 - tail], axis=0)
        shares |= {name: share.mean(axis=0), f"{name}_lower": lower, f"{name}_upper": upper}
    for g, h in np.argwhere((counted > 0) | (expected > 0)):
        lineages = {"from_lineage": int(g) if g < k else OTHER, "to_lineage": int(h) if h < k else OTHER}
        numbers = {"objects": int(counted[g, h]), "expected": float(expected[g, h])}
        rows.append(lineages | numbers | {name: float(values[g, h]) for name, values in shares.items()})
    return rows
