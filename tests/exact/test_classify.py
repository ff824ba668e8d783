"""A new object is weighed by ratios of the joint density, and its probabilities are those of the enlarged data."""

from dataclasses import replace
from functools import cache
from itertools import product
from math import exp

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.polynomial.hermite_e import hermegauss
from scipy.special import roots_genlaguerre

from reference import linked_partitions, rng_for
from small_worlds import World, random_state, recorded_spreads, small_series
from tetiwd import DistanceSeries, Gamma, Hyperparameters, SamplerSettings, classify
from tetiwd.draws import COLUMNS, Draws
from tetiwd.errors import DataError, SettingsError
from tetiwd.model import log_joint, log_row_density, prior_scale
from tetiwd.model.prediction import predict
from tetiwd.model.spreads import log_density_of_spread
from tetiwd.partitions import Partitions
from tetiwd.recording import learned_of
from tetiwd.sample import Sample
from tetiwd.summarize.alignment import align
from tetiwd.summarize.clustering import as_clustering
from tetiwd.summarize.new_object import FRESH, EpochOfDraw
from visits import FIXED

SAMPLED = {"alpha": Gamma(2, 0.7), "xi": Gamma(1.5, 1), "new_scale": Gamma(3, 0.4)}
close = {"rtol": 1e-9, "atol": 1e-7}
seeds = st.integers(0, 2**32 - 1)
sizes = st.lists(st.integers(1, 6), min_size=1, max_size=4)
kinds = st.sampled_from(["distances", "distances", "similarities"])
hyperparameters = st.builds(
    lambda **own: Hyperparameters(**own, **SAMPLED),
    dof=st.floats(0.5, 20),
    df_A=st.sampled_from([5.5, 30.0, Gamma(3, 5)]),
    max_clusters=st.sampled_from([None, 4, 5]),
    geometry=st.sampled_from(["full", "full", "isotropic"]),
    coupling=st.sampled_from([True, True, False]),
    kappa=st.sampled_from([1.0, Gamma(2, 0.5)]),
    tau=st.sampled_from([None, 0.7, Gamma(2, 0.3)]),
)


def hand_made(series, h, draws, log_spreads=0):
    """A sample with these draws: (labels by epoch, A by epoch, alpha, xi, new_scale, and what has been learned)."""
    kept = Draws(series.n_objects, learned_of(h), geometry_every=1)
    for labels, A, *scales in draws:
        row = {"labels": np.concatenate(labels), "log_spreads": log_spreads}
        row |= dict(zip(("alpha", "xi", "new_scale", *h.learned), scales, strict=True))
        kept.append(dict.fromkeys(COLUMNS, 0.0) | row, list(A))
    return Sample(series, h, SamplerSettings(), [kept], [])


def isotropic(labels):
    return [FIXED["new_scale"] * np.eye(len(np.unique(own))) for own in labels]


