"""Lineages of the penguins over three seasons."""

from palmerpenguins import load_penguins

from tetiwd import DistanceSeries, TeTiWD
from tetiwd.plots import plot_lineages

birds = load_penguins().dropna().sort_values("year", kind="stable")
X = birds[["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]]
series = DistanceSeries.from_features(X, time=birds.year, standardize=True)
plot_lineages(TeTiWD().fit(series).lineages_)
