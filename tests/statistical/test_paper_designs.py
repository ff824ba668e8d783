"""What the sampler finds on the paper's simulated designs; minutes, hence in the slow suite."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, ward
from scipy.spatial.distance import squareform
from sklearn.metrics import adjusted_rand_score

from tetiwd import (
    DistanceSeries,
    Hyperparameters,
    SamplerSettings,
    run_chains,
    simulate_overlapping,
    simulate_separated,
)

pytestmark = pytest.mark.slow


def mean_score(truth, labels):
    return np.mean([adjusted_rand_score(a, b) for a, b in zip(truth.labels, labels, strict=True)])


def ward_score(truth):
    cuts = [
        fcluster(ward(np.sqrt(squareform(D, checks=False))), k, "maxclust")
        for D, k in zip(truth.D, truth.n_clusters, strict=True)
    ]
    return mean_score(truth, cuts)


def test_well_separated_clusters_are_found():
    """The paper's protocol: 250 sweeps of burn-in, 500 recorded; ten data sets.

    Three clusters are most probable at every epoch over the data sets together; in single epochs an outlying object
    may make four more probable, which longer chains confirm.
    """
    scores, alphas, shares = [], [], []
    for seed in range(10):
        truth = simulate_separated(seed)
        series = DistanceSeries.from_distances(truth.D, squared=True)
        settings = SamplerSettings(n_chains=2, n_warmup=250, n_draws=500, seed=seed)
        sample = run_chains(series, Hyperparameters(dof=100), settings)
        scores.append(mean_score(truth, sample.best_frozen.labels))
        alphas.append(np.mean([d.alpha for d in sample.draws]))
        k = np.concatenate([d.n_clusters for d in sample.draws])
        shares.append([np.bincount(k[:, t], minlength=12)[:12] / len(k) for t in range(5)])
    modes = np.argmax(shares, axis=2)
    print(f"\nseparated: ARI {np.round(scores, 3)}, alpha {np.round(alphas, 2)}, three in {np.mean(modes == 3):.0%}")
    assert np.mean(scores) >= 0.95
    assert np.abs(np.array(alphas) / 2 - 1).max() < 0.1
    assert (np.mean(shares, axis=0).argmax(axis=1) == 3).all()
    assert np.mean(modes == 3) >= 0.8


def test_overlapping_clusters_are_found_better_than_by_ward():
    scores, by_ward = [], []
    for seed in range(5):
        truth = simulate_overlapping(seed)
        series = DistanceSeries.from_distances(truth.D, squared=True)
        settings = SamplerSettings(n_chains=4, n_warmup=500, n_draws=500, seed=seed)
        sample = run_chains(series, Hyperparameters(dof=40), settings)
        scores.append(mean_score(truth, sample.best_frozen.labels))
        by_ward.append(ward_score(truth))
    print(f"\noverlapping: ARI {np.round(scores, 3)} mean {np.mean(scores):.3f}, Ward {np.round(by_ward, 2)}")
    assert np.mean(scores) >= 0.55
    assert np.mean(by_ward) < 0.4