class OneMore:
    """A series with one object more at epoch t, and a random state of the series without it."""

    def __init__(self, seed, sizes, t, h, kind="distances", state_seed=None):
        more = [n + (s == t) for s, n in enumerate(sizes)]
        self.t, self.h, self.n, self.enlarged = t, h, sizes[t], small_series(seed, more, kind)
        blocks = tuple(D[:n, :n] for D, n in zip(self.enlarged.matrices, sizes, strict=True))
        self.series = replace(self.enlarged, matrices=blocks)
        self.state = random_state(seed if state_seed is None else state_seed, sizes, h, kind)
        self.world = World.of(self.state)
        self.scales = {name: getattr(self.state, name) for name in ("alpha", "xi", "new_scale", *h.learned)}
        draw = (self.world.labels, self.state.geometry(), *self.scales.values())
        sample = hand_made(self.series, h, [draw], recorded_spreads(self.state))
        self.epoch = EpochOfDraw(sample, sample.draws[0], 0, t)
        self.rows = self.enlarged.matrices[t][-1:, :-1]
        self.own = np.array([self.enlarged.matrices[t][-1, -1]])
        self.without = self.log_joint(self.series, self.world.labels)

    def log_joint(self, series, labels, world=None):
        world = world or self.world
        orders = [np.argsort(lineages) for lineages in world.lineages]
        A = [A[np.ix_(order, order)] for A, order in zip(world.A, orders, strict=True)]
        spreads = [own[order] for own, order in zip(world.spreads, orders, strict=True)]
        given = (series.matrices, labels, A, self.h)
        return log_joint(*given, kind=series.kind, spreads_by_epoch=spreads, **self.scales)

    def growth(self, lineage, world=None):
        """Log joint with the object in this lineage minus that without the object."""
        labels = list((world or self.world).labels)
        labels[self.t] = np.append(labels[self.t], lineage)
        return self.log_joint(self.enlarged, labels, world) - self.without

    def constant(self):
        """What the likelihood of distances of n + 1 objects has more than a density of the last: data alone."""
        dof = self.h.dof_by_epoch(self.series.n_epochs)[self.t]
        return dof / 2 * np.log((self.n + 1) / self.n) if self.series.kind == "distances" else 0.0

    def weigh(self, n_births=1, seed=0):
        return self.epoch.weigh(self.rows, self.own, n_births, np.random.default_rng(seed))[0]

    def kinds_of_birth(self):
        ended = [c for c in self.epoch.before if c not in self.epoch.lineages]
        beginning = [c for c in self.epoch.after if c not in self.epoch.lineages]
        return list(product([FRESH, *ended], [FRESH, *beginning]))

    def born(self, b, f, A, spread=1.0):
        """The world with a new cluster that continues b and goes on as f, with the last row of A."""
        order = np.argsort(self.world.lineages[self.t])  # draws keep rows in this order, worlds have their own
        back = np.argsort(order)
        name = b if b != FRESH else 10_000
        row, variance = A[-1, :-1][back], A[-1, -1]
        world = self.world.with_row(self.t, name, row, variance, spread)
        return (world if f == FRESH else world.renamed_from(self.t + 1, f, name)), name

    def log_law(self, world):
        """Log density of the last row given the others, and of its spread."""
        spread = 0.0
        if self.h.tau_used != 0:
            spread = log_density_of_spread(np.log(world.spreads[self.t][-1]), self.state.tau)
        if self.h.geometry == "isotropic":
            return spread
        earlier = (world.A[self.t - 1], world.lineages[self.t - 1]) if self.t and self.h.coupling else (np.eye(0), [])
        P = prior_scale(*earlier, world.lineages[self.t], self.state.new_scale)
        return spread + log_row_density(world.A[self.t], P, self.state.df_A)

    def row_sums(self):
        return self.rows @ (self.epoch.slots[:, None] == np.arange(len(self.epoch.A)))


def one_more(seed, sizes, h, kind):
    assume(kind == "distances" or h.tau_used == 0)
    return possible(OneMore(seed, sizes, int(rng_for(seed, 70).integers(len(sizes))), h, kind))


def possible(more):
    assume(np.isfinite(more.without))  # a finite max_clusters rules some out
    return more


@given(seed=seeds, sizes=sizes, h=hyperparameters, kind=kinds)
def test_weights_of_clusters_are_ratios_of_the_joint(seed, sizes, h, kind):
    more = one_more(seed, sizes, h, kind)
    growth = [more.growth(lineage) for lineage in more.epoch.lineages.tolist()]
    assert np.allclose(more.weigh()[:-1] + more.constant(), growth, **close)


