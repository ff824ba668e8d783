"""Bags of words: which words a sentence has, each once; sentences with the same words share a bag."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import DataError, Setting
from tetiwd.notes.words import DATE, NUMBER, words_of

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class Bags(NamedTuple):
    """Distinct bags of words, in the order of their words."""

    words: tuple[str, ...]  # in order
    matrix: "csr_matrix"  # (bags, words) of 1, int32
    bag_of: NDArray[np.int64]  # (sentences,) −1 for a sentence without words
    n_rare_words: int  # left out

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many sentences have this bag."""
        return np.bincount(self.bag_of[self.bag_of >= 0], minlength=self.matrix.shape[0])

    @property
    def plain(self) -> NDArray[np.bool_]:
        """Is it a word, and does not stand for any number or date? (words,)."""
        return np.array([word not in (NUMBER, DATE) for word in self.words], dtype=bool)

    def words_by(self, group: NDArray[np.int64], n_groups: int) -> "csr_matrix":
        """How many sentences of every group have every word, (groups, words); ``group`` −1 is none."""
        there = (group >= 0) & (self.bag_of >= 0)
        return _pairs(group[there], self.bag_of[there], (n_groups, self.matrix.shape[0])) @ self.matrix


def bags_of(
    texts: Sequence[str],
    whose: NDArray[np.int64],
    word_objects: int,
    progress: Callable[[float], None] | None = None,
) -> Bags:
    """Bags of the sentences of objects; words that fewer than ``word_objects`` objects use are left out.

    So a word that only one person's notes have, a name for example, is used nowhere.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    n_seen = 0

    def analyse(text: str) -> list[str]:
        nonlocal n_seen
        n_seen += 1
        if progress is not None:
            progress(n_seen / len(texts))
        return words_of(text)

    try:
        vectorizer = CountVectorizer(analyzer=analyse, binary=True, dtype=np.int32)
        matrix = vectorizer.fit_transform(texts).tocsr()
    except ValueError:  # what it says where there are no words at all
        raise DataError("no sentence has a word", "are these texts written in letters?") from None
    kept = _used_by(matrix, whose, word_objects)
    names = vectorizer.get_feature_names_out()[kept]
    if not len(names):
        raise DataError(
            f"no word is used by {word_objects} objects or more, so that nothing can be compared",
            ["use more notes, or a smaller ", Setting("word_objects")],
        )
    matrix, bag_of = _distinct(matrix[:, kept])
    return Bags(tuple(names.tolist()), matrix, bag_of, int((~kept).sum()))


def _used_by(matrix: "csr_matrix", whose: NDArray[np.int64], at_least: int) -> NDArray[np.bool_]:
    """Words that so many objects use."""
    of_object = _pairs(whose, np.arange(len(whose)), (int(whose.max()) + 1, len(whose)))
    used = (of_object @ matrix).tocsc()  # (objects, words)
    return np.diff(used.indptr) >= at_least


def _pairs(row: NDArray[np.int64], column: NDArray[np.int64], shape: tuple[int, int]) -> "csr_matrix":
    """How often every pair occurs."""
    from scipy.sparse import csr_matrix

    return csr_matrix((np.ones(len(row), np.int32), (row, column)), shape)


def _distinct(given: "csr_matrix") -> tuple["csr_matrix", NDArray[np.int64]]:
    """Different rows that are not empty, in order, and which of them every row is."""
    from scipy.sparse import csr_matrix

    given.sort_indices()
    ends = given.indptr.tolist()
    rows = [tuple(given.indices[begin:end].tolist()) for begin, end in pairwise(ends)]
    distinct = sorted(set(rows) - {()})
    position = {row: number for number, row in enumerate(distinct)} | {(): -1}
    indices = np.array([word for row in distinct for word in row], dtype=np.int32)
    starts = np.concatenate([[0], np.cumsum([len(row) for row in distinct])])
    matrix = csr_matrix((np.ones(len(indices), np.int32), indices, starts), (len(distinct), given.shape[1]))
    return matrix, np.array([position[row] for row in rows], dtype=np.int64)
