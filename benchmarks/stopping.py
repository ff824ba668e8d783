"""How long a run that ends when its chains agree takes, compared with 1000 + 1000 sweeps, and what both find.

4 chains each, the same seed; processor time of sampling and annealing, both in one run. "Worst" gives the largest R-hat
and the fewest effective draws of all quantities, with the quantity in brackets. The adjusted Rand index is the mean
over times of the point estimate with the labels. Data: the overlapping design (5 × 200 objects, seed 0), the Palmer
penguins if they are installed, and labelled data sets if available.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from benchmarks.data_sets import Data, data_sets
from benchmarks.table import Row, number
from tetiwd import DistanceSeries, Sample, SamplerSettings, representative, run_chains

FIXED, AUTOMATIC = SamplerSettings(n_warmup=1000, n_draws=1000), SamplerSettings()


@dataclass(frozen=True)
class Outcome:
    """One run: its processor time and what came out."""

    sample: Sample
    seconds: float
    agreement: float  # adjusted Rand index

    def __str__(self) -> str:
        moving = [q for q in self.sample.diagnostics.quantities if not q.constant]
        apart, thin = max(moving, key=lambda q: q.r_hat or 0), min(moving, key=lambda q: q.ess_bulk or 0)
        n, s = min(map(len, self.sample.draws)) + self.sample.n_discarded, self.sample.settings
        return (
            f"{s.n_warmup} + {n} sweeps, worst R-hat {apart.r_hat:.2f} ({apart.name}), "
            f"{thin.ess_bulk:.0f} effective draws ({thin.name}), ARI {self.agreement:.2f}"
        )


def rows() -> list[Row]:
    """Two rows per data set."""
    return [row for name, load in data_sets() for row in rows_of(name, load)]


def rows_of(name: str, load: Callable[[], Data]) -> list[Row]:
    """Both runs on one data set."""
    series, labels = load()
    fixed, automatic = (outcome(series, labels, settings) for settings in (FIXED, AUTOMATIC))
    ended = automatic.sample.ended
    share = Row(f"{name}: time until {ended} / time of 1000 + 1000", number(automatic.seconds / fixed.seconds))
    found = [share, Row(f"{name}: fixed", str(fixed)), Row(f"{name}: {ended}", str(automatic))]
    print(*(row.cells for row in found), sep="\n", file=sys.stderr, flush=True)
    return found


def outcome(series: DistanceSeries, labels: list[Any], settings: SamplerSettings) -> Outcome:
    """Run and compare with the labels."""
    start = time.process_time()
    sample = run_chains(series, None, settings)
    seconds = time.process_time() - start
    scores = [adjusted_rand_score(*pair) for pair in zip(labels, representative(sample).labels, strict=True)]
    return Outcome(sample, seconds, float(np.mean(scores)))
