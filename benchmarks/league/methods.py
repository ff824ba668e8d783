"""The methods that tetiwd is compared with."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.labelled import Labelled
from benchmarks.league import densities, similarities, trees
from benchmarks.league.objects import Ints, Objects, all_together, by_epoch


@dataclass(frozen=True)
class Method:
    """A way to cluster objects, epoch by epoch or all together."""

    title: str
    cluster: Callable[[Objects], Ints]
    pooled: bool = False  # equal labels at two epochs are then a link
    told_k: bool = False
    random = False

    def find(self, data: Labelled, seed: int = 0) -> list[Ints]:
        """Labels by epoch."""
        if not self.pooled:
            return [self.cluster(objects) for objects in by_epoch(data)]
        return np.split(self.cluster(all_together(data)), np.cumsum(data.series.n_objects)[:-1])


@dataclass(frozen=True)
class Sampler:
    """A method that looks at a whole series and draws random numbers; it does not say which clusters are linked."""

    title: str
    sample: Callable[[Labelled, int], list[Ints]]
    pooled = told_k = False
    random = True

    def find(self, data: Labelled, seed: int = 0) -> list[Ints]:
        """Labels by epoch."""
        return self.sample(data, seed)


def te_gauss(data: Labelled, seed: int) -> list[Ints]:
    """The other model of the paper, as in the experiments."""
    from tetiwd_experiments.baselines.methods import METHODS, Effort, Task

    task = Task(data.series.to_distances(), n_dimensions=0, effort=Effort(seed=seed))  # it takes no dimensions
    return METHODS["Te-Gauss"].find(task).labels


METHODS: dict[str, Method | Sampler] = {
    "ward_k": Method("Ward, told k", trees.ward_told_k, told_k=True),
    "ward": Method("Ward, silhouette", trees.ward_by_silhouette),
    "average": Method("average linkage, silhouette", trees.average_by_silhouette),
    "tree_cut": Method("dynamic tree cut", trees.dynamic_tree_cut),
    "hdbscan": Method("HDBSCAN", densities.hdbscan),
    "gmm": Method("Gaussian mixture, BIC", densities.gaussian_mixture),
    "spectral": Method("spectral, eigengap", similarities.spectral),
    "leiden": Method("Leiden", similarities.leiden),
    "affinity": Method("affinity propagation", similarities.affinity_propagation),
    "ward_k_pooled": Method("pooled Ward, told k", trees.ward_told_k, pooled=True, told_k=True),
    "ward_pooled": Method("pooled Ward, silhouette", trees.ward_by_silhouette, pooled=True),
    "leiden_pooled": Method("pooled Leiden", similarities.leiden, pooled=True),
    "te_gauss": Sampler("Te-Gauss", te_gauss),
}
YARDSTICK = "ward_k"
