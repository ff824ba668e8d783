"""The clustering that stands for all draws is the best of all clusterings, and its links are the best of all links."""

import os
import subprocess
import sys
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest

from reference import canonical, random_labels, rng_for, set_partitions
from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings, kernels, run_chains
from tetiwd.errors import SettingsError
from tetiwd.kernels.allocation import allocate, improve
from tetiwd.kernels.draft import clear, copy, fill, sum_in_common, twin
from tetiwd.partitions import Partitions, numbered
from tetiwd.summarize import point_estimate
from tetiwd.summarize import search as search_module
from tetiwd.summarize.alignment import align
from tetiwd.summarize.clustering import as_clustering, in_order_of_birth, losses_by_draw
from tetiwd.summarize.links import ModelLinks
from tetiwd.summarize.losses import ARI, VI, Binder, losses_to_draws
from tetiwd.summarize.point_estimate import best_links, representative
from tetiwd.summarize.search import Search

N = 8
PAIRS = np.array(list(combinations(range(N), 2)))
LOSSES = [VI(), Binder(), Binder(join=1.0, split=2.5), Binder(join=3.0, split=1.0), ARI()]
KINDS = ["noise", "copies", "few", "one", "partitions"]


class All:
    """All partitions of N objects, and their expected losses from their definitions by objects and by pairs."""

    def __init__(self) -> None:
        self.labels = np.array(list(set_partitions(N)))
        self.n_clusters = self.labels.max(axis=1) + 1
        self.together = self.labels[:, :, None] == self.labels[:, None, :]  # (4140, N, N)
        self.pairs = self.together[:, PAIRS[:, 0], PAIRS[:, 1]].astype(float)

    def expected(self, draws, loss):
        """Expected loss of every partition."""
        theirs = draws[:, :, None] == draws[:, None, :]
        return self.information(theirs) if isinstance(loss, VI) else self.by_pairs(theirs, loss)

    def information(self, theirs):
        """Mean over objects of log n_g + log n_h − 2 log n_gh for the clusters they are in."""
        log = np.log2(np.arange(1, N + 1))
        total = log[self.together.sum(axis=2) - 1].mean(axis=1) + log[theirs.sum(axis=2) - 1].mean()
        for i in range(N):
            both = self.together[:, i].astype(float) @ theirs[:, i].T
            total -= 2 * log[both.astype(int) - 1].mean(axis=1) / N
        return total

    def by_pairs(self, theirs, loss):
        pairs = theirs[:, PAIRS[:, 0], PAIRS[:, 1]].astype(float)
        both, a, b = self.pairs @ pairs.T, self.pairs.sum(axis=1)[:, None], pairs.sum(axis=1)[None]
        if isinstance(loss, Binder):
            return (2 * (loss.join * (a - both) + loss.split * (b - both)) / N**2).mean(axis=1)
        by_chance, best = a * b / len(PAIRS), (a + b) / 2
        trivial = ((a == 0) & (b == 0)) | ((a == len(PAIRS)) & (b == len(PAIRS)))
        index = (both - by_chance) / np.where(trivial, 1.0, best - by_chance)
        return (1 - np.where(trivial, 1.0, index)).mean(axis=1)


@pytest.fixture(scope="module")
def everything():
    return All()


