"""Lineages through time: when they are born and die, how large they are, and how certain every link is."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import SettingsError
from tetiwd.params import LEVEL, check_share
from tetiwd.summarize.alignment import Alignment
from tetiwd.summarize.kinship import Kinship, SharedObjects, flows_in_draws, recurring
from tetiwd.summarize.links import Links, ModelLinks, PlaceLinks

if TYPE_CHECKING:
    import pandas as pd

Bools = NDArray[np.bool_]
EVENTS = ("born", "died", "split", "merged", "returned")


@dataclass(frozen=True, eq=False, repr=False)
class Lineages:
    """The lineages of a clustering, with what the draws say about them. Tables are pandas DataFrames."""

    alignment: Alignment
    kinship: Kinship
    linked_by: Links
    level: float = LEVEL

    def table(self) -> "pd.DataFrame":
        """One row per lineage: first and last time, sizes at every time, and how stable its links are.

        ``stability`` is the mean probability of its links, ``weakest_link`` the smallest; both are NaN for a lineage of
        one epoch.
        """
        return self._table.copy()

    @cached_property
    def _table(self) -> "pd.DataFrame":
        import pandas as pd

        links = self._links
        within = links[links.in_clustering].groupby("lineage").probability
        times = self._times
        sizes, present = self.alignment.clustering.sizes, self.alignment.present
        rows = []
        for g in self.alignment.clustering.lineages.tolist():
            epochs = np.flatnonzero(present[:, g])
            rows.append(
                {
                    "lineage": g,
                    "first": times[epochs[0]],
                    "last": times[epochs[-1]],
                    "n_epochs": len(epochs),
                    "n_gaps": int((np.diff(epochs) > 1).sum()),
                    "objects": int(sizes[:, g].sum()),
                }
            )
        columns = ["lineage", "first", "last", "n_epochs", "n_gaps", "objects"]  # of a table without rows, too
        table = pd.DataFrame(rows, columns=columns).set_index("lineage")
        table["stability"] = within.mean().reindex(table.index)
        table["weakest_link"] = within.min().reindex(table.index)
        at_times = pd.DataFrame(sizes.T[table.index], index=table.index, columns=[f"size at {time}" for time in times])
        return table.join(at_times).reset_index()

    def sizes(self) -> "pd.DataFrame":
        """One row per lineage and time: its size, what size the draws give it, and how often they have it at all."""
        import pandas as pd

        drawn = self.alignment.sizes()[:, :, :-1]
        tail = (1 - self.level) / 2
        lower, upper = np.quantile(drawn, [tail, 1 - tail], axis=0, method="closest_observation")
        there = (self.alignment.counterpart >= 0).mean(axis=0)
        t, g = np.nonzero(self.alignment.present)
        return pd.DataFrame(
            {
                "lineage": g,
                "time": [self._times[epoch] for epoch in t],
                "size": self.alignment.clustering.sizes[t, g],
                "expected_size": drawn.mean(axis=0)[t, g],
                "lower": lower[t, g],
                "upper": upper[t, g],
                "probability": there[t, g],
            }
        )

    def links(self) -> "pd.DataFrame":
        """One row per pair of clusters of consecutive epochs that any draw links, with the probability of the link.
        A lineage of the clustering that skips epochs has a row for that, too.

        Links are of the kind that made the clustering's lineages (``Clustering.linked_by``).

        ``source`` and ``target`` are (lineage, time), so that ``networkx.from_pandas_edgelist(links, edge_attr=True,
        create_using=networkx.DiGraph)`` makes the graph. ``in_clustering`` marks links of the clustering itself;
        ``lineage`` is the lineage these belong to, −1 for others.
        """
        return self._links.copy()

    @cached_property
    def _links(self) -> "pd.DataFrame":
        import pandas as pd

        rows = []
        for t in range(1, len(self._times)):
            probability = self.linked_by.linked(self.alignment, t).mean(axis=0)
            both = np.outer(self.alignment.present[t - 1], self.alignment.present[t])
            for g, h in np.argwhere(both & ((probability > 0) | np.eye(len(probability), dtype=bool))):
                rows.append(self._link(t - 1, int(g), t, int(h), probability[g, h]))
            for g, earlier in self._gaps(t):
                back = self.linked_by.returned(self.alignment, earlier, t)
                rows.append(self._link(earlier, g, t, g, np.nan if back is None else back[:, g, g].mean()))
        kinds = {"probability": float, "in_clustering": bool, "lineage": int}  # of a table without rows, too
        return pd.DataFrame(rows, columns=["source", "target", *kinds]).astype(kinds)

    def events(self, least: float = 0.05) -> "pd.DataFrame":
        """Events with their probabilities: one row per event that is at least so probable, in order of time.

        A lineage is "born" at the first time it is there, "died" at the first time it is not. It has "split" at a time
        if two or more clusters of that time go on with it and at least one of them does not continue another lineage;
        "merged" is the same with time reversed. It has "returned" if it is new at a time but of one kind with a lineage
        that had ended earlier, and then it does not count as born. The last three need objects known by name, or
        cross-time distances. ``others`` are the clusters concerned, the most probable first.
        """
        if not 0 <= least <= 1:
            raise SettingsError(f"least must be a probability, not {least!r}")
        table = self._events
        return table[table.probability >= max(least, np.finfo(float).tiny)].reset_index(drop=True)

    @cached_property
    def _events(self) -> "pd.DataFrame":
        import pandas as pd

        rows: list[dict[str, Any]] = []
        for t in range(1, len(self._times)):
            born, died = self.linked_by.born(self.alignment, t), self.linked_by.died(self.alignment, t)
            back = self._returned(t, born)
            really_born = (born & ~back.any(axis=2)).mean(axis=0)
            before, now = self.alignment.present[t - 1], self.alignment.present[t]
            rows += self._listed("born", t, really_born, now)
            rows += self._listed("died", t, died.mean(axis=0), before)
            rows += self._split_or_merged(t, born, died)
            rows += self._listed("returned", t, back.any(axis=2).mean(axis=0), now, back.mean(axis=0))
        return pd.DataFrame(rows, columns=["time", "event", "lineage", "probability", "others"])

    def flows(self) -> "pd.DataFrame":
        """Where identified objects go: one row per pair of times and lineages, from one appearance to the next.

        ``n_objects`` counts in the clustering, ``expected`` is the mean over draws; ``n_skipped`` is the number of
        epochs at which the object was not there. Lineage −1 are unassigned objects, and in draws all clusters that the
        clustering does not have.
        """
        return self._flows.copy()

    @cached_property
    def _flows(self) -> "pd.DataFrame":
        import pandas as pd

        ids, clustering = self.alignment.partitions.ids, self.alignment.clustering
        columns = ["from_time", "to_time", "n_skipped", "from_lineage", "to_lineage", "n_objects", "expected"]
        rows: list[list[Any]] = []
        if ids is None:
            return pd.DataFrame(rows, columns=columns)
        k = self.alignment.n_lineages + 1
        for t, later, here, there in next_appearances(ids):
            expected = flows_in_draws(self.alignment, t, here, later, there).mean(axis=0)
            cells = clustering.labels[t][here] % k * k + clustering.labels[later][there] % k  # UNASSIGNED is the last
            counted = np.bincount(cells, minlength=k * k).reshape(k, k)
            for g, h in np.argwhere((expected > 0) | (counted > 0)):
                lineages = [int(c) if c < k - 1 else -1 for c in (g, h)]
                values = [self._times[t], self._times[later], later - t - 1, *lineages]
                rows.append([*values, int(counted[g, h]), float(expected[g, h])])
        return pd.DataFrame(rows, columns=columns)

    def __repr__(self) -> str:
        links = self._links
        sure = links[links.in_clustering].probability.dropna()
        shown = f"; links {sure.mean():.0%} certain on average" if len(sure) else ""
        return f"Lineages({len(self.alignment.clustering.lineages)} lineages over {len(self._times)} epochs{shown})"

    def _link(self, t: int, g: int, later: int, h: int, probability: float) -> dict[str, Any]:
        return {
            "source": (g, self._times[t]),
            "target": (h, self._times[later]),
            "probability": float(probability),
            "in_clustering": g == h,
            "lineage": g if g == h else -1,
        }

    def _gaps(self, t: int) -> list[tuple[int, int]]:
        """Lineages that the clustering has at t but not just before, and the epoch they had last been there."""
        present = self.alignment.present
        back = present[t] & ~present[t - 1] & present[: t - 1].any(axis=0)
        return [(int(g), int(np.flatnonzero(present[: t - 1, g])[-1])) for g in np.flatnonzero(back)]

    @property
    def _times(self) -> tuple[Any, ...]:
        return self.alignment.partitions.times

    def _split_or_merged(self, t: int, born: Bools, died: Bools) -> list[dict[str, Any]]:
        kin = self.kinship.between(self.alignment, t - 1, t)
        if kin is None:
            return []
        goes_on, comes_from = kin[0], kin[1].transpose(0, 2, 1)
        split = (goes_on.sum(axis=2) > 1) & (goes_on & born[:, None, :]).any(axis=2)
        merged = (comes_from.sum(axis=2) > 1) & (comes_from & died[:, None, :]).any(axis=2)
        into = (goes_on & split[:, :, None]).mean(axis=0)
        out_of = (comes_from & merged[:, :, None]).mean(axis=0)
        return [
            *self._listed("split", t, split.mean(axis=0), self.alignment.present[t - 1], into),
            *self._listed("merged", t, merged.mean(axis=0), self.alignment.present[t], out_of),
        ]

    def _returned(self, t: int, born: Bools) -> Bools:
        """Does a cluster that seems new at t come from a lineage that had ended? (S, n_lineages, n_lineages)."""
        back = np.zeros((self.alignment.n_draws, self.alignment.n_lineages, self.alignment.n_lineages), dtype=bool)
        for earlier in range(t - 1):
            kin = self.kinship.between(self.alignment, earlier, t)
            if kin is not None:
                ended = self.linked_by.died(self.alignment, earlier + 1)
                back |= kin[1].transpose(0, 2, 1) & ended[:, None, :] & born[:, :, None]
        return back

    def _listed(
        self, event: str, t: int, probability: NDArray[Any], present: Bools, others: NDArray[Any] | None = None
    ) -> list[dict[str, Any]]:
        """Rows for the lineages that are present, with the other lineages concerned."""
        rows = []
        for g in np.flatnonzero(present & (probability > 0)):
            row = {"time": self._times[t], "event": event, "lineage": int(g), "probability": float(probability[g])}
            concerned: tuple[int, ...] = ()
            if others is not None:
                order = np.argsort(-others[g], kind="stable")
                concerned = tuple(int(h) for h in order if others[g, h] >= probability[g] / 2)
            rows.append(row | {"others": concerned})
        return rows


def lineages(
    alignment: Alignment, *, kinship: Kinship | None = None, share: float = 0.25, level: float = LEVEL
) -> Lineages:
    """Everything about the lineages of a clustering.

    Parameters
    ----------
    alignment : Alignment
        The draws matched with the clustering, from :func:`align`.
    kinship : SharedObjects or SamePlace, optional
        How splits, merges and returns are recognised: :class:`SharedObjects` (by name) or :class:`SamePlace` (from
        cross-time distances). None for places if these made the links, and for names otherwise.
    share : float
        With names: the share of the objects of a cluster that makes another cluster its kin.
    level : float
        Probability of the intervals of sizes.

    Returns
    -------
    Lineages
        ``table()``, ``sizes()``, ``links()``, ``events()`` and ``flows()`` are pandas tables.

    Examples
    --------
    >>> from tetiwd import Partitions, align, representative, lineages
    >>> draws = Partitions.from_labels(
    ...     [
    ...         [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1]],  # three draws at the first time
    ...         [[0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1]],
    ...     ],
    ...     times=[2020, 2021],
    ...     ids=[list("abcdef"), list("abcdef")],
    ... )
    >>> alignment = align(draws, representative(draws))
    >>> found = lineages(alignment)
    >>> found.table()[["lineage", "first", "last", "objects", "stability"]]
       lineage  first  last  objects  stability
    0        0   2020  2021        7   1.000000
    1        1   2020  2021        5   0.666667
    >>> found.links()[["source", "target", "probability"]].round(2)
          source     target  probability
    0  (0, 2020)  (0, 2021)         1.00
    1  (1, 2020)  (1, 2021)         0.67
    """
    check_share("share", share)
    check_share("level", level)
    links = cast("Links | None", alignment.clustering.linked_by) or ModelLinks()
    if kinship is None:
        kinship = links.place if isinstance(links, PlaceLinks) else SharedObjects(share)
    return Lineages(alignment, kinship, links, level)


def next_appearances(ids: tuple[NDArray[Any], ...]) -> list[tuple[int, int, NDArray[np.int64], NDArray[np.int64]]]:
    """Epoch, epoch of the next appearance, and the positions of the objects at both, for all pairs of epochs."""
    pairs = []
    waiting: list[set[Any]] = []  # per earlier epoch, the objects that have not been seen since
    for later, ids_later in enumerate(ids):
        for t in range(later):
            here, there = recurring(ids[t], ids_later)
            last_seen_here = [i for i, where in enumerate(here) if ids[t][where] in waiting[t]]
            if last_seen_here:
                pairs.append((t, later, here[last_seen_here], there[last_seen_here]))
        now = set(ids_later.tolist())
        for earlier in waiting:
            earlier -= now
        waiting.append(now)
    return sorted(pairs, key=lambda pair: pair[:2])
