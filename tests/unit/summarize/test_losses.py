"""Distances between partitions are what they are defined to be."""

import warnings
from itertools import combinations
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from reference import random_labels, rng_for
from tetiwd import params, representative
from tetiwd.errors import SettingsError
from tetiwd.partitions import Partitions, numbered
from tetiwd.summarize import losses
from tetiwd.summarize.losses import ARI, VI, Binder, Sure, as_loss, losses_to_draws

ALL = [VI(), Binder(), Binder(join=2.0, split=0.3), ARI()]
close = {"rel": 0, "abs": 1e-12}  # a few dozen terms of order one


class Three:
    """Three partitions of the same objects, from all together to all apart."""

    def __init__(self, seed: int, n: int) -> None:
        self.rng, self.n = rng_for(63, seed, n), n
        self.a, self.b, self.c = (random_labels(self.rng, n, int(self.rng.integers(1, n + 1))) for _ in range(3))


cases = st.builds(Three, seed=st.integers(0, 2**32 - 1), n=st.integers(1, 25))


def loss_of(a, b, loss):
    """Loss of partition a where b is the truth."""
    return losses_to_draws(numbered(np.array([a]))[0], numbered(np.array([b])), loss)[0]


def conditional_entropy(a, b):
    """Bits that a tells who knows b: mean of −log₂ P(cluster in a | cluster in b) over objects."""
    a, b = np.asarray(a), np.asarray(b)
    return float(np.mean([-log2(np.mean(a[b == mine] == own)) for own, mine in zip(a, b, strict=True)]))


def binder(a, b, join, split):
    """Pairs wrongly together and wrongly apart, one by one."""
    wrong = {True: 0, False: 0}
    for i, j in combinations(range(len(a)), 2):
        if (a[i] == a[j]) != (b[i] == b[j]):
            wrong[bool(a[i] == a[j])] += 1
    return 2 * (join * wrong[True] + split * wrong[False]) / len(a) ** 2


def rand_index(a, b):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # many clusters of few objects look like regression to it
        return adjusted_rand_score(b, a)


@pytest.mark.parametrize(
    ("a", "b", "bits"),
    [
        ([0, 0, 1, 1], [0, 0, 0, 0], 1.0),  # which half: one bit
        ([0, 0, 1, 1], [0, 1, 0, 1], 2.0),  # one tells nothing of the other
        ([0, 0, 1, 1], [1, 1, 0, 0], 0.0),
        ([0, 0, 1], [0, 1, 1], 4 / 3),  # in a cluster of two, one bit is open: both ways
        ([0, 1, 2, 3, 4, 5, 6, 7], [0] * 8, 3.0),
        ([0, 0, 0, 1], [0, 0, 0, 0], 2 - 0.75 * log2(3)),
    ],
)
def test_variation_of_information_by_hand(a, b, bits):
    assert loss_of(a, b, VI()) == pytest.approx(bits, **close)


@given(cases)
def test_variation_of_information_is_what_each_tells_beyond_the_other(case):
    entropies = conditional_entropy(case.a, case.b) + conditional_entropy(case.b, case.a)
    assert loss_of(case.a, case.b, VI()) == pytest.approx(entropies, **close)


@given(cases, st.sampled_from([(1.0, 1.0), (2.0, 0.3), (0.1, 5.0)]))
def test_binder_counts_pairs(case, prices):
    assert loss_of(case.a, case.b, Binder(*prices)) == pytest.approx(binder(case.a, case.b, *prices), **close)


@given(cases)
def test_rand_index_agrees_with_scikit_learn(case):
    assert loss_of(case.a, case.b, ARI()) == pytest.approx(1 - rand_index(case.a, case.b), **close)


@given(cases, st.sampled_from([VI(), Binder()]))
def test_metrics_obey_the_triangle_inequality(case, loss):
    direct = loss_of(case.a, case.c, loss)
    assert direct <= loss_of(case.a, case.b, loss) + loss_of(case.b, case.c, loss) + 1e-12


