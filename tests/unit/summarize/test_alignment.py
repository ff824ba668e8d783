"""Draws in the words of a clustering: one to one at every epoch, with as many objects in agreement as possible."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import rng_for
from tetiwd.errors import DataError, SettingsError
from tetiwd.partitions import Partitions
from tetiwd.summarize.alignment import OTHER, align
from tetiwd.summarize.clustering import as_clustering


class Case:
    """Draws, some of them close to a clustering, some not, and everything matched."""

    def __init__(self, seed: int, n_objects: tuple[int, ...]) -> None:
        rng = rng_for(67, seed)
        base = [rng.integers(4, size=n) for n in n_objects]
        noise, n_draws = rng.choice([0.0, 0.2, 1.0]), int(rng.integers(1, 7))
        drawn = [np.tile(own, (n_draws, 1)) for own in base]
        for own in drawn:
            other = rng.random(own.shape) < noise
            own[other] = rng.integers(5, size=other.sum())
        self.draws = Partitions.from_labels(drawn)
        self.found = align(self.draws, base)
        self.labels = self.found.clustering.labels
        self.epochs = range(len(n_objects))
        self.lineages = range(self.found.n_lineages)

    def members(self, s, t, label):
        """Objects of a draw's cluster."""
        return set(np.flatnonzero(self.draws.at(t)[s] == label).tolist())

    def everywhere(self):
        """Draws and epochs."""
        return [(s, t) for s in range(self.draws.n_draws) for t in self.epochs]

    def label(self, s, t, c):
        """The draw's name of a cluster, None where it has none."""
        own = int(self.found.counterpart[s, t, c])
        return None if own < 0 else own


cases = st.builds(Case, st.integers(0, 2**32 - 1), st.sampled_from([(6,), (1,), (7, 5), (4, 1, 5), (1, 1, 1)]))


def most_agreement(mine, theirs):
    """Largest number of objects in agreement over all ways of naming their clusters by mine."""
    ours, other = sorted(set(mine.tolist())), sorted(set(theirs.tolist()))
    ours += [None] * (len(other) - len(ours))
    return max(
        sum(dict(zip(other, names, strict=False))[b] == a for a, b in zip(mine.tolist(), theirs.tolist(), strict=True))
        for names in permutations(ours, len(other))
    )


@given(cases)
def test_as_many_objects_agree_as_possible(case):
    for s, t in case.everywhere():
        agreement = (case.found.words_at(t)[s] == case.labels[t]).sum()
        assert agreement == most_agreement(case.labels[t], case.draws.at(t)[s])


@given(cases)
def test_clusters_are_matched_one_to_one_with_those_they_share_objects_with(case):
    for s, t in case.everywhere():
        matched = [c for c in case.lineages if case.label(s, t, c) is not None]
        assert len({case.label(s, t, c) for c in matched}) == len(matched)
        for c in matched:
            mine = set(np.flatnonzero(case.labels[t] == c).tolist())
            assert mine & case.members(s, t, case.label(s, t, c))


@given(cases)
def test_words_and_counterparts_say_the_same(case):
    for s, t in case.everywhere():
        names = {case.label(s, t, c): c for c in case.lineages}
        expected = [names.get(own, OTHER) for own in case.draws.at(t)[s].tolist()]
        assert case.found.words_at(t)[s].tolist() == expected


@given(cases)
def test_sizes_count_members_and_add_up(case):
    sizes = case.found.sizes()
    assert sizes.shape == (case.draws.n_draws, len(case.epochs), case.found.n_lineages + 1)
    assert (sizes.sum(axis=2) == case.draws.n_objects).all()
    for s, t in case.everywhere():
        for c in case.lineages:
            label = case.label(s, t, c)
            assert sizes[s, t, c] == (0 if label is None else len(case.members(s, t, label)))


@given(cases)
def test_presence_is_that_of_the_clustering(case):
    present = [[bool((own == c).any()) for c in case.lineages] for own in case.labels]
    assert case.found.present.tolist() == present
    assert (case.found.counterpart[:, ~case.found.present] == -1).all()


