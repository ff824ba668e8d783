"""Moving centres with constraints: all divisions that respect them are visited as often as they should be."""

from math import inf, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lineage_worlds import FIXED, SHIFT, exact_joint, moving, partition_of, propose, small_cross, spread_out
from plain_kernels import plain
from reference import rng_for, set_partitions
from tetiwd import Constraints
from tetiwd.kernels import log_likelihood_of_nodes, move_spreads, relink_lineages, split_or_merge_lineages
from tetiwd.model.moving import priors_of
from tetiwd.model.spreads import log_density_of_spread
from tetiwd.model.urn import log_prior_lineages
from tetiwd.moves.lineages import draw_change, update_links, update_objects, update_splits
from tetiwd.node_density import log_joint_of_nodes
from tetiwd.node_start import start_nodes
from tetiwd.node_state import NodeState, motion_of, start_parameters
from tetiwd.params import SamplerSettings
from tetiwd.priors import Beta, Gamma
from visits import check_visits, normalised

kernels = plain.modules
THREE, GAP = (2, 2, 2), (2, 1, 0, 3)  # epochs of six objects; the third of the latter is empty
KNOWN = {
    "together": (THREE, Constraints(must_link=[((0, 0), (0, 1)), ((1, 0), (1, 1))])),
    "together across time": (THREE, Constraints(must_link=[((0, 0), (1, 1)), ((0, 1), (2, 0))])),
    "over a gap": (GAP, Constraints(must_link=[((0, 0), (3, 1)), ((0, 1), (3, 2))])),
    "apart": (THREE, Constraints(cannot_link=[((0, 0), (0, 1)), ((0, 0), (2, 1)), ((1, 0), (2, 0))])),
    "weights": (
        GAP,
        Constraints(must_link=[((0, 0), (0, 1)), ((1, 0), (3, 2))], cannot_link=[((0, 1), (3, 0))], weight=1.3),
    ),
    "all kinds": (
        THREE,
        Constraints(
            must_link=[((0, 0), (2, 0)), ((0, 1), (1, 1), 1.2)],
            cannot_link=[((0, 0), (1, 0)), ((2, 0), (2, 1), 0.8)],
        ),
    ),
    "all kinds over a gap": (
        GAP,
        Constraints(
            must_link=[((0, 0), (3, 1)), ((3, 1), (3, 2))],
            cannot_link=[((0, 1), (1, 0)), ((1, 0), (3, 1), 0.9), ((0, 1), (3, 0), 1.5)],
        ),
    ),
    "labels": (GAP, Constraints(labels={(0, 0): "a", (0, 1): "b", (3, 0): "a", (3, 1): "b"}, lineages=False)),
    "lineages": (GAP, Constraints(labels={(0, 0): "a", (0, 1): "b", (3, 0): "a"}, lineages=True)),
}
MOVES = {
    "objects": lambda s, m, rng: update_objects(s, m, 2, rng),
    "splits": lambda s, m, rng: update_splits(s, m, 1, rng),
    "links": lambda s, m, rng: update_links(s, m, 1, rng),
    "spreads": lambda s, m, rng: move_spreads(rng, s.work, s.nodes, m, 1.0),
}
ALL = "objects splits links"
KERNELS = ("assign_to_lineages", "assign_groups_to_lineages", "split_or_merge_lineages", "relink_lineages")


def started(series, h, init="one"):
    """The first state, without a free slot if there are many lineages: it has to grow."""
    state = start_nodes(series, h, SamplerSettings(init=init, n_chains=1), 0, unit=1.0)
    return state_with(series, h, state.z, capacity=2)


def run(state, h, n, moves, seed, dof_factor=1.0):
    """Divisions visited by repeating some moves."""
    rng, motion, visited = rng_for(seed), motion_of(state, h, dof_factor=dof_factor), []
    for _ in range(n):
        for name in moves.split():
            MOVES[name](state, motion, rng)
        visited.append(partition_of(state))
    state.check_invariants()
    return visited


