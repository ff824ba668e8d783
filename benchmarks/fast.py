"""A quick look: processor time, and agreement with known labels.

The mode (``find_mode`` with default settings: 4 starts, 60 sweeps, 20 of annealing), with the membership
probabilities; the adjusted Rand index is the mean over epochs, weighted by their numbers of objects. In
brackets: the index of the point estimate of a default run, and the processor time of that run. Data: the separated and
the overlapping design (seed 0) and, if available, real data that are not part of this repository, without ids and
distances across time, which this clustering does not use. The goal is the one for a first answer on one core.
"""

import runpy
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from benchmarks.data_sets import SHARED_DATA
from benchmarks.table import Row, at_most, number
from tetiwd import DistanceSeries, Hyperparameters, representative, run_chains, simulate_overlapping, simulate_separated
from tetiwd.mode import find_mode
from tetiwd.mode_analysis import ModeAnalysis
from tetiwd.params import AnswerSettings

GOAL = 10.0  # seconds
REAL = ("guo2010_embryo", "evd68", "rsv_a", "medline_drug_reviews", "moving_pictures", "us_senate")
Labelled = tuple[DistanceSeries, Sequence[Any], Hyperparameters]


def rows(*, with_posterior: bool = True) -> list[Row]:
    """One row per data set."""
    ModeAnalysis(_mode(*simulated(simulate_separated, 100)[::2])).memberships  # noqa: B018 # compiles
    data: dict[str, Callable[[], Labelled]] = {
        "separated": partial(simulated, simulate_separated, 100),
        "overlapping": partial(simulated, simulate_overlapping, 40),
    }
    data |= {name: partial(real, name) for name in REAL if (SHARED_DATA / name).is_dir()}
    return [row_of(name, *load(), with_posterior=with_posterior) for name, load in data.items()]


def row_of(
    name: str, series: DistanceSeries, truth: Sequence[Any], model: Hyperparameters, *, with_posterior: bool
) -> Row:
    """Seconds, and agreement with the truth."""
    start = time.process_time()
    analysis = ModeAnalysis(_mode(series, model), AnswerSettings(min_size=1))  # all clusters count
    certainty = np.concatenate(analysis.memberships.certainty).mean()
    took = time.process_time() - start
    found = f"adjusted Rand index {agreement(truth, analysis.clustering.labels):.2f}"
    log_joint = f"{analysis.mode.log_joint:,.0f}".replace("-", "−")
    note = f"; {found}, log joint {log_joint}, mean membership {certainty:.2f}"
    if with_posterior:
        start = time.process_time()
        clustering = representative(run_chains(series, model))
        took_longer = time.process_time() - start
        note += f" (default run: {agreement(truth, clustering.labels):.2f} in {number(took_longer)} s)"
    return at_most(f"{name}, {series.n_epochs} times, {sum(series.n_objects):,} objects", took, GOAL, " s", note)


def agreement(truth: Sequence[Any], labels: Sequence[Any]) -> float:
    """Adjusted Rand index, the mean over epochs weighted by their numbers of objects."""
    by_epoch = [adjusted_rand_score(*pair) for pair in zip(truth, labels, strict=True)]
    return float(np.average(by_epoch, weights=[len(own) for own in truth]))


def simulated(design: Callable[..., Any], dof: float) -> Labelled:
    """A simulated design, its labels, and the model to fit."""
    made = design(0)
    return DistanceSeries.from_distances(made.D, squared=True), made.labels, Hyperparameters(dof=dof)


def real(name: str) -> Labelled:
    """Real data with estimated degrees of freedom."""
    source = runpy.run_path(str(SHARED_DATA / "load.py"))["load"](name)
    series = DistanceSeries.from_distances(source.D, squared=True, times=source.times)
    return series, source.labels, Hyperparameters(dof=series.dof())


def _mode(series: DistanceSeries, model: Hyperparameters) -> Any:
    return find_mode(series, model, n_threads=1)
