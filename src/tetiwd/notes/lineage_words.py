"""Words that are more or less frequent in the notes of a lineage than elsewhere."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tetiwd.notes.members import FEW, Members, Usage, usage_of
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
        """One row per word, those used more often first; the index is the number of the word.

        ``here`` and ``elsewhere`` are shares of objects in windows, ``objects`` the different objects who use it.
        ``log_odds`` compares the shares (see :class:`tetiwd.notes.members.Usage`), and ``certain`` is the end of its
        interval nearer to 0.
        """
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

    def top(self, lineage: int, more: int = MORE, less: int = LESS, *, least: int = FEW) -> "pd.DataFrame":
        """The words that are used more often, then those used less often, the most certain first.

        Only words whose difference is significant, and that at least ``least`` objects use where they are more
        frequent.
        """
        import pandas as pd

        usage = self.usage
        allowed = self.plain & usage.clear(self.level)[lineage] & usage.used_by(least)[lineage]
        table = self.table(lineage)
        kept = table[allowed[table.index]]
        up, down = kept[kept.certain > 0], kept[kept.certain < 0].iloc[::-1]
        return pd.concat([up.head(more), down.head(less)], ignore_index=True)


def lineage_words(notes: NotesSeries, members: Members, *, level: float = LEVEL) -> LineageWords:
    """How often every lineage uses every word; ``level`` is that of intervals and tests."""
    words = tuple(map(in_plain, notes.bags.words))
    return LineageWords(words, usage_of(words_by_row(notes), members), level, notes.bags.plain)


def words_by_row(notes: NotesSeries) -> "csr_matrix":
    """Which words the notes of an object in a window have, (rows, words) of 0 and 1."""
    uses = notes.bags.words_by(notes.rows.row_of, len(notes.rows.whose))
    uses.data[:] = 1
    return uses


def in_plain(word: str) -> str:
    """A word as people read it: "not pain" for a negated one."""
    if word in (NUMBER, DATE):
        return "(a number)" if word == NUMBER else "(a date)"
    return f"not {word.removeprefix(NOT)}" if word.startswith(NOT) else word