@settings(max_examples=60)
@given(seed=seeds, h=hyperparameters, kind=kinds, t=st.sampled_from([0, 1, 2]))
def test_draws_are_comparable_because_the_constant_is_of_the_data_alone(seed, h, kind, t):
    """The same data in two states with different clusters, links, A, alpha, xi and new_scale."""
    assume(kind == "distances" or h.tau_used == 0)
    gaps = []
    for state_seed in (seed, seed + 1):
        more = possible(OneMore(7, [4, 5, 3], t, h, kind, state_seed=state_seed))
        gaps.append([more.growth(lineage) for lineage in more.epoch.lineages.tolist()] - more.weigh()[:-1])
    assert np.allclose(np.concatenate(gaps), gaps[0][0], **close)


@given(seed=seeds, sizes=sizes, h=hyperparameters, kind=kinds)
def test_weights_of_births_are_ratios_of_the_joint(seed, sizes, h, kind):
    check_births(one_more(seed, sizes, h, kind), rng_for(seed, 71))


def extended(epoch, b, f, rng):
    """A with a row for a new cluster, the forward factor, and the spread of the cluster."""
    birth = epoch.draw_birth(b, f, rng)
    A = np.pad(epoch.A, (0, 1))
    A[-1] = A[:, -1] = birth.row
    return A, epoch.log_forward(birth), birth.spread


def check_births(more, rng):
    for b, f in more.kinds_of_birth():
        A, log_forward, spread = extended(more.epoch, b, f, rng)
        world, name = more.born(b, f, A, spread)
        growth = more.growth(name, world)
        prior = more.epoch.weight(FRESH, b, f)
        if prior == 0:
            assert growth == -np.inf
            continue
        spreads, given = np.append(more.epoch.spreads, spread), (more.epoch.sizes, more.epoch.block_sums, A)
        law = predict(*given, more.epoch.alpha, spreads=spreads, similarity=more.epoch.similarity)
        density = law.log_density(more.row_sums(), more.epoch.dof, more.own)[0, -1]
        weight = np.log(prior) + density + log_forward + more.epoch.log_constant()
        assert np.allclose(weight + more.constant(), growth - more.log_law(world), **close)


def test_all_kinds_of_birth_are_among_those():
    h = Hyperparameters(dof=3, df_A=20, **SAMPLED)
    seen = set()
    for seed in range(30):
        seen |= {(b != FRESH, f != FRESH) for b, f in OneMore(seed, [4, 3, 4], 1, h).kinds_of_birth()}
    assert seen == set(product([False, True], repeat=2))


@pytest.mark.parametrize(
    ("name", "bug"),
    [
        ("log_forward", lambda self, birth: 0.0),
        ("log_constant", lambda self: 0.0),
        ("weight", lambda self, lineage, b=FRESH, f=FRESH: 1.0),
    ],
    ids=["forgotten factor of A at the next epoch", "forgotten constant of the urn", "forgotten prior"],
)
def test_planted_bugs_are_caught(monkeypatch, name, bug):
    h = Hyperparameters(dof=3, df_A=20, **SAMPLED)

    def all_pass():
        for seed in range(10):
            check_births(OneMore(seed, [4, 3, 4], 1, h), rng_for(seed, 74))

    all_pass()
    monkeypatch.setattr(EpochOfDraw, name, bug)
    with pytest.raises(AssertionError):
        all_pass()


@pytest.mark.parametrize("coupling", [True, False])
@pytest.mark.parametrize("max_clusters", [None, 5])
def test_births_of_all_kinds_add_up_where_rows_are_not_drawn(max_clusters, coupling):
    h = Hyperparameters(dof=3, geometry="isotropic", max_clusters=max_clusters, coupling=coupling, **SAMPLED)
    states = [OneMore(seed, [4, 3, 4], 1, h) for seed in range(20)]
    states = [more for more in states if np.isfinite(more.without)]
    assert len(states) > 5
    for more in states:
        growth = []
        for b, f in more.kinds_of_birth():
            world, name = more.born(b, f, extended(more.epoch, b, f, None)[0])
            growth.append(more.growth(name, world))
        assert np.allclose(more.weigh()[-1] + more.constant(), np.logaddexp.reduce(growth), **close)


