"""What marks a lineage: features in which its members differ from other objects of the same time.

Effects are those of the clustering: the difference of means in standard deviations within lineages, and the probability
that a member has a larger value than somebody else (AUC). The q value of a feature is of a test on clusters that have
not seen it (``without_feature``): objects are assigned by all other features to the lineage with the nearest profile,
Gaussian with one variance per feature, of deviations from the means of times. A lineage that several features mark
stays much as it is. One that a single feature makes up dissolves, so that this feature has a large q value however
large its effect.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.feature_distances import is_sparse
from tetiwd.params import check_share
from tetiwd.summarize.appearances import Appearances
from tetiwd.summarize.permutation import compare_within, q_values, ranks_within
from tetiwd.summarize.strata import Strata
from tetiwd.summarize.without_feature import Halves

if TYPE_CHECKING:
    import pandas as pd

    from tetiwd.data.features import FeatureSpace
    from tetiwd.summarize.alignment import Alignment

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
MOST_VALUES = 10**7  # objects × features × lineages that are compared; of more features, those that vary most
AT_ONCE = 1 << 21  # of these together
FALSE_DISCOVERIES = 0.1  # rate at which markers are listed


@dataclass(frozen=True, eq=False, repr=False)
class Markers:
    """Every feature of every lineage, compared with the other objects of the same times."""

    rows: "pd.DataFrame"
    n_compared: int  # features
    n_features: int  # of the data

    def table(self) -> "pd.DataFrame":
        """One row per lineage and feature, the strongest of a lineage first.

        ``here`` and ``elsewhere`` are means in units of the data; ``difference`` is that of means within times, in
        standard deviations within lineages; ``auc`` is the probability that a member has a larger value than somebody
        else of its time. ``p`` and ``q`` are of a test on clusters that have not seen the feature, and ``stay`` is the
        share of the members of the lineage that those clusters leave in it.
        """
        return self.rows.copy()

    def found(self, rate: float = FALSE_DISCOVERIES) -> "pd.DataFrame":
        """Markers at a false discovery rate: rows with a q value of at most so much."""
        check_share("rate", rate)
        return self.rows[self.rows.q <= rate].reset_index(drop=True)

    def __repr__(self) -> str:
        return f"Markers({self.n_compared} features, {len(self.found())} markers with q ≤ {FALSE_DISCOVERIES})"


def markers(alignment: "Alignment", space: "FeatureSpace") -> Markers:
    """Features that mark the lineages: every feature of every lineage against the other objects of the same times.

    Parameters
    ----------
    alignment : Alignment
        The draws matched with a clustering, from :func:`tetiwd.align`.
    space : FeatureSpace
        ``features`` of a series that was made from features.

    Returns
    -------
    Markers
        ``table()`` has one row per lineage and feature with means, difference, area under the curve, p and q value;
        ``found(rate)`` those at a false discovery rate.

    Examples
    --------
    >>> import numpy as np
    >>> from tetiwd import DistanceSeries, Partitions, align, markers, representative
    >>> rng = np.random.default_rng(0)
    >>> labels = np.repeat([0, 1], 15)
    >>> X = np.column_stack([5 * labels, np.zeros(30)]) + rng.normal(size=(30, 2))
    >>> series = DistanceSeries.from_features(X, time=np.zeros(30))
    >>> draws = Partitions.from_labels(np.tile(labels, (5, 1)))
    >>> found = markers(align(draws, representative(draws)), series.features)
    >>> found.table()[["lineage", "feature", "auc"]].round(1)
       lineage    feature  auc
    0        0  feature 0  0.0
    1        0  feature 1  0.3
    2        1  feature 0  1.0
    3        1  feature 1  0.7
    """
    import pandas as pd

    clustering, appearances = alignment.clustering, Appearances.of(alignment.partitions)
    labels, k = clustering.flat, clustering.n_lineages
    chosen = most_variable(space, max(1, MOST_VALUES // max(1, len(labels) * k)))
    names = space.names or tuple(f"feature {j}" for j in range(space.n_features))
    profiles = _Profiles(space, chosen, labels, appearances.epoch, k)
    strata, parts = Strata.of(appearances.first), []
    for some in profiles.chunks():
        X = profiles.columns(some)
        ranks = ranks_within(X, appearances.epoch)
        for g in range(k):
            member = labels[:, None] == g
            inside = appearances.ever(member)
            each = appearances.one_value_each(ranks, member)  # ranks among all, means of some: may overshoot a little
            auc = np.clip(0.5 + compare_within(each, inside, strata).difference, 0, 1)
            within = compare_within(X, member, Strata.of(appearances.epoch)).difference
            deviation = profiles.deviation[some]
            others = member[:, 0] | ~inside[appearances.who, 0]
            part = {
                "lineage": g,
                "feature": [names[j] for j in chosen[some]],
                "here": profiles.in_units(X[member[:, 0]].mean(axis=0), some),
                "elsewhere": profiles.in_units(_mean(X[others & ~member[:, 0]]), some),
                "difference": within / np.where(deviation > 0, deviation, np.nan),
                "auc": auc,
            }
            parts.append(pd.DataFrame(part | {"position": some}))
    columns = ["lineage", "feature", "here", "elsewhere", "difference", "auc", "position"]
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)
    table["p"], table["stay"] = _tested(Halves.of(appearances, labels, k), profiles, table)
    table["q"] = q_values(table.p.to_numpy(dtype=float))
    order = np.lexsort((-np.abs(table.auc.to_numpy(dtype=float) - 0.5), table.lineage))
    rows = table.iloc[order][["lineage", "feature", "here", "elsewhere", "difference", "auc", "p", "q", "stay"]]
    return Markers(rows.reset_index(drop=True), len(chosen), space.n_features)


def _tested(halves: Halves, profiles: "_Profiles", table: "pd.DataFrame") -> tuple[Floats, Floats]:
    """p values and shares that stay, in the order of a table with lineages and positions of features."""
    shape = (max(1, halves.n_lineages), len(profiles.chosen))
    p, stay = np.full(shape, np.nan), np.full(shape, np.nan)
    if halves.n_lineages > 1 and len(profiles.chosen) > 1:

        def chunks() -> Iterator[tuple[Ints, Floats, Ints]]:
            for some in profiles.chunks():
                yield some, ranks_within(profiles.columns(some), profiles.epoch), np.arange(len(some))

        for some, p_some, stay_some in halves.test(chunks(), profiles.costs, len(profiles.chosen)):
            p[:, some], stay[:, some] = p_some, stay_some
    lineage, position = table.lineage.to_numpy(dtype=int), table.position.to_numpy(dtype=int)
    return p[lineage, position], stay[lineage, position]


@dataclass(frozen=True, eq=False)
class _Profiles:
    """Some features of all objects, and how well objects suit lineages by each of them."""

    space: "FeatureSpace"
    chosen: Ints
    labels: Ints
    epoch: Ints
    n_lineages: int

    def chunks(self) -> Iterator[Ints]:
        """Positions of some features at a time."""
        step = max(1, AT_ONCE // max(1, len(self.labels) * self.n_lineages))
        for start in range(0, len(self.chosen), step):
            yield np.arange(start, min(start + step, len(self.chosen)))

    def columns(self, some: Ints) -> Floats:
        """Features at some positions, (N, m)."""
        return columns_of(self.space, self.chosen[some])

    def in_units(self, values: Floats, some: Ints) -> Floats:
        """Values in the units in which they were given."""
        centre, spread = self.space.centre, self.space.spread
        if centre is None or spread is None:
            return values
        return np.asarray(values * spread[self.chosen[some]] + centre[self.chosen[some]])

    @property
    def deviation(self) -> Floats:
        """Standard deviation within lineages and times, of every feature."""
        cells = np.where(self.labels < 0, -1, self.epoch * self.n_lineages + self.labels)
        parts = [np.sqrt(_variance(Strata.of(cells).deviations(self.columns(some)), cells)) for some in self.chunks()]
        return np.concatenate(parts)

    def costs(self, some: Ints, half: Bools) -> Floats:
        """Half the squared deviation from the profile of every lineage in one half of the objects, (N, k, m)."""
        X = Strata.of(self.epoch).deviations(self.columns(some))
        use = half & (self.labels >= 0)
        sums, n = np.zeros((self.n_lineages, len(some))), np.bincount(self.labels[use], minlength=self.n_lineages)
        np.add.at(sums, self.labels[use], X[use])
        means = sums / np.maximum(n, 1)[:, None]
        variance = ((X[use] - means[self.labels[use]]) ** 2).sum(axis=0) / max(1, use.sum() - (n > 0).sum())
        scaled = np.sqrt(np.where(variance > 0, variance, np.inf))
        return np.asarray(0.5 * ((X[:, None, :] - means) / scaled) ** 2)


def columns_of(space: "FeatureSpace", some: Ints) -> Floats:
    """Some columns of all epochs, as a dense array."""
    blocks = [rows[:, some] for rows in space.rows]
    return np.concatenate([np.asarray(block.toarray() if is_sparse(block) else block, dtype=float) for block in blocks])


def most_variable(space: "FeatureSpace", at_most: int) -> Ints:
    """Columns that vary; of more than ``at_most``, those that vary most."""
    deviations = space.deviations()
    order = np.argsort(-deviations, kind="stable")[:at_most]
    return np.sort(order[deviations[order] > 0])


def _variance(deviations: Floats, cells: Ints) -> Floats:
    """Of deviations from the means of cells; −1 is none."""
    use = cells >= 0
    spare = use.sum() - len(np.unique(cells[use]))
    return np.asarray((deviations[use] ** 2).sum(axis=0) / max(1, spare))


def _mean(values: Floats) -> Floats:
    return values.mean(axis=0) if len(values) else np.full(values.shape[1], np.nan)
