"""Rates of an outcome by lineage, without lineages that have few known outcomes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tetiwd.notes.members import FEW
from tetiwd.notes.pipeline import NotesSeries
from tetiwd.params import LEVEL
from tetiwd.summarize.outcomes import Outcomes, outcomes_by_lineage

if TYPE_CHECKING:
    import pandas as pd

    from tetiwd.summarize.alignment import Alignment

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Rates(Outcomes):
    """Rates of those lineages that are shown."""

    shown: Ints  # numbers of these lineages
    n_others: Ints  # (lineages,) objects with a known outcome that have never been in the lineage
    good: bool  # is it good if it happens?
    least: int  # known outcomes that a group needs

    def table(self) -> "pd.DataFrame":
        """Like that of :class:`tetiwd.summarize.outcomes.Outcomes`, of the lineages that are shown.

        Whether the rate is higher than elsewhere is left open (NaN) where few others have a known outcome.
        """
        table = super().table()
        column = "probability_higher_than_rest"
        table[column] = table[column].where(self.n_others >= self.least)
        return table.iloc[self.shown].reset_index(drop=True)

    @property
    def compared(self) -> Ints:
        """Numbers of the lineages with five known outcomes or more."""
        return np.flatnonzero(self.members >= FEW)

    def lowest(self) -> dict[int, float]:
        """Lineage → probability that its rate is the lowest of those compared, the most probable first."""
        return self._winners(-self.rates)

    def highest(self) -> dict[int, float]:
        """Lineage → probability that its rate is the highest of those compared, the most probable first."""
        return self._winners(self.rates)

    def _winners(self, rates: Floats) -> dict[int, float]:
        lineages = self.compared
        if not len(lineages):
            return {}
        wins = np.bincount(rates[:, lineages].argmax(axis=1), minlength=len(lineages)) / len(rates)
        order = np.argsort(-wins, kind="stable")
        return {int(lineages[position]): float(wins[position]) for position in order}


def rates_by_lineage(
    notes: NotesSeries,
    alignment: "Alignment",
    name: str,
    *,
    good: bool = False,
    small: bool = False,
    level: float = LEVEL,
    seed: int = 0,
) -> Rates | None:
    """Rates of an outcome of the notes; None if it is unknown for all objects.

    Parameters
    ----------
    notes, alignment
        The notes, and the draws of their series matched with its clustering.
    name
        A column of outcomes.
    good
        Is it good if it happens?
    small
        True also shows lineages with fewer than five known outcomes.
    """
    ids = [object_id for epoch in alignment.partitions.ids or () for object_id in epoch.tolist()]
    of_object = notes.notes.outcomes[name]
    values = dict(zip(ids, (of_object[position] for position in notes.rows.whose.tolist()), strict=True))
    known = sum(value is not None for value in values.values())
    if not known:
        return None
    by_lineage = outcomes_by_lineage(alignment, values, name=name, level=level, seed=seed)
    least = 1 if small else FEW
    members = by_lineage.members
    shown = np.flatnonzero(members >= least)
    return Rates(**vars(by_lineage), shown=shown, n_others=known - members, good=good, least=least)
