"""The section of a report about metadata: agreement with known labels, and what distinguishes lineages."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from tetiwd.data.metadata import Metadata
from tetiwd.errors import DataError
from tetiwd.plots.text import clean
from tetiwd.report.lives import LINEAGE, MOST_ROWS, number, q_cell, signed
from tetiwd.report.rendering import N_COLOURS, Wording, render
from tetiwd.report.sections import Section
from tetiwd.report.tables import Cell, Table, filled
from tetiwd.summarize.associations import DIFFERENCE, RATIO, Associations, associations
from tetiwd.summarize.clustering import UNASSIGNED
from tetiwd.summarize.known_labels import ALL_TIMES, Agreement, agreement
from tetiwd.summarize.markers import FALSE_DISCOVERIES

if TYPE_CHECKING:
    import pandas as pd

    from tetiwd.analysis import Analysis

MOST_LABELS = 8  # with a column each
LONGEST_NAME = 40
SCORE_NAMES = (("ari", "ARI"), ("vi", "VI"), ("homogeneity", "Homogeneity"), ("completeness", "Completeness"))


@dataclass(frozen=True, eq=False)
class MetadataReport:
    """Adds a section about metadata to a report: ``write_report(analysis, path, sections=[MetadataReport(metadata)])``.

    Parameters
    ----------
    metadata
        Columns joined to the objects, from :func:`tetiwd.metadata_for`.
    known
        Column with known labels.
    covariates
        Columns to compare between lineages; None for all others.
    survival
        Two columns: the time until an event or the end of observation, and whether the event happened.
    """

    metadata: Metadata
    known: str | None = None
    covariates: Sequence[str] | None = None
    survival: tuple[str, str] | None = None
    _compared: "dict[Analysis, Associations]" = field(default_factory=dict, init=False, repr=False)

    def check(self) -> None:
        """Refuse columns that cannot be used, before anything is computed."""
        for name in (*(self.covariates or ()), *(self.survival or ()), *([self.known] if self.known else [])):
            column = self.metadata.covariate(name)
            if name == self.known and column.kind == "names" and 2 * len(column.levels) > column.known.sum():
                fault = f"{name!r} has {len(column.levels)} words for {column.known.sum()} objects"
                raise DataError(fault, "known labels are shared by several objects")

    def agreement(self, analysis: "Analysis") -> Agreement | None:
        """How clusters agree with known labels."""
        if self.known is None:
            return None
        self.metadata.check_size(sum(analysis.sample.series.n_objects))
        words = self.metadata.words(self.known)
        return agreement(analysis.alignment, words, name=self.known, level=analysis.settings.level)

    def associations(self, analysis: "Analysis") -> Associations:
        """What distinguishes lineages, which is found once."""
        if analysis not in self._compared:
            self._compared[analysis] = self._compare(analysis)
        return self._compared[analysis]

    def _compare(self, analysis: "Analysis") -> Associations:
        self.metadata.check_size(sum(analysis.sample.series.n_objects))
        names = [name for name in self.metadata.names if name not in (self.known, *(self.survival or ()))]
        empty = [name for name in names if all(value is None for value in self.metadata.columns[name])]
        chosen = [name for name in names if name not in empty] if self.covariates is None else self.covariates
        s = analysis.settings
        seed = analysis.sample.settings.seed
        return associations(analysis.alignment, self.metadata, chosen, survival=self.survival, level=s.level, seed=seed)

    def tables(self, analysis: "Analysis") -> "dict[str, pd.DataFrame]":
        """All numbers, by the name of the file that they go into."""
        agreed = self.agreement(analysis)
        known = {} if agreed is None else {"known_labels.csv": agreed.table(), "confusion.csv": agreed.confusion()}
        return known | {"covariates.csv": self.associations(analysis).table()}

    def section(self, analysis: "Analysis", *, show_ids: bool = False) -> Section:
        """The section; it has no ids."""
        wording = Wording(analysis.sample.series.times)
        agreed, found = self.agreement(analysis), self.associations(analysis)
        parts = [] if agreed is None else [agreement_table(agreed, wording), confusion_table(agreed, wording)]
        if len(found.rows):
            parts.append(associations_table(found, self.metadata, wording))
        html = render(
            "metadata.html",
            n_colours=N_COLOURS,
            sentences=wording.sentences(self._sentences(agreed, found)),
            parts=parts,
            remarks=wording.sentences((*self.metadata.remarks, *found.remarks)),
        )
        return Section("metadata", "What is known about the objects", html, tuple(parts))

    def _sentences(self, agreed: Agreement | None, found: Associations) -> list[str]:
        sentences = []
        if agreed is not None:
            every = agreed.table().iloc[-1]
            sentences.append(
                f"Over all times, lineages agree with “{clean(agreed.name, LONGEST_NAME)}” with an adjusted Rand index "
                f"of {every.ari:.2f} (1 is perfect, 0 is chance; posterior mean {every.ari_mean:.2f}, from "
                f"{every.ari_lower:.2f} to {every.ari_upper:.2f}); homogeneity is {every.homogeneity:.2f}, "
                f"completeness {every.completeness:.2f}."
            )
        n, listed = len(found.rows), len(found.found(FALSE_DISCOVERIES))
        if n:
            sentences.append(
                f"{listed} of {n} comparisons of lineages with the rest are listed at a false discovery rate of "
                f"{FALSE_DISCOVERIES:.0%}."
            )
        return sentences


def agreement_table(agreed: Agreement, wording: Wording) -> Table:
    """Scores at every time."""
    level = f"{agreed.level:.0%}"
    meanings = {
        "ari": "Adjusted Rand index: 1 if clusters and labels are the same, 0 on average by chance",
        "vi": "Variation of information in bits: 0 if they are the same",
        "homogeneity": "1 if every cluster contains only one label",
        "completeness": "1 if every label is in one cluster only",
    }
    fields = [
        ("Time", "when", "time", "The time point, or all together, with lineages in place of clusters."),
        ("Objects", "objects", "whole", "Objects whose label is known."),
    ]
    for key, name in SCORE_NAMES:
        fields.append((name, key, "number", f"{meanings[key]}; with its {level} credible interval."))
    records = agreed.table().to_dict("records")
    for record in records:
        together = isinstance(record["time"], str) and record["time"] == ALL_TIMES and record is records[-1]
        record["when"] = Cell("all times", 1e9) if together else record["time"]
        for key, _ in SCORE_NAMES:
            ends = _interval(record[f"{key}_lower"], record[f"{key}_upper"], "{:.2f}").shown
            shown = Cell(f"{record[key]:.2f} ({ends})", record[key])
            record[key] = shown if isfinite(record[key]) else Cell("–", np.nan)
    title = f"Agreement with “{clean(agreed.name, LONGEST_NAME)}”"
    caption = f"Scores of the point estimate, with {level} intervals of the draws in brackets."
    return filled("agreement", title, caption, fields, records, wording)


def confusion_table(agreed: Agreement, wording: Wording) -> Table:
    """Lineages by labels over all times: a column per label if there are few, otherwise a row per pair."""
    table = agreed.confusion(by_time=False)
    title = "Lineages by known labels"
    caption = (
        "Objects of all times in the point estimate, with the posterior mean in brackets. confusion.csv has times."
    )
    cells = {
        (row.lineage, row.label): Cell(f"{row.objects:,} ({row.expected:.0f})", float(row.objects))
        for row in table.itertuples(index=False)
    }
    lineages = sorted(set(table.lineage), key=lambda g: (g == UNASSIGNED, g))
    if len(agreed.labels) <= MOST_LABELS:
        labels = [(label, clean(label, LONGEST_NAME)) for label in agreed.labels]
        fields = [LINEAGE, *((name, label, "number", f"Objects with the label {name}.") for label, name in labels)]
        records: list[dict[str, Any]] = [
            {"lineage": g} | {label: cells.get((g, label), Cell("–", 0.0)) for label, _ in labels} for g in lineages
        ]
        return filled("confusion", title, caption, fields, records, wording)
    fields = [LINEAGE, ("Label", "label", "text", "The known label."), ("Objects", "n", "number", "Objects with both.")]
    largest = sorted(cells, key=lambda pair: -float(cells[pair].by or 0))[:MOST_ROWS]
    records = [
        {"lineage": g, "label": clean(label, LONGEST_NAME), "n": cells[g, label]}
        for g, label in sorted(largest, key=lambda pair: (pair[0] == UNASSIGNED, pair[0], -float(cells[pair].by or 0)))
    ]
    return filled("confusion", title, caption, fields, records, wording)


def associations_table(found: Associations, metadata: Metadata, wording: Wording) -> Table:
    """What distinguishes lineages, at the false discovery rate of the page."""
    level = f"{found.level:.0%}"
    fields = (
        LINEAGE,
        ("Covariate", "covariate", "text", "The column of the metadata."),
        ("Value", "value", "text", "The word of a category, or the event of a survival time."),
        ("Objects", "members", "whole", "Members whose value is known; every object counts once."),
        ("Here", "here", "number", "Share, median, or events per unit of time among members."),
        ("Elsewhere", "elsewhere", "number", "The same among all others."),
        (
            "Measure",
            "measure",
            "text",
            "Kind of effect: a difference of shares; Cliff's delta, from −1 to 1; or a ratio.",
        ),
        ("Effect", "effect", "number", f"Effect, compared within times, with its {level} credible interval."),
        ("q", "q", "number", "False discovery rate at which the row is listed."),
    )
    records = found.found(FALSE_DISCOVERIES).head(MOST_ROWS).to_dict("records")
    for record in records:
        ratio, share = record["measure"] == RATIO, record["measure"] == DIFFERENCE
        dates = not (ratio or share) and metadata.covariate(record["covariate"]).kind == "date"
        for side in ("here", "elsewhere"):
            record[side] = _day(record[side]) if dates else _share(record[side]) if share else number(record[side])
        form = "{:.2f}" if ratio else "{:+.2f}"
        effect = number(record["effect"]) if ratio else signed(record["effect"])
        ends = _interval(record["lower"], record["upper"], form).shown
        record["effect"] = Cell(f"{effect.shown} ({ends})", effect.by)
        record["q"] = q_cell(record["q"])
        record["measure"] = "difference" if share else record["measure"]
        for name in ("covariate", "value"):
            record[name] = clean(str(record[name]), LONGEST_NAME)
    caption = (
        f"Lineages against all other objects, at a false discovery rate of {FALSE_DISCOVERIES:.0%} "
        f"(Benjamini and Hochberg, over {len(found.rows)} comparisons). Intervals allow for chance and for uncertain "
        "membership. covariates.csv lists all."
    )
    nothing = f"Nothing distinguishes a lineage at this rate; {len(found.rows)} comparisons are in covariates.csv."
    return filled("covariates", "What distinguishes lineages", caption, fields, records, wording, nothing=nothing)


def _interval(lower: float, upper: float, form: str) -> Cell:
    if not (isfinite(lower) and isfinite(upper)):
        return Cell("–", np.nan)
    return Cell(f"{form.format(lower)} to {form.format(upper)}".replace("-", "−"), float(lower))


def _share(value: float) -> Cell:
    return Cell(f"{value:.0%}", float(value)) if isfinite(value) else Cell("–", np.nan)


def _day(value: float) -> Cell:
    if not isfinite(value):
        return Cell("–", np.nan)
    return Cell(date.fromordinal(int(value)).isoformat(), float(value))
