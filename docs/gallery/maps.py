"""Maps of the objects, one per season."""

from matplotlib import pyplot
from palmerpenguins import load_penguins
from sklearn.preprocessing import StandardScaler

from tetiwd import SamplerSettings, TeTiWD
from tetiwd.plots import plot_map

birds = load_penguins().dropna()
X = birds[["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]]
X = StandardScaler().set_output(transform="pandas").fit_transform(X)
settings = SamplerSettings(n_chains=2, n_warmup=200, n_draws=300)  # a short run
model = TeTiWD(dof=3, settings=settings, random_state=0).fit(X, time=birds.year)

figure, axes = pyplot.subplots(1, 3, figsize=(9, 3.2), layout="constrained")
for t, ax in enumerate(axes):
    plot_map(model.analysis_, t, ax)
