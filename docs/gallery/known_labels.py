"""Lineages against known labels."""

from matplotlib import pyplot
from palmerpenguins import load_penguins
from sklearn.preprocessing import StandardScaler

from tetiwd import SamplerSettings, TeTiWD, agreement

birds = load_penguins().dropna()
X = birds[["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]]
X = StandardScaler().set_output(transform="pandas").fit_transform(X)
settings = SamplerSettings(n_chains=2, n_warmup=200, n_draws=300)  # a short run
model = TeTiWD(dof=3, settings=settings, random_state=0).fit(X, time=birds.year)

kind = (birds.species + " " + birds.sex).to_numpy()
labels = [label for year in model.times_ for label in kind[birds.year == year]]  # epoch after epoch
table = agreement(model.analysis_.alignment, labels).confusion(by_time=False)
counts = table.pivot(index="label", columns="lineage", values="objects").fillna(0)
figure, ax = pyplot.subplots(figsize=(6, 3.6), layout="constrained")
ax.imshow(counts, cmap="Blues", aspect="auto")
for i, row in enumerate(counts.to_numpy()):
    for j, count in enumerate(row):
        ax.text(j, i, int(count), ha="center", va="center", color="white" if count > 40 else "black")
ax.set_xticks(range(len(counts.columns)), counts.columns)
ax.set_yticks(range(len(counts)), counts.index)
ax.set(xlabel="lineage (−1: unassigned)")
