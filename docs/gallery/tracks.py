"""Objects of all times in one plane."""

import numpy as np
from matplotlib import pyplot

from tetiwd import DistanceSeries, TeTiWD, embed, track
from tetiwd.plots import lineage_colour

rng = np.random.default_rng(0)
cluster = np.tile(np.repeat(range(3), 15), 5)
year = np.repeat(range(2016, 2021), 45)
start, step = np.array([[0, 0], [8, 0], [4, 7]]), np.array([[0.0, 1.5], [1.5, 0.0], [-1.0, 1.0]])
X = (start + step * (year[:, None, None] - 2016))[range(225), cluster] + rng.normal(size=(225, 2))

series = DistanceSeries.from_features(X, time=year)
model = TeTiWD(dof=2, mode="fast", random_state=0).fit(series)
space = embed(series, n_components=2)
tracks = track(series, model.labels_by_time_, embedding=space)

figure, ax = pyplot.subplots(figsize=(6, 3.6), layout="constrained")
for points, labels in zip(space.coordinates, tracks.labels, strict=True):
    ax.scatter(*points.T, s=8, alpha=0.4, color=[lineage_colour(label) for label in labels])
for number in range(tracks.n_tracks):
    ax.plot(*tracks.means[:, number].T, "o-", color=lineage_colour(number), mec="white", label=f"track {number}")
    ax.annotate("2020", tracks.means[-1, number], xytext=(6, -12), textcoords="offset points")
ax.set(xticks=[], yticks=[], aspect="equal")
ax.legend(frameon=False)
