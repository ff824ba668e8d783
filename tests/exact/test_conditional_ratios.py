"""Every weight and every acceptance ratio of the sampler is a ratio of the joint density."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import kstest, norm, truncnorm

from plain_kernels import plain
from reference import rng_for
from small_worlds import World, random_state
from tetiwd import Gamma, Hyperparameters, density
from tetiwd.density import log_joint_of, log_likelihoods
from tetiwd.model import log_row_density, prior_scale
from tetiwd.model.spreads import LIMIT, draw_log_spread, log_density_of_spread
from tetiwd.moves.links import NOTHING
from tetiwd.moves.scale import log_target, set_scale
from tetiwd.state import models_of

SAMPLED = {"alpha": Gamma(2, 0.7), "xi": Gamma(1.5, 1), "new_scale": Gamma(3, 0.4)}
hyperparameters = st.builds(
    lambda dof, df_A, max_clusters, geometry, coupling, kappa, tau: Hyperparameters(
        dof=dof,
        df_A=df_A if isinstance(df_A, Gamma) else max(df_A, max_clusters or 0),
        max_clusters=max_clusters,
        geometry=geometry,
        coupling=coupling,
        kappa=kappa,
        tau=tau,
        **SAMPLED,
    ),
    dof=st.floats(0.5, 20),
    df_A=st.sampled_from([3.5, 4.0, 5.5, 30.0, Gamma(3, 5)]),
    max_clusters=st.sampled_from([None, 4, 5]),
    geometry=st.sampled_from(["full", "full", "isotropic"]),
    coupling=st.sampled_from([True, True, False]),
    kappa=st.sampled_from([1.0, Gamma(2, 0.5)]),
    tau=st.sampled_from([None, 0.7, Gamma(2, 0.3)]),
)
sizes = st.lists(st.integers(1, 6), min_size=1, max_size=4)
seeds = st.integers(0, 2**32 - 1)
kinds = st.sampled_from(["distances", "distances", "similarities"])


def possible_state(seed, sizes, h, kind):
    assume(kind == "distances" or h.tau_used == 0)
    state = random_state(seed, sizes, h, kind)
    assume(np.isfinite(log_joint_of(state, h)))  # a finite max_clusters rules some out
    return state


close = {"rel": 1e-9, "abs": 1e-7}


def candidates_of(state, t, obj, h, n_aux, rng):
    """Take an object out as the sampler does, and weigh everything it could join."""
    epoch, before, after = (plain.as_plain(view, True) for view in state.around(t, coupled=h.coupling))
    model = models_of(state, h)[t]
    k, a = int(epoch.size[0]), int(epoch.z[obj])
    own = float(epoch.sums.own(obj)) if model.similarity else 0.0
    r = epoch.R[:k, obj].copy()
    r[a] -= own
    scratch = plain.Assignment(k)
    scratch.found, scratch.births = plain.Candidates(k, n_aux), plain.Births(state.capacity)
    terms, out, births, found = scratch.terms, scratch.out, scratch.births, scratch.found
    for c in range(k):
        plain.weigh_cluster(scratch.log_prior, epoch, before, after, model, c)
    alone = bool(epoch.counts[a] == 1)
    if alone:
        plain.take_out_alone(epoch, a)
    plain.build_terms(terms, k, epoch.counts, epoch.S, epoch.spreads, epoch.A, model.alpha)
    plain.prepare_births(births, epoch, before, after, model, a if alone else -1)
    plain.take_out(out, terms, k, a, r / epoch.spreads[:k], own, alone)
    out.spread[:k] = epoch.spreads[:k]
    n_present = plain.weigh_present(scratch, k, model, own, a, alone)
    C = plain.offer_births(rng, found, n_present, epoch, before, after, model, terms, out, births, own, n_aux, a, alone)
    if n_present > 0:
        plain.add_volumes(found, n_present, model)
    return found, C, alone, a, births


def worlds_of(world, state, t, obj, h, found, C, alone, a):
    """The world after each candidate, and the log density of the row and the spread that were drawn for it."""
    base = world.without_row(t, a) if alone else world
    rows = [c for c in range(len(world.lineages[t])) if not (alone and c == a)]
    for i in range(C):
        if found.slot[i] >= 0 and not (alone and found.slot[i] == a):
            new = base.renamed_from(0, -1, -1)
            new.labels[t][obj] = world.lineages[t][found.slot[i]]
            yield new, 0.0
            continue
        b, f = int(found.back[i]), int(found.forward[i])
        h_row, schur = found.h[i], found.schur[i]
        whole = world.A[t] @ h_row
        variance = schur + h_row @ whole
        name = world.lineages[t - 1][b] if b >= 0 else 10_000
        cut = base
        if alone and world.lineages[t][a] in {c for own in base.lineages[t + 1 : t + 2] for c in own}:
            cut = base.renamed_from(t + 1, world.lineages[t][a], 20_000)  # the lineage is cut where the object was
        new = cut.with_row(t, name, whole[rows], variance, found.spread[i])
        if f >= 0:
            new = new.renamed_from(t + 1, cut.lineages[t + 1][f], name)
        new.labels[t][obj] = name
        law = log_density_of_spread(np.log(found.spread[i]), state.tau) if state.tau > 0 else 0.0
        if h.full:
            earlier = (new.A[t - 1], new.lineages[t - 1]) if t > 0 and h.coupling else (np.empty((0, 0)), [])
            P = prior_scale(*earlier, new.lineages[t], state.new_scale)
            law += log_row_density(new.A[t], P, state.df_A)
        yield new, law


def chance_of_kind(births, b, f):
    """With what probability an offered birth is of this kind."""
    e = births.ended[: births.n_ended].tolist().index(b)
    v = births.beginning[: births.n_beginning].tolist().index(f)
    return births.weight[e, v] / births.total


def check_assignment_weights(state, h, t, obj, n_aux, rng):
    world = World.of(state)
    found, C, alone, a, births = candidates_of(state, t, obj, h, n_aux, rng)
    expected, conditions = [], []
    for i, (new, law) in enumerate(worlds_of(world, state, t, obj, h, found, C, alone, a)):
        chance = 0.0
        conditions.append(np.linalg.cond(new.A[t]))
        if found.slot[i] < 0 or (alone and found.slot[i] == a):
            chance = law + np.log(n_aux * chance_of_kind(births, found.back[i], found.forward[i]))
        expected.append(new.log_joint(state, h) - chance)
    weights, expected = np.array(found.log_weight[:C]), np.array(expected)
    left_out = np.isneginf(weights) & np.isfinite(expected)  # far below the best, so that the last log was not taken
    assert (expected[left_out] - expected.max() < -40).all()
    gap = expected[~left_out] - weights[~left_out]
    rounding = np.finfo(float).eps * max(conditions)  # rows that are drawn may make A nearly singular
    assert np.ptp(gap) < 1e-7 * max(1.0, np.abs(expected).max() / 100) + rounding
    return found, C, alone, a


@settings(max_examples=300)
@given(seed=seeds, sizes=sizes, h=hyperparameters, kind=kinds, n_aux=st.integers(1, 3))
def test_assignment_weights(seed, sizes, h, kind, n_aux):
    rng = rng_for(seed, 3)
    state = possible_state(seed, sizes, h, kind)
    t = int(rng.integers(len(sizes)))
    obj = int(rng.integers(sizes[t]))
    check_assignment_weights(state, h, t, obj, n_aux, rng)


def test_all_five_kinds_are_offered_and_a_lone_object_keeps_its_row():
    h = Hyperparameters(dof=3, df_A=20, **SAMPLED)
    seen, kept = set(), 0
    for seed in range(60):
        state = random_state(seed, [4, 3, 4], h)
        found, C, alone, a = check_assignment_weights(state, h, 1, 0, 5, rng_for(seed, 4))
        for i in range(C):
            born = found.slot[i] < 0 or (alone and found.slot[i] == a)
            seen.add((found.back[i] >= 0, found.forward[i] >= 0) if born else "existing")
        kept += alone and int((found.slot[:C] == a).sum() == 1)
    assert seen == {"existing", (False, False), (False, True), (True, False), (True, True)}
    assert kept > 5


@given(seed=seeds, sizes=sizes, h=hyperparameters)
def test_everything_possible_is_offered(seed, sizes, h):
    """Existing clusters, and every way of being born that the prior and the Wishart distribution allow."""
    rng = rng_for(seed, 8)
    state = possible_state(seed, sizes, h, "distances")
    t = int(rng.integers(len(sizes)))
    obj = int(rng.integers(sizes[t]))
    _, C, alone, a, offered = candidates_of(state, t, obj, h, 1, rng)
    n_others = int(state.n_clusters[t]) - alone
    ended = beginning = 0
    if h.coupling and t > 0:
        ended = sum(link in (-1, a if alone else -1) for link in state.forward[t - 1, : state.n_clusters[t - 1]])
    if h.coupling and t + 1 < len(sizes):
        beginning = sum(link in (-1, a if alone else -1) for link in state.back[t + 1, : state.n_clusters[t + 1]])
    room = h.geometry == "isotropic" or state.df_A > n_others
    kinds = (ended + 1) * (beginning + 1) if room else 0
    possible = offered.weight[: offered.n_ended, : offered.n_beginning] > 0
    assert n_others + (offered.total > 0) == C
    if h.max_clusters is None:
        assert possible.sum() == kinds
    else:
        assert int(alone) <= possible.sum() <= kinds


@given(seed=seeds, sizes=sizes, h=hyperparameters.filter(lambda h: h.full), kind=kinds)
def test_geometry_acceptance(seed, sizes, h, kind):
    """What the move on rows of A compares is the joint (what it proposes from is in test_split_merge.py)."""
    rng = rng_for(seed, 5)
    state = possible_state(seed, sizes, h, kind)
    t = int(rng.integers(state.n_epochs))
    k = int(state.n_clusters[t])
    world, model = World.of(state), models_of(state, h)[t]
    factor = np.diag(rng.uniform(0.7, 1.4, size=k))
    proposal = factor @ world.A[t] @ factor
    around = state.epoch(t), state.before(t, coupled=h.coupling), state.after(t, coupled=h.coupling)
    terms, scratch = plain.Terms(k), plain.Wishart(state.capacity)

    def target(A):
        return plain.log_geometry_target(around[0], A, terms, scratch, around[1], around[2], model)

    new = world._replace(A=[proposal if s == t else A for s, A in enumerate(world.A)])
    expected = new.log_joint(state, h) - world.log_joint(state, h)
    assert target(proposal) - target(state.A[t]) == pytest.approx(expected, **close)


@given(seed=seeds, sizes=st.lists(st.integers(1, 6), min_size=2, max_size=4), h=hyperparameters, kind=kinds)
def test_link_acceptance(seed, sizes, h, kind):
    if not h.coupling:
        return
    rng = rng_for(seed, 6)
    state = possible_state(seed, sizes, h, kind)
    t = int(rng.integers(len(sizes) - 1))
    left, right = plain.as_plain(state.before(t + 1), True), plain.as_plain(state.after(t), True)
    model, scratch = models_of(state, h)[t], plain.Wishart(state.capacity)
    k_left, k_right = int(state.n_clusters[t]), int(state.n_clusters[t + 1])
    c, f = int(rng.integers(k_left)), int(rng.integers(k_right))
    old_back = right.link[:k_right].copy()
    new_back, again = np.empty(k_right, dtype=np.int64), np.empty(k_right, dtype=np.int64)
    plain.propose_links(right.link, left.link, k_right, c, f, new_back)
    current, old = plain.log_boundary(left, right, k_right, right.link, NOTHING, scratch, model), log_joint_of(state, h)
    proposed = plain.log_boundary(left, right, k_right, new_back, NOTHING, scratch, model)
    plain.set_links(left, right, k_right, new_back)
    state.check_invariants()
    new = World.of(state).log_joint(state, h)
    assert (proposed - current == new - old == -np.inf) or proposed - current == pytest.approx(new - old, **close)
    back_again = {tuple(old_back)}
    reached = set()
    for c2 in range(k_left):
        for f2 in range(k_right):
            plain.propose_links(right.link, left.link, k_right, c2, f2, again)
            reached.add(tuple(again))
    assert back_again <= reached


def count_ways(old_back, old_forward, target):
    ways = 0
    for c in range(len(old_forward)):
        for f in range(len(old_back)):
            new = np.empty(len(old_back), dtype=np.int64)
            plain.propose_links(np.array(old_back), np.array(old_forward), len(old_back), c, f, new)
            ways += tuple(new) == tuple(target)
    return ways


def test_link_proposals_are_symmetric():
    """As many pairs lead from one matching to another as back."""

    def forward_of(back, k):
        return [back.index(c) if c in back else -1 for c in range(k)]

    start = {(-1, -1, -1)}
    while True:
        more = set(start)
        for back in start:
            for c in range(2):
                for f in range(3):
                    new = np.empty(3, dtype=np.int64)
                    plain.propose_links(np.array(back), np.array(forward_of(list(back), 2)), 3, c, f, new)
                    more.add(tuple(int(x) for x in new))
        if more == start:
            break
        start = more
    assert len(start) == 1 + 6 + 6  # no link, one link, two links
    for one in start:
        for two in start:
            there = count_ways(one, forward_of(list(one), 2), two)
            assert there == count_ways(two, forward_of(list(two), 2), one)


@given(seed=seeds, sizes=sizes, h=hyperparameters, kind=kinds, name=st.sampled_from([*SAMPLED, "kappa", "df_A", "tau"]))
def test_scale_acceptance(seed, sizes, h, kind, name):
    assume(name in SAMPLED or name in h.learned)
    state = possible_state(seed, sizes, h, kind)
    old_value, old = getattr(state, name), log_joint_of(state, h)
    new_value = old_value * 1.3
    log_density = log_target(name, state, h)
    gain = log_density(new_value) - log_density(old_value)
    set_scale(state, h, name, new_value)
    new = World.of(state).log_joint(state, h)
    assert gain == pytest.approx(new - old, **close)


def check_df_A(seed):
    h = Hyperparameters(dof=3, df_A=Gamma(3, 5), **SAMPLED)
    state = random_state(seed, [4, 5, 4], h)
    log_density, most = log_target("df_A", state, h), int(state.n_clusters.max())
    here = log_density(state.df_A)
    for df_A in (most - 0.9, most + 0.3, 40.0):
        new = World.of(state).log_joint(state, h, df_A=df_A)
        assert log_density(df_A) - here == pytest.approx(new - log_joint_of(state, h), **close)
    assert log_density(most - 1.0) == -np.inf


def test_df_A_is_weighed_with_its_constant_and_needs_room(monkeypatch):
    for seed in range(10):
        check_df_A(seed)
    monkeypatch.setattr(density, "log_prior_of_geometry", plain.log_prior_of_geometry)
    check_df_A(0)
    monkeypatch.setattr(plain, "log_wishart_constant", lambda k, df: 0.0 if df > k - 1 else -np.inf)
    with pytest.raises(AssertionError):
        check_df_A(0)


@given(seed=seeds, sizes=sizes, h=hyperparameters.filter(lambda h: h.full), kind=kinds)
def test_stretch_acceptance(seed, sizes, h, kind):
    """All A_t and new_scale times a factor: the ratio of the joint times the Jacobian of the change of variables."""
    state, factor = possible_state(seed, sizes, h, kind), 1.3
    old = log_joint_of(state, h)
    log_density = log_target("stretch", state, h)
    gain = log_density(factor) - log_density(1.0)
    set_scale(state, h, "stretch", factor)
    new = World.of(state).log_joint(state, h)
    free_entries = sum(k * (k + 1) / 2 for k in state.n_clusters)
    assert gain == pytest.approx(new - old + free_entries * np.log(factor), **close)


unequal = hyperparameters.filter(lambda h: h.tau_used != 0)


@given(seed=seeds, sizes=sizes, h=unequal, step=st.floats(-0.5, 0.5))
def test_level_acceptance(seed, sizes, h, step):
    """Another alpha, and every cluster keeps its variance."""
    state = possible_state(seed, sizes, h, "distances")
    old, before, alpha = log_joint_of(state, h), state.alpha * state.spreads[0, 0], state.alpha * np.exp(step)
    log_density = log_target("level", state, h)
    gain = log_density(alpha) - log_density(state.alpha)
    likelihood = log_likelihoods(state, h)
    set_scale(state, h, "level", alpha)
    assert state.alpha * state.spreads[0, 0] == pytest.approx(before)
    assert log_likelihoods(state, h) == pytest.approx(likelihood, **close)
    new = World.of(state).log_joint(state, h)
    assert gain == new - old == -np.inf or gain == pytest.approx(new - old, **close)


@given(seed=seeds, sizes=sizes, h=unequal.filter(lambda h: "tau" in h.learned), factor=st.floats(0.7, 1.4))
def test_widen_acceptance(seed, sizes, h, factor):
    """tau and all log spreads times a factor: the ratio of the joint times the Jacobian of the change of variables."""
    state = possible_state(seed, sizes, h, "distances")
    old, spreads = log_joint_of(state, h), state.spreads.copy()
    log_density = log_target("widen", state, h)
    gain = log_density(factor) - log_density(1.0)
    assert np.array_equal(state.spreads, spreads)
    set_scale(state, h, "widen", factor)
    new = World.of(state).log_joint(state, h) + state.n_clusters.sum() * np.log(factor)
    assert gain == new - old == -np.inf or gain == pytest.approx(new - old, **close)


def spread_steps(state, t, model, accepted):
    """What every step of the move on spreads compares, and the spreads that it proposes."""
    steps = []

    def decide(rng, log_ratio, log_proposal, power):
        steps.append((log_ratio, log_proposal, state.spreads[t, : state.n_clusters[t]].copy()))
        return accepted

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain, "accept", decide)
        plain.move_spreads_of_epoch(rng_for(10), state.work, state.epoch(t), model)
    return steps


def check_spread_acceptance(seed, sizes, h, accepted):
    state = possible_state(seed, sizes, h, "distances")
    t = int(rng_for(seed, 9).integers(len(sizes)))
    world, before, model = World.of(state), state.to_arrays(), models_of(state, h)[t]
    laws = [plain.find_law(state.epoch(t), model, c) for c in range(state.n_clusters[t])]
    for c, (log_ratio, log_proposal, spreads) in enumerate(spread_steps(state, t, model, accepted)):
        new = world._replace(spreads=[spreads if s == t else own for s, own in enumerate(world.spreads)])
        law = norm(laws[c][0], laws[c][1] ** -0.5)
        x, x_new = np.log(world.spreads[t][c]), np.log(spreads[c])
        assert log_ratio == pytest.approx(new.log_joint(state, h) - world.log_joint(state, h), **close)
        assert log_proposal == pytest.approx(law.logpdf(x) - law.logpdf(x_new), **close)
        world = new if accepted else world
    assert np.array_equal(World.of(state).spreads[t], world.spreads[t])
    after = state.to_arrays()
    assert all(
        np.array_equal(after[name], array) for name, array in before.items() if name != "spreads" or not accepted
    )


@given(seed=seeds, sizes=sizes, h=unequal, accepted=st.booleans())
def test_spread_acceptance(seed, sizes, h, accepted):
    """The ratio of the joint and of the densities that spreads are drawn with; a refusal leaves every byte."""
    check_spread_acceptance(seed, sizes, h, accepted)


def test_a_spread_proposed_without_its_density_is_caught(monkeypatch):
    monkeypatch.setattr(plain, "log_cut_normal", lambda x, mode, precision, limit: 0.0)
    with pytest.raises(AssertionError):
        test_spread_acceptance()


@pytest.mark.parametrize("tau", [0.2, 0.8, 3.0])
def test_new_spreads_follow_their_prior(tau):
    rng, law = rng_for(11), truncnorm(-LIMIT / tau, LIMIT / tau, 0, tau)
    assert kstest([np.log(plain.draw_from_prior(rng, tau, LIMIT)) for _ in range(4000)], law.cdf).pvalue > 1e-4
    assert kstest([draw_log_spread(tau, rng) for _ in range(4000)], law.cdf).pvalue > 1e-4


@given(x=st.floats(-LIMIT, LIMIT), mode=st.floats(-1, 1), scale=st.floats(0.01, 5))
def test_law_of_a_spread(x, mode, scale):
    expected = truncnorm((-LIMIT - mode) / scale, (LIMIT - mode) / scale, mode, scale).logpdf(x)
    assert plain.log_cut_normal(x, mode, scale**-2.0, LIMIT) == pytest.approx(expected, **close)
    expected = truncnorm(-LIMIT / scale, LIMIT / scale, 0, scale).logpdf(x)
    assert log_density_of_spread(x, scale) == pytest.approx(expected, **close)


@given(seed=seeds, sizes=sizes, h=hyperparameters, kind=kinds)
def test_log_joint_of_a_state_is_the_log_joint(seed, sizes, h, kind):
    assume(kind == "distances" or h.tau_used == 0)
    state = random_state(seed, sizes, h, kind)
    assert log_joint_of(state, h) == pytest.approx(World.of(state).log_joint(state, h), **close)


def wrong_forward_factor(size, before, after, model, k_before):
    """The paper's printed rule."""
    return (before + size) * max(after, 1e-12) / size


