"""ModeAnalysis: the mode and what can be said from it: one clustering, its lineages, memberships given the rest.

Nothing here is about uncertainty. Tables have no probabilities except those of :attr:`ModeAnalysis.memberships`, which
are of one object at a time while all others stay.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.mode import check_heeded
from tetiwd.params import AnswerSettings
from tetiwd.partitions import Partitions
from tetiwd.sample import Mode
from tetiwd.summarize.alignment import Alignment, align
from tetiwd.summarize.certainty import Memberships
from tetiwd.summarize.clustering import UNASSIGNED, Clustering, as_clustering
from tetiwd.summarize.conditional import conditional_memberships
from tetiwd.summarize.lineages import Lineages, lineages
from tetiwd.summarize.object_maps import object_maps
from tetiwd.summarize.point_estimate import linked, links_called, place_links, sampled_lineages
from tetiwd.summarize.unassigned import assigned_labels, nearest_lineages, unassigned_given_others

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class ModeLineages:
    """The lineages of a mode. Tables are pandas DataFrames, those of :class:`tetiwd.summarize.lineages.Lineages`
    without what only draws can tell."""

    whole: Lineages

    def table(self) -> "pd.DataFrame":
        """One row per lineage: first and last time, and sizes at every time."""
        return self.whole.table().drop(columns=["stability", "weakest_link"])

    def sizes(self) -> "pd.DataFrame":
        """One row per lineage and time: its size."""
        return self.whole.sizes()[["lineage", "time", "size"]]

    def links(self) -> "pd.DataFrame":
        """One row per link of a lineage; ``source`` and ``target`` are (lineage, time)."""
        links = self.whole.links()
        return links.loc[links.in_clustering, ["source", "target", "lineage"]].reset_index(drop=True)

    def events(self) -> "pd.DataFrame":
        """One row per event in the life of a lineage, in order of time."""
        return self.whole.events().drop(columns="probability")

    def flows(self) -> "pd.DataFrame":
        """Where identified objects go: one row per pair of times and lineages."""
        return self.whole.flows().drop(columns="expected")

    def __repr__(self) -> str:
        alignment = self.whole.alignment
        return (
            f"ModeLineages({len(alignment.clustering.lineages)} lineages over {alignment.partitions.n_epochs} epochs)"
        )


@dataclass(frozen=True, eq=False, repr=False)
class ModeAnalysis:
    """The mode and what follows from it. For anything about uncertainty there have to be draws."""

    mode: Mode
    settings: AnswerSettings = field(default_factory=AnswerSettings)
    seconds: float | None = None  # that it took, where that is known

    def __post_init__(self) -> None:
        check_heeded(self.settings)

    @cached_property
    def clustering(self) -> Clustering:
        """The clusters of the mode, without lineages that are too small. They are linked by objects or places where
        these are known, else by the model."""
        partitions = self._partitions
        clusters = [partitions.epoch(t).labels[0].astype(np.int64) for t in range(partitions.n_epochs)]
        series = None if self.mode.series.cross is None else self.mode.series
        if self.mode.hyperparameters.moves and self.settings.links in ("auto", "model"):
            how = sampled_lineages(self.settings.links, partitions.ids)
        else:
            how = links_called(self.settings.links, partitions.ids, series)
        source = place_links(how, clusters) if isinstance(how, DistanceSeries) else how
        found = as_clustering(partitions, linked(partitions, clusters, source), found_by="mode", linked_by=source)
        labels = assigned_labels(found, self.settings.min_size)
        found = as_clustering(partitions, labels, found_by="mode", linked_by=source)
        return replace(found, expected_loss=nan, loss="")

    @cached_property
    def lineages(self) -> ModeLineages:
        """Lineages through time: sizes, links, events, flows."""
        return ModeLineages(lineages(self._alignment))

    @cached_property
    def memberships(self) -> Memberships:
        """Probability of every object for every cluster of its time if everything else stays as it is."""
        probabilities, unassigned = [], []
        n_lineages, min_size = self.clustering.n_lineages, self.settings.min_size
        own_words = [labels_t.ravel() for labels_t in self._partitions.split(self._partitions.labels[0])]
        for found, own, labels in zip(
            conditional_memberships(self.mode), own_words, self.clustering.labels, strict=True
        ):
            # columns are clusters in increasing order of their own label
            _, first, cluster, sizes = np.unique(own, return_index=True, return_inverse=True, return_counts=True)
            lineages = np.append(labels[first], UNASSIGNED)
            here = np.zeros((len(found), n_lineages + 1))
            np.add.at(here.T, lineages, found.T)  # UNASSIGNED is the last one
            probabilities.append(here)
            unassigned.append(unassigned_given_others(found, cluster, sizes, lineages, min_size))
        nearest = nearest_lineages(self.mode.series, self.clustering)
        return Memberships(self._alignment, probabilities, unassigned, nearest, self.mode.series.rows)

    @cached_property
    def object_maps(self) -> tuple[NDArray[np.float64], ...]:
        """Positions of the objects of every time in a plane, T × (n_t, 2), for pictures."""
        return object_maps(self.mode.series, self.clustering)

    @property
    def present(self) -> NDArray[np.bool_]:
        """Is this lineage there at this time? (T, n_lineages)."""
        return self._alignment.present

    def n_clusters(self) -> "pd.DataFrame":
        """One row per time: objects, clusters, and objects in none of them."""
        import pandas as pd

        series = self.mode.series
        columns = {
            "time": pd.Series(list(series.times), dtype=object),
            "objects": series.n_objects,
            "clusters": self.clustering.n_clusters,
            "unassigned": self.clustering.n_unassigned,
        }
        return pd.DataFrame(columns)

    def starts(self) -> "pd.DataFrame":
        """One row per start: the number of clusters at all times, and the log joint density it reached."""
        import pandas as pd

        rows = [
            {
                "start": i + 1,
                "clusters": sum(len(np.unique(labels)) for labels in frozen.labels),
                "log_joint": frozen.log_joint,
                "chosen": i == self.mode.best,
                "still_moving": frozen.still_moving,
            }
            for i, frozen in enumerate(self.mode.starts)
        ]
        return pd.DataFrame(rows)

    @cached_property
    def _partitions(self) -> Partitions:
        return Partitions.of_draws([self.mode.state], self.mode.series)

    @cached_property
    def _alignment(self) -> Alignment:
        return align(self._partitions, self.clustering)

    def __repr__(self) -> str:
        return f"ModeAnalysis({self.clustering!r}; {self.mode!r})"
