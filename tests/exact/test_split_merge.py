"""Splits and merges: the gain is the ratio of the joint, and the way back is weighed as it would be drawn."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from plain_kernels import plain
from reference import rng_for
from small_worlds import World, random_state
from tetiwd import Gamma, Hyperparameters
from tetiwd.density import log_joint_of
from tetiwd.moves import split_merge
from tetiwd.state import models_of

close = {"rel": 1e-9, "abs": 1e-7}
SAMPLED = {"alpha": Gamma(2, 0.7), "xi": Gamma(1.5, 1), "new_scale": Gamma(3, 0.4)}
models = st.builds(
    lambda **own: Hyperparameters(**own, **SAMPLED),
    dof=st.floats(0.5, 20),
    df_A=st.sampled_from([9.0, Gamma(3, 5)]),
    max_clusters=st.sampled_from([None, None, 6]),
    geometry=st.sampled_from(["full", "full", "isotropic"]),
    coupling=st.sampled_from([True, True, True, False]),
    kappa=st.sampled_from([1.0, Gamma(2, 0.5)]),
    tau=st.sampled_from([None, 0.7, Gamma(2, 0.3)]),
)
sizes = st.lists(st.integers(3, 8), min_size=1, max_size=4)
kinds = st.sampled_from(["distances", "distances", "similarities"])
seeds = st.integers(0, 2**32 - 1)


@pytest.fixture(autouse=True)
def plain_python(monkeypatch):
    for name in ("split_lineage", "merge_lineages", "log_chance_of_sides", "move_members"):
        monkeypatch.setattr(split_merge, name, getattr(plain, name))


def some_change(seed, sizes, h, kind, *, want_split=None):
    """A state, and a change proposed to it that is possible."""
    assume(kind == "distances" or h.tau_used == 0)
    state = random_state(seed, sizes, h, kind)
    assume(np.isfinite(log_joint_of(state, h)))
    rng = rng_for(seed, 30)
    t = int(rng.integers(len(sizes)))
    z = state.z[t]
    pairs = [(i, j) for i, j in permutations(range(sizes[t]), 2) if want_split is None or want_split == (z[i] == z[j])]
    assume(pairs)
    first, second = pairs[rng.integers(len(pairs))]
    a, b = z[first], z[second]
    longest = split_merge.shared_length(state, t, a, b) if h.coupling else 1
    length = int(rng.integers(1, longest + 1))
    numbers = models_of(state, h)
    arguments = (t, first, second, length, numbers)
    before = state.to_arrays()
    change = split_merge.propose(state, *arguments, rng, coupled=h.coupling)
    for name, array in state.to_arrays().items():
        assert np.array_equal(array, before[name]), f"proposing changed {name}"
    assume(change is not None)
    return state, change, arguments


@given(seed=seeds, sizes=sizes, h=models, kind=kinds)
def test_gain_is_the_ratio_of_the_joint(seed, sizes, h, kind):
    state, change, (t, *_) = some_change(seed, sizes, h, kind)
    before, old = state.copy(), World.of(state).log_joint(state, h)
    split_merge.carry_out(state, t, change)
    state.check_invariants()
    new = World.of(state).log_joint(state, h)
    assert change.gain == new - old == -np.inf or change.gain == pytest.approx(new - old, **close)
    assert (state.n_clusters.sum() > before.n_clusters.sum()) == change.split


def list_in_order(rng, sides, epoch, a, b, first, second):
    ahead = [first, second] if first >= 0 else []
    members = [*ahead, *(i for i in np.flatnonzero(np.isin(epoch.z, [a, b])) if i not in ahead)]
    sides.members[: len(members)] = members
    sides.n_members = len(members)


@given(seed=seeds, sizes=sizes, h=models, kind=kinds)
def test_the_way_back_is_weighed_as_it_would_be_drawn(seed, sizes, h, kind):
    """Split, then merge again with exactly the rows and spreads that were there: all logs change their sign."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain, "list_members", list_in_order)
        state, change, (t, first, second, length, numbers) = some_change(seed, sizes, h, kind, want_split=True)
        assume(np.isfinite(change.gain))
        before = state.copy()
        split_merge.carry_out(state, t, change)
        rows = iter(range(t, t + length))
        slots = before.lineage_from(t, before.z[t][first])

        def former_row(rng, law, h):
            s = next(rows)
            return plain.get_row(law, before.A[s], slots[s - t], h)

        patch.setattr(plain, "draw_row_from_law", former_row)
        former_spreads = iter([before.spreads[s, slots[s - t]] for s in range(t, t + length)])
        propose_spread = plain.originals["propose_spread"]

        def former_spread(rng, epoch, model, c, drawn):
            if drawn:
                epoch.spreads[c] = next(former_spreads)
            return propose_spread(rng, epoch, model, c, False)

        patch.setattr(plain, "propose_spread", former_spread)
        back = split_merge.propose(state, t, first, second, length, numbers, rng_for(seed), coupled=h.coupling)
        log_proposal = back.log_proposal + back.log_sides()
    assert not back.split
    assert back.gain == pytest.approx(-change.gain, **close)
    assert log_proposal == pytest.approx(-change.log_proposal, **close)
    assert back.log_sides() <= 0  # what makes it possible to refuse a merge before looking at its members
    split_merge.carry_out(state, t, back)
    for name, array in state.to_arrays().items():
        assert np.allclose(array, before.to_arrays()[name], rtol=1e-7, atol=1e-9), name