def counting_itself(size, before, after, model, k_before):
    return (before + size + 1) * (size + 1 + after) / (size + 1)


def without_the_rate(before, after, model, k_before, free_here, unused, born_next):
    return (before if before > 0 else model.xi) * (after if after > 0 else 1.0)


def without_kappa(before, after, model, k_before, free_here, unused, born_next):
    """The rate of new clusters as if there were no past; the sizes that it leaves count κ."""
    weight = plain.originals["weight_of_birth"](before, after, model, k_before, free_here, unused, born_next)
    return weight if before > 0 else weight / model.kappa


def sizes_without_kappa(size, before, after, model, k_before):
    return (before + size) * (size + after) / size


def born_with_the_common_spread(own_terms, out, model, own, h, row, schur, spread, k, reference):
    birth = plain.originals["log_likelihood_of_birth"]
    return birth(own_terms, out, model, own, h, row, schur, 1.0, k, reference)


def sizes_alone_divided(terms, k, counts, S, spreads):
    plain.originals["divide_by_spreads"](terms, k, counts, S, spreads)
    terms.S[:k, :k] = S[:k, :k]


@pytest.mark.parametrize(
    ("name", "bug"),
    [
        ("log_likelihood_of_birth", born_with_the_common_spread),
        ("divide_by_spreads", sizes_alone_divided),
        ("weight_of_present", wrong_forward_factor),
        ("weight_of_present", counting_itself),
        ("weight_of_birth", without_the_rate),
        ("weight_of_birth", without_kappa),
        ("weight_of_present", sizes_without_kappa),
        ("log_forward_ratio", lambda *args: 0.0),
    ],
    ids=[
        "born with the common spread",
        "block sums not divided by spreads",
        "printed forward factor",
        "count includes the object itself",
        "joining two chains without xi",
        "rate without kappa",
        "sizes without kappa",
        "forgotten factor of A at the next epoch",
    ],
)
def test_planted_bugs_in_the_weights_are_caught(monkeypatch, name, bug):
    h = Hyperparameters(dof=3, df_A=20, kappa=Gamma(2, 0.5), tau=Gamma(2, 0.3), **SAMPLED)

    def all_pass():
        for seed in range(25):
            check_assignment_weights(random_state(seed, [4, 3, 4], h), h, 1, 0, 2, rng_for(seed, 7))

    all_pass()
    monkeypatch.setattr(plain, name, bug)
    with pytest.raises(AssertionError):
        all_pass()
