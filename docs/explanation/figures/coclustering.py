"""How often two objects are together in the draws, and the clusters with the smallest expected loss."""

import matplotlib.pyplot as plt
import numpy as np

from tetiwd import SamplerSettings, TiWD
from tetiwd.plots import lineage_colour

rng = np.random.default_rng(2)
X = np.vstack([rng.normal(centre, 0.75, (15, 2)) for centre in ([0, 0], [3, 0], [1.5, 3.2])])
model = TiWD(dof=2, geometry="full", settings=SamplerSettings(n_chains=2, n_warmup=200, n_draws=300)).fit(X)
order = np.argsort(model.labels_, kind="stable")

fig, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.1))
image = left.imshow(model.coclustering_[np.ix_(order, order)], cmap="Blues", vmin=0, vmax=1)
left.set(xticks=[], yticks=[])
left.set_title("probability of being together", fontsize=10)
fig.colorbar(image, ax=left, shrink=0.85)
certainty = model.membership_[0].max(axis=1)
colours = [lineage_colour(label) for label in model.labels_]
right.scatter(*X.T, c=colours, s=20 + 60 * (1 - certainty), alpha=0.4 + 0.6 * certainty)
right.set(xticks=[], yticks=[], aspect="equal")
right.set_title("point estimate; large and pale: uncertain", fontsize=10)
fig.tight_layout()
