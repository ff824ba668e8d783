"""What notes say about the lineages, as a section of the page: words, clusters of sentences, outcomes, changes.

Ids are in it only with ``show_ids``, sentences of the notes, and words that few objects use, only with ``show_text``.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tetiwd.plots.text import clean, count
from tetiwd.report.figures import Figure, outcomes_figure
from tetiwd.report.rendering import Wording
from tetiwd.report.tables import Table, outcomes_table

if TYPE_CHECKING:
    from tetiwd.analysis import Analysis
    from tetiwd.notes.findings import Findings
    from tetiwd.notes.pipeline import NotesSeries
    from tetiwd.notes.rates import Rates

MOST_CLOUDS = 12  # of the lineages with most objects
LONGEST_NAME, LONGEST_SENTENCE = 60, 300


@dataclass(frozen=True)
class NotesReport:
    """Notes for the report, and what of them may be shown.

    Parameters
    ----------
    notes
        What the analysis was made from.
    synthetic
        Are the notes invented? Then the page says so.
    show_text
        True shows typical sentences of the notes, and words that fewer than five objects use.
    small
        True shows words and rates of lineages with fewer than five objects.
    good
        Names of outcomes that are good if they happen; all others are taken as bad.
    """

    notes: "NotesSeries"
    synthetic: bool = False
    show_text: bool = False
    small: bool = False
    good: tuple[str, ...] = ()

    def findings(self, analysis: "Analysis") -> "Findings":
        """What the notes say about the lineages of an analysis, as far as it may be shown."""
        from tetiwd.notes.findings import findings

        return findings(self.notes, analysis, small=self.small, rare=self.show_text, good=self.good)


@dataclass(frozen=True)
class Cloud:
    """The word cloud of a lineage."""

    lineage: int
    svg: str
    caption: str


@dataclass(frozen=True)
class OutcomePart:
    """A figure, if there is something to draw, and a table."""

    figure: Figure | None
    table: Table


@dataclass(frozen=True)
class NotesSection:
    """All that the template needs."""

    synthetic: bool
    show_text: bool
    about: str
    found: list[Any]  # sentences
    clouds: list[Cloud]
    n_without_cloud: int
    words: Table
    clusters: Table
    typical: list[tuple[str, list[str]]]  # name of a cluster and its sentences; empty unless they may be shown
    outcomes: list[OutcomePart]
    changes: Table
    movers: Table | None  # with ids
    counts: list[Any]
    style: str  # colours of the words

    @property
    def tables(self) -> list[Table]:
        """All tables whose columns are explained at the end of the page."""
        movers = [] if self.movers is None else [self.movers]
        return [self.words, self.clusters, *(own.table for own in self.outcomes), self.changes, *movers]


def notes_section(given: NotesReport, analysis: "Analysis", wording: Wording, *, show_ids: bool) -> NotesSection:
    """The section of the page."""
    from tetiwd.notes.clouds import cloud_colours
    from tetiwd.notes.windows import as_length, narrate
    from tetiwd.report import note_tables

    notes, found = given.notes, given.findings(analysis)
    clouds = _clouds(found)
    settings = notes.settings
    about = narrate(as_length(settings.window), settings.aligned)
    typical = [
        (clean(own.name, LONGEST_NAME), [clean(text, LONGEST_SENTENCE) for text in own.sentences])
        for own in found.clusters.values()
    ]
    return NotesSection(
        given.synthetic,
        given.show_text,
        f"Objects were compared by their notes in {about}.",
        wording.sentences(found.narrate()),
        clouds,
        found.members.n_lineages - len(clouds),
        note_tables.words_table(found),
        note_tables.clusters_table(found),
        typical if given.show_text else [],
        [_outcome(own, number, wording) for number, own in enumerate(found.rates)],
        note_tables.changes_table(found, wording),
        note_tables.movers_table(notes, found, wording) if show_ids else None,
        wording.sentences(notes.counts.narrate()),
        cloud_colours(own.lineage for own in clouds),
    )


def _clouds(found: "Findings") -> list[Cloud]:
    from tetiwd.notes.clouds import cloud_words, word_cloud

    n_objects = found.members.n_objects
    clouds = []
    for lineage in sorted(np.argsort(-n_objects, kind="stable")[:MOST_CLOUDS].tolist()):
        svg = word_cloud(cloud_words(found.words[found.words.lineage == lineage]), lineage)
        if svg:
            clouds.append(Cloud(lineage, svg, f"Lineage {lineage}, {count(int(n_objects[lineage]), 'object')}."))
    return clouds


def _outcome(rates: "Rates", number: int, wording: Wording) -> OutcomePart:
    table, key = rates.table(), f"notes-outcome-{number}"
    name = clean(rates.name, LONGEST_NAME) or "the outcome"
    drawn = len(table) > 0 and not table.isna().any(axis=None)
    hidden = int((rates.members > 0).sum()) - len(table)
    caption = f"With {rates.level:.0%} intervals."
    if hidden:
        caption += f" {count(hidden, 'lineage')} with fewer than five known outcomes left out."
    own = replace(outcomes_table(rates, wording), key=key, title=f"How often “{name}” is yes", caption=caption)
    own = replace(own, nothing="No lineage has five objects or more with a known outcome.")
    return OutcomePart(outcomes_figure(rates, key) if drawn else None, own)
