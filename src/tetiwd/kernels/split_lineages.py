"""Lineages are split and merged, as a whole or at some epochs, which objects hardly achieve one by one.

Two objects are drawn. If they are of one lineage, its members at some epochs around them are divided, and those on the
side of the second go to a new lineage, or to one that is absent from these epochs; otherwise the members of the second
lineage at these epochs go over to the first. The reverse of a merge is the split that would choose the same target,
so targets are counted in the merged state.
"""

import math

import numpy as np

from tetiwd.kernels import assign_nodes, lineage_bonds, lineage_sums, nodes, shift_sums, sides_of_lineage, stream, urn
from tetiwd.kernels.sides_of_lineage import SidesOfLineage

REJECTED, SPLIT, MERGED = 0, 1, 2


class LineageSplit:
    """Scratch of the move: two lineages by themselves, their sums of distances and sizes as proposed and as they were.

    ``H`` (2, T) is S Ỹ of their nodes without what they contribute themselves.
    """

    def __init__(self, capacity, n_epochs, n):
        T = n_epochs
        self.sides = SidesOfLineage(n, T)
        self.S, self.H = np.zeros((2 * T, 2 * T)), np.zeros((2, T))
        self.counts, self.before = np.zeros((2, T), np.int64), np.zeros((2, T), np.int64)
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


def begin(rng, sides, given, i, j, lo, hi):
    """List the members of the lineages of two objects at epochs lo … hi, and find out who has a side from the start.

    False if there are too many to try now, or if objects that stay together would be separated.
    """
    a, b = given.z[i], given.z[j]
    sides.lo, sides.hi = lo, hi
    sides.slot[0], sides.slot[1] = a, b
    sides_of_lineage.list_members(given, sides, rng, i, j)
    if rng.uniform() * sides.n_members > given.worthwhile:
        return False
    if given.bonds.n_groups > 0 and not sides_of_lineage.settle_groups(given, given.bonds, sides, i, j):
        return False
    sides.spreads[0], sides.spreads[1] = given.spreads[a], given.spreads[b]
    return True


def divide(rng, change, sides, given, motion):
    """Draw a lineage for the second side, and divide the members."""
    a = sides.slot[0]
    absent = count_absent(given, sides.lo, sides.hi, a, a)
    b = absent_lineage(given, sides.lo, sides.hi, a, rng.below(absent + 1))
    sides.slot[1] = b
    sides.spreads[1] = given.spreads[b] if b < given.size[0] else assign_nodes.draw_spread(rng, motion)
    sides_of_lineage.allocate(given, sides, motion, rng, False, b)
    change.log_proposal = math.log(absent + 1.0) - sides.log_chance


def log_targets_after(sides, given):
    """Log number of lineages of which the split that undoes a merge would draw one."""
    a, b = sides.slot[0], sides.slot[1]
    absent = count_absent(given, sides.lo, sides.hi, a, b)
    if lives_elsewhere(given, sides.lo, sides.hi, b):
        absent += 1
    return math.log(absent + 1.0)


def follow(rng, change, sides, given, motion):
    """Go through the division that a merge would undo."""
    sides_of_lineage.allocate(given, sides, motion, rng, True, sides.slot[1])
    change.log_proposal = sides.log_chance - log_targets_after(sides, given)


def note_before(change, sides, sums, given, motion):
    """Sizes and H of the two lineages as they are; returns B without the two."""
    T, B = given.n_epochs, sums.B
    if motion.shift > 0.0:
        shift_sums.leave(sums.shift, given, motion, sides.slot[0], sides.slot[1])
    for x in range(2):
        for t in range(T):
            node = sides.slot[x] * T + t
            change.before[x, t] = given.counts[sides.slot[x], t]
            total = sums.SY[node]
            for y in range(2):
                for s in range(T):
                    if has_objects(given, sides, y, s):
                        total -= given.S[node, sides.slot[y] * T + s] * sums.Y[sides.slot[y], s]
            change.H[x, t] = total if change.before[x, t] > 0 else 0.0
            B -= sums.Y[sides.slot[x], t] * (sums.SY[node] + change.H[x, t])
    return B


def has_objects(given, sides, x, t):
    """True if a side has objects at an epoch at present."""
    return given.counts[sides.slot[x], t] > 0


