"""One repeat: simulate a data set, let every method cluster it, compare with the truth."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.model import Simulation
from tetiwd.summarize.losses import as_loss, losses_to_draws
from tetiwd_experiments.baselines.answer import Answer
from tetiwd_experiments.baselines.methods import OURS, Task, methods_named
from tetiwd_experiments.designs import design_named
from tetiwd_experiments.plan import Repeat

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "variant", "protocol", "repeat", "data_seed", "method_seed", "method", "epoch",
    "n_objects", "ari", "vi", "n_clusters", "true_clusters",
    "links_possible", "links_claimed", "links_right", "seconds",
)  # fmt: skip


def simulated(repeat: Repeat) -> Simulation:
    """The data of a repeat."""
    return design_named(repeat.design).variants[repeat.variant](repeat.data_seed)


def series_of(simulation: Simulation) -> DistanceSeries:
    """What methods may look at: squared distances within and across epochs."""
    return DistanceSeries.from_distances(simulation.D, squared=True, cross=simulation.cross)


def run_repeat(repeat: Repeat, after_each: Callable[[], bool] | None = None) -> "pd.DataFrame | None":
    """A row per method and epoch; None if ``after_each``, called after every method, returns True to stop."""
    import pandas as pd

    simulation = simulated(repeat)
    task = Task(series_of(simulation), simulation.n_dimensions, repeat.effort)
    rows: list[dict[str, Any]] = []
    for method in methods_named(repeat.methods):
        began = time.perf_counter()
        try:
            answer = method.find(task)
        except Exception as error:
            seeds = f"data seed {repeat.data_seed}, seed {repeat.effort.seed}"
            error.add_note(f"{method.name} on {repeat.variant}, {seeds}")
            raise
        seconds = time.perf_counter() - began
        if method.name == OURS:
            task = replace(task, n_clusters=answer.n_clusters)
        about = {
            "variant": repeat.variant,
            "protocol": repeat.protocol,
            "repeat": repeat.number,
            "data_seed": repeat.data_seed,
            "method_seed": repeat.effort.seed,
            "method": method.name,
            "seconds": seconds,
        }
        rows += [about | scores for scores in scored(simulation, answer)]
        if after_each and after_each():
            return None
    return pd.DataFrame(rows, columns=COLUMNS)


def scored(simulation: Simulation, answer: Answer) -> Iterator[dict[str, Any]]:
    """How close the clusters of every epoch come to the truth."""
    from sklearn.metrics import adjusted_rand_score

    for epoch, (truth, labels) in enumerate(zip(simulation.labels, answer.labels, strict=True)):
        yield {
            "epoch": epoch,
            "n_objects": len(truth),
            "ari": float(adjusted_rand_score(truth, labels)),
            "vi": variation_of_information(truth, labels),
            "n_clusters": len(np.unique(labels)),
            "true_clusters": len(np.unique(truth)),
        } | scores_of_links(simulation.labels, answer, epoch)


def scores_of_links(truth: list[NDArray[Any]], answer: Answer, epoch: int) -> dict[str, float]:
    """Links to the clusters of an epoch from those of the epoch before; NaN if there are none to be judged.

    A cluster that was found counts as the true one that most of its objects belong to. A true cluster that was found at
    both epochs could be linked; a link is right if it joins clusters that count as the same.
    """
    names = ("links_possible", "links_claimed", "links_right")
    if answer.lineages is None or answer.claimed is None or epoch == 0:
        return dict.fromkeys(names, np.nan)
    before, now = (_true_cluster_of(truth[t], answer.lineages[t]) for t in (epoch - 1, epoch))
    claimed = answer.claimed[epoch] & set(before) & set(now)
    right = sum(before[lineage] == now[lineage] for lineage in claimed)
    return dict(zip(names, (len(set(before.values()) & set(now.values())), len(claimed), right), strict=True))


def _true_cluster_of(truth: NDArray[Any], labels: NDArray[Any]) -> dict[int, int]:
    """The true cluster that most objects of every cluster belong to."""
    return {int(label): int(np.bincount(truth[labels == label]).argmax()) for label in np.unique(labels)}


def variation_of_information(a: NDArray[Any], b: NDArray[Any]) -> float:
    """Distance between two partitions in bits; 0 if they are the same."""
    a_labels, b_labels = (np.unique(labels, return_inverse=True)[1].astype(np.int32) for labels in (a, b))
    return float(losses_to_draws(a_labels, b_labels[None], as_loss("vi"))[0])