@pytest.mark.slow
def test_a_forgotten_constant_is_caught(monkeypatch):
    monkeypatch.setattr(plain, "log_wishart_constant", lambda k, df: 0.0)
    with pytest.raises(AssertionError):
        test_gain_is_the_ratio_of_the_joint()


def test_a_forgotten_prior_of_spreads_is_caught(monkeypatch):
    monkeypatch.setattr(plain, "log_prior_of_spreads", lambda epoch, model: 0.0)
    with pytest.raises(AssertionError):
        test_gain_is_the_ratio_of_the_joint()


@pytest.mark.slow
def test_a_forgotten_probability_is_caught(monkeypatch):
    allocate = plain.allocate

    def forgetful(rng, epoch, model, sides, drawn):
        log_probability = allocate(rng, epoch, model, sides, drawn)
        return 0.0 if drawn else log_probability

    monkeypatch.setattr(plain, "allocate", forgetful)
    with pytest.raises(AssertionError):
        test_the_way_back_is_weighed_as_it_would_be_drawn()


def test_chance_of_length_is_a_distribution_that_lengths_follow():
    for longest in (1, 2, 3, 7):
        chances = [np.exp(split_merge.log_chance_of_length(n, longest)) for n in range(1, longest + 1)]
        assert sum(chances) == pytest.approx(1)
        rng = rng_for(longest, 31)
        drawn = np.bincount([split_merge.draw_length(longest, rng) for _ in range(20_000)], minlength=longest + 1)[1:]
        assert np.abs(drawn / 20_000 - chances).max() < 0.015


@given(seed=seeds, sizes=sizes, h=models.filter(lambda h: h.full), kind=kinds)
def test_law_of_a_row(seed, sizes, h, kind):
    """It does not depend on that row, and its density is that of the normal numbers it is drawn with."""
    assume(kind == "distances" or h.tau_used == 0)
    rng = rng_for(seed, 32)
    state = random_state(seed, sizes, h, kind)
    t = int(rng.integers(len(sizes)))
    c = int(rng.integers(state.n_clusters[t]))
    law = plain.RowLaw(int(state.n_clusters[t]))
    around = state.around(t, coupled=h.coupling)
    plain.find_row_law(law, *around, models_of(state, h)[t], c, c)
    m = law.m
    again = plain.RowLaw(int(state.n_clusters[t]))
    own = state.A[t, c].copy()
    state.A[t, c] = state.A[t, :, c] = rng.standard_normal(len(own))
    plain.find_row_law(again, *around, models_of(state, h)[t], c, c)
    state.A[t, c] = state.A[t, :, c] = own
    for name, value in vars(law).items():
        assert np.array_equal(value, getattr(again, name)), f"{name} of the law of a row depends on that row"
    numbers = rng_for(seed, 33).standard_normal(m + 1)
    row = np.empty(m)
    schur = plain.draw_row_from_law(rng_for(seed, 33), law, row)
    plain.set_row(law, state.A[t], c, row, schur)
    found = np.empty(m)
    assert plain.get_row(law, state.A[t], c, found) == pytest.approx(schur, rel=1e-6)
    assert np.allclose(found, row, rtol=1e-6, atol=1e-8)
    curvature = plain.schur_given(law, row)[1]
    A = state.A[t][np.ix_(law.others[:m], law.others[:m])]
    V = np.tril(law.V[:m, :m])
    expected = -0.5 * (numbers**2).sum() - (m + 1) / 2 * np.log(2 * np.pi)  # of the numbers
    expected += np.log(np.diag(V)).sum() + 0.5 * np.log(curvature) - np.log(schur) - np.linalg.slogdet(A)[1]
    assert plain.log_density_of_row(law, row, schur) == pytest.approx(expected, **close)