def propose_split(change, sides, sums, given, motion):
    """Sizes, S and H of the two lineages after a split."""
    T = given.n_epochs
    for x in range(2):
        for t in range(T):
            change.counts[x, t] = sides.counts[x, t]
    for k in range(2 * T):
        for m in range(2 * T):
            change.S[k, m] = sides.S[k, m]
    for m in range(sides.n_members):
        if sides.side[m] == 1:
            given.sums.look(sides.members[m], given.size[0] * T, given.row)
            pull = pull_of_others(sides, sums, given)
            change.H[1, given.epoch[sides.members[m]]] += pull
            change.H[0, given.epoch[sides.members[m]]] -= pull
            if motion.shift > 0.0:
                shift_sums.pull(sums.shift, given, sides.slot[0], sides.slot[1], sides.members[m])


def pull_of_others(sides, sums, given):
    """Σ of r Ỹ over the nodes of all other lineages, for the object last looked at."""
    T, total = given.n_epochs, 0.0
    for c in range(given.size[0]):
        if c != sides.slot[0] and c != sides.slot[1]:
            for t in range(T):
                if given.counts[c, t] > 0:
                    total += given.row[c * T + t] * sums.Y[c, t]
    return total


def propose_merge(change, sides, sums, given, motion):
    """Sizes, S and H of the two lineages after a merge."""
    T = given.n_epochs
    if motion.shift > 0.0:
        shift_sums.merge(sums.shift, sides.lo, sides.hi, T)
    merge_sums(change, sides, T)
    for s in range(T):
        for x in range(2):
            change.counts[x, s] = change.before[x, s]
        if sides.lo <= s <= sides.hi:
            change.counts[0, s] += change.counts[1, s]
            change.counts[1, s] = 0
            change.H[0, s] += change.H[1, s]
            change.H[1, s] = 0.0


def merge_sums(change, sides, n_epochs):
    """S of the two lineages after a merge, from that of the sides."""
    T = n_epochs
    for k in range(2 * T):
        for m in range(2 * T):
            change.S[k, m] = 0.0
    for x in range(2):
        for s in range(T):
            to = 0 if sides.lo <= s <= sides.hi else x
            for y in range(2):
                for t in range(T):
                    onto = 0 if sides.lo <= t <= sides.hi else y
                    change.S[to * T + s, onto * T + t] += sides.S[x * T + s, y * T + t]


def log_likelihood_proposed(change, sides, sums, given, motion, B):
    """Log likelihood with the two lineages as proposed; B is that of all others."""
    T = given.n_epochs
    for x in range(2):
        for t in range(T):
            sums.counts[x, t] = change.counts[x, t]
            sums.node[x, t] = x * T + t
    for x in range(2):
        lineage_sums.measure(sums, x, change.S, sides.spreads[x], motion)
    if motion.shift > 0.0:
        shift_sums.enter(sums.shift, sums.counts, sums.node, change.S, 2, T, motion)
    for x in range(2):
        for t in range(T):
            if change.counts[x, t] > 0:
                total = 2.0 * change.H[x, t]
                for y in range(2):
                    for s in range(T):
                        total += change.S[x * T + t, y * T + s] * sums.new_Y[y, s]
                B += sums.new_Y[x, t] * total
    return lineage_sums.log_likelihood_if(sums, motion, sides.slot[0], sides.slot[1], B)


def set_sizes(sides, given, counts):
    """Give the two lineages other sizes."""
    for x in range(2):
        for t in range(given.n_epochs):
            given.counts[sides.slot[x], t] = counts[x, t]


def write_blocks(change, sides, given, split):
    """S after an accepted change; sizes have been set."""
    T, K = given.n_epochs, given.size[0] * given.n_epochs
    a, b = sides.slot[0], sides.slot[1]
    if split:
        for m in range(sides.n_members):
            if sides.side[m] == 1:
                obj = sides.members[m]
                s = given.epoch[obj]
                given.sums.look(obj, K, given.row)
                for k in range(K):
                    given.S[b * T + s, k] += given.row[k]
                    given.S[a * T + s, k] -= given.row[k]
    else:
        for s in range(sides.lo, sides.hi + 1):
            for k in range(K):
                given.S[a * T + s, k] += given.S[b * T + s, k]
                given.S[b * T + s, k] = 0.0
    for x in range(2):
        for s in range(T):
            for y in range(2):
                for t in range(T):
                    given.S[sides.slot[x] * T + s, sides.slot[y] * T + t] = change.S[x * T + s, y * T + t]
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
                given.sums.add(obj, b * T + given.epoch[obj], 1.0)
                given.sums.add(obj, a * T + given.epoch[obj], -1.0)
    else:
        for m in range(sides.n_members):
            given.z[sides.members[m]] = a
        for s in range(sides.lo, sides.hi + 1):
            for k in range(given.R.shape[1]):
                given.R[a * T + s, k] += given.R[b * T + s, k]
    for x in range(2):
        for s in range(sides.lo, sides.hi + 1):
            if given.counts[sides.slot[x], s] == 0:
                nodes.clear_node(given, sides.slot[x] * T + s)


