"""Short runs before a run: how long they are, that they are real, and that they find a sensible resolution."""

from dataclasses import replace

import numpy as np
import pytest

from reference import rng_for
from runs import small_series
from tetiwd import (
    DistanceSeries,
    Hyperparameters,
    MemoryLimitError,
    SamplerSettings,
    resolution_path,
    run_chains,
    simulate_independent,
    trials,
)
from tetiwd.trials import (
    FARTHEST,
    N_CHAINS,
    N_DRAWS,
    N_WARMUP,
    REACH,
    part_to_try,
    scaled,
    some_of,
    trial_settings,
    try_out,
)

QUICK = SamplerSettings(n_chains=3, n_warmup=15, n_draws=20)
FULL = Hyperparameters(geometry="full")


@pytest.fixture(scope="module")
def truth():
    return simulate_independent(5, n_by_epoch=(24, 20), n_clusters=3, n_dimensions=8, variance=0.02, step=0.3)


@pytest.fixture(scope="module")
def series(truth):
    return DistanceSeries.from_distances(truth.D, squared=True, cross=truth.cross)


def test_trials_are_brief_and_do_not_depend_on_the_number_of_draws():
    usual = trial_settings(SamplerSettings(thin=3, seed=7, n_aux=4))
    assert (usual.n_chains, usual.n_warmup, usual.n_draws, usual.thin) == (N_CHAINS, N_WARMUP, N_DRAWS, 1)
    assert (usual.seed, usual.n_aux) == (7, 4)
    short = trial_settings(replace(QUICK, n_uncoupled=15))
    assert (short.n_warmup, short.n_uncoupled, short.n_draws) == (15, 15, 22)
    assert trial_settings(QUICK) == trial_settings(replace(QUICK, n_draws=500))


def test_a_run_is_extended_whatever_it_has_chosen(series, tmp_path):
    short, long = (SamplerSettings(n_chains=2, n_warmup=10, n_draws=n, anneal=None) for n in (5, 30))
    first = run_chains(series, FULL, short, checkpoint=tmp_path)
    more = run_chains(series, FULL, long, checkpoint=tmp_path, resume=True)
    assert more.hyperparameters == first.hyperparameters
    assert np.array_equal(more.draws[0].labels[:5], first.draws[0].labels)


def test_the_part_that_is_tried_has_some_of_every_epoch_and_comes_from_the_seed(monkeypatch):
    rng = rng_for(40)
    X, time = rng.normal(size=(90, 2)), np.repeat([0, 1, 2], [60, 25, 5])
    series = DistanceSeries.from_features(X, time=time)
    assert part_to_try(series, 0) is None
    monkeypatch.setattr(trials, "MOST_TRIED", 89)
    monkeypatch.setattr(trials, "MOST_DRAWN", 41)
    part = part_to_try(series, 0)
    assert [len(rows) for rows in part.rows] == [18, 18, 5]  # as many as fit into 41, equally shared
    assert all(np.array_equal(rows, np.unique(rows)) for rows in part.rows)
    assert np.array_equal(part.places, np.concatenate([[0, 60, 85][t] + rows for t, rows in enumerate(part.rows)]))
    same, other = part_to_try(series, 0), part_to_try(series, 1)
    assert all(map(np.array_equal, part.rows, same.rows))
    assert not all(map(np.array_equal, part.rows, other.rows))
    monkeypatch.setattr(trials, "MOST_OF_AN_EPOCH", 12)
    assert [len(rows) for rows in part_to_try(series, 0).rows] == [12, 12, 5]


def test_a_part_starts_from_its_own_labels(series, monkeypatch):
    monkeypatch.setattr(trials, "MOST_TRIED", 20)
    monkeypatch.setattr(trials, "MOST_DRAWN", 20)
    labels = [np.arange(n) % 3 for n in series.n_objects]
    path = resolution_path(series, FULL, replace(QUICK, init=labels))
    assert path.table().notna().drop(columns=["stability", "like_next"]).all(axis=None)


def test_settings_of_moving_centres_make_a_path_of_them(series):
    path = resolution_path(series, Hyperparameters(delta=0.5), QUICK)
    same = resolution_path(series, Hyperparameters(geometry="moving", delta=0.5), QUICK)
    assert path.table().equals(same.table())


