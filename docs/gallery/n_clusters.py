"""How many clusters there are."""

import numpy as np

from tetiwd import SamplerSettings, TeTiWD
from tetiwd.plots import plot_n_clusters

rng = np.random.default_rng(3)
centres = 6 * np.array([[0, 0], [1, 0], [0.5, 1], [1.6, 0.9]])
sizes = [[30, 20, 20, 0], [28, 22, 16, 0], [25, 24, 10, 4], [22, 25, 5, 12], [20, 26, 0, 24], [18, 28, 0, 36]]
cluster = np.concatenate([np.repeat(range(4), size) for size in sizes])  # one cluster dies, one is born
X = centres[cluster] + rng.normal(size=(len(cluster), 2))
year = np.repeat(range(2015, 2021), np.sum(sizes, axis=1))

settings = SamplerSettings(n_chains=2, n_warmup=200, n_draws=300)  # a short run
model = TeTiWD(dof=2, settings=settings, random_state=0).fit(X, time=year)

plot_n_clusters(model.analysis_)
