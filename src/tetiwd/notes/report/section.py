"""The section of a report that says what the notes say: words, clusters of sentences, outcomes, changes.

Ids are in it only with ``show_ids``. Sentences of the notes, and words that few objects use, are in it only with
``show_text``.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tetiwd.notes.clouds import cloud_colours, word_cloud
from tetiwd.notes.findings import Findings, findings
from tetiwd.notes.pipeline import NotesSeries
from tetiwd.notes.rates import Rates
from tetiwd.notes.report import tables
from tetiwd.notes.windows import as_length, narrate
from tetiwd.plots.text import clean, count
from tetiwd.report.figures import Figure, outcomes_figure
from tetiwd.report.rendering import N_COLOURS, Wording, render, trusted
from tetiwd.report.sections import Section
from tetiwd.report.tables import Table, outcomes_table

if TYPE_CHECKING:
    from tetiwd.analysis import Analysis

KEY = "notes"
MOST_CLOUDS = 12  # of the lineages with most objects
LONGEST_NAME, LONGEST_SENTENCE = 60, 300
STYLE = """
.clouds { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: 1rem; }
.clouds { margin: 0 0 2rem; }
.typical ul { margin: 0; padding-left: 1.1rem; }
.typical li { overflow-wrap: anywhere; }
"""


@dataclass(frozen=True)
class NotesReport:
    """Adds a section about notes to a report: ``write_report(analysis, path, sections=[NotesReport(notes)])``.

    Parameters
    ----------
    notes
        The notes that the analysis was made from.
    synthetic
        Are the notes invented? Then the page says so.
    show_text
        True shows typical sentences of the notes, and words that fewer than five objects use.
    small
        True shows words and rates of lineages with fewer than five objects.
    good
        Names of outcomes that are good if they happen; all others are taken as bad.
    """

    notes: NotesSeries
    synthetic: bool = False
    show_text: bool = False
    small: bool = False
    good: tuple[str, ...] = ()

    def findings(self, analysis: "Analysis") -> Findings:
        """What the notes say about the lineages of an analysis, as far as it may be shown."""
        return findings(self.notes, analysis, small=self.small, rare=self.show_text, good=self.good)

    def section(self, analysis: "Analysis", *, show_ids: bool = False) -> Section:
        """The section; ids are in it only with ``show_ids``."""
        wording, said = Wording(analysis.sample.series.times), self.findings(analysis)
        clouds = _clouds(said)
        outcomes = [_outcome(rates, number, wording) for number, rates in enumerate(said.rates)]
        words, clusters = tables.words_table(said), tables.clusters_table(said)
        changes = tables.changes_table(said, wording)
        movers = tables.movers_table(self.notes, said, wording) if show_ids else None
        settings = self.notes.settings
        html = render(
            "notes.html",
            package="tetiwd.notes.report",
            trusted=trusted,
            n_colours=N_COLOURS,
            synthetic=self.synthetic,
            windows=narrate(as_length(settings.window), settings.aligned),
            sentences=wording.sentences(said.narrate()),
            clouds=clouds,
            n_without_cloud=said.members.n_lineages - len(clouds),
            words=words,
            clusters=clusters,
            typical=_typical(said) if self.show_text else [],
            outcomes=outcomes,
            changes=changes,
            movers=movers,
            counts=wording.sentences(self.notes.counts.narrate()),
        )
        shown = [words, clusters, *(outcome.table for outcome in outcomes), changes, movers]
        invented = "Made from synthetic notes: they are invented, and nobody in them is real."
        return Section(
            key=KEY,
            title="What the notes say",
            html=html,
            tables=tuple(table for table in shown if table is not None),
            style=STYLE + cloud_colours(cloud.lineage for cloud in clouds),
            banner=invented if self.synthetic else "",
            footer="It holds sentences of the notes." if self.show_text else "It holds no sentence of the notes.",
            may_hold_ids=show_ids or self.show_text,  # a sentence may name anybody
        )


def report_of_run(run: Path, *, show_ids: bool | None, show_text: bool | None) -> tuple[NotesReport | None, bool]:
    """The section of a run that was made from notes, and whether its report lists ids.

    What may be shown is as asked for now, or, where that is None, as when the run was made.
    """
    from tetiwd.notes.storage import has_notes, load_notes

    if not has_notes(run):
        return None, bool(show_ids)
    notes, shown = load_notes(run)
    text = shown.text if show_text is None else show_text
    report = NotesReport(notes, synthetic=notes.notes.synthetic, show_text=text, good=shown.good)
    return report, shown.ids if show_ids is None else show_ids


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


def _typical(said: Findings) -> list[tuple[str, list[str]]]:
    """Names of clusters and their typical sentences."""
    return [
        (clean(cluster.name, LONGEST_NAME), [clean(text, LONGEST_SENTENCE) for text in cluster.sentences])
        for cluster in said.clusters.values()
    ]


def _clouds(said: Findings) -> list[Cloud]:
    n_objects = said.members.n_objects
    clouds = []
    for lineage in sorted(np.argsort(-n_objects, kind="stable")[:MOST_CLOUDS].tolist()):
        svg = word_cloud(said.words[said.words.lineage == lineage], lineage)
        if svg:
            clouds.append(Cloud(lineage, svg, f"Lineage {lineage}, {count(int(n_objects[lineage]), 'object')}."))
    return clouds


def _outcome(rates: Rates, number: int, wording: Wording) -> OutcomePart:
    by_lineage, key = rates.table(), f"{KEY}-outcome-{number}"
    name = clean(rates.name, LONGEST_NAME) or "the outcome"
    drawn = len(by_lineage) > 0 and not by_lineage.isna().any(axis=None)
    n_hidden = int((rates.members > 0).sum()) - len(by_lineage)
    caption = f"With {rates.level:.0%} intervals."
    if n_hidden:
        caption += f" {count(n_hidden, 'lineage')} with fewer than five known outcomes left out."
    table = replace(
        outcomes_table(rates, wording),
        key=key,
        title=f"How often “{name}” is yes",
        caption=caption,
        nothing="No lineage has five objects or more with a known outcome.",
    )
    return OutcomePart(outcomes_figure(rates, key) if drawn else None, table)
