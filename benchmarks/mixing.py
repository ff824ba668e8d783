"""Effective sample size per second with and without each move, and from another start.

4 chains of 300 + 500 sweeps; seconds are processor time of all chains, including warm-up. Effective sample size (bulk)
and R-hat are ArviZ's: the median and the largest over epochs for the number of clusters k, and those of the log joint
density. In brackets: relative to the default. If R-hat is far above 1, chains disagree and the effective sample size
means little; a mean of k far from the default's shows that chains are stuck elsewhere. One seed each, so moderate
differences are no evidence. Data: the overlapping design (5 × 200 objects, 5 true clusters, seed 0, dof 40) and, if
available, abstracts of drug reviews (5 epochs, 719 objects, dof estimated).
"""

import runpy
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cache
from unittest.mock import patch

import numpy as np

from benchmarks.data_sets import SHARED_DATA
from benchmarks.table import Row, number
from tetiwd import DistanceSeries, Hyperparameters, Sample, SamplerSettings, run_chains, simulate_overlapping
from tetiwd.diagnostics import Quantity
from tetiwd.moves import scale

Data = tuple[DistanceSeries, Hyperparameters]

DEFAULT = SamplerSettings(n_chains=4, n_warmup=300, n_draws=500, anneal=None)
VARIANTS = {
    "all moves": DEFAULT,
    "no split and merge": replace(DEFAULT, n_split_merge=0),
    "no row moves": replace(DEFAULT, n_geometry_steps=0),
    "no stretch": DEFAULT,
    "all moves, start from one cluster": replace(DEFAULT, init="one"),
    "no split and merge, start from one cluster": replace(DEFAULT, n_split_merge=0, init="one"),
}


@dataclass(frozen=True)
class Mixing:
    """Effective draws per second and R-hat of one quantity; NaN and 1 if it never changes."""

    per_second: float
    r_hat: float

    def compared_with(self, default: "Mixing") -> str:
        """In words."""
        if np.isnan(self.per_second):
            return "constant"
        relative = self.per_second / default.per_second
        return f"{number(self.per_second)}/s (× {number(relative)}), R-hat {self.r_hat:.2f}"


def rows() -> list[Row]:
    """One row per data set and variant."""
    run_chains(*overlapping(), replace(DEFAULT, n_warmup=1, n_draws=10))  # compiles, and imports ArviZ
    data: dict[str, Callable[[], Data]] = {"overlapping": overlapping}
    if (SHARED_DATA / "medline_drug_reviews").is_dir():
        data["drug reviews"] = drug_reviews
    table = []
    for name, load in data.items():
        default_k, default_joint = mixing_of(*run(load, "all moves"))
        for variant in VARIANTS:
            sample, seconds = run(load, variant)
            k, joint = mixing_of(sample, seconds)
            mean = np.mean([draws.n_clusters for draws in sample.draws])
            value = f"k = {mean:.1f}: {k.compared_with(default_k)}; log joint: {joint.compared_with(default_joint)}"
            table.append(Row(f"{name}: {variant}", value))
    return table


def overlapping(dtype: type = np.float64) -> Data:
    """The overlapping design and the model to fit."""
    matrices = [D.astype(dtype, copy=False) for D in simulate_overlapping(0).D]
    return DistanceSeries.from_distances(matrices, squared=True), Hyperparameters(dof=40)


def drug_reviews() -> Data:
    """Real distances, which are no part of this repository, with estimated degrees of freedom."""
    source = runpy.run_path(str(SHARED_DATA / "load.py"))["load"]("medline_drug_reviews")
    series = DistanceSeries.from_distances(source.D, squared=True, times=source.times)
    return series, Hyperparameters(dof=series.dof())


is_free = scale.is_free


def free_but_stretch(name: str, hyperparameters: Hyperparameters) -> bool:
    """Every scale that has a prior, but no stretch."""
    return name != "stretch" and is_free(name, hyperparameters)


@cache
def run(load: Callable[[], Data], variant: str) -> tuple[Sample, float]:
    """Run the chains of one variant; returns the seconds of processor time as well, and prints a dot."""
    series, model = load()
    start = time.process_time()
    with patch.object(scale, "is_free", free_but_stretch) if variant == "no stretch" else nullcontext():
        sample = run_chains(series, model, VARIANTS[variant])
    seconds = time.process_time() - start
    print(".", end=" ", file=sys.stderr, flush=True)
    return sample, seconds


def mixing_of(sample: Sample, seconds: float) -> tuple[Mixing, Mixing]:
    """How well the numbers of clusters mix, and the log joint."""
    clusters = [sample.diagnostics[f"k at {time}"] for time in sample.series.times]
    return _summary(clusters, seconds), _summary([sample.diagnostics["log_joint"]], seconds)


def _summary(quantities: list[Quantity], seconds: float) -> Mixing:
    sizes = [quantity.ess_bulk for quantity in quantities if quantity.ess_bulk is not None]
    r_hats = [quantity.r_hat for quantity in quantities if quantity.r_hat is not None]
    return Mixing(float(np.median(sizes)) / seconds if sizes else np.nan, max(r_hats, default=1.0))
