"""All methods through one interface: a series in, clusters of every epoch out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tetiwd.baselines.answer import Answer, answer_from_draws
from tetiwd.baselines.linkage import hdbscan_clusters, linkage_clusters
from tetiwd.baselines.te_gauss import GaussPriors, sample_te_gauss
from tetiwd.baselines.wishart import Effort, pooled_clusters, static_clusters, wishart_clusters
from tetiwd.data import DistanceSeries
from tetiwd.errors import SettingsError
from tetiwd.params import Hyperparameters

DOF = "rank"  # as many as the distances have dimensions, which is also what Te-Gauss sees
OURS = "Te-TiWD"

Find = Callable[[DistanceSeries, Effort, Sequence[int]], Answer]


@dataclass(frozen=True)
class Method:
    """A way to cluster; ``find`` is told how many clusters our model found at every epoch, and may use it."""

    name: str
    story: str
    find: Find


ISOTROPIC = Hyperparameters(dof=DOF, coupling=False, geometry="isotropic")
FULL = Hyperparameters(dof=DOF, coupling=False)


def _wishart(clusters: Callable[[DistanceSeries, Hyperparameters, Effort], Answer], model: Hyperparameters) -> Find:
    return lambda series, effort, _: clusters(series, model, effort)


def _te_gauss(priors: GaussPriors) -> Find:
    return lambda series, effort, _: answer_from_draws(
        sample_te_gauss(series, n_warmup=effort.n_warmup, n_draws=effort.n_draws, seed=effort.seed, priors=priors)
    )


def _linkage(how: str) -> Find:
    return lambda series, _, n_clusters: linkage_clusters(series, n_clusters, how)


METHODS = {
    method.name: method
    for method in (
        Method(OURS, "our model", _wishart(wishart_clusters, Hyperparameters(dof=DOF))),
        Method(
            "static TIWD",
            "every epoch by itself, all clusters equally far apart (Vogt et al. 2010)",
            _wishart(static_clusters, ISOTROPIC),
        ),
        Method(
            "static full-A",
            "every epoch by itself, clusters with distances of their own",
            _wishart(static_clusters, FULL),
        ),
        Method(
            "pooled TIWD",
            "one static TIWD over all objects of all epochs, from distances across time",
            _wishart(pooled_clusters, ISOTROPIC),
        ),
        Method(
            "Te-Gauss", "kernel PCA, then a Gaussian mixture with our prior of partitions", _te_gauss(GaussPriors())
        ),
        Method(
            "Te-Gauss, centred",
            "the same, but centres scatter around the centroid of the embedded objects",
            _te_gauss(GaussPriors(origin="centroid")),
        ),
        Method("Ward", "Ward linkage, cut at the number of clusters that our model found", _linkage("ward")),
        Method("complete linkage", "the same for complete linkage", _linkage("complete")),
        Method("single linkage", "the same for single linkage", _linkage("single")),
        Method(
            "HDBSCAN", "with its own defaults; noise is one more cluster", lambda series, *_: hdbscan_clusters(series)
        ),
    )
}


def methods_named(names: Sequence[str]) -> list[Method]:
    """These methods, ours first, because others are told how many clusters it finds."""
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        raise SettingsError(f"there is no method {unknown[0]!r}; there are {', '.join(METHODS)}")
    return [method for name, method in METHODS.items() if name == OURS or name in names]
