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
    metric=(
        "str or callable",
        'How to compare rows of features: a name or a function; "precomputed" if X is a square matrix of distances.',
    ),
    **SHARED,
)
@dataclass(eq=False, repr=False)
class TiWD(WishartClusterer):
    """Cluster objects at one time (translation-invariant Wishart–Dirichlet process).

    Attributes
    ----------
    labels_ : ndarray of int, shape (n,)
        Cluster of every row, −1 if it is unassigned.
    n_clusters_ : int
        Number of clusters.
    membership_ : list of one array of shape (n, clusters + 1)
        Probability of every object for every cluster, and, in the last column, for another one.
    unassigned_probability_ : ndarray, shape (n,)
        Probability of every object to be in no cluster of ``min_size`` objects.
    coclustering_ : ndarray, shape (n, n)
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
    >>> import numpy as np
    >>> from tetiwd import SamplerSettings, TiWD
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(30, 2)) + 8 * np.repeat([0, 1, 2], 10)[:, None]
    >>> short = SamplerSettings(n_chains=2, n_warmup=50, n_draws=50)
    >>> TiWD(dof=2, settings=short, random_state=0).fit(X).n_clusters_
    3
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

        Parameters
        ----------
        X : array_like, DataFrame or sparse matrix, shape (n, p), or DistanceSeries
            A table of features, one row per object; a square matrix of distances, (n, n), with
            ``metric="precomputed"``; or a :class:`tetiwd.DistanceSeries` of one time.
        y : None
            Not used.

        Returns
        -------
        TiWD
            The fitted model itself.

        Examples
        --------
        >>> import numpy as np
        >>> from tetiwd import TiWD
        >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
        >>> TiWD(mode="fast", dof=1).fit(X).labels_
        array([0, 0, 0, 1, 1, 1])
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