def state_with(series, h, labels, capacity=16):
    state = NodeState(series, labels, unit=1.0, capacity=capacity)
    start_parameters(state, h)
    return state


def conditioned(series, h):
    """Probabilities of all divisions of six objects that respect what is known."""
    log_p = {}
    for labels in set_partitions(6):
        known = series.ties.log_weight(labels)
        if known > -inf:
            log_p[tuple(labels.tolist())] = known + exact_joint(state_with(series, h, labels), h)
    return normalised(log_p)


@pytest.mark.parametrize("moves", ["objects", ALL])
@pytest.mark.parametrize("name", KNOWN)
def test_posterior_with_constraints(name, moves):
    sizes, known = KNOWN[name]
    h, series = moving(**FIXED), small_cross(8, sizes).bound_by(known)
    visited = run(started(series, h), h, 8_000, moves, seed=9)
    check_visits(visited, conditioned(series, h))


@pytest.mark.slow
@pytest.mark.parametrize("name", KNOWN)
def test_posterior_with_constraints_by_moves_of_lineages(name):
    """Splits, merges and exchanges reach every division by themselves, too, unless it takes several groups at once."""
    sizes, known = KNOWN[name]
    h, series = moving(**FIXED), small_cross(8, sizes).bound_by(known)
    visited = run(started(series, h), h, 16_000, "splits links", seed=9)
    check_visits(visited, conditioned(series, h))


@pytest.mark.parametrize(
    "changes", [{"rho": 1.0, "kappa": 3.0, "delta": 0.2}, {"rho": 0.2, "delta": 1.0}, {"shift": 2.0}], ids=str
)
def test_posterior_with_constraints_and_other_parameters(changes):
    sizes, known = KNOWN["all kinds over a gap"]
    h, series = moving(**FIXED | changes), small_cross(8, sizes).bound_by(known)
    visited = run(started(series, h), h, 8_000, ALL, seed=9)
    check_visits(visited, conditioned(series, h))


@pytest.mark.parametrize("moves", ["objects", "objects splits links spreads"])
def test_posterior_with_constraints_and_spreads_of_their_own(moves):
    sizes, known = KNOWN["all kinds over a gap"]
    h, series = moving(**FIXED | {"tau": 0.6}), small_cross(8, sizes).bound_by(known)
    rng, log_p, errors, n = rng_for(51), {}, {}, 1_500
    for labels in set_partitions(6):
        if series.ties.log_weight(labels) == -inf:
            continue
        state, likelihoods = state_with(series, h, labels), []
        C, motion = int(state.size[0]), motion_of(state, h)
        for _ in range(n):
            state.spreads[:C] = state.alpha * np.exp(state.tau * rng.standard_normal(C))
            likelihoods.append(np.exp(log_likelihood_of_nodes(state.work, state.nodes, motion)))
        prior = log_prior_lineages(np.split(labels, state.first[1:-1]), state.xi, state.delta, state.kappa)
        cell = tuple(labels.tolist())
        log_p[cell] = prior + series.ties.log_weight(labels) + np.log(np.mean(likelihoods))
        errors[cell] = np.std(likelihoods) / np.mean(likelihoods) / np.sqrt(n)
    law = normalised(log_p)
    visited = run(started(series, h), h, 8_000, moves, seed=9)
    check_visits(visited, law, extra=sum(law[cell] * errors[cell] for cell in law) / 2)


def test_with_the_likelihood_off_the_urn_is_left():
    sizes, known = KNOWN["all kinds"]
    h, series = moving(**FIXED | {"tau": 0.5}), small_cross(8, sizes).bound_by(known)
    visited = run(started(series, h), h, 8_000, ALL, seed=10, dof_factor=0.0)
    ends, log_p = np.cumsum(sizes)[:-1], {}
    for labels in set_partitions(6):
        if series.ties.log_weight(labels) > -inf:
            urn = log_prior_lineages(np.split(labels, ends), 1.3, 0.6, 0.5)
            log_p[tuple(labels.tolist())] = urn + series.ties.log_weight(labels)
    check_visits(visited, normalised(log_p))


