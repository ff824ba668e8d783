"""Price of every cluster, and of a new one, for an object: by how much, or to what, the expected loss would go.

An additive loss is read from two tables. What an object saves in a cluster is the mean over draws of a concave function
of its companions there, so that it is at most the function of their mean number: a bound that pairs give at once. Only
clusters that might be the cheapest are looked at draw by draw. If the function is linear, the bound is the price.

The adjusted Rand index is averaged over draws, or taken of the mean numbers of pairs if only these are known.
"""


def weigh(draft, i):
    """Price of every cluster, and of a new one, for object i, as if it were out."""
    if not draft.by_index:
        weigh_by_tables(draft, i)
    elif draft.n_draws > 0:
        weigh_by_index(draft, i)
    else:
        weigh_by_mean_index(draft, i)


def cheapest(draft, own):
    """Place of the lowest price other than ``own``: a cluster, or a new one; −1 if there is none."""
    best, end = -1, min(draft.n_clusters + 1, draft.room)
    if own >= 0 and draft.sizes[own] == 1:  # a new one would be the same
        end = draft.n_clusters
    for g in range(end):
        if g != own and (best < 0 or draft.price[g] < draft.price[best] - 1e-12):
            best = g
    return best


def weigh_by_tables(draft, i):
    """The same for an additive loss, exactly where it matters."""
    k, own = draft.n_clusters, draft.labels[i]
    for g in range(k):
        known = draft.n_draws > 0 and (g == own or not draft.paired)
        draft.price[g] = price_in_draws(draft, i, g) if known else price_by_pairs(draft, i, g)
        draft.exact[g] = known or draft.n_draws == 0
    draft.price[k] = draft.grow[0] - draft.meet[0]
    draft.exact[k] = 1
    g = cheapest(draft, own)
    while g >= 0 and not draft.exact[g] and (own < 0 or draft.price[g] < draft.price[own]):
        draft.price[g] = price_in_draws(draft, i, g)
        draft.exact[g] = 1
        g = cheapest(draft, own)


def price_by_pairs(draft, i, g):
    """Price of cluster g for object i if all draws were like their mean: never above the true one."""
    S, shared, size = draft.n_counted, draft.sums[g, i], draft.sizes[g]
    if g == draft.labels[i]:
        shared, size = shared - S, size - 1
    low = shared // S
    rest = (1.0 * shared - low * S) / S
    return draft.grow[size] - draft.meet[low] - rest * (draft.meet[low + 1] - draft.meet[low])


def price_in_draws(draft, i, g):
    """Price of cluster g for object i from the intersections with all draws."""
    own, saved = g == draft.labels[i], 0.0
    for s in range(draft.n_draws):
        saved += draft.meet[draft.counts[g, draft.row[i, s]] - own]
    return draft.grow[draft.sizes[g] - own] - saved / draft.n_draws


def weigh_by_mean_index(draft, i):
    """The same for the Rand index of the mean numbers of pairs."""
    own, end = draft.labels[i], min(draft.n_clusters + 1, draft.room)
    mine, both = draft.pairs_mine, draft.pairs_shared
    if own >= 0:
        mine -= draft.sizes[own] - 1
        both -= draft.sums[own, i] - draft.n_counted
    pairs, theirs = max(0.5 * draft.n * (draft.n - 1), 1.0), draft.pairs_theirs[0]
    for g in range(end):
        more, shared = draft.sizes[g], draft.sums[g, i]
        if g == own:
            more, shared = more - 1, shared - draft.n_counted
        draft.price[g] = -rand_index(mine + more, theirs, (1.0 * both + shared) / draft.n_counted, pairs)


def rand_index(mine, theirs, both, pairs):
    """Adjusted Rand index from the numbers of pairs together; if theirs are none or all, 1 if mine are, too, else 0."""
    chance = theirs / pairs
    if 0.0 < chance < 1.0:
        expected = mine * chance
        return (both - expected) / (0.5 * (mine + theirs) - expected)
    return 1.0 if mine == theirs else 0.0


def weigh_by_index(draft, i):
    """The same for the mean Rand index, which is linear in the pairs that i adds."""
    own, end = draft.labels[i], min(draft.n_clusters + 1, draft.room)
    if draft.weighed != own:
        weigh_pairs(draft, own, end)
    for s in range(draft.n_draws):
        draft.lost[s] = draft.counts[own, draft.row[i, s]] - 1 if own >= 0 else 0
    for g in range(end):
        total = draft.index[g]
        if g != own:
            for s in range(draft.n_draws):
                total += draft.weight[g, s] * (draft.counts[g, draft.row[i, s]] - draft.lost[s])
        draft.price[g] = -total / draft.n_draws


def weigh_pairs(draft, own, end):
    """What the Rand index would be, and what a pair would add to it, if an object went from ``own`` to each cluster."""
    pairs = max(0.5 * draft.n * (draft.n - 1), 1.0)
    for g in range(end):
        mine = draft.pairs_mine + draft.sizes[g]
        if own >= 0:
            mine -= draft.sizes[own] - (g != own)
        draft.index[g] = 0.0
        for s in range(draft.n_draws):
            theirs = draft.pairs_theirs[s]
            expected = mine * (theirs / pairs)
            if 0.0 < theirs < pairs:
                draft.weight[g, s] = 1.0 / (0.5 * (mine + theirs) - expected)
                draft.index[g] += (draft.pairs_both[s] - expected) * draft.weight[g, s]
            else:  # all together or all apart: the index is 1 if the other is so, too, and otherwise 0
                draft.weight[g, s] = 0.0
                draft.index[g] += mine == theirs
    draft.weighed = own
