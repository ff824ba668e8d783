"""A run with new epochs: where chains begin, what stays, and that it is the posterior of all data."""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from reference import rng_for
from runs import digest
from tetiwd import DataError, DistanceSeries, Hyperparameters, SamplerSettings, SettingsError, extend, run_chains
from tetiwd.convergence import bulk_ess
from tetiwd.extending import ExtendedChain, epochs_at, nodes_at, prepare, spread_out, with_geometry
from tetiwd.model.designs import simulate_with_clusters

FULL = Hyperparameters(dof=6.0, geometry="full")
SHORT = SamplerSettings(n_chains=2, n_warmup=40, n_draws=40, geometry_every=5, anneal=None, seed=1)


def simulated(n_by_epoch, **options):
    h = Hyperparameters(dof=6, alpha=0.3, new_scale=1.0)
    D = simulate_with_clusters(n_by_epoch, 3, h, rng_for(23, 1)).D
    return DistanceSeries.from_distances(D, squared=True, **options)


def last_of(series, n=1):
    return DistanceSeries.from_distances(series.matrices[-n:], squared=True, times=series.times[-n:])


def in_a_plane(n_by_epoch):
    rng = rng_for(23, 2)
    time = np.repeat(np.arange(len(n_by_epoch)), n_by_epoch)
    X = rng.normal(size=(len(time), 3)) + 6 * (np.arange(len(time)) % 3)[:, None]
    return X, time


@pytest.fixture(scope="module")
def run():
    series = simulated([12, 13, 11, 12])
    return series, run_chains(series.until(3), FULL, SHORT)


def test_unit_model_and_numbers_of_the_earlier_run_stay(run):
    series, sample = run
    found = extend(sample, last_of(series))
    assert found.series.times == (0, 1, 2, 3)
    assert found.series.unit == sample.series.unit
    assert found.hyperparameters.dof == (6.0,) * 4
    assert found.hyperparameters.df_A == sample.hyperparameters.df_A
    assert "extends an earlier one by 3" in found.reasons[-1]
    assert all(len(draws) == SHORT.n_draws for draws in found.draws)


def test_every_start_and_every_step_to_another_draw_is_a_sound_state(run):
    series, sample = run
    extension = prepare(sample, last_of(series, 1))
    for index in range(3):  # more chains than before
        chain = extension.chain(index)
        chain.state.check_invariants()
        draws, known = extension.drawn(index), list(with_geometry(extension.drawn(index)))
        others = extension.visits(index)[len(known) :]
        for i in [*known[:3], *others[:3]]:
            state = epochs_at(extension, chain.state, draws, i)
            state.check_invariants()
            assert np.array_equal(np.concatenate(state.labels()[:3]), draws.labels[i])
            assert np.array_equal(state.z[3], chain.state.z[3])
            assert np.isclose(state.alpha * state.unit, draws.alpha[i])
            for t, A in enumerate(draws.geometry[known.index(i)] if i in known else ()):
                mine = state.geometry()[t] * state.unit
                assert np.allclose(mine, A)
            chain.state = state
            chain.step()


def test_every_draw_is_visited_once_in_passes_from_the_first_to_the_last(run):
    series, sample = run
    extension = prepare(sample, last_of(series, 1))
    draws, visits = extension.drawn(0), extension.visits(0)
    known = list(with_geometry(draws))
    assert len(known) < len(draws)
    assert sorted(visits[: len(known)]) == known
    assert sorted(visits) == list(range(len(draws)))
    held = prepare(sample, last_of(series, 1), hold_before=series.times[1])
    assert sorted(held.visits(0)) == known
    assert spread_out(1) == [0]
    order = spread_out(233)
    assert sorted(order) == list(range(233))
    assert order[:59] == list(range(0, 233, 4))


def test_the_same_seed_gives_the_same_draws_whatever_the_threads(run):
    series, sample = run
    found = [digest(extend(sample, last_of(series), n_threads=n)) for n in (1, 2)]
    assert found[0] == found[1]
    assert digest(extend(sample, last_of(series), replace(SHORT, seed=9))) != found[0]


def test_an_interrupted_extension_goes_on_as_if_nothing_had_happened(run, tmp_path):
    series, sample = run
    extension = prepare(sample, last_of(series))
    whole = run_chains(extension.series, extension.hyperparameters, extension.settings, begin=extension.chain)
    begun = replace(extension, settings=replace(extension.settings, n_draws=15))
    options = {"checkpoint": tmp_path / "c"}
    run_chains(begun.series, begun.hyperparameters, begun.settings, begin=begun.chain, **options)
    settings, h = extension.settings, extension.hyperparameters
    resumed = run_chains(extension.series, h, settings, begin=extension.chain, resume=True, **options)
    assert digest(resumed) == digest(whole)


