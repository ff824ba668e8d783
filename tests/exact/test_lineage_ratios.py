"""Moving centres: every weight and every acceptance ratio of the sampler is a ratio of the joint density."""

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lineage_worlds import SHIFT, exact_joint, moving, propose, random_nodes
from plain_kernels import plain
from reference import rng_for
from tetiwd.kernels import move_spreads, relink_lineages, split_or_merge_lineages
from tetiwd.model.spreads import log_density_of_spread
from tetiwd.moves.lineages import draw_change
from tetiwd.moves.motion import MOTION_MOVES, is_free, log_target, take_step
from tetiwd.node_density import log_joint_of_nodes
from tetiwd.node_state import motion_of

seeds = st.integers(0, 2**32 - 1)
sizes = st.lists(st.integers(0, 5), min_size=1, max_size=5).filter(lambda sizes: sum(sizes) >= 2)
models = st.builds(
    lambda dof, own, pooled, shift: moving(
        dof, shift=shift, **({} if own else {"tau": 0.0, "rho": 1.0 if pooled else 0.8})
    ),
    dof=st.floats(0.5, 20),
    own=st.booleans(),
    pooled=st.booleans(),
    shift=st.sampled_from([0.0, SHIFT]),
)
kernels = plain.modules


@given(seed=seeds, sizes=sizes, h=models)
def test_joint_of_a_state_is_that_of_the_model(seed, sizes, h):
    state = random_nodes(seed, sizes, h)
    assert log_joint_of_nodes(state, h) == pytest.approx(exact_joint(state, h), rel=1e-9, abs=1e-8)


def weights_of(state, h, obj, n_aux, rng):
    """Log weights of all lineages, then of births, for an object that is out; and the spreads of births."""
    given, motion = (plain.as_plain(view, True) for view in (state.nodes, motion_of(state, h)))
    scratch = kernels["assign_nodes"].NodeAssignment(state.capacity, state.n_epochs)
    scratch.make_room(n_aux)
    C, t, a = int(state.size[0]), int(given.epoch[obj]), int(state.z[obj])
    alone = bool(np.sum(state.z == a) == 1)
    kernels["urn"].remember(scratch.urn, given, motion)
    kernels["urn"].weigh(scratch.urn, given, motion, a, t)
    kernels["node_terms"].build(scratch.terms, given.counts, given.S, given.spreads, C, t, motion)
    given.sums.look(obj, C * state.n_epochs, given.row)
    kernels["node_terms"].look_at(scratch.terms, given.row, C)
    for i in range(n_aux):
        own = alone and i == 0
        scratch.fresh[i] = given.spreads[a] if own else kernels["assign_nodes"].draw_spread(plain.Stream(rng), motion)
    if motion.shift > 0:
        terms, shift = scratch.terms, scratch.shift
        kernels["shift_terms"].build(shift, terms, given.counts, given.S, given.spreads, C, t, motion)
        kernels["shift_terms"].look_at(shift, given.row, C * state.n_epochs)
        kernels["assign_nodes"].weigh_displaced(scratch, terms, shift, given, motion, a, t, alone)
    else:
        kernels["assign_nodes"].weigh_lineages(scratch, scratch.terms, given, motion, a, alone)
    return scratch.log_weight[:C].copy(), scratch.born.copy(), scratch.fresh.copy(), alone


def check_weights(state, h, obj, n_aux, rng):
    C, a = int(state.size[0]), int(state.z[obj])
    found, born, fresh, alone = weights_of(state, h, obj, n_aux, rng)
    gaps = []
    for c in range(C):
        labels = state.z.copy()
        labels[obj] = c
        if c != a or not alone:
            gaps.append(exact_joint(state, h, labels) - found[c])
    for weight, spread in zip(born, fresh, strict=True):
        labels, spreads = state.z.copy(), state.spreads.copy()
        labels[obj], spreads[C] = C, spread
        drawn = log_density_of_spread(log(spread / state.alpha), state.tau) if state.tau > 0 else 0.0
        gaps.append(exact_joint(state, h, labels, spreads) - drawn - log(n_aux) - weight)
    assert np.ptp(gaps) < 1e-7 * max(1.0, np.abs(gaps).max() / 100)


