"""Samples of month 3 on a map, by lineage."""

from page import data_of

from tetiwd import DistanceSeries, TeTiWD
from tetiwd.plots import plot_map

data = data_of("microbiome.md")
samples = data.samples
series = DistanceSeries.from_pooled(data.bray.to_numpy(), time=samples.month, ids=samples.subject, squared=True)
plot_map(TeTiWD(dof=32.8, geometry="full").fit(series).analysis_, 2)
