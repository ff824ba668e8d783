"""Chains of moving centres: the same draws however they are run; what they draw; what they refuse."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from runs import digest
from tetiwd import (
    DataError,
    DistanceSeries,
    Gamma,
    Hyperparameters,
    SamplerSettings,
    SettingsError,
    run_chains,
    sampler,
)
from tetiwd.io.posterior import from_datatree, to_datatree
from tetiwd.mode import find_mode
from tetiwd.model.moving import log_joint_moving
from tetiwd.sampler import Chain
from tetiwd.summarize.motion import lineage_motion

TESTS = Path(__file__).parents[1]
MODEL = Hyperparameters(dof=6, geometry="moving")
SETTINGS = SamplerSettings(n_chains=2, n_warmup=30, n_draws=25, thin=2, n_anneal=10, seed=5)


def drifting(n_by_epoch=(14, 11, 12), seed=3) -> DistanceSeries:
    """Three groups that drift; the second is not there at the second time."""
    rng = np.random.default_rng(seed)
    centres, X, time = 2.0 * rng.standard_normal((3, 6)), [], []
    for t, n in enumerate(n_by_epoch):
        groups = np.arange(n) % 3
        groups[groups == (1 if t == 1 else 3)] = 0
        X.append(centres[groups] + 0.4 * rng.standard_normal((n, 6)))
        time += [t] * n
        centres = centres + 0.5 * rng.standard_normal(centres.shape)
    return DistanceSeries.from_features(np.concatenate(X), time=time)


@pytest.fixture(scope="module")
def sample():
    return run_chains(drifting(), MODEL, SETTINGS)


def test_draws_do_not_depend_on_how_they_are_run(sample, tmp_path):
    one_thread = run_chains(drifting(), MODEL, SETTINGS, n_threads=1)
    run_chains(drifting(), MODEL, replace(SETTINGS, n_draws=10), checkpoint=tmp_path)
    resumed = run_chains(drifting(), MODEL, SETTINGS, checkpoint=tmp_path, resume=True)
    assert digest(one_thread) == digest(resumed) == digest(sample)
    assert [f.log_joint for f in one_thread.frozen] == [f.log_joint for f in sample.frozen]


def test_lineages_are_found_and_return(sample):
    labels = sample.best_frozen.labels
    assert [len(np.unique(own)) for own in labels] == [3, 2, 3]
    assert set(np.unique(labels[2])) == set(np.unique(labels[0]))
    assert set(np.unique(labels[1])) < set(np.unique(labels[0]))


def test_everything_is_recorded_and_stored(sample):
    draws = sample.draws[0]
    for name in ("rho", "tau", "delta", "kappa"):
        assert draws.array(name).shape == (25,)
    assert draws.array("scale_acceptance").shape == (25, len(MODEL.scale_moves))
    again = from_datatree(to_datatree(sample), sample.series, MODEL, SETTINGS)
    assert digest(again) == digest(sample)
    assert {"rho", "tau", "new_scale"} <= {q.name for q in sample.diagnostics.quantities}
    assert "relink_acceptance" not in {q.name for q in sample.diagnostics.quantities}


def test_displacements_are_recorded_where_they_are_part_of_the_model(sample):
    h = replace(MODEL, shift=Gamma(1.0, 0.5))
    found = run_chains(drifting(), h, SETTINGS)
    assert len(np.unique(found.draws[0].array("shift"))) > 1
    assert found.draws[0].array("scale_acceptance").shape == (25, len(MODEL.scale_moves) + 1)
    assert "shift" in {q.name for q in found.diagnostics.quantities}
    assert "shift" not in sample.draws[0].axes
    again = from_datatree(to_datatree(found), found.series, h, SETTINGS)
    assert digest(again) == digest(found)
    assert "All objects of a time are displaced together" in " ".join(lineage_motion(found).sentences())
    assert "displaced" not in " ".join(lineage_motion(sample).sentences())


@pytest.mark.parametrize("shift", [0.0, 0.3])
def test_the_joint_that_is_recorded_is_that_of_the_model(shift):
    series, h = drifting(), replace(MODEL, tau=0.0, shift=shift)
    chain = Chain(series, h, replace(SETTINGS, thin=1, n_warmup=5))
    while not chain.finished:
        chain.step()
    chain.state.check_invariants()
    labels = chain.draws.labels[-1].astype(int)
    ends = np.cumsum(series.n_objects)[:-1]
    joint = log_joint_moving(series.cross / series.unit, np.split(labels, ends), h, chain.state.parameters)
    assert chain.draws.log_joint[-1] == pytest.approx(joint, rel=1e-9)


def test_nothing_drifts_over_a_hundred_thousand_moves(monkeypatch):
    monkeypatch.setattr(sampler, "REBUILD_EVERY", 10**9)  # nothing is rebuilt in between
    chain = Chain(drifting((40, 30, 35)), MODEL, replace(SETTINGS, n_draws=1000, n_warmup=0))
    for _ in range(1000):
        chain.step()
    chain.state.check_invariants()


def test_pooled_centres_stay_where_they_are():
    sample = run_chains(drifting(), Hyperparameters(dof=6, geometry="pooled"), SETTINGS)
    assert set(sample.draws[0].array("rho")) == {1.0}


@pytest.mark.parametrize("init", ["one", "labels"])
def test_other_starts(init):
    series = drifting()
    labels = [np.arange(n) % 2 for n in series.n_objects]
    chain = Chain(series, MODEL, replace(SETTINGS, init=labels if init == "labels" else init))
    assert chain.state.size[0] == (2 if init == "labels" else 1)
    chain.step()
    chain.state.check_invariants()


def test_a_mode_is_found():
    mode = find_mode(drifting(), MODEL, SamplerSettings(n_chains=2, seed=5))
    assert mode.state.n_clusters[0].tolist() == [3, 2, 3]


def test_one_time_needs_no_distances_between_times():
    series = DistanceSeries.from_distances(drifting().D[:1], squared=True)
    sample = run_chains(series, MODEL, SETTINGS)
    assert len(np.unique(sample.best_frozen.labels[0])) == 3
    assert np.isnan(sample.draws[0].array("relink_acceptance")).all()


def test_without_distances_between_times_there_is_nothing_to_model():
    series = DistanceSeries.from_distances(drifting().D, squared=True)
    with pytest.raises(DataError, match=r"distances between times are not known.*give D\* as well"):
        run_chains(series, MODEL, SETTINGS)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"geometry": "moving", "max_clusters": 3}, "max_clusters=3 has no meaning with geometry='moving'"),
        ({"geometry": "pooled", "rho": 0.5}, "rho=0.5 has no meaning with geometry='pooled'"),
        ({"geometry": "full", "delta": 0.5}, "delta=0.5 has no meaning with geometry='full'"),
        ({"geometry": "moving", "rho": 1.5}, "rho must be a number above 0 and up to 1"),
        ({"geometry": "moving", "tau": -1.0}, "tau must be 0, a positive number or a Gamma prior"),
        ({"geometry": "moving", "tau": 1e6}, "tau must be at most 1000, not 1000000.0"),
        ({"geometry": "moving", "shift": -1.0}, "shift must be 0, a positive number or a Gamma prior"),
        ({"geometry": "full", "shift": 0.5}, "shift=0.5 has no meaning with geometry='full'"),
    ],
)
def test_settings_that_make_no_sense_are_refused(changes, said):
    with pytest.raises(SettingsError) as error:
        Hyperparameters(dof=6, **changes)
    assert said in str(error.value).replace('"', "'")


def test_compiled_and_plain_python_agree():
    """Bit by bit."""
    code = """
import warnings, numpy as np
from dataclasses import replace
from unit.test_moving_chains import MODEL, drifting
from runs import digest
from tetiwd import Gamma, SamplerSettings, kernels, run_chains
settings = SamplerSettings(n_chains=1, n_warmup=6, n_draws=5, n_anneal=2, n_split_merge=2)
series = drifting((7, 6, 6))
single = replace(series, cross=series.cross.astype(np.float32))
modes = [{"tau": 0.0}, {"geometry": "pooled"}, {"shift": Gamma(1.0, 1.0)}]
runs = [(series, {}), (single, {}), *((series, mode) for mode in modes)]
print(kernels.COMPILED, *(digest(run_chains(data, replace(MODEL, **mode), settings)) for data, mode in runs))
"""
    found = {}
    for compiled in ("0", "1"):
        environment = os.environ | {"TETIWD_COMPILED": compiled, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
        out = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code], env=environment, check=True, capture_output=True, text=True
        ).stdout.split()
        found[out[0]] = out[1:]
    assert len(found["False"]) == 5
    assert found.get("True", found["False"]) == found["False"]
