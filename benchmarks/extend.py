"""A run with a new last epoch, compared with fitting everything again; and whether names stay the same over ten seeds.

The last epoch is held back, the rest is fitted with the defaults, and the run is extended. "Refit" is a fit of all data
with the defaults, trials for the degrees of freedom included; processor time of both. Agreement: extension and a long
run of the same model from scratch, as differences of posterior means in standard errors (log joint, scales, k_t and
entropy at every time, togetherness of pairs); the root mean square should be near 1. Names: ten more seeds take their
names from the first; certain lineages are those that 95 % of the draws have at every time and whose objects belong to
them with a mean probability of 0.95, in both runs. The objects of such a lineage that get another name are counted.
The goal for time is for long series: a short one has fewer epochs that an extension can leave alone. EV-D68 has no
certain lineage, so names are also judged on the embryo.
"""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import sqrt

import numpy as np

from benchmarks.data_sets import SHARED_DATA, shared
from benchmarks.table import Row, at_least, at_most
from tetiwd import Analysis, DistanceSeries, Hyperparameters, Sample, SamplerSettings, extend, run_chains
from tetiwd.convergence import bulk_ess
from tetiwd.model.designs import simulate_with_clusters
from tetiwd.workflow import names_after

FASTER, AGREEMENT, SURE, N_SEEDS = 5.0, 1.35, 0.95, 10
LONG = 15  # epochs
EMBRYO = "guo2010_embryo"
REFERENCE = SamplerSettings(n_warmup=400, n_draws=1500, seed=77, anneal=None)


def rows() -> list[Row]:
    """Rows of every data set."""
    found = [row for name, load in sets() for row in rows_of(name, load())]
    if (SHARED_DATA / EMBRYO).is_dir():
        found.append(names_row("embryo", run_chains(shared(EMBRYO)[0])))
    return found


def sets() -> Iterator[tuple[str, Callable[[], DistanceSeries]]]:
    """Series of 15 epochs and more, and what else there is."""
    yield "simulated, T = 15", simulated
    wanted = (
        ("US Senate, T = 15", "us_senate", {"congresses": range(103, 118)}),
        ("EV-D68, T = 8", "evd68", {}),
    )
    for name, folder, options in wanted:
        if (SHARED_DATA / folder).is_dir():
            yield name, lambda folder=folder, options=options: shared(folder, **options)[0]


def simulated() -> DistanceSeries:
    """15 epochs of 60 objects in clusters that overlap."""
    h = Hyperparameters(dof=40, alpha=3.0, new_scale=1.2)
    return DistanceSeries.from_distances(
        simulate_with_clusters([60] * 15, 5, h, np.random.default_rng(2)).D, squared=True
    )


def rows_of(name: str, series: DistanceSeries) -> list[Row]:
    """Time, agreement and names."""
    earlier = run_chains(series.until(series.n_epochs - 1))
    new = DistanceSeries.from_distances(series.matrices[-1:], squared=True, times=series.times[-1:])
    extended, seconds = timed(lambda: extend(earlier, new))
    anew, seconds_anew = timed(lambda: run_chains(series))
    z = differences(extended, run_chains(extended.series, extended.hyperparameters, REFERENCE))
    root = float(np.sqrt(np.mean(z**2)))
    faster, lengths = seconds_anew / seconds, f" ({_length(extended)}; refit: {_length(anew)})"
    what = f"{name}: time of refit / time of extension"
    found = [
        at_least(what, faster, FASTER, "×", lengths)
        if series.n_epochs >= LONG
        else Row(what, f"{faster:.2f} ×{lengths}"),
        at_most(f"{name}: difference from a long run, rms of {len(z)} z", root, AGREEMENT),
        Row(f"{name}: largest of them", f"{np.abs(z).max():.1f}"),
        names_row(name, earlier),
    ]
    print(*(row.cells for row in found), sep="\n", file=sys.stderr, flush=True)
    return found


def timed(work: Callable[[], Sample]) -> tuple[Sample, float]:
    """A sample and the processor time it took."""
    start = time.process_time()
    return work(), time.process_time() - start


def differences(one: Sample, other: Sample) -> np.ndarray:
    """Differences of means, in standard errors."""
    T, rng, found = one.series.n_epochs, np.random.default_rng(0), []
    functions = [lambda d: d.log_joint, lambda d: np.log(d.alpha), lambda d: np.log(d.new_scale)]
    for t in range(T):
        functions += [lambda d, t=t: d.n_clusters[:, t].astype(float), lambda d, t=t: d.entropy[:, t]]
        for _ in range(6):
            i, j = rng.choice(one.series.n_objects[t], 2, replace=False)
            functions.append(lambda d, t=t, i=i, j=j: (d.labels_at(t)[:, i] == d.labels_at(t)[:, j]).astype(float))
    for function in functions:
        drawn = [np.array([function(draws) for draws in sample.draws]) for sample in (one, other)]
        if min(own.std() for own in drawn) > 0:
            spread = np.concatenate([own.ravel() for own in drawn]).std()
            error = spread * sqrt(sum(1 / bulk_ess(own[None])[0] for own in drawn))
            found.append((drawn[0].mean() - drawn[1].mean()) / error)
    return np.array(found)


def names_row(name: str, sample: Sample) -> Row:
    """Objects of certain lineages whose name differs from that in the first run, over more seeds."""
    first = Analysis(sample)
    certain, other_name, counted = certain_lineages(first), 0, 0
    for seed in range(1, N_SEEDS + 1):
        again = run_chains(sample.series, sample.hyperparameters, replace(sample.settings, seed=seed, anneal=None))
        analysis = Analysis(again, first.settings, names_after(first, sample.series))
        both = certain & certain_lineages(analysis, of=first)
        here = np.isin(first.clustering.flat, list(both))
        counted += int(here.sum())
        same = dominant(analysis.clustering.flat, first.clustering.flat, both)
        other_name += sum(int((first.clustering.flat == g).sum()) for g in both if same[g] != g)
    value = f"{other_name} of {counted} objects in {len(certain)} certain lineages"
    return Row(f"{name}: other names over {N_SEEDS} seeds", value, "0", other_name == 0)


def certain_lineages(analysis: Analysis, of: Analysis | None = None) -> set[int]:
    """Lineages that nearly all draws have, with members that nearly always belong to them; as numbered in ``of``."""
    sizes, table = analysis.lineages.sizes(), analysis.memberships.table()
    there = sizes.groupby("lineage").probability.min()
    sure = table[table.lineage >= 0].groupby("lineage").certainty.mean()
    found = {int(g) for g in there.index if there[g] >= SURE and sure.get(g, 0.0) >= SURE}
    if of is None:
        return found
    return set(dominant(of.clustering.flat, analysis.clustering.flat, found).values())


def dominant(labels: np.ndarray, by: np.ndarray, lineages: set[int]) -> dict[int, int]:
    """The label that most objects of each of these lineages have."""
    return {g: int(np.bincount(labels[by == g] + 1).argmax()) - 1 for g in lineages}


def _length(sample: Sample) -> str:
    kept = min(map(len, sample.draws))
    return f"{kept + sample.n_discarded} draws each, {sample.ended}"
