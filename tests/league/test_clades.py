"""Simulated genomes: distances are counts of differences, and labels are clades."""

import numpy as np
from benchmarks.league.clades import Population, ancestry, clades, differences

from tetiwd.data.tree_likeness import mean_delta

SMALL = Population(40, 3, 10, generations_back=15, generations_before=60, sampled=(8, 12))


def test_distances_count_mutations_that_are_not_shared():
    rng = np.random.default_rng(0)
    parents, mutations = rng.integers(6, size=(9, 6)), rng.poisson(1.0, size=(9, 6))
    born, sampled = np.array([8, 8, 8, 5, 5, 2]), np.array([0, 3, 5, 1, 4, 2])
    genomes = []
    for generation, one in zip(born, sampled, strict=True):
        genome, at = set(), one
        for g in range(generation, -1, -1):
            genome |= {(g, at, i) for i in range(mutations[g, at])}
            at = parents[g, at]
        genomes.append(genome)
    expected = [[len(a ^ b) for b in genomes] for a in genomes]
    np.testing.assert_array_equal(differences(ancestry(parents, born, sampled), mutations), expected)


def test_a_series_is_a_tree_with_clades_that_hold_together():
    data = clades(3, SMALL)
    assert data.series.n_epochs == 3
    assert mean_delta(data.series.cross) < 1e-9
    labels, D = np.concatenate(data.labels), data.series.cross
    together, itself = labels[:, None] == labels, np.eye(len(labels), dtype=bool)
    assert 1 < len(np.unique(labels)) < len(labels)
    assert D[together & ~itself].mean() < D[~together].mean()


def test_the_same_seed_makes_the_same_series():
    one, two, other = clades(3, SMALL), clades(3, SMALL), clades(4, SMALL)
    np.testing.assert_array_equal(one.series.cross, two.series.cross)
    assert one.series.n_objects != other.series.n_objects or (one.series.cross != other.series.cross).any()
