"""The spread of every lineage in turn: a random walk on the log scale."""

import math

from tetiwd.kernels import lineage_sums, shift_sums, stream


def move_spreads(rng, sums, given, motion, step):
    """Metropolis on every α_c; returns acceptances."""
    accepted = 0
    lineage_sums.build(sums, given, motion)
    current = lineage_sums.log_likelihood_now(sums, motion)
    for c in range(given.size[0]):
        x = math.log(given.spreads[c] / motion.alpha)
        x_new = x + step * rng.normal()
        if not -motion.limit <= x_new <= motion.limit:
            continue
        spread = motion.alpha * math.exp(x_new)
        lineage_sums.take_lineage(sums, 0, given, c)
        if motion.shift > 0.0:
            shift_sums.leave(sums.shift, given, motion, c, -1)
        lineage_sums.measure(sums, 0, given.S, spread, motion)
        if motion.shift > 0.0:
            shift_sums.enter(sums.shift, sums.counts, sums.node, given.S, 1, given.n_epochs, motion)
        B = lineage_sums.moved_B(sums, given, 1)
        proposed = lineage_sums.log_likelihood_if(sums, motion, c, -1, B)
        gain = proposed - current - 0.5 * (x_new * x_new - x * x) / (motion.tau * motion.tau)
        if stream.accept(rng, gain, 0.0, motion.power):
            given.spreads[c] = spread
            lineage_sums.adopt_lineage(sums, given, c, B)
            if motion.shift > 0.0:
                shift_sums.adopt_lineage(sums.shift, c, given.n_epochs)
                shift_sums.adopt_common(sums.shift)
            current = proposed
            accepted += 1
    return accepted
