"""Synthetic clinical notes with planted patient groups, to try things on: no sentence comes from a real note."""

from tetiwd.notes.synthetic.notes import LIKE_THE_PAPER, SyntheticNotes, synthetic_notes

__all__ = ["LIKE_THE_PAPER", "SyntheticNotes", "synthetic_notes"]
