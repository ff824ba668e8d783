"""The centres of one lineage at all epochs given its sizes: filtered forwards and backwards in O(T).

The same as V = (A₁⁻¹ + diag(n/α))⁻¹ and Y = 1 − V n/α, but nothing is inverted, so that ρ = 1 is nothing special.
"""

import math

import numpy as np


class Centres:
    """Scratch for one lineage.

    ``V`` (T,) are the variances V_tt and ``Y`` (T,) the shares of the common centre. Row t of V follows from V_tt by
    multiplication with ``right`` towards later and ``left`` towards earlier epochs. ``log_det`` is log|Σ| of its
    objects.
    """

    def __init__(self, n_epochs):
        T = self.n_epochs = n_epochs
        self.V, self.Y, self.left, self.right = (np.zeros(T) for _ in range(4))
        self.before, self.after = np.zeros(T), np.zeros(T)  # variance given the objects of earlier, later epochs
        self.filtered, self.mean, self.expected = np.zeros(T), np.zeros(T), np.zeros(T)
        self.log_det = 0.0


def smooth(own, counts, c, spread, rho, scale):
    """Everything about the centres of lineage c."""
    T = own.n_epochs
    drift = scale * (1.0 - rho * rho)
    variance, expected, total, n = scale, 1.0, 0.0, 0
    for t in range(T):
        growth = 1.0 + variance * (counts[c, t] / spread)
        own.before[t] = variance
        own.expected[t] = expected
        own.filtered[t] = variance / growth
        own.mean[t] = expected / growth
        if counts[c, t] > 0:
            total += math.log(growth)
            n += counts[c, t]
        variance = rho * rho * own.filtered[t] + drift
        expected = (1.0 - rho) + rho * own.mean[t]
    own.log_det = total + n * math.log(spread)
    variance = scale
    for t in range(T - 1, -1, -1):
        own.after[t] = variance
        own.V[t] = 1.0 / (1.0 / own.filtered[t] + (1.0 / variance - 1.0 / scale))
        filtered = variance / (1.0 + variance * (counts[c, t] / spread))
        variance = rho * rho * filtered + drift
        own.right[t] = rho * filtered / variance
    own.Y[T - 1] = own.mean[T - 1]
    for t in range(T - 2, -1, -1):
        own.left[t] = rho * own.filtered[t] / own.before[t + 1]
        own.Y[t] = own.mean[t] + own.left[t] * (own.Y[t + 1] - own.expected[t + 1])


def row_of(own, t, factor, out, i):
    """Row t of V, times a factor, into row i of ``out``."""
    x = own.V[t] * factor
    out[i, t] = x
    for s in range(t + 1, own.n_epochs):
        x *= own.right[s]
        out[i, s] = x
    x = out[i, t]
    for s in range(t - 1, -1, -1):
        x *= own.left[s]
        out[i, s] = x