def some_draws(kind, seed, everything):
    rng = rng_for(70, KINDS.index(kind), seed)
    n_draws = {"one": 1, "few": int(rng.integers(2, 5))}.get(kind, int(rng.integers(10, 60)))
    if kind in ("noise", "few"):
        return rng.integers(rng.integers(1, N + 1), size=(n_draws, N))
    if kind == "copies":
        return np.where(rng.random((n_draws, N)) < 0.3, rng.integers(4, size=(n_draws, N)), rng.integers(3, size=N))
    return everything.labels[rng.integers(len(everything.labels), size=n_draws)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_no_partition_has_a_smaller_expected_loss(kind, loss, everything):
    for seed in range(10):
        draws = some_draws(kind, seed, everything)
        found, expected = representative(Partitions.from_labels(draws), loss), everything.expected(draws, loss)
        own = (everything.labels == canonical(found.labels)).all(axis=1)
        assert found.expected_loss == pytest.approx(expected[own].item(), abs=1e-12)
        assert found.expected_loss <= expected.min() + 1e-12


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_the_same_without_counts_of_pairs(kind, loss, everything, monkeypatch):
    """As it is done if there are too many objects."""
    monkeypatch.setattr(search_module, "MOST_FOR_PAIRS", 0)
    for seed in range(10):
        draws = some_draws(kind, seed, everything)
        found = representative(Partitions.from_labels(draws), loss)
        assert found.expected_loss <= everything.expected(draws, loss).min() + 1e-12


@pytest.mark.parametrize("at_most", [1, 2, 3])
@pytest.mark.parametrize("loss", [VI(), Binder(), ARI()], ids=str)
def test_no_partition_with_so_few_clusters_has_a_smaller_expected_loss(at_most, loss, everything):
    """With a limit more searches are needed: of 72 for Binder and two clusters 5 failed with 8 runs, none with 32."""
    allowed = everything.n_clusters <= at_most
    for seed in range(5):
        draws = rng_for(71, seed).integers(2 + seed, size=(20, N))
        found = representative(Partitions.from_labels(draws), loss, at_most=at_most, n_runs=32)
        assert found.n_clusters[0] <= at_most
        assert found.expected_loss <= everything.expected(draws, loss)[allowed].min() + 1e-12


def test_the_limit_holds_at_every_epoch():
    draws = Partitions.from_labels([np.tile(np.arange(n), (5, 1)) for n in (6, 1, 4)])
    assert representative(draws).n_clusters == [6, 1, 4]
    assert representative(draws, at_most=2).n_clusters == [2, 1, 2]


def test_the_limit_can_be_the_median_of_each_epoch(everything):
    """Draws with 2, 3, 3, 5, 6 clusters: the best partition of at most 3."""
    rng = rng_for(73)
    draws = np.array([rng.permutation(np.arange(N) % k) for k in (2, 3, 3, 5, 6)])
    found = representative(Partitions.from_labels([draws, draws % 2]), "binder", at_most="median", n_runs=32)
    assert found.n_clusters[0] <= 3
    assert found.n_clusters[1] <= 2
    one = representative(Partitions.from_labels(draws), "binder", at_most=3, n_runs=32)
    allowed = everything.n_clusters <= 3
    assert one.expected_loss <= everything.expected(draws, Binder())[allowed].min() + 1e-12
    np.testing.assert_array_equal(canonical(found.labels[:1]), canonical(one.labels))


def test_the_same_seed_gives_the_same_answer():
    """Few draws of pure noise, where the order of objects decides."""
    draws = Partitions.from_labels(rng_for(72).integers(4, size=(6, 60)))
    first, again = ([representative(draws, "binder", seed=seed, n_runs=1) for seed in range(12)] for _ in range(2))
    assert all(np.array_equal(a.flat, b.flat) for a, b in zip(first, again, strict=True))
    assert len({own.flat.tobytes() for own in first}) > 1


def test_fewer_draws_are_looked_at_and_all_are_averaged_over():
    rng = rng_for(73)
    draws = Partitions.from_labels([rng.integers(3, size=(40, n)) for n in (6, 9)])
    found = representative(draws, max_draws=5)
    again = representative(draws.thinned(5))
    assert np.array_equal(found.flat, again.flat)
    assert found.expected_loss == pytest.approx(losses_by_draw(found.flat, draws, VI()).mean(), rel=1e-12)
    assert found.expected_loss != again.expected_loss


COMPILED_OR_NOT = """
import numpy as np
from tetiwd import Partitions, kernels, representative
rng = np.random.default_rng(5)
draws = Partitions.from_labels(rng.integers(4, size=(12, 20)))
found = [representative(draws, loss, n_runs=2, at_most=most) for loss in ("vi", "binder", "ari") for most in (None, 3)]
print(kernels.COMPILED)
print([(own.flat.tolist(), own.expected_loss.hex()) for own in found])
"""


def test_compiled_and_plain_kernels_find_the_same():
    said = {}
    for compiled in "01":
        known = os.environ | {"TETIWD_COMPILED": compiled}
        done = subprocess.run([sys.executable, "-c", COMPILED_OR_NOT], env=known, capture_output=True, check=True)
        said[compiled] = done.stdout.decode().splitlines()
    assert [said[compiled][0] for compiled in "01"] == ["False", str(kernels.COMPILED)]
    assert said["0"][1] == said["1"][1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_runs": 0}, "n_runs must be a whole number of at least 1, not 0"),
        ({"n_runs": 1.5}, "n_runs must be"),
        ({"at_most": 0}, 'at_most must be a whole number of at least 1, "median" or None, not 0'),
        ({"at_most": "few"}, "at_most must be"),
        ({"max_draws": 0}, "the number of draws must be"),
        ({"loss": "rand"}, "loss must be"),
    ],
    ids=str,
)
def test_nonsense_is_refused(options, message):
    with pytest.raises(SettingsError, match=message):
        representative(Partitions.from_labels([[[0, 0, 1]]]), **options)


