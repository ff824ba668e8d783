"""Simulation-based calibration of moving centres: the truth ranks like one more draw, for every parameter."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chisquare

from lineage_geweke import ALL, DISPLACED, EQUAL_SPREADS, MOVES, SIZES, simulated, statistics
from reference import SEED, rng_for
from tetiwd import Beta
from tetiwd.node_state import NodeState, start_parameters
from tetiwd.params import SamplerSettings
from tetiwd.sampler import Streams, Tuning, sweep

N_DRAWS, N_BINS = 19, 5
WARM_UP, APART = 150, 15  # sweeps
RANKED = ("log rho", "log alpha", "log new_scale", "log tau", "log xi", "log delta", "log kappa", "lineages", "gaps")
RANKED += ("k at 0", "k at 3", "pairs together", "log joint", "mean log spread", "log shift")


def ranks_of(h, nature, seed):
    """Ranks of the true statistics among those of draws that begin elsewhere; ties are broken at random."""
    rng = rng_for(71, seed)
    truth = simulated(nature, rng)
    state = NodeState(truth.series, np.zeros(sum(SIZES), dtype=int), unit=1.0, capacity=4)
    start_parameters(state, h)
    streams, tuning = Streams(SEED + 1 + seed, 0, len(SIZES)), Tuning(dict.fromkeys(h.scale_moves, 0.8))
    how, drawn = SamplerSettings(**MOVES), []
    for i in range(WARM_UP + N_DRAWS * APART):
        sweep(state, h, how, streams, tuning, coupled=True)
        if i >= WARM_UP and (i - WARM_UP) % APART == APART - 1:
            drawn.append(statistics(state, h))
    true = statistics(truth, h)
    ranks = {}
    for name in RANKED:
        if name in true:
            values = np.array([one[name] for one in drawn])
            below, ties = int((values < true[name]).sum()), int((values == true[name]).sum())
            ranks[name] = below + int(rng.integers(ties + 1))
    return ranks


def p_values(h, nature, n_data_sets):
    """Of uniform ranks, for every statistic; ``nature`` is the model that the data come from."""
    found = [ranks_of(h, nature, seed) for seed in range(n_data_sets)]
    width = (N_DRAWS + 1) // N_BINS
    return {
        name: float(chisquare(np.bincount([ranks[name] // width for ranks in found], minlength=N_BINS)).pvalue)
        for name in found[0]
    }


@pytest.mark.slow
@pytest.mark.parametrize("h", [ALL, EQUAL_SPREADS, DISPLACED], ids=["own spreads", "equal spreads", "displaced"])
def test_the_truth_ranks_like_one_more_draw(h):
    found = p_values(h, h, 400)
    assert len(found) >= 12
    assert min(found.values()) > 0.001 / len(found), {name: p for name, p in found.items() if p < 0.01}


@pytest.mark.slow
def test_a_wrong_prior_of_rho_is_noticed():
    """The same ranks are far from uniform if the sampler has another prior than the data."""
    assert p_values(replace(ALL, rho=Beta(1, 6)), ALL, 120)["log rho"] < 1e-6
