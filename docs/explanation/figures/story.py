"""Objects of four times in two dimensions: lineages drift, one ends and another begins. Only distances are observed."""

import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(4)
sizes = np.array([[14, 9, 7, 0], [12, 12, 4, 0], [10, 14, 0, 6], [8, 13, 0, 12]])  # times × lineages
centres = np.array([[-2.0, 1.4], [1.8, 1.6], [-1.2, -1.8], [2.0, -1.6]])
colours = ["#4477aa", "#ee6677", "#228833", "#aa8800"]
remarks = ["three lineages", "the green one shrinks", "it has ended, a new one began", "the new one grows"]

fig, axes = plt.subplots(1, 4, figsize=(8.2, 2.6), sharex=True, sharey=True)
for t, ax in enumerate(axes):
    for c, n in enumerate(sizes[t]):
        x = centres[c] + 0.5 * rng.standard_normal((n, 2))
        ax.scatter(*x.T, s=14, color=colours[c], linewidths=0)
        if n:
            ax.plot(*centres[c], marker="+", color="black", markersize=7)
    ax.set_title(f"time {t + 1}", fontsize=10)
    ax.set_xlabel(remarks[t], fontsize=8)
    ax.set(xticks=[], yticks=[], aspect="equal", xlim=(-4, 4), ylim=(-4, 4))
    centres = centres + 0.35 * rng.standard_normal((4, 2))
fig.tight_layout()
