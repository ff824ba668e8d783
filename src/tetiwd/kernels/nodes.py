"""What kernels are given of the model of moving centres: the lineages of all epochs, and the numbers of the model.

Lineages occupy slots 0 … C−1 of padded arrays. Lineage c at epoch t is *node* c·T + t, perhaps without objects; its
rows of S and R are then exactly zero. Symbols are those of ``tetiwd.model.nodes``.
"""

import numpy as np

from tetiwd.kernels.bonds import NONE
from tetiwd.kernels.sums import NodeMatrixSums, members_tried, sums_of

WORTHWHILE = 150  # members of a split or merge that is always tried (``tetiwd.kernels.sums``)


class Nodes:
    """Everything about the lineages of a chain that moves read and change in place.

    Parameters
    ----------
    data
        Squared distances between all objects, epoch after epoch, in the user's units (``tetiwd.kernels.sums``).
    per_unit
        1 / unit, the factor that rescales them.
    first
        (T + 1,) first object of every epoch, and the number of objects.
    z
        (N,) slot of every object.
    size
        (1,) number of lineages C.
    counts
        (capacity, T) objects of every node.
    S, R
        (K, K) block sums of nodes, and (K, …) what their members add up to (``tetiwd.kernels.sums``).
    spreads
        (capacity,) variance α_c of a lineage around its centre.
    bonds
        What is known of objects of all epochs (``tetiwd.kernels.bonds``).
    """

    def __init__(self, data, per_unit, first, z, size, counts, S, R, spreads, bonds=NONE):
        self.data, self.per_unit = data, per_unit
        self.n, self.n_epochs = len(z), len(first) - 1
        make = NodeMatrixSums if isinstance(data, np.ndarray) else sums_of
        self.sums = make(data, per_unit, R, 2 * self.n_epochs)
        self.worthwhile = members_tried(data, WORTHWHILE)
        self.row = np.zeros(len(R))  # sums of one object over all nodes, while it is looked at
        self.first = first
        self.epoch = np.repeat(np.arange(self.n_epochs), np.diff(first))
        self.z = z
        self.size = size
        self.counts = counts
        self.S = S
        self.R = R
        self.spreads = spreads
        self.bonds = bonds
        self.proposed = np.zeros(bonds.n_groups, np.int64)  # lineage of every group, while a change is proposed


class Motion:
    """Numbers that stay fixed during a move.

    ``limit`` is the largest |log α_c − log α|, ``begins`` the first epoch with objects; ``power`` is 1 for sampling,
    larger to anneal, inf for the best.
    """

    def __init__(self, alpha, dof, rho, new_scale, xi, tau, delta, kappa, shift, limit, begins, power):
        self.alpha = alpha
        self.dof = dof
        self.rho = rho
        self.new_scale = new_scale
        self.xi = xi
        self.tau = tau
        self.delta = delta
        self.kappa = kappa
        self.shift = shift
        self.limit = limit
        self.begins = begins
        self.power = power


def members_of(nodes, c):
    """Objects of a lineage at all epochs."""
    total = 0
    for t in range(nodes.n_epochs):
        total += nodes.counts[c, t]
    return total


def add_to_blocks(nodes, obj, node, sign):
    """Count an object into a node (sign 1.0) or out of it (−1.0); the sums are as they were."""
    K = nodes.size[0] * nodes.n_epochs
    nodes.sums.look(obj, K, nodes.row)
    for j in range(K):
        nodes.S[node, j] += sign * nodes.row[j]
        nodes.S[j, node] += sign * nodes.row[j]


def clear_node(nodes, node):
    """No sums for a node without objects, exactly."""
    K = nodes.size[0] * nodes.n_epochs
    for j in range(K):
        nodes.S[node, j] = 0.0
        nodes.S[j, node] = 0.0
    for j in range(nodes.R.shape[1]):
        nodes.R[node, j] = 0.0


def close_lineage(nodes, c):
    """Remove the lineage in slot c, which has no objects; the last lineage moves into its place."""
    T, last = nodes.n_epochs, nodes.size[0] - 1
    if c != last:
        for t in range(T):
            a, b = c * T + t, last * T + t
            nodes.counts[c, t] = nodes.counts[last, t]
            nodes.counts[last, t] = 0
            for j in range((last + 1) * T):
                nodes.S[a, j] = nodes.S[b, j]
                nodes.S[b, j] = 0.0
            for j in range(nodes.R.shape[1]):
                nodes.R[a, j] = nodes.R[b, j]
                nodes.R[b, j] = 0.0
        for t in range(T):
            a, b = c * T + t, last * T + t
            for i in range((last + 1) * T):
                nodes.S[i, a] = nodes.S[i, b]
                nodes.S[i, b] = 0.0
        for obj in range(nodes.n):
            if nodes.z[obj] == last:
                nodes.z[obj] = c
        nodes.spreads[c] = nodes.spreads[last]
    nodes.spreads[last] = 0.0
    nodes.size[0] = last
