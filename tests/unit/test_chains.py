"""Several chains: the same draws however they are run, and nothing lost when they are stopped."""

import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from runs import MODEL, SETTINGS, digest, small_series
from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings, chains, run_chains, sampler
from tetiwd.checkpoint import Keeper
from tetiwd.errors import CheckpointError, SettingsError
from tetiwd.model import log_joint
from tetiwd.sampler import MOVES, REBUILD_EVERY, Chain, Tuning, run_chain

TESTS = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def reference():
    return run_chains(small_series(), MODEL, SETTINGS)


def test_draws_do_not_depend_on_how_they_are_run(reference, tmp_path):
    series = small_series()
    one_thread = run_chains(series, MODEL, SETTINGS, n_threads=1)
    watched = run_chains(series, MODEL, SETTINGS, progress=lambda where: None)
    kept = run_chains(series, MODEL, SETTINGS, checkpoint=tmp_path, checkpoint_seconds=0)
    assert {digest(r) for r in (one_thread, watched, kept)} == {digest(reference)}
    assert [f.log_joint for f in one_thread.frozen] == [f.log_joint for f in reference.frozen]


def test_compiled_and_plain_python_agree():
    """Bit by bit, in all modes of the model."""
    code = """
import numpy as np
from runs import MODEL, digest, small_series
from dataclasses import replace
from tetiwd import DistanceSeries, Gamma, SamplerSettings, kernels, run_chains
settings = SamplerSettings(n_chains=1, n_warmup=6, n_draws=5, n_anneal=2)
series = small_series((6, 5))
single = DistanceSeries.from_distances([D.astype(np.float32) for D in series.D], squared=True)
similar = DistanceSeries.from_similarities([np.exp(-D) for D in series.D])
runs = [(series, {}), (single, {}), (similar, {}), (series, {"geometry": "isotropic"}), (series, {"coupling": False})]
runs += [(series, {"max_clusters": 3}), (similar, {"geometry": "isotropic"})]
runs += [(series, {"kappa": Gamma(2, 0.5), "df_A": Gamma(2, 10)}), (series, {"kappa": 0.3, "max_clusters": 4})]
runs += [(series, {"tau": Gamma(1, 0.5)}), (series, {"tau": 0.7, "geometry": "isotropic"})]
print(kernels.COMPILED, *(digest(run_chains(data, replace(MODEL, **mode), settings)) for data, mode in runs))
"""
    found = {}
    for compiled in ("0", "1"):
        environment = os.environ | {"TETIWD_COMPILED": compiled, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
        out = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code], env=environment, check=True, capture_output=True, text=True
        ).stdout.split()
        assert out[0] == str(compiled == "1")
        found[compiled] = out[1:]
    assert len(set(found["0"])) == len(found["0"])
    assert found["0"] == found["1"]


def test_seeds_and_chains_differ(reference):
    other = run_chains(small_series(), MODEL, replace(SETTINGS, seed=6))
    assert digest(other) != digest(reference)
    first, second = reference.draws
    assert not np.array_equal(first.log_joint, second.log_joint)


def test_what_is_recorded(reference):
    series, draws = small_series(), reference.draws[0]
    assert len(draws) == SETTINGS.n_draws
    assert draws.labels.dtype == np.uint16
    assert draws.labels.shape == (25, sum(series.n_objects))
    for t, n in enumerate(series.n_objects):
        own = draws.labels_at(t)
        assert own.shape == (25, n)
        assert [len(np.unique(row)) for row in own] == draws.n_clusters[:, t].tolist()
    for name in ("log_joint", "alpha", "xi", "new_scale"):
        assert np.isfinite(getattr(draws, name)).all()
    for name in ("spread", "log_det_A", "entropy"):
        assert draws.array(name).shape == (25, 3)
    sizes = {"time": 3, "step": 2, "scale_move": 4}
    assert {name: values.shape for name, values in draws.statistics.items()} == {
        name: (25, sizes[axis]) for move in MOVES for name, axis in move.reports.items()
    }
    rates = draws.statistics["scale_acceptance"]
    assert ((rates >= 0) & (rates <= 1)).all()
    assert repr(draws) == "Draws(25 draws of 3 epochs, 37 objects)"
    assert repr(reference).startswith("Sample(2 chains × 25 draws; ")
    assert len(draws.geometry) == 3
    assert list(draws.with_geometry) == [0, 10, 20]