# What the kernels keep count of.


def search_of(seed, loss, at_most=None, n=12):
    rng = rng_for(74, seed)
    draws = Partitions.from_labels(rng.integers(rng.integers(1, 7), size=(9, n)))
    return Search(draws, loss, at_most, rng)


def labels_of(draft):
    return np.array(draft.labels)


def consistent(draft, search, loss):
    """Everything but the labels is counted again from the labels."""
    k, labels, weights = draft.n_clusters, labels_of(draft), search.weights
    inside = np.flatnonzero(labels >= 0)
    assert labels.max(initial=-1) < k <= draft.room
    assert np.array_equal(draft.sizes, np.bincount(labels[inside], minlength=draft.room))
    assert (np.asarray(draft.sizes)[:k] > 0).all()
    sums, counts = np.zeros_like(draft.sums), np.zeros_like(draft.counts)
    for i in inside:
        if draft.paired:
            sums[labels[i]] += weights @ (search.draws[:, [i]] == search.draws)
        for s in range(draft.n_draws):
            counts[labels[i], draft.row[i, s]] += 1
    assert np.array_equal(draft.sums, sums)
    assert np.array_equal(draft.counts, counts)
    pairs = [(i, j) for i, j in combinations(inside, 2) if labels[i] == labels[j]]
    pairs_both = sum((search.draws[:, i] == search.draws[:, j] for i, j in pairs), np.zeros(len(weights)))
    assert draft.pairs_mine == len(pairs)
    assert draft.pairs_shared == (weights @ pairs_both if draft.paired else 0)
    assert draft.n_draws == 0 or np.array_equal(draft.pairs_both, pairs_both)
    in_common = np.empty(draft.n_draws)
    sum_in_common(draft, loss.f(np.arange(search.N + 1)), in_common)
    rows = loss.f(counts).sum(axis=0)
    expected = [rows[a:b].sum() for a, b in pairwise(draft.first)]
    assert in_common == pytest.approx(expected, abs=1e-12)


def expected_loss(labels, search, loss):
    return losses_to_draws(np.unique(labels, return_inverse=True)[1], search.draws, loss).mean()


def choices(found, i):
    """Labels with object i moved to every cluster, and to a new one if there is room."""
    others = np.delete(labels_of(found), i)
    room = len(np.unique(others)) < found.room
    for g in [*np.unique(others), others.max(initial=-1) + 1][: None if room else -1]:
        moved = labels_of(found)
        moved[i] = g
        yield moved


