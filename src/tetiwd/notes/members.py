"""Lineage membership of every object in every window."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import DataError
from tetiwd.notes.pipeline import NotesSeries

if TYPE_CHECKING:
    from tetiwd.analysis import Analysis

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
FEW = 5  # objects; a smaller group could reveal who is in it


@dataclass(frozen=True, eq=False, repr=False)
class Members:
    """The lineage of every object in every window."""

    lineage: Ints  # (rows,)
    whose: Ints  # (rows,) number of the object, none left out
    n_lineages: int

    @cached_property
    def n_rows(self) -> Ints:
        """Objects in windows of every lineage, (lineages,)."""
        return np.bincount(self.lineage, minlength=self.n_lineages)

    @cached_property
    def n_objects(self) -> Ints:
        """Different objects that have ever been in the lineage, (lineages,)."""
        return objects_by_lineage(self.lineage, self.whose, self.n_lineages)[0]

    @cached_property
    def n_elsewhere(self) -> Ints:
        """Different objects that have ever been in another lineage, (lineages,)."""
        return objects_by_lineage(self.lineage, self.whose, self.n_lineages)[1]

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


def objects_by_lineage(lineage: Ints, whose: Ints, n_lineages: int) -> tuple[Ints, Ints]:
    """Different objects in every lineage, and outside of it, from rows; lineage −1 is outside of all."""
    n_objects = int(whose.max()) + 1
    pairs = (lineage + 1) * n_objects + whose
    there = np.bincount(pairs, minlength=(n_lineages + 1) * n_objects).reshape(n_lineages + 1, n_objects)[1:]
    always = there == np.bincount(whose, minlength=n_objects)
    return (there > 0).sum(axis=1), n_objects - always.sum(axis=1)


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
