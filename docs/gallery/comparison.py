"""What changes between two runs."""

from matplotlib import pyplot
from palmerpenguins import load_penguins
from sklearn.preprocessing import StandardScaler

from tetiwd import SamplerSettings, TeTiWD, compare

birds = load_penguins().dropna()
X = birds[["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]]
X = StandardScaler().set_output(transform="pandas").fit_transform(X)
settings = SamplerSettings(n_chains=2, n_warmup=200, n_draws=300)  # a short run
coarse = TeTiWD(dof=2, settings=settings, random_state=0).fit(X, time=birds.year)
fine = TeTiWD(dof=3, settings=settings, random_state=0).fit(X, time=birds.year)

table = compare(coarse.analysis_, fine.analysis_).times()
figure, ax = pyplot.subplots(figsize=(6, 2.6), layout="constrained")
rows = range(len(table))
ax.hlines(rows, table.ari_lower, table.ari_upper, color="#4A78B5", lw=5, alpha=0.4)
ax.plot(table.ari, rows, "o", color="#4A78B5")
ax.set_yticks(rows, [f"{r.time}: {r.clusters_1} and {r.clusters_2} clusters" for r in table.itertuples()])
ax.set(xlabel="adjusted Rand index of the two clusterings", xlim=(0, 1), ylim=(-0.5, len(table) - 0.5))