def integrated_birth(more, b, f, n_nodes=20):
    """Joint with a new cluster over that without, integrated over its row by quadrature; one cluster is there."""
    A11, df, epoch = more.epoch.A[0, 0], more.h.df_A, more.epoch
    P = prior_scale(epoch.A_before, sorted(epoch.before), [*epoch.lineages.tolist(), b], epoch.new_scale)
    beta, residual = P[0, 1] / P[0, 0], P[1, 1] - P[0, 1] ** 2 / P[0, 0]
    z, z_weight = hermegauss(n_nodes)
    x, x_weight = roots_genlaguerre(n_nodes, (df - 1) / 2 - 1)
    total = 0.0
    for (zi, wi), (xj, wj) in product(zip(z, z_weight, strict=True), zip(x, x_weight, strict=True)):
        A12 = beta * A11 + np.sqrt(residual / df * A11) * zi
        A22 = 2 * residual / df * xj + A12**2 / A11
        world, name = more.born(b, f, np.array([[A11, A12], [A12, A22]]))
        total += wi * wj * exp(more.growth(name, world) - more.log_law(world))
    return total / z_weight.sum() / x_weight.sum()


def births_with_one_cluster():
    """A middle epoch of one cluster, with a lineage that ended before it and one that begins after it."""
    h = Hyperparameters(dof=3, df_A=12, **SAMPLED)
    for seed in range(1000):
        more = OneMore(seed, [4, 3, 4], 1, h)
        if (
            len(more.epoch.A) == 1
            and len(more.kinds_of_birth()) == 4
            and set(more.epoch.before) & set(more.epoch.lineages)
        ):
            return more
    raise AssertionError("no such state")


def test_births_are_averaged_over_the_rows_of_the_model():
    more = births_with_one_cluster()
    exact = sum(integrated_birth(more, b, f) for b, f in more.kinds_of_birth())
    coarse = sum(integrated_birth(more, b, f, 14) for b, f in more.kinds_of_birth())
    assert coarse == pytest.approx(exact, rel=1e-3)
    found = np.exp([more.weigh(60, seed)[-1] + more.constant() for seed in range(40)])
    error = found.std(ddof=1) / np.sqrt(len(found))
    assert error < 0.1 * exact
    assert abs(found.mean() - exact) < 4 * error + abs(coarse - exact)


def test_where_df_A_has_no_room_for_another_row_nothing_is_born():
    """The sampler offers no births there: k + 1 clusters need df_A > k."""
    h = Hyperparameters(dof=3, df_A=1.5, **SAMPLED)
    labels = [np.array([0, 0, 1, 1])]
    series = small_series(3, (4,))
    sample = hand_made(series, h, [(labels, [np.array([[1.0, 0.2], [0.2, 0.8]])], 0.5, 1.0, 1.0)])
    found = classify(sample, as_clustering(sample, labels), series.matrices[0][:1] + 0.5, squared=True)
    assert found.none[0] == 0
    assert found.probabilities.sum() == pytest.approx(1)


TINY = [(0, (3, 3), None), (1, (3, 3), None), (1, (2, 3, 2), None), (0, (4,), None), (0, (3, 3), 4), (1, (3, 3), 4)]


