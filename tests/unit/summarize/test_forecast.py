"""Forecasts of popularity are the urn of the model, and backtests say how well they did."""

from dataclasses import replace
from math import exp, lgamma, prod

import numpy as np
import pytest

from runs import MODEL, SETTINGS, small_series
from tetiwd import DistanceSeries, Gamma, run_chains
from tetiwd.backtesting import _names, backtest, fit_until, in_units
from tetiwd.errors import DataError, SettingsError
from tetiwd.model.simulation import draw_partitions, squared_distances
from tetiwd.partitions import Partitions
from tetiwd.summarize.clustering import as_clustering
from tetiwd.summarize.forecast import forecast
from tetiwd.summarize.point_estimate import representative

TWO_EPOCHS = [np.repeat([0, 1, 2], [4, 2, 1]), np.repeat([0, 1, 3], [6, 3, 1])]


def as_draws(*partitions):
    """Every argument is one draw: labels per epoch."""
    return Partitions.from_labels([np.array(own) for own in zip(*partitions, strict=True)])


@pytest.fixture(scope="module")
def sample():
    return run_chains(small_series(), MODEL, replace(SETTINGS, anneal=None))


@pytest.mark.parametrize("xi", [0.3, 2.0])
def test_expected_shares_and_empty_groups_follow_the_formulas(xi):
    found = forecast(as_draws(TWO_EPOCHS), TWO_EPOCHS, xi=xi, n_next=4)
    assert found.groups == [0, 1, 3, "other", "new"]
    weights = np.array([6, 3, 1, 0, xi])
    assert np.allclose(found.expected, weights / (10 + xi))
    nobody = [prod((10 + xi - w + i) / (10 + xi + i) for i in range(4)) for w in weights]
    assert np.allclose(found.nobody, nobody)
    assert found.new_cluster == pytest.approx(1 - prod((10 + i) / (10 + xi + i) for i in range(4)))


def test_truncation_shares_the_rate_among_all_labels():
    found = forecast(as_draws(TWO_EPOCHS), TWO_EPOCHS, xi=1.0, max_clusters=5, n_next=3)
    assert np.allclose(found.expected, np.array([6.2, 3.2, 1.2, 0, 0.4]) / 11)
    full = forecast(as_draws(TWO_EPOCHS), TWO_EPOCHS, xi=1.0, max_clusters=3)
    assert full.new_cluster == 0
    assert not full.counts[:, -1].any()
    assert full.expected.sum() == pytest.approx(1)


def test_draws_are_averaged_and_clusters_unknown_to_the_clustering_are_other():
    clustering = [np.repeat([0, 1], [6, 4])]
    split = [np.repeat([7, 5, 3], [6, 3, 1])]  # the last object is a cluster of its own
    joined = [np.zeros(10, dtype=int)]  # cluster 1 is not there
    xi = np.array([1.0, 3.0])
    found = forecast(as_draws(split, joined), clustering, xi=xi)
    by_draw = [np.array([6, 3, 1, 1]) / 11, np.array([10, 0, 0, 3]) / 13]
    assert np.allclose(found.expected, np.mean(by_draw, axis=0))
    truncated = forecast(as_draws(split, joined), clustering, xi=xi, max_clusters=4)
    by_draw = [np.array([6.25, 3.25, 1.25, 0.25]) / 11, np.array([10.75, 0, 0, 2.25]) / 13]
    assert np.allclose(truncated.expected, np.mean(by_draw, axis=0))
    half = len(found.counts) // 2
    assert not found.counts[half:, 1:3].any()
    assert found.counts[:half, 2].any()


@pytest.mark.parametrize("max_clusters", [None, 5, 3])
def test_counts_agree_with_the_urn_of_the_simulation(max_clusters, monkeypatch):
    """The simulation is started from the same sizes, by making its first epoch come out as given."""
    sizes, n_next, xi, R = (6, 3, 1), 8, 1.5, 4000
    first = np.repeat(np.arange(3), sizes)
    rng = np.random.default_rng(0)
    from tetiwd.model import simulation

    pick = simulation._pick
    given: list[int] = []
    monkeypatch.setattr(simulation, "_pick", lambda weights, rng: given.pop() if given else pick(weights, rng))
    urn = np.zeros((R, 4), dtype=int)
    for r in range(R):
        given[:] = first[::-1].tolist()  # popped from the end; a new lineage is the next number
        before, now = draw_partitions([10, n_next], xi, max_clusters, rng)
        assert np.array_equal(before, first)
        urn[r] = np.bincount(np.minimum(now, 3), minlength=4)
    found = forecast(as_draws([first]), [first], xi=xi, max_clusters=max_clusters, n_next=n_next)
    counts = found.counts[:, [0, 1, 2, 4]]
    assert not found.counts[:, 3].any()
    assert (found.counts.sum(axis=1) == n_next).all()
    for powers in np.vstack([np.eye(4, dtype=int), 2 * np.eye(4, dtype=int), [[1, 1, 0, 0], [0, 1, 0, 1]]]):
        ours, theirs = ((x**powers).prod(axis=1) for x in (counts, urn))
        error = np.sqrt(ours.var() / len(ours) + theirs.var() / R)
        assert abs(ours.mean() - theirs.mean()) <= 4 * error, powers
    for c in range(4):  # whole distributions
        a, b = (np.bincount(x[:, c], minlength=n_next + 1) for x in (counts, urn))
        mean = (a + b) / (len(counts) + R)
        seen = mean > 0.002
        chi2 = sum(((x - mean * x.sum())[seen] ** 2 / (mean * x.sum())[seen]).sum() for x in (a, b))
        assert chi2 < 35, c  # 8 degrees of freedom: probability 3e-5
    assert abs(found.nobody[-1] - (urn[:, 3] == 0).mean()) <= 4 * np.sqrt(0.25 / R)
    assert np.allclose(found.nobody, (found.counts == 0).mean(axis=0), atol=4 * np.sqrt(0.25 / len(counts)))
    assert np.allclose(found.expected, found.counts.mean(axis=0) / n_next, atol=0.01)


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


