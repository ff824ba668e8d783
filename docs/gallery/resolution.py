"""From coarse to fine clusters."""

from palmerpenguins import load_penguins
from sklearn.preprocessing import StandardScaler

from tetiwd import DistanceSeries, resolution_path
from tetiwd.plots import plot_resolution

birds = load_penguins().dropna()
X = birds[["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]]
X = StandardScaler().set_output(transform="pandas").fit_transform(X)
series = DistanceSeries.from_features(X, time=birds.year)

plot_resolution(resolution_path(series))