def test_starts_of_all_kinds_agree():
    sizes, known = KNOWN["all kinds"]
    h, series = moving(**FIXED), small_cross(8, sizes).bound_by(known)
    law = conditioned(series, h)
    for init in ("one", "ward", [np.array([0, 1]), np.array([1, 2]), np.array([0, 3])]):
        check_visits(run(started(series, h, init), h, 4_000, ALL, seed=5), law)


@pytest.mark.parametrize("moves", ["objects", "splits links"])
def test_without_its_bonds_a_chain_is_caught(moves):
    """Bonds that the moves do not see, while the law does: the test of this file must fail."""
    h = moving(**FIXED)
    series = small_cross(8, THREE).bound_by(Constraints(must_link=[((0, 0), (0, 1), 2.0)]))
    state = state_with(series, h, started(series, h).z)
    np.asarray(state.nodes.bonds.weight)[:] = 0
    visited = run(state, h, 8_000, moves, seed=9)
    with pytest.raises(AssertionError):
        check_visits(visited, conditioned(series, h))


seeds = st.integers(0, 2**32 - 1)
sizes_of_epochs = st.lists(st.integers(0, 5), min_size=1, max_size=5).filter(lambda sizes: sum(sizes) >= 4)
models = st.builds(
    lambda dof, own, pooled, shift: moving(
        dof, shift=shift, **({} if own else {"tau": 0.0, "rho": 1.0 if pooled else 0.8})
    ),
    dof=st.floats(0.5, 20),
    own=st.booleans(),
    pooled=st.booleans(),
    shift=st.sampled_from([0.0, SHIFT]),
)


def bound_nodes(seed, sizes, h, n_lineages=4):
    """A random state with random constraints that it respects."""
    rng, N = rng_for(seed, 61), sum(sizes)
    epoch = np.repeat(np.arange(len(sizes)), sizes)
    row = np.arange(N) - np.concatenate([[0], np.cumsum(sizes)])[epoch]
    labels = np.unique(rng.integers(n_lineages, size=N), return_inverse=True)[1]
    must, cannot = [], []
    for _ in range(N):
        i, j = (int(x) for x in rng.choice(N, size=2, replace=False))
        pair = (int(epoch[i]), int(row[i])), (int(epoch[j]), int(row[j]))
        hard = rng.random() < 0.5
        if hard:
            (must if labels[i] == labels[j] else cannot).append(pair)
        else:
            (must if rng.random() < 0.5 else cannot).append((*pair, float(rng.uniform(0.2, 2.0))))
    series = small_cross(seed, sizes).bound_by(Constraints(must_link=must, cannot_link=cannot))
    state = NodeState(series, labels, unit=1.0)
    start_parameters(state, h)
    for name, prior in priors_of(h).items():
        if isinstance(prior, Gamma):
            setattr(state, name, float(rng.uniform(0.3, 2.0)))
        elif isinstance(prior, Beta):
            setattr(state, name, float(rng.choice([1e-5, 0.4, 0.9, 1 - 1e-6])))
    if isinstance(h.shift, Gamma):
        state.shift = float(rng.choice([1e-6, 0.7, 30.0]))
    spread_out(state, rng)
    state.check_invariants()
    return state


def joint(state, h, labels=None, spreads=None):
    """Log joint by the model, and the weights of what is known."""
    labels = state.z if labels is None else labels
    return exact_joint(state, h, labels, spreads) + state.series.ties.log_weight(labels)


@given(seed=seeds, sizes=sizes_of_epochs, h=models)
def test_joint_of_a_state_has_the_weights(seed, sizes, h):
    state = bound_nodes(seed, sizes, h)
    assert log_joint_of_nodes(state, h) == pytest.approx(joint(state, h), rel=1e-9, abs=1e-8)


