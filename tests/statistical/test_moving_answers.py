"""Moving centres on simulated data: starts agree; time is worth more than with the paper's model; batch effects."""

import numpy as np
import pytest
from benchmarks.data_sets import SHARED_DATA
from benchmarks.league.sets import SETS
from sklearn.metrics import adjusted_rand_score

from tetiwd import DistanceSeries, Gamma, Hyperparameters, SamplerSettings, run_chains
from tetiwd.choosing import choose
from tetiwd.diagnostics import LARGEST_R_HAT, diagnose
from tetiwd.model import simulate_independent
from tetiwd.model.moving import draw_moving_objects
from tetiwd.sampler import Chain
from tetiwd.summarize.point_estimate import representative

DOF = 40


def simulated(seed, n):
    truth = simulate_independent(seed, n_by_epoch=(n,) * 5, step=0.5)
    return DistanceSeries.from_distances(truth.D, squared=True, cross=truth.cross), truth.labels


def largest_r_hat(series, truth, h, **lengths):
    """Of chains from Ward's clusters, from one lineage and from the truth."""
    drawn = []
    for init in ("ward", "one", truth):
        chain = Chain(series, h, SamplerSettings(n_chains=3, seed=4, init=init, **lengths), 2)
        while not chain.finished:
            chain.step()
        drawn.append(chain.draws)
    found = diagnose(drawn, series.times)
    return max((q.r_hat, q.name) for q in found.quantities if q.r_hat is not None)


@pytest.mark.slow
def test_chains_from_ward_from_one_lineage_and_from_the_truth_agree():
    series, truth = simulated(3, 60)
    h = Hyperparameters(dof=DOF, geometry="moving")
    assert largest_r_hat(series, truth, h, n_warmup=300, n_draws=1000)[0] <= LARGEST_R_HAT


@pytest.mark.slow
def test_chains_from_all_starts_agree_on_real_texts():
    if not (SHARED_DATA / "medline_drug_reviews").is_dir():
        pytest.skip("the data are not here")
    reviews = SETS["reviews"].load()
    series, names = reviews.series, {name: i for i, name in enumerate(np.unique(np.concatenate(reviews.labels)))}
    truth = [np.array([names[label] for label in labels]) for labels in reviews.labels]
    h = choose(Hyperparameters(), series, SamplerSettings(seed=4)).hyperparameters
    assert h.geometry == "moving"
    assert largest_r_hat(series, truth, h, n_warmup=400, n_draws=1600)[0] <= LARGEST_R_HAT


@pytest.mark.slow
def test_distances_between_times_are_worth_a_lot():
    """Clusters that move by half their spread, 30 objects at a time: a tenth of a Rand index more, and rho is found."""
    gains, rho = [], []
    for seed in range(6):
        series, truth = simulated(seed, 30)
        scores = {}
        for geometry in ("moving", "full"):
            settings = SamplerSettings(n_chains=2, n_warmup=300, n_draws=400, seed=seed, anneal=None)
            sample = run_chains(series, Hyperparameters(dof=DOF, geometry=geometry), settings)
            labels = representative(sample, links="model").labels
            pairs = zip(truth, labels, strict=True)
            scores[geometry] = np.mean([adjusted_rand_score(mine, theirs) for mine, theirs in pairs])
            if geometry == "moving":
                rho.append(np.mean([draws.array("rho").mean() for draws in sample.draws]))
        gains.append(scores["moving"] - scores["full"])
    error = np.std(gains, ddof=1) / np.sqrt(len(gains))
    assert np.mean(gains) - 2 * error > 0.1
    assert np.mean(rho) == pytest.approx(np.sqrt(1 - 0.5**2), abs=0.06)


def displaced(seed, d=10, n_by_epoch=(24,) * 4):
    """Four clusters that stay where they are, seen at times that are displaced by three standard deviations."""
    rng, parameters = np.random.default_rng(seed), {"new_scale": 1.5, "rho": 1.0, "shift": 9.0}
    labels = [rng.integers(4, size=n) for n in n_by_epoch]
    X = draw_moving_objects(labels, parameters, dict.fromkeys(range(4), 1.0), d, rng)
    time = np.repeat(np.arange(len(n_by_epoch)), n_by_epoch)
    return DistanceSeries.from_features(np.concatenate(X), time=time), np.concatenate(labels)


def test_clusters_of_displaced_times_are_found_by_a_model_of_displacements():
    gains = []
    for seed in range(4):
        series, truth = displaced(seed)
        scores = []
        for shift in (0.0, Gamma(1.0, 1.0)):
            h = Hyperparameters(dof=10, geometry="moving", shift=shift)
            sample = run_chains(series, h, SamplerSettings(n_chains=2, n_warmup=100, n_draws=100, anneal=None))
            labels = np.concatenate(representative(sample, links="model").labels)
            scores.append(adjusted_rand_score(truth, labels))
        gains.append(scores[1] - scores[0])
        draws = sample.draws[0]
        assert 3 < np.median(draws.array("shift") / draws.alpha) < 27
    assert min(gains) > 0.2
    assert np.mean(gains) > 0.5
