"""Draws as partitions: every row numbered from 0, epochs side by side, and nothing else that could be told apart."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import rng_for
from runs import MODEL, SETTINGS, small_series
from tetiwd import run_chains
from tetiwd.draws import Draws
from tetiwd.errors import DataError, SettingsError
from tetiwd.partitions import Partitions, check_labels, numbered
from tetiwd.sample import as_partitions
from tetiwd.summarize.clustering import as_clustering


@pytest.fixture(scope="module")
def sample():
    return run_chains(small_series(), MODEL, replace(SETTINGS, anneal=None))


def three_epochs():
    """Two draws; the label 9 is a chain of all epochs in the first one."""
    return Partitions.from_labels(
        [[[9, 4, 9], [3, 3, 1]], [[9], [1]], [[7, 9], [2, 3]]],
        times=[2001, 2003, 2004],
        ids=[["a", "b", "c"], ["b"], ["c", "d"]],
    )


def numbered_one_by_one(labels):
    return [[sorted(set(row)).index(own) for own in row] for row in labels.tolist()]


many_labels = st.integers(0, 2**32 - 1).map(
    lambda seed: rng_for(60, seed).integers(-5, 300, size=rng_for(61, seed).integers(1, 12, size=2))
)


@given(many_labels)
def test_numbers_are_the_ranks_of_the_labels(labels):
    assert numbered(labels).tolist() == numbered_one_by_one(labels)


@given(many_labels, st.sampled_from([np.uint16, np.int32, np.uint64]))
def test_numbers_do_not_depend_on_the_type_of_the_labels(labels, dtype):
    again = numbered((labels + 5).astype(dtype))
    assert again.dtype == np.int32
    assert np.array_equal(again, numbered(labels))


def test_numbers_of_numbers_are_the_same():
    labels = numbered(rng_for(62).integers(9, size=(30, 6)))
    assert np.array_equal(numbered(labels), labels)


def test_one_array_is_one_epoch():
    found = Partitions.from_labels(np.array([[5, 5, 2], [8, 1, 4]]))
    assert found.labels.tolist() == [[1, 1, 0], [2, 0, 1]]
    assert (found.n_draws, found.n_epochs, found.n_objects, found.times) == (2, 1, (3,), (0,))
    assert found.ids is None


def test_a_label_means_one_chain_over_all_epochs():
    found = three_epochs()
    assert found.labels.tolist() == [[2, 0, 2, 2, 1, 2], [2, 2, 0, 0, 1, 2]]
    assert found.n_objects == (3, 1, 2)
    assert found.times == (2001, 2003, 2004)
    assert [own.tolist() for own in found.ids] == [["a", "b", "c"], ["b"], ["c", "d"]]


def test_epochs_are_slices():
    found = three_epochs()
    assert found.columns == (slice(0, 3), slice(3, 4), slice(4, 6))
    assert found.at(2).tolist() == [[1, 2], [1, 2]]
    assert found.at(1).tolist() == [[2], [0]]
    assert [own.tolist() for own in found.split(np.arange(6))] == [[0, 1, 2], [3], [4, 5]]


@pytest.mark.parametrize("t", [0, 1, 2, -1])
def test_an_epoch_by_itself_is_numbered_anew(t):
    found = three_epochs()
    own = found.epoch(t)
    assert own.labels.tolist() == numbered_one_by_one(found.at(t))
    assert own.n_objects == (found.n_objects[t],)
    assert own.times == (found.times[t],)
    assert own.ids[0].tolist() == found.ids[t].tolist()
    assert Partitions.from_labels(found.at(0)).epoch(0).ids is None


def test_one_draw_of_one_object():
    found = Partitions.from_labels([[[7]]])
    assert found.labels.tolist() == [[0]]
    assert found.epoch(0).labels.tolist() == [[0]]
    assert found.thinned(1) is found
    assert repr(found) == "Partitions(1 draws of 1 epochs, 1 objects)"


@given(st.integers(1, 60), st.integers(1, 60))
def test_thinned_draws_are_so_many_distinct_and_evenly_spaced(n_draws, at_most):
    draws = Partitions(np.arange(n_draws, dtype=np.int32)[:, None], (1,), (0,))  # a draw is its own number
    kept = draws.thinned(at_most).labels[:, 0]
    assert len(kept) == min(n_draws, at_most)
    assert kept[0] == 0
    if len(kept) > 1:
        steps = np.diff(kept)
        assert steps.min() > 0
        assert steps.max() - steps.min() <= 1
        assert kept[-1] == n_draws - 1


def test_thinned_draws_keep_everything_else():
    found = three_epochs()
    kept = found.thinned(1)
    assert kept.labels.tolist() == found.labels[:1].tolist()
    assert (kept.n_objects, kept.times, kept.ids) == (found.n_objects, found.times, found.ids)


@pytest.mark.parametrize("at_most", [0, -1, 2.0, True, None, "all"])
def test_thinning_to_nonsense_is_refused(at_most):
    with pytest.raises(SettingsError, match="the number of draws must be a whole number of at least 1, not"):
        three_epochs().thinned(at_most)


def test_a_sample_gives_the_draws_of_one_chain_after_the_other(sample):
    found = sample.partitions
    assert found.n_draws == 50
    assert found.n_objects == (14, 11, 12)
    assert found.times == sample.series.times
    for c, draws in enumerate(sample.draws):
        assert found.labels[25 * c : 25 * (c + 1)].tolist() == numbered_one_by_one(draws.labels.reshape(25, 37))
    for t in range(3):
        n_clusters = np.concatenate([draws.n_clusters[:, t] for draws in sample.draws])
        assert np.array_equal(found.epoch(t).labels.max(axis=1) + 1, n_clusters)


def test_a_sample_knows_who_is_who(sample):
    ids = tuple(np.arange(n) for n in sample.series.n_objects)
    named = replace(sample, series=replace(sample.series, ids=ids))
    assert [own.tolist() for own in named.partitions.ids] == [own.tolist() for own in ids]
    assert sample.partitions.ids is None


def test_chains_without_draws_are_left_out(sample):
    empty = Draws(sample.series.n_objects)
    found = replace(sample, draws=[empty, sample.draws[1]]).partitions
    assert np.array_equal(found.labels, sample.partitions.labels[25:])
    with pytest.raises(SettingsError, match="the sample has no draws yet"):
        _ = replace(sample, draws=[empty, empty]).partitions


def test_samples_and_partitions_are_both_draws(sample):
    found = three_epochs()
    assert as_partitions(found) is found
    assert as_partitions(sample) is sample.partitions
    with pytest.raises(SettingsError, match=r"give a Sample or Partitions, not ndarray; see Partitions\.from_labels"):
        as_partitions(found.labels)


@pytest.mark.parametrize(
    ("labels", "options", "message"),
    [
        (np.zeros(3, dtype=int), {}, r"labels of epoch 0 must have a row per draw .* not \(3,\)"),
        ([[0, 0, 1], [0, 1, 1]], {}, r"labels of epoch 0 must have a row per draw .* not \(3,\)"),
        (np.zeros((2, 3, 4), dtype=int), {}, r"labels of epoch 0 .* not \(2, 3, 4\)"),
        ([[[0]], np.zeros((1, 0), dtype=int)], {}, r"labels of epoch 1 must have .* not \(1, 0\)"),
        (np.zeros((0, 3), dtype=int), {}, r"not \(0, 3\)"),
        (np.zeros((2, 3)), {}, "labels of epoch 0 must be integers, not float64"),
        ([[[0]], [["a"]]], {}, "labels of epoch 1 must be integers, not <U1"),
        (np.zeros((2, 3), dtype=bool), {}, "must be integers, not bool"),
        ([[[0], [0]], [[0]]], {}, r"every epoch needs the same number of draws, not \[2, 1\]"),
        ([], {}, "there is no epoch"),
        (np.full((1, 1), 2**63, dtype=np.uint64), {}, "must be smaller than 2⁶³; 9223372036854775808 is too large"),
        ([[[0, 1], [0]]], {}, "labels of epoch 0 must be an array, with rows of equal length"),
        ([[[0]]], {"times": 2001}, "times must have a value for each of the 1 epochs"),
        ([[[0]]], {"ids": 5}, "ids must be one list per epoch"),
        ([[[0]]], {"ids": [5]}, "ids must be one list per epoch"),
        ([[[0]], [[0]]], {"times": [1]}, "times must have a value for each of the 2 epochs"),
        ([[[0]], [[0]]], {"ids": [["a"]]}, r"ids must be one list per epoch, with \(1, 1\) entries"),
        ([[[0]], [[0, 0]]], {"ids": [["a"], ["b"]]}, r"ids must be one list per epoch, with \(1, 2\) entries"),
        ([[[0, 0]]], {"ids": [["a", "a"]]}, "epoch 0 has the id 'a' twice"),
        ([[[0, 0]]], {"ids": [["a", "a"]], "times": [2001]}, r"epoch 0 \(2001\) has the id 'a' twice"),
        ([[[0]], [[0]]], {"ids": [["a"], [1]]}, "ids are .* at epoch 0 and .* at epoch 1"),
    ],
)
def test_labels_that_are_no_draws_are_refused(labels, options, message):
    with pytest.raises(DataError, match=message):
        Partitions.from_labels(labels, **options)


@pytest.mark.parametrize(
    ("labels", "n_objects"),
    [
        ([[4, 0], [-1, 4, 4]], (2, 3)),
        (([4, 0], np.array([-1, 4, 4])), (2, 3)),
        ([np.array([4, 0], dtype=np.uint8), np.array([-1, 4, 4], dtype=np.int16)], (2, 3)),
        ([4, 0, -1, 4, 4], (2, 3)),
        (np.array([4, 0, -1, 4, 4]), (2, 3)),
        (np.array([4, 0, -1, 4, 4]), (5,)),
        ([[4, 0, -1, 4, 4]], (5,)),
        ([[4], [0], [-1], [4], [4]], (1, 1, 1, 1, 1)),
        ([4, 0, -1, 4, 4], (1, 1, 1, 1, 1)),
    ],
)
def test_labels_per_epoch_or_of_all_objects_fit_the_draws(labels, n_objects):
    found = check_labels(labels, n_objects)
    assert found.tolist() == [4, 0, -1, 4, 4]
    assert found.dtype == np.int64


@pytest.mark.parametrize("labels", [[3], [[3]], np.array([3])], ids=str)
def test_the_label_of_a_single_object(labels):
    assert check_labels(labels, (1,)).tolist() == [3]


def test_a_clustering_is_labels_too():
    draws = three_epochs()
    clustering = as_clustering(draws, [[0, 0, 1], [1], [0, 2]])
    assert np.array_equal(check_labels(clustering, draws.n_objects), clustering.flat)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([[0, 0], [0, 0]], r"one list per epoch with \(2, 3\) entries; shapes are \[\(2,\), \(2,\)\]"),
        ([0, 0, 0, 0], r"labels has shape \(4,\); give one list per epoch, or one of all 5 objects"),
        (np.zeros((1, 5), dtype=int), r"labels has shape \(1, 5\)"),
        ([[0, 0, [0]], [0, 0]], "labels of epoch 0 must be an array"),
        ([[0, 0], 3], "must be one list per epoch"),
        ([], r"labels has shape \(0,\)"),
        (7, r"labels has shape \(\)"),
        ([[0, 0, 0], [0, 0]], r"shapes are \[\(3,\), \(2,\)\]"),
        ([[0, 0, 0, 0, 0]], r"shapes are \[\(5,\)\]"),
        ([[0, 0], [0.0, 1.0, 1.0]], "labels must be integers, not float64"),
        (list("aabbb"), "labels must be integers, not <U1"),
        ([True, False, True, True, True], "labels must be integers, not bool"),
        (three_epochs(), r"labels has shape \(2, 6\)"),
    ],
    ids=str,
)
def test_labels_that_do_not_fit_the_draws_are_refused(labels, message):
    with pytest.raises(DataError, match=message):
        check_labels(labels, (2, 3))


def test_refusals_call_the_labels_by_their_name():
    with pytest.raises(DataError, match="truth has shape"):
        check_labels([0], (2, 3), "truth")
