"""Who came from where."""

import numpy as np
from matplotlib import pyplot

from tetiwd import SamplerSettings, TeTiWD

rng = np.random.default_rng(1)
centres = 6 * np.array([[0, 0], [1, 0], [0.5, 1]])
state = np.repeat(range(3), 25)  # 75 patients; every year one in six of the first group joins the second
states = [state := np.where((state == 0) & (rng.random(75) < 1 / 6), 1, state) for _ in range(4)]
X = np.vstack([centres[now] + rng.normal(size=(75, 2)) for now in states])
year, patient = np.repeat(range(2017, 2021), 75), np.tile(range(75), 4)

settings = SamplerSettings(n_chains=2, n_warmup=200, n_draws=300)  # a short run
model = TeTiWD(dof=2, settings=settings, random_state=0).fit(X, time=year, ids=patient)

table = model.analysis_.transitions.over_all_times()
goes = table.pivot(index="from_lineage", columns="to_lineage", values="goes").loc[0:, 0:]
figure, ax = pyplot.subplots(figsize=(4.5, 4), layout="constrained")
ax.imshow(goes, cmap="Blues", vmin=0, vmax=1)
for (i, j), share in np.ndenumerate(goes.to_numpy()):
    ax.text(j, i, f"{share:.0%}", ha="center", va="center", color="white" if share > 0.5 else "black")
ax.set_xticks(range(len(goes.columns)), goes.columns)
ax.set_yticks(range(len(goes)), goes.index)
ax.set(xlabel="lineage a year later", ylabel="lineage")