def split_or_merge(rng, scratch, change, sums, given, motion, i, j, lo, hi):
    """Propose to split or merge the lineages of objects i and j at epochs lo … hi; says what happened.

    ``sums`` are those of the present state, before and after.
    """
    if not begin(rng, change.sides, given, i, j, lo, hi):
        return REJECTED
    if change.sides.slot[0] == change.sides.slot[1]:
        return split(rng, scratch, change, change.sides, sums, given, motion)
    return merge(rng, scratch, change, change.sides, sums, given, motion)


def split(rng, scratch, change, sides, sums, given, motion):
    """Propose to divide the members that are listed."""
    C = given.size[0]
    divide(rng, change, sides, given, motion)
    pull, b = log_pull(sides, given, True), sides.slot[1]
    if pull == -math.inf:
        return REJECTED
    now = log_joint_now(scratch, sums, given, motion)
    if b == C:
        given.spreads[b] = sides.spreads[1]
        given.size[0] = C + 1
        lineage_sums.open_slot(sums, b, given.n_epochs)
    B = note_before(change, sides, sums, given, motion)
    propose_split(change, sides, sums, given, motion)
    change.gain = log_joint_proposed(scratch, change, sides, sums, given, motion, B) - now + pull
    if not stream.accept(rng, change.gain, change.log_proposal, motion.power):
        if b == C:
            given.spreads[b] = 0.0
            given.size[0] = C
        return REJECTED
    carry_out(change, sides, sums, given, motion, True)
    return SPLIT


def merge(rng, scratch, change, sides, sums, given, motion):
    """Propose to put the members that are listed together.

    The division that this undoes has a chance of at most 1, which is found only if that would be enough.
    """
    pull = log_pull(sides, given, False)
    if pull == -math.inf:
        return REJECTED
    now = log_joint_now(scratch, sums, given, motion)
    B = note_before(change, sides, sums, given, motion)
    sides_of_lineage.begin(given, sides, True)
    propose_merge(change, sides, sums, given, motion)
    change.gain = log_joint_proposed(scratch, change, sides, sums, given, motion, B) - now + pull
    bar = stream.log_bar(rng, change.gain, motion.power)
    if bar > -log_targets_after(sides, given):
        return REJECTED
    follow(rng, change, sides, given, motion)
    if bar > change.log_proposal:
        return REJECTED
    merge_sums(change, sides, given.n_epochs)  # as just added up from the data
    carry_out(change, sides, sums, given, motion, False)
    return MERGED


def log_pull(sides, given, divided):
    """What bonds gain by the change; −inf if they forbid it."""
    if given.bonds.n_groups == 0:
        return 0.0
    lineage_bonds.divide(given, sides.slot[0], sides.slot[1], sides.lo, sides.hi, sides.side_of_group, divided)
    return lineage_bonds.gain(given, given.bonds)


def log_joint_now(scratch, sums, given, motion):
    """What a change of lineages changes of the log joint density, as it is."""
    return urn.log_prior(scratch.urn, given, motion) + lineage_sums.log_likelihood_now(sums, motion)


def log_joint_proposed(scratch, change, sides, sums, given, motion, B):
    """The same with the two lineages as proposed; the state stays."""
    likelihood = log_likelihood_proposed(change, sides, sums, given, motion, B)
    set_sizes(sides, given, change.counts)
    prior = urn.log_prior(scratch.urn, given, motion)
    set_sizes(sides, given, change.before)
    return prior + likelihood


def carry_out(change, sides, sums, given, motion, divided):
    """Write what was proposed."""
    set_sizes(sides, given, change.counts)
    write_blocks(change, sides, given, divided)
    move_members(sides, given, divided)
    if nodes.members_of(given, sides.slot[1]) == 0:
        nodes.close_lineage(given, sides.slot[1])
    lineage_sums.build(sums, given, motion)
