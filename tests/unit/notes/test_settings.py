"""Settings of notes: what is refused, and what is said when something is not installed."""

import sys

import pytest

from tetiwd import SettingsError
from tetiwd.notes import Counts, NotesSettings
from tetiwd.notes.requirements import NEEDED, require_text_extra

WRONG = {
    "window": ["0y", "a year", 12],
    "aligned": ["patient", None],
    "comparison": ["cosine", None],
    "min_objects": [2, 3.5, "3", True],
    "word_objects": [0, 1.5],
    "neighbours": [1, 0, "20"],
    "object_neighbours": [1],
    "ties": [0, -1],
    "exact_up_to": [-1, 1e6],
    "persistence": [0, 1, 2.0, "0.9"],
    "resolution": [0, -1, float("inf"), "1"],
    "seed": [-1, 0.5],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_settings_that_make_no_sense(name, value):
    with pytest.raises(SettingsError, match=f"^{name} must"):
        NotesSettings(**{name: value})


@pytest.mark.parametrize("name", NEEDED)
def test_what_is_not_installed(monkeypatch, name):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(SettingsError, match=rf'need {name}, .*pip install "tetiwd\[text\]"'):
        require_text_extra()


def test_counts_say_nothing_of_what_did_not_happen():
    assert Counts(rows=1, notes=1, objects=1).narrate() == ["1 note of 1 object, from 1 row"]


def test_counts_of_the_pipeline_narrate():
    counts = Counts(
        rows=9000,
        notes=8000,
        objects=500,
        whole_months_or_years=3,
        sentences=12345,
        bags=10000,
        words=700,
        rare_words=300,
        clusters=80,
        without_words=1,
        exact_neighbours=False,
        without_sentences=2,
        small_windows=tuple((year, 1) for year in range(2000, 2014)),
    )
    assert counts.narrate() == [
        "8,000 notes of 500 objects, from 9,000 rows",
        "3 dates without a day: taken as the first of the month or year",
        "12,345 sentences, 10,000 of them different by their words; 700 words (300 left out as too rare); "
        "80 clusters of sentences",
        "left out 1 sentence without a word to compare",
        "neighbours are approximate because there are so many sentences",
        "left out 2 objects in a window without a sentence to compare",
        "left out 14 windows with too few objects: 2000 (1), 2001 (1), 2002 (1), 2003 (1), 2004 (1), 2005 (1), "
        "2006 (1), 2007 (1), 2008 (1), 2009 (1), 2010 (1), 2011 (1), …",
    ]
