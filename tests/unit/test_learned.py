"""Numbers of the paper's model that are fixed unless they have a prior: how they are run, recorded and stored."""

from dataclasses import replace

import numpy as np
import pytest

from runs import MODEL, SETTINGS, digest, small_series
from tetiwd import DistanceSeries, Gamma, classify, forecast, load_run, run_chains
from tetiwd.errors import DataError
from tetiwd.io.posterior import from_datatree, to_datatree
from tetiwd.io.settings import RunSettings
from tetiwd.sampler import Chain
from tetiwd.summarize.point_estimate import representative
from tetiwd.workflow import fit_into

LEARNED = replace(MODEL, kappa=Gamma(2, 0.5), df_A=Gamma(2, 10), tau=Gamma(2, 0.3))


@pytest.fixture(scope="module")
def sample():
    return run_chains(small_series(), LEARNED, SETTINGS)


def test_they_are_recorded_and_stored(sample):
    draws = sample.draws[0]
    for name in LEARNED.learned:
        assert len(np.unique(draws.array(name))) > 5
        assert name in {q.name for q in sample.diagnostics.quantities}
    assert draws.array("scale_acceptance").shape == (25, len(LEARNED.scale_moves))
    again = from_datatree(to_datatree(sample), sample.series, LEARNED, SETTINGS)
    assert digest(again) == digest(sample)


def test_draws_do_not_depend_on_how_they_are_run(sample, tmp_path):
    run_chains(small_series(), LEARNED, replace(SETTINGS, n_draws=10), checkpoint=tmp_path)
    resumed = run_chains(small_series(), LEARNED, SETTINGS, checkpoint=tmp_path, resume=True)
    assert digest(resumed) == digest(sample)


def test_fixed_numbers_are_neither_recorded_nor_moved():
    assert MODEL.learned == ()
    assert not set(LEARNED.learned) & set(MODEL.scale_moves)
    sample = run_chains(small_series(), replace(MODEL, kappa=0.3), SETTINGS)
    assert "kappa" not in sample.draws[0].axes
    assert digest(sample) != digest(run_chains(small_series(), MODEL, SETTINGS))


def test_without_links_nothing_depends_on_kappa():
    h = replace(MODEL, kappa=LEARNED.kappa, coupling=False)
    chain = Chain(small_series(), h, SETTINGS)
    while not chain.finished:
        chain.step()
    assert set(chain.draws.array("kappa")) == {LEARNED.kappa.mean}
    fixed = Chain(small_series(), replace(MODEL, coupling=False), SETTINGS)
    while not fixed.finished:
        fixed.step()
    assert np.array_equal(chain.draws.labels, fixed.draws.labels)


def test_older_checkpoints_have_fewer_scales():
    chain = Chain(small_series(), MODEL, SETTINGS)
    arrays = chain.state.to_arrays()
    arrays["scales"] = np.array([0.5, 2.0, 3.0])
    chain.state.restore(arrays)
    assert (chain.state.alpha, chain.state.xi, chain.state.new_scale, chain.state.kappa) == (0.5, 2.0, 3.0, 1.0)


def test_forecasts_take_kappa_of_every_draw(sample):
    clustering = representative(sample)
    found = forecast(sample, clustering)
    n = sample.series.n_objects[-1]
    kappa = np.concatenate([draws.array("kappa") for draws in sample.draws])
    xi = np.concatenate([draws.xi for draws in sample.draws])
    assert np.allclose(found.weights.sum(axis=1), kappa * (xi + n))


def test_a_run_folder_keeps_them(tmp_path):
    settings = replace(SETTINGS, n_draws=4, anneal=None)
    fit_into(tmp_path / "run", small_series(), RunSettings(model=LEARNED, sampler=settings))
    kept = load_run(tmp_path / "run").sample
    assert all(getattr(kept.hyperparameters, name) == getattr(LEARNED, name) for name in LEARNED.learned)
    assert kept.draws[0].array("df_A").shape == (4,)
    assert kept.draws[0].array("log_spreads").shape == (4, sum(small_series().n_objects))


def test_a_start_with_many_clusters_has_room():
    labels = [np.arange(n) // 2 for n in small_series().n_objects]
    h = replace(MODEL, df_A=Gamma(2, 1.0))
    chain = Chain(small_series(), h, replace(SETTINGS, init=labels))
    assert chain.state.df_A > max(chain.state.n_clusters) - 1
    chain.step()
    assert np.isfinite(chain.last_log_joint)


def test_a_df_A_that_is_learned_has_no_meaning_without_its_wishart_process():
    h = replace(LEARNED, geometry="isotropic")
    assert h.learned == ("kappa", "tau")
    sample = run_chains(small_series(), h, replace(SETTINGS, n_draws=4, anneal=None))
    assert "df_A" not in sample.draws[0].axes


def test_spreads_are_recorded_by_object_and_equal_within_clusters(sample):
    draws, n = sample.draws[0], sample.series.n_objects[0]
    own, labels = draws.array("log_spreads")[:, :n], draws.labels_at(0)
    assert len(np.unique(own)) > 5
    assert np.abs(own).max() <= 1000 * np.log(3)
    for x, z in zip(own, labels, strict=True):
        assert all(len(np.unique(x[z == c])) == 1 for c in np.unique(z))


@pytest.mark.parametrize("geometry", ["full", "isotropic"])
def test_spreads_of_a_fixed_tau_are_recorded_and_tau_is_not(geometry):
    h = replace(MODEL, tau=0.5, geometry=geometry)
    assert {"spreads", "level"} <= set(h.scale_moves)
    assert not {"tau", "widen"} & set(h.scale_moves)
    sample = run_chains(small_series(), h, SETTINGS)
    assert "tau" not in sample.draws[0].axes
    assert len(np.unique(sample.draws[0].array("log_spreads"))) > 5


def test_equal_spreads_are_the_default_and_make_the_same_draws():
    sample = run_chains(small_series(), replace(MODEL, tau=0.0), SETTINGS)
    assert "log_spreads" not in sample.draws[0].axes
    assert digest(sample) == digest(run_chains(small_series(), MODEL, SETTINGS))


def test_checkpoints_from_before_there_were_spreads():
    chain = Chain(small_series(), MODEL, SETTINGS)
    chain.step()
    arrays = chain.state.to_arrays()
    del arrays["spreads"]
    chain.state.restore(arrays)
    assert (chain.state.spreads == 1).all()
    chain.step()
    chain.state.check_invariants()


def test_similarities_have_no_spreads_of_their_own():
    rng = np.random.default_rng(0)
    X = [rng.standard_normal((n, 4)) for n in (8, 9)]
    series = DistanceSeries.from_similarities([x @ x.T for x in X])
    with pytest.raises(DataError, match="spreads of their own need distances"):
        run_chains(series, replace(MODEL, tau=0.5), SETTINGS)


def test_new_objects_meet_spreads(sample):
    found = classify(sample, representative(sample), sample.series.matrices[-1][:2], squared=True)
    assert np.allclose(found.probabilities.sum(axis=1) + found.none, 1)