@settings(max_examples=300)
@given(seed=seeds, sizes=sizes, h=models, n_aux=st.integers(1, 3))
def test_weights_of_an_object_are_ratios_of_the_joint(seed, sizes, h, n_aux):
    state, rng = random_nodes(seed, sizes, h), rng_for(seed, 33)
    check_weights(state, h, int(rng.integers(len(state.z))), n_aux, rng)


@given(seed=seeds, h=models)
def test_terms_after_many_changes_are_those_built_anew(seed, h):
    """Objects go back and forth between lineages of one epoch by rank-one changes."""
    state, rng = random_nodes(seed, (3, 9, 4), h, n_lineages=3), rng_for(seed, 34)
    given, motion = (plain.as_plain(view, True) for view in (state.nodes, motion_of(state, h)))
    scratch = kernels["assign_nodes"].NodeAssignment(state.capacity, 3)
    C, node_terms, shift_terms = int(state.size[0]), kernels["node_terms"], kernels["shift_terms"]
    kernels["urn"].remember(scratch.urn, given, motion)

    def build(terms, shift):
        node_terms.build(terms, given.counts, given.S, given.spreads, C, 1, motion)
        shift_terms.build(shift, terms, given.counts, given.S, given.spreads, C, 1, motion)

    build(scratch.terms, scratch.shift)
    trusted = 1000
    for _ in range(30):
        obj, c = int(rng.integers(3, 12)), int(rng.integers(C))
        a = int(state.z[obj])
        if a != c and state.counts[a, 1] > 1 and state.counts[c, 1] > 0:
            given.sums.look(obj, 3 * C, given.row)
            node_terms.look_at(scratch.terms, given.row, C)
            shift_terms.look_at(scratch.shift, given.row, 3 * C)
            trusted = kernels["assign_nodes"].move_object(scratch, given, motion, obj, a, c, False, trusted)
    fresh, fresh_shift = node_terms.NodeTerms(state.capacity, 3), shift_terms.ShiftTerms(state.capacity, 3)
    build(fresh, fresh_shift)

    def check(names, pair):
        for name in names.split():
            kept, built = (np.asarray(getattr(terms, name)) for terms in pair)
            assert np.allclose(kept, built, rtol=1e-8, atol=1e-8 * max(1.0, np.abs(built).max())), name

    check("v Y M y p Q weight B", (scratch.terms, fresh))
    if state.shift > 0:
        absent = np.flatnonzero(state.counts.ravel() == 0)
        scratch.shift.Y[absent] = 0.0  # nobody reads them
        check("Y y p inverse B", (scratch.shift, fresh_shift))


def bytes_of(state):
    return {name: array.tobytes() for name, array in state.to_arrays().items()}


@settings(max_examples=300)
@given(seed=seeds, sizes=sizes, h=models)
def test_splits_and_merges_are_accepted_by_the_joint(seed, sizes, h):
    """The gain is that of the joint, up to the density of a spread that was drawn; a rejection changes nothing."""
    state, rng = random_nodes(seed, sizes, h), rng_for(seed, 35)
    i, j, lo, hi = draw_change(state, rng)
    if i == j:
        return
    motion, before, kept = motion_of(state, h), exact_joint(state, h), bytes_of(state)
    n_before, of_j, spread_j = int(state.size[0]), int(state.z[j]), 0.0
    spread_j = state.spreads[of_j]
    done = split_or_merge_lineages(rng, state.work, state.nodes, motion, False, i, j, lo, hi)
    if not done:
        assert bytes_of(state) == kept
        return
    state.check_invariants()
    gain = exact_joint(state, h) - before
    if state.tau > 0 and state.size[0] != n_before:
        spread = state.spreads[state.z[j]] if done == 1 else spread_j
        gain += (-1 if done == 1 else 1) * log_density_of_spread(log(spread / state.alpha), state.tau)
    assert state.work.change.gain == pytest.approx(gain, rel=1e-8, abs=1e-7)


