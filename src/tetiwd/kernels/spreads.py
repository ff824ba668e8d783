"""The spread of every lineage in turn: a random walk on the log scale."""

import math

from tetiwd.kernels import node_terms, stream


def move_spreads(rng, scratch, given, motion, step):
    """Metropolis on every α_c; returns acceptances."""
    accepted, C = 0, given.size[0]
    current = node_terms.log_likelihood(scratch.terms, given.counts, given.S, given.spreads, C, motion)
    for c in range(C):
        spread = given.spreads[c]
        x = math.log(spread / motion.alpha)
        x_new = x + step * rng.normal()
        if not -motion.limit <= x_new <= motion.limit:
            continue
        given.spreads[c] = motion.alpha * math.exp(x_new)
        proposed = node_terms.log_likelihood(scratch.terms, given.counts, given.S, given.spreads, C, motion)
        gain = proposed - current - 0.5 * (x_new * x_new - x * x) / (motion.tau * motion.tau)
        if stream.accept(rng, gain, 0.0, motion.power):
            current = proposed
            accepted += 1
        else:
            given.spreads[c] = spread
    return accepted
