"""Louvain clustering: repeatable, numbered by size, and leaving igraph's random numbers as they were."""

import random

import igraph
import numpy as np
import pytest

from reference import rng_for
from tetiwd.notes.louvain import Ties, by_size, louvain, strengths


def planted(rng, sizes, inside=0.5, outside=0.02):
    """A random graph with groups."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    one, other = np.triu_indices(len(group), 1)
    there = rng.random(len(one)) < np.where(group[one] == group[other], inside, outside)
    weight = rng.uniform(0.5, 1.0, size=int(there.sum()))
    return Ties(len(group), one[there].astype(np.int32), other[there].astype(np.int32), weight), group


def test_planted_groups_are_found_and_numbered_by_size():
    ties, group = planted(rng_for(930), [20, 40, 30])
    labels = louvain(ties, np.ones(90, dtype=np.int64), 1.0, 0)
    assert labels.tolist() == np.array([2, 0, 1])[group].tolist()


def test_a_larger_resolution_makes_more_clusters():
    ties, _ = planted(rng_for(931), [30] * 4)
    n_found = [louvain(ties, np.ones(120, dtype=np.int64), r, 0).max() + 1 for r in (0.1, 1.0, 5.0)]
    assert n_found[0] < n_found[1] < n_found[2]


def test_the_same_seed_gives_the_same_clusters_whatever_was_drawn_before():
    ties, _ = planted(rng_for(932), [40] * 3, inside=0.15, outside=0.1)  # hardly any groups: chance decides
    sizes = np.ones(120, dtype=np.int64)
    first = louvain(ties, sizes, 1.0, 0)
    random.seed(5)
    random.random()
    np.testing.assert_array_equal(louvain(ties, sizes, 1.0, 0), first)
    assert any((louvain(ties, sizes, 1.0, seed) != first).any() for seed in range(1, 6))


def test_random_numbers_of_others_are_left_alone():
    ties, _ = planted(rng_for(933), [10, 10])
    random.seed(7)
    expected = random.random()
    random.seed(7)
    louvain(ties, np.ones(20, dtype=np.int64), 1.0, 0)
    assert random.random() == expected

    def drawn():
        random.seed(3)
        return igraph.Graph.Erdos_Renyi(30, m=40).get_edgelist()

    before = drawn()
    louvain(ties, np.ones(20, dtype=np.int64), 1.0, 1)
    assert drawn() == before  # igraph draws from Python's generator again


def test_igraph_gets_its_generator_back_after_an_error(monkeypatch):
    ties, _ = planted(rng_for(934), [10, 10])
    with pytest.raises(Exception, match="eight"):
        louvain(ties._replace(weight=ties.weight[:-1]), np.ones(20, dtype=np.int64), 1.0, 0)
    random.seed(3)
    one = igraph.Graph.Erdos_Renyi(30, m=40).get_edgelist()
    random.seed(3)
    assert igraph.Graph.Erdos_Renyi(30, m=40).get_edgelist() == one


def test_nodes_without_ties_are_clusters_of_one():
    ties = Ties(4, np.array([0], np.int32), np.array([1], np.int32), np.array([1.0]))
    assert louvain(ties, np.array([1, 1, 9, 1]), 1.0, 0).tolist() == [1, 1, 0, 2]


def test_by_size_counts_sentences_and_keeps_order_among_equals():
    assert by_size(np.array([5, 5, 2, 7]), np.array([1, 1, 9, 2])).tolist() == [1, 1, 0, 2]


def test_strength_counts_ties_inside_clusters_only():
    ties = Ties(3, np.array([0, 0, 1], np.int32), np.array([1, 2, 2], np.int32), np.array([1.0, 10.0, 100.0]))
    assert strengths(ties, np.array([0, 0, 1])).tolist() == [1.0, 1.0, 0.0]
    assert strengths(ties, np.array([0, 1, 0])).tolist() == [10.0, 0.0, 10.0]