class Tiny:
    """All linked partitions of a tiny series, with and without one more object, and their exact probabilities."""

    def __init__(self, t, sizes, max_clusters, kind):
        self.t, self.n = t, sizes[t]
        self.h = Hyperparameters(dof=1.5, df_A=9, max_clusters=max_clusters, geometry="isotropic", **FIXED)
        more = tuple(n + (s == t) for s, n in enumerate(sizes))
        self.enlarged = small_series(8, more, kind)
        blocks = tuple(D[:n, :n] for D, n in zip(self.enlarged.matrices, sizes, strict=True))
        self.series = replace(self.enlarged, matrices=blocks)
        self.states, self.chances = self.posterior(self.series)
        self.larger, self.larger_chances = self.posterior(self.enlarged)
        self.new = self.enlarged.matrices[t][-1:, :-1]
        self.own = self.enlarged.matrices[t][-1:, -1]

    def posterior(self, series):
        states = list(linked_partitions(series.n_objects))
        log_p = [log_joint(series.matrices, own, isotropic(own), self.h, kind=series.kind) for own in states]
        p = np.exp(np.array(log_p) - np.max(log_p))
        return [own for own, chance in zip(states, p, strict=True) if chance > 0], p[p > 0] / p.sum()

    def sample(self, rows):
        draws = [(self.states[i], isotropic(self.states[i]), *FIXED.values()) for i in rows]
        return hand_made(self.series, self.h, draws)

    def exact_together(self):
        """Probability to be with every object of the epoch, in the posterior of the enlarged data."""
        at = np.array([own[self.t] for own in self.larger])
        return self.larger_chances @ (at[:, :-1] == at[:, -1:])

    def exact_alone(self):
        at = np.array([own[self.t] for own in self.larger])
        return float(self.larger_chances @ ~(at[:, :-1] == at[:, -1:]).any(axis=1))

    def exact_probabilities(self, labels):
        """Of the lineages of a clustering of the old objects: the cluster of the new object is that of its mates."""
        at = [np.array([own[s] for own in self.larger]) for s in range(len(self.series.n_objects))]
        mine, at[self.t] = at[self.t][:, -1], at[self.t][:, :-1]
        alignment = align(Partitions.from_labels(at), labels, max_draws=len(mine))
        found = np.zeros(alignment.n_lineages)
        for chance, word, own, label in zip(
            self.larger_chances, alignment.words_at(self.t), at[self.t], mine, strict=True
        ):
            if (own == label).any() and word[own == label][0] >= 0:
                found[word[own == label][0]] += chance
        return found[np.unique(alignment.clustering.labels[self.t])]


tiny_world = cache(Tiny)


@pytest.mark.parametrize("kind", ["distances", "similarities"])
@pytest.mark.parametrize(("t", "sizes", "max_clusters"), TINY, ids=str)
def test_weighted_with_the_exact_posterior_the_weights_are_the_posterior_of_the_enlarged_data(
    t, sizes, max_clusters, kind
):
    tiny = tiny_world(t, sizes, max_clusters, kind)
    sample = tiny.sample(range(len(tiny.states)))
    together, total, alone = np.zeros(tiny.n), 0.0, 0.0
    for i, chance in enumerate(tiny.chances):
        epoch = EpochOfDraw(sample, sample.draws[0], i, t)
        weights = chance * np.exp(epoch.weigh(tiny.new, tiny.own, 1, np.random.default_rng(0))[0])
        together += weights[epoch.slots]
        total, alone = total + weights.sum(), alone + weights[-1]
    assert np.allclose(together / total, tiny.exact_together(), rtol=1e-9)
    assert alone / total == pytest.approx(tiny.exact_alone(), rel=1e-9)


