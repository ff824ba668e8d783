"""Lineages of invented patients over three years, from their notes."""

from page import data_of

from tetiwd import Analysis, SamplerSettings, run_chains
from tetiwd.notes import notes_from_table, notes_to_series
from tetiwd.params import AnswerSettings, Hyperparameters
from tetiwd.plots import plot_lineages

notes = notes_from_table(data_of("notes.md").invented.table, id="patient")
short = SamplerSettings(n_chains=2, n_warmup=200, n_draws=200)
sample = run_chains(notes_to_series(notes).series, Hyperparameters(dof=15.4, geometry="moving"), short)
plot_lineages(Analysis(sample, AnswerSettings(links="place")).lineages)
