"""Lineages of handwritten digits from all distances, also those between deals."""

import numpy as np
from page import data_of

from tetiwd import TeTiWD
from tetiwd.plots import plot_lineages

data = data_of("distances.md")
time = np.repeat([1, 2, 3, 4], [len(rows) for rows in data.deals])
model = TeTiWD(dof=7, geometry="moving").fit(data.pictures[np.concatenate(data.deals)], time=time)
plot_lineages(model.lineages_)
