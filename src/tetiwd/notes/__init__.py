"""From dated notes to distances: sentences, bags of words, clusters of sentences, and objects compared by these.

``read_notes`` reads a table, ``notes_to_series`` does the rest; every stage is a file of its own. Names are loaded when
they are first used, so that the command line can describe :class:`NotesSettings` without loading the pipeline.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tetiwd.notes.counts import Counts
    from tetiwd.notes.pipeline import NotesSeries, notes_to_series
    from tetiwd.notes.reading import read_notes
    from tetiwd.notes.settings import NotesSettings
    from tetiwd.notes.stages import Step
    from tetiwd.notes.tidy import Notes, notes_from_table

_HOME_OF = {
    "Counts": "counts",
    "Notes": "tidy",
    "NotesSeries": "pipeline",
    "NotesSettings": "settings",
    "Step": "stages",
    "notes_from_table": "tidy",
    "notes_to_series": "pipeline",
    "read_notes": "reading",
}

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


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        return getattr(import_module(f"tetiwd.notes.{_HOME_OF[name]}"), name)
    raise AttributeError(f"module 'tetiwd.notes' has no attribute {name!r}")
