"""The credible ball is the smallest that holds enough draws, and its bounds are the draws at its edge."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import rng_for
from tetiwd.errors import DataError, SettingsError
from tetiwd.params import AnswerSettings
from tetiwd.partitions import Partitions, numbered
from tetiwd.summarize.clustering import as_clustering
from tetiwd.summarize.credible_ball import credible_ball
from tetiwd.summarize.losses import ARI, VI, Binder, losses_to_draws


def random_draws(seed, n_objects):
    """Noisy copies of a base, which comes with them; numbers of draws from one to thirty."""
    rng = rng_for(66, seed)
    base = [rng.integers(3, size=n) for n in n_objects]
    noise, n_draws = rng.uniform(0.05, 0.6), int(rng.integers(1, 31))
    drawn = [np.tile(own, (n_draws, 1)) for own in base]
    for own in drawn:
        other = rng.random(own.shape) < noise
        own[other] = rng.integers(4, size=other.sum())
    return Partitions.from_labels(drawn), base


def partition(labels):
    """Who is together with whom, at one epoch or all of them, as something to compare."""
    flat = np.asarray(labels).tolist()
    return frozenset(frozenset(i for i, own in enumerate(flat) if own == label) for label in flat)


def slow_distances(draws, centre, loss):
    """Epoch by epoch and draw by draw."""
    result = np.zeros(draws.n_draws)
    for t, own in enumerate(centre):
        for s, drawn in enumerate(draws.at(t)):
            distance = losses_to_draws(numbered(own[None])[0], numbered(drawn[None]), loss)[0]
            result[s] += distance * len(own) / sum(draws.n_objects)
    return result


def slow_ball(draws, distances, level):
    """Radius, draws inside, and the three bounds as sets of partitions, by their definitions."""
    needed = Fraction(str(level)) * draws.n_draws
    radius = min(r for r in distances if sum(distances <= r) >= needed)
    inside = [s for s in range(draws.n_draws) if distances[s] <= radius]
    counts = {s: sum(len(set(draws.at(t)[s].tolist())) for t in range(draws.n_epochs)) for s in inside}

    def farthest(rows):
        most = max(distances[s] for s in rows)
        return {partition(draws.labels[s]) for s in rows if distances[s] == most}

    fewest, most = min(counts.values()), max(counts.values())
    upper, lower = ([s for s in inside if counts[s] == own] for own in (fewest, most))
    return radius, inside, farthest(upper), farthest(lower), farthest(inside)


def agrees(found, draws, level):
    """The ball is what its definition says, for distances that are right."""
    radius, inside, *bounds = slow_ball(draws, found.distances, level)
    assert found.radius == radius
    assert np.flatnonzero(found.inside).tolist() == inside
    assert found.inside.mean() >= level - 1e-12
    for own, edge in zip((found.upper, found.lower, found.horizontal), bounds, strict=True):
        assert len(own) == len(edge)
        assert {partition(np.concatenate(bound.labels)) for bound in own} == edge
        for bound in own:
            assert bound.distance == found.distances[bound.draw]
            assert partition(np.concatenate(bound.labels)) == partition(draws.labels[bound.draw])


# Prices of pairs among 4 or 8 objects are dyadic fractions, so that equal distances are equal numbers.
seeds, levels = st.integers(0, 2**32 - 1), st.sampled_from([0.05, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99])


@given(seeds, levels, st.sampled_from([(8,), (4, 4), (8, 4, 4), (1,), (1, 1)]))
def test_balls_are_what_they_are_defined_to_be(seed, level, n_objects):
    draws, base = random_draws(seed, n_objects)
    found = credible_ball(draws, base, level=level, loss="binder")
    assert np.allclose(found.distances, slow_distances(draws, base, Binder()), rtol=0, atol=1e-12)
    agrees(found, draws, level)


@given(seeds, levels, st.sampled_from([0, 1, -1]))
def test_the_ball_of_one_epoch_knows_no_other(seed, level, t):
    draws, base = random_draws(seed, (4, 8))
    found = credible_ball(draws, base, t=t, level=level, loss="binder")
    agrees(found, Partitions.from_labels(draws.at(t)), level)
    assert all(len(bound.labels) == 1 for bound in (*found.upper, *found.lower, *found.horizontal))
    alone = credible_ball(Partitions.from_labels(draws.at(t)), [base[t]], level=level, loss="binder")
    assert np.array_equal(alone.distances, found.distances)
    assert repr(alone) == repr(found)


@pytest.mark.parametrize("loss", [VI(), Binder(3, 1), ARI()], ids=str)
def test_distances_are_losses_weighted_by_numbers_of_objects(loss):
    draws, base = random_draws(3, (7, 2, 5))
    found = credible_ball(draws, base, loss=loss)
    assert found.loss == loss.name
    assert np.allclose(found.distances, slow_distances(draws, base, loss), rtol=0, atol=1e-12)
    assert np.mean(found.distances) == pytest.approx(as_clustering(draws, base, loss).expected_loss, rel=1e-12)


def twenty():
    """Twenty draws of four objects: 12 as the centre, and at growing distance 4 split, 3 joined, 1 all apart."""
    rows = [[0, 0, 1, 1]] * 12 + [[0, 0, 1, 2]] * 4 + [[0, 0, 0, 0]] * 3 + [[0, 1, 2, 3]]
    return Partitions.from_labels(np.array(rows)), [[0, 0, 1, 1]]


@pytest.mark.parametrize(
    ("level", "radius", "upper", "lower", "horizontal"),
    [
        (0.6, 0.0, [2], [2], [2]),
        (0.61, 0.5, [2], [3], [3]),
        (0.8, 0.5, [2], [3], [3]),
        (0.95, 1.0, [1], [4], [1, 4]),  # two at the edge, as different as can be
    ],
)
def test_ball_by_hand(level, radius, upper, lower, horizontal):
    found = credible_ball(*twenty(), level=level)
    assert found.radius == radius
    assert [[bound.n_clusters[0] for bound in own] for own in (found.upper, found.lower, found.horizontal)] == [
        upper,
        lower,
        horizontal,
    ]
    assert found.level == level


def test_the_level_is_that_of_all_intervals_unless_told():
    found = credible_ball(*twenty())
    assert found.level == AnswerSettings().level == 0.9
    assert (found.radius, int(found.inside.sum())) == (1.0, 20)
    few = Partitions.from_labels(np.array([[0, 0, 1, 1]] * 9 + [[0, 1, 2, 3]]))
    assert credible_ball(few, [0, 0, 1, 1]).radius == 0.0


def test_ties_go_to_the_farthest_and_equal_partitions_count_once():
    rows = [[0, 0, 1, 1]] * 3 + [[5, 5, 5, 2]] * 2 + [[0, 1, 1, 1]] + [[2, 2, 2, 5]]
    found = credible_ball(Partitions.from_labels(np.array(rows)), [0, 0, 1, 1], level=0.99, loss="binder")
    assert [bound.labels[0].tolist() for bound in found.upper] == [[0, 0, 0, 1], [1, 0, 0, 0]]
    assert [bound.draw for bound in found.upper] == [3, 5]
    assert [bound.draw for bound in found.lower] == [3, 5]
    assert {bound.distance for bound in found.horizontal} == {found.radius}


def test_the_share_of_draws_is_not_rounded_up():
    """0.07 · 100 is a little more than 7 in floating point."""
    labels = np.tri(100, 100, -1, dtype=int)  # draw i has i objects apart from all the others
    found = credible_ball(Partitions.from_labels(labels), np.zeros(100, dtype=int), level=0.07)
    assert 0.07 * 100 > 7
    assert found.inside.sum() == 7


def test_labels_of_bounds_are_numbered_like_those_of_a_clustering():
    draws, base = random_draws(8, (6, 4))
    found = credible_ball(draws, base)
    for bound in (*found.upper, *found.lower, *found.horizontal):
        own = as_clustering(draws, bound.labels)
        assert all(np.array_equal(a, b) for a, b in zip(own.labels, bound.labels, strict=True))
        assert bound.n_clusters == own.n_clusters


def test_a_single_draw_is_the_ball():
    found = credible_ball(Partitions.from_labels([[[0, 1, 0]]]), [0, 0, 0])
    assert found.radius == found.distances[0] > 0
    assert found.upper[0].draw == found.lower[0].draw == found.horizontal[0].draw == 0


def test_clusterings_and_labels_are_both_centres():
    draws, base = random_draws(9, (6, 4))
    clustering = as_clustering(draws, base)
    for centre in (clustering, np.concatenate(base)):
        assert np.array_equal(credible_ball(draws, centre).distances, credible_ball(draws, base).distances)


def test_text():
    found = credible_ball(*twenty(), level=0.8)
    assert repr(found) == (
        "CredibleBall(80% within vi 0.5; upper Bound(2 clusters at distance 0), "
        "lower Bound(3 clusters at distance 0.5), horizontal Bound(3 clusters at distance 0.5))"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 0}, "level must lie between 0 and 1, not 0"),
        ({"level": 1.0}, "level must lie between 0 and 1"),
        ({"level": 95}, "level must lie between 0 and 1, not 95"),
        ({"level": np.nan}, "level must lie between 0 and 1"),
        ({"t": 1}, "there is no epoch 1"),
        ({"t": -2}, "there is no epoch -2"),
        ({"loss": "rand"}, "loss must be"),
    ],
    ids=str,
)
def test_nonsense_is_refused(options, message):
    with pytest.raises(SettingsError, match=message):
        credible_ball(*twenty(), **options)


def test_a_centre_of_other_objects_is_refused():
    with pytest.raises(DataError, match=r"labels has shape \(3,\)"):
        credible_ball(twenty()[0], [0, 0, 1])
    with pytest.raises(SettingsError, match="give a Sample or Partitions, not list"):
        credible_ball([[0, 0, 1]], [0, 0, 1])


def test_equal_partitions_are_all_in_the_ball_or_all_outside():
    """Four partitions, three times each under different names: VI differs in the last bits."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        base = rng.integers(12, size=80)
        four = np.where(rng.random((4, 80)) < 0.3, rng.integers(12, size=(4, 80)), base)
        draws = np.array([rng.permutation(12)[four[s % 4]] for s in range(12)])
        inside = credible_ball(Partitions.from_labels(draws), base, level=0.4).inside.reshape(3, 4)
        assert np.array_equal(inside.any(axis=0), inside.all(axis=0))


def test_a_small_level_is_a_small_ball():
    draws = Partitions.from_labels([[[0, 0, 0], [0, 0, 1], [0, 1, 2]]])
    assert credible_ball(draws, [0, 0, 0], level=1e-10).radius == 0


@pytest.mark.parametrize("level", ["much", None, 0, 1, 2, np.nan])
def test_levels_that_are_none_are_refused(level):
    with pytest.raises(SettingsError, match="level must lie between 0 and 1"):
        credible_ball(Partitions.from_labels([[[0]]]), [0], level=level)
