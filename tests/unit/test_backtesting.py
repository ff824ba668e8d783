"""Forecasts of the past: their scores are probabilities, and refits see nothing of what they forecast."""

from dataclasses import replace
from math import exp, lgamma

import numpy as np
import pytest

from runs import MODEL, SETTINGS, TWO_EPOCHS, as_draws, small_series
from tetiwd import DistanceSeries, Gamma, run_chains
from tetiwd.backtesting import _names, backtest, fit_until, in_units
from tetiwd.errors import DataError, SettingsError
from tetiwd.model.simulation import draw_partitions, squared_distances
from tetiwd.summarize.clustering import as_clustering
from tetiwd.summarize.forecast import forecast
from tetiwd.summarize.point_estimate import representative


@pytest.fixture(scope="module")
def sample():
    return run_chains(small_series(), MODEL, replace(SETTINGS, anneal=None))


def test_intervals_cover_and_the_urn_beats_the_shares_of_last_time():
    """Series from the urn, with the truth as the only draw."""
    rng = np.random.default_rng(4)
    inside, gains = [], []
    for r in range(60):
        n, xi = rng.integers(100, 201, 4), rng.uniform(1, 3)
        labels = draw_partitions(n.tolist(), xi, None, rng)
        found = backtest(as_draws(labels, labels), labels, xi=xi, seed=r)
        inside += [case.inside for case in found.cases if case.before * n[case.epoch - 1] > 4.5]
        gains.append(found.log_score - found.log_score_same)
    assert len(inside) > 700
    assert 0.87 <= np.mean(inside) <= 0.95
    assert np.mean(gains) > 3 * np.std(gains) / np.sqrt(len(gains))


def test_log_scores_are_probabilities_of_the_sequence():
    """Two draws, two epochs: probabilities by multiplying the urn's steps; the clustering is one draw more."""
    other = [np.repeat([0, 1], [5, 2]), TWO_EPOCHS[1]]
    found = backtest(as_draws(TWO_EPOCHS, other), TWO_EPOCHS, xi=1.0)
    y = [6, 3, 0, 1]

    def chance(weights):
        steps = sum(lgamma(w + n) - lgamma(w) for w, n in zip(weights, y, strict=True) if n)
        return exp(steps + lgamma(8) - lgamma(18))

    mixture = np.mean([chance([4, 2, 1, 1]), chance([5, 2, 0, 1]), chance([4, 2, 1, 1])])
    assert found.log_score == pytest.approx(np.log(mixture) / 10)
    assert found.log_score_same == pytest.approx(np.log((4 / 8) ** 6 * (2 / 8) ** 3 * (1 / 8)) / 10)
    assert [case.cluster for case in found.cases] == [0, 1, 2]
    assert [case.observed for case in found.cases] == [0.6, 0.3, 0.0]


def test_what_no_draw_has_is_not_impossible():
    joined = [np.zeros(7, dtype=int), np.zeros(10, dtype=int)]
    found = backtest(as_draws(joined), TWO_EPOCHS, max_clusters=1)
    assert np.isfinite(found.log_score)
    assert found.coverage < 1


def test_scores_are_averaged_over_objects():
    labels = draw_partitions([10, 40, 5], 2.0, None, np.random.default_rng(2))
    found = backtest(as_draws(labels), labels, xi=2.0)
    assert found.n_next.tolist() == [40, 5]
    assert found.log_score == pytest.approx((found.scores * [40, 5]).sum() / 45)
    assert found.log_score_same == pytest.approx((found.scores_same * [40, 5]).sum() / 45)


def test_what_a_backtest_cannot_do_is_refused(sample):
    with pytest.raises(SettingsError, match="only one epoch"):
        backtest(as_draws(TWO_EPOCHS[:1]), TWO_EPOCHS[:1])
    with pytest.raises(SettingsError, match="give a Sample, not Partitions"):
        backtest(as_draws(TWO_EPOCHS), TWO_EPOCHS, refit=True)
    with pytest.raises(SettingsError, match="settings are for the runs of refit=True"):
        backtest(sample, settings=SETTINGS)
    with pytest.raises(SettingsError, match="a sample has its own xi"):
        forecast(sample, representative(sample), xi=1.0)
    uncoupled = replace(sample, hyperparameters=replace(MODEL, coupling=False))
    with pytest.raises(SettingsError, match="coupling=False"):
        forecast(uncoupled, representative(sample))