@given(cases)
def test_lineages_are_alive_where_the_draw_has_their_label(case):
    for t in case.epochs:
        for other in case.epochs:
            alive = case.found.alive_at(t, other)
            for s in range(case.draws.n_draws):
                labels = [case.label(s, t, c) for c in case.lineages]
                expected = [own is not None and bool(case.members(s, other, own)) for own in labels]
                assert alive[s].tolist() == expected


@given(cases)
def test_links_births_and_deaths_are_those_of_the_draw(case):
    for s, t in case.everywhere():
        if t == 0:
            continue
        linked, born, died = (own(t)[s] for own in (case.found.linked, case.found.born, case.found.died))
        before, now = ([case.label(s, own, c) for c in case.lineages] for own in (t - 1, t))
        for c in case.lineages:
            for b in case.lineages:
                assert linked[c, b] == (before[c] is not None and before[c] == now[b])
            assert born[c] == (now[c] is not None and not case.members(s, t - 1, now[c]))
            assert died[c] == (before[c] is not None and not case.members(s, t, before[c]))


def test_matching_by_hand():
    """The draw's large cluster is named after the largest part of it, what is left over is another one."""
    draws = Partitions.from_labels([[[7, 7, 7, 7, 7, 2, 2, 3]], [[3, 3, 3, 3, 9]]])
    found = align(draws, [[0, 0, 0, 1, 1, 1, 1, 1], [0, 0, 0, 0, 1]])
    assert found.words.tolist() == [[0, 0, 0, 0, 0, 1, 1, OTHER, 0, 0, 0, 0, 1]]
    assert found.counterpart.tolist() == [[[2, 0], [1, 3]]]
    assert found.sizes().tolist() == [[[5, 2, 1], [4, 1, 0]]]
    assert not found.linked(1).any()
    assert found.born(1).tolist() == [[False, True]]  # the draw's cluster 3 was there before, as another one
    assert found.died(1).tolist() == [[True, True]]


def test_the_name_that_leaves_most_for_the_others_is_taken():
    """The large cluster has three objects of each; the small one can only be 0."""
    draws = Partitions.from_labels([[[0, 0, 0, 1, 1, 0, 0, 0]]])
    found = align(draws, [[0, 0, 0, 0, 0, 1, 1, 1]])
    assert found.words.tolist() == [[1, 1, 1, 0, 0, 1, 1, 1]]


def test_a_draw_like_the_clustering_has_its_words():
    labels = [np.array([0, 1, 1, 2]), np.array([2, 2, 0]), np.array([3])]
    renamed = [np.array([5, 8, 2, 4])[own][None] for own in labels]
    found = align(Partitions.from_labels(renamed), labels)
    assert found.words[0].tolist() == found.clustering.flat.tolist()
    stays = np.eye(4, dtype=bool) & found.present[0][:, None] & found.present[1]
    assert np.array_equal(found.linked(1)[0], stays)
    assert np.flatnonzero(found.died(2)[0]).tolist() == np.flatnonzero(found.present[1]).tolist()


def test_draws_are_thinned_evenly():
    draws = Partitions.from_labels(np.tri(31, dtype=int))
    found = align(draws, np.zeros(31, dtype=int), max_draws=4)
    assert found.n_draws == 4
    assert found.partitions.labels.sum(axis=1).tolist() == draws.labels[[0, 10, 20, 30]].sum(axis=1).tolist()
    assert len(found.words) == len(found.counterpart) == 4
    with pytest.raises(SettingsError, match="number of draws"):
        align(draws, np.zeros(31, dtype=int), max_draws=0)


def test_clusterings_are_kept_and_other_objects_refused():
    draws = Partitions.from_labels([[[0, 1, 1]]])
    clustering = as_clustering(draws, [0, 0, 1])
    assert align(draws, clustering).clustering is clustering
    with pytest.raises(DataError, match="one list per epoch"):
        align(draws, [0, 1])
    with pytest.raises(DataError, match="one list per epoch"):
        align(Partitions.from_labels([[[0, 1]]]), clustering)
