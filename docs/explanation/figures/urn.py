"""The urn at the second time: weights of a cluster come from its members now and from those at the time before."""

import matplotlib.pyplot as plt
import numpy as np

before, now, xi, kappa = np.array([9, 5, 2]), np.array([3, 0, 1]), 1.0, 1.0
names = ["cluster 1", "cluster 2", "cluster 3", "a new one"]
past = np.append(kappa * before, kappa * xi)
present = np.append(now, 0)
share = (past + present) / (past + present).sum()

fig, ax = plt.subplots(figsize=(6.2, 2.7))
ax.barh(names, past, color="#99bbdd", label="from the time before (κ × its size; κξ for a new one)")
ax.barh(names, present, left=past, color="#336699", label="from this time so far")
for i, (right, part) in enumerate(zip(past + present, share, strict=True)):
    ax.text(right + 0.2, i, f"{part:.0%}", va="center", fontsize=9)
ax.invert_yaxis()
ax.set(xlabel="weight with which the next object joins", xlim=(0, 14.5))
ax.legend(fontsize=8, loc="lower right", frameon=False)
ax.spines[["top", "right"]].set_visible(False)
fig.tight_layout()
