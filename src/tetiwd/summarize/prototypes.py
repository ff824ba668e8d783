"""Prototypes: the most typical object of every cluster, which is nearest to the others on average (its medoid)."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.feature_distances import FeatureDistances
from tetiwd.summarize.clustering import Clustering

if TYPE_CHECKING:
    import pandas as pd

    from tetiwd.data import DistanceSeries

Floats = NDArray[np.float64]


def prototypes(series: "DistanceSeries", clustering: Clustering) -> "pd.DataFrame":
    """The most typical object of every cluster: the member that is nearest to the others on average.

    Parameters
    ----------
    series : DistanceSeries
        The data. Similarities are turned into squared distances.
    clustering : Clustering
        The clusters.

    Returns
    -------
    DataFrame
        One row per lineage and time: the position ``object`` of the prototype within its time, its mean squared
        distance ``to_members`` and ``to_others`` (NaN if there are none).

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]] * 2)
    >>> year = np.repeat([2020, 2021], 6)
    >>> from tetiwd import Clustering, DistanceSeries, prototypes
    >>> series = DistanceSeries.from_features(X, time=year)
    >>> labels = np.repeat([0, 1], 3)
    >>> clustering = Clustering([labels, labels], (2020, 2021), 0.0, "vi", "hand")
    >>> prototypes(series, clustering)[["lineage", "time", "object"]]
       lineage  time  object
    0        0  2020       1
    1        0  2021       1
    2        1  2020       4
    3        1  2021       4
    """
    import pandas as pd

    rows: list[dict[str, Any]] = []
    for t, labels in enumerate(clustering.labels):
        lineages = np.unique(labels[labels >= 0])
        sums = _sums_to_clusters(series.matrices[t], series.kind, labels, clustering.n_lineages)
        for g in lineages.tolist():
            members = np.flatnonzero(labels == g)
            best = int(members[np.argmin(sums[members, g])])
            n, others = len(members), len(labels) - len(members)
            row = {"lineage": g, "time": series.times[t], "object": best}
            if series.ids is not None:
                row["id"] = series.ids[t][best]
            row |= {"members": n, "to_members": sums[best, g] / (n - 1) if n > 1 else np.nan}
            rows.append(row | {"to_others": (sums[best].sum() - sums[best, g]) / others if others else np.nan})
    ids = ["id"] if series.ids is not None else []
    columns = ["lineage", "time", "object", *ids, "members", "to_members", "to_others"]
    table = pd.DataFrame(rows, columns=columns)
    return table.sort_values("lineage", kind="stable", ignore_index=True)


def _sums_to_clusters(matrix: Any, kind: str, labels: NDArray[np.int64], k: int) -> Floats:
    """Squared distances from every object to the members of every cluster, summed, (n, k + 1); unassigned ones last."""
    slots = np.where(labels < 0, k, labels)
    if isinstance(matrix, FeatureDistances):
        return np.maximum(matrix.row_sums(matrix.sums(slots, k + 1)), 0.0)
    member = np.eye(k + 1)[slots]
    sums = np.asarray(matrix @ member, dtype=float)
    if kind == "distances":
        return sums
    own = np.diagonal(matrix).astype(float)
    return np.asarray(own[:, None] * member.sum(axis=0) + own @ member - 2 * sums)
