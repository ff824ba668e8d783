"""Who grows: the growth rate of every lineage, the probability that it grows, and the rule for emerging lineages.

In every draw the share of a lineage at every time is drawn from the Beta posterior of its count (Jeffreys' prior), and
the growth rate is the slope of the log odds of the share per time step, from the first time of the lineage to its last,
weighted by the precision of each. A rate of 0.1 means odds that grow by about 10 % from one time to the next. It is
growth relative to all others; how many objects there are at a time says nothing. The interval holds chance in counting
and uncertain membership, but takes the objects of a time for a random sample of it.

A lineage emerges if it is new (not there at the first time, and first seen within the last ``recent`` times), has at
least the share ``least_share`` of the last time, and grows with a probability of at least ``probability``. One that is
seen at the last time only has no rate yet.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import SettingsError
from tetiwd.params import LEVEL, check_share, is_whole
from tetiwd.summarize.alignment import Alignment

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
N_RATES = 4000  # draws of every rate, at least
RECENT, LEAST_SHARE, PROBABILITY = 5, 0.05, 0.9


@dataclass(frozen=True, eq=False, repr=False)
class Growth:
    """Growth rates of all lineages."""

    alignment: Alignment
    rates: Floats  # (draws, n_lineages) per time step; NaN for lineages of one time
    level: float
    recent: int = RECENT
    least_share: float = LEAST_SHARE
    probability: float = PROBABILITY

    def table(self) -> "pd.DataFrame":
        """One row per lineage: its first and last time, its share at the last time of all, the growth rate per time
        step with its interval, the probability that it grows, and whether it ``emerges``."""
        import pandas as pd

        tail, times = (1 - self.level) / 2, self.alignment.partitions.times
        present = self.alignment.present
        first, last = _first_and_last(present)
        known = np.isfinite(self.rates[0])
        lower, upper = np.quantile(self.rates, [tail, 1 - tail], axis=0)
        grows = np.where(known, (self.rates > 0).mean(axis=0), np.nan)
        share = self.alignment.clustering.sizes[-1] / self.alignment.partitions.n_objects[-1]
        new = self.is_new
        return pd.DataFrame(
            {
                "lineage": np.arange(len(first)),
                "first": pd.Series([times[t] for t in first], dtype=object),
                "last": pd.Series([times[t] for t in last], dtype=object),
                "share_now": share,
                "rate": self.rates.mean(axis=0),
                "lower": lower,
                "upper": upper,
                "probability_growing": grows,
                "new": new,
                "emerges": new & (share >= self.least_share) & (np.nan_to_num(grows) >= self.probability),
            }
        )

    @property
    def is_new(self) -> NDArray[np.bool_]:
        """Lineages that were not there at first, were first seen lately, and are there at the last time."""
        present = self.alignment.present
        first, last = _first_and_last(present)
        T = len(present)
        return np.asarray((first > 0) & (first >= T - self.recent) & (last == T - 1))

    def sentences(self) -> list[str]:
        """What emerges, in words; nothing if there is only one time, or the rule does not apply."""
        if self.alignment.partitions.n_epochs < 3 or not self.alignment.n_lineages:
            return []
        table = self.table()
        rule = (
            f"at least {self.least_share:.0%} of the objects now, growing with probability {self.probability:g} or more"
        )
        emerging = table[table.emerges]
        if emerging.empty:
            return [f"No lineage is emerging (new, {rule})."]
        named = [
            f"{row.lineage} ({row.share_now:.0%} now, odds of its share × {np.exp(row.rate):.2g} per time step)"
            for row in emerging.itertuples()
        ]
        several = len(named) > 1
        listed = f"{', '.join(named[:-1])} and {named[-1]}" if several else named[0]
        return [f"Lineage{'s' * several} {listed} {'are' if several else 'is'} emerging (new, {rule})."]

    def __repr__(self) -> str:
        return f"Growth({self.rates.shape[1]} lineages, {int(self.table().emerges.sum())} emerging)"


def growth(
    alignment: Alignment,
    *,
    level: float = LEVEL,
    recent: int = RECENT,
    least_share: float = LEAST_SHARE,
    probability: float = PROBABILITY,
    seed: int = 0,
) -> Growth:
    """Growth rates of the lineages of a clustering.

    Parameters
    ----------
    alignment : Alignment
        The draws matched with the clustering, from :func:`align`.
    level : float
        Probability of the intervals.
    recent, least_share, probability : int, float, float
        The rule for emerging lineages: first seen within so many of the last times, with at least this share at the
        last time, growing with at least this probability.
    seed : int
        Seed of the intervals.

    Returns
    -------
    Growth
        ``table()`` has one row per lineage with its rate of growth per time step; ``sentences()`` says what emerges.

    Examples
    --------
    >>> from tetiwd import Partitions, align, representative, growth
    >>> draws = Partitions.from_labels(
    ...     [
    ...         [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1]],  # three draws at the first time
    ...         [[0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1]],
    ...     ],
    ...     times=[2020, 2021],
    ...     ids=[list("abcdef"), list("abcdef")],
    ... )
    >>> alignment = align(draws, representative(draws))
    >>> growth(alignment).table()[["lineage", "first", "last", "new"]]
       lineage first  last    new
    0        0  2020  2021  False
    1        1  2020  2021  False
    """
    for name, share in (("level", level), ("least_share", least_share), ("probability", probability)):
        check_share(name, share)
    if not is_whole(recent, 1):
        raise SettingsError(f"recent must be a whole number of at least 1, not {recent!r}")
    sizes = alignment.sizes()[:, :, :-1]
    n = np.array(alignment.partitions.n_objects, dtype=float)
    rng = np.random.default_rng(seed)
    repeats = -(-N_RATES // alignment.n_draws)
    rates = np.full((alignment.n_draws * repeats, alignment.n_lineages), np.nan)
    first, last = _first_and_last(alignment.present)
    for g in range(alignment.n_lineages):
        life = slice(int(first[g]), int(last[g]) + 1)
        if last[g] > first[g]:
            rates[:, g] = _slopes(np.repeat(sizes[:, life, g], repeats, axis=0), n[life], rng)
    return Growth(alignment, rates, level, recent, least_share, probability)


def _slopes(counts: NDArray[np.int64], n: Floats, rng: np.random.Generator) -> Floats:
    """Slope of the log odds of a share per step, in every draw of counts (S, steps)."""
    yes, no = counts + 0.5, n - counts + 0.5
    share = np.clip(rng.beta(yes, no), 1e-12, 1 - 1e-12)
    odds = np.log(share) - np.log1p(-share)
    weight = 1 / (1 / yes + 1 / no)
    step = np.arange(counts.shape[1])
    centre = (weight * step).sum(axis=1, keepdims=True) / weight.sum(axis=1, keepdims=True)
    return np.asarray((weight * (step - centre) * odds).sum(axis=1) / (weight * (step - centre) ** 2).sum(axis=1))


def _first_and_last(present: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first and last epoch of every lineage."""
    T = len(present)
    return present.argmax(axis=0), T - 1 - present[::-1].argmax(axis=0)
