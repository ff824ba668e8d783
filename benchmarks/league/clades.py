"""Genomes of a population that evolves, sampled by season: clades rise, drift apart and die out.

Every generation chooses its parents at random from the one before (Wright and Fisher), and every child has new
mutations, each at a site of its own. The distance of two genomes is the number of mutations that they do not share, so
distances add up along the tree. Two genomes have the same label if they have the same ancestor a given number of
generations before the first season.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.labelled import Labelled
from tetiwd import DistanceSeries

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Population:
    """A population and how it is sampled."""

    n: int = 300
    n_seasons: int = 8
    generations_between: int = 30
    generations_back: int = 150  # from the first season to the ancestors that labels stand for
    generations_before: int = 700  # the first season; long enough for most to have a common ancestor
    mutations: float = 1.5  # of a child, on average
    sampled: tuple[int, int] = (25, 60)  # least and most genomes of a season

    @property
    def seasons(self) -> Ints:
        """Generations in which genomes are sampled."""
        return self.generations_before + self.generations_between * np.arange(self.n_seasons)


def clades(seed: int, population: Population) -> Labelled:
    """A series of genomes by season, with clades as labels."""
    rng, p = np.random.default_rng(seed), population
    n_generations = int(p.seasons[-1]) + 1
    parents = rng.integers(p.n, size=(n_generations, p.n))
    mutations = rng.poisson(p.mutations, size=(n_generations, p.n))
    sizes = rng.integers(*p.sampled, size=p.n_seasons)
    season = np.repeat(np.arange(p.n_seasons), sizes)
    sampled = np.concatenate([rng.choice(p.n, size, replace=False) for size in sizes])
    ancestors = ancestry(parents, p.seasons[season], sampled)
    D = differences(ancestors, mutations)
    clade = np.unique(ancestors[p.generations_before - p.generations_back], return_inverse=True)[1]
    rows = [np.flatnonzero(season == t) for t in range(p.n_seasons)]
    series = DistanceSeries.from_distances([D[np.ix_(own, own)] for own in rows], squared=True, cross=D)
    return Labelled(series, [clade[own] for own in rows])


def ancestry(parents: Ints, born: Ints, sampled: Ints) -> Ints:
    """(generations, genomes) ancestors of every genome, itself in its own generation, and −1 after it."""
    found = np.full((len(parents), len(sampled)), -1)
    found[born, np.arange(len(born))] = sampled
    for g in range(len(parents) - 1, 0, -1):
        alive = found[g] >= 0
        found[g - 1, alive] = parents[g, found[g, alive]]
    return found


def differences(ancestors: Ints, mutations: Ints) -> NDArray[np.float64]:
    """Mutations that two genomes do not share, those of the common founder left out."""
    own = np.where(ancestors >= 0, np.take_along_axis(mutations, np.maximum(ancestors, 0), axis=1), 0)
    until = np.cumsum(own, axis=0)  # mutations from the beginning to every generation
    shared = np.zeros((ancestors.shape[1],) * 2)
    for line, sofar in zip(ancestors, until, strict=True):
        together = (line[:, None] == line) & (line >= 0)
        shared[together] = np.broadcast_to(sofar, shared.shape)[together]
    return until[-1][:, None] + until[-1] - 2 * shared
