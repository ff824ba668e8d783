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
    """One row per lineage and time: the prototype, its mean squared distance to the other members, and that to all
    objects outside (NaN if there are none).

    ``object`` is its position within its time. Similarities are turned into squared distances.
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
