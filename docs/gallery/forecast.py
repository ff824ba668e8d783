"""Forecast of the next time point."""

import numpy as np
from matplotlib import pyplot

from tetiwd import SamplerSettings, TeTiWD

rng = np.random.default_rng(3)
centres = 6 * np.array([[0, 0], [1, 0], [0.5, 1], [1.6, 0.9]])
sizes = [[30, 20, 20, 0], [28, 22, 16, 0], [25, 24, 10, 4], [22, 25, 5, 12], [20, 26, 0, 24], [18, 28, 0, 36]]
cluster = np.concatenate([np.repeat(range(4), size) for size in sizes])  # one cluster dies, one is born
X = centres[cluster] + rng.normal(size=(len(cluster), 2))
year = np.repeat(range(2015, 2021), np.sum(sizes, axis=1))

settings = SamplerSettings(n_chains=2, n_warmup=200, n_draws=300)  # a short run
model = TeTiWD(dof=2, settings=settings, random_state=0).fit(X, time=year)

table = model.forecast(n_next=100).table()
figure, ax = pyplot.subplots(figsize=(6, 3), layout="constrained")
rows = np.arange(len(table))
ax.hlines(rows, table.lower, table.upper, color="#4A78B5", lw=5, alpha=0.4)
ax.plot(table.expected, rows, "o", color="#4A78B5", label="expected in 2021")
ax.plot(table.now, rows, "|", color="black", ms=14, label="2020")
ax.set_yticks(rows, [f"lineage {c}" if isinstance(c, int) else c for c in table.cluster])
ax.set(xlabel="share of objects", xlim=(0, None))
ax.margins(y=0.15)
ax.invert_yaxis()
ax.legend(frameon=False, loc="lower right")
