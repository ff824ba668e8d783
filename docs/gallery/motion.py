"""How far lineages move."""

import numpy as np

from tetiwd import SamplerSettings, TeTiWD
from tetiwd.plots import plot_motion

rng = np.random.default_rng(0)
cluster = np.tile(np.repeat(range(4), 15), 5)
year = np.repeat(range(2016, 2021), 60)
centres = 4 * rng.normal(size=(4, 3))
walk = np.cumsum(rng.normal(size=(5, 4, 3)), axis=0)  # centres move by one standard deviation a year
X = (centres + walk)[year - 2016, cluster] + rng.normal(size=(300, 3))

settings = SamplerSettings(n_chains=2, n_warmup=200, n_draws=300)  # a short run
model = TeTiWD(dof=3, geometry="moving", settings=settings, random_state=0).fit(X, time=year)

plot_motion(model.analysis_)
