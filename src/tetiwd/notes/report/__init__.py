"""The section of a report that says what the notes say."""

from tetiwd.notes.report.section import NotesReport

__all__ = ["NotesReport"]