def split_and_back(state, h, i, j, lo, hi, rng):
    """Log proposals of one split, and of the merge that undoes it."""
    given, motion = (plain.as_plain(view, True) for view in (state.nodes, motion_of(state, h)))
    change = kernels["split_lineages"].LineageSplit(state.capacity, state.n_epochs, len(state.z))
    stream = plain.Stream(rng)
    assert propose(stream, change, given, motion, i, j, lo, hi)
    there, b = change.log_proposal, int(change.sides.slot[1])
    order = change.sides.members[: change.sides.n_members].copy()
    target = state.copy()
    target.spreads[b] = change.sides.spreads[1]
    target.size[0] = max(int(state.size[0]), b + 1)
    target.z[order[change.sides.side[: len(order)] == 1]] = b
    target.rebuild()
    return there, target, order


def check_merge(state, h, i, j, lo, hi, rng):
    there, merged, order = split_and_back(state, h, i, j, lo, hi, rng)
    given, motion = (plain.as_plain(view, True) for view in (merged.nodes, motion_of(merged, h)))
    change = kernels["split_lineages"].LineageSplit(state.capacity, state.n_epochs, len(state.z))
    listed = kernels["sides_of_lineage"].list_members

    def same_order(given, sides, rng, i, j):
        listed(given, sides, rng, i, j)
        sides.members[: len(order)] = order

    kernels["sides_of_lineage"].list_members = same_order
    try:
        assert propose(plain.Stream(rng), change, given, motion, i, j, lo, hi)
    finally:
        kernels["sides_of_lineage"].list_members = listed
    assert change.log_proposal == pytest.approx(-there, rel=1e-8, abs=1e-8)


@settings(max_examples=200)
@given(seed=seeds, sizes=sizes, h=models)
def test_proposal_of_a_merge_is_that_of_the_split_that_undoes_it(seed, sizes, h):
    state, rng = random_nodes(seed, sizes, h, n_lineages=3), rng_for(seed, 36)
    i, j, lo, hi = draw_change(state, rng)
    if i != j and state.z[i] == state.z[j]:
        check_merge(state, h, i, j, lo, hi, rng)


def check_exchange(state, h, rng):
    """Gain and proposal of one exchange against the joint and the number of pairs."""
    given, motion = (plain.as_plain(view, True) for view in (state.nodes, motion_of(state, h)))
    scratch = kernels["assign_nodes"].NodeAssignment(state.capacity, state.n_epochs)
    relink, accept, asked = kernels["relink"], kernels["stream"].accept, []
    before, C, seen = exact_joint(state, h), int(state.size[0]), state.spreads.copy()
    a = int(rng.integers(C + 1))
    b = int((a + 1 + rng.integers(C)) % (C + 1))
    lo = int(rng.integers(1, state.n_epochs))
    hi = int(rng.choice([lo, state.n_epochs - 1]))
    sums = kernels["lineage_sums"].LineageSums(state.capacity, state.n_epochs)
    kernels["lineage_sums"].build(sums, given, motion)
    joint = kernels["urn"].log_prior(scratch.urn, given, motion)
    joint += kernels["lineage_sums"].log_likelihood_now(sums, motion)

    def ask(rng, log_ratio, log_proposal, power):
        asked.append((log_ratio, log_proposal))
        return True

    kernels["stream"].accept = ask
    try:
        relink.try_exchange(plain.Stream(rng), scratch, sums, given, motion, a, b, lo, hi, joint)
    finally:
        kernels["stream"].accept = accept
    if not asked:
        return
    state.check_invariants()
    n, gain = int(state.size[0]), exact_joint(state, h) - before
    if state.tau > 0 and n != C:  # a spread was drawn, or given up
        odd = set(state.spreads[:n].tolist()) ^ set(seen[:C].tolist())
        gain += (C - n) * log_density_of_spread(log(odd.pop() / state.alpha), state.tau)
    assert asked[0][0] == pytest.approx(gain, rel=1e-8, abs=1e-7)
    assert asked[0][1] == pytest.approx(log((C + 1) * C) - log((n + 1) * n))


@settings(max_examples=200)
@given(seed=seeds, sizes=sizes.filter(lambda sizes: len(sizes) > 1), h=models)
def test_exchanges_are_accepted_by_the_joint(seed, sizes, h):
    check_exchange(random_nodes(seed, sizes, h), h, rng_for(seed, 40))