def check_group(state, h, g, n_aux, rng):
    """Weights of all lineages for a group are ratios of the joint; the state stays as it is, bit for bit."""
    given_, motion = (plain.as_plain(view, True) for view in (state.nodes, motion_of(state, h)))
    scratch = kernels["assign_nodes"].NodeAssignment(state.capacity, state.n_epochs)
    scratch.make_room(n_aux)
    move = kernels["bound_lineages"].GroupMove(state.capacity, state.n_epochs)
    change = kernels["split_lineages"].LineageSplit(state.capacity, state.n_epochs, len(state.z))
    sums = kernels["lineage_sums"].LineageSums(state.capacity, state.n_epochs)
    kernels["lineage_sums"].build(sums, given_, motion)
    bonds, C, kept = given_.bonds, int(state.size[0]), bytes_of(state)
    members = bonds.members[bonds.start[g] : bonds.start[g + 1]]
    a = int(state.z[members[0]])
    alone = int(np.sum(state.z == a)) == len(members)
    stream = plain.Stream(rng)
    kernels["bound_lineages"].weigh(stream, move, scratch, change, sums, given_, motion, g, a, alone)
    assert bytes_of(state) == kept
    gaps = []
    for c in range(C):
        labels = state.z.copy()
        labels[members] = c
        there = state.series.ties.log_weight(labels)
        if there == -inf:
            assert scratch.log_weight[c] == -inf
        elif c != a or not alone:
            gaps.append(exact_joint(state, h, labels) + there - scratch.log_weight[c])
    for weight, spread in zip(scratch.born, scratch.fresh, strict=True):
        labels, spreads = state.z.copy(), state.spreads.copy()
        labels[members], spreads[C] = C, spread
        drawn = log_density_of_spread(log(spread / state.alpha), state.tau) if state.tau > 0 else 0.0
        gaps.append(joint(state, h, labels, spreads) - drawn - log(n_aux) - weight)
    assert np.ptp(gaps) < 1e-7 * max(1.0, np.abs(gaps).max() / 100)


def groups_of(state):
    """Numbers of groups of several objects."""
    return np.flatnonzero(np.diff(np.asarray(state.nodes.bonds.start)) > 1)


@settings(max_examples=300)
@given(seed=seeds, sizes=sizes_of_epochs, h=models, n_aux=st.integers(1, 3))
def test_weights_of_a_group_are_ratios_of_the_joint(seed, sizes, h, n_aux):
    state = bound_nodes(seed, sizes, h)
    for g in groups_of(state):
        check_group(state, h, int(g), n_aux, rng_for(seed, 62))


def bytes_of(state):
    return {name: array.tobytes() for name, array in state.to_arrays().items()}


@settings(max_examples=300)
@given(seed=seeds, sizes=sizes_of_epochs, h=models)
def test_groups_move_as_one_and_leave_nothing_behind(seed, sizes, h):
    state, rng = bound_nodes(seed, sizes, h), rng_for(seed, 63)
    for _ in range(3):
        update_objects(state, motion_of(state, h), 2, rng)
        state.check_invariants()


def plainly(state):
    """Give a state views for the plain kernels, which it keeps unless it has to grow."""
    state._views = {name: plain.as_plain(getattr(state, name), False) for name in ("work", "nodes")}
    return state


def check_change(state, h, rng, change=split_or_merge_lineages):
    """The gain of a split or merge is that of the joint with the weights; a rejection changes nothing."""
    i, j, lo, hi = draw_change(state, rng)
    if i == j:
        return
    before, kept = joint(state, h), bytes_of(state)
    n_before, spread_j = int(state.size[0]), float(state.spreads[state.z[j]])
    motion = motion_of(state, h)
    done = change(rng, state.work, state.nodes, motion, False, i, j, lo, hi)
    if not done:
        assert bytes_of(state) == kept
        return
    state.check_invariants()
    gain = joint(state, h) - before
    if state.tau > 0 and state.size[0] != n_before:
        spread = state.spreads[state.z[j]] if done == 1 else spread_j
        gain += (-1 if done == 1 else 1) * log_density_of_spread(log(spread / state.alpha), state.tau)
    assert state.work.change.gain == pytest.approx(gain, rel=1e-8, abs=1e-7)


