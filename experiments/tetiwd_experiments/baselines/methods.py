"""All methods through one interface: a task in, clusters of every epoch out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tetiwd.data import DistanceSeries
from tetiwd.errors import SettingsError
from tetiwd.params import Hyperparameters
from tetiwd_experiments.baselines.answer import Answer, answer_from_draws
from tetiwd_experiments.baselines.linkage import hdbscan_clusters, linkage_clusters
from tetiwd_experiments.baselines.te_gauss import GaussPriors, sample_te_gauss
from tetiwd_experiments.baselines.wishart import Effort, pooled_clusters, static_clusters, wishart_clusters

OURS = "Te-TiWD"
MOVING = "moving centres"


@dataclass(frozen=True)
class Task:
    """The input of a method."""

    series: DistanceSeries
    n_dimensions: int  # of the vectors behind the distances: the degrees of freedom of all Wishart models
    effort: Effort
    n_clusters: Sequence[int] = ()  # that our model found, one per epoch; for methods that have to be told


Find = Callable[[Task], Answer]


@dataclass(frozen=True)
class Method:
    """A way to cluster."""

    name: str
    story: str
    find: Find


FULL = Hyperparameters(coupling=False)
ISOTROPIC = replace(FULL, geometry="isotropic")


def _wishart(clusters: Callable[[DistanceSeries, Hyperparameters, Effort], Answer], model: Hyperparameters) -> Find:
    return lambda task: clusters(task.series, replace(model, dof=float(task.n_dimensions)), task.effort)


def _te_gauss(priors: GaussPriors) -> Find:
    def find(task: Task) -> Answer:
        n_warmup, n_draws, seed = task.effort.n_warmup, task.effort.n_draws, task.effort.seed
        return answer_from_draws(
            sample_te_gauss(task.series, n_warmup=n_warmup, n_draws=n_draws, seed=seed, priors=priors)
        )

    return find


def _linkage(how: str) -> Find:
    return lambda task: linkage_clusters(task.series, task.n_clusters, how)


METHODS = {
    method.name: method
    for method in (
        Method(OURS, "our model", _wishart(wishart_clusters, Hyperparameters(geometry="full"))),
        Method(
            MOVING,
            "our second model, from distances within and across epochs",
            _wishart(wishart_clusters, Hyperparameters(geometry="moving")),
        ),
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
            "HDBSCAN", "with its own defaults; noise is one more cluster", lambda task: hdbscan_clusters(task.series)
        ),
    )
}


def methods_named(names: Sequence[str]) -> list[Method]:
    """These methods, ours first, because others are told how many clusters it finds."""
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        raise SettingsError(f"there is no method {unknown[0]!r}", f"there are {', '.join(METHODS)}")
    return [method for name, method in METHODS.items() if name == OURS or name in names]
