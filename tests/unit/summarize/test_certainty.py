"""Memberships are shares of draws, and the objects between clusters are found."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import rng_for
from tetiwd.errors import SettingsError
from tetiwd.partitions import Partitions
from tetiwd.summarize.alignment import OTHER, align
from tetiwd.summarize.certainty import memberships

COLUMNS = ["time", "object", "lineage", "certainty", "next_lineage", "next_probability", "unassigned_probability"]


def random_memberships(seed, n_objects):
    rng = rng_for(68, seed)
    base = [rng.integers(4, size=n) for n in n_objects]
    drawn = [np.tile(own, (int(seed % 12) + 1, 1)) for own in base]
    for own in drawn:
        other = rng.random(own.shape) < 0.4
        own[other] = rng.integers(6, size=other.sum())
    return memberships(align(Partitions.from_labels(drawn, times=[2000 + t for t in range(len(base))]), base))


cases = st.builds(random_memberships, st.integers(0, 2**32 - 1), st.sampled_from([(6,), (1,), (5, 1, 4)]))


def ten_draws():
    """Object 2 is in cluster 0 in six draws, in cluster 1 in three, alone in one; the second epoch is certain."""
    first = [[0, 0, 0, 1, 1]] * 6 + [[0, 0, 1, 1, 1]] * 3 + [[0, 0, 2, 1, 1]]
    second = [[0, 1]] * 10
    return Partitions.from_labels([np.array(first), np.array(second)], times=["May", "June"])


def found_in_ten():
    draws = ten_draws()
    return memberships(align(draws, [[0, 0, 0, 1, 1], [0, 1]]))


@given(cases)
def test_probabilities_are_shares_of_draws(found):
    alignment = found.alignment
    for t, p in enumerate(found.probabilities):
        words = alignment.words_at(t)
        lineages = [*range(alignment.n_lineages), OTHER]
        slow = [[np.mean(words[:, i] == c) for c in lineages] for i in range(words.shape[1])]
        assert np.allclose(p, slow, rtol=0, atol=1e-15)
        assert np.allclose(p.sum(axis=1), 1, rtol=0, atol=1e-14)


@given(cases)
def test_certainty_is_the_probability_of_the_own_cluster(found):
    for t, certainty in enumerate(found.certainty):
        own = found.alignment.clustering.labels[t]
        assert np.allclose(certainty, (found.alignment.words_at(t) == own).mean(axis=0), rtol=0, atol=1e-15)


@given(cases, st.sampled_from([0.3, 0.7, 1.0]))
def test_objects_between_clusters_are_those_below_the_bound_in_order(found, below):
    table = found.between(below)
    assert list(table) == COLUMNS
    assert table["certainty"].is_monotonic_increasing
    rows = {(row.time - 2000, row.object): row for row in table.itertuples()}
    assert len(rows) == len(table)
    for t, certainty in enumerate(found.certainty):
        assert [i for i in range(len(certainty)) if (t, i) in rows] == np.flatnonzero(certainty < below).tolist()
        for i in np.flatnonzero(certainty < below):
            row, p = rows[t, i], found.probabilities[t][i]
            assert row.lineage == found.alignment.clustering.labels[t][i]
            assert row.certainty == p[row.lineage]
            assert row.next_lineage != row.lineage
            assert (
                row.next_probability == p[row.next_lineage] == np.delete(p, row.lineage).max()
            )  # p[−1] is another one


def test_by_hand():
    found = found_in_ten()
    assert np.allclose(found.probabilities[0][2], [0.6, 0.3, 0.1])
    assert np.allclose(found.certainty[0], [1, 1, 0.6, 1, 1])
    assert found.certainty[1].tolist() == [1, 1]
    table = found.between()
    assert table.to_numpy().tolist() == [["May", 2, 0, 0.6, 1, 0.3, 0.1]]
    assert repr(found) == "Memberships(7 objects; certainty 0.94 on average, below one half for 0)"


def test_next_may_be_a_cluster_the_clustering_does_not_have():
    draws = Partitions.from_labels(np.array([[0, 0, 0], [0, 0, 1], [0, 0, 1]]))
    table = memberships(align(draws, [0, 0, 0])).between()
    assert table["object"].tolist() == [2]
    assert table["next_lineage"].tolist() == [OTHER]
    assert table["next_probability"].to_numpy() == pytest.approx(2 / 3)


def test_objects_at_the_bound_are_not_below_it():
    assert len(found_in_ten().between(0.6)) == 0
    assert len(found_in_ten().between(0.61)) == 1


def test_a_table_without_rows_has_its_columns():
    table = found_in_ten().between(0.2)
    assert list(table) == COLUMNS
    assert len(table) == 0


def test_one_draw_like_the_clustering_is_certain():
    found = memberships(align(Partitions.from_labels([[[3]]]), [0]))
    assert found.probabilities[0].tolist() == [[1.0, 0.0]]
    assert len(found.between(1)) == 0


@pytest.mark.parametrize("below", [0, -0.1, 1.01, np.nan])
def test_bounds_that_are_no_probabilities_are_refused(below):
    with pytest.raises(SettingsError, match="below must lie between 0 and 1, not"):
        found_in_ten().between(below)
