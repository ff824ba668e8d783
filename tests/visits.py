"""Let the sampler visit linked partitions, and compare how often with how often it should."""

from collections import Counter
from itertools import product
from math import exp

import numpy as np
from arviz_stats.base import array_stats
from scipy.special import roots_legendre

from reference import canonical, linked_partitions, rng_for, set_partitions
from tetiwd.model import block_statistics, log_likelihood_from_blocks, log_prior_partitions
from tetiwd.model.spreads import LIMIT, log_density_of_spread
from tetiwd.moves import update_assignments, update_links, update_split_merge
from tetiwd.moves.scale import update_spreads
from tetiwd.params import SamplerSettings
from tetiwd.sampler import Streams, Tuning, sweep
from tetiwd.state import ChainState, models_of, start_values

MANY_CELLS = 100_000
FIXED = {"alpha": 0.8, "xi": 1.3, "new_scale": 0.7}


def one_cluster_each(series, h):
    state = ChainState(series, [np.zeros(n, dtype=np.int64) for n in series.n_objects], unit=1.0)
    start_values(state, h)
    return state


def normalised(log_p):
    top = max(log_p.values())
    weights = {cell: exp(value - top) for cell, value in log_p.items()}
    total = sum(weights.values())
    return {cell: weight / total for cell, weight in weights.items()}


def law_with_own_spreads(series, h, n_nodes):
    """Probabilities of all linked partitions, averaged over the spreads of all clusters by quadrature."""
    nodes, weights = roots_legendre(n_nodes)
    x = LIMIT * nodes
    weights = LIMIT * weights * np.exp([log_density_of_spread(one, h.tau) for one in x])
    likelihood = [{} for _ in series.n_objects]  # of an epoch: it depends on the partition there alone
    for own, D in zip(likelihood, series.matrices, strict=True):
        for labels in set_partitions(len(D)):
            k = int(labels.max()) + 1
            A, blocks = FIXED["new_scale"] * np.eye(k), block_statistics(D, labels, k)
            own[tuple(labels.tolist())] = sum(
                weights[list(at)].prod()
                * exp(log_likelihood_from_blocks(*blocks, A, FIXED["alpha"], h.dof, np.exp(x[list(at)])))
                for at in product(range(n_nodes), repeat=k)
            )
    log_p = {}
    for series_of_labels in linked_partitions(series.n_objects):
        partitions = [canonical([labels])[0] for labels in series_of_labels]
        urn = log_prior_partitions(series_of_labels, FIXED["xi"])
        total = sum(np.log(own[cell]) for own, cell in zip(likelihood, partitions, strict=True))
        log_p[canonical(series_of_labels)] = urn + total
    return normalised(log_p)


def total_variation(visited, law):
    seen = Counter(visited)
    return sum(abs(seen[cell] / len(visited) - p) for cell, p in law.items()) / 2


def effective_sizes(visited, law):
    """How many independent draws the visits are worth, for every cell."""
    n = len(visited)
    sizes = {}
    for cell, p in law.items():
        if n * p >= 50:
            hits = np.array([state == cell for state in visited], dtype=float)
            sizes[cell] = float(array_stats.ess(hits[None, :], method="mean")) if 0 < hits.sum() < n else n
    typical = float(np.median(list(sizes.values())))
    return np.array([min(n, sizes.get(cell, typical)) for cell in law])


def largest_variation(visited, law):
    """1.2 times the expected total variation of independent draws of equal effective size.

    With few cells the total variation of independent draws itself varies more than that; then its 99.9 % quantile. With
    very many, most are never seen, and the formula would allow too much; then it is simulated.
    """
    p, n = np.array(list(law.values())), effective_sizes(visited, law)
    if len(p) > MANY_CELLS:
        rng, size = rng_for(15), int(np.median(n))
        return 1.2 * np.mean([np.abs(rng.multinomial(size, p / p.sum()) / size - p).sum() / 2 for _ in range(10)])
    expected = np.sqrt(2 * p * (1 - p) / np.pi / n).sum() / 2
    draws = rng_for(15).multinomial(int(np.median(n)), p / p.sum(), size=2000) / int(np.median(n))
    return max(1.2 * expected, np.quantile(np.abs(draws - p).sum(axis=1) / 2, 0.999))


def check_visits(visited, law, extra=0.0):
    assert set(visited) <= {cell for cell, p in law.items() if p > 0}
    assert total_variation(visited, law) < largest_variation(visited, law) + extra


def run(state, h, n, *, move, seed, dof_factor=1.0, look=lambda: None):
    """Linked partitions visited by repeating one move, or the whole sweep, and looking each time."""
    settings = SamplerSettings(n_aux=2, n_geometry_steps=2, spread_epochs="spread" in move)
    streams, tuning = Streams(seed, 0, state.n_epochs), Tuning()
    models = models_of(state, h, dof_factor=dof_factor)
    visited = []
    for _ in range(n):
        if move in ("sweep", "sweep of spread epochs"):
            sweep(state, h, settings, streams, tuning, coupled=h.coupling, dof_factor=dof_factor)
        elif "assignments" in move:
            update_assignments(state, models, settings.n_aux, streams.epochs, coupled=h.coupling)
        elif "split" in move:
            update_split_merge(state, models, 3, streams.chain, coupled=h.coupling)
            update_links(state, models, streams.epochs)
        else:
            update_links(state, models, streams.epochs)
        if "spreads" in move:
            update_spreads(state, models, 1, streams.chain)
        visited.append(canonical(state.labels()))
        look()
    state.check_invariants()
    return visited
