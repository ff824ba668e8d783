"""Which node belongs to which lineage: two lineages exchange what they have from some epoch on, or at one epoch.

One of the two may be empty. So lineages are cut, joined and crossed, and single nodes change hands. The move is its own
inverse, but pairs are drawn among the lineages and one empty slot, and their number changes with a cut or a join.
"""

import math

from tetiwd.kernels import assign_nodes, lineage_bonds, lineage_sums, nodes, shift_sums, stream, urn


def is_trivial(given, a, b, lo, hi):
    """True if nothing changes but names: neither has anything at epochs lo … hi, or neither has anything elsewhere."""
    inside, outside = 0, 0
    for t in range(given.n_epochs):
        here = given.counts[a, t] + given.counts[b, t]
        if lo <= t <= hi:
            inside += here
        else:
            outside += here
    return inside == 0 or outside == 0


def exchange_sizes(given, a, b, lo, hi):
    """Exchange sizes of two lineages at some epochs."""
    for t in range(lo, hi + 1):
        n = given.counts[a, t]
        given.counts[a, t] = given.counts[b, t]
        given.counts[b, t] = n


def exchange_blocks(given, a, b, lo, hi):
    """Exchange block sums."""
    T, K = given.n_epochs, given.size[0] * given.n_epochs
    for t in range(lo, hi + 1):
        for k in range(K):
            x = given.S[a * T + t, k]
            given.S[a * T + t, k] = given.S[b * T + t, k]
            given.S[b * T + t, k] = x
    for t in range(lo, hi + 1):
        for k in range(K):
            x = given.S[k, a * T + t]
            given.S[k, a * T + t] = given.S[k, b * T + t]
            given.S[k, b * T + t] = x


def exchange_members(given, a, b, lo, hi):
    """Exchange labels and row sums."""
    T = given.n_epochs
    for obj in range(given.first[lo], given.first[hi + 1]):
        if given.z[obj] == a:
            given.z[obj] = b
        elif given.z[obj] == b:
            given.z[obj] = a
    for t in range(lo, hi + 1):
        for j in range(given.R.shape[1]):
            x = given.R[a * T + t, j]
            given.R[a * T + t, j] = given.R[b * T + t, j]
            given.R[b * T + t, j] = x


def log_pairs(n_lineages):
    """Log number of pairs among the lineages and one empty slot, up to a constant."""
    return math.log((n_lineages + 1.0) * n_lineages)


def propose(sums, given, motion, a, b, lo, hi):
    """Both lineages after an exchange, whose sizes have been exchanged already; returns the log likelihood then."""
    T = given.n_epochs
    if motion.shift > 0.0:
        shift_sums.leave(sums.shift, given, motion, a, b)
        shift_sums.exchange(sums.shift, lo, hi, T)
    for x in range(2):
        mine, other = (a, b) if x == 0 else (b, a)
        for t in range(T):
            sums.counts[x, t] = given.counts[mine, t]
            sums.node[x, t] = (other if lo <= t <= hi else mine) * T + t
        lineage_sums.measure(sums, x, given.S, given.spreads[mine], motion)
    if motion.shift > 0.0:
        shift_sums.enter(sums.shift, sums.counts, sums.node, given.S, 2, T, motion)
    return lineage_sums.log_likelihood_if(sums, motion, a, b, lineage_sums.moved_B(sums, given, 2))


def try_exchange(rng, scratch, sums, given, motion, a, b, lo, hi, before):
    """Propose an exchange at epochs lo … hi; returns the log joint afterwards, without what is known beforehand."""
    C = given.size[0]
    if is_trivial(given, a, b, lo, hi):
        return before
    pull = 0.0
    if given.bonds.n_groups > 0:
        if not lineage_bonds.exchange(given, a, b, lo, hi):
            return before
        pull = lineage_bonds.gain(given, given.bonds)
        if pull == -math.inf:
            return before
    if max(a, b) == C:
        given.spreads[C] = assign_nodes.draw_spread(rng, motion)
        lineage_sums.open_slot(sums, C, given.n_epochs)
        given.size[0] = C + 1
    exchange_sizes(given, a, b, lo, hi)
    gone = -1
    if nodes.members_of(given, a) == 0:
        gone = a
    elif nodes.members_of(given, b) == 0:
        gone = b
    after = urn.log_prior(scratch.urn, given, motion) + propose(sums, given, motion, a, b, lo, hi)
    n_after = given.size[0] - (1 if gone >= 0 else 0)
    if stream.accept(rng, after - before + pull, log_pairs(C) - log_pairs(n_after), motion.power):
        exchange_blocks(given, a, b, lo, hi)
        exchange_members(given, a, b, lo, hi)
        if gone >= 0:
            nodes.close_lineage(given, gone)
        lineage_sums.build(sums, given, motion)
        return urn.log_prior(scratch.urn, given, motion) + lineage_sums.log_likelihood_now(sums, motion)
    exchange_sizes(given, a, b, lo, hi)
    if max(a, b) == C:
        given.spreads[C] = 0.0
        given.size[0] = C
    return before


def relink(rng, scratch, sums, given, motion, n_tries):
    """Propose several exchanges while a slot is free; returns how many were proposed, and how many were accepted."""
    T, accepted = given.n_epochs, 0
    lineage_sums.build(sums, given, motion)
    joint = urn.log_prior(scratch.urn, given, motion) + lineage_sums.log_likelihood_now(sums, motion)
    for n in range(n_tries):
        C = given.size[0]
        if given.counts.shape[0] == C:
            return n, accepted
        a = rng.below(C + 1)
        b = rng.below(C)
        if b >= a:
            b += 1
        if rng.uniform() < 0.5:
            lo, hi = 1 + rng.below(T - 1), T - 1
        else:
            lo = rng.below(T)
            hi = lo
        new = try_exchange(rng, scratch, sums, given, motion, a, b, lo, hi, joint)
        if new != joint:
            accepted += 1
            joint = new
    return n_tries, accepted
