"""Lineages of simulated cells over four stages."""

from page import data_of

from tetiwd import SamplerSettings
from tetiwd.external import fit_anndata
from tetiwd.plots import plot_lineages

cells = data_of("cells.md").cells
short = SamplerSettings(n_chains=2, n_warmup=200, n_draws=200)
plot_lineages(fit_anndata(cells, time_key="stage", dof=40, geometry="moving", settings=short).lineages_)
