"""Exchanging links together with rows of A: the joint is compared, and the way back is weighed as it is drawn."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from plain_kernels import plain
from reference import rng_for
from small_worlds import World, random_state
from tetiwd import Gamma, Hyperparameters
from tetiwd.density import log_joint_of
from tetiwd.moves.links import NOTHING
from tetiwd.state import models_of

sizes = st.lists(st.integers(2, 6), min_size=2, max_size=4)
SAMPLED = {"alpha": Gamma(2, 0.7), "xi": Gamma(1.5, 1), "new_scale": Gamma(3, 0.4)}
models = st.builds(
    lambda dof, max_clusters, kappa, tau: Hyperparameters(
        dof=dof, df_A=9.0, max_clusters=max_clusters, kappa=kappa, tau=tau, **SAMPLED
    ),
    dof=st.floats(0.5, 20),
    max_clusters=st.sampled_from([None, None, 6]),
    kappa=st.sampled_from([1.0, Gamma(2, 0.5)]),
    tau=st.sampled_from([None, Gamma(2, 0.3)]),
)
kinds = st.sampled_from(["distances", "distances", "similarities"])
seeds = st.integers(0, 2**32 - 1)
close = {"rel": 1e-9, "abs": 1e-7}


class Told:
    """A source of random numbers that begins with the ones it is told."""

    def __init__(self, numbers, seed):
        self.numbers, self.rng = list(numbers), rng_for(seed, 77)

    def random(self):
        return self.numbers.pop(0) if self.numbers else self.rng.random()

    def standard_normal(self):
        return self.rng.standard_normal()


def exchange(state, h, t, f, g, sides, *, seed, accept, rows=None):
    """One exchange that is accepted or not; returns the logs that were compared in both decisions."""
    k, compared = int(state.size[t, 0]), []
    numbers = [(f + 0.5) / k, (g - (g > f) + 0.5) / (k - 1), (sides + 0.5) / 3]

    def decide(rng, log_ratio, log_proposal, power):
        compared.append((log_ratio, log_proposal))
        return accept

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain, "accept", decide)
        if rows is not None:
            given_rows = iter(rows)
            patch.setattr(plain, "draw_row_from_law", lambda rng, law, h: next(given_rows)(law, h))
        around = *state.around(t), NOTHING, NOTHING, NOTHING
        plain.exchange_with_rows(Told(numbers, seed), state.work, *around, models_of(state, h)[t], 1)
    return np.array(compared) if compared else None


def some_exchange(seed, sizes, h, kind):
    rng = rng_for(seed, 9)
    assume(kind == "distances" or h.tau_used == 0)
    state = random_state(seed, sizes, h, kind)
    t = int(rng.integers(state.n_epochs))
    assume(state.size[t, 0] > 1 and np.isfinite(log_joint_of(state, h)))
    f, g = rng.choice(state.size[t, 0], size=2, replace=False)
    return state, t, int(f), int(g), int(rng.integers(3))


@given(seed=seeds, sizes=sizes, h=models, kind=kinds)
def test_what_is_compared_is_the_joint(seed, sizes, h, kind):
    state, *what = some_exchange(seed, sizes, h, kind)
    old, links = World.of(state).log_joint(state, h), [state.back.copy(), state.forward.copy()]
    compared = exchange(state, h, *what, seed=seed, accept=True)
    state.check_invariants()
    if compared is None:
        assert np.array_equal(links, [state.back, state.forward])
        return
    assert not np.array_equal(links, [state.back, state.forward])
    new = World.of(state).log_joint(state, h)
    gain = compared[:, 0].sum()
    assert gain == new - old == -np.inf or gain == pytest.approx(new - old, **close)


@given(seed=seeds, sizes=sizes, h=models, kind=kinds)
def test_a_rejected_exchange_leaves_every_byte(seed, sizes, h, kind):
    state, *what = some_exchange(seed, sizes, h, kind)
    before = state.to_arrays()
    exchange(state, h, *what, seed=seed, accept=False)
    assert all(np.array_equal(array, before[name]) for name, array in state.to_arrays().items())


@given(seed=seeds, sizes=sizes, h=models, kind=kinds)
def test_the_way_back_is_weighed_as_it_would_be_drawn(seed, sizes, h, kind):
    """Exchange, then exchange back with exactly the rows that were there: all logs change their sign."""
    state, t, f, g, sides = some_exchange(seed, sizes, h, kind)
    before = state.copy()
    there = exchange(state, h, t, f, g, sides, seed=seed, accept=True)
    assume(there is not None and np.isfinite(there).all())
    rows = [lambda law, row, c=c: plain.get_row(law, before.A[t], c, row) for c in (f, g)]
    back = exchange(state, h, t, f, g, sides, seed=seed + 1, accept=True, rows=rows)
    assert back == pytest.approx(-there, **close)
    for name, array in state.to_arrays().items():
        assert np.allclose(array, before.to_arrays()[name], rtol=1e-7, atol=1e-9), name


@pytest.mark.slow
def test_a_forgotten_density_is_caught(monkeypatch):
    monkeypatch.setattr(plain, "log_around", lambda *arguments: 0.0)
    with pytest.raises(AssertionError):
        test_what_is_compared_is_the_joint()


@pytest.mark.slow
def test_a_first_decision_that_differs_on_the_way_back_is_caught(monkeypatch):
    gain = plain.gain_of_sizes
    monkeypatch.setattr(plain, "gain_of_sizes", lambda *given: abs(gain(*given)))
    with pytest.raises(AssertionError):
        test_the_way_back_is_weighed_as_it_would_be_drawn()