@pytest.mark.parametrize("loss", [VI(), Binder(1.0, 2.5), ARI()], ids=str)
@pytest.mark.parametrize("at_most", [None, 2, 1])
def test_kernels_keep_their_counts(loss, at_most):
    for seed in range(8):
        search = search_of(seed, loss, at_most)
        for found in search.drafts():
            consistent(found, search, loss)
            allocate(found, search.rng.permutation(search.N)[:7])
            consistent(found, search, loss)
            allocate(found, np.flatnonzero(labels_of(found) < 0))
            consistent(found, search, loss)
            while improve(found, search.rng.permutation(search.N)):
                consistent(found, search, loss)
            consistent(found, search, loss)
            other = twin(found)
            copy(other, found)
            clear(found, search.rng.permutation(search.N)[:5])
            consistent(found, search, loss)
            clear(found, np.flatnonzero(labels_of(found) == 0))
            consistent(found, search, loss)
            clear(found, np.flatnonzero(labels_of(found) >= 0))
            consistent(found, search, loss)
            assert found.n_clusters == 0
            allocate(found, search.rng.permutation(search.N))
            consistent(found, search, loss)
            consistent(other, search, loss)


@pytest.mark.parametrize("loss", [VI(), Binder(), ARI()], ids=str)
def test_clusters_die_in_the_kernels_without_a_trace(loss):
    """Started from all apart, like one of the draws, where all others have six pairs."""
    draws = np.vstack([np.tile(np.repeat(np.arange(6), 2), (9, 1)), np.arange(12)])
    search = Search(Partitions.from_labels(draws), loss, 12, rng_for(79))
    for found in search.drafts():
        fill(found, np.arange(12))
        consistent(found, search, loss)
        assert improve(found, np.array([0])) == 1
        assert found.n_clusters == 11
        consistent(found, search, loss)
        improve(found, np.arange(12))
        assert found.n_clusters == 6
        consistent(found, search, loss)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_filled_in_and_built_up_is_the_same(loss):
    search = search_of(1, loss)
    for found in search.drafts():
        other = twin(found)
        consistent(other, search, loss)
        assert (labels_of(other) == -1).all()
        allocate(found, np.arange(search.N))
        fill(other, labels_of(found))
        consistent(other, search, loss)
        assert labels_of(other).tolist() == labels_of(found).tolist()


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("at_most", [None, 2])
def test_an_object_is_put_where_the_expected_loss_is_smallest(loss, at_most):
    for seed in range(6):
        search = search_of(seed, loss, at_most)
        found = search.drafts()[-1]
        allocate(found, search.rng.permutation(search.N))
        for i in range(search.N):
            clear(found, np.array([i]))
            best = min(expected_loss(own, search, loss) for own in choices(found, i))
            allocate(found, np.array([i]))
            assert expected_loss(labels_of(found), search, loss) == pytest.approx(best, abs=1e-11)


@pytest.mark.parametrize("at_most", [None, 2])
def test_a_bound_from_pairs_leads_to_the_same_partition(at_most):
    """Clusters that are left out, because they are too dear by the bound, would not have been chosen."""
    for seed in range(20):
        search = search_of(seed, VI(), at_most, n=30)
        (bounded,), order = search.drafts(), search.rng.permutation(search.N)
        assert bounded.paired
        search.together = search_module.NOTHING
        (plain,) = search.drafts()
        assert not plain.paired
        for draft in (bounded, plain):
            allocate(draft, order)
            improve(draft, order)
        assert labels_of(bounded).tolist() == labels_of(plain).tolist()


def test_pairs_alone_tell_the_price_of_binders_loss_and_nearly_that_of_the_rand_index():
    rng = rng_for(80)
    base = rng.integers(5, size=60)
    draws = np.where(rng.random((40, 60)) < 0.2, rng.integers(5, size=(40, 60)), base)
    for loss, tolerance in ((Binder(1.0, 2.5), 1e-12), (ARI(), 0.005)):
        search = Search(Partitions.from_labels(draws), loss, None, rng)
        found = search.drafts()[0]
        assert found.n_draws == 0
        fill(found, base)
        assert search.price(found) == pytest.approx(expected_loss(base, search, loss), abs=tolerance)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("at_most", [None, 2])
