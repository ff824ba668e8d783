"""Lineages are split and merged, as a whole or at some epochs, which objects hardly achieve one by one.

Two objects are drawn. If they are of one lineage, its members at some epochs around them are divided, and those on the
side of the second go to a new lineage, or to one that is absent from these epochs; otherwise the members of the second
lineage at these epochs go over to the first. The reverse of a merge is the split that would choose the same target,
so targets are counted in the merged state.
"""

import math

import numpy as np

from tetiwd.kernels import assign_nodes, node_terms, nodes, sides_of_lineage, stream, urn
from tetiwd.kernels.sides_of_lineage import SidesOfLineage

WORTHWHILE = 300  # members of a change that is always tried; larger ones, which cost their square, in proportion
REJECTED, SPLIT, MERGED = 0, 1, 2


class LineageSplit:
    """Scratch of the move: two lineages by themselves, and their rows of S and sizes as they were."""

    def __init__(self, capacity, n_epochs, n):
        self.sides = SidesOfLineage(n, n_epochs)
        self.rows, self.counts = np.zeros((2 * n_epochs, capacity * n_epochs)), np.zeros((2, n_epochs), np.int64)
        self.gain = self.log_proposal = 0.0


def count_absent(given, lo, hi, a, b):
    """How many lineages other than a and b are absent from some epochs."""
    absent = 0
    for c in range(given.size[0]):
        if c != a and c != b and is_absent(given, lo, hi, c):
            absent += 1
    return absent


def is_absent(given, lo, hi, c):
    """True if a lineage has no objects at epochs lo … hi."""
    total = 0
    for t in range(lo, hi + 1):
        total += given.counts[c, t]
    return total == 0


def absent_lineage(given, lo, hi, a, k):
    """The k-th lineage other than a that is absent from some epochs."""
    for c in range(given.size[0]):
        if c != a and is_absent(given, lo, hi, c):
            if k == 0:
                return c
            k -= 1
    return given.size[0]


def lives_elsewhere(given, lo, hi, c):
    """True if a lineage has objects at other epochs."""
    total = 0
    for t in range(given.n_epochs):
        total += 0 if lo <= t <= hi else given.counts[c, t]
    return total > 0


def log_joint(scratch, given, motion):
    """Log prior of lineages plus log likelihood; ``scratch`` is that of the assignment of objects."""
    total = urn.log_prior(scratch.urn, given, motion)
    return total + node_terms.log_likelihood(scratch.terms, given.counts, given.S, given.spreads, given.size[0], motion)


def propose(rng, change, sides, given, motion, i, j, lo, hi):
    """Divide members between two lineages, or follow how they are divided; False if it is too large to try now."""
    a, b = given.z[i], given.z[j]
    sides.lo, sides.hi = lo, hi
    sides.slot[0], sides.slot[1] = a, b
    sides_of_lineage.list_members(given, sides, rng, i, j)
    if rng.uniform() * sides.n_members > WORTHWHILE:
        return False
    sides.spreads[0], sides.spreads[1] = given.spreads[a], given.spreads[b]
    if a == b:
        absent = count_absent(given, lo, hi, a, a)
        b = absent_lineage(given, lo, hi, a, rng.below(absent + 1))
        sides.slot[1] = b
        sides.spreads[1] = given.spreads[b] if b < given.size[0] else assign_nodes.draw_spread(rng, motion)
        sides_of_lineage.allocate(given, sides, motion, rng, False, b)
        change.log_proposal = math.log(absent + 1.0) - sides.log_chance
    else:
        absent = count_absent(given, lo, hi, a, b)
        if lives_elsewhere(given, lo, hi, b):
            absent += 1
        sides_of_lineage.allocate(given, sides, motion, rng, True, b)
        change.log_proposal = sides.log_chance - math.log(absent + 1.0)
    return True


def keep_rows(change, sides, given):
    """Keep the rows of S and the sizes that a change will overwrite."""
    T = given.n_epochs
    for x in range(2):
        for t in range(T):
            change.counts[x, t] = given.counts[sides.slot[x], t]
            for k in range(given.size[0] * T):
                change.rows[x * T + t, k] = given.S[sides.slot[x] * T + t, k]


def restore_rows(change, sides, given):
    """Undo a change, to the last bit."""
    T = given.n_epochs
    for x in range(2):
        for t in range(T):
            node = sides.slot[x] * T + t
            given.counts[sides.slot[x], t] = change.counts[x, t]
            for k in range(given.size[0] * T):
                given.S[node, k] = change.rows[x * T + t, k]
                given.S[k, node] = change.rows[x * T + t, k]


