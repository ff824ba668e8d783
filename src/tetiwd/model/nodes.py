"""Moving centres: the likelihood of all distances D*, within and between epochs, collapsed to nodes.

A *node* (c, t) is lineage c at epoch t, with n_ct objects, perhaps none. Its centre moves as a stationary AR(1),

    cov[(c, t), (b, s)] = 1{c = b} · A₁[t, s],   A₁[t, s] = new_scale · ρ^|t − s|,

and an object of lineage c lies around it with variance α_c: Σ = diag(α) + Z A Zᵀ over all N objects. As lineages are
independent, everything but one sum is a T×T computation for each of them, with V = (A₁⁻¹ + diag(n_c/α_c))⁻¹, which is
computed without A₁⁻¹ so that ρ = 1 is nothing special:

    Y = U − V diag(n/α) U,   Ỹ = Y/α,   Λ = P + Σ n U Ỹᵀ,   B = ỸᵀS Ỹ
    log det⁺(W̃) = −Σ_c [N_c log α_c + log|I + n^½ A₁ n^½/α_c|] − log|Λ| + log N
    tr(W̃ D*)    = −Σ_c tr(V_c S_cc)/α_c² − tr(Λ⁻¹B).

U (T, q) is what all lineages have in common at every epoch. Usually that is an unknown origin: U = 1 and P = 0. If the
objects of every epoch are displaced together, by N(0, γ) in every dimension, there is a column √γ e_t more for every
epoch t, and P = diag(0, 1, …, 1).

Nodes without objects need no special case. One more object is a Gaussian prediction; see :meth:`NodeTerms.predict`.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def lineage_covariance(n_epochs: int, rho: float, new_scale: float) -> Floats:
    """A₁: prior covariance of the places of one lineage at all epochs, (T, T)."""
    steps = np.abs(np.subtract.outer(np.arange(n_epochs), np.arange(n_epochs)))
    return new_scale * float(rho) ** steps


def common_columns(n_epochs: int, shift: float) -> Floats:
    """U: the origin, and displacements of all epochs with variance ``shift`` if that is not 0, (T, 1) or (T, 1 + T)."""
    origin = np.ones((n_epochs, 1))
    return np.hstack([origin, np.sqrt(shift) * np.eye(n_epochs)]) if shift > 0 else origin


def node_statistics(
    cross: ArrayLike, lineages: ArrayLike, epochs: ArrayLike, n_lineages: int, n_epochs: int
) -> tuple[Floats, Floats]:
    """Sizes (C, T) and block sums (C, T, C, T) of all nodes; ``lineages`` and ``epochs`` say where every object is."""
    D, node = np.asarray(cross, dtype=float), np.asarray(lineages) * n_epochs + np.asarray(epochs)
    K = n_lineages * n_epochs
    row_sums = np.zeros((K, len(node)))
    np.add.at(row_sums, node, D)
    block_sums = np.zeros((K, K))
    np.add.at(block_sums.T, node, row_sums.T)
    counts = np.bincount(node, minlength=K).astype(float)
    return counts.reshape(n_lineages, n_epochs), block_sums.reshape((n_lineages, n_epochs) * 2)


def log_likelihood_nodes_dense(
    cross: ArrayLike,
    lineages: ArrayLike,
    epochs: ArrayLike,
    A_1: ArrayLike,
    spreads: ArrayLike,
    dof: float,
    shift: float = 0.0,
) -> float:
    """Log likelihood of D* straight from the definition, O(N³). To compare with."""
    c, t, alpha = np.asarray(lineages), np.asarray(epochs), np.asarray(spreads, dtype=float)
    covariance = np.asarray(A_1)[np.ix_(t, t)] * (c[:, None] == c[None, :]) + np.diag(alpha[c])
    covariance += shift * (t[:, None] == t[None, :])
    W = np.linalg.inv(covariance)
    row_sums = W.sum(axis=1)
    W_tilde = W - np.outer(row_sums, row_sums) / row_sums.sum()
    nonzero = np.linalg.eigvalsh(W_tilde)[1:]  # W̃1 = 0: exactly one eigenvalue is zero, the smallest
    return float(dof / 2 * np.log(nonzero).sum() + dof / 4 * np.sum(W_tilde * np.asarray(cross)))


@dataclass(frozen=True)
class NodeTerms:
    """The pieces above, for C lineages (some of them perhaps empty) at T epochs."""

    spreads: Floats  # (C,) α_c
    counts: Floats  # (C, T)
    S: Floats  # (C, T, C, T)
    V: Floats  # (C, T, T)
    Y: Floats  # (C, T, q)
    log_det: float  # log|Σ| without what is common
    weight: Floats  # (q, q) Λ

    @classmethod
    def build(
        cls, counts: ArrayLike, block_sums: ArrayLike, A_1: ArrayLike, spreads: ArrayLike, shift: float = 0.0
    ) -> "NodeTerms":
        """Everything from scratch, O(C T³)."""
        n, S, alpha = (np.asarray(x, dtype=float) for x in (counts, block_sums, spreads))
        prior, log_det = np.asarray(A_1, dtype=float), 0.0
        V = np.empty((*n.shape, n.shape[1]))
        for c, root in enumerate(np.sqrt(n)):
            G = alpha[c] * np.eye(len(root)) + root[:, None] * prior * root
            V[c] = prior - prior @ (root[:, None] * np.linalg.solve(G, root[:, None] * prior))
            log_det += (n[c].sum() - len(root)) * np.log(alpha[c]) + np.linalg.slogdet(G)[1]
        U, share = common_columns(len(prior), shift), n / alpha[:, None]
        Y = U - V @ (share[:, :, None] * U)
        weight = np.diag(np.arange(U.shape[1]) > 0) + np.einsum("ct,tq,ctp->qp", share, U, Y)
        return cls(alpha, n, S, V, Y, float(log_det), weight)

    @property
    def scaled_Y(self) -> Floats:
        """Ỹ, (C, T, q)."""
        return self.Y / self.spreads[:, None, None]

    def log_likelihood(self, dof: float) -> float:
        """Log likelihood of the objects that are in."""
        own = np.einsum("cts,ctcs->c", self.V, self.S) / self.spreads**2
        B = np.tensordot(self.scaled_Y, np.tensordot(self.S, self.scaled_Y), ([0, 1], [0, 1]))
        log_det = -self.log_det - np.linalg.slogdet(self.weight)[1] + np.log(self.counts.sum())
        return float(dof / 2 * log_det - dof / 4 * (own.sum() + np.trace(np.linalg.solve(self.weight, B))))

    def predict(self, row_sums: ArrayLike, t: int) -> tuple[Floats, Floats]:
        """Squared distance of one more object at epoch t from the centre of every lineage, and its variance; (C,) each.

        ``row_sums`` (C, T) are its distances summed over the objects of every node. An object at distance δ with
        variance v multiplies the likelihood by v^(−d/2) exp(−d δ / (2v)), up to a factor common to all lineages.
        """
        r = np.asarray(row_sums, dtype=float)
        y = self.Y[:, t]
        k = np.linalg.solve(self.weight, y.T).T
        variance = self.spreads + self.V[:, t, t] + np.sum(y * k, axis=1)
        distance = np.empty(len(y))
        for c in range(len(y)):
            h = self.scaled_Y @ k[c]  # weights of all objects in the prediction; n·h = 1
            h[c] += self.V[c, t] / self.spreads[c]
            distance[c] = np.sum(h * r) - 0.5 * np.einsum("ct,ctbs,bs->", h, self.S, h)
        return distance, variance

    def after(self, c: int, t: int, row_sums: ArrayLike, sign: Literal[1, -1]) -> "NodeTerms":
        """The terms after one object joins (sign 1) or leaves (−1) node (c, t), by rank-one changes."""
        r = np.asarray(row_sums, dtype=float)
        v, y, alpha = self.V[c, t], self.Y[c, t], self.spreads[c]
        g = alpha + sign * v[t]
        counts, S, V, Y = self.counts.copy(), self.S.copy(), self.V.copy(), self.Y.copy()
        counts[c, t] += sign
        S[c, t] += sign * r
        S[:, :, c, t] += sign * r
        V[c] -= sign * np.outer(v, v) / g
        Y[c] -= sign * np.outer(v, y) / g
        log_det = self.log_det + sign * np.log(g if sign > 0 else alpha + V[c, t, t])
        weight = self.weight + sign * np.outer(y, y) / g
        return replace(self, counts=counts, S=S, V=V, Y=Y, log_det=log_det, weight=weight)


def log_likelihood_nodes(
    cross: ArrayLike,
    lineages: ArrayLike,
    epochs: ArrayLike,
    A_1: ArrayLike,
    spreads: ArrayLike,
    dof: float,
    shift: float = 0.0,
) -> float:
    """Log likelihood of D*, collapsed; ``spreads`` has a value for each of the lineages 0 … C−1."""
    alpha, prior = np.asarray(spreads, dtype=float), np.asarray(A_1, dtype=float)
    statistics = node_statistics(cross, lineages, epochs, len(alpha), len(prior))
    return NodeTerms.build(*statistics, prior, alpha, shift).log_likelihood(dof)
