import numpy as np
import pytest
from benchmarks.league import scores
from benchmarks.league.objects import with_singletons

TRUTH = [np.array([0, 0, 1, 1]), np.array([0, 0, 0, 0]), np.array([0, 0, 1, 1])]


def test_epochs_with_one_true_label_do_not_count():
    labels = [np.array([5, 5, 7, 7]), np.array([0, 1, 2, 3]), np.array([0, 0, 0, 0])]
    assert scores.agreement(TRUTH, labels) == 0.5  # the mean of 1 and 0


def test_the_number_of_clusters_counts_at_all_epochs():
    labels = [np.array([0, 0, 0, 0]), np.array([0, 0, 1, 2]), np.array([0, 1, 2, 3])]
    assert scores.size_ratio(TRUTH, labels) == 8 / 5


def test_links_are_right_if_majorities_are_equal():
    truth = [np.array([0, 0, 1, 1, 1]), np.array([0, 0, 0, 1, 1])]
    labels = [np.array([3, 3, 4, 4, 4]), np.array([3, 4, 4, 4, 9])]  # 4 is mostly 1, then mostly 0
    assert scores.links(truth, labels) == (1, 2)


def test_only_consecutive_epochs_have_links():
    labels = [np.array([0, 0, 1, 1]), np.array([2, 2, 2, 2]), np.array([0, 0, 1, 1])]
    assert scores.links(TRUTH, labels) == (0, 0)


def test_objects_left_out_are_clusters_of_their_own():
    labels = np.array([-1, 0, 0, -1, 1])
    found = with_singletons(labels, labels < 0)
    assert found.tolist() == [2, 0, 0, 3, 1]


def test_answers_must_have_as_many_epochs_as_the_truth():
    with pytest.raises(ValueError, match="zip"):
        scores.agreement(TRUTH, TRUTH[:2])
