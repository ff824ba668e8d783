"""Time until an event, in a group and in the rest: the log-rank test and the hazard ratio that goes with it.

At every time of an event, as many events are expected in the group as its share of those still at risk. From observed
minus expected events O − E and their variance V, the test is (O − E)/√V, and the log hazard ratio is (O − E)/V with
standard error 1/√V (Peto's one-step estimate, which is close to the maximum of the partial likelihood unless the ratio
is beyond about 3, and then lies nearer to 1).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LogRank:
    """Observed minus expected events of groups, and their variances; several groups are compared with the rest."""

    excess: Floats  # (k,)
    variance: Floats  # (k,)
    events: Floats  # (k,) observed

    @property
    def log_ratio(self) -> Floats:
        """Log hazard ratios; NaN where nothing can be compared."""
        return self.excess / np.where(self.variance > 0, self.variance, np.nan)

    @property
    def p(self) -> Floats:
        """Of the log-rank tests, two-sided."""
        from scipy.stats import norm

        return 2 * norm.sf(np.abs(self.excess) / np.sqrt(np.where(self.variance > 0, self.variance, np.nan)))


def log_rank(
    duration: Floats, event: NDArray[np.bool_], inside: NDArray[np.bool_], strata: NDArray[np.int64]
) -> LogRank:
    """Groups, (n, k) columns, against the rest within strata; durations without event are censored."""
    k = inside.shape[1]
    excess, variance, events = np.zeros(k), np.zeros(k), np.zeros(k)
    for stratum in np.unique(strata):
        rows = np.flatnonzero(strata == stratum)
        rows = rows[np.argsort(duration[rows], kind="stable")]
        times, happened, member = duration[rows], event[rows], inside[rows].astype(float)
        _, start = np.unique(times, return_index=True)
        at_risk = len(rows) - start
        members_at_risk = member[::-1].cumsum(axis=0)[::-1][start]  # (times, k)
        d = np.add.reduceat(happened.astype(float), start)
        d_members = np.add.reduceat(member * happened[:, None], start, axis=0)
        share = members_at_risk / at_risk[:, None]
        excess += (d_members - d[:, None] * share).sum(axis=0)
        spread = d * (at_risk - d) / np.maximum(at_risk - 1, 1)
        variance += (spread[:, None] * share * (1 - share)).sum(axis=0)
        events += d_members.sum(axis=0)
    return LogRank(excess, variance, events)
