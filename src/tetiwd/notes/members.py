"""Members of lineages, and how often things occur in their notes, compared with all other notes.

A thing is a word or a cluster of sentences; it either occurs in the notes of an object in a window or it does not.
Shares are of objects in windows. The notes of an object in several windows are much alike, so that tests and intervals
count different objects, not objects in windows.
"""

from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import DataError
from tetiwd.notes.pipeline import NotesSeries

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from tetiwd.analysis import Analysis

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
FEW = 5  # objects; a smaller group could reveal who is in it


@dataclass(frozen=True, eq=False, repr=False)
class Members:
    """The lineage of every object in every window."""

    lineage: Ints  # (rows,) −1 for none of the lineages
    whose: Ints  # (rows,) number of the object, none left out
    n_lineages: int

    @cached_property
    def n_rows(self) -> Ints:
        """Objects in windows of every lineage, (lineages,)."""
        return np.bincount(self.lineage + 1, minlength=self.n_lineages + 1)[1:]

    @cached_property
    def n_objects(self) -> Ints:
        """Different objects that have ever been in the lineage, (lineages,)."""
        return (self._n_windows > 0).sum(axis=1)

    @cached_property
    def n_elsewhere(self) -> Ints:
        """Different objects that have ever been outside of the lineage, (lineages,)."""
        return (self._n_windows < np.bincount(self.whose)).sum(axis=1)

    @cached_property
    def _n_windows(self) -> Ints:
        """Windows in which every object is in every lineage, (lineages, objects)."""
        n_objects = int(self.whose.max()) + 1
        pairs = (self.lineage + 1) * n_objects + self.whose
        return np.bincount(pairs, minlength=(self.n_lineages + 1) * n_objects).reshape(-1, n_objects)[1:]

    @property
    def small(self) -> Bools:
        """Has the lineage fewer than five objects? (lineages,)."""
        return self.n_objects < FEW

    @property
    def compared(self) -> Bools:
        """Have both the lineage and all others five objects or more? (lineages,).

        If few are elsewhere, what the lineage says less often is what those few say.
        """
        return ~self.small & (self.n_elsewhere >= FEW)


