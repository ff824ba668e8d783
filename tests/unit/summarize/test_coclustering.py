"""Co-clustering probabilities are shares of draws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import rng_for
from tetiwd import MemoryLimitError, SettingsError, memory
from tetiwd.partitions import Partitions
from tetiwd.summarize import coclustering as module
from tetiwd.summarize.coclustering import check_epoch, coclustering, times_together

WHERE = [(None, None), (0, None), (1, None), (-1, None), (1, 1), (0, 2), (2, 0), (1, -1), (None, 1)]


def random_draws(seed, n_draws=7, n_objects=(4, 1, 3)):
    rng = rng_for(65, seed)
    k = int(rng.integers(1, 9))
    return Partitions.from_labels([rng.integers(k, size=(n_draws, n)) for n in n_objects])


def slow(draws, t, other):
    """Pair by pair."""
    own = draws.labels if t is None else draws.at(t)
    theirs = own if other is None else draws.at(other)
    return np.array([[np.mean(own[:, i] == theirs[:, j]) for j in range(theirs.shape[1])] for i in range(own.shape[1])])


@given(st.integers(0, 2**32 - 1), st.sampled_from(WHERE))
def test_probabilities_are_shares_of_draws(seed, where):
    draws = random_draws(seed)
    assert np.allclose(coclustering(draws, *where), slow(draws, *where), rtol=0, atol=1e-15)


def test_draws_can_have_weights():
    found = times_together(np.array([[0, 0, 1], [0, 1, 1]], dtype=np.int32), np.array([2, 5], dtype=np.int32))
    assert found.tolist() == [[7, 2, 0], [2, 7, 5], [0, 5, 7]]


def test_by_hand():
    draws = Partitions.from_labels([[[0, 0, 1], [0, 1, 1]], [[1, 2], [2, 1]]])
    assert coclustering(draws, 0).tolist() == [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]]
    assert coclustering(draws, 1).tolist() == [[1, 0], [0, 1]]
    assert coclustering(draws, 0, 1).tolist() == [[0, 0], [0, 0.5], [1 / 2, 1 / 2]]


@pytest.mark.parametrize("seed", range(5))
def test_everybody_is_with_himself_and_with_others_as_they_are_with_him(seed):
    found = coclustering(random_draws(seed, n_draws=49), None)  # 49 · (1/49) is not 1
    assert (np.diagonal(found) == 1).all()
    assert np.array_equal(found, found.T)
    assert found.min() >= 0
    assert found.max() == 1


def test_blocks_of_epochs_are_in_the_whole():
    draws = random_draws(1)
    whole = coclustering(draws, None)
    for t, rows in enumerate(draws.columns):
        assert np.array_equal(coclustering(draws, None, t), whole[:, rows])
        for other, columns in enumerate(draws.columns):
            assert np.array_equal(coclustering(draws, t, other), whole[rows, columns])


@pytest.mark.parametrize("where", WHERE)
def test_half_the_precision_is_close(where):
    draws = random_draws(2, n_draws=300)
    found = coclustering(draws, *where, dtype="float32")
    assert found.dtype == np.float32
    assert np.allclose(found, slow(draws, *where), rtol=2e-7, atol=0)  # counts are exact; one division


@pytest.mark.parametrize("n_draws", [1, 7, 50])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_blocks_of_draws_change_nothing(n_draws, dtype, monkeypatch):
    draws = random_draws(3, n_draws=50)
    whole = [coclustering(draws, *where, dtype=dtype) for where in WHERE]
    monkeypatch.setattr(module, "DRAWS_AT_ONCE", n_draws)
    assert all(
        np.array_equal(coclustering(draws, *where, dtype=dtype), own) for where, own in zip(WHERE, whole, strict=True)
    )


def test_one_draw_of_one_object():
    assert coclustering(Partitions.from_labels([[[4]]]), None).tolist() == [[1.0]]


@pytest.mark.parametrize("t", [3, -4, 1.0, "0", True])
def test_epochs_that_are_not_there_are_refused(t):
    draws = random_draws(4)
    for where in ((t,), (0, t), (None, t)):
        with pytest.raises(SettingsError, match=r"epochs are counted from 0 to 2; there is no epoch"):
            coclustering(draws, *where)


def test_epochs_may_be_counted_from_the_end():
    assert [check_epoch(t, 3) for t in (0, 2, -1, -3, np.int64(1))] == [0, 2, 2, 0, 1]


@pytest.mark.parametrize("dtype", ["float16", "int64", int, bool])
def test_other_precisions_are_refused(dtype):
    with pytest.raises(SettingsError, match='dtype must be "float32" or "float64", not'):
        coclustering(random_draws(5), 0, dtype=dtype)


def test_what_does_not_fit_is_refused_before_it_is_made(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: (100, "as a test has it"))
    assert coclustering(random_draws(6), 1, dtype="float32").shape == (1, 1)
    with pytest.raises(MemoryLimitError, match="the co-clustering of 4 with 4 objects takes"):
        coclustering(random_draws(6), 0)