@given(cases, st.sampled_from(ALL))
def test_the_other_way_round_prices_change_places(case, loss):
    other = Binder(join=loss.split, split=loss.join) if isinstance(loss, Binder) else loss
    assert loss_of(case.a, case.b, loss) == pytest.approx(loss_of(case.b, case.a, other), **close)


@given(cases, st.sampled_from(ALL))
def test_names_and_order_mean_nothing_and_only_the_same_is_the_same(case, loss):
    renamed, order = case.rng.permutation(case.n)[case.a], case.rng.permutation(case.n)
    assert loss_of(case.a, renamed, loss) == pytest.approx(0, **close)
    assert loss_of(case.a[order], case.b[order], loss) == pytest.approx(loss_of(case.a, case.b, loss), **close)
    same = all((case.a[i] == case.a[j]) == (case.b[i] == case.b[j]) for i, j in combinations(range(case.n), 2))
    assert (loss_of(case.a, case.b, loss) < 1e-6) == same  # the least of all is more than 0.3 · 2 / 25²


@given(cases)
def test_variation_of_information_is_never_negative_nor_more_than_all_there_is_to_know(case):
    assert 0 <= loss_of(case.a, case.b, VI()) <= log2(case.n) + 1e-12


@pytest.mark.parametrize("n", [2, 3, 10, 1000])
def test_all_together_and_all_apart(n):
    together, apart = np.zeros(n, dtype=int), np.arange(n)
    assert loss_of(together, apart, VI()) == pytest.approx(log2(n), **close)
    assert loss_of(together, apart, Binder(2.0, 3.0)) == pytest.approx(2.0 * (1 - 1 / n), **close)
    assert loss_of(apart, together, Binder(2.0, 3.0)) == pytest.approx(3.0 * (1 - 1 / n), **close)
    assert loss_of(apart, together, ARI()) == pytest.approx(1, **close)
    for loss in ALL:
        assert loss_of(together, together, loss) == 0
        assert loss_of(apart, apart, loss) == 0


@pytest.mark.parametrize("loss", ALL, ids=str)
def test_there_is_one_partition_of_one_object(loss):
    assert loss_of([0], [3], loss) == 0


def test_nearly_all_apart_is_not_all_apart():
    """The denominator of the index is half a pair then, however many objects there are."""
    n = 2000
    apart, pair = np.arange(n), np.maximum(np.arange(n) - 1, 0)
    assert loss_of(apart, pair, ARI()) == pytest.approx(1, **close)
    assert loss_of(pair, pair, ARI()) == pytest.approx(0, abs=1e-9)  # differences of numbers of pairs


@pytest.mark.parametrize("loss", ALL, ids=str)
@pytest.mark.parametrize("cells", [1, 40, 65, 1000])
def test_blocks_of_draws_equal_draws_one_at_a_time(loss, cells, monkeypatch):
    rng = rng_for(64)
    draws = numbered(np.array([random_labels(rng, 20, int(k)) for k in rng.integers(1, 21, size=33)]))
    labels = random_labels(rng, 20, 5)
    one_by_one = [loss_of(labels, draw, loss) for draw in draws]
    monkeypatch.setattr(losses, "CELLS_AT_ONCE", cells)
    assert np.allclose(losses_to_draws(labels, draws, loss), one_by_one, rtol=0, atol=1e-12)


@given(cases, st.sampled_from([VI(), Binder(), Binder(2.0, 0.3)]))
def test_tables_say_what_one_more_object_changes(case, loss):
    """Objects come one by one; what their prices add up to, and what the truth has by itself, is the loss."""
    grow, meet = loss.tables(case.n)
    price = 0.0
    for i in range(case.n):
        mine, theirs = case.a[:i] == case.a[i], case.b[:i] == case.b[i]
        price += grow[mine.sum()] - meet[(mine & theirs).sum()]
    none, theirs = np.zeros(1), loss.f(np.bincount(case.b)).sum()
    alone = (theirs / case.n) if isinstance(loss, VI) else loss.of_sizes(none, none + theirs, none, case.n)[0]
    assert price + alone == pytest.approx(loss_of(case.a, case.b, loss), **close)


