"""Links between two epochs: which cluster of one continues which of the other."""

import math

from tetiwd.kernels import bonds, dense, partition, row_law, stream, wishart


def gain_of_matching(joins, k_right, back):
    """What links between two epochs gain by what is known across time; no table if nothing is."""
    total = 0.0
    for f in range(k_right if joins.shape[0] > 0 else 0):
        total += joins[bonds.place(back[f], joins.shape[0]), f]
    return total


def log_boundary(left, right, k_right, back, joins, scratch, model):
    """All of the log joint that depends on the links between two epochs, up to a constant."""
    total = gain_of_matching(joins, k_right, back)
    if total == -math.inf:
        return total
    total += partition.log_transition(
        left.counts, left.size[0], right.counts, k_right, back, model.xi, model.kappa, model.max_clusters
    )
    if total == -math.inf or model.isotropic:
        return total
    wishart.set_scale(scratch, k_right, back, left.A, model.new_scale)
    return total + wishart.log_wishart_kernel(scratch, right.A, k_right, model.df_A)


def propose_links(back, forward, k_right, c, f, new_back):
    """New links that put c and f together, or apart if they are; former partners are joined. Its own inverse."""
    for g in range(k_right):
        new_back[g] = back[g]
    partner_of_c, partner_of_f = forward[c], back[f]
    if partner_of_c == f:
        new_back[f] = -1
        return
    new_back[f] = c
    if partner_of_c >= 0:
        new_back[partner_of_c] = partner_of_f


def set_links(left, right, k_right, new_back):
    """Write links into both epochs."""
    for c in range(left.size[0]):
        left.link[c] = -1
    for f in range(k_right):
        right.link[f] = new_back[f]
        if new_back[f] >= 0:
            left.link[new_back[f]] = f


def move_links(rng, left, right, joins, scratch, new_back, model, n_steps):
    """Metropolis on the matching between two epochs; returns acceptances. ``link`` points at the other epoch."""
    k_left, k_right = left.size[0], right.size[0]
    current = log_boundary(left, right, k_right, right.link, joins, scratch, model)
    accepted = 0
    for _ in range(n_steps):
        c = rng.below(k_left)
        f = rng.below(k_right)
        propose_links(right.link, left.link, k_right, c, f, new_back)
        proposed = log_boundary(left, right, k_right, new_back, joins, scratch, model)
        if stream.accept(rng, proposed - current, 0.0, model.power):
            set_links(left, right, k_right, new_back)
            current = proposed
            accepted += 1
    return accepted


def exchange_side(links, neighbour, f, g):
    """Clusters f and g of an epoch exchange their links to one neighbour. Its own inverse."""
    b, c = links[f], links[g]
    links[f], links[g] = c, b
    if b >= 0:
        neighbour.link[b] = g
    if c >= 0:
        neighbour.link[c] = f


def exchange_links(epoch, before, after, f, g, sides):
    """Clusters f and g of an epoch exchange their links to the epoch before (sides 0), after (1) or both (2)."""
    if sides != 1:
        exchange_side(epoch.back, before, f, g)
    if sides != 0:
        exchange_side(epoch.forward, after, f, g)


def anything_to_exchange(epoch, f, g, sides):
    """Is any of the links there?"""
    back, forward = max(epoch.back[f], epoch.back[g]), max(epoch.forward[f], epoch.forward[g])
    return (sides != 1 and back >= 0) or (sides != 0 and forward >= 0)


def gain_of_sizes(epoch, before, after, model, f, g, sides):
    """How much the prior of the partitions gains by an exchange of links; the links are left as they are."""
    current = partition.log_transitions_around(epoch, before, after, model)
    exchange_links(epoch, before, after, f, g, sides)
    proposed = partition.log_transitions_around(epoch, before, after, model)
    exchange_links(epoch, before, after, f, g, sides)
    return proposed - current


def gain_of_cluster(joins, left, right, epoch, c):
    """What a cluster and its links gain by what is known across time."""
    b, f = bonds.place(epoch.back[c], left.shape[0]), bonds.place(epoch.forward[c], right.shape[1])
    return joins[b, f] + left[b, c] + right[c, f]


