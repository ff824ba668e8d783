"""Every object of an epoch in turn: out of its cluster, weights of all candidates, a draw, into a cluster."""

import math

import numpy as np

from tetiwd.kernels import arrays, births, bonds, partition, slots, stream, terms, views

MOST_UPDATES = 250  # rank-one changes of the terms before they are built anew


class Assignment:
    """Scratch of the move: terms with and without an object, possible births, candidates, row sums, prior weights."""

    def __init__(self, capacity):
        self.terms, self.out = terms.Terms(capacity), terms.Without(capacity)
        self.births, self.found = births.Births(capacity), births.Candidates(capacity, 1)
        self.r = np.zeros(capacity)  # row sums of an object over the others
        self.divided = np.zeros(capacity)  # the same, divided by spreads
        self.log_prior = np.zeros((2, capacity))  # of a cluster for objects of others, and for its own

    def make_room(self, capacity, n_aux):
        """Room for n_aux births beside the clusters."""
        if self.found.room < capacity + n_aux:
            self.found = births.Candidates(capacity, n_aux)


def weigh_cluster(log_prior, epoch, before, after, model, c):
    """Log prior weight of cluster c for an object of another cluster, and for one of its own."""
    m0 = before.counts[epoch.back[c]] if epoch.back[c] >= 0 else 0
    m1 = after.counts[epoch.forward[c]] if epoch.forward[c] >= 0 else 0
    size, k_before = epoch.counts[c], before.size[0]
    log_prior[0, c] = math.log(partition.weight_of_present(size, m0, m1, model, k_before))
    if size > 1:
        log_prior[1, c] = math.log(partition.weight_of_present(size - 1, m0, m1, model, k_before))


def weigh_present(scratch, k, model, own, a, alone):
    """Log weights of the clusters present but for their volumes; an empty slot, whose object is out, is not among them.

    Returns how many they are.
    """
    terms.weigh_joining(scratch.out, model, own, 0, k)
    C, best = 0, -1
    for c in range(k):
        if c == a and alone:
            continue
        weight = scratch.out.fit[c] + scratch.log_prior[1 if c == a else 0, c]
        scratch.found.log_weight[C] = weight
        scratch.found.volume[C] = scratch.out.volume[c]
        scratch.found.slot[C] = c
        if best < 0 or weight > scratch.found.log_weight[best]:
            best = C
        C += 1
    scratch.found.best, scratch.found.reference = best, 1.0
    if best >= 0:
        scratch.found.reference = scratch.found.volume[best]
    return C


def at_most(found, i, half):
    """A bound of what the log of its volume adds to the weight of a candidate, for log x ≤ x − 1."""
    return half * (found.reference / found.volume[i] - 1.0)


def at_least(found, i, half):
    """The same from below, for log x ≥ 1 − 1/x."""
    return half * (1.0 - found.volume[i] / found.reference)


def add_volumes(found, n_present, model):
    """Add the logs of volumes relative to that of the best, but only to weights that matter beside it: few do."""
    half, top = 0.5 * model.dof, found.log_weight[found.best]
    for i in range(n_present):
        if i == found.best:
            continue
        if model.power * (found.log_weight[i] + at_most(found, i, half) - top) < stream.NEGLIGIBLE:
            found.log_weight[i] = -math.inf
        else:
            found.log_weight[i] -= half * math.log(found.volume[i] / found.reference)


def choose(rng, found, n_present, C, model):
    """Draw a candidate.

    Most objects stay where they are beyond doubt: a bound of all other weights shows that a random number takes the
    best candidate, and none is needed exactly. What is drawn is the same.
    """
    best, top = found.best, -math.inf
    if model.power == 1.0 and best >= 0:
        top = found.log_weight[best]
    if top > -math.inf:
        half, second, highest = 0.5 * model.dof, best, -math.inf
        for i in range(C):
            bound = found.log_weight[i] + at_most(found, i, half)
            if bound > highest and i != best:
                second, highest = i, bound
        if highest - top < stream.NEGLIGIBLE - 1.0:
            return best
        if highest < top and found.log_weight[second] + at_least(found, second, half) - top > stream.COUNTS:
            u, others = rng.uniform(), C * math.exp(highest - top)
            if others < u < 1.0 - others:
                return best
            add_volumes(found, n_present, model)
            return stream.index_at(found.log_weight, C, u)
    if n_present > 0:
        add_volumes(found, n_present, model)
    return choose_by_kind(rng, found, n_present, C, model.power)


