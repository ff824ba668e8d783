"""How certain the memberships are."""

import numpy as np
from matplotlib import pyplot
from palmerpenguins import load_penguins
from sklearn.preprocessing import StandardScaler

from tetiwd import SamplerSettings, TeTiWD
from tetiwd.plots import lineage_colour

birds = load_penguins().dropna()
X = birds[["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]]
X = StandardScaler().set_output(transform="pandas").fit_transform(X)
settings = SamplerSettings(n_chains=2, n_warmup=200, n_draws=300)  # a short run
model = TeTiWD(dof=3, settings=settings, random_state=0).fit(X, time=birds.year)

certainty = np.concatenate(model.analysis_.memberships.certainty)
lineage = model.analysis_.clustering.flat
figure, ax = pyplot.subplots(figsize=(6, 3.4), layout="constrained")
for number in np.unique(lineage[lineage >= 0]):
    own = np.sort(certainty[lineage == number])
    ax.plot(np.linspace(0, 1, len(own)), own, color=lineage_colour(number), label=f"lineage {number}")
ax.set(xlabel="share of the lineage", ylabel="probability of own cluster", ylim=(0, 1.02))
ax.legend(frameon=False, ncols=2)