@pytest.mark.parametrize(("t", "sizes", "max_clusters"), TINY, ids=str)
def test_classification_from_exact_draws_agrees_with_the_enlarged_data(t, sizes, max_clusters):
    tiny, rng, n_batches, n_draws = tiny_world(t, sizes, max_clusters, "distances"), rng_for(72), 12, 200
    clustering = [np.arange(n) // 2 + 10 * s for s, n in enumerate(sizes)]
    exact = np.concatenate([tiny.exact_together(), tiny.exact_probabilities(clustering), [tiny.exact_alone()]])
    found = []
    for _ in range(n_batches):
        sample = tiny.sample(rng.choice(len(tiny.states), size=n_draws, p=tiny.chances))
        c = classify(
            sample,
            as_clustering(sample, clustering),
            tiny.new,
            squared=True,
            t=t,
            n_births=1,
            max_draws=n_draws,
            together=True,
        )
        assert c.probabilities.sum() + c.none.sum() == pytest.approx(1)
        assert 1 < c.effective_draws[0] <= n_draws * (1 + 1e-12)
        found.append(np.concatenate([c.together[0], c.probabilities[0], c.none - c.unlisted]))
    error = np.std(found, axis=0, ddof=1) / np.sqrt(n_batches)
    away = np.abs(np.mean(found, axis=0) - exact)
    assert (away <= 5 * error).all()  # Student t with 11 degrees of freedom: probability 4e-4 each
    assert error.max() < 0.025


@pytest.fixture
def settled():
    """A sample of two draws on one epoch of four and one of three objects."""
    labels = [([0, 0, 0, 1], [0, 2, 2]), ([0, 0, 1, 1], [1, 1, 1])]
    h = Hyperparameters(dof=1.5, geometry="isotropic", **FIXED)
    draws = [([np.array(own) for own in one], isotropic(one), *FIXED.values()) for one in labels]
    return hand_made(small_series(8, (4, 3)), h, draws)


def classify_it(sample, new, **other):
    labels = [np.zeros(n, dtype=int) for n in sample.series.n_objects]
    return classify(sample, as_clustering(sample, labels), new, **({"squared": True, "t": 0} | other))


def test_plain_distances_are_squared(settled):
    new = np.array([[1.0, 2.0, 0.5, 3.0]])
    plain, squared = classify_it(settled, new, squared=False), classify_it(settled, new**2)
    assert np.array_equal(plain.none, squared.none)
    assert not np.allclose(plain.none, classify_it(settled, new).none)


def test_objects_are_classified_one_by_one_and_none_at_all_is_fine(settled):
    new = np.array([[1.0, 2.0, 0.5, 3.0], [9.0, 9.0, 9.0, 9.0]])
    both = classify_it(settled, new, together=True)
    for i in range(2):
        alone = classify_it(settled, new[i], together=True)
        assert np.allclose(alone.probabilities[0], both.probabilities[i])
        assert np.allclose(alone.together[0], both.together[i])
        assert np.allclose(alone.none, both.none[i])
    nobody = classify_it(settled, np.empty((0, 4)))
    assert nobody.probabilities.shape == (0, 1)
    assert len(nobody.table()) == 0


def test_an_object_far_from_everything_is_in_none_of_the_clusters(settled):
    found = classify_it(settled, np.full((1, 4), 1e4))
    assert found.none[0] > 0.99
    assert found.best.tolist() == [-1]
    assert found.table()["best"].tolist() == [-1]
    assert "1 of them in none" in repr(found)


def test_units_do_not_matter():
    """The same data, draws and new distances in other units."""
    tiny = Tiny(0, (3, 2), None, "distances")
    rows = rng_for(73).integers(len(tiny.states), size=20)
    sample, factor = tiny.sample(rows), 1e3
    scaled = replace(tiny.series, matrices=tuple(factor * D for D in tiny.series.matrices))
    draws = [
        (
            tiny.states[i],
            [factor * A for A in isotropic(tiny.states[i])],
            factor * FIXED["alpha"],
            FIXED["xi"],
            factor * FIXED["new_scale"],
        )
        for i in rows
    ]
    here, there = classify_it(sample, tiny.new), classify_it(hand_made(scaled, tiny.h, draws), factor * tiny.new)
    assert np.allclose(here.probabilities, there.probabilities)
    assert np.allclose(here.effective_draws, there.effective_draws)


@pytest.mark.parametrize(
    ("new", "options", "message"),
    [
        (np.ones((2, 3)), {}, r"shape \(2, 3\); epoch 0 \(0\) has 4 objects"),
        (np.ones((1, 2, 4)), {}, r"shape \(1, 2, 4\)"),
        ([], {}, r"shape \(1, 0\)"),
        ([[1, 2, "three", 4]], {}, "array of numbers"),
        ([[1, 2], [1, 2, 3, 4]], {}, "array of numbers"),
        ([[1, 2, np.nan, 4]], {}, "object 0 hold nan for object 2"),
        ([[1, 2, 3, 4], [1, np.inf, 3, 4]], {}, "object 1 hold inf for object 1"),
        ([[1, 2, 3, -4]], {}, "object 0 hold -4 for object 3"),
        ([[1, 2, 3, 4]], {"squared": None}, "True or False, not None"),
        ([[1, 2, 3, 4]], {"squared": "yes"}, "True or False, not 'yes'"),
    ],
)
def test_distances_that_make_no_sense_are_refused(settled, new, options, message):
    with pytest.raises(DataError, match=message):
        classify_it(settled, new, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"t": 2}, "no epoch 2"),
        ({"t": -3}, "no epoch -3"),
        ({"t": 0.0}, "no epoch 0.0"),
        ({"n_births": 0}, "n_births must be a whole number of at least 1, not 0"),
        ({"n_births": 2.5}, "n_births must be a whole number"),
        ({"max_draws": 0}, "max_draws must be a whole number"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settled, options, message):
    with pytest.raises(SettingsError, match=message):
        classify_it(settled, [[1, 2, 3, 4]], **options)