def test_df_A_follows_the_degrees_of_freedom_unless_it_was_given():
    assert Hyperparameters(dof=500.0).with_dof((4.0,)).df_A == Hyperparameters(dof=4.0).df_A
    assert Hyperparameters(dof=500.0, df_A=70.0).with_dof((4.0,)).df_A == 70.0


def test_labels_to_start_from_are_cut_for_some_of_the_objects(series, truth):
    settings = replace(QUICK, init=list(truth.labels))
    path = resolution_path(series, FULL, settings, subsample=True)
    assert np.isfinite(path.table().stability).all()


def test_a_path_finds_clear_clusters_and_is_the_same_for_any_number_of_threads(series, truth):
    one, two = (resolution_path(series, FULL, QUICK, n_threads=n) for n in (1, 3))
    assert one.table().equals(two.table())
    assert one.best.likeness(replace(one.best, labels=tuple(truth.labels))) > 0.9
    assert one.informative


def test_half_and_double_of_the_best_are_tried(series):
    path = resolution_path(series, FULL, QUICK)
    dof = path.table().dof.to_numpy()
    assert (np.diff(dof) > 0).all()
    usual = series.dof()[0]
    assert path.steps[path.usual].dof[0] == pytest.approx(usual)
    at = path.chosen - path.usual  # steps from the estimate
    for away in (-REACH, REACH):
        assert abs(at + away) > FARTHEST or np.isclose(dof, usual * 2 ** ((at + away) / 2)).any()


def test_one_step_is_a_factor_of_the_root_of_two():
    assert scaled((2.0, 6.0), 1) == pytest.approx((2 * 2**0.5, 6 * 2**0.5))
    assert scaled((2.0,), -2) == (1.0,)


def test_draws_without_anything_in_common_are_one_cluster(series):
    noise = np.random.default_rng(0).standard_normal((40, 30))
    path = resolution_path(DistanceSeries.from_features(noise, time=np.repeat([0, 1], 20)), FULL, QUICK)
    coarsest = path.steps[0]
    assert coarsest.n_clusters == 1
    assert coarsest.merit.product == 0


def test_stability_compares_with_some_of_the_objects(series):
    path = resolution_path(series, FULL, QUICK, subsample=True)
    assert path.best.stability > 0.9
    assert np.isfinite(path.table().stability).all()


def test_a_restricted_series_has_the_distances_of_its_objects(series):
    rows = [np.array([0, 3, 5]), np.array([1, 2])]
    some = series.restricted(rows)
    assert some.n_objects == (3, 2)
    assert np.array_equal(some.matrices[0], series.matrices[0][np.ix_(rows[0], rows[0])])
    places = np.array([0, 3, 5, 25, 26])
    assert np.array_equal(some.cross, series.cross[np.ix_(places, places)])


def test_ctrl_c_ends_trials(series, monkeypatch):
    from tetiwd import trials

    def interrupted(work, jobs, n_threads, report, stop):
        stop.set()
        return [work(job) for job in jobs]

    monkeypatch.setattr(trials, "in_threads", interrupted)
    with pytest.raises(KeyboardInterrupt):
        try_out(series, [replace(FULL, dof=6.0)], QUICK, 1)


@pytest.mark.parametrize("seed", range(4))
def test_subsamples_of_very_many_duplicates_hold_objects_that_differ(seed):
    D = np.zeros((30, 30))
    D[0, 1:] = D[1:, 0] = 1.0
    rows = some_of(D, round(0.8 * len(D)), np.random.default_rng(seed))
    assert len(set(rows.tolist())) == 24
    assert D[np.ix_(rows, rows)].any()
    series = DistanceSeries.from_distances([D], squared=True)
    path = resolution_path(series, None, SamplerSettings(n_warmup=3, seed=seed), subsample=True, n_threads=1)
    assert all(np.isfinite(step.stability) for step in path.steps)


def test_trials_that_memory_cannot_hold_are_refused(monkeypatch):
    monkeypatch.setattr("tetiwd.memory.available_memory", lambda: (100, "says the test"))
    with pytest.raises(MemoryLimitError, match=r"^trying models with 10 chains of 75 draws .*; give a number with dof"):
        resolution_path(small_series(), None, SamplerSettings())
