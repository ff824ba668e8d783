"""A small world: between-cluster covariance A, covariance of objects αI + ZAZᵀ, and the distances that come of it."""

import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(3)
alpha, d, sizes = 0.4, 30, [8, 5, 7]
A = np.array([[1.6, 0.9, -0.5], [0.9, 1.1, 0.0], [-0.5, 0.0, 1.3]])
z = np.repeat(np.arange(3), sizes)
sigma = alpha * np.eye(len(z)) + A[np.ix_(z, z)]
X = np.linalg.cholesky(sigma) @ rng.standard_normal((len(z), d))
D = ((X[:, None] - X[None]) ** 2).sum(-1) / d

fig, axes = plt.subplots(1, 3, figsize=(8.2, 2.9))
panels = [
    (A, "A: centres", "RdBu_r", 2),
    (sigma, "Σ = αI + Z A Zᵀ: objects", "RdBu_r", 2),
    (D, "D: what is observed", "viridis", None),
]
for ax, (matrix, title, colours, top) in zip(axes, panels, strict=True):
    image = ax.imshow(matrix, cmap=colours, vmin=None if top is None else -top, vmax=top)
    ax.set_title(title, fontsize=10)
    ax.set(xticks=[], yticks=[])
    fig.colorbar(image, ax=ax, shrink=0.8)
fig.tight_layout()