def test_level_changes_the_intervals():
    labels = [np.repeat(np.arange(3), [50, 30, 20])]
    narrow, wide = (forecast(as_draws(labels), labels, level=level) for level in (0.5, 0.95))
    for found in (narrow, wide):
        lower, median, upper = found.quantiles
        shares = found.counts / 100
        held = ((shares >= lower) & (shares <= upper)).mean(axis=0)
        assert (held >= found.level).all()
        assert (held[:3] <= found.level + 0.1).all()
        assert ((lower <= median) & (median <= upper)).all()
    assert (np.ptp(narrow.quantiles[[0, 2], :3], axis=0) < np.ptp(wide.quantiles[[0, 2], :3], axis=0)).all()


def test_one_object_next_and_one_object_now():
    found = forecast(as_draws(TWO_EPOCHS), TWO_EPOCHS, n_next=1)
    assert set(np.unique(found.counts)) == {0, 1}
    assert np.allclose(found.nobody, 1 - found.expected)
    alone = forecast(as_draws([[0]]), [[0]], xi=0.5)
    assert alone.n_next == 1
    assert np.allclose(alone.expected, [2 / 3, 0, 1 / 3])


def test_any_epoch_can_be_the_known_one():
    draws = as_draws(TWO_EPOCHS)
    first = forecast(draws, TWO_EPOCHS, at=0)
    assert first.lineages.tolist() == [0, 1, 2]
    assert first.n_next == 7
    assert np.array_equal(forecast(draws, TWO_EPOCHS, at=-2).counts, first.counts)
    assert not np.array_equal(forecast(draws, TWO_EPOCHS, at=0, seed=1).counts, first.counts)


def test_every_draw_keeps_its_own_rate_when_draws_are_thinned(sample):
    """Draw i has one cluster of i + 1 objects, another of all the rest, and rate i + 1."""
    labels = np.tri(30, dtype=int)
    found = forecast(Partitions.from_labels(labels), np.zeros(30, dtype=int), xi=1.0 + np.arange(30), max_draws=7)
    assert len(found.weights) == 7
    assert all(own[-1] in own[:2] for own in found.weights)
    assert found.weights[[0, -1], -1].tolist() == [1, 30]
    together = sample.partitions
    rates = np.concatenate([own.xi for own in sample.draws])
    for max_draws in (1000, 13):
        own = forecast(sample, representative(sample), max_draws=max_draws)
        again = forecast(together, representative(sample), xi=rates, max_draws=max_draws)
        assert np.array_equal(own.weights, again.weights)
        assert len(own.weights) == min(50, max_draws)
    assert np.allclose(own.weights.sum(axis=1), 12 + rates[np.linspace(0, 49, 13).round().astype(int)])


def test_table_and_text():
    found = forecast(as_draws(TWO_EPOCHS), TWO_EPOCHS, n_next=20)
    table = found.table()
    assert list(table) == ["cluster", "now", "expected", "median", "lower", "upper", "nobody"]
    assert table["cluster"].tolist() == [0, 1, 3, "other", "new"]
    assert np.allclose(table["now"], [0.6, 0.3, 0.1, 0, 0])
    text = repr(found)
    assert text.startswith("Forecast(20 objects after epoch 1, 90% intervals; cluster 0: 54.5% (")
    assert "new: 9.1%" in text
    assert text.endswith("a new cluster appears with probability 0.67)")
    assert "4 more" in repr(forecast(as_draws([np.arange(10)]), [np.arange(10)]))


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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 0}, "level must"),
        ({"level": 1.0}, "level must lie between 0 and 1"),
        ({"level": "much"}, "level must"),
        ({"n_next": 0}, "n_next must be a whole number of at least 1"),
        ({"n_next": 2.5}, "n_next must be a whole number of at least 1"),
        ({"at": 2}, "there is no epoch 2"),
        ({"at": -3}, "there is no epoch -3"),
        ({"xi": 0}, "xi must be a positive finite number"),
        ({"xi": [1.0, 2.0]}, "xi must be one number or one for each of the 1 draws"),
        ({"xi": "some"}, "xi must be one number"),
        ({"max_clusters": 0}, "max_clusters must be a whole number"),
        ({"max_clusters": 2}, "a draw has 3 clusters at epoch 1, more than max_clusters = 2"),
        ({"max_draws": 0}, "number of draws must be"),
    ],
    ids=str,
)
def test_nonsense_is_refused(options, message):
    with pytest.raises(SettingsError, match=message):
        forecast(as_draws(TWO_EPOCHS), TWO_EPOCHS, **options)


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
