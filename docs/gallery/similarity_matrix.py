"""Posterior similarity matrix."""

from palmerpenguins import load_penguins
from sklearn.preprocessing import StandardScaler

from tetiwd import SamplerSettings, TeTiWD
from tetiwd.plots import plot_coclustering

birds = load_penguins().dropna()
X = birds[["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]]
X = StandardScaler().set_output(transform="pandas").fit_transform(X)
settings = SamplerSettings(n_chains=2, n_warmup=200, n_draws=300)  # a short run
model = TeTiWD(dof=3, settings=settings, random_state=0).fit(X, time=birds.year)

plot_coclustering(model.analysis_, t=0)
