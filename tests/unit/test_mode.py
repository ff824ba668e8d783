"""The mode: what it is, what it leaves alone, and what it refuses."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from runs import MODEL, digest, small_series
from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings, mode, run_chains, simulate_separated
from tetiwd.errors import CheckpointError, SettingsError
from tetiwd.mode import check_heeded, find_mode, sweeps_of
from tetiwd.params import AnswerSettings
from tetiwd.start import coarseness

SETTINGS = SamplerSettings(n_chains=2, seed=5)


def test_it_is_the_best_of_its_starts_and_its_state_is_that_one():
    found = find_mode(small_series(), MODEL, SETTINGS)
    assert found.log_joint == max(start.log_joint for start in found.starts)
    assert len(found.starts) == 2
    assert len(found.state) == 1
    assert found.state.log_joint[0] == found.log_joint
    assert np.array_equal(found.state.labels[0], np.concatenate(found.starts[found.best].labels))
    assert [A.shape[0] for A in found.state.geometry[0]] == found.state.n_clusters[0].tolist()
    assert all(start.still_moving == 0 for start in found.starts)
    assert "best of 2 starts" in repr(found)


def test_it_does_not_depend_on_threads_but_on_the_seed():
    one, many = (find_mode(small_series(), MODEL, SETTINGS, n_threads=n) for n in (1, 4))
    for a, b in zip(one.starts, many.starts, strict=True):
        assert a.log_joint == b.log_joint
        assert all(np.array_equal(*pair) for pair in zip(a.labels, b.labels, strict=True))
    other = find_mode(small_series(), MODEL, replace(SETTINGS, seed=6))
    assert [start.log_joint for start in other.starts] != [start.log_joint for start in one.starts]


def test_a_run_that_goes_on_from_it_is_the_run_without_it(tmp_path):
    """Every chain goes on from its own state, not from the mode: starts stay different, and no draw is another."""
    find_mode(small_series(), MODEL, SETTINGS, checkpoint=tmp_path)
    whole = replace(SETTINGS, n_draws=20)
    continued = run_chains(small_series(), MODEL, whole, checkpoint=tmp_path, resume=True)
    assert digest(continued) == digest(run_chains(small_series(), MODEL, whole))


def test_checkpoints_are_never_overwritten(tmp_path):
    find_mode(small_series(), MODEL, SETTINGS, checkpoint=tmp_path)
    with pytest.raises(CheckpointError, match="already holds checkpoints"):
        find_mode(small_series(), MODEL, SETTINGS, checkpoint=tmp_path)


def test_it_stops_when_asked_to_and_keeps_where_chains_were(tmp_path):
    seen = []

    def stop(where):
        seen.append(where)
        return True

    assert find_mode(small_series(), MODEL, SETTINGS, checkpoint=tmp_path, progress=stop) is None
    assert all(one.n_sweeps == sweeps_of(SETTINGS) for one in seen[0])
    assert len(list(tmp_path.glob("chain-*.checkpoint"))) == 2


def test_ctrl_c_stops_it(tmp_path):
    seen = []

    def interrupt(where):
        seen.append(where)
        if len(seen) == 1:
            raise KeyboardInterrupt

    assert find_mode(small_series(), MODEL, SETTINGS, progress=interrupt, checkpoint=tmp_path) is None
    assert len(list(tmp_path.glob("chain-*.checkpoint"))) == 2


def test_links_are_sampled_before_it_is_frozen():
    assert sweeps_of(SamplerSettings()) == mode.LEAST_SWEEPS
    assert SamplerSettings().n_apart + mode.LEAST_LINKED <= mode.LEAST_SWEEPS
    assert sweeps_of(SamplerSettings(n_uncoupled=200)) == 200 + mode.LEAST_LINKED
    truth = simulate_separated(seed=4)
    series = DistanceSeries.from_distances(truth.D, squared=True)
    found = find_mode(series, Hyperparameters(dof=100), SamplerSettings(seed=1))
    labels = found.starts[found.best].labels
    assert all(adjusted_rand_score(*pair) == 1 for pair in zip(truth.labels, labels, strict=True))
    assert len(np.unique(np.concatenate(labels))) == 3  # lineages


def test_starts_differ():
    assert len({coarseness(chain, SamplerSettings().n_chains) for chain in range(SamplerSettings().n_chains)}) == 4


@pytest.mark.parametrize(
    "group",
    [
        SamplerSettings(n_draws=50),
        SamplerSettings(n_warmup=50),
        SamplerSettings(thin=2),
        SamplerSettings(anneal=None),
        SamplerSettings(n_anneal=3),
        SamplerSettings(geometry_every=0),
        AnswerSettings(loss="binder"),
        AnswerSettings(at_most=3),
        AnswerSettings(level=0.5),
        AnswerSettings(n_next=5),
    ],
)
def test_settings_without_effect_are_refused(group):
    with pytest.raises(SettingsError, match=r'has no effect.*leave out mode="fast"'):
        check_heeded(group)


def test_settings_with_an_effect_are_not():
    labels = [np.zeros(n, dtype=int) for n in small_series().n_objects]
    check_heeded(SamplerSettings(n_chains=2, seed=3, init=labels, n_aux=3), AnswerSettings(links="model"))
    with pytest.raises(SettingsError, match="n_draws=50 has no effect"):
        find_mode(small_series(), MODEL, SamplerSettings(n_draws=50))
    with pytest.raises(SettingsError, match="n_threads"):
        find_mode(small_series(), MODEL, SETTINGS, n_threads=0)
