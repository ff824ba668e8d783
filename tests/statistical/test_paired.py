"""One move at a time, started from exact draws of the joint, changes nothing on average.

Every draw is independent, so this sees smaller faults than Geweke's test, and no other move can make up for one.
"""

import numpy as np
import pytest

from geweke import MODELS, state_of, statistics
from reference import rng_for
from tetiwd import simulate
from tetiwd.moves import (
    assignments,
    exchange_links,
    split_merge,
    update_assignments,
    update_geometry,
    update_split_merge,
)
from tetiwd.moves.move import Sweep
from tetiwd.moves.visits import visit_all
from tetiwd.params import SamplerSettings
from tetiwd.sampler import Streams
from tetiwd.state import models_of

SIZES = (5, 4, 5, 4)
MOVES = {
    "assignments": lambda state, models, s: update_assignments(state, models, 2, s.epochs, coupled=True),
    "geometry": lambda state, models, s: update_geometry(state, models, 2, s.epochs, coupled=True),
    "exchange": lambda state, models, s: exchange_links(state, models, 2, s.epochs),
    "split and merge": lambda state, models, s: update_split_merge(state, models, 4, s.chain, coupled=True),
    "visits": lambda state, models, s: visit_all(state, a_sweep(state, models, s)),
}


def a_sweep(state, models, streams):
    """What visits are given; they only split and merge here, for the other moves have their own tests."""
    settings = SamplerSettings(n_aux=2, n_geometry_steps=0, n_split_merge=4, spread_epochs=True)
    return Sweep(models, MODELS["full"], settings, streams.epochs, streams.chain, {}, coupled=True)


def largest_change(move, h, kind, n):
    """Mean change of every statistic by one move, in standard errors; the largest."""
    changes = []
    for i in range(n):
        state = state_of(simulate(SIZES, h, rng_for(40, i)), h, kind)
        before = statistics(state, h)
        MOVES[move](state, models_of(state, h), Streams(i, 0, len(SIZES)))
        after = statistics(state, h)
        changes.append([after[name] - before[name] for name in before])
    state.check_invariants()
    changes = np.array(changes)
    moving = changes.std(axis=0) > 0
    assert moving.sum() >= 5
    return np.abs(changes[:, moving].mean(axis=0) / (changes[:, moving].std(axis=0) / np.sqrt(n))).max()


@pytest.fixture(autouse=True)
def thinned(monkeypatch):
    monkeypatch.setattr(assignments, "OFFERS", 2)
    monkeypatch.setattr(split_merge, "WORTHWHILE", 3)


@pytest.mark.parametrize("kind", ["distances", pytest.param("similarities", marks=pytest.mark.slow)])
@pytest.mark.parametrize("move", MOVES)
def test_a_move_leaves_the_joint_distribution_alone(move, kind):
    assert largest_change(move, MODELS["full"], kind, 1_500) < 4


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["distances", "similarities"])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("move", ["assignments", "split and merge"])
def test_a_move_leaves_the_joint_distribution_alone_at_length(move, model, kind):
    assert largest_change(move, MODELS[model], kind, 20_000) < 4


@pytest.mark.slow
def test_a_forgotten_chance_is_caught(monkeypatch):
    monkeypatch.setattr(split_merge, "log_chance_of_length", lambda length, longest: 0.0)
    assert largest_change("split and merge", MODELS["full"], "distances", 1_500) > 4
