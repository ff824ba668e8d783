"""Lineages of invented patients over three years, from their notes."""

from page import data_of

from tetiwd import Analysis, run_chains
from tetiwd.notes import notes_from_table, notes_to_series
from tetiwd.plots import plot_lineages

notes = notes_from_table(data_of("notes.md").invented.table, id="patient")
plot_lineages(Analysis(run_chains(notes_to_series(notes).series)).lineages)
