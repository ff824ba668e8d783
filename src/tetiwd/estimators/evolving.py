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
    metric=(
        "str or callable",
        "How to compare rows of features: a name or a function, see :meth:`~tetiwd.DistanceSeries.from_features`; "
        '"precomputed" if X holds the distances between all rows.',
    ),
    **SHARED,
)
@dataclass(eq=False, repr=False)
class TeTiWD(WishartClusterer):
    """Cluster objects at several times and link the clusters into lineages, with their uncertainty.

    Attributes
    ----------
    labels_ : ndarray of int, shape (N,)
        Lineage of every row of X, −1 if it is unassigned; for a list or a series, epoch after epoch.
    labels_by_time_ : list of T arrays, each of shape (n_t,)
        The same, one array per time.
    times_ : list
        The times in order.
    n_clusters_ : list of int
        Number of clusters at every time.
    lineages_ : Lineages
        Lineages, with ``table()``, ``sizes()``, ``links()``, ``events()`` and ``flows()``.
    membership_ : list of T arrays, each of shape (n_t, lineages + 1)
        Probability of every object for every lineage, and, in the last column, for another cluster.
    unassigned_probability_ : list of T arrays, each of shape (n_t,)
        Probability of every object to be in no cluster of ``min_size`` objects.
    coclustering_ : list of T arrays, each of shape (n_t, n_t)
        Probability of two objects to be together. Not with ``mode="fast"``.
    posterior_ : DataTree
        All draws in ArviZ's layout. Not with ``mode="fast"``.
    diagnostics_ : Diagnostics
        Whether the MCMC chains agree. Not with ``mode="fast"``.
    sample_ : Sample
        All draws. Not with ``mode="fast"``.
    analysis_ : Analysis
        All of these answers and more.

    Examples
    --------
    >>> from tetiwd import SamplerSettings, TeTiWD, simulate_separated
    >>> short = SamplerSettings(n_chains=2, n_warmup=50, n_draws=50)
    >>> D = simulate_separated(seed=1).D
    >>> model = TeTiWD(squared=True, dof=100, settings=short, random_state=0).fit(D)
    >>> model.n_clusters_
    [3, 3, 3, 3, 3]
    >>> model.lineages_.table()[["lineage", "first", "last", "objects"]].head(3)
       lineage  first  last  objects
    0        0      0     4       49
    1        1      0     4       40
    2        2      0     2        7
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
        X : DistanceSeries, array_like, DataFrame, sparse matrix, or list of T arrays
            A :class:`tetiwd.DistanceSeries`; a list with one square matrix of distances per time; a table of features,
            one row per object and time, dense or sparse (CSR); or, with ``metric="precomputed"``, one matrix of
            distances between all rows. Those between times, if all are known, help to link clusters, and moving and
            pooled centres use them for clustering as well.
        y : None
            Not used.
        time : array_like, optional
            Time of every row of X (one label per matrix for a list). Without it all rows are of one time.
        ids : sequence, optional
            Id of every row (one list per matrix for a list), if objects are known by name. The same id at two times is
            the same object.
        names_from : TeTiWD, Analysis, str or Path, optional
            An earlier run, as a fitted model or a run folder: lineages that share their objects with one of its
            lineages keep its number and colour, and new ones get numbers that it never gave.

        Returns
        -------
        TeTiWD
            The fitted model itself.

        Examples
        --------
        >>> import numpy as np
        >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]] * 2)
        >>> year = np.repeat([2020, 2021], 6)
        >>> from tetiwd import TeTiWD
        >>> TeTiWD(mode="fast", dof=1).fit(X, time=year).labels_by_time_
        [array([0, 0, 0, 1, 1, 1]), array([0, 0, 0, 1, 1, 1])]
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
        """A new model with later times added to this one, for a fraction of the time of a new fit.

        Degrees of freedom, geometry and unit stay as they are, and lineages keep their numbers.

        Parameters
        ----------
        X, time, ids : array_like, sequence, sequence
            As for :meth:`fit`. Times of the earlier fit may be among them, unchanged.
        hold_before : time, optional
            Clusters of all times before it stay as the earlier draws have them, an approximation.
        refresh : bool
            True lets chains go through the earlier draws; False starts every chain at an earlier draw and leaves it
            alone.
        settings : SamplerSettings, optional
            How to sample; the way of the earlier fit if not given.

        Returns
        -------
        TeTiWD
            The new model. This one stays as it is.

        Examples
        --------
        >>> from tetiwd import SamplerSettings, TeTiWD, simulate_separated
        >>> D = simulate_separated(seed=1).D
        >>> short = SamplerSettings(n_chains=2, n_warmup=50, n_draws=50)
        >>> model = TeTiWD(squared=True, dof=100, settings=short).fit(D[:4], time=[2020, 2021, 2022, 2023])
        >>> model.extend(D[4:], time=[2024]).times_
        [2020, 2021, 2022, 2023, 2024]
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

        Parameters
        ----------
        n_next : int, optional
            Objects expected at the next time; that of the estimator if not given, and else as many as at the
            last.
        level : float, optional
            Probability of the intervals; that of the estimator if not given.

        Returns
        -------
        Forecast
            ``table()`` has one row per cluster, one for others and one for new clusters.

        Examples
        --------
        >>> from tetiwd import SamplerSettings, TeTiWD, simulate_separated
        >>> short = SamplerSettings(n_chains=2, n_warmup=50, n_draws=50)
        >>> D = simulate_separated(seed=1).D
        >>> model = TeTiWD(squared=True, dof=100, settings=short, random_state=0).fit(D)
        >>> model.forecast(n_next=20).table().columns.tolist()
        ['cluster', 'now', 'expected', 'median', 'lower', 'upper', 'nobody']
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
