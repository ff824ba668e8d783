"""The words of a cluster chain: which its notes have more often than all others, and which less often."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tetiwd.notes.members import FEW, Members
from tetiwd.notes.pipeline import NotesSeries
from tetiwd.notes.usage import Usage, usage_of
from tetiwd.notes.words import DATE, NOT, NUMBER

if TYPE_CHECKING:
    import pandas as pd
    from scipy.sparse import csr_matrix

MORE, LESS = 30, 10  # words of a chain that are listed


@dataclass(frozen=True, eq=False, repr=False)
class ChainWords:
    """How often every chain uses every word."""

    words: tuple[str, ...]  # as people read them
    usage: Usage  # (chains, words)
    level: float
    plain: NDArray[np.bool_]  # is it a word, not what stands for any number or date?

    def table(self, chain: int) -> "pd.DataFrame":
        """One row per word, those used more often first.

        ``here`` and ``elsewhere`` are shares of objects in windows, ``objects`` the different objects who use it.
        ``log_odds`` compares the shares (:attr:`tetiwd.notes.usage.Usage.log_odds`), and ``certain`` is the end of its
        interval nearer to 0: what can be relied on.
        """
        return self._sorted(chain).reset_index(drop=True)

    def top(self, chain: int, more: int = MORE, less: int = LESS, *, least: int = FEW) -> "pd.DataFrame":
        """The words that are used more often, then those used less often, the most certain first.

        Only words whose difference is more than chance, and that ``least`` objects or more use where they are more
        frequent.
        """
        import pandas as pd

        usage = self.usage
        allowed = self.plain & usage.clear(self.level)[chain] & usage.used_by(least)[chain]
        table = self._sorted(chain)
        kept = table[allowed[table.index]]
        up, down = kept[kept.certain > 0], kept[kept.certain < 0].iloc[::-1]
        return pd.concat([up.head(more), down.head(less)], ignore_index=True)

    def _sorted(self, chain: int) -> "pd.DataFrame":
        """All words; the index is their number."""
        import pandas as pd

        usage = self.usage
        log_odds, certain = usage.log_odds[chain], usage.certain(self.level)[chain]
        columns = {
            "chain": chain,
            "word": self.words,
            "here": usage.here[chain],
            "elsewhere": usage.elsewhere[chain],
            "objects": usage.objects[chain],
            "objects_elsewhere": usage.objects_elsewhere[chain],
            "log_odds": log_odds,
            "certain": certain,
        }
        return pd.DataFrame(columns).iloc[np.lexsort((-log_odds, -certain))]


def chain_words(notes: NotesSeries, members: Members, *, level: float = 0.9) -> ChainWords:
    """How often every chain uses every word. ``level`` is that of what counts as certain."""
    words = notes.bags.words
    plain = np.array([word not in (NUMBER, DATE) for word in words], dtype=bool)
    return ChainWords(tuple(map(in_plain, words)), usage_of(words_by_row(notes), members), level, plain)


def words_by_row(notes: NotesSeries) -> "csr_matrix":
    """Which words the notes of an object in a window have, (rows, words) of 0 and 1."""
    from scipy.sparse import csr_matrix

    row, bag = notes.rows.row_of, notes.bags.bag_of
    there = (row >= 0) & (bag >= 0)
    shape = (len(notes.rows.whose), notes.bags.matrix.shape[0])
    found = csr_matrix((np.ones(int(there.sum()), np.int32), (row[there], bag[there])), shape) @ notes.bags.matrix
    found.data[:] = 1
    return found


def in_plain(word: str) -> str:
    """A word for people: "not pain" for one under a negation."""
    if word in (NUMBER, DATE):
        return "(a number)" if word == NUMBER else "(a date)"
    return f"not {word.removeprefix(NOT)}" if word.startswith(NOT) else word
