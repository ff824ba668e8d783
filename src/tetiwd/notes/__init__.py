"""From dated notes to distances: sentences, bags of words, clusters of sentences, and objects compared by these.

``read_notes`` reads a table, ``notes_to_series`` does the rest; every stage is a file of its own.
"""

from tetiwd.notes.counts import Counts
from tetiwd.notes.pipeline import NotesSeries, notes_to_series
from tetiwd.notes.reading import read_notes
from tetiwd.notes.settings import NotesSettings
from tetiwd.notes.stages import Step
from tetiwd.notes.tidy import Notes, notes_from_table

__all__ = [
    "Counts",
    "Notes",
    "NotesSeries",
    "NotesSettings",
    "Step",
    "notes_from_table",
    "notes_to_series",
    "read_notes",
]
