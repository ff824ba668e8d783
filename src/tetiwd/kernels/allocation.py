"""Put objects, one at a time, where the expected loss over all draws grows least."""

from tetiwd.kernels import draft as drafts
from tetiwd.kernels import prices

try:
    import cython
except ImportError:
    from tetiwd.kernels import no_cython as cython


def offer(draft, i):
    """Offer object i every other cluster; does it move?"""
    own = draft.labels[i]
    prices.weigh(draft, i)
    best = prices.cheapest(draft, own)
    moves = best >= 0 and draft.price[best] < draft.price[own] - 1e-12
    if moves:
        drafts.move(draft, i, best)
    return moves


def allocate(draft, order):
    """Put the objects that are out where they cost least, in the given order."""
    with cython.nogil:
        for o in range(order.shape[0]):
            prices.weigh(draft, order[o])
            drafts.put(draft, order[o], prices.cheapest(draft, -1))


def improve(draft, order):
    """Offer every object every other cluster; how many have moved?"""
    moved = 0
    with cython.nogil:
        for o in range(order.shape[0]):
            moved += offer(draft, order[o])
    return moved
