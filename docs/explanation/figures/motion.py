"""Paths of three lineages in one dimension, for centres that jump, move and stay."""

import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(5)
n_times, colours = 12, ["#4477aa", "#ee6677", "#228833"]

fig, axes = plt.subplots(1, 3, figsize=(8.2, 2.4), sharey=True)
for ax, rho, words in zip(axes, (0.0, 0.9, 1.0), ("jump", "move", "stay"), strict=True):
    for colour in colours:
        place = [rng.standard_normal()]
        for _ in range(n_times - 1):
            place.append(rho * place[-1] + np.sqrt(1 - rho**2) * rng.standard_normal())
        objects = np.array(place)[:, None] + 0.12 * rng.standard_normal((n_times, 6))
        ax.plot(range(1, n_times + 1), place, color=colour)
        ax.scatter(np.repeat(np.arange(1, n_times + 1), 6), objects, s=4, color=colour, alpha=0.5)
    ax.set_title(f"ρ = {rho:g}: centres {words}", fontsize=10)
    ax.set(xlabel="time", xticks=[1, 4, 8, 12], yticks=[])
    ax.spines[["top", "right", "left"]].set_visible(False)
fig.tight_layout()
