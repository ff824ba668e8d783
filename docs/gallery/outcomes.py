"""An outcome by lineage."""

from palmerpenguins import load_penguins
from sklearn.preprocessing import StandardScaler

from tetiwd import SamplerSettings, TeTiWD, outcomes_by_lineage
from tetiwd.plots import plot_outcomes

birds = load_penguins().dropna()
X = birds[["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]]
X = StandardScaler().set_output(transform="pandas").fit_transform(X)
settings = SamplerSettings(n_chains=2, n_warmup=200, n_draws=300)  # a short run
model = TeTiWD(dof=3, settings=settings, random_state=0).fit(X, time=birds.year)

male = [birds.sex[birds.year == year] == "male" for year in model.times_]
plot_outcomes(outcomes_by_lineage(model.analysis_.alignment, male, name="males"))