def write_split(sides, given):
    """Sizes and S after a split; members are still where they were in R."""
    T = given.n_epochs
    a, b = sides.slot[0], sides.slot[1]
    K = given.size[0] * T
    for m in range(sides.n_members):
        if sides.side[m] == 1:
            obj = sides.members[m]
            s = given.epoch[obj]
            for k in range(K):
                given.S[b * T + s, k] += given.R[k, obj]
                given.S[a * T + s, k] -= given.R[k, obj]
    for x in range(2):
        for s in range(T):
            given.counts[sides.slot[x], s] = sides.counts[x, s]
    write_both(sides, given)


def write_merge(sides, given):
    """Sizes and S after a merge."""
    T = given.n_epochs
    a, b = sides.slot[0], sides.slot[1]
    for s in range(sides.lo, sides.hi + 1):
        for k in range(given.size[0] * T):
            given.S[a * T + s, k] += given.S[b * T + s, k]
            given.S[b * T + s, k] = 0.0
        for t in range(T):  # what the two know of each other is added up anew
            given.S[a * T + s, a * T + t] = 0.0
            given.S[a * T + s, b * T + t] = 0.0
            for x in range(2):
                for y in range(2):
                    to = a if sides.lo <= t <= sides.hi else sides.slot[y]
                    given.S[a * T + s, to * T + t] += sides.S[x * T + s, y * T + t]
        given.counts[a, s] += given.counts[b, s]
        given.counts[b, s] = 0
    mirror(sides, given)


def write_both(sides, given):
    """S between the two lineages after a split."""
    T = given.n_epochs
    for x in range(2):
        for s in range(T):
            for y in range(2):
                for t in range(T):
                    given.S[sides.slot[x] * T + s, sides.slot[y] * T + t] = sides.S[x * T + s, y * T + t]
    mirror(sides, given)


def mirror(sides, given):
    """Columns of S equal rows; nodes without objects have none."""
    T = given.n_epochs
    K = given.size[0] * T
    for x in range(2):
        for s in range(sides.lo, sides.hi + 1):
            node = sides.slot[x] * T + s
            for k in range(K):
                if given.counts[sides.slot[x], s] == 0:
                    given.S[node, k] = 0.0
                given.S[k, node] = given.S[node, k]


def move_members(sides, given, split):
    """Labels and row sums after an accepted change."""
    T = given.n_epochs
    a, b = sides.slot[0], sides.slot[1]
    if split:
        for m in range(sides.n_members):
            if sides.side[m] == 1:
                obj = sides.members[m]
                given.z[obj] = b
                nodes.add_row(given, obj, b * T + given.epoch[obj], 1.0)
                nodes.add_row(given, obj, a * T + given.epoch[obj], -1.0)
    else:
        for m in range(sides.n_members):
            given.z[sides.members[m]] = a
        for s in range(sides.lo, sides.hi + 1):
            for k in range(given.n):
                given.R[a * T + s, k] += given.R[b * T + s, k]
    for x in range(2):
        for s in range(sides.lo, sides.hi + 1):
            if given.counts[sides.slot[x], s] == 0:
                nodes.clear_node(given, sides.slot[x] * T + s)


def split_or_merge(rng, scratch, change, given, motion, i, j, lo, hi):
    """Propose to split or merge the lineages of objects i and j at epochs lo … hi; says what happened."""
    split, C = given.z[i] == given.z[j], given.size[0]
    if not propose(rng, change, change.sides, given, motion, i, j, lo, hi):
        return REJECTED
    before = log_joint(scratch, given, motion)
    b = change.sides.slot[1]
    if b == C:
        given.spreads[b] = change.sides.spreads[1]
        given.size[0] = C + 1
    keep_rows(change, change.sides, given)
    if split:
        write_split(change.sides, given)
    else:
        write_merge(change.sides, given)
    change.gain = log_joint(scratch, given, motion) - before
    if not stream.accept(rng, change.gain, change.log_proposal, motion.power):
        restore_rows(change, change.sides, given)
        if b == C:
            given.spreads[b] = 0.0
            given.size[0] = C
        return REJECTED
    move_members(change.sides, given, split)
    if nodes.members_of(given, b) == 0:
        nodes.close_lineage(given, b)
    return SPLIT if split else MERGED