@pytest.mark.parametrize(
    ("own", "message"),
    [
        (None, "with itself: own="),
        ([1.0, 2.0], "own must be 1 finite numbers"),
        ([np.nan], "own must be 1 finite numbers"),
        (["a"], "own must be 1 finite numbers"),
    ],
)
def test_similarities_need_those_of_the_object_with_itself(own, message):
    tiny = Tiny(0, (4,), None, "similarities")
    with pytest.raises(DataError, match=message):
        classify_it(tiny.sample([0]), tiny.new, own=own)


def test_without_a_kept_A_nothing_can_be_classified(settled):
    settled.draws[0].geometry_every = 0
    with pytest.raises(SettingsError, match="geometry_every=10"):
        classify_it(settled, [[1, 2, 3, 4]])


def test_only_draws_that_kept_A_are_used_and_no_more_than_asked_for():
    tiny = Tiny(0, (4,), None, "distances")
    sample = tiny.sample([0, 1, 2, 3, 4])
    sparse = tiny.sample([0, 1, 2, 3, 4])
    sparse.draws[0].geometry_every, sparse.draws[0].geometry = 2, sparse.draws[0].geometry[::2]
    some = tiny.sample([0, 2, 4])
    assert np.allclose(classify_it(sparse, tiny.new).none, classify_it(some, tiny.new).none)
    assert np.allclose(classify_it(sample, tiny.new, max_draws=3).none, classify_it(some, tiny.new).none)
    assert classify_it(sample, tiny.new, max_draws=1).effective_draws == pytest.approx(1)


def test_a_clustering_of_other_objects_is_refused(settled):
    other = Partitions.from_labels([np.zeros((1, 5), dtype=int)])
    with pytest.raises(DataError, match="objects"):
        classify(settled, as_clustering(other, np.zeros(5, dtype=int)), [[1, 2, 3, 4]], squared=True)


def test_times_are_named():
    series = small_series(3, (4, 4))
    named = DistanceSeries.from_distances(list(series.D), squared=True, times=["spring", "autumn"])
    labels = [np.array([0, 0, 1, 1])] * 2
    h = Hyperparameters(dof=3, geometry="isotropic", **FIXED)
    sample = hand_made(named, h, [(labels, [FIXED["new_scale"] * np.eye(2)] * 2, *FIXED.values())])
    found = classify(sample, as_clustering(sample, labels), np.ones((1, 4)), squared=True)
    assert found.time == "autumn"
    choices = ["best", "probability", "next", "next_probability"]
    assert list(found.table().columns) == [*choices, "lineage 0", "lineage 1", "none of these"]
