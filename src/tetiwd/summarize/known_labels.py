"""How clusters agree with labels that are known from elsewhere, at every time, with posterior intervals.

With H the entropy of clusters and labels of the objects whose label is known:

    ARI           adjusted Rand index: 1 if they are the same, 0 on average by chance
    VI            variation of information in bits: H(labels | clusters) + H(clusters | labels), 0 if they are the same
    homogeneity   1 − H(labels | clusters) / H(labels): 1 if every cluster holds one label only
    completeness  1 − H(clusters | labels) / H(clusters): 1 if every label is in one cluster only

The intervals are over draws. Unassigned objects of the point estimate count as clusters of their own. Over all times
together, lineages take the place of clusters; those of draws are the lineages of the clustering that their clusters
correspond to, and all clusters without a counterpart are one more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import DataError
from tetiwd.params import LEVEL, check_share
from tetiwd.partitions import numbered
from tetiwd.summarize.alignment import Alignment
from tetiwd.summarize.clustering import UNASSIGNED, each_alone
from tetiwd.summarize.losses import ARI, CELLS_AT_ONCE

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
SCORES = ("ari", "vi", "homogeneity", "completeness")
ALL_TIMES = "all"


@dataclass(frozen=True, eq=False, repr=False)
class Agreement:
    """Scores of draws and point estimate, and the table of lineages by labels."""

    name: str
    level: float
    labels: tuple[str, ...]
    times: tuple[Any, ...]
    n_known: NDArray[np.int64]  # (T + 1,) objects with a known label; the last is all times together
    found: Floats  # (T + 1, 4) scores of the point estimate
    drawn: Floats  # (S, T + 1, 4)
    counts: NDArray[np.int64]  # (T, n_lineages + 1, labels) in the point estimate; unassigned objects come last
    expected: Floats  # the same over draws: mean, lower and upper end, (3, T, n_lineages + 1, labels)

    def table(self) -> "pd.DataFrame":
        """One row per time and one for all times together (lineages against labels), with every score of the point
        estimate, and its posterior mean and interval."""
        import pandas as pd

        tail = (1 - self.level) / 2
        mean = self.drawn.mean(axis=0)
        lower, upper = np.quantile(self.drawn, [tail, 1 - tail], axis=0)
        columns: dict[str, Any] = {
            "time": pd.Series([*self.times, ALL_TIMES], dtype=object),
            "objects": self.n_known,
        }
        for i, score in enumerate(SCORES):
            columns[score] = self.found[:, i]
            for end, values in (("mean", mean), ("lower", lower), ("upper", upper)):
                columns[f"{score}_{end}"] = values[:, i]
        table = pd.DataFrame(columns)
        table.loc[table.objects == 0, table.columns[2:]] = np.nan
        return table

    def confusion(self, *, by_time: bool = True) -> "pd.DataFrame":
        """One row per time, lineage and label that occur together: objects in the point estimate, and posterior mean
        and interval of their number. Lineage −1 are unassigned objects, and clusters of draws that the clustering does
        not have. ``by_time=False`` adds up the point estimate and the means over all times."""
        import pandas as pd

        mean, lower, upper = self.expected
        rows = []
        k = self.counts.shape[1] - 1
        if not by_time:
            counts, means = self.counts.sum(axis=0), mean.sum(axis=0)
            for g, label in np.argwhere((counts > 0) | (means >= 0.5)):
                row = {"lineage": int(g) if g < k else UNASSIGNED, "label": self.labels[label]}
                rows.append(row | {"objects": int(counts[g, label]), "expected": float(means[g, label])})
            return pd.DataFrame(rows, columns=["lineage", "label", "objects", "expected"])
        for t, g, label in np.argwhere((self.counts > 0) | (mean > 0)):
            rows.append(
                {
                    "time": self.times[t],
                    "lineage": int(g) if g < k else UNASSIGNED,
                    "label": self.labels[label],
                    "objects": int(self.counts[t, g, label]),
                    "expected": float(mean[t, g, label]),
                    "lower": float(lower[t, g, label]),
                    "upper": float(upper[t, g, label]),
                }
            )
        columns = ["time", "lineage", "label", "objects", "expected", "lower", "upper"]
        return pd.DataFrame(rows, columns=columns)

    def __repr__(self) -> str:
        return f"Agreement({self.name}: {len(self.labels)} labels, ARI {self.found[-1, 0]:.2f} over all times)"


def agreement(
    alignment: Alignment, labels: Sequence[Any], *, name: str = "known label", level: float = LEVEL
) -> Agreement:
    """Compare clusters and lineages with known labels.

    Parameters
    ----------
    alignment : Alignment
        The draws matched with a clustering, from :func:`align`.
    labels : sequence of length N
        A label for every object of every epoch, epoch after epoch; None where it is not known.
    name : str
        What the labels are, for tables.
    level : float
        Probability of the intervals.

    Returns
    -------
    Agreement
        ``table()`` has the scores of every time (adjusted Rand index, normalised mutual information, homogeneity,
        completeness) with intervals over draws; ``confusion()`` counts lineages by labels.

    Examples
    --------
    >>> from tetiwd import Partitions, align, representative, agreement
    >>> draws = Partitions.from_labels(
    ...     [
    ...         [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1]],  # three draws at the first time
    ...         [[0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1]],
    ...     ],
    ...     times=[2020, 2021],
    ...     ids=[list("abcdef"), list("abcdef")],
    ... )
    >>> alignment = align(draws, representative(draws))
    >>> found = agreement(alignment, list("xxxyyy") * 2)
    >>> found.table()[["time", "objects", "ari"]].round(2)
       time  objects   ari
    0  2020        6  1.00
    1  2021        6  0.32
    2   all       12  0.66
    >>> found.confusion()[["lineage", "label", "objects"]]
       lineage label  objects
    0        0     x        3
    1        1     x        0
    2        1     y        3
    3        0     x        3
    4        0     y        1
    5        1     y        2
    """
    check_share("level", level)
    partitions, clustering = alignment.partitions, alignment.clustering
    if len(labels) != sum(partitions.n_objects):
        raise DataError(f"there are {len(labels)} known labels for {sum(partitions.n_objects)} objects")
    known = np.array([label is not None for label in labels])
    if not known.any():
        raise DataError(f"no label of {name!r} is known for any of these objects", "look at ids and missing values")
    words = tuple(sorted({str(label) for label in labels if label is not None}))
    code = {word: i for i, word in enumerate(words)}
    truth = np.array([-1 if label is None else code[str(label)] for label in labels])
    own = each_alone(clustering.flat)
    parts = [np.arange(len(truth))[columns] for columns in partitions.columns] + [np.arange(len(truth))]
    chosen = [rows[known[rows]] for rows in parts]
    found = np.stack([_scores(own[None, rows], truth[rows], len(words))[0] for rows in chosen])
    draws = [partitions.labels] * partitions.n_epochs + [
        alignment.words
    ]  # over all times, lineages as in the clustering
    by_draw = [_scores(own[:, rows], truth[rows], len(words)) for own, rows in zip(draws, chosen, strict=True)]
    drawn = np.stack(by_draw, axis=1)
    k, T = alignment.n_lineages, partitions.n_epochs
    counts = np.zeros((T, k + 1, len(words)), dtype=np.int64)
    expected, tail = np.zeros((3, *counts.shape)), (1 - level) / 2
    for t, rows in enumerate(chosen[:-1]):
        in_draws = _tables(
            np.where(alignment.words[:, rows] < 0, k, alignment.words[:, rows]), truth[rows], k + 1, words
        )
        counts[t] = _tables(
            np.where(clustering.flat[rows] < 0, k, clustering.flat[rows])[None], truth[rows], k + 1, words
        )[0]
        ends = np.quantile(in_draws, [tail, 1 - tail], axis=0, method="closest_observation")
        expected[:, t] = in_draws.mean(axis=0), *ends
    n_known = np.array([len(rows) for rows in chosen])
    return Agreement(name, level, words, partitions.times, n_known, found, drawn, counts, expected)


def _tables(clusters: NDArray[Any], truth: NDArray[np.int64], n_clusters: int, words: Sequence[str]) -> NDArray[Any]:
    """Objects by cluster and label in every draw, (S, clusters, labels)."""
    S = len(clusters)
    cells = (np.arange(S)[:, None] * n_clusters + clusters) * len(words) + truth
    return np.bincount(cells.ravel(), minlength=S * n_clusters * len(words)).reshape(S, n_clusters, len(words))


def _scores(drawn: NDArray[Any], truth: NDArray[np.int64], n_labels: int) -> Floats:
    """All scores of every draw, (S, 4); a perfect agreement if there is nothing to disagree about."""
    S, n = drawn.shape
    scores = np.empty((S, len(SCORES)))
    if n == 0:
        scores[:] = np.nan
        return scores
    clusters = numbered(drawn)
    n_clusters = int(clusters.max()) + 1
    step = max(1, CELLS_AT_ONCE // max(n, n_clusters * n_labels))
    words = [""] * n_labels
    for start in range(0, S, step):
        some = slice(start, start + step)
        scores[some] = _scores_of(_tables(clusters[some].astype(np.int64), truth, n_clusters, words), n)
    return scores


def _scores_of(tables: NDArray[Any], n: int) -> Floats:
    """Scores from tables of objects by cluster and label, (draws, clusters, labels)."""
    by_cluster, by_label = tables.sum(axis=2), tables.sum(axis=1)
    both, clusters, labels = (
        _entropy(tables.reshape(len(tables), -1), n),
        _entropy(by_cluster, n),
        _entropy(by_label, n),
    )
    pairs = ARI().f
    ari = 1 - ARI().of_sizes(pairs(by_cluster).sum(1), pairs(by_label).sum(1), pairs(tables).sum((1, 2)), n)
    left = np.maximum(both - clusters, 0.0)  # H(labels | clusters)
    right = np.maximum(both - labels, 0.0)
    one_label, one_cluster = labels <= 1e-12, clusters <= 1e-12
    homogeneity = np.where(one_label, 1.0, 1 - left / np.where(one_label, 1.0, labels))
    completeness = np.where(one_cluster, 1.0, 1 - right / np.where(one_cluster, 1.0, clusters))
    return np.stack([ari, left + right, homogeneity, completeness], axis=1)


def _entropy(sizes: NDArray[Any], n: int) -> Floats:
    """In bits, (draws,)."""
    share = sizes / n
    return np.asarray(-(share * np.log2(np.where(share > 0, share, 1.0))).sum(axis=1))