def test_held_times_are_those_of_earlier_draws(run):
    series, sample = run
    found = extend(sample, last_of(series), hold_before=2)
    known = {tuple(draws.labels_at(t)[i]) for draws in sample.draws for i in draws.with_geometry for t in (0, 1)}
    for draws in found.draws:
        for t in (0, 1):
            assert {tuple(_numbered(row)) for row in draws.labels_at(t)} <= {tuple(_numbered(row)) for row in known}
    free = extend(sample, last_of(series))
    assert len({tuple(_numbered(row)) for row in free.draws[0].labels_at(0)}) > len(sample.draws[0].with_geometry)
    assert "approximation" in found.reasons[-1]


def _numbered(row):
    seen = {}
    return [seen.setdefault(int(label), len(seen)) for label in row]


def test_faults_say_what_to_do(run):
    series, sample = run
    with pytest.raises(SettingsError, match="is no time of these data"):
        extend(sample, last_of(series), hold_before="1999")
    with pytest.raises(SettingsError, match="earlier draws"):
        extend(sample, last_of(series), hold_before=1, refresh=False)


def test_moving_centres_need_distances_between_times():
    X, time = in_a_plane([9, 9, 9])
    whole = DistanceSeries.from_features(X, time=time)
    h = Hyperparameters(dof=3.0, geometry="moving")
    sample = run_chains(whole.until(2), h, SHORT)
    new = DistanceSeries.from_features(X[time == 2], time=time[time == 2])
    extension = prepare(sample, new)
    for index in range(2):
        chain = extension.chain(index)
        assert isinstance(chain, ExtendedChain)
        chain.state.check_invariants()
        draws, first = extension.drawn(index), extension.visits(index)[0]
        state = nodes_at(extension, chain.state, draws, first)
        state.check_invariants()
        assert np.array_equal(np.concatenate(state.labels()[:2]), draws.labels[first])
        assert np.isclose(state.alpha * state.unit, draws.alpha[first])
    found = extend(sample, new)
    assert found.series.cross.shape == (27, 27)
    bare = DistanceSeries.from_distances([whole.matrices[2]], squared=True, times=[2])
    with pytest.raises(DataError, match="give data that have the earlier times as well"):
        extend(sample, bare)
    with pytest.raises(SettingsError, match="paper's model"):
        extend(sample, new, hold_before=1)


@pytest.mark.slow
@pytest.mark.parametrize("refresh", [True, False])
def test_the_posterior_is_that_of_a_fit_of_all_data(refresh):
    series = simulated([14, 14, 14, 14, 14])
    settings = SamplerSettings(n_warmup=200, n_draws=2500, geometry_every=5, anneal=None, seed=3)
    sample = run_chains(series.until(4), FULL, settings)
    found = extend(sample, last_of(series), replace(settings, n_draws=1000), refresh=refresh)
    again = run_chains(found.series, found.hyperparameters, replace(settings, seed=4))
    z = scores(found, again)
    assert np.sqrt(np.mean(z**2)) < 1.35
    assert np.abs(z).max() < 4.5


def test_an_extension_agrees_with_a_fit_of_all_data_in_short():
    series = simulated([8, 8, 8])
    settings = SamplerSettings(n_chains=2, n_warmup=100, n_draws=400, geometry_every=2, anneal=None, seed=3)
    sample = run_chains(series.until(2), FULL, settings)
    found = extend(sample, last_of(series))
    again = run_chains(found.series, found.hyperparameters, replace(settings, seed=4))
    z = scores(found, again)
    assert np.sqrt(np.mean(z**2)) < 1.6
    assert np.abs(z).max() < 5


def scores(one, other):
    """Differences of means in standard errors: log joint, parameters, clusters and togetherness of some pairs."""
    values = []
    T = one.series.n_epochs
    functions = [lambda d: d.log_joint, lambda d: np.log(d.alpha), lambda d: np.log(d.new_scale)]
    functions += [lambda d, t=t: d.n_clusters[:, t].astype(float) for t in range(T)]
    for t in range(T):
        for i, j in ((0, 1), (2, 5), (3, 7)):
            functions.append(lambda d, t=t, i=i, j=j: (d.labels_at(t)[:, i] == d.labels_at(t)[:, j]).astype(float))
    for function in functions:
        drawn = [np.array([function(draws) for draws in sample.draws]) for sample in (one, other)]
        spread = np.concatenate([own.ravel() for own in drawn]).std()
        if min(own.std() for own in drawn) == 0:
            continue
        error = spread * sqrt(sum(1 / bulk_ess(own[None])[0] for own in drawn))
        values.append((drawn[0].mean() - drawn[1].mean()) / error)
    return np.array(values)
