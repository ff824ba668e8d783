"""Groups of objects that stay together, of one epoch or several: each in turn goes to any lineage, or to a new one.

A group moves as one. Its weight in a lineage is the joint density of all objects with the group there, from the sums of
two lineages: the one it would leave and the one it would join. Nothing is written before it moves.
"""

import math

import numpy as np

from tetiwd.kernels import assign_nodes, lineage_bonds, lineage_sums, nodes, shift_sums, split_lineages, urn


class GroupMove:
    """Scratch of the move: members of a group by epoch, and their sums of distances."""

    def __init__(self, capacity, n_epochs):
        C, T = capacity, n_epochs
        self.n = np.zeros(T, np.int64)
        self.G = np.zeros((T, C * T))  # to the members of every node that are not in the group
        self.inside = np.zeros((T, T))  # to each other, over ordered pairs
        self.pull = np.zeros((T, C))  # Σ of G Ỹ over the nodes of every lineage


def gather(group, given, bonds, g, a):
    """Sizes and sums of a group that is in lineage a."""
    T, K = given.n_epochs, given.size[0] * given.n_epochs
    for t in range(T):
        group.n[t] = 0
        for k in range(K):
            group.G[t, k] = 0.0
        for s in range(T):
            group.inside[t, s] = 0.0
    given.sums.open_sides()
    for i in range(bonds.start[g], bonds.start[g + 1]):
        obj = bonds.members[i]
        t = given.epoch[obj]
        for s in range(t + 1):  # members are in the order of epochs
            if group.n[s] > 0:
                x = given.sums.to_side(obj, s)
                group.inside[t, s] += x
                group.inside[s, t] += x
        given.sums.join_side(obj, t)
        group.n[t] += 1
        given.sums.look(obj, K, given.row)
        for k in range(K):
            group.G[t, k] += given.row[k]
    for t in range(T):
        for s in range(T):
            if group.n[s] == given.counts[a, s]:
                group.G[t, a * T + s] = 0.0
            else:
                group.G[t, a * T + s] -= group.inside[t, s]


def weigh_pulls(group, sums, given):
    """What every lineage contributes to S Ỹ of the group, by epoch."""
    T = given.n_epochs
    for t in range(T):
        for c in range(given.size[0]):
            total = 0.0
            for s in range(T):
                if given.counts[c, s] > 0:
                    total += group.G[t, c * T + s] * sums.Y[c, s]
            group.pull[t, c] = total


def propose_blocks(group, G, change, sides, given):
    """Sizes and sums of distances of the two lineages after the group has gone from the first to the second."""
    T = given.n_epochs
    a, c = sides.slot[0] * T, sides.slot[1] * T
    for t in range(T):
        change.counts[0, t] = change.before[0, t] - group.n[t]
        change.counts[1, t] = change.before[1, t] + group.n[t]
    for s in range(T):
        for t in range(T):
            inside = group.inside[s, t]
            change.S[s, t] = given.S[a + s, a + t] - G[s, a + t] - G[t, a + s] - inside
            change.S[T + s, T + t] = given.S[c + s, c + t] + G[s, c + t] + G[t, c + s] + inside
            change.S[s, T + t] = given.S[a + s, c + t] - G[s, c + t] + G[t, a + s]
    for x in range(2):
        for s in range(T):
            if change.counts[x, s] == 0:
                for k in range(2 * T):
                    change.S[x * T + s, k] = 0.0
                    change.S[k, x * T + s] = 0.0
    for s in range(T):
        for t in range(T):
            change.S[T + t, s] = change.S[s, T + t]


def propose_pulls(group, change, sides, sums, given, motion, g):
    """H of the two lineages after that."""
    T, K = given.n_epochs, given.size[0] * given.n_epochs
    for t in range(T):
        if group.n[t] > 0:
            total = 0.0
            for c in range(given.size[0]):
                if c != sides.slot[0] and c != sides.slot[1]:
                    total += group.pull[t, c]
            change.H[0, t] -= total
            change.H[1, t] += total
    if motion.shift > 0.0:
        before = -1
        for i in range(given.bonds.start[g], given.bonds.start[g + 1]):
            obj = given.bonds.members[i]
            t = given.epoch[obj]
            if t != before:  # once for all members of an epoch
                for k in range(K):
                    given.row[k] = group.G[t, k]
                shift_sums.pull(sums.shift, given, sides.slot[0], sides.slot[1], obj)
                before = t


