"""Groups of objects that stay together, and objects with bonds: each group in turn, as ``assign`` moves single objects.

A group moves as one. Its density in a cluster is that of its members joining one after the other, which comes to one
object at their mean that counts as often as there are members (``terms.weigh_group``).
"""

from tetiwd.kernels import arrays, assign, births, bonds, partition, slots, terms


def gather(scratch, epoch, model, g, k, a):
    """Means over a group of the row sums of its members to all others, into r; returns the sum inside the group."""
    m = epoch.bonds.start[g + 1] - epoch.bonds.start[g]
    inside = bonds.sum_inside(epoch.bonds, g, epoch.sums, model.similarity)
    for c in range(k):
        scratch.r[c] = 0.0
    for i in range(epoch.bonds.start[g], epoch.bonds.start[g + 1]):
        epoch.sums.look(epoch.bonds.members[i], k, scratch.divided)
        for c in range(k):
            scratch.r[c] += scratch.divided[c]
    scratch.r[a] -= inside
    for c in range(k):
        scratch.r[c] /= m
    return inside


def count_group(epoch, c, r, inside, m, sign):
    """A group of m objects with mean row sums r joins (sign 1.0) or leaves (−1.0) cluster c."""
    for j in range(epoch.size[0]):
        epoch.S[c, j] += sign * (m * r[j])
        epoch.S[j, c] += sign * (m * r[j])
    epoch.S[c, c] += sign * inside
    epoch.counts[c] += m if sign > 0.0 else -m


def take_group_out(scratch, epoch, model, k, a, inside, m, alone):
    """Terms of the epoch without a group, into the scratch for candidates."""
    count_group(epoch, a, scratch.r, inside, m, -1.0)
    if alone:
        for j in range(k):
            epoch.S[a, j] = 0.0
            epoch.S[j, a] = 0.0
    terms.build_terms(scratch.terms, k, epoch.counts, epoch.S, epoch.spreads, epoch.A, model.alpha)
    for c in range(k):
        scratch.divided[c] = scratch.r[c] * scratch.terms.u[c]
    terms.take_out(scratch.out, scratch.terms, k, a, arrays.row(scratch.divided), 0.0, True)  # out already
    scratch.out.members = m
    for c in range(k):
        scratch.out.spread[c] = epoch.spreads[c] / m


def weigh_clusters(scratch, epoch, before, after, model, k, g, m):
    """Log prior weights of the clusters for a group that is out, and what its bonds say of them."""
    for c in range(k):
        m0 = before.counts[epoch.back[c]] if epoch.back[c] >= 0 else 0
        m1 = after.counts[epoch.forward[c]] if epoch.forward[c] >= 0 else 0
        if epoch.counts[c] > 0:
            weight = partition.log_weight_of_group(epoch.counts[c], m, m0, m1, model, before.size[0])
            scratch.log_prior[0, c] = weight + bonds.gain_of_links(epoch.bonds, g, epoch.back[c], epoch.forward[c])
    bonds.add_pull(epoch.bonds, g, epoch.z, scratch.log_prior)
    for c in range(k):
        scratch.log_prior[1, c] = scratch.log_prior[0, c]


def assign_groups(rng, scratch, epoch, before, after, model, n_aux, offers, first):
    """Move every group from ``first`` on; returns the group it stopped at for want of slots, and how many moved."""
    n_groups = epoch.bonds.n_groups
    moved = 0
    for g in range(first, n_groups):
        k = epoch.size[0]
        if k == epoch.counts.shape[0]:
            return g, moved
        m = epoch.bonds.start[g + 1] - epoch.bonds.start[g]
        a = epoch.z[epoch.bonds.members[epoch.bonds.start[g]]]
        alone = epoch.counts[a] == m
        offered = offers >= n_groups or rng.uniform() * n_groups < offers
        if alone and (not offered or bonds.is_pinned(epoch.bonds, epoch.back[a])):
            continue
        inside = gather(scratch, epoch, model, g, k, a)
        own = inside / (m * m)
        take_group_out(scratch, epoch, model, k, a, inside, m, alone)
        weigh_clusters(scratch, epoch, before, after, model, k, g, m)
        n_present = assign.weigh_present(scratch, k, model, own, a, alone)
        C = n_present
        if offered:
            births.prepare_births(scratch.births, epoch, before, after, model, a if alone else k)
            C = births.offer_births(
                rng, scratch.found, C, epoch, before, after, model, scratch.terms, scratch.out, scratch.births, own,
                n_aux, a, alone,
            )  # fmt: skip
            for i in range(n_present, C):
                b, f = scratch.found.back[i], scratch.found.forward[i]
                scratch.found.log_weight[i] += bonds.gain_of_links(epoch.bonds, g, b, f)
        scratch.out.members = 1
        pick = assign.choose(rng, scratch.found, n_present, C, model)
        if scratch.found.slot[pick] == a:
            count_group(epoch, a, scratch.r, inside, m, 1.0)
        else:
            moved += m
            move_group(scratch, epoch, before, after, g, a, pick, inside, m, alone)
    return n_groups, moved


def move_group(scratch, epoch, before, after, g, a, pick, inside, m, alone):
    """Put a group that was taken out of cluster a into a candidate."""
    c = scratch.found.slot[pick]
    if c < 0:
        if alone:
            slots.unlink(epoch, before, after, a)
        b, f = scratch.found.back[pick], scratch.found.forward[pick]
        c = slots.open_slot(epoch, before, after, b, f, scratch.found.h, pick, scratch.found.schur[pick])
        epoch.spreads[c] = scratch.found.spread[pick]
        scratch.r[c] = 0.0
    count_group(epoch, c, scratch.r, inside, m, 1.0)
    for i in range(epoch.bonds.start[g], epoch.bonds.start[g + 1]):
        epoch.sums.move(epoch.bonds.members[i], a, c)
        epoch.z[epoch.bonds.members[i]] = c
    if alone:
        slots.close_slot(epoch, before, after, a)
