"""Lineages of invented patients over three years, from their notes."""

from page import data_of

from tetiwd import TeTiWD
from tetiwd.notes import notes_from_table, notes_to_series
from tetiwd.plots import plot_lineages

notes = notes_from_table(data_of("notes.md").invented.table, id="patient")
model = TeTiWD(links="place").fit(notes_to_series(notes).series)
plot_lineages(model.lineages_)
