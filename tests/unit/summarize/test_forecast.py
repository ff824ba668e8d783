"""Forecasts of popularity are the urn of the model, and backtests say how well they did."""

from dataclasses import replace
from math import prod

import numpy as np
import pytest

from runs import MODEL, SETTINGS, TWO_EPOCHS, as_draws, small_series
from tetiwd import run_chains
from tetiwd.errors import SettingsError
from tetiwd.model.simulation import draw_partitions
from tetiwd.partitions import Partitions
from tetiwd.summarize.forecast import forecast
from tetiwd.summarize.point_estimate import representative


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


def test_others_matter_if_there_are_some_or_will_be():
    assert not forecast(as_draws(TWO_EPOCHS), TWO_EPOCHS).others_matter
    assert forecast(as_draws(TWO_EPOCHS), [TWO_EPOCHS[0], np.where(TWO_EPOCHS[1] == 0, 0, -1)]).others_matter
    split = [np.repeat([7, 5, 3], [6, 3, 1])]  # the clustering does not have the last of them
    assert forecast(as_draws(split), [np.repeat([0, 1], [6, 4])], xi=1.0).others_matter


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