def test_no_object_wants_to_move_in_the_end_and_no_step_was_a_loss(loss, at_most):
    for seed in range(6):
        search = search_of(seed, loss, at_most)
        found = search.drafts()[-1]
        fill(found, numbered(random_labels(search.rng, search.N, min(search.room, 4))[None])[0].astype(np.int64))
        now = expected_loss(labels_of(found), search, loss)
        while improve(found, search.rng.permutation(search.N)):
            before, now = now, expected_loss(labels_of(found), search, loss)
            assert now < before
        for i in range(search.N):
            assert all(expected_loss(own, search, loss) >= now - 1e-11 for own in choices(found, i))


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_building_clusters_anew_helps_and_never_harms(loss):
    """Noise, where single moves soon come to an end."""
    gains = []
    for seed in range(5):
        rng = rng_for(78, seed)
        search = Search(Partitions.from_labels(rng.integers(4, size=(6, 40))), loss, None, rng)
        found = search.drafts()[-1]
        allocate(found, rng.permutation(40))
        before, labels = search.improved(found)
        after, rebuilt = min(search.rebuilt(found, labels), key=lambda result: result[0])
        assert before == pytest.approx(expected_loss(labels, search, loss), abs=1e-12)
        assert after == pytest.approx(expected_loss(rebuilt, search, loss), abs=1e-12)
        gains.append(before - after)
    assert min(gains) >= 0
    assert max(gains) > 1e-6


def test_the_search_returns_what_was_built_anew(monkeypatch):
    better = np.zeros(N, dtype=int)
    monkeypatch.setattr(Search, "rebuilt", lambda self, found, labels: [(-1.0, better)])
    draws = Partitions.from_labels(np.tile(np.arange(N), (3, 1)))
    assert representative(draws).n_clusters == [1]


# Links.


def series_of_draws(*draws):
    """Every argument is one draw: labels per epoch."""
    return Partitions.from_labels([np.array(own) for own in zip(*draws, strict=True)])


def renamed(draw, rng):
    """The same linked partition with other names."""
    names = rng.permutation(20)
    return [names[own] for own in draw]


def test_births_and_deaths_are_found():
    """Lineage 1 dies after the first epoch, 2 is born at the second, 3 lives at the third alone."""
    truth = [np.array(own) for own in ([0, 0, 0, 0, 1, 1, 1], [2, 2, 2, 0, 0], [3, 3, 0, 0, 2, 2, 2])]
    rng = rng_for(75)
    found = representative(series_of_draws(*(renamed(truth, rng) for _ in range(12))), links="model")
    assert canonical(found.labels) == canonical(truth)
    assert found.expected_loss == 0
    assert found.n_clusters == [2, 2, 3]
    assert found.n_lineages == 4


@pytest.mark.parametrize("n_swapped", [4, 6])
def test_of_two_clusters_that_change_places_the_more_frequent_way_is_taken(n_swapped):
    rng, halves = rng_for(76), np.array([0, 0, 0, 1, 1, 1])
    stay, swap = [halves, halves, halves], [halves, 1 - halves, 1 - halves]
    draws = [renamed(swap if s < n_swapped else stay, rng) for s in range(10)]
    found = representative(series_of_draws(*draws), links="model")
    assert canonical(found.labels) == canonical(swap if n_swapped > 5 else stay)
    assert found.expected_loss == 0  # every epoch is certain


@pytest.mark.parametrize(("n_linked", "linked"), [(4, False), (6, True)])
def test_clusters_are_linked_if_more_than_half_of_the_draws_say_so(n_linked, linked):
    one, two = [[0, 0], [0, 0, 0]], [[0, 0], [1, 1, 1]]
    found = representative(series_of_draws(*[one] * n_linked, *[two] * (10 - n_linked)), links="model")
    assert found.n_lineages == (1 if linked else 2)


def test_a_link_may_be_best_though_improbable():
    """Four draws have it, three say both clusters changed places, and three that both died and others were born."""
    ways = [[[0, 0, 1, 1], second] for second in ([0, 0, 1, 1], [1, 1, 0, 0], [2, 2, 3, 3])]
    draws = series_of_draws(*[ways[0]] * 4, *[ways[1]] * 3, *[ways[2]] * 3)
    found = representative(draws, links="model")
    assert [own.tolist() for own in found.labels] == ways[0]
    alignment = align(draws, ways[0])
    assert right_statements(alignment, 1, [(0, 0), (1, 1)]) == pytest.approx(1.6)
    assert right_statements(alignment, 1, []) == pytest.approx(1.2)