def test_scales_are_in_the_users_units():
    series = small_series()
    larger = DistanceSeries.from_distances([64 * D for D in series.D], squared=True)
    a, b = (run_chains(s, MODEL, SETTINGS) for s in (series, larger))
    assert np.array_equal(a.draws[0].labels, b.draws[0].labels)
    assert np.allclose(64 * a.draws[0].alpha, b.draws[0].alpha)
    assert np.allclose(64 * a.draws[0].new_scale, b.draws[0].new_scale)
    assert np.allclose(64 * a.draws[0].spread, b.draws[0].spread)


def test_every_draw_is_the_state_at_that_sweep():
    """Against a chain stepped by hand: which sweeps are recorded, and what of them."""
    settings = replace(SETTINGS, n_chains=1, n_warmup=10, n_draws=6, thin=3, geometry_every=1)
    chain, unit = Chain(small_series(), MODEL, settings), small_series().unit
    i = 0
    while not chain.finished:
        chain.step()
        recorded = chain.n_done > 10 and (chain.n_done - 10) % 3 == 0
        assert len(chain.draws) == i + recorded
        if recorded:
            state, draws = chain.state, chain.draws
            labels = state.labels()
            assert np.array_equal(draws.labels[i], np.concatenate(labels))
            assert draws.alpha[i] == state.alpha * unit
            assert draws.new_scale[i] == state.new_scale * unit
            A = [A / unit for A in draws.geometry[i]]
            scales = {"alpha": state.alpha, "xi": state.xi, "new_scale": state.new_scale}
            again = log_joint(small_series().rescaled(), labels, A, MODEL, **scales)
            assert draws.log_joint[i] == pytest.approx(again, rel=1e-9)
            i += 1
    assert i == 6


def test_epochs_updated_at_the_same_time_give_the_same_draws(monkeypatch):
    """Odd and even epochs in threads of their own."""
    series, settings = small_series((30, 25, 30, 25, 30)), replace(SETTINGS, n_warmup=20, n_draws=20, anneal=None)
    alone = run_chains(series, MODEL, settings, n_threads=1)
    monkeypatch.setattr(chains, "WORTH_A_THREAD", 1)
    pools = []
    sweep = sampler.sweep
    monkeypatch.setattr(sampler, "sweep", lambda *a, pool, **k: pools.append(pool) or sweep(*a, pool=pool, **k))
    in_threads = run_chains(series, MODEL, settings, n_threads=8)
    assert all(pool is not None for pool in pools)
    assert digest(in_threads) == digest(alone)


def test_a_copied_chain_goes_on_like_the_chain():
    """Kernels work on views of arrays; copies must have views of their own."""
    chain = Chain(small_series(), MODEL, SETTINGS)
    for _ in range(5):
        chain.step()
    others = [copy.deepcopy(chain), pickle.loads(pickle.dumps(chain))]
    for one in (chain, *others):
        for _ in range(15):
            one.step()
        one.state.check_invariants()
    for other in others:
        for name, array in chain.state.to_arrays().items():
            assert np.array_equal(array, other.state.to_arrays()[name]), name


def test_nothing_drifts_between_rebuilds(monkeypatch):
    """After hundreds of sweeps of updates alone, all cached sums still are what the data say."""
    monkeypatch.setattr(sampler, "REBUILD_EVERY", 10**9)
    chain = Chain(small_series((40, 40)), MODEL, replace(SETTINGS, n_warmup=400, n_draws=1))
    moved = sum(int(chain.step()["moved"].sum()) for _ in range(400))
    assert moved > 1500
    chain.state.check_invariants()


def test_sums_are_rebuilt_now_and_then(monkeypatch):
    chain = Chain(small_series(), MODEL, replace(SETTINGS, n_draws=200))
    for _ in range(REBUILD_EVERY - 1):
        chain.step()
    chain.state.row_sums[0][0] += 1e-7  # drift, exaggerated
    chain.step()
    chain.state.check_invariants()