@settings(max_examples=300)
@given(seed=seeds, sizes=sizes_of_epochs, h=models)
def test_splits_and_merges_respect_what_is_known(seed, sizes, h):
    state, rng = bound_nodes(seed, sizes, h, n_lineages=3), rng_for(seed, 64)
    for _ in range(10):
        check_change(state, h, rng)


def check_exchange(state, h, rng):
    """The gain of an exchange is that of the joint with the weights; one that breaks something is never asked for."""
    given_, motion = (plain.as_plain(view, True) for view in (state.nodes, motion_of(state, h)))
    scratch = kernels["assign_nodes"].NodeAssignment(state.capacity, state.n_epochs)
    sums = kernels["lineage_sums"].LineageSums(state.capacity, state.n_epochs)
    kernels["lineage_sums"].build(sums, given_, motion)
    before, C, kept = joint(state, h), int(state.size[0]), state.spreads.copy()
    log_joint = kernels["urn"].log_prior(scratch.urn, given_, motion)
    log_joint += kernels["lineage_sums"].log_likelihood_now(sums, motion)
    a = int(rng.integers(C + 1))
    b = int((a + 1 + rng.integers(C)) % (C + 1))
    lo = int(rng.integers(1, state.n_epochs))
    hi = int(rng.choice([lo, state.n_epochs - 1]))
    accept, asked, bytes_before = kernels["stream"].accept, [], bytes_of(state)

    def ask(rng, log_ratio, log_proposal, power):
        asked.append(log_ratio)
        return True

    kernels["stream"].accept = ask
    try:
        kernels["relink"].try_exchange(plain.Stream(rng), scratch, sums, given_, motion, a, b, lo, hi, log_joint)
    finally:
        kernels["stream"].accept = accept
    if not asked:
        assert bytes_of(state) == bytes_before
        return
    state.check_invariants()
    gain, n = joint(state, h) - before, int(state.size[0])
    if state.tau > 0 and n != C:  # a spread was drawn, or given up
        odd = set(state.spreads[:n].tolist()) ^ set(kept[:C].tolist())
        gain += (C - n) * log_density_of_spread(log(odd.pop() / state.alpha), state.tau)
    assert asked[0] == pytest.approx(gain, rel=1e-8, abs=1e-7)


@settings(max_examples=200)
@given(seed=seeds, sizes=sizes_of_epochs.filter(lambda sizes: len(sizes) > 1), h=models)
def test_exchanges_respect_what_is_known(seed, sizes, h):
    state, rng = bound_nodes(seed, sizes, h), rng_for(seed, 65)
    for _ in range(10):
        check_exchange(state, h, rng)
        kept = bytes_of(state)
        if relink_lineages(rng, state.work, state.nodes, motion_of(state, h), 1)[1] == 0:
            assert bytes_of(state) == kept
        state.check_invariants()


def check_way_back(state, h, rng):
    """A merge proposes with the probability of the split that undoes it: groups go to their sides at no cost."""
    i, j, lo, hi = draw_change(state, rng)
    if i == j or state.z[i] != state.z[j]:
        return 0
    listed = kernels["sides_of_lineage"].list_members
    given_, motion = (plain.as_plain(view, True) for view in (state.nodes, motion_of(state, h)))
    change = kernels["split_lineages"].LineageSplit(state.capacity, state.n_epochs, len(state.z))
    if not propose(plain.Stream(rng), change, given_, motion, i, j, lo, hi):
        return 0
    there, b = change.log_proposal, int(change.sides.slot[1])
    order, side = (np.asarray(x)[: change.sides.n_members].copy() for x in (change.sides.members, change.sides.side))
    target = state.copy()
    target.spreads[b] = change.sides.spreads[1]
    target.size[0] = max(int(state.size[0]), b + 1)
    target.z[order[side == 1]] = b
    assert target.series.ties.log_weight(target.z) > -inf or b < state.size[0]  # unless foes are there already
    target.rebuild()
    given_ = plain.as_plain(target.nodes, True)

    def same_order(given_, sides, rng, i, j):
        listed(given_, sides, rng, i, j)
        sides.members[: len(order)] = order

    kernels["sides_of_lineage"].list_members = same_order
    try:
        assert propose(plain.Stream(rng), change, given_, motion, i, j, lo, hi)
    finally:
        kernels["sides_of_lineage"].list_members = listed
    assert change.log_proposal == pytest.approx(-there, rel=1e-8, abs=1e-8)
    return 1


