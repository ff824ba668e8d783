"""The prior of lineages with returns: a distribution, the paper's where nothing is absent, and what the urn draws."""

from collections import Counter
from itertools import pairwise
from math import exp

import numpy as np
import pytest

from reference import linked_partitions, rng_for, set_partitions
from tetiwd.model import log_prior_partitions
from tetiwd.model.moving import draw_lineages
from tetiwd.model.urn import log_prior_lineages

SIZES = [(2, 2, 2), (2, 0, 3), (0, 2, 1, 2), (4,), (1, 2, 0, 2)]


def lineages_of(sizes):
    """All ways to divide objects of several epochs into lineages."""
    ends = np.cumsum(sizes)[:-1]
    return [np.split(labels, ends) for labels in set_partitions(sum(sizes))]


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize(("delta", "kappa"), [(1.0, 1.0), (0.4, 1.0), (0.7, 0.3), (0.2, 2.5)])
def test_probabilities_add_up_to_one(sizes, delta, kappa):
    total = sum(exp(log_prior_lineages(labels, 1.3, delta, kappa)) for labels in lineages_of(sizes))
    assert total == pytest.approx(1, abs=1e-12)


def test_without_absences_it_is_the_prior_of_the_paper():
    n = 0
    for labels in linked_partitions((3, 2, 2)):
        seen = [{int(c) for c in own} for own in labels]
        if all(earlier <= later for earlier, later in pairwise(seen)):  # nobody is ever absent
            assert log_prior_lineages(labels, 0.8, 0.5, 1.0) == pytest.approx(log_prior_partitions(labels, 0.8))
            n += 1
    assert n == 19


@pytest.mark.parametrize("sizes", SIZES)
def test_the_urn_draws_from_it(sizes):
    rng, n = rng_for(41), 8_000
    drawn = Counter()
    for _ in range(n):
        flat = np.concatenate(draw_lineages(sizes, 1.3, 0.6, 0.5, rng))
        drawn[tuple(np.unique(flat, return_index=True)[1].argsort().argsort()[flat].tolist())] += 1
    chi_square, cells = 0.0, 0
    for labels in lineages_of(sizes):
        expected = n * exp(log_prior_lineages(labels, 1.3, 0.6, 0.5))
        chi_square += (drawn[tuple(np.concatenate(labels).tolist())] - expected) ** 2 / expected
        cells += 1
    assert abs(chi_square - (cells - 1)) < 5 * np.sqrt(2 * cells) + 20
