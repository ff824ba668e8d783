"""The section of a report about sequences: sites that mark lineages."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tetiwd.report.lives import LINEAGE, MOST_MARKERS, MOST_ROWS, q_cell
from tetiwd.report.rendering import N_COLOURS, Wording, render
from tetiwd.report.sections import Section
from tetiwd.report.tables import filled
from tetiwd.summarize.markers import FALSE_DISCOVERIES
from tetiwd.summarize.sites import Sites, characteristic_sites

if TYPE_CHECKING:
    import pandas as pd

    from tetiwd.analysis import Analysis


@dataclass(frozen=True, eq=False)
class SitesReport:
    """Adds a section about characteristic sites to a report of aligned sequences.

    Parameters
    ----------
    codes
        Positions in ``letters``, (N, sites), of all objects of all epochs; any other number where unknown.
    letters
        The letters.
    """

    codes: NDArray[np.uint8]
    letters: Sequence[str]
    _found: "dict[Analysis, Sites]" = field(default_factory=dict, init=False, repr=False)

    def sites(self, analysis: "Analysis") -> Sites:
        """The sites, which are found once."""
        if analysis not in self._found:
            self._found[analysis] = characteristic_sites(analysis.alignment, self.codes, self.letters)
        return self._found[analysis]

    def tables(self, analysis: "Analysis") -> "dict[str, pd.DataFrame]":
        """All numbers, by the name of the file that they go into."""
        return {"sites.csv": self.sites(analysis).table()}

    def section(self, analysis: "Analysis", *, show_ids: bool = False) -> Section:
        """The section; it has no ids."""
        found = self.sites(analysis)
        fields = (
            LINEAGE,
            ("Site", "site", "whole", "Position in the alignment, from 1."),
            ("Letter", "letter", "text", "The nucleotide or amino acid."),
            ("Here", "here", "share", "Share of the members that have it."),
            ("Elsewhere", "elsewhere", "share", "Share of all other sequences that have it."),
            ("q", "q", "number", "False discovery rate, tested on clusters found without the site."),
        )
        listed = found.found()
        records = listed.groupby("lineage", sort=False).head(MOST_MARKERS).head(MOST_ROWS).to_dict("records")
        for record in records:
            record["q"] = q_cell(record["q"])
        caption = (
            f"Letters that are more frequent in a lineage than elsewhere, at a false discovery rate of "
            f"{FALSE_DISCOVERIES:.0%}: the strongest {MOST_MARKERS} of a lineage, {len(listed):,} in all, at "
            f"{found.n_sites:,} sites that vary. Each site is tested on clusters that were assigned without it; "
            "related sequences are not independent, so q values hold for these sequences only. sites.csv lists all."
        )
        if found.n_compared < found.n_sites:
            caption += f" Only the {found.n_compared:,} sites that vary most were tested."
        nothing = f"No site marks a lineage at a false discovery rate of {FALSE_DISCOVERIES:.0%}; sites.csv lists all."
        wording = Wording(analysis.sample.series.times)
        table = filled("sites", "Characteristic sites", caption, fields, records, wording, nothing=nothing)
        html = render("metadata.html", n_colours=N_COLOURS, sentences=[], parts=[table], remarks=[])
        return Section("sequences", "What marks the sequences of a lineage", html, (table,))