def test_bad_arguments_are_refused():
    for options, message in [
        ({"n_threads": 0}, "n_threads must be a whole number of at least 1, not 0"),
        ({"resume": True}, "resume=True needs the folder"),
        ({"checkpoint_seconds": float("nan")}, "checkpoint_seconds must be 0 or more"),
    ]:
        with pytest.raises(SettingsError, match=message):
            run_chains(small_series(), MODEL, SETTINGS, **options)


def test_control_c_while_annealing_keeps_the_draws():
    timer = threading.Timer(3.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    try:
        sample = run_chains(small_series(), MODEL, replace(SETTINGS, n_anneal=1_000_000))
    finally:
        timer.cancel()
    assert sample.complete
    assert sample.frozen == []
    assert all(len(draws) == SETTINGS.n_draws for draws in sample.draws)


@pytest.mark.parametrize("every", [0, 1, 4])
def test_geometry_is_kept_as_often_as_asked_for(every):
    draws = run_chains(small_series(), MODEL, replace(SETTINGS, geometry_every=every, n_chains=1)).draws[0]
    assert list(draws.with_geometry) == (list(range(0, 25, every)) if every else [])
    for i, geometry in zip(draws.with_geometry, draws.geometry, strict=True):
        assert [len(A) for A in geometry] == draws.n_clusters[i].tolist()
    again = type(draws).from_arrays(draws.n_objects, draws.to_arrays(), draws.axes)
    for one, two in zip(again.geometry, draws.geometry, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def test_state_is_consistent_after_a_run():
    chain = Chain(small_series(), MODEL, SETTINGS)
    for _ in run_chain(chain):
        pass
    chain.state.check_invariants()


def test_epochs_are_apart_at_first_and_linked_from_then_on():
    chain = Chain(small_series(), MODEL, replace(SETTINGS, n_warmup=12, n_uncoupled=5))
    for i in range(12):
        chain.step()
        assert (chain.state.back >= 0).any() == (i >= 5)


def test_proposals_are_tuned_in_warm_up_only(monkeypatch):
    def tuning_changes_while_drawing():
        chain = Chain(small_series(), MODEL, SETTINGS)
        seen = []
        for _ in run_chain(chain):
            if chain.n_done >= SETTINGS.n_warmup:
                seen.append(dict(chain.tuning.steps))
        assert chain.tuning.steps["alpha"] != Tuning().steps["alpha"]  # it was tuned at all
        return any(entry != seen[0] for entry in seen)

    assert not tuning_changes_while_drawing()
    step = Chain.step

    def adapting_forever(self):
        info = step(self)
        self.tuning.adapt(info, self.n_done)
        return info

    monkeypatch.setattr(Chain, "step", adapting_forever)
    assert tuning_changes_while_drawing()


def test_progress_says_where_the_chains_are():
    seen = []
    run_chains(small_series((60, 60)), MODEL, replace(SETTINGS, n_warmup=100, n_draws=200), progress=seen.append)
    last = seen[-1]
    assert [p.n_done for p in last] == [p.n_sweeps for p in last] == [500, 500]
    assert all(p.seconds_left == 0 for p in last)
    assert all(len(p.n_clusters) == 2 and np.isfinite(p.log_joint) for p in last)


def test_early_stop_returns_what_was_drawn():
    def enough(where):
        return all(not p.warming_up and p.n_done > 130 for p in where)

    long = replace(SETTINGS, n_warmup=20, n_draws=100_000, thin=1)
    sample = run_chains(small_series(), MODEL, long, progress=enough)
    assert not sample.complete
    assert sample.frozen == []
    assert all(50 < len(draws) < 100_000 for draws in sample.draws)
    with pytest.raises(SettingsError, match="no partition was frozen"):
        sample.best_frozen  # noqa: B018


def test_control_c_returns_what_was_drawn():
    long = replace(SETTINGS, n_warmup=5, n_draws=100_000, thin=1)
    timer = threading.Timer(2.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    try:
        sample = run_chains(small_series(), MODEL, long)
    finally:
        timer.cancel()
    assert not sample.complete
    assert all(0 < len(draws) < 100_000 for draws in sample.draws)


def test_an_error_in_the_progress_function_stops_the_chains():
    def broken(where):
        raise RuntimeError("no screen")

    with pytest.raises(RuntimeError, match="no screen"):
        run_chains(small_series(), MODEL, replace(SETTINGS, n_draws=100_000), progress=broken)


def test_stopped_runs_continue_identically(reference, tmp_path):
    for n_done in (7, 33, 60, None):  # in warm-up, and twice while drawing
        chains = [Chain(small_series(), MODEL, SETTINGS, i) for i in range(2)]
        keeper = Keeper(tmp_path, small_series(), chains, seconds=0)
        keeper.open(resume=n_done != 7)
        if n_done is None:
            break
        for chain in chains:
            while chain.n_done < n_done:
                chain.step()
            keeper.save_if_due(chain, now=True)
    sample = run_chains(small_series(), MODEL, SETTINGS, checkpoint=tmp_path, resume=True)
    assert digest(sample) == digest(reference)


def test_a_finished_run_can_be_extended(tmp_path):
    series, longer = small_series(), replace(SETTINGS, n_draws=40)
    run_chains(series, MODEL, SETTINGS, checkpoint=tmp_path)
    extended = run_chains(series, MODEL, longer, checkpoint=tmp_path, resume=True)
    assert digest(extended) == digest(run_chains(series, MODEL, longer))


def test_nothing_is_overwritten_and_nothing_foreign_continued(tmp_path):
    series = small_series()
    with pytest.raises(CheckpointError, match="there is no checkpoint in"):
        run_chains(series, MODEL, SETTINGS, checkpoint=tmp_path, resume=True)
    run_chains(series, MODEL, SETTINGS, checkpoint=tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(CheckpointError, match="already holds checkpoints; pass resume=True"):
        run_chains(series, MODEL, SETTINGS, checkpoint=tmp_path)
    almost = [D.copy() for D in series.D]
    almost[1][2, 3] = almost[1][3, 2] = almost[1][2, 3] * (1 + 1e-12)
    for data, model, settings, what in [
        (DistanceSeries.from_distances(almost, squared=True), MODEL, SETTINGS, "data"),
        (small_series((14, 11, 13)), MODEL, SETTINGS, "data"),
        (series, replace(MODEL, dof=7), SETTINGS, "hyperparameters"),
        (series, MODEL, replace(SETTINGS, n_aux=3), "settings"),
    ]:
        with pytest.raises(CheckpointError, match=f"belongs to other {what} .*; continue with the {what}"):
            run_chains(data, model, settings, checkpoint=tmp_path, resume=True)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    "options",
    [
        {"coupling": False},
        {"geometry": "isotropic"},
        {"geometry": "isotropic", "coupling": False},
        {"max_clusters": 3},
        {"max_clusters": 1},
        {"alpha": 0.4, "xi": 0.7, "new_scale": 0.5},
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["distances", "similarities"])
@pytest.mark.parametrize("init", ["ward", "one"])
def test_every_option_runs(options, kind, init):
    series = small_series()
    if kind == "similarities":
        from tetiwd.data.negative_type import centred_similarity

        series = DistanceSeries.from_similarities([centred_similarity(D) for D in series.D], symmetrize="mean")
    model = Hyperparameters(**({"dof": 6, "df_A": 30} | options))
    settings = SamplerSettings(n_chains=1, n_warmup=20, n_draws=20, init=init, n_anneal=5)
    chain = Chain(series, model, settings)
    for _ in run_chain(chain):
        pass
    chain.state.check_invariants()
    assert np.isfinite(chain.draws.log_joint).all()
    if not model.coupling:
        assert (chain.state.back == -1).all()
    if model.max_clusters:
        assert chain.draws.n_clusters.max() <= model.max_clusters
    if model.geometry == "isotropic":
        k = chain.state.n_clusters[0]
        assert np.array_equal(chain.state.A[0, :k, :k], chain.state.new_scale * np.eye(k))


def test_capacity_grows_when_clusters_do():
    series = small_series((60, 40))
    labels = [np.arange(60) % 15, np.arange(40) % 12]
    model = Hyperparameters(dof=6, df_A=200, xi=80.0)
    chain = Chain(series, model, SamplerSettings(n_chains=1, n_warmup=10, n_draws=5, init=labels))
    for _ in run_chain(chain):
        pass
    assert chain.state.capacity > 16
    chain.state.check_invariants()