def test_a_run_from_data_to_backtest(sample):
    clustering = representative(sample)
    ahead = forecast(sample, clustering, n_next=30)
    assert ahead.lineages.tolist() == np.unique(clustering.labels[-1]).tolist()
    assert ahead.expected.sum() == pytest.approx(1)
    assert (ahead.counts.sum(axis=1) == 30).all()
    assert 20_000 <= len(ahead.counts) < 20_050
    seen, honest = backtest(sample), backtest(sample, refit=True)
    for found, end in ((seen, "draws have seen all epochs)"), (honest, "fitted again to the epochs before)")):
        assert repr(found).startswith(f"Backtest(90% intervals hold {found.coverage:.0%} of {len(found.cases)} obs")
        assert repr(found).endswith(end)
        table = found.table()
        assert np.array_equal(table["inside"], table["observed"].between(table["lower"], table["upper"]))
        assert found.coverage == table["inside"].mean()
        assert table["epoch"].unique().tolist() == [1, 2]
        for epoch, rows in table.groupby("epoch"):
            now, n = clustering.labels[epoch], len(clustering.labels[epoch])
            assert rows["cluster"].is_unique
            assert set(rows["cluster"]) <= set(clustering.labels[epoch - 1].tolist())
            assert np.allclose(rows["observed"], [(now == c).sum() / n for c in rows["cluster"]])
    assert seen.table().groupby("epoch").size().tolist() == clustering.n_clusters[:2]
    assert not np.array_equal(seen.scores, honest.scores)


def test_refits_see_the_first_epochs_alone(sample):
    """Every option of the run is cut to them, and scales keep their meaning."""
    model = replace(MODEL, dof=(6.0, 5.0, 7.0), alpha=0.5)
    labels = [np.arange(n) % 3 for n in sample.series.n_objects]
    whole = replace(sample, hyperparameters=model, settings=replace(SETTINGS, init=labels))
    early = fit_until(whole, 2, replace(SETTINGS, init=labels, n_draws=5), None)
    assert early.series.n_objects == (14, 11)
    assert early.hyperparameters.dof == (6.0, 5.0)
    assert early.draws[0].alpha == pytest.approx(0.5 * sample.series.unit)  # in the user's units
    assert [len(own) for own in early.settings.init] == [14, 11]
    assert len(early.draws[0]) == 5
    scaled = in_units(MODEL, 3.0)
    assert scaled.new_scale == Gamma(1.0, 3.0)
    assert scaled.xi == MODEL.xi


def test_clusters_of_a_refit_are_named_after_those_they_share_most_objects_with():
    own, truth = np.array([0, 0, 0, 0, 1, 1, 1, 2]), np.array([5, 5, 5, 3, 3, 3, 5, 5])
    assert _names(own, truth).tolist() == [5, 3, -1]


def test_clusters_without_a_name_are_everything_else(monkeypatch):
    """As if the refits had clusters 0, 1 and 2, of which the clustering knows 1 as 0, and 2 not at all."""
    draws = as_draws(TWO_EPOCHS)
    monkeypatch.setattr("tetiwd.backtesting.fit_until", lambda *_: draws)
    monkeypatch.setattr("tetiwd.backtesting.representative", lambda draws: as_clustering(draws, TWO_EPOCHS))
    monkeypatch.setattr("tetiwd.backtesting._names", lambda own, truth: np.array([-1, 0, -1]))

    class Whole:
        draws, series = [], None

    monkeypatch.setattr("tetiwd.backtesting.as_partitions", lambda _: draws)
    found = backtest(Whole(), TWO_EPOCHS, refit=True)
    chance = exp(lgamma(2 + 6) - lgamma(2) + lgamma(6 + 4) - lgamma(6) + lgamma(8) - lgamma(18))
    assert found.log_score == pytest.approx(np.log(chance) / 10)
    assert found.log_score_same == pytest.approx(np.log((2 / 8) ** 6 * (6 / 8) ** 4) / 10)
    assert [(case.cluster, case.before, case.observed) for case in found.cases] == [(0, 2 / 7, 0.6)]


def test_series_until_an_epoch():
    rng = np.random.default_rng(0)
    X, time = rng.standard_normal((12, 2)), np.repeat([2001, 2002, 2005], 4)
    ids = [f"object {i}" for i in range(12)]
    series = DistanceSeries.from_pooled(squared_distances(X), time=time, squared=True, ids=ids)
    cut = series.until(2)
    assert cut.times == (2001, 2002)
    assert cut.n_objects == (4, 4)
    assert [own.tolist() for own in cut.ids] == [ids[:4], ids[4:8]]
    assert np.array_equal(cut.cross, series.cross[:8, :8])
    assert np.shares_memory(cut.D[1], series.D[1])
    assert not cut.cross.flags.writeable
    assert series.until(3).n_epochs == series.n_epochs == 3
    plain = DistanceSeries.from_distances(series.D, squared=True).until(1)
    assert plain.ids is None
    assert plain.cross is None
    for nonsense in (0, 4, -1, 1.5, "two", True, None):
        with pytest.raises(DataError, match="the series has 3 epochs; keep between 1 and all of them, not"):
            series.until(nonsense)


@pytest.mark.parametrize("kappa", [0.2, 3.0])
def test_scores_of_forecasts_are_log_probabilities_for_any_kappa(kappa):
    series = small_series()
    sample = run_chains(series, replace(MODEL, kappa=kappa), SETTINGS)
    found = backtest(sample)
    assert found.log_score < 0
    assert np.all(np.asarray(found.scores) < 0)