@settings(max_examples=200)
@given(seed=seeds, sizes=sizes_of_epochs, h=models)
def test_proposal_of_a_merge_is_that_of_the_split_that_undoes_it(seed, sizes, h):
    state, rng = bound_nodes(seed, sizes, h, n_lineages=3), rng_for(seed, 66)
    for _ in range(5):
        check_way_back(state, h, rng)


def without_a_member(real):
    def gather(group, given_, bonds, g, a):
        bonds.start[g + 1] -= 1
        real(group, given_, bonds, g, a)
        bonds.start[g + 1] += 1

    return gather


def twice(real):
    def add_pull(*args):
        real(*args)
        real(*args)

    return add_pull


def with_foes(real):
    def gain(given_, bonds):
        weight = bonds.weight.copy()
        bonds.weight[weight == -inf] = 0.0
        total = real(given_, bonds)
        bonds.weight[:] = weight
        return total

    return gain


BUGS = {
    "a member without weight": ("bound_lineages", "gather", without_a_member, "group"),
    "weights of a group counted twice": ("lineage_bonds", "add_pull", twice, "group"),
    "foes in a split": ("lineage_bonds", "gain", with_foes, "change"),
    "weights of a split counted twice": ("lineage_bonds", "gain", lambda real: lambda *a: 2 * real(*a), "change"),
    "groups that a split tears apart": ("lineage_bonds", "is_within", lambda real: lambda *_: True, "change"),
    "groups that choose again": ("sides_of_lineage", "settle_groups", lambda real: lambda *_: True, "change"),
    "groups that an exchange tears apart": (
        "lineage_bonds",
        "exchange",
        lambda real: lambda *a: real(*a) or True,
        "exchange",
    ),
    "foes after an exchange": ("lineage_bonds", "gain", with_foes, "exchange"),
}


def look_for_bugs(what, n):
    h, sizes = moving(3.0, shift=SHIFT), (3, 2, 0, 3, 2)
    for seed in range(n):
        state, rng = bound_nodes(seed, sizes, h, n_lineages=3), rng_for(seed, 67)
        if what == "group":
            for g in groups_of(state):
                check_group(state, h, int(g), 2, rng)
        for _ in range(3):
            if what == "change":
                check_change(plainly(state), h, rng, kernels["node_entry"].split_or_merge_lineages)
            elif what == "exchange":
                check_exchange(state, h, rng)


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_caught(monkeypatch, bug):
    file, name, plant, what = BUGS[bug]
    look_for_bugs(what, 25)
    monkeypatch.setattr(kernels[file], name, plant(getattr(kernels[file], name)))
    with pytest.raises(AssertionError):
        look_for_bugs(what, 25)


def test_compiled_moves_are_the_plain_ones():
    """The same lineages, bit for bit, from the same random numbers."""
    h, sizes = moving(3.0, shift=SHIFT), (4, 3, 0, 4)
    for seed in range(8):
        states = [bound_nodes(seed, sizes, h) for _ in range(2)]
        plainly(states[1])
        for state in states:
            rng, motion = rng_for(seed, 68), motion_of(state, h)
            moved = np.zeros(state.n_epochs, dtype=np.int64)
            with pytest.MonkeyPatch.context() as patch:
                for name in KERNELS if state is states[1] else ():
                    patch.setattr(f"tetiwd.moves.lineages.{name}", getattr(kernels["node_entry"], name))
                for _ in range(5):
                    moved += update_objects(state, motion, 2, rng)
                    update_splits(state, motion, 3, rng)
                    update_links(state, motion, 1, rng)
            assert moved.any()
        assert bytes_of(states[0]) == bytes_of(states[1])