def right_statements(alignment, t, links):
    """Expected number of statements that are right, where clusters go and come from, counted draw by draw."""
    goes, comes = dict(links), {later: earlier for earlier, later in links}
    total = 0
    for s in range(alignment.n_draws):
        before, now = (alignment.counterpart[s, own] for own in (t - 1, t))
        labels = [set(alignment.partitions.at(own)[s].tolist()) for own in (t - 1, t)]
        for g in np.flatnonzero(alignment.present[t - 1]):
            total += before[g] >= 0 and (before[g] == now[goes[g]] if g in goes else before[g] not in labels[1])
        for h in np.flatnonzero(alignment.present[t]):
            total += now[h] >= 0 and (now[h] == before[comes[h]] if h in comes else now[h] not in labels[0])
    return total / alignment.n_draws


def matchings(here, there):
    """All ways to link some of them one to one."""
    for r in range(min(len(here), len(there)) + 1):
        for some in combinations(here, r):
            yield from (list(zip(some, others, strict=True)) for others in permutations(there, r))


def most_right(alignment, t):
    here, there = (np.flatnonzero(alignment.present[own]).tolist() for own in (t - 1, t))
    return max(right_statements(alignment, t, links) for links in matchings(here, there))


def random_links(seed):
    """Noisy copies of two epochs with up to four clusters each, with links at random."""
    rng = rng_for(77, seed)
    k, m = rng.integers(1, 5, size=2)
    base = [random_labels(rng, 7, int(own)) for own in (k, m)]
    draws = []
    for _ in range(6):
        first, second = (np.where(rng.random(7) < 0.15, rng.integers(5, size=7), own) for own in base)
        names = rng.permutation(9)[:5] if rng.random() < 0.5 else np.arange(5) + (rng.random(5) < 0.3) * 9
        draws.append([first, names[second]])
    partitions = series_of_draws(*draws)
    return align(partitions, as_clustering(partitions, [base[0], base[1] + 4]))


@pytest.mark.parametrize("seed", range(25))
def test_no_links_are_expected_to_make_more_statements_right(seed):
    alignment = random_links(seed)
    links = best_links(alignment, 1, ModelLinks())
    here, there = zip(*links, strict=True) if links else ((), ())
    assert len(set(here)) == len(set(there)) == len(links)
    assert all(alignment.present[0, g] and alignment.present[1, h] for g, h in links)
    assert right_statements(alignment, 1, links) == pytest.approx(most_right(alignment, 1), abs=1e-12)


def test_random_links_are_of_all_kinds():
    """The test above sees links and their absence."""
    numbers = [len(best_links(random_links(seed), 1, ModelLinks())) for seed in range(25)]
    assert {0, 1, 2} <= set(numbers)


@pytest.mark.parametrize("loss", ["vi", "binder", "ari"])
def test_one_epoch_one_object_one_draw(loss):
    found = representative(Partitions.from_labels([[[4]]]), loss)
    assert [own.tolist() for own in found.labels] == [[0]]
    assert found.expected_loss == 0
    assert found.found_by == "search"


@pytest.mark.parametrize("loss", ["vi", "binder", "ari"])
def test_epochs_of_one_object(loss):
    """The object of the second epoch is with the first cluster in most draws, the last one is always new."""
    with_first, with_other = [[0, 0, 1], [0], [2]], [[0, 0, 1], [1], [2]]
    found = representative(series_of_draws(*[with_first] * 7, *[with_other] * 3), loss, links="model")
    assert [own.tolist() for own in found.labels] == [[0, 0, 1], [0], [2]]


def test_clusters_that_live_one_epoch_are_lineages_of_their_own():
    draws = Partitions.from_labels([np.tile(own, (6, 1)) for own in ([0, 0, 1], [2, 3], [4, 4, 5])])
    found = representative(draws, links="model")
    assert [own.tolist() for own in found.labels] == [[0, 0, 1], [2, 3], [4, 4, 5]]


