"""TeTiWD: clusters at several times, linked into lineages, in scikit-learn's conventions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from tetiwd.analysis import Analysis
from tetiwd.data import Constraints, DistanceSeries
from tetiwd.data.metrics import Metric
from tetiwd.data.series import LARGEST_CROSS
from tetiwd.data.times import rows_by_time
from tetiwd.declare import documented_by
from tetiwd.estimators.common import MODES, SHARED, WishartClusterer, as_threads, one_after_the_other
from tetiwd.extending import extend
from tetiwd.mode_analysis import ModeLineages
from tetiwd.params import AnswerSettings, AtMost, Hyperparameters, SamplerSettings
from tetiwd.priors import Prior, ShareOrPrior
from tetiwd.summarize.clustering import Clustering
from tetiwd.summarize.forecast import Forecast, forecast
from tetiwd.summarize.lineages import Lineages
from tetiwd.workflow import names_after


@documented_by(
    Hyperparameters,
    AnswerSettings,
    metric="How to compare rows of features: a name or a function, see :meth:`tetiwd.DistanceSeries.from_features`; "
    '"precomputed" if X holds the distances between all rows.',
    **SHARED,
)
@dataclass(eq=False, repr=False)
class TeTiWD(WishartClusterer):
    """Cluster objects at several times and link the clusters into lineages, with their uncertainty.

    Attributes
    ----------
    labels_ : (N,) lineage of every row of X, −1 if it is unassigned; for a list or a series, epoch after epoch
    labels_by_time_ : one array per time
    times_ : the times in order
    n_clusters_ : number of clusters at every time
    lineages_ : lineages, with ``table()``, ``sizes()``, ``links()``, ``events()`` and ``flows()``
    membership_ : T × (n_t, lineages + 1) probability of every object for every lineage, and for another cluster
    unassigned_probability_ : T × (n_t,) probability of every object to be in no cluster of ``min_size`` objects
    coclustering_ : T × (n_t, n_t) probability of two objects to be together
    posterior_ : all draws as a DataTree in ArviZ's layout
    diagnostics_ : do the MCMC chains agree?
    analysis_ : all of these and more

    With ``mode="fast"`` there are no ``coclustering_``, ``posterior_`` and ``diagnostics_``.

    Examples
    --------
    >>> from tetiwd import TeTiWD
    >>> model = TeTiWD().fit(X, time=year)  # doctest: +SKIP
    >>> model.lineages_.table()  # doctest: +SKIP
    """

    metric: Metric = "euclidean"
    squared: bool | None = None
    dof: float | Sequence[float] | str = Hyperparameters.dof
    df_A: Prior | None = None
    geometry: str = Hyperparameters.geometry
    coupling: bool = Hyperparameters.coupling
    alpha: Prior | None = None
    xi: Prior = Hyperparameters.xi
    new_scale: Prior | None = None
    max_clusters: int | None = None
    kappa: Prior | None = None
    rho: ShareOrPrior | None = None
    tau: Prior | None = None
    delta: ShareOrPrior | None = None
    shift: Prior | None = None
    loss: str = AnswerSettings.loss
    at_most: AtMost = AnswerSettings.at_most
    min_size: int = AnswerSettings.min_size
    links: str = AnswerSettings.links
    level: float = AnswerSettings.level
    n_next: int | None = None
    random_state: Any = None
    n_jobs: int = -1
    verbose: bool = False
    settings: SamplerSettings | None = None
    mode: str = MODES[0]
    constraints: Constraints | None = None

    def fit(self, X: Any, y: Any = None, *, time: Any = None, ids: Any = None, names_from: Any = None) -> Self:
        """Find clusters and their lineages.

        Parameters
        ----------
        X
            A :class:`tetiwd.DistanceSeries`; a list with one square matrix of distances per time; a table of features,
            one row per object and time, dense or sparse (CSR); or, with ``metric="precomputed"``, one matrix of
            distances between all rows, of which only those within times make clusters; the others, if all are known,
            help to link them.
        y
            Not used.
        time
            Time of every row of X (one label per matrix for a list). Without it all rows are of one time.
        ids
            Id of every row (one list per matrix for a list), if objects are known by name. The same id at two times is
            the same object.
        names_from
            An earlier run, as a fitted model or a run folder: lineages that share their objects with one of its
            lineages keep its number and colour, and new ones get numbers that it never gave.
        """
        return self._keep(self._clustered(X, time, ids, names_from))

    def extend(
        self,
        X: Any,
        *,
        time: Any = None,
        ids: Any = None,
        hold_before: Any = None,
        refresh: bool = True,
        settings: SamplerSettings | None = None,
    ) -> Self:
        """A new model with later times added to this one, for a fraction of the time of fitting anew.

        Degrees of freedom, geometry and unit stay as they are, and lineages keep their numbers. ``X``, ``time`` and
        ``ids`` are as for :meth:`fit`; times of the earlier fit may be among them, unchanged. Other arguments are those
        of :func:`tetiwd.extend`.
        """
        analysis, later = self._with_draws("extension"), clone(self)
        new, rows = later._series(X, time, ids)
        sample = extend(
            analysis.sample,
            new,
            settings,
            hold_before=hold_before,
            refresh=refresh,
            n_threads=as_threads(self.n_jobs),
            progress=bool(self.verbose),
        )
        later.analysis_ = Analysis(sample, analysis.settings, names_after(analysis, sample.series))
        later.times_ = list(sample.series.times)
        whole = sum(new.n_objects) == sum(sample.series.n_objects)
        first = sum(analysis.sample.series.n_objects)
        fresh = sample.series.n_epochs - analysis.sample.series.n_epochs
        later._rows = rows if whole else [*self._rows, *_counted_on(rows[-fresh:], first)]
        return later._keep(later.analysis_.clustering)

    def _keep(self, clustering: Clustering) -> Self:
        """The attributes of a fitted model."""
        self.labels_by_time_ = clustering.labels
        self.labels_ = np.empty(len(clustering.flat), dtype=np.int64)
        self.labels_[np.concatenate(self._rows)] = clustering.flat
        self.n_clusters_ = clustering.n_clusters
        return self

    @property
    def lineages_(self) -> Lineages | ModeLineages:
        """Lineages through time."""
        check_is_fitted(self)
        return self.analysis_.lineages

    @property
    def unassigned_probability_(self) -> list[NDArray[np.float64]]:
        """Probability of every object to be unassigned, T × (n_t,)."""
        return self._unassigned_probability

    @property
    def coclustering_(self) -> list[NDArray[Any]]:
        """Probability of every two objects of a time to be together, T × (n_t, n_t)."""
        return self._with_draws("coclustering_").coclustering

    def forecast(self, n_next: int | None = None, *, level: float | None = None) -> Forecast:
        """Shares of the clusters at the next time, as the model expects them.

        ``n_next`` and ``level`` are those of the estimator unless they are given.
        """
        analysis = self._with_draws("forecast")
        sample, alignment = analysis.sample, analysis.alignment
        n_next = analysis.settings.n_next if n_next is None else n_next
        level = analysis.settings.level if level is None else level
        return forecast(sample, alignment, n_next=n_next, level=level, seed=sample.settings.seed)

    def _series(self, X: Any, time: Any, ids: Any) -> tuple[DistanceSeries, list[NDArray[np.intp]]]:
        """The series, and the rows of X that belong to every time."""
        if isinstance(X, DistanceSeries):
            return self._given_series(X, time, ids)
        if getattr(X, "ndim", 2) == 3:
            X = list(X)
        if isinstance(X, list | tuple) and len(X) and all(np.ndim(matrix) == 2 for matrix in X):
            series = DistanceSeries.from_distances(X, squared=self._told(), times=time, ids=ids)
            return series, one_after_the_other(series)
        if self._precomputed:
            time = np.zeros(len(X), dtype=int) if time is None else time
            cross: Literal["if known", False] = "if known" if len(X) <= LARGEST_CROSS else False
            series = DistanceSeries.from_pooled(X, time=time, squared=self._told(), ids=ids, keep_cross=cross)
            self.n_features_in_ = sum(series.n_objects)
        else:
            series, time = self._from_features(X, time, ids)
        return series, rows_by_time(time, sum(series.n_objects), "X")[1]


def _counted_on(rows: list[NDArray[np.intp]], first: int) -> list[NDArray[np.intp]]:
    """Rows of the new times in their order, counted on from those of the earlier fit."""
    order = np.argsort(np.argsort(np.concatenate(rows)))
    return np.split(first + order, np.cumsum([len(own) for own in rows])[:-1])