def test_losses_by_name():
    assert as_loss("auto") == Sure()
    assert as_loss("vi") == VI() != Sure()
    assert as_loss("binder") == Binder(1.0, 1.0)
    assert as_loss("ari") == ARI()
    weighted = Binder(join=2)
    assert as_loss(weighted) is weighted


@pytest.mark.parametrize("loss", ["VI", "rand", None, 3, VI], ids=str)
def test_unknown_losses_are_refused(loss):
    with pytest.raises(SettingsError, match='loss must be "auto", "vi", "binder", "ari", or Binder'):
        as_loss(loss)


@pytest.mark.parametrize("price", [0, -1.0, np.inf, np.nan, True, "much"])
def test_prices_are_positive(price):
    with pytest.raises(SettingsError, match="join must be a positive finite number"):
        Binder(join=price)
    with pytest.raises(SettingsError, match="split must be a positive finite number"):
        Binder(split=price)


class SquareRoot:
    """A toy: Σ √n_g + Σ √n_h − 2 Σ √n_gh has no meaning, but all that a loss needs."""

    name = "square root"

    def f(self, sizes):
        return np.sqrt(sizes)

    def tables(self, n):
        grow = -np.diff(np.sqrt(np.arange(n + 2)))
        return grow, 2 * grow

    def of_sizes(self, mine, theirs, both, n):
        return 2 * both - mine - theirs


def test_another_loss_needs_a_class_and_a_name(monkeypatch):
    monkeypatch.setitem(losses.LOSSES, "square root", SquareRoot())
    draws = Partitions.from_labels(np.array([[0, 0, 0, 1, 1], [0, 0, 0, 1, 1], [0, 0, 1, 1, 1]]))
    best = representative(draws, "square root")
    assert best.loss == "square root"
    assert best.expected_loss == pytest.approx(
        min(
            losses.losses_to_draws(np.array(labels), draws.labels, SquareRoot()).mean()
            for labels in ([0, 0, 0, 1, 1], [0, 0, 1, 1, 1], [0] * 5, [0, 1, 2, 3, 4], [0, 0, 1, 2, 2])
        )
    )


def test_settings_know_every_loss():
    assert tuple(losses.LOSSES) == params.LOSSES


def blurred(rng, share, n=40, n_draws=200):
    """Draws of two halves, in which this share of the objects is on the wrong side."""
    halves = np.arange(n) % 2
    return halves, Partitions.from_labels(halves ^ (rng.random((n_draws, n)) < share))


def test_a_single_cluster_is_divided_if_the_draws_agree_on_how():
    halves, draws = blurred(np.random.default_rng(0), 0.16)
    assert representative(draws, "vi").n_clusters == [1]
    usual = representative(draws)
    np.testing.assert_array_equal(usual.labels[0], halves)
    assert (usual.loss, usual.expected_loss) == ("vi", representative(draws, "auto").expected_loss)
    assert representative(draws, at_most=1).n_clusters == [1]


def test_a_single_cluster_remains_one_if_they_do_not():
    _, draws = blurred(np.random.default_rng(1), 0.35)
    assert representative(draws).n_clusters == [1]
    pieces = representative(draws, "ari", at_most="median")
    assert pieces.n_clusters == [2]
    assert 1 - pieces.expected_loss < Sure.agreement


def test_several_clusters_are_those_of_variation_of_information():
    _, draws = blurred(np.random.default_rng(2), 0.05)
    np.testing.assert_array_equal(representative(draws).labels[0], representative(draws, "vi").labels[0])
