"""Agreement with known labels against scikit-learn's scores."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, completeness_score, homogeneity_score

from reference import SEED
from tetiwd.errors import DataError
from tetiwd.partitions import Partitions
from tetiwd.summarize.alignment import align
from tetiwd.summarize.known_labels import agreement


@pytest.fixture
def drawn():
    rng = np.random.default_rng(SEED)
    draws = [rng.integers(3, size=(7, n)) for n in (12, 9)]
    clustering = [rng.integers(3, size=n) for n in (12, 9)]
    clustering[1][:2] = -1
    return align(Partitions.from_labels(draws, times=[2001, 2002]), clustering), draws, clustering


def test_scores_are_those_of_scikit_learn(drawn):
    alignment, draws, _ = drawn
    labels = [*"aabbccaabbcc", *"abcabcabc"]
    labels[3] = None
    table = agreement(alignment, labels, name="clade").table()
    assert table.time.tolist() == [2001, 2002, "all"]
    assert table.objects.tolist() == [11, 9, 20]
    known = [i for i in range(12) if i != 3]
    truth = [labels[i] for i in known]
    for column, score in (
        ("ari", adjusted_rand_score),
        ("homogeneity", homogeneity_score),
        ("completeness", completeness_score),
    ):
        by_draw = [score(truth, row[known]) for row in draws[0]]
        assert table[f"{column}_mean"][0] == pytest.approx(np.mean(by_draw))
        assert table[f"{column}_lower"][0] == pytest.approx(np.quantile(by_draw, 0.05))
        assert table[f"{column}_upper"][0] == pytest.approx(np.quantile(by_draw, 0.95))


def test_vi_is_the_sum_of_both_conditional_entropies():
    alignment = align(Partitions.from_labels([np.array([[0, 0, 1, 1]])]), [np.array([0, 0, 1, 1])])
    same, crossed = (agreement(alignment, labels).table().vi[0] for labels in ("aabb", "abab"))
    assert same == 0
    assert crossed == pytest.approx(2)


def test_unassigned_objects_are_alone_and_last_in_the_confusion_table(drawn):
    alignment, _, clustering = drawn
    labels = ["a"] * 12 + ["b"] * 9
    found = agreement(alignment, labels)
    table = found.confusion()
    here = table[(table.time == 2002) & (table.lineage == -1)]
    assert here.objects.tolist() == [2]
    assert table[table.time == 2001].objects.sum() == 12
    assert table[table.time == 2001].expected.sum() == pytest.approx(12)
    assert (table.lower <= table.expected + 1e-9).all()
    assert set(found.confusion(by_time=False).label) == {"a", "b"}
    alone = [0, 1, *(2 + clustering[1][2:])]
    assert found.table().homogeneity[1] == homogeneity_score(["b"] * 9, alone)


def test_unusable_labels_are_refused(drawn):
    alignment = drawn[0]
    with pytest.raises(DataError, match="3 known labels for 21 objects"):
        agreement(alignment, "abc")
    with pytest.raises(DataError, match="no label of 'clade' is known"):
        agreement(alignment, [None] * 21, name="clade")
