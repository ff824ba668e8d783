"""Analysis: a sample and all answers drawn from it, each made when it is first asked for."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.backtesting import Backtest, backtest
from tetiwd.params import AnswerSettings
from tetiwd.sample import Sample
from tetiwd.summarize.alignment import Alignment, align
from tetiwd.summarize.certainty import Memberships, memberships
from tetiwd.summarize.clustering import UNASSIGNED, Clustering, as_clustering
from tetiwd.summarize.coclustering import coclustering
from tetiwd.summarize.forecast import Forecast, forecast
from tetiwd.summarize.growth import Growth, growth
from tetiwd.summarize.lineages import Lineages, lineages
from tetiwd.summarize.markers import Markers, markers
from tetiwd.summarize.naming import Names
from tetiwd.summarize.object_maps import object_maps
from tetiwd.summarize.point_estimate import representative
from tetiwd.summarize.prototypes import prototypes
from tetiwd.summarize.transitions import Transitions, transitions
from tetiwd.summarize.unassigned import assigned_labels, nearest_lineages

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Analysis:
    """A sample and the answers that follow from it. Every answer is computed when it is first asked for, and kept.

    Parameters
    ----------
    sample : Sample
        The draws.
    settings : AnswerSettings
        Loss, smallest cluster, links and level of intervals; the defaults if not given.
    names : Names, optional
        Numbers and names of lineages to take over from an earlier run.

    Examples
    --------
    >>> from tetiwd import SamplerSettings, TeTiWD, simulate_separated
    >>> short = SamplerSettings(n_chains=2, n_warmup=50, n_draws=50)
    >>> D = simulate_separated(seed=1).D
    >>> model = TeTiWD(squared=True, dof=100, settings=short, random_state=0).fit(D)
    >>> analysis = model.analysis_
    >>> analysis.clustering.n_clusters
    [3, 3, 3, 3, 3]
    >>> analysis.n_clusters()[["time", "objects", "clusters"]].head(2)
      time  objects  clusters
    0    0       20         3
    1    1       20         3
    >>> analysis.prototypes.columns.tolist()
    ['lineage', 'time', 'object', 'members', 'to_members', 'to_others']
    """

    sample: Sample
    settings: AnswerSettings = field(default_factory=AnswerSettings)
    names: Names | None = None  # that lineages keep from an earlier run, or that a user gave

    @cached_property
    def clustering(self) -> Clustering:
        """The point estimate: one clustering that represents the draws, without the lineages that are too small."""
        s = self.settings
        seed = self.sample.settings.seed
        found = representative(self.sample, s.loss, at_most=s.at_most, links=s.links, seed=seed)
        labels = assigned_labels(found, s.min_size)
        clustering = found
        if any(len(labels_t) and labels_t.min() == UNASSIGNED for labels_t in labels):
            clustering = as_clustering(self.sample, labels, s.loss, found.found_by, found.linked_by)
        return clustering if self.names is None else self.names.applied(clustering)

    @cached_property
    def alignment(self) -> Alignment:
        """Every draw matched with that clustering."""
        return align(self.sample, self.clustering)

    @cached_property
    def lineages(self) -> Lineages:
        """Lineages through time: sizes, links, events, flows."""
        return lineages(self.alignment, level=self.settings.level)

    @cached_property
    def memberships(self) -> Memberships:
        """Probability of every object for every cluster of its time, and to be unassigned."""
        nearest = nearest_lineages(self.sample.series, self.clustering)
        rows = self.sample.series.rows
        return memberships(self.alignment, min_size=self.settings.min_size, nearest=nearest, rows=rows)

    @cached_property
    def forecast(self) -> Forecast | None:
        """Shares of the clusters at the next time; None if times are treated separately."""
        if not self.sample.hyperparameters.coupling:
            return None
        s = self.settings
        return forecast(self.sample, self.alignment, n_next=s.n_next, level=s.level, seed=self.sample.settings.seed)

    @cached_property
    def backtest(self) -> Backtest | None:
        """How forecasts of the times there are would have done, from the same draws; None if there is one time only,
        or times are treated separately."""
        if self.forecast is None or self.sample.series.n_epochs == 1:
            return None
        s = self.settings
        return backtest(self.sample, self.alignment, level=s.level, seed=self.sample.settings.seed)

    @cached_property
    def markers(self) -> Markers | None:
        """Features that mark the lineages; None if the features are not known, or there is no lineage."""
        space = self.sample.series.features
        return None if space is None or not self.clustering.n_lineages else markers(self.alignment, space)

    @cached_property
    def prototypes(self) -> "pd.DataFrame":
        """The most typical object of every cluster, one row per lineage and time."""
        return prototypes(self.sample.series, self.clustering)

    @cached_property
    def transitions(self) -> Transitions | None:
        """Who came from where; None if neither ids that return nor distances across times are known."""
        seed = self.sample.settings.seed
        return transitions(self.alignment, self.sample.series, level=self.settings.level, seed=seed)

    @cached_property
    def growth(self) -> Growth:
        """Who grows, and which lineages emerge."""
        return growth(self.alignment, level=self.settings.level, seed=self.sample.settings.seed)

    @cached_property
    def object_maps(self) -> tuple[NDArray[np.float64], ...]:
        """Positions of the objects of every time in a plane, T × (n_t, 2), for pictures."""
        return object_maps(self.sample.series, self.clustering)

    @cached_property
    def coclustering(self) -> list[NDArray[Any]]:
        """Probability of every two objects of a time to be together, T × (n_t, n_t)."""
        return [coclustering(self.sample, t) for t in range(self.sample.series.n_epochs)]

    def n_clusters(self) -> "pd.DataFrame":
        """How many clusters there are at every time.

        Returns
        -------
        DataFrame
            One row per time: objects, clusters of the point estimate, objects in none of them, and the posterior of the
            number of clusters, however small they are.
        """
        import pandas as pd

        series, tail = self.sample.series, (1 - self.settings.level) / 2
        drawn = np.concatenate([draws.n_clusters for draws in self.sample.draws if len(draws)])
        lower, median, upper = np.quantile(drawn, [tail, 0.5, 1 - tail], axis=0, method="closest_observation")
        columns = {
            "time": pd.Series(list(series.times), dtype=object),
            "objects": series.n_objects,
            "clusters": self.clustering.n_clusters,
            "unassigned": self.clustering.n_unassigned,
            "median": median.astype(int),
            "lower": lower.astype(int),
            "upper": upper.astype(int),
        }
        return pd.DataFrame(columns)

    def __repr__(self) -> str:
        return f"Analysis({self.clustering!r}; {self.sample.diagnostics.verdict})"