def gain_of_exchange(joins, left, right, epoch, before, after, f, g, sides):
    """How much that is more after an exchange of links; the links are left as they are."""
    if joins.shape[0] == 0:
        return 0.0
    gain = -gain_of_cluster(joins, left, right, epoch, f) - gain_of_cluster(joins, left, right, epoch, g)
    exchange_links(epoch, before, after, f, g, sides)
    gain += gain_of_cluster(joins, left, right, epoch, f) + gain_of_cluster(joins, left, right, epoch, g)
    exchange_links(epoch, before, after, f, g, sides)
    return gain


def exchange_with_rows(
    rng, law, own_terms, scratch, old, epoch, before, after, joins, left, right, model, n_steps
):  # fmt: skip
    """Metropolis–Hastings: two clusters exchange links to one neighbour or both, and get new rows; returns acceptances.

    Rows have settled on their links. With the old rows an exchange is rarely acceptable; here both are drawn anew,
    one without the other, then the other, from the laws that go with the links. That is costly, so an exchange must
    first be acceptable for the sizes of the clusters; the second decision is about all else. ``old`` is scratch.
    """
    k, accepted = epoch.size[0], 0
    if k < 2:
        return accepted
    current = wishart.log_around(epoch, own_terms, scratch, before, after, model)
    for _ in range(n_steps):
        f = rng.below(k)
        g = rng.below(k - 1)
        if g >= f:
            g += 1
        sides = rng.below(3)
        if not anything_to_exchange(epoch, f, g, sides):
            continue
        gained, known = 0.0, gain_of_exchange(joins, left, right, epoch, before, after, f, g, sides)
        if known == -math.inf:
            continue
        if model.power != math.inf:
            gained = gain_of_sizes(epoch, before, after, model, f, g, sides)
            if gained == -math.inf or not stream.accept(rng, gained + known, 0.0, model.power):
                continue
            known = 0.0  # it had its say
        dense.copy_block(epoch.A, k, old)
        ratio = row_law.propose_row(rng, law, epoch, before, after, model, f, g, False)
        ratio += row_law.propose_row(rng, law, epoch, before, after, model, g, g, False)
        exchange_links(epoch, before, after, f, g, sides)
        forth = row_law.propose_row(rng, law, epoch, before, after, model, f, g, True)
        forth += row_law.propose_row(rng, law, epoch, before, after, model, g, g, True)
        ratio -= forth
        proposed = wishart.log_around(epoch, own_terms, scratch, before, after, model)
        if stream.accept(rng, proposed - current - gained + known, ratio, model.power):
            current = proposed
            accepted += 1
        else:
            exchange_links(epoch, before, after, f, g, sides)
            dense.copy_block(old, k, epoch.A)
    return accepted


def link_first_free_pair(left, right):
    """Link the first cluster of either side that has no link; False if there is no such pair."""
    for c in range(left.size[0]):
        if left.link[c] < 0:
            for f in range(right.size[0]):
                if right.link[f] < 0:
                    left.link[c] = f
                    right.link[f] = c
                    return True
    return False


def find_links(left, right, joins, scratch, new_back, best_back, model):
    """Greedy matching between two epochs: the best single change until none improves."""
    k_left, k_right = left.size[0], right.size[0]
    current = log_boundary(left, right, k_right, right.link, joins, scratch, model)
    while current == -math.inf and link_first_free_pair(left, right):  # max_clusters may force some to be linked
        current = log_boundary(left, right, k_right, right.link, joins, scratch, model)
    while True:
        best = current
        for c in range(k_left):
            for f in range(k_right):
                propose_links(right.link, left.link, k_right, c, f, new_back)
                proposed = log_boundary(left, right, k_right, new_back, joins, scratch, model)
                if proposed > best:
                    best = proposed
                    for g in range(k_right):
                        best_back[g] = new_back[g]
        if not best > current:
            return current
        set_links(left, right, k_right, best_back)
        current = best
