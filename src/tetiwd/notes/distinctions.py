"""Clusters of sentences that distinguish a lineage: how much more often its notes have them, with intervals.

For every draw we count objects with and without such a sentence, in the lineage and elsewhere, and draw both shares
from the Beta posteriors of these counts (Jeffreys' prior; objects count once, see :mod:`tetiwd.notes.members`). The
intervals therefore include both sampling error and the uncertainty about the members of the lineage.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tetiwd.notes.members import FEW, Members, Usage, usage_of
from tetiwd.notes.pipeline import NotesSeries
from tetiwd.params import LEVEL

if TYPE_CHECKING:
    import pandas as pd

    from tetiwd.summarize.alignment import Alignment

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
COLUMNS = ("lineage", "cluster", "here", "elsewhere", "difference", "lower", "upper")
MOST_DRAWS = 200
N_SHARES = 4000  # drawn in all, at least
CANDIDATES = 12  # clusters of sentences of a lineage, in either direction, whose intervals are drawn
JEFFREYS = 0.5


def distinctions(
    notes: NotesSeries,
    alignment: "Alignment",
    members: Members,
    *,
    level: float = LEVEL,
    least: int = FEW,
    seed: int = 0,
) -> "pd.DataFrame":
    """One row per lineage and cluster of sentences that distinguishes it; by lineage, the most certain first.

    ``here`` and ``elsewhere`` are shares of objects in windows, ``difference`` is that of the shares with its interval
    from ``lower`` to ``upper``. Listed are the largest differences that are more than chance, among clusters that
    ``least`` objects or more have where they are more frequent.
    """
    import pandas as pd

    usage = usage_of(notes.rows.matrix, members)
    lineage, cluster = _candidates(usage, level, least)
    here, elsewhere = _shares_in_draws(notes, alignment, members, lineage, cluster, seed)
    difference = here - elsewhere
    tail = (1 - level) / 2
    lower, upper = np.quantile(difference, [tail, 1 - tail], axis=0)
    mean = difference.mean(axis=0)
    kept = np.flatnonzero((lower > 0) | (upper < 0))
    certain = np.where(lower > 0, lower, -upper)
    kept = kept[np.lexsort((-np.abs(mean[kept]), -certain[kept], lineage[kept]))]
    columns = (lineage, cluster, usage.here[lineage, cluster], usage.elsewhere[lineage, cluster], mean, lower, upper)
    return pd.DataFrame({name: values[kept] for name, values in zip(COLUMNS, columns, strict=True)})


def _candidates(usage: Usage, level: float, least: int) -> tuple[Ints, Ints]:
    """The largest clear differences of every lineage in either direction, as pairs of lineage and cluster."""
    difference = usage.here - usage.elsewhere
    possible = usage.clear(level) & usage.used_by(least)
    pairs = []
    for sign in (1, -1):
        size = np.where(possible & (sign * difference > 0), np.abs(difference), 0.0)
        order = np.argsort(-size, axis=1, kind="stable")[:, :CANDIDATES]
        lineage, rank = np.nonzero(np.take_along_axis(size, order, axis=1))
        pairs.append((lineage, order[lineage, rank]))
    lineage, cluster = (np.concatenate(column) for column in zip(*pairs, strict=True))
    return lineage, cluster


def _shares_in_draws(
    notes: NotesSeries, alignment: "Alignment", members: Members, lineage: Ints, cluster: Ints, seed: int
) -> tuple[Floats, Floats]:
    """Drawn shares here and elsewhere of every pair of lineage and cluster, both (shares, pairs)."""
    n_draws = min(MOST_DRAWS, alignment.n_draws)
    chosen = np.linspace(0, alignment.n_draws - 1, n_draws).round().astype(int)
    n_each = -(-N_SHARES // n_draws)
    rng = np.random.default_rng(seed)
    pairs = notes.rows.matrix[:, cluster].toarray().T  # (pairs, rows): things of the pairs
    everywhere = pairs.sum(axis=1)
    here, elsewhere = (np.empty((n_draws * n_each, len(lineage))) for _ in range(2))
    for s, words in enumerate(alignment.words[chosen]):
        drawn = Members(words.astype(np.int64), members.whose, members.n_lineages)
        inside = (pairs * (words[None, :] == lineage[:, None])).sum(axis=1)
        block = slice(s * n_each, (s + 1) * n_each)
        for target, with_it, n, objects in (
            (here, inside, drawn.n_rows, drawn.n_objects),
            (elsewhere, everywhere - inside, len(words) - drawn.n_rows, drawn.n_elsewhere),
        ):
            weight = objects[lineage] / np.maximum(n[lineage], 1)
            yes, no = with_it * weight, (n[lineage] - with_it) * weight
            target[block] = rng.beta(JEFFREYS + yes, JEFFREYS + no, (n_each, len(lineage)))
    return here, elsewhere
