"""Freezing one partition."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from runs import MODEL, SETTINGS, small_series
from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings, run_chains, simulate_separated
from tetiwd.annealing import anneal
from tetiwd.sampler import Chain, run_chain


def finished_chain(settings=SETTINGS):
    chain = Chain(small_series(), MODEL, settings)
    for _ in run_chain(chain):
        pass
    return chain


@pytest.mark.parametrize("how", ["posterior", "likelihood"])
def test_it_ends_in_a_frozen_partition_and_leaves_the_chain_alone(how):
    chain = finished_chain(replace(SETTINGS, anneal=how))
    before = chain.state.to_arrays()
    frozen = anneal(chain)
    assert frozen.still_moving == 0
    assert np.isfinite(frozen.log_joint)
    assert [len(own) for own in frozen.labels] == [14, 11, 12]
    after = chain.state.to_arrays()
    assert all(np.array_equal(before[name], after[name]) for name in before)
    assert anneal(chain).log_joint == frozen.log_joint  # no randomness of its own


def test_a_copied_state_shares_the_data_and_nothing_else():
    state = finished_chain().state
    twin = state.copy()
    assert twin.series is state.series
    twin.A[:] = 0
    twin.z[0][:] = 0
    state.check_invariants()


def test_the_frozen_partition_is_more_probable_than_the_draws():
    sample = run_chains(small_series(), MODEL, SETTINGS)
    assert sample.best_frozen.log_joint > np.median([d.log_joint for d in sample.draws])
    assert sample.best_frozen.log_joint == max(f.log_joint for f in sample.frozen)


def test_annealing_can_be_left_out():
    assert run_chains(small_series(), MODEL, replace(SETTINGS, anneal=None)).frozen == []


def test_the_papers_rule_finds_more_clusters():
    """Growing degrees of freedom favour ever finer partitions; annealing the posterior does not."""
    truth = simulate_separated(2)
    series = DistanceSeries.from_distances(truth.D, squared=True)
    settings = SamplerSettings(n_chains=1, n_warmup=150, n_draws=20, n_anneal=40)
    found = {}
    for how in ("posterior", "likelihood"):
        frozen = run_chains(series, Hyperparameters(dof=100), replace(settings, anneal=how)).best_frozen
        found[how] = [len(np.unique(own)) for own in frozen.labels]
        if how == "posterior":
            scores = [adjusted_rand_score(a, b) for a, b in zip(truth.labels, frozen.labels, strict=True)]
            assert np.mean(scores) > 0.95
    assert sum(found["likelihood"]) > sum(found["posterior"])
