"""Lineages of the simulated viruses, as the model finds them."""

import numpy as np
from page import data_of

from tetiwd import DistanceSeries, TeTiWD
from tetiwd.plots import plot_lineages

data = data_of("genomes.md")
sequences = np.array([list(sequence) for *_, sequence in data.genomes])
D = (sequences[:, None] != sequences).sum(axis=2)  # numbers of sites that differ
years = [day.year - (day.month < 7) for _, _, day, _ in data.genomes]
seasons = [f"{year}/{(year + 1) % 100}" for year in years]
model = TeTiWD().fit(DistanceSeries.from_pooled(D, time=seasons, squared=True))
plot_lineages(model.lineages_)
