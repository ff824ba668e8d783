"""Squared distances within a cluster and between two, for three degrees of freedom and the same means."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import chi2

within, between = 2.0, 4.0  # expected squared distances
x = np.linspace(0.01, 9, 400)

fig, axes = plt.subplots(1, 3, figsize=(8.2, 2.4), sharex=True)
for ax, d in zip(axes, (3, 20, 100), strict=True):
    for mean, colour, name in ((within, "#4477aa", "within a cluster"), (between, "#ee6677", "between clusters")):
        density = chi2.pdf(x * d / mean, d) * d / mean
        ax.fill_between(x, density, color=colour, alpha=0.45, label=name)
    ax.set_title(f"d = {d}", fontsize=10)
    ax.set(yticks=[], xlabel="squared distance")
    ax.spines[["top", "right", "left"]].set_visible(False)
axes[0].legend(fontsize=8, frameon=False)
fig.tight_layout()