def choose_by_kind(rng, found, n_present, C, power):
    """Draw a candidate by exact weights; with a power, clusters to be born are averaged before it is taken.

    Otherwise a single row that happens to fit would count for all that could have been drawn.
    """
    n_born = C - n_present
    if power == 1.0 or n_born < 2:
        return stream.draw_index(rng, found.log_weight, C, power)
    top = -math.inf
    for i in range(n_born):
        found.born[i] = found.log_weight[n_present + i]
        top = max(top, found.born[i])
    total = 0.0
    for i in range(n_born):
        total += math.exp(found.born[i] - top)
    for i in range(n_present):
        found.together[i] = found.log_weight[i]
    found.together[n_present] = top + math.log(total)
    pick = stream.draw_index(rng, found.together, n_present + 1, power)
    if pick < n_present:
        return pick
    return n_present + stream.draw_index(rng, found.born, n_born, 1.0)


def look_anew(scratch, epoch, before, after, model):
    """Terms, possible births and prior weights from scratch."""
    k = epoch.size[0]
    terms.build_terms(scratch.terms, k, epoch.counts, epoch.S, epoch.spreads, epoch.A, model.alpha)
    births.prepare_births(scratch.births, epoch, before, after, model, k)
    for c in range(k):
        weigh_cluster(scratch.log_prior, epoch, before, after, model, c)
        scratch.out.spread[c] = epoch.spreads[c]


def assign_objects(rng, scratch, epoch, before, after, model, n_aux, offers, first):
    """Move every object from ``first`` on (Neal's Algorithm 8). Returns the object it stopped at and how many moved.

    About ``offers`` objects, drawn at random, may found a cluster; the others choose among those present, and stay if
    they are alone. It stops early, before touching an object, when no slot is free; the caller makes room. Objects of
    which something is known are left to ``tetiwd.kernels.bound``.
    """
    n, some_bound = epoch.n, epoch.bonds.n_groups > 0
    moved = 0
    trusted = 0  # how many more changes the terms may take before they are built anew
    for obj in range(first, n):
        k = epoch.size[0]
        if k == epoch.counts.shape[0]:
            return obj, moved
        if some_bound and epoch.bonds.group[obj] >= 0:
            continue
        if trusted == 0:
            look_anew(scratch, epoch, before, after, model)
            trusted = MOST_UPDATES
        a = epoch.z[obj]
        alone = epoch.counts[a] == 1
        offered = offers >= n or rng.uniform() * n < offers
        if alone and (not offered or bonds.is_pinned(epoch.bonds, epoch.back[a])):
            continue
        own = views.own_similarity(epoch, model, obj)
        epoch.sums.look(obj, k, scratch.r)
        for c in range(k):
            scratch.divided[c] = scratch.r[c] * scratch.terms.u[c]
        scratch.r[a] -= own
        scratch.divided[a] = scratch.r[a] * scratch.terms.u[a]
        if alone:
            slots.take_out_alone(epoch, a)
            terms.build_terms(scratch.terms, k, epoch.counts, epoch.S, epoch.spreads, epoch.A, model.alpha)
            births.prepare_births(scratch.births, epoch, before, after, model, a)
            trusted = 0
        terms.take_out(scratch.out, scratch.terms, k, a, arrays.row(scratch.divided), own, alone)
        n_present = weigh_present(scratch, k, model, own, a, alone)
        C = n_present
        if offered:
            C = births.offer_births(
                rng, scratch.found, C, epoch, before, after, model, scratch.terms, scratch.out, scratch.births, own,
                n_aux, a, alone,
            )  # fmt: skip
        pick = choose(rng, scratch.found, n_present, C, model)
        c = scratch.found.slot[pick]
        if c == a:
            if alone:
                slots.put_in(epoch, a, scratch.r, own)
            continue
        moved += 1
        trusted = move_object(scratch, epoch, before, after, model, obj, a, pick, own, alone, trusted)
    return n, moved


def move_object(scratch, epoch, before, after, model, obj, a, pick, own, alone, trusted):
    """Carry out a move from cluster a to a candidate; returns how many more changes the terms may take."""
    k = epoch.size[0]
    c = scratch.found.slot[pick]
    if not alone:
        terms.change_count(scratch.terms, k, epoch.counts, epoch.S, a, scratch.r, own, -1.0)
    elif c < 0:
        slots.unlink(epoch, before, after, a)
    if c < 0:
        b, f = scratch.found.back[pick], scratch.found.forward[pick]
        c = slots.open_slot(epoch, before, after, b, f, scratch.found.h, pick, scratch.found.schur[pick])
        epoch.spreads[c] = scratch.found.spread[pick]
        scratch.r[c] = 0.0
        trusted = 0
    if trusted > 0:
        terms.change_count(scratch.terms, k, epoch.counts, epoch.S, c, scratch.r, own, 1.0)
        weigh_cluster(scratch.log_prior, epoch, before, after, model, a)
        weigh_cluster(scratch.log_prior, epoch, before, after, model, c)
        trusted -= 1
    else:
        slots.put_in(epoch, c, scratch.r, own)
    epoch.sums.move(obj, a, c)
    epoch.z[obj] = c
    if alone:
        slots.close_slot(epoch, before, after, a)
    return trusted
