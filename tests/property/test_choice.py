"""What is drawn for an object does not depend on whether bounds of the weights were enough to know it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plain_kernels import plain

DOF = 7.0


class Given:
    """A stream of random numbers that has one, and counts how often it was asked."""

    def __init__(self, number):
        self.number, self.asked = number, 0

    def uniform(self):
        self.asked += 1
        return self.number


class Model:
    dof, power = DOF, 1.0


def candidates(weights, volumes, n_born):
    """Candidates as they are before any log of a volume is taken; those to be born have theirs in already."""
    C = len(weights)
    found = plain.Candidates(C, 1)
    found.log_weight[:C], found.volume[:C] = weights, volumes
    found.best = int(np.argmax(weights[: C - n_born])) if n_born < C else -1
    found.reference = found.volume[found.best] if n_born < C else 1.0
    found.volume[C - n_born : C] = found.reference
    return found


def drawn(weights, volumes, n_born, number):
    """Which candidate is drawn, and how many random numbers that took: as the sampler does it, and by exact weights."""
    C, quick, slow = len(weights), Given(number), Given(number)
    found = candidates(weights, volumes, n_born)
    pick = plain.choose(quick, found, C - n_born, C, Model)
    exact = candidates(weights, volumes, n_born)
    exact.log_weight[:C] -= 0.5 * DOF * np.log(exact.volume[:C] / exact.reference)
    expected = plain.draw_index(slow, exact.log_weight, C, 1.0)
    return (pick, quick.asked), (expected, slow.asked)


worlds = st.integers(1, 6).flatmap(
    lambda C: st.tuples(
        st.lists(st.floats(-60, 5), min_size=C, max_size=C),
        st.lists(st.floats(0.1, 10), min_size=C, max_size=C),
        st.integers(0, min(C, 2)),
        st.one_of(st.floats(0, 1, exclude_max=True), st.sampled_from([0.0, 1e-13, 1e-6, 1 - 1e-6, 1 - 1e-13])),
    )
)


@settings(max_examples=500)
@given(worlds)
def test_bounds_never_change_what_is_drawn(world):
    quick, slow = drawn(*world)
    assert quick == slow


@pytest.mark.parametrize("name", ["at_most", "at_least"])
def test_a_wrong_bound_is_caught(monkeypatch, name):
    wrong = {"at_most": lambda *_: -50.0, "at_least": lambda *_: 50.0}
    monkeypatch.setattr(plain, name, wrong[name])
    with pytest.raises(AssertionError):
        test_bounds_never_change_what_is_drawn()


def test_what_cannot_change_a_double_takes_no_random_number():
    far = -50.0
    assert drawn([0.0, far], [1.0, 1.0], 0, 0.5) == ((0, 0), (0, 0))
    assert drawn([0.0, -20.0], [1.0, 1.0], 0, 0.5) == ((0, 1), (0, 1))
