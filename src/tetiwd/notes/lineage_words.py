"""Words that are more or less frequent in the notes of a lineage than elsewhere."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tetiwd.notes.members import FEW, Members
from tetiwd.notes.odds import Usage, usage_of
from tetiwd.notes.pipeline import NotesSeries
from tetiwd.notes.words import DATE, NOT, NUMBER
from tetiwd.params import LEVEL

if TYPE_CHECKING:
    import pandas as pd
    from scipy.sparse import csr_matrix

MORE, LESS = 30, 10  # words of a lineage that are listed


@dataclass(frozen=True, eq=False, repr=False)
class LineageWords:
    """How often every lineage uses every word."""

    words: tuple[str, ...]  # as people read them
    usage: Usage  # (lineages, words)
    level: float
    plain: NDArray[np.bool_]  # is it a word, not what stands for any number or date?

    def table(self, lineage: int) -> "pd.DataFrame":
        """One row per word, those used more often first.

        ``here`` and ``elsewhere`` are shares of objects in windows, ``objects`` the different objects who use it.
        ``log_odds`` compares the shares (:attr:`tetiwd.notes.odds.Usage.log_odds`), and ``certain`` is the end of its
        interval nearer to 0.
        """
        return self._sorted(lineage).reset_index(drop=True)

    def top(self, lineage: int, more: int = MORE, less: int = LESS, *, least: int = FEW) -> "pd.DataFrame":
        """The words that are used more often, then those used less often, the most certain first.

        Only words whose difference is significant, and that at least ``least`` objects use where they are more
        frequent.
        """
        import pandas as pd

        usage = self.usage
        allowed = self.plain & usage.clear(self.level)[lineage] & usage.used_by(least)[lineage]
        table = self._sorted(lineage)
        kept = table[allowed[table.index]]
        up, down = kept[kept.certain > 0], kept[kept.certain < 0].iloc[::-1]
        return pd.concat([up.head(more), down.head(less)], ignore_index=True)

    def _sorted(self, lineage: int) -> "pd.DataFrame":
        """All words; the index is their number."""
        import pandas as pd

        usage = self.usage
        log_odds, certain = usage.log_odds[lineage], usage.certain(self.level)[lineage]
        columns = {
            "lineage": lineage,
            "word": self.words,
            "here": usage.here[lineage],
            "elsewhere": usage.elsewhere[lineage],
            "objects": usage.objects[lineage],
            "objects_elsewhere": usage.objects_elsewhere[lineage],
            "log_odds": log_odds,
            "certain": certain,
        }
        return pd.DataFrame(columns).iloc[np.lexsort((-log_odds, -certain))]


def lineage_words(notes: NotesSeries, members: Members, *, level: float = LEVEL) -> LineageWords:
    """How often every lineage uses every word; ``level`` is that of intervals and tests."""
    words = notes.bags.words
    plain = np.array([word not in (NUMBER, DATE) for word in words], dtype=bool)
    return LineageWords(tuple(map(in_plain, words)), usage_of(words_by_row(notes), members), level, plain)


def words_by_row(notes: NotesSeries) -> "csr_matrix":
    """Which words the notes of an object in a window have, (rows, words) of 0 and 1."""
    from scipy.sparse import csr_matrix

    row, bag = notes.rows.row_of, notes.bags.bag_of
    there = (row >= 0) & (bag >= 0)
    shape = (len(notes.rows.whose), notes.bags.matrix.shape[0])
    uses = csr_matrix((np.ones(int(there.sum()), np.int32), (row[there], bag[there])), shape) @ notes.bags.matrix
    uses.data[:] = 1
    return uses


def in_plain(word: str) -> str:
    """A word as people read it: "not pain" for a negated one."""
    if word in (NUMBER, DATE):
        return "(a number)" if word == NUMBER else "(a date)"
    return f"not {word.removeprefix(NOT)}" if word.startswith(NOT) else word
