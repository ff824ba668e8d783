"""Lineages of handwritten digits from the distances within every deal alone."""

from page import data_of

from tetiwd import TeTiWD
from tetiwd.plots import plot_lineages

data = data_of("distances.md")
plot_lineages(TeTiWD(squared=True).fit(data.D, time=[1, 2, 3, 4]).lineages_)
