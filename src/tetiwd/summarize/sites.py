"""What marks a lineage of sequences: sites at which its members have another letter than other sequences.

As with features (``markers``), the q value of a site is of a test on clusters that have not seen it. Objects are
assigned by all other sites to the lineage whose frequencies of letters suit them best.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import DataError
from tetiwd.params import check_share
from tetiwd.summarize.alignment import Alignment
from tetiwd.summarize.appearances import Appearances
from tetiwd.summarize.markers import FALSE_DISCOVERIES, MOST_VALUES
from tetiwd.summarize.permutation import FEWEST, compare_within, q_values
from tetiwd.summarize.strata import Strata
from tetiwd.summarize.without_feature import Halves

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
AT_ONCE = 1 << 21  # objects × lineages × sites that are looked at together
COLUMNS = ["lineage", "site", "letter", "here", "elsewhere", "difference", "p", "q", "stay"]


@dataclass(frozen=True, eq=False, repr=False)
class Sites:
    """Letters at sites that vary, compared between every lineage and the other sequences."""

    rows: "pd.DataFrame"
    n_compared: int  # sites
    n_sites: int  # that vary

    def table(self) -> "pd.DataFrame":
        """One row per lineage, site (from 1) and letter that three sequences have, the strongest of a lineage first.

        ``here`` and ``elsewhere`` are shares among sequences whose letter is known, ``difference`` is their difference
        within times. ``p`` and ``q`` are of a test on clusters that have not seen the site, and ``stay`` is the share
        of the members of the lineage that those clusters leave in it.
        """
        return self.rows.copy()

    def found(self, rate: float = FALSE_DISCOVERIES) -> "pd.DataFrame":
        """Characteristic sites: letters that are more frequent in a lineage, at a false discovery rate."""
        check_share("rate", rate)
        return self.rows[(self.rows.q <= rate) & (self.rows.difference > 0)].reset_index(drop=True)

    def __repr__(self) -> str:
        return f"Sites({self.n_sites} sites that vary, {len(self.found())} characteristic letters)"


def characteristic_sites(alignment: Alignment, codes: NDArray[np.uint8], letters: Sequence[str]) -> Sites:
    """Compare the letters of aligned sequences.

    Parameters
    ----------
    alignment : Alignment
        The draws matched with a clustering, from :func:`align`.
    codes : ndarray of int, shape (N, sites)
        Positions in ``letters``, (N, sites), of all objects of all epochs, epoch after epoch; any other number where
        the letter is not known.
    letters : str
        The alphabet, such as "ACGT".

    Returns
    -------
    Sites
        ``table()`` has one row per lineage, site and letter; ``found(rate)`` those that mark a lineage.

    Examples
    --------
    >>> import numpy as np
    >>> from tetiwd import Partitions, align, characteristic_sites, representative
    >>> labels = np.repeat([0, 1], 10)
    >>> draws = Partitions.from_labels(np.tile(labels, (5, 1)))
    >>> codes = np.column_stack([labels, labels, np.arange(20) % 2])  # the first two sites differ
    >>> sites = characteristic_sites(align(draws, representative(draws)), codes, "AC")
    >>> sites.found()[["lineage", "site", "letter"]]
       lineage  site letter
    0        0     1      A
    1        0     2      A
    2        1     1      C
    3        1     2      C
    """
    import pandas as pd

    clustering, appearances = alignment.clustering, Appearances.of(alignment.partitions)
    labels, k = clustering.flat, clustering.n_lineages
    if len(codes) != len(labels):
        raise DataError(f"there are {len(codes)} sequences for {len(labels)} objects")
    counts = np.stack([(codes == letter).sum(axis=0) for letter in range(len(letters))])
    vary = _most_variable(counts, max(1, MOST_VALUES // max(1, len(labels) * k)))
    profiles = _Profiles(codes[:, vary], len(letters), labels, k)
    strata, parts = Strata.of(appearances.first), []
    columns: list[tuple[Ints, Ints]] = []
    for some in profiles.chunks():
        letter, site = np.nonzero(counts[:, vary[some]] >= FEWEST)
        columns.append((letter, site))
        values = profiles.indicators(some, letter, site)
        for g in range(k):
            member = labels[:, None] == g
            each = appearances.one_value_each(values, member)
            inside = appearances.ever(member)
            part = {
                "lineage": g,
                "site": vary[some][site] + 1,
                "letter": [letters[code] for code in letter.tolist()],
                "here": _mean(each[inside[:, 0]]),
                "elsewhere": _mean(each[~inside[:, 0]]),
                "difference": compare_within(each, inside, strata).difference,
            }
            parts.append(pd.DataFrame(part))
    if not parts:
        return Sites(pd.DataFrame(columns=COLUMNS), 0, 0)

    def chunks() -> Iterator[tuple[Ints, Floats, Ints]]:
        for some, (letter, site) in zip(profiles.chunks(), columns, strict=True):
            yield some, profiles.indicators(some, letter, site), site

    tested = []
    if k > 1 and len(vary) > 1:
        tested = list(Halves.of(appearances, labels, k).test(chunks(), profiles.costs, len(vary)))
    table = pd.concat(parts, ignore_index=True)
    table["p"] = np.concatenate([p.ravel() for _, p, _ in tested]) if tested else np.nan
    table["stay"] = np.concatenate([stay.ravel() for _, _, stay in tested]) if tested else np.nan
    table["q"] = q_values(table.p.to_numpy(dtype=float))
    order = np.lexsort((table.elsewhere - table.here, table.lineage))
    n_vary = int(((counts >= FEWEST).sum(axis=0) > 1).sum())
    return Sites(table.iloc[order][COLUMNS].reset_index(drop=True), len(vary), n_vary)


@dataclass(frozen=True, eq=False)
class _Profiles:
    """Letters at sites that vary, and how well sequences suit lineages by each site."""

    codes: NDArray[np.uint8]
    n_letters: int
    labels: Ints
    n_lineages: int

    def chunks(self) -> Iterator[Ints]:
        """Some sites at a time."""
        n = self.codes.shape[1]
        step = max(1, AT_ONCE // max(1, len(self.labels) * self.n_lineages))
        for start in range(0, n, step):
            yield np.arange(start, min(start + step, n))

    def indicators(self, some: Ints, letter: Ints, site: Ints) -> Floats:
        """1 where a sequence has a letter at one of some sites, 0 where it has another, NaN where it is not known."""
        codes = self.codes[:, some][:, site]
        return np.where(codes < self.n_letters, codes == letter, np.nan)

    def costs(self, some: Ints, half: Bools) -> Floats:
        """Minus the log frequency of a sequence's letter in every lineage of one half of the objects, (N, k, m)."""
        codes, use = self.codes[:, some], half & (self.labels >= 0)
        costs = np.zeros((len(codes), self.n_lineages, len(some)))
        member = np.eye(self.n_lineages)[self.labels[use]]
        known = member.T @ (codes[use] < self.n_letters)
        for letter in range(self.n_letters):
            there = codes == letter
            counts = member.T @ there[use]
            overall = (counts.sum(axis=0) + 1 / self.n_letters) / (known.sum(axis=0) + 1)
            costs -= there[:, None, :] * np.log((counts + overall) / (known + 1))
        return costs


def _most_variable(counts: Ints, at_most: int) -> Ints:
    """Sites with two letters or more; of more than ``at_most``, those where most sequences differ from the rest."""
    vary = np.flatnonzero((counts >= FEWEST).sum(axis=0) > 1)
    differ = counts[:, vary].sum(axis=0) - counts[:, vary].max(axis=0)
    return np.sort(vary[np.argsort(-differ, kind="stable")[:at_most]])


def _mean(values: Floats) -> Floats:
    n = np.isfinite(values).sum(axis=0)
    return np.where(n > 0, np.nansum(values, axis=0) / np.maximum(n, 1), np.nan)
