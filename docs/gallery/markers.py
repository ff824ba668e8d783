"""Features that mark the lineages."""

from matplotlib import pyplot
from palmerpenguins import load_penguins
from sklearn.preprocessing import StandardScaler

from tetiwd import SamplerSettings, TeTiWD

birds = load_penguins().dropna()
X = birds[["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]]
X = StandardScaler().set_output(transform="pandas").fit_transform(X)
settings = SamplerSettings(n_chains=2, n_warmup=200, n_draws=300)  # a short run
model = TeTiWD(dof=3, settings=settings, random_state=0).fit(X, time=birds.year)

table = model.analysis_.markers.table().pivot(index="lineage", columns="feature", values="difference")
figure, ax = pyplot.subplots(figsize=(6, 3.6), layout="constrained")
image = ax.imshow(table, cmap="RdBu_r", vmin=-6, vmax=6, aspect="auto")
ax.set_xticks(range(len(table.columns)), [name.replace("_", " ") for name in table.columns], rotation=15)
ax.set_yticks(range(len(table)), table.index)
ax.set(ylabel="lineage")
figure.colorbar(image, label="difference (standard deviations)")
