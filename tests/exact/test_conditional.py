"""Membership probabilities given the rest are ratios of the joint density, for every object of a state."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from reference import rng_for
from small_worlds import World, random_state, recorded_spreads
from tetiwd import DistanceSeries, Gamma, Hyperparameters
from tetiwd.draws import COLUMNS, Draws
from tetiwd.model import log_row_density, prior_scale
from tetiwd.model.prediction import Prediction
from tetiwd.model.spreads import log_density_of_spread
from tetiwd.params import SamplerSettings
from tetiwd.recording import learned_of
from tetiwd.sample import Mode
from tetiwd.summarize.conditional import (
    conditional_memberships,
    epoch_memberships,
    without_cluster,
    without_one_of,
)
from tetiwd.summarize.new_object import FRESH, EpochOfDraw

SAMPLED = {"alpha": Gamma(2, 0.7), "xi": Gamma(1.5, 1), "new_scale": Gamma(3, 0.4)}
close = {"rtol": 1e-8, "atol": 1e-7}
seeds = st.integers(0, 2**32 - 1)
sizes = st.lists(st.integers(1, 7), min_size=1, max_size=3)
kinds = st.sampled_from(["distances", "distances", "similarities"])
hyperparameters = st.builds(
    lambda **own: Hyperparameters(**own, **SAMPLED),
    dof=st.floats(0.5, 20),
    df_A=st.sampled_from([5.5, 30.0, Gamma(3, 5)]),
    max_clusters=st.sampled_from([None, 5, 6]),
    geometry=st.sampled_from(["full", "full", "isotropic"]),
    coupling=st.sampled_from([True, True, False]),
    kappa=st.sampled_from([1.0, Gamma(2, 0.5)]),
    tau=st.sampled_from([None, 0.7, Gamma(2, 0.3)]),
)


def mode_at(state, h, labels=None, A=None, log_spreads=None):
    """A mode at this state."""
    draw = Draws(state.series.n_objects, learned_of(h), geometry_every=1)
    scales = {name: getattr(state, name) for name in ("alpha", "xi", "new_scale", *h.learned)}
    row = {"labels": np.concatenate(state.labels() if labels is None else labels), **scales}
    row["log_spreads"] = recorded_spreads(state) if log_spreads is None else log_spreads
    draw.append(dict.fromkeys(COLUMNS, 0.0) | row, state.geometry() if A is None else A)
    return Mode(state.series, h, SamplerSettings(), (), draw)


def possible_state(seed, sizes, h, kind):
    assume(kind == "distances" or h.tau_used == 0)
    state = random_state(seed, sizes, h, kind)
    assume(np.isfinite(World.of(state).log_joint(state, h)))  # a finite max_clusters rules some out
    return state


def objects_of(state):
    """Epoch, position, lineage, and the number of objects in its cluster, of every object."""
    for t, labels in enumerate(state.labels()):
        for i, lineage in enumerate(labels.tolist()):
            yield t, i, lineage, int((labels == lineage).sum())


def moved(world, t, i, lineage):
    labels = [own.copy() for own in world.labels]
    labels[t][i] = lineage
    return world._replace(labels=labels)


def check_moves(state, h):
    """Ratios between clusters that are there, for objects whose cluster stays if they leave it."""
    world, n_checked = World.of(state), 0
    by_epoch = conditional_memberships(mode_at(state, h), n_births=2)
    for t, i, own, size in objects_of(state):
        if size == 1:
            continue
        lineages = sorted(world.lineages[t])
        joints = np.array([moved(world, t, i, lineage).log_joint(state, h) for lineage in lineages])
        here = lineages.index(own)
        with np.errstate(divide="ignore"):
            found = np.log(by_epoch[t][i, :-1])
        seen = found > -600  # smaller probabilities are not exact
        assert np.allclose((found - found[here])[seen], (joints - joints[here])[seen], **close)
        n_checked += len(lineages) > 1
    return n_checked


@given(seed=seeds, sizes=sizes, h=hyperparameters, kind=kinds)
def test_probabilities_of_clusters_are_ratios_of_the_joint(seed, sizes, h, kind):
    check_moves(possible_state(seed, sizes, h, kind), h)


@given(seed=seeds, sizes=sizes, h=hyperparameters, kind=kinds)
def test_an_object_that_is_alone_keeps_its_row_or_joins_others(seed, sizes, h, kind):
    """With one row looked at, its own: that of the joint, but for how probable this row and these links were."""
    state = possible_state(seed, sizes, h, kind)
    mode, world = mode_at(state, h), World.of(state)
    by_epoch = conditional_memberships(mode, n_births=1)
    for t, i, own, size in objects_of(state):
        row = world.lineages[t].index(own)
        if size > 1:
            continue
        lineages = sorted(world.lineages[t])
        if len(lineages) == 1:
            assert by_epoch[t].tolist() == [[1.0, 0.0]]
            continue
        last = [c for c in range(len(lineages)) if c != row] + [row]  # its row at the end, to ask for its law
        at_end = [world.lineages[t][c] for c in last]
        earlier = (world.A[t - 1], world.lineages[t - 1]) if t and h.coupling else (np.eye(0), [])
        P = prior_scale(*earlier, at_end, state.new_scale)
        A = world.A[t][np.ix_(last, last)]
        log_law = log_row_density(A, P, state.df_A) if h.full else 0.0
        if state.tau > 0:
            log_law += log_density_of_spread(np.log(world.spreads[t][row]), state.tau)
        rest = without_cluster(EpochOfDraw(mode, mode.state, 0, t), lineages.index(own))
        before = [FRESH, *(c for c in rest.before if c not in rest.lineages)]
        after = [FRESH, *(c for c in rest.after if c not in rest.lineages)]
        priors = sum(rest.weight(FRESH, b, f) for b in before for f in after)
        prior = rest.weight(FRESH, own if own in rest.before else FRESH, own if own in rest.after else FRESH)
        alone = world.log_joint(state, h) - log_law + np.log(priors / prior)
        # lineages that go on without it are two, so that the next epoch has a new name for it
        later = world.renamed_from(t + 1, own, 10_000).without_row(t, row)
        others = [lineage for lineage in lineages if lineage != own]
        joints = [moved(later, t, i, lineage).log_joint(state, h) for lineage in others]
        found = by_epoch[t][i]
        weights = np.array([*joints, alone])
        expected = np.exp(weights - np.logaddexp.reduce(weights))
        assert np.allclose(found[[*map(lineages.index, others), lineages.index(own)]], expected, atol=1e-7)
        assert found[-1] == 0


@given(seed=seeds, sizes=st.lists(st.integers(2, 7), min_size=1, max_size=3), h=hyperparameters, kind=kinds)
def test_it_is_what_a_new_object_would_meet(seed, sizes, h, kind):
    """The slow twin: a series without the object, whose distances are then those of a new one."""
    state = possible_state(seed, sizes, h, kind)
    mode, world = mode_at(state, h), World.of(state)
    for t, i, own, size in objects_of(state):
        epoch, lineages = EpochOfDraw(mode, mode.state, 0, t), sorted(world.lineages[t])
        c, keep = lineages.index(own), [j for j in range(sizes[t]) if j != i]
        matrix = state.series.matrices[t]
        rest = without_cluster(epoch, c) if size == 1 else without_one_of(epoch, c)
        rest.known_birth = None
        clusters = [b for b in range(len(lineages)) if size > 1 or b != c]
        diagonal = matrix[i, i] if kind == "similarities" else 0.0
        sums = [matrix[i, keep][world.labels[t][keep] == lineages[b]].sum() for b in clusters]
        found = rest.weigh_sums(np.array([sums]), np.array([diagonal]), 3, rng_for(seed, 81))

        labels, A, matrices = list(world.labels), state.geometry(), list(state.series.matrices)
        labels[t], A[t], matrices[t] = labels[t][keep], A[t][np.ix_(clusters, clusters)], matrix[np.ix_(keep, keep)]
        smaller = SimpleNamespace(
            series=make_series(matrices, kind),
            **{s: getattr(state, s) for s in ("alpha", "xi", "new_scale", *h.learned)},
        )
        others = np.delete(recorded_spreads(state), sum(sizes[:t]) + i)
        twin_mode = mode_at(smaller, h, labels, A, others)
        twin = EpochOfDraw(twin_mode, twin_mode.state, 0, t)
        expected = twin.weigh(matrix[i : i + 1, keep], np.array([diagonal]), 3, rng_for(seed, 81))
        assert np.allclose(found, expected, **close)


def make_series(matrices, kind):
    if kind == "similarities":
        return DistanceSeries.from_similarities(matrices, min_objects=1)
    return DistanceSeries.from_distances(matrices, squared=True, min_objects=1)


def test_probabilities_sum_to_one_and_do_not_depend_on_the_other_epochs_draws():
    h = Hyperparameters(dof=3, df_A=20, **SAMPLED)
    state = random_state(3, [6, 7, 5], h)
    mode = mode_at(state, h)
    by_epoch = conditional_memberships(mode)
    for t, probabilities in enumerate(by_epoch):
        assert np.allclose(probabilities.sum(axis=1), 1)
        epoch = EpochOfDraw(mode, mode.state, 0, t)
        again = epoch_memberships(epoch, state.series.matrices[t], 50, np.random.default_rng([0, t]))
        assert np.array_equal(probabilities, again)


@pytest.mark.parametrize(
    ("owner", "name", "bug"),
    [
        (Prediction, "leaving", lambda self, cluster, row_sums, own=0.0: self),
        (EpochOfDraw, "weight", lambda self, lineage, b=FRESH, f=FRESH: 1.0),
    ],
    ids=["the object is still in the block sums", "forgotten prior"],
)
def test_planted_bugs_are_caught(monkeypatch, owner, name, bug):
    h = Hyperparameters(dof=3, df_A=20, **SAMPLED)

    def all_pass():
        assert sum(check_moves(random_state(seed, [6, 5, 6], h), h) for seed in range(5)) > 20

    all_pass()
    monkeypatch.setattr(owner, name, bug)
    with pytest.raises(AssertionError):
        all_pass()
