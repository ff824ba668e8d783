"""How certain the place of every object is, and which objects sit between clusters."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import SettingsError
from tetiwd.params import AnswerSettings
from tetiwd.partitions import Ints
from tetiwd.summarize.alignment import Alignment
from tetiwd.summarize.clustering import UNASSIGNED
from tetiwd.summarize.unassigned import unassigned_probabilities

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Memberships:
    """Probability of every object for every cluster of its epoch, over draws that were matched with a clustering."""

    alignment: Alignment
    probabilities: list[Floats]  # T × (n_t, n_lineages + 1); the last column is "a cluster that is not listed"
    unassigned: list[Floats]  # T × (n_t,) probability of every object to be unassigned
    nearest: list[Ints] | None = None  # T × (n_t,) the nearest lineage of every unassigned object, where that is known
    rows: Sequence[Ints] | None = None  # T × (n_t,) rows of the input

    @property
    def certainty(self) -> list[Floats]:
        """Probability of the cluster that the clustering puts every object in, or to be unassigned, T × (n_t,)."""
        labels = self.alignment.clustering.labels
        return [
            np.where(lineage == UNASSIGNED, alone, p[np.arange(len(p)), lineage])
            for p, alone, lineage in zip(self.probabilities, self.unassigned, labels, strict=True)
        ]

    def between(self, below: float = 0.7) -> "pd.DataFrame":
        """Rows of :meth:`table` of objects whose certainty is below a bound, the least certain first."""
        if not 0 < below <= 1:
            raise SettingsError(f"below must lie between 0 and 1, not {below!r}")
        table = self.table()
        return table[table.certainty < below].sort_values("certainty", kind="stable", ignore_index=True)

    def table(self) -> "pd.DataFrame":
        """One row per object: its epoch and position there, its id where ids are known, otherwise its row of the input
        (from 0, if that has all epochs), its cluster with the probability of it, the next best, and the probability to
        be unassigned.

        ``lineage`` is −1 for unassigned objects. ``next_lineage`` is −1 where that is a cluster the clustering does not
        have; for unassigned objects it is the most probable lineage, the nearest if none has been drawn.
        """
        import pandas as pd

        parts = []
        clustering, certainty = self.alignment.clustering, self.certainty
        for t, (p, lineage) in enumerate(zip(self.probabilities, clustering.labels, strict=True)):
            rows = np.arange(len(p))
            rest = p.copy()
            rest[rows, lineage] = -1  # of unassigned objects the last column
            following = rest.argmax(axis=1)
            best = np.maximum(rest[rows, following], 0)
            following = np.where(following == p.shape[1] - 1, -1, following)
            if self.nearest is not None:
                following = np.where((lineage == UNASSIGNED) & (best == 0), self.nearest[t], following)
            part = {
                "time": [clustering.times[t]] * len(p),
                "object": rows,
                "lineage": lineage,
                "certainty": certainty[t],
                "next_lineage": following,
                "next_probability": best,
                "unassigned_probability": self.unassigned[t],
            }
            parts.append(pd.DataFrame(part))
        table = pd.concat(parts, ignore_index=True)
        if self.alignment.partitions.ids is not None:
            ids = [id for by_epoch in self.alignment.partitions.ids for id in by_epoch.tolist()]
            table.insert(2, "id", pd.Series(ids, dtype=None if isinstance(ids[0], int) else object))
        elif self.rows is not None:
            table.insert(2, "row", np.concatenate(self.rows))
        return table

    def __repr__(self) -> str:
        certainty = np.concatenate(self.certainty)
        return (
            f"Memberships({len(certainty)} objects; certainty {certainty.mean():.2f} on average, "
            f"below one half for {(certainty < 0.5).sum()})"
        )


def memberships(
    alignment: Alignment,
    *,
    min_size: int = AnswerSettings.min_size,
    nearest: list[Ints] | None = None,
    rows: Sequence[Ints] | None = None,
) -> Memberships:
    """Share of draws in which every object is in every cluster of the clustering, or unassigned.

    Parameters
    ----------
    alignment : Alignment
        The draws matched with a clustering, from :func:`tetiwd.align`.
    min_size : int
        Objects a cluster needs; those of smaller ones are unassigned.
    nearest : list of T integer arrays, each of shape (n_t,), optional
        A lineage for unassigned objects that no draw has in any of them.
    rows : sequence of T integer arrays, each of shape (n_t,), optional
        Rows of the input that the objects come from, for tables.

    Returns
    -------
    Memberships
        ``probabilities`` is T × (n_t, lineages + 1), ``unassigned`` and ``certainty`` are T × (n_t,); ``table()`` has
        one row per object, and ``between(below)`` those that are less certain.

    Examples
    --------
    >>> from tetiwd import Partitions, align, representative, memberships
    >>> draws = Partitions.from_labels(
    ...     [
    ...         [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1]],  # three draws at the first time
    ...         [[0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1]],
    ...     ],
    ...     times=[2020, 2021],
    ...     ids=[list("abcdef"), list("abcdef")],
    ... )
    >>> alignment = align(draws, representative(draws))
    >>> found = memberships(alignment)
    >>> found.probabilities[0].round(2)  # of the objects of 2020 for lineages 0 and 1, and for any other
    array([[1.  , 0.  , 0.  ],
           [1.  , 0.  , 0.  ],
           [0.67, 0.33, 0.  ],
           [0.  , 1.  , 0.  ],
           [0.  , 1.  , 0.  ],
           [0.  , 1.  , 0.  ]])
    >>> found.between(below=0.7)[["time", "id", "lineage", "certainty"]].round(2)
       time id  lineage  certainty
    0  2020  c        0       0.67
    1  2021  d        0       0.67
    """
    k = alignment.n_lineages + 1
    probabilities: list[Any] = []
    for t in range(alignment.partitions.n_epochs):
        words = alignment.slots_at(t)
        n = words.shape[1]
        counts = np.bincount((np.arange(n) * k + words).ravel(), minlength=n * k).reshape(n, k)
        probabilities.append(counts / alignment.n_draws)
    return Memberships(alignment, probabilities, unassigned_probabilities(alignment, min_size), nearest, rows)