@dataclass(frozen=True, eq=False, repr=False)
class Usage:
    """Counts by lineage and thing, all (lineages, things)."""

    members: Members
    rows: Ints  # objects in windows with the thing, in the lineage
    rows_elsewhere: Ints
    objects: Ints  # different objects with it, in the lineage
    objects_elsewhere: Ints

    @cached_property
    def here(self) -> Floats:
        """Share of the lineage's objects in windows that have it."""
        return self.rows / self.members.n_rows[:, None]

    @cached_property
    def elsewhere(self) -> Floats:
        """Share of all others; NaN where there are none."""
        n = self._n_rows_elsewhere
        return np.divide(self.rows_elsewhere, n, out=np.full(self.rows.shape, np.nan), where=n > 0)

    @cached_property
    def log_odds(self) -> Floats:
        """Log odds ratio of the lineage against all others, with half an object added to every count to keep it finite.

        Above 0 where a thing is used more, below 0 where it is used less.
        """
        yes, no, yes_elsewhere, no_elsewhere = (count + 0.5 for count in self._counts)
        return np.log(yes / no * (no_elsewhere / yes_elsewhere))

    def certain(self, level: float) -> Floats:
        """The end of the interval of ``log_odds`` that is nearer to 0; 0 if the interval has both signs."""
        error = np.sqrt(sum(1 / (count + 0.5) for count in self._counts))
        end = np.abs(self.log_odds) - NormalDist().inv_cdf((1 + level) / 2) * error
        return np.sign(self.log_odds) * np.maximum(end, 0.0)

    def clear(self, level: float) -> Bools:
        """Is the difference significant?

        A likelihood-ratio test of the table of four counts; the level is corrected for the number of tests
        (Bonferroni).
        """
        yes, no, yes_elsewhere, no_elsewhere = self._counts
        total = yes + no + yes_elsewhere + no_elsewhere
        statistic = np.zeros(self.rows.shape)
        for count, side, kind in (
            (yes, yes + no, yes + yes_elsewhere),
            (no, yes + no, no + no_elsewhere),
            (yes_elsewhere, yes_elsewhere + no_elsewhere, yes + yes_elsewhere),
            (no_elsewhere, yes_elsewhere + no_elsewhere, no + no_elsewhere),
        ):
            ratio = np.divide(count * total, side * kind, out=np.ones(count.shape), where=count > 0)
            statistic += 2 * count * np.log(ratio)
        limit = NormalDist().inv_cdf(1 - (1 - level) / 2 / self.rows.size)
        return np.sqrt(np.maximum(statistic, 0.0)) > limit

    def used_by(self, least: int = FEW) -> Bools:
        """Do at least so many different objects have the thing, on the side where it is more frequent?"""
        return np.where(self.here >= self.elsewhere, self.objects, self.objects_elsewhere) >= least

    @property
    def _n_rows_elsewhere(self) -> Ints:
        return (len(self.members.lineage) - self.members.n_rows)[:, None]

    @cached_property
    def _counts(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Different objects with and without the thing, in the lineage and elsewhere."""
        here = (self.members.n_objects / self.members.n_rows)[:, None]
        n = self._n_rows_elsewhere
        there = self.members.n_elsewhere[:, None] / np.maximum(n, 1)
        return (
            self.rows * here,
            (self.members.n_rows[:, None] - self.rows) * here,
            self.rows_elsewhere * there,
            (n - self.rows_elsewhere) * there,
        )


def members_of(notes: NotesSeries, analysis: "Analysis") -> Members:
    """The members of the lineages of an analysis of these notes."""
    series = analysis.sample.series
    objects, rows = notes.notes.objects, notes.rows
    theirs = None if series.ids is None else [[str(name) for name in ids.tolist()] for ids in series.ids]
    ours = [[str(objects[position]) for position in rows.whose[rows.window == t]] for t in range(len(rows.times))]
    if theirs != ours:
        raise DataError(
            "the analysis is not of these notes: ids differ", "analyse the series of the notes (their .series)"
        )
    _, whose = np.unique(rows.whose, return_inverse=True)
    return Members(analysis.clustering.flat.astype(np.int64), whose.astype(np.int64), analysis.clustering.n_lineages)


def usage_of(matrix: "csr_matrix", members: Members) -> Usage:
    """From a matrix of 0 and 1, objects in windows × things."""
    n_lineages, n_things = members.n_lineages, matrix.shape[1]
    entries = matrix.tocoo()
    lineage, whose, thing = members.lineage[entries.row], members.whose[entries.row], entries.col.astype(np.int64)
    rows = _counted(lineage, thing, n_lineages, n_things)
    n_objects = int(members.whose.max()) + 1
    in_lineage = np.unique((lineage * n_objects + whose) * n_things + thing)  # object has it in lineage
    lineage, pair = np.divmod(in_lineage, n_objects * n_things)
    _, inverse, n_times = np.unique(pair, return_inverse=True, return_counts=True)
    thing, only_here = pair % n_things, n_times[inverse] == 1
    objects = _counted(lineage, thing, n_lineages, n_things)
    everybody = np.bincount(np.unique(pair) % n_things, minlength=n_things)
    elsewhere = everybody - _counted(lineage[only_here], thing[only_here], n_lineages, n_things)
    everywhere = np.bincount(entries.col, minlength=n_things)
    return Usage(members, rows, everywhere - rows, objects, elsewhere)


def _counted(lineage: Ints, thing: Ints, n_lineages: int, n_things: int) -> Ints:
    """Counts by lineage and thing, without those of no lineage (−1)."""
    cells = (lineage + 1) * n_things + thing
    return np.bincount(cells, minlength=(n_lineages + 1) * n_things).reshape(-1, n_things)[1:]
