"""Which objects are unassigned, how probable that is, and which cluster is nearest to them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import rng_for
from tetiwd import DistanceSeries, align, credible_ball, forecast
from tetiwd.partitions import Partitions
from tetiwd.summarize.certainty import memberships
from tetiwd.summarize.clustering import as_clustering, each_alone
from tetiwd.summarize.lineages import lineages
from tetiwd.summarize.unassigned import (
    assigned_labels,
    nearest_lineages,
    unassigned_given_others,
    unassigned_probabilities,
)


def draws_of(*epochs, **options):
    """The same partition in ten draws."""
    return Partitions.from_labels([np.tile(labels, (10, 1)) for labels in epochs], **options)


def assigned(labels, min_size):
    """A clustering after the rule, as lists."""
    clustering = as_clustering(draws_of(*labels), labels)
    return [labels_t.tolist() for labels_t in assigned_labels(clustering, min_size)]


class TestRule:
    def test_an_object_alone_is_unassigned(self):
        assert assigned([[0, 0, 1]], 2) == [[0, 0, -1]]

    def test_a_lineage_that_is_large_at_another_time_is_kept(self):
        assert assigned([[0, 0, 1], [0, 0, 1, 1]], 2) == [[0, 0, 1], [0, 0, 1, 1]]

    def test_objects_alone_at_every_time_are_unassigned_even_if_linked(self):
        assert assigned([[0, 0, 1], [0, 0, 1], [0, 0]], 2) == [[0, 0, -1], [0, 0, -1], [0, 0]]

    def test_sizes_at_different_times_are_not_added_up(self):
        assert assigned([[0, 0, 0, 1, 1], [0, 0, 0, 1, 1]], 3) == [[0, 0, 0, -1, -1], [0, 0, 0, -1, -1]]

    def test_as_many_as_asked_for_are_enough(self):
        assert assigned([[0, 0, 0, 1, 1]], 2) == [[0, 0, 0, 1, 1]]

    def test_one_switches_it_off(self):
        assert assigned([[0, 1, 2], [0, 3]], 1) == [[0, 1, 2], [0, 3]]

    def test_all_may_be_unassigned(self):
        assert assigned([[0, 1], [1, 2]], 2) == [[-1, -1], [-1, -1]]


class TestClustering:
    def test_unassigned_objects_are_no_cluster(self):
        labels = [[0, 0, 0, 1, -1], [-1, 1], [-1]]
        found = as_clustering(draws_of([0, 0, 0, 1, 2], [3, 1], [4]), labels)
        assert [labels_t.tolist() for labels_t in found.labels] == labels
        assert (found.n_clusters, found.n_lineages, found.n_unassigned) == ([2, 1, 0], 2, [1, 1, 1])
        assert found.sizes.tolist() == [[3, 1], [0, 1], [0, 0]]
        assert found.lineages_at(1).tolist() == [1]
        assert "2, 1, 0 clusters in 2 lineages, 3 objects unassigned" in repr(found)

    def test_lineages_are_numbered_without_them(self):
        found = as_clustering(draws_of([0, 1, 2, 2]), [[-1, 7, 3, 3]])
        assert found.flat.tolist() == [-1, 1, 0, 0]

    def test_each_is_alone_in_the_partition(self):
        assert each_alone(np.array([-1, 2, -1, 0])).tolist() == [3, 2, 4, 0]
        draws = draws_of([0, 0, 1, 2])
        assert as_clustering(draws, [[0, 0, -1, -1]]).expected_loss == 0
        assert credible_ball(draws, [[0, 0, -1, -1]]).radius == 0

    def test_draws_are_matched_without_them(self):
        alignment = align(draws_of([0, 0, 1, 2]), [[0, 0, -1, -1]])
        assert alignment.words[0].tolist() == [0, 0, -1, -1]
        assert alignment.counterpart.shape == (10, 1, 1)


@given(st.integers(0, 50), st.integers(1, 4))
def test_probabilities_are_shares_of_draws(seed, min_size):
    rng = rng_for(seed)
    drawn = [rng.integers(4, size=(12, n)) for n in (5, 7)]
    partitions = Partitions.from_labels(drawn)
    alignment = align(partitions, assigned_labels(as_clustering(partitions, [labels[0] for labels in drawn]), min_size))
    clustering = alignment.clustering
    for t, found in enumerate(unassigned_probabilities(alignment, min_size)):
        for i, share in enumerate(found):
            slow = 0
            for s in range(12):
                small = sum(drawn[t][s] == drawn[t][s, i]) < min_size
                word = alignment.words_at(t)[s, i]
                slow += small and not (word >= 0 and clustering.sizes[t, word] < min_size)
            assert share == pytest.approx(slow / 12)


def test_two_objects_apart_in_some_draws_are_both_alone_there():
    draws = Partitions.from_labels(np.array([[0, 0, 0, 1, 1]] * 6 + [[0, 0, 0, 1, 2]] * 4))
    found = memberships(align(draws, [[0, 0, 0, 1, 1]]))
    assert found.unassigned[0].tolist() == [0, 0, 0, 0.4, 0.4]


def test_a_small_time_of_a_large_lineage_is_not_unassigned():
    found = memberships(align(draws_of([0, 0, 1], [0, 0, 1, 1]), [[0, 0, 1], [0, 0, 1, 1]]))
    assert not np.concatenate(found.unassigned).any()


def test_certainty_of_an_unassigned_object_is_that_of_being_unassigned():
    draws = Partitions.from_labels(np.array([[0, 0, 0, 1]] * 7 + [[0, 0, 0, 0]] * 3))
    found = memberships(align(draws, [[0, 0, 0, -1]]))
    assert found.certainty[0].tolist() == [1, 1, 1, 0.7]
    row = found.table().iloc[3]
    assert (row.lineage, row.next_lineage, row.next_probability) == (-1, 0, 0.3)
    assert row.unassigned_probability == 0.7


class TestNearest:
    points = np.array([0.0, 1, 10, 11, 30, -50])

    def series(self, *epochs):
        return DistanceSeries.from_distances([(x[:, None] - x) ** 2 for x in epochs], squared=True)

    def test_the_nearest_mean_of_the_time(self):
        clustering = as_clustering(draws_of([0, 0, 1, 1, 2, 3]), [[0, 0, 1, 1, -1, -1]])
        assert nearest_lineages(self.series(self.points), clustering)[0].tolist() == [-1, -1, -1, -1, 1, 0]

    def test_a_wide_cluster_counts_by_its_mean(self):
        x = np.array([-9.0, 9, 4, 4.5, 1])
        clustering = as_clustering(draws_of([0, 0, 1, 1, 2]), [[0, 0, 1, 1, -1]])
        assert nearest_lineages(self.series(x), clustering)[0][-1] == 0

    def test_there_may_be_no_cluster(self):
        clustering = as_clustering(draws_of([0, 0, 1], [2, 3, 4]), [[0, 0, -1], [-1, -1, -1]])
        assert nearest_lineages(self.series(self.points[:3], self.points[:3]), clustering)[1].tolist() == [-1, -1, -1]

    def test_it_is_named_only_where_no_draw_says_more(self):
        draws = Partitions.from_labels(np.array([[0, 0, 1, 1, 2, 3]] * 9 + [[0, 0, 1, 1, 0, 2]]))
        alignment = align(draws, [[0, 0, 1, 1, -1, -1]])
        nearest = nearest_lineages(self.series(self.points), alignment.clustering)
        table = memberships(alignment, nearest=nearest).table()
        assert table.next_lineage.tolist()[4:] == [0, 0]
        assert table.next_probability.tolist()[4:] == [0.1, 0]


def test_given_the_others_it_counts_how_large_a_cluster_would_be():
    found = np.array([[0.7, 0.2, 0.1, 0.0], [0.5, 0.1, 0.3, 0.1]])  # three clusters and a new one
    sizes, lineages = np.array([8, 1, 1]), np.array([0, -1, -1, -1])
    alone = unassigned_given_others(found, np.array([1, 0]), sizes, lineages, 2)
    assert alone.tolist() == pytest.approx([0.2, 0.1])  # its own cluster or a new one; two together are enough
    pairs = unassigned_given_others(found, np.array([1, 0]), sizes, lineages, 3)
    assert pairs.tolist() == pytest.approx([0.3, 0.5])
    assert not unassigned_given_others(found, np.array([1, 0]), sizes, lineages, 1).any()


def test_unassigned_objects_flow_and_count_as_others():
    ids = [["a", "b", "c"], ["a", "b", "c"]]
    alignment = align(draws_of([0, 0, 1], [0, 0, 0], ids=ids), [[0, 0, -1], [0, 0, 0]])
    flows = lineages(alignment).flows()
    assert flows[["from_lineage", "to_lineage", "n_objects"]].to_numpy().tolist() == [[0, 0, 2], [-1, 0, 1]]
    coming = forecast(alignment.partitions, alignment, at=0).table()
    assert coming.cluster.tolist() == [0, "other", "new"]
    assert coming.now.tolist() == pytest.approx([2 / 3, 1 / 3, 0])