def log_joint_if(group, scratch, change, sides, sums, given, motion, g, a, c, spread):
    """Log joint density if group g of lineage a were in c, whose spread this is. The state stays as it is."""
    C = given.size[0]
    sides.slot[0], sides.slot[1] = a, c
    sides.spreads[0], sides.spreads[1] = given.spreads[a], spread
    if c == C:
        given.size[0] = C + 1
        lineage_sums.open_slot(sums, c, given.n_epochs)
        for t in range(given.n_epochs):
            group.pull[t, c] = 0.0
            for k in range(c * given.n_epochs, (c + 1) * given.n_epochs):
                group.G[t, k] = 0.0
    B = split_lineages.note_before(change, sides, sums, given, motion)
    propose_blocks(group, group.G, change, sides, given)
    propose_pulls(group, change, sides, sums, given, motion, g)
    total = split_lineages.log_likelihood_proposed(change, sides, sums, given, motion, B)
    split_lineages.set_sizes(sides, given, change.counts)
    total += urn.log_prior(scratch.urn, given, motion)
    split_lineages.set_sizes(sides, given, change.before)
    given.size[0] = C
    return total


def weigh(rng, group, scratch, change, sums, given, motion, g, a, alone):
    """Log weights of all lineages and of new ones for a group of lineage a, as those of one object."""
    C = given.size[0]
    gather(group, given, given.bonds, g, a)
    weigh_pulls(group, sums, given)
    now = urn.log_prior(scratch.urn, given, motion) + lineage_sums.log_likelihood_now(sums, motion)
    for c in range(C):
        scratch.log_weight[c] = now
        if c != a:
            scratch.log_weight[c] = log_joint_if(
                group, scratch, change, change.sides, sums, given, motion, g, a, c, given.spreads[c]
            )
    lineage_bonds.add_pull(given.bonds, g, given.z, scratch.log_weight)
    log_share, top = -math.log(scratch.n_aux), -math.inf
    for i in range(scratch.n_aux):
        if alone and i == 0:
            scratch.fresh[i], scratch.born[i] = given.spreads[a], now + log_share
        else:
            scratch.fresh[i] = assign_nodes.draw_spread(rng, motion)
            scratch.born[i] = log_share + log_joint_if(
                group, scratch, change, change.sides, sums, given, motion, g, a, C, scratch.fresh[i]
            )
        top = max(top, scratch.born[i])
    total = 0.0
    for i in range(scratch.n_aux):
        total += math.exp(scratch.born[i] - top)
    scratch.log_weight[C] = top + math.log(total)


def assign_groups(rng, group, scratch, change, sums, given, motion, first, moved):
    """Move every group of several objects from ``first`` on; returns the group it stopped at for want of slots."""
    lineage_sums.build(sums, given, motion)
    for g in range(first, given.bonds.n_groups):
        C, a, n = given.size[0], lineage_bonds.lineage_of(given, g), given.bonds.start[g + 1] - given.bonds.start[g]
        if n == 1:
            continue  # moved with those of whom nothing is known
        if given.counts.shape[0] == C:
            return g
        alone = nodes.members_of(given, a) == n
        weigh(rng, group, scratch, change, sums, given, motion, g, a, alone)
        c = assign_nodes.choose(rng, scratch, C, motion.power, a, alone)
        if alone and c == C:  # still alone, perhaps with another spread
            if scratch.fresh[0] != given.spreads[a]:
                given.spreads[a] = scratch.fresh[0]
                lineage_sums.build(sums, given, motion)
        elif c != a:
            spread = given.spreads[c] if c < C else scratch.fresh[0]
            log_joint_if(group, scratch, change, change.sides, sums, given, motion, g, a, c, spread)  # now the last
            move_group(change, change.sides, given, g, a, c, spread)
            lineage_sums.build(sums, given, motion)
            for t in range(given.n_epochs):
                moved[t] += group.n[t]
    return given.bonds.n_groups


def move_group(change, sides, given, g, a, c, spread):
    """Carry out the move of a group from lineage a to c that was proposed last."""
    n = given.bonds.start[g + 1] - given.bonds.start[g]
    sides.lo, sides.hi, sides.n_members = 0, given.n_epochs - 1, n
    for i in range(n):
        sides.members[i] = given.bonds.members[given.bonds.start[g] + i]
        sides.side[i] = 1
    if c == given.size[0]:
        given.spreads[c] = spread
        given.size[0] = c + 1
    split_lineages.set_sizes(sides, given, change.counts)
    split_lineages.write_blocks(change, sides, given, True)
    split_lineages.move_members(sides, given, True)
    if nodes.members_of(given, a) == 0:
        nodes.close_lineage(given, a)
