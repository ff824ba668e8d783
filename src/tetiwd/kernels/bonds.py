"""What is known of the objects of one epoch: which of them stay together, and which pairs attract or repel each other.

Objects that stay together are a group; so is a single object of which something is known. All others are free.
"""

import math

import numpy as np


class Bonds:
    """Groups of objects and bonds between them.

    Parameters
    ----------
    group
        (n,) group of every object, −1 for free ones.
    start, members
        (G + 1,) where every group begins in the list of members, group after group.
    first, other, weight
        (G + 1,) where the bonds of every group begin; an object of the other group of every bond, which is listed for
        both, and what the log density gains if the two are in one cluster: −inf if they never are.
    """

    def __init__(self, group, start, members, first, other, weight):
        self.group, self.n_groups = group, len(start) - 1
        self.start, self.members = start, members
        self.first, self.other, self.weight = first, other, weight
        self.inside = np.full(len(start) - 1, np.nan)  # sum over all pairs of members, once it is known
        self.across = False  # is anything known across time? Then tables of gains, the last row and column for none:
        self.joins = np.zeros((1, 1))  # by cluster before and after, for a cluster here that would join them
        self.left, self.right = np.zeros((1, 1)), np.zeros((1, 1))  # by cluster before and group; group and after

    def look_across(self, joins, left, right):
        """Take the tables that hold while this epoch is updated."""
        self.across, self.joins, self.left, self.right = True, joins, left, right


_nobody = np.zeros(0, np.int64)
NONE = Bonds(_nobody, np.zeros(1, np.int64), _nobody, np.zeros(1, np.int64), _nobody, np.zeros(0))


def sum_inside(bonds, g, sums, similarity):
    """Sum of squared distances or similarities over all ordered pairs of members of a group."""
    if bonds.inside[g] == bonds.inside[g]:
        return bonds.inside[g]
    total = 0.0
    sums.open_sides()
    for i in range(bonds.start[g], bonds.start[g + 1]):
        obj = bonds.members[i]
        total += 2.0 * sums.to_side(obj, 0)
        if similarity:
            total += sums.own(obj)
        sums.join_side(obj, 0)
    bonds.inside[g] = total
    return total


def place(slot, table_size):
    """Row or column of a cluster in a table of gains, whose last one is for none."""
    return slot if slot >= 0 else table_size - 1


def gain_of_join(bonds, b, f):
    """What a cluster gains that joins b before it with f after it, −1 for none."""
    return bonds.joins[place(b, bonds.joins.shape[0]), place(f, bonds.joins.shape[1])]


def gain_of_links(bonds, g, b, f):
    """What a group gains in a cluster with these neighbours."""
    if not bonds.across:
        return 0.0
    return bonds.left[place(b, bonds.left.shape[0]), g] + bonds.right[g, place(f, bonds.right.shape[1])]


def is_pinned(bonds, b):
    """True if a lineage that is in slot b before must go on, so that the cluster that continues it cannot vanish."""
    return bonds.across and b >= 0 and bonds.joins[b, bonds.joins.shape[1] - 1] == -math.inf


def add_pull(bonds, g, z, log_weight):
    """Add what a group gains in every cluster by its bonds with those who are there, to the first row of weights."""
    for i in range(bonds.first[g], bonds.first[g + 1]):
        log_weight[0, z[bonds.other[i]]] += bonds.weight[i]