@settings(max_examples=200)
@given(seed=seeds, sizes=sizes.filter(lambda sizes: len(sizes) > 1), h=models)
def test_an_exchange_is_accepted_or_leaves_no_trace(seed, sizes, h):
    state, rng = random_nodes(seed, sizes, h), rng_for(seed, 37)
    kept = bytes_of(state)
    if relink_lineages(rng, state.work, state.nodes, motion_of(state, h), 1)[1] == 0:
        assert bytes_of(state) == kept
    state.check_invariants()


@given(seed=seeds, sizes=sizes, h=models, move=st.sampled_from([m for m in MOTION_MOVES if m != "spreads"]))
def test_targets_of_parameters_differ_as_the_joint_does(seed, sizes, h, move):
    state, rng = random_nodes(seed, sizes, h), rng_for(seed, 38)
    if not is_free(move, h):
        return
    before, joint = log_target(move, state, h), exact_joint(state, h)
    take_step(move, state, 0.1 * rng.standard_normal())
    after = log_target(move, state, h)
    if after > -np.inf:
        assert after - before == pytest.approx(exact_joint(state, h) - joint, rel=1e-7, abs=1e-7)


@given(seed=seeds, sizes=sizes)
def test_spreads_that_were_rejected_stay(seed, sizes):
    h = moving(50.0)
    state, rng = random_nodes(seed, sizes, h), rng_for(seed, 39)
    kept = state.spreads.copy()
    n = move_spreads(rng, state.work, state.nodes, motion_of(state, h), 3.0)
    assert np.sum(kept != state.spreads) == n


@given(seed=seeds, sizes=sizes, h=models)
def test_sums_after_spreads_have_moved_are_those_built_anew(seed, sizes, h):
    state, rng = random_nodes(seed, sizes, h), rng_for(seed, 41)
    if state.tau == 0:
        return
    given, motion = (plain.as_plain(view, True) for view in (state.nodes, motion_of(state, h)))
    kept, fresh = (kernels["lineage_sums"].LineageSums(state.capacity, state.n_epochs) for _ in range(2))
    kernels["spreads"].move_spreads(plain.Stream(rng), kept, given, motion, 0.2)
    kernels["lineage_sums"].build(fresh, given, motion)
    log_likelihoods = [kernels["lineage_sums"].log_likelihood_now(sums, motion) for sums in (kept, fresh)]
    assert log_likelihoods[0] == pytest.approx(log_likelihoods[1], rel=1e-9, abs=1e-8)


def without_normaliser(real):
    def take_out(urn, *rest):
        real(urn, *rest)
        urn.usual[:] = 0.0

    return take_out


def with_the_object_counted(real):
    def weigh(urn, given, motion, a, t):
        given.counts[a, t] += 1
        real(urn, given, motion, a, t)
        given.counts[a, t] -= 1

    return weigh


def without_the_displacement(real):
    def set_new(shift, motion, t, i):
        real(shift, motion, t, i)
        shift.y[i, 1:] = 0.0

    return set_new


BUGS = {
    "normaliser left out": ("urn", "take_out", without_normaliser, "weights"),
    "count includes the object": ("urn", "weigh", with_the_object_counted, "weights"),
    "targets counted before the merge": ("split_lineages", "lives_elsewhere", lambda real: lambda *_: False, "merge"),
    "number of pairs unchanged": ("relink", "log_pairs", lambda real: lambda n: 0.0, "exchange"),
    "new lineages stay": ("shift_terms", "set_new", without_the_displacement, "weights"),
    "what is exchanged is forgotten": ("shift_sums", "exchange", lambda real: lambda *_: None, "exchange"),
}


def look_for_bugs(what, n):
    h, sizes = moving(3.0, shift=SHIFT), (3, 2, 0, 3, 2)
    for seed in range(n):
        state, rng = random_nodes(seed, sizes, h, n_lineages=3), rng_for(seed, 42)
        i, j, lo, hi = draw_change(state, rng)
        if what == "weights":
            check_weights(state, h, i, 2, rng)
        elif what == "exchange":
            check_exchange(state, h, rng)
        elif i != j and state.z[i] == state.z[j]:
            check_merge(state, h, i, j, lo, hi, rng)


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_caught(monkeypatch, bug):
    file, name, plant, what = BUGS[bug]
    look_for_bugs(what, 25)
    monkeypatch.setattr(kernels[file], name, plant(getattr(kernels[file], name)))
    with pytest.raises(AssertionError):
        look_for_bugs(what, 25)
