"""A law close to the posterior of the spread of one cluster, and the move that proposes from it.

Everything is said of x, the logarithm of a spread. Its prior is normal with standard deviation tau, cut off at plus and
minus the limit. The squared distances of n objects to their mean know most of it: with w their sum, relative to alpha,
the log posterior is close to −(d/2)((n − 1) x + w exp(−x)) − x²/(2 tau²), and that to a normal law around its mode.
"""

import math

from tetiwd.kernels import stream, terms

MOST_STEPS = 20  # to the mode
SMALL_STEP = 1e-6  # the last of them
INSIDE = 0.99  # share of the limit within which the mode is looked for


def draw_from_prior(rng, tau, limit):
    """The spread of a new cluster; 1 if all are equal."""
    if tau == 0.0:
        return 1.0
    while True:
        x = tau * rng.normal()
        if -limit <= x <= limit:
            return math.exp(x)


def log_cut_normal(x, mode, precision, limit):
    """Log density at x of a normal law between −limit and limit."""
    root = math.sqrt(0.5 * precision)
    inside = 0.5 * (math.erf(root * (limit - mode)) + math.erf(root * (limit + mode)))
    gap = x - mode
    return 0.5 * (math.log(precision / (2.0 * math.pi)) - precision * gap * gap) - math.log(inside)


def log_prior_of_spreads(epoch, model):
    """Log density of the spreads of all clusters; 0 if they are equal by definition."""
    total = 0.0
    if model.tau > 0.0:
        precision = 1.0 / (model.tau * model.tau)
        for c in range(epoch.size[0]):
            total += log_cut_normal(math.log(epoch.spreads[c]), 0.0, precision, model.limit)
    return total


def find_law(epoch, model, c):
    """Mode and precision of the law of the spread of cluster c, which does not depend on that spread."""
    n, half = float(epoch.counts[c]), 0.5 * model.dof
    w = 0.5 * epoch.S[c, c] / (n * model.alpha)
    prior, most = 1.0 / (model.tau * model.tau), INSIDE * model.limit
    x, curvature = 0.0, prior
    for _ in range(MOST_STEPS):
        pull = half * w * math.exp(-x)
        curvature = pull + prior
        new = x + min(max((pull - half * (n - 1.0) - prior * x) / curvature, -0.5), 0.5)
        new = min(max(new, -most), most)
        step = new - x
        x = new
        if abs(step) < SMALL_STEP:
            break
    return x, curvature * model.power


def propose_spread(rng, epoch, model, c, drawn):
    """Draw the spread of cluster c from its law, or take it as it is; returns its log density."""
    mode, precision = find_law(epoch, model, c)
    if drawn:
        while True:
            x = mode + rng.normal() / math.sqrt(precision)
            if -model.limit <= x <= model.limit:
                break
        epoch.spreads[c] = math.exp(x)
    else:
        x = math.log(epoch.spreads[c])
    return log_cut_normal(x, mode, precision, model.limit)


def move_spreads_of_epoch(rng, own_terms, epoch, model):
    """Metropolis–Hastings on every spread in turn, proposed from its law; returns acceptances."""
    current = terms.epoch_log_likelihood(epoch, own_terms, model)
    prior, accepted = 0.5 / (model.tau * model.tau), 0
    for c in range(epoch.size[0]):
        old = epoch.spreads[c]
        ratio = propose_spread(rng, epoch, model, c, False)
        ratio -= propose_spread(rng, epoch, model, c, True)
        x, x_new = math.log(old), math.log(epoch.spreads[c])
        proposed = terms.epoch_log_likelihood(epoch, own_terms, model)
        if stream.accept(rng, proposed - current - prior * (x_new * x_new - x * x), ratio, model.power):
            current = proposed
            accepted += 1
        else:
            epoch.spreads[c] = old
    return accepted
