"""Moving centres: weights of new objects are ratios of the joint; lineages that return; the urn of the next time."""

from dataclasses import replace

import numpy as np
import pytest

from lineage_worlds import small_cross
from reference import rng_for, set_partitions
from tetiwd import DataError, Gamma, Hyperparameters, Partitions, SamplerSettings, classify, run_chains
from tetiwd.mode import find_mode
from tetiwd.model.moving import log_joint_moving
from tetiwd.model.urn import log_prior_counts, log_prior_lineages
from tetiwd.summarize.conditional import conditional_memberships
from tetiwd.summarize.forecast import absent_weights, forecast
from tetiwd.summarize.links import LineageLinks
from tetiwd.summarize.new_in_lineage import LineagesOfDraw
from tetiwd.summarize.point_estimate import linked, representative

SIZES = (5, 4, 6)
H = Hyperparameters(dof=3, geometry="moving", tau=0.0, xi=Gamma(2, 0.5), kappa=Gamma(3, 0.3), delta=0.6)
SETTINGS = SamplerSettings(n_chains=1, n_warmup=20, n_draws=6, anneal=None)


@pytest.fixture(scope="module")
def sample():
    return run_chains(small_cross(4, SIZES), H, SETTINGS)


@pytest.fixture(scope="module")
def displaced():
    return run_chains(small_cross(4, SIZES), replace(H, shift=Gamma(2, 0.5)), SETTINGS)


def test_the_urn_of_sizes_is_that_of_labels():
    for labels in set_partitions(6):
        series = np.split(labels, [2, 2, 3])  # nobody at the second epoch
        counts = np.array([[np.sum(own == c) for own in series] for c in range(7)])
        expected = log_prior_lineages(series, 1.3, 0.6, 0.5)
        assert log_prior_counts(counts, 1.3, 0.6, 0.5) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("model", ["sample", "displaced"])
@pytest.mark.parametrize("t", [0, 1, 2])
def test_weights_of_a_new_object_are_ratios_of_the_joint(request, model, t):
    """Up to one constant for all draws and lineages."""
    sample = request.getfixturevalue(model)
    series, draws, h = sample.series, sample.draws[0], sample.hyperparameters
    rng, gaps = rng_for(71, t), []
    row, at = rng.uniform(1, 5, size=sum(SIZES)), sum(SIZES[: t + 1])
    more = np.insert(np.insert(series.cross, at, row, axis=0), at, np.insert(row, at, 0.0), axis=1)
    for i in range(len(draws)):
        found = LineagesOfDraw(sample, draws, i, t)
        weights = found.weigh_lineages(row[None])[0]
        values = {name: float(draws.array(name)[i]) for name in ("alpha", "new_scale", "rho", "xi", "tau")}
        values |= {name: float(draws.array(name)[i]) for name in ("delta", "kappa")}
        values["shift"] = float(draws.array("shift")[i]) if model == "displaced" else 0.0
        ends = np.cumsum(SIZES)[:-1]
        before = log_joint_moving(series.cross, np.split(found.lineages, ends), h, values)
        for c, weight in enumerate(weights):
            labels = np.split(np.insert(found.lineages, at, c), ends + (ends >= at))
            gaps.append(log_joint_moving(more, labels, h, values) - before - weight)
    assert np.ptp(gaps) < 1e-8


def test_new_objects_are_where_their_neighbours_are(sample):
    clustering = representative(sample)
    new = sample.series.cross[[0, 7]] + 1e-3
    found = classify(sample, clustering, new, squared=True, t=1, together=True)
    assert found.probabilities.shape == (2, clustering.n_clusters[1])
    assert np.allclose(found.probabilities.sum(axis=1) + found.none, 1)
    assert found.together.shape == (2, SIZES[1])
    with pytest.raises(DataError, match="moving centres need those to all 15 objects"):
        classify(sample, clustering, new[:, :4], squared=True, t=1)


def test_memberships_of_a_mode_add_up():
    mode = find_mode(small_cross(4, SIZES), H, SamplerSettings(n_chains=1))
    for probabilities, k in zip(conditional_memberships(mode), mode.state.n_clusters[0], strict=True):
        assert probabilities.shape[1] == k + 1
        assert np.allclose(probabilities.sum(axis=1), 1)


def test_lineages_that_return_are_one_lineage():
    draws = Partitions.from_labels([[[0, 0, 1, 1]] * 5, [[0, 0, 0]] * 5, [[1, 1, 0, 0]] * 5])
    clusters = [np.array([0, 0, 1, 1]), np.zeros(3, dtype=int), np.array([0, 0, 1, 1])]
    found = linked(draws, clusters, LineageLinks())
    assert found[0].tolist() == [0, 0, 1, 1]
    assert set(found[1]) == {0}
    assert found[2].tolist() == [1, 1, 0, 0]


def test_absent_lineages_are_remembered_by_the_forecast(sample):
    draws = Partitions.from_labels([[[0, 0, 1, 1, 1]] * 2, [[0, 0, 2]] * 2, [[2, 2]] * 2])
    assert absent_weights(draws, 2, np.array([0.5, 1.0])).tolist() == [2 * 0.5 + 3 * 0.25, 5.0]
    found = forecast(sample, representative(sample))
    drawn = sample.draws[0]
    total = [
        drawn.array("kappa")[i]
        * (SIZES[-1] + drawn.xi[i] + absent_weights(sample.partitions, 2, drawn.array("delta"))[i])
        for i in range(len(drawn))
    ]
    assert np.allclose(np.sort(found.weights.sum(axis=1)), np.sort(total))


def test_spreads_of_lineages_are_kept_for_new_objects():
    sample = run_chains(small_cross(4, SIZES), replace(H, tau=0.5), SETTINGS)
    found = LineagesOfDraw(sample, sample.draws[0], 2, 0)
    assert len(set(found.terms.spreads.round(6))) > 1
    assert sample.draws[0].array("log_spreads").shape == (6, sum(SIZES))
