"""Objects in windows × clusters of sentences, and the windows and objects that are left out."""

import numpy as np
import pytest

from tetiwd import DataError
from tetiwd.notes.incidence import incidence_of

LABELS = [2011, 2012, 2013, 2014]


def incidence(sentences, noted=(), min_objects=2):
    """From (object, window, cluster) of every sentence, and (object, window) of notes without sentences."""
    whose, window, cluster = (np.array(column) for column in zip(*sentences, strict=True))
    notes = np.array([*((o, w) for o, w, _ in sentences), *noted])
    return incidence_of(cluster, whose, window, LABELS, notes, min_objects)


def test_rows_are_windows_then_objects():
    made = incidence([(2, 1, 0), (0, 1, 1), (1, 0, 0), (0, 0, 1), (0, 0, 0), (0, 0, 1)])
    assert made.whose.tolist() == [0, 1, 0, 2]
    assert made.window.tolist() == [0, 0, 1, 1]
    assert made.times == (2011, 2012)
    assert made.matrix.toarray().tolist() == [[1, 1], [1, 0], [0, 1], [1, 0]]
    assert made.row_of.tolist() == [3, 2, 1, 0, 0, 0]
    assert made.small_windows == ()
    assert made.n_without_sentences == 0


def test_small_windows_are_left_out_and_counted():
    made = incidence([(0, 0, 0), (1, 0, 1), (0, 1, 2), (0, 3, 0), (1, 3, 0), (2, 3, 1)])
    assert made.times == (2011, 2014)
    assert made.window.tolist() == [0, 0, 1, 1, 1]
    assert made.small_windows == ((2012, 1),)
    assert made.row_of.tolist() == [0, 1, -1, 2, 3, 4]


def test_windows_without_notes_are_nothing_to_speak_of():
    made = incidence([(0, 0, 0), (1, 0, 1), (0, 3, 0), (1, 3, 0)])
    assert made.times == (2011, 2014)
    assert made.small_windows == ()


def test_objects_without_usable_sentences_are_counted():
    made = incidence([(0, 0, 0), (1, 0, 1), (2, 0, -1), (2, 1, 0), (0, 1, 0)], noted=[(3, 0), (0, 0)])
    assert made.whose.tolist() == [0, 1, 0, 2]
    assert made.n_without_sentences == 2
    assert made.row_of.tolist() == [0, 1, -1, 3, 2]


def test_no_window_is_large_enough():
    with pytest.raises(DataError, match="no window has 3 objects, the fullest has 2; use longer windows"):
        incidence([(0, 0, 0), (1, 0, 0), (2, 1, 0)], min_objects=3)
