"""Bags of words: which words a sentence has, each once; sentences with the same words share a bag."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import DataError, Setting
from tetiwd.notes.words import words_of

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
    from scipy.sparse import csr_matrix

    n_sentences, n_objects = matrix.shape[0], int(whose.max()) + 1
    of_object = csr_matrix((np.ones(n_sentences, np.int32), (whose, np.arange(n_sentences))), (n_objects, n_sentences))
    used = (of_object @ matrix).tocsc()  # (objects, words)
    return np.diff(used.indptr) >= at_least


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
