"""What is known of objects of all epochs, where the lineages themselves are the state (moving centres).

``Bonds`` are then those of the whole series: a group has members at any epochs and is in one lineage, and a bond says
what the log density gains if two groups are in one lineage. A group of a single object has bonds only.
"""

import math


def is_in_group(bonds, obj):
    """True if an object stays together with others."""
    g = bonds.group[obj]
    return g >= 0 and bonds.start[g + 1] - bonds.start[g] > 1


def add_pull(bonds, g, z, log_weight):
    """Add what a group gains in every lineage by its bonds with those who are there."""
    for i in range(bonds.first[g], bonds.first[g + 1]):
        log_weight[z[bonds.other[i]]] += bonds.weight[i]


def lineage_of(given, g):
    """The lineage of a group."""
    return given.z[given.bonds.members[given.bonds.start[g]]]


def count_within(given, g, lo, hi):
    """How many members a group has at epochs lo … hi."""
    n = 0
    for i in range(given.bonds.start[g], given.bonds.start[g + 1]):
        if lo <= given.epoch[given.bonds.members[i]] <= hi:
            n += 1
    return n


def is_within(given, g, lo, hi):
    """True if all members of a group are at epochs lo … hi; members are in the order of epochs."""
    first, last = given.bonds.members[given.bonds.start[g]], given.bonds.members[given.bonds.start[g + 1] - 1]
    return given.epoch[first] >= lo and given.epoch[last] <= hi


def divide(given, a, b, lo, hi, side, split):
    """Propose the lineages of all groups after a split of a at epochs lo … hi, with sides of groups, or a merge."""
    for g in range(given.bonds.n_groups):
        c = lineage_of(given, g)
        given.proposed[g] = c
        if c == (a if split else b) and is_within(given, g, lo, hi):
            if not split:
                given.proposed[g] = a
            elif side[g] == 1:
                given.proposed[g] = b


def exchange(given, a, b, lo, hi):
    """Propose those after lineages a and b exchange epochs lo … hi; False if that would tear a group apart."""
    for g in range(given.bonds.n_groups):
        c = lineage_of(given, g)
        given.proposed[g] = c
        if c in (a, b):
            n = count_within(given, g, lo, hi)
            if n == given.bonds.start[g + 1] - given.bonds.start[g]:
                given.proposed[g] = b if c == a else a
            elif n > 0:
                return False
    return True


def gain(given, bonds):
    """What the log density gains by bonds if all groups go where it is proposed; −inf if that is not allowed."""
    total = 0.0
    for g in range(bonds.n_groups):
        for i in range(bonds.first[g], bonds.first[g + 1]):
            h = bonds.group[bonds.other[i]]
            now = lineage_of(given, g) == lineage_of(given, h)
            then = given.proposed[g] == given.proposed[h]
            if then and not now:
                if bonds.weight[i] == -math.inf:
                    return -math.inf
                total += 0.5 * bonds.weight[i]  # every bond is listed twice
            elif now and not then:
                total -= 0.5 * bonds.weight[i]
    return total
