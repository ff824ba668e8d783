"""Freezing one partition."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from runs import MODEL, SETTINGS, small_series
from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings, annealing, run_chains, simulate_separated
from tetiwd.annealing import anneal
from tetiwd.density import log_joint_of
from tetiwd.sampler import Chain, Streams, run_chain, sweep


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


def test_power_cools_and_the_last_passes_come_to_rest(monkeypatch):
    """More power, fewer moves and a higher density; and without the last passes the partition is not at rest."""
    chain = finished_chain()
    h, s = chain.hyperparameters, chain.settings

    def run_at(**how):
        state, streams = chain.state.copy(), Streams(9, 0, 3)
        infos = [sweep(state, h, s, streams, chain.tuning, coupled=True, **how) for _ in range(60)]
        return sum(int(info["moved"].sum()) for info in infos[20:]), log_joint_of(state, h)

    (warm_moves, warm), (cold_moves, cold) = run_at(power=1.0), run_at(power=30.0)
    assert cold_moves < warm_moves / 3
    assert cold > warm
    stiff_moves, _ = run_at(dof_factor=30.0)
    assert stiff_moves < warm_moves
    monkeypatch.setattr(annealing, "MOST_FINAL_PASSES", 0)
    assert anneal(chain).still_moving == -1


@pytest.mark.parametrize(("how", "seen"), [("posterior", "power"), ("likelihood", "dof_factor")])
def test_annealing_uses_what_it_says(monkeypatch, how, seen):
    used = []
    original = annealing.sweep

    def watched(*args, **options):
        used.append(options.get(seen, 1.0))
        return original(*args, **options)

    chain = finished_chain(replace(SETTINGS, anneal=how))
    monkeypatch.setattr(annealing, "sweep", watched)
    anneal(chain)
    assert used[:10] == pytest.approx(np.geomspace(1, annealing.HIGHEST_POWER, 10))


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
