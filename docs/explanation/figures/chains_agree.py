"""Number of clusters along four chains that start from trees cut at different heights."""

import matplotlib.pyplot as plt

from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings, run_chains, simulate_overlapping

world = simulate_overlapping(seed=1, alpha=3.0)
series = DistanceSeries.from_distances(list(world.D)[:2], squared=True)
settings = SamplerSettings(n_chains=4, n_warmup=0, n_draws=120, n_uncoupled=0, anneal=None)
sample = run_chains(series, Hyperparameters(dof=40), settings)

fig, ax = plt.subplots(figsize=(6.6, 2.6))
for i, draws in enumerate(sample.draws):
    ax.plot(draws.n_clusters[:, 0], linewidth=1, label=f"chain {i + 1}")
ax.set(xlabel="sweep", ylabel="clusters at the first time")
ax.legend(fontsize=8, frameon=False, ncols=2)
ax.spines[["top", "right"]].set_visible(False)
fig.tight_layout()
