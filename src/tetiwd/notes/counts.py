"""Counts of what was read and left out, and why; without ids or text."""

from dataclasses import dataclass
from typing import Any

from tetiwd.plots.text import count


@dataclass(frozen=True)
class Counts:
    """Everything that was left out or mended between the table and the distances."""

    rows: int = 0  # of the table
    mended_lines: int = 0  # lines that were not UTF-8, or held bytes that mean nothing
    without_id: int = 0
    without_date: int = 0
    unreadable_dates: int = 0
    without_text: int = 0
    duplicates: int = 0
    notes: int = 0  # that are left
    objects: int = 0  # that have notes
    whole_months_or_years: int = 0  # dates without a day, among the notes that are left
    changing_outcomes: int = 0  # objects with both yes and no for one outcome
    sentences: int = 0
    without_words: int = 0  # sentences without a word that can be compared
    bags: int = 0  # distinct sentences as bags of words
    words: int = 0
    rare_words: int = 0  # left out
    exact_neighbours: bool = True
    clusters: int = 0  # of sentences
    without_sentences: int = 0  # objects in a window that have notes there, but no sentence to be compared
    small_windows: tuple[tuple[Any, int], ...] = ()  # windows that are left out, with their numbers of objects

    def narrate(self) -> list[str]:
        """Lines for the user."""
        lines = [f"{count(self.notes, 'note')} of {count(self.objects, 'object')}, from {count(self.rows, 'row')}"]
        of_the_table = (
            (self.without_id, "row", "left out {} without an id"),
            (self.without_date, "row", "left out {} without a date"),
            (self.unreadable_dates, "row", "left out {} with a date that cannot be read"),
            (self.without_text, "row", "left out {} without text"),
            (self.duplicates, "row", "left out {} that repeat another note of the same object and day"),
            (self.mended_lines, "line", "repaired the encoding of {}"),
            (self.whole_months_or_years, "date", "{} without a day: taken as the first of the month or year"),
            (self.changing_outcomes, "object", "{} with both yes and no for one outcome: taken as yes"),
        )
        lines += [text.format(count(n, what)) for n, what, text in of_the_table if n]
        if self.sentences:
            lines.append(
                f"{count(self.sentences, 'sentence')}, {self.bags:,} of them different by their words; "
                f"{count(self.words, 'word')} ({self.rare_words:,} left out as too rare); "
                f"{count(self.clusters, 'cluster')} of sentences"
            )
        if self.without_words:
            lines.append(f"left out {count(self.without_words, 'sentence')} without a word to compare")
        if not self.exact_neighbours:
            lines.append("neighbours are approximate because there are so many sentences")
        if self.without_sentences:
            where = "in a window without a sentence to compare"
            lines.append(f"left out {count(self.without_sentences, 'object')} {where}")
        if self.small_windows:
            shown = ", ".join(f"{label} ({n})" for label, n in self.small_windows[:12])
            more = ", …" if len(self.small_windows) > 12 else ""
            lines.append(f"left out {count(len(self.small_windows), 'window')} with too few objects: {shown}{more}")
        return lines
