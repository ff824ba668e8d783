"""TiWD: clusters at one time, in scikit-learn's conventions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import Constraints, DistanceSeries
from tetiwd.data.metrics import Metric
from tetiwd.declare import documented_by
from tetiwd.errors import DataError
from tetiwd.estimators.common import MODES, SHARED, WishartClusterer, one_after_the_other
from tetiwd.params import AnswerSettings, AtMost, Hyperparameters, SamplerSettings
from tetiwd.priors import Prior


@documented_by(
    Hyperparameters,
    AnswerSettings,
    metric='How to compare rows of features: a name or a function; "precomputed" if X is a square matrix of distances.',
    **SHARED,
)
@dataclass(eq=False, repr=False)
class TiWD(WishartClusterer):
    """Cluster objects at one time (translation-invariant Wishart–Dirichlet process).

    Attributes
    ----------
    labels_ : (n,) cluster of every row, −1 if it is unassigned
    n_clusters_ : number of clusters
    membership_ : [(n, clusters + 1)] probability of every object for every cluster, and for another one
    unassigned_probability_ : (n,) probability of every object to be in no cluster of ``min_size`` objects
    coclustering_ : (n, n) probability of two objects to be together
    posterior_ : all draws as a DataTree in ArviZ's layout
    diagnostics_ : do the MCMC chains agree?
    analysis_ : all of these and more
    """

    metric: Metric = "euclidean"
    squared: bool | None = None
    dof: float | Sequence[float] | str = Hyperparameters.dof
    df_A: Prior | None = None
    geometry: str = Hyperparameters.geometry
    alpha: Prior | None = None
    xi: Prior = Hyperparameters.xi
    new_scale: Prior | None = None
    max_clusters: int | None = None
    tau: Prior | None = None
    loss: str = AnswerSettings.loss
    at_most: AtMost = AnswerSettings.at_most
    min_size: int = AnswerSettings.min_size
    level: float = AnswerSettings.level
    random_state: Any = None
    n_jobs: int = -1
    verbose: bool = False
    settings: SamplerSettings | None = None
    mode: str = MODES[0]
    constraints: Constraints | None = None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find clusters.

        ``X`` is a table of features, one row per object, dense or sparse (CSR); a square matrix of distances with
        ``metric="precomputed"``; or a :class:`tetiwd.DistanceSeries` of one time.
        """
        clustering = self._clustered(X)
        self.labels_ = clustering.flat
        self.n_clusters_ = clustering.n_clusters[0]
        return self

    @property
    def unassigned_probability_(self) -> NDArray[np.float64]:
        """Probability of every object to be unassigned, (n,)."""
        return self._unassigned_probability[0]

    @property
    def coclustering_(self) -> NDArray[Any]:
        """Probability of every two objects to be together, (n, n)."""
        return self._with_draws("coclustering_").coclustering[0]

    def _series(self, X: Any, time: Any, ids: Any) -> tuple[DistanceSeries, list[NDArray[np.intp]]]:
        """The series of one time, and its rows."""
        if isinstance(X, DistanceSeries):
            if X.n_epochs > 1:
                raise DataError(f"the series has {X.n_epochs} times, and TiWD clusters one", "use TeTiWD")
            return self._given_series(X, time, ids)
        if self._precomputed:
            series = DistanceSeries.from_distances([X], squared=self._told())
            self.n_features_in_ = series.n_objects[0]
        else:
            series, _ = self._from_features(X, time, ids)
        return series, one_after_the_other(series)