def test_lineages_are_numbered_by_birth_and_then_by_size():
    draws = Partitions.from_labels([np.zeros((1, n), dtype=int) for n in (4, 5)])
    assert in_order_of_birth(np.array([7, 7, 3, 3, 3, 9, 9, 9, 1]), draws).tolist() == [1, 1, 0, 0, 0, 2, 2, 2, 3]
    assert in_order_of_birth(np.array([7, 7, 3, 3, 7, 9, 9, 1, 1]), draws).tolist() == [0, 0, 1, 1, 0, 2, 2, 3, 3]


def test_clusters_are_built_anew_for_different_partitions():
    rng = np.random.default_rng(0)
    base = rng.integers(5, size=100)
    draws = Partitions.from_labels(np.where(rng.random((50, 100)) < 0.1, rng.integers(5, size=(50, 100)), base))
    search, started = Search(draws, VI(), None, rng), []
    search.rebuilt = lambda found, labels: started.append(labels) or []
    search.results(8)
    partitions = {tuple(np.unique(own, return_index=True)[1][own]) for own in started}
    assert len(partitions) == len(started)


@pytest.mark.parametrize("seed", [-1, 1.5, None, "one"])
def test_seeds_that_are_none_are_refused(seed):
    with pytest.raises(SettingsError, match="seed must be a whole number"):
        representative(Partitions.from_labels([[[0, 1]]]), seed=seed)


def test_links_by_place_find_lineages_that_the_model_cannot_know():
    """Clusters of equal size at the corners of a square: only places say which is which, and one is away once."""
    corners = np.array([[0.0, 0.0], [0.0, 9.0], [9.0, 0.0], [9.0, 9.0]])
    there = [[0, 1, 2, 3], [3, 1, 0], [2, 0, 3, 1]]
    rng = np.random.default_rng(0)
    X = np.vstack([np.repeat(corners[own], 5, axis=0) for own in there]) + rng.normal(scale=0.3, size=(55, 2))
    time = np.repeat([0, 1, 2], [20, 15, 20])
    series = DistanceSeries.from_features(X, time=time, cross=True)
    model, settings = Hyperparameters(dof=2, geometry="full"), SamplerSettings(n_chains=1, n_warmup=200, n_draws=100)
    sample = run_chains(series, model, settings)
    found = representative(sample)
    assert found.linked_by.name == "place"
    names = [found.labels[0][::5].tolist()[corner] for corner in range(4)]
    assert [own[::5].tolist() for own in found.labels] == [[names[corner] for corner in own] for own in there]
    assert representative(sample, links="model").linked_by.name == "model"
    with pytest.raises(SettingsError, match='links="objects" needs ids'):
        representative(sample, links="objects")
    with pytest.raises(SettingsError, match='links="place" needs distances between times'):
        representative(sample.partitions, links="place")
    with pytest.raises(SettingsError, match="links must be"):
        representative(sample, links="nonsense")


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_lineages_of_all_epochs_together_are_the_best(loss, everything):
    labels = numbered(rng_for(977).integers(3, size=(30, N)))
    draws = Partitions(labels, (3, 4, 1), (0, 1, 2))
    found = representative(draws, loss, jointly=True)
    expected = losses_to_draws(np.concatenate(found.labels).astype(np.int32), labels, loss).mean()
    assert expected == pytest.approx(everything.expected(labels, loss).min(), abs=1e-12)
    assert found.found_by == "joint search"
    assert representative(draws, loss).found_by == "search"


@pytest.mark.parametrize("loss", ["vi", "binder", "ari"])
def test_many_objects_join_what_was_found_for_some(loss, monkeypatch):
    rng = rng_for(11)
    truth = rng.integers(4, size=400)
    labels = np.where(rng.random((60, 400)) < 0.15, rng.integers(4, size=(60, 400)), truth)
    draws = Partitions.from_labels(labels)
    whole = representative(draws, loss)
    monkeypatch.setattr(point_estimate, "MOST_SEARCHED", 60)
    found = representative(draws, loss)
    assert found.expected_loss <= whole.expected_loss + 1e-9
    mine, theirs = (clustering.labels[0] for clustering in (found, whole))
    assert np.array_equal(mine[:, None] == mine, theirs[:, None] == theirs)
