"""Communities of the simulated body sites through six months."""

from page import data_of

from tetiwd import DistanceSeries, TeTiWD
from tetiwd.plots import plot_lineages

data = data_of("microbiome.md")
samples = data.samples
series = DistanceSeries.from_pooled(data.bray.to_numpy(), time=samples.month, ids=samples.subject, squared=True)
plot_lineages(TeTiWD(dof=32.8, geometry="full").fit(series).lineages_)
