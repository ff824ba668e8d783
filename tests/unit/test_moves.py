"""Moves declare what they report; a new one is a function and an entry in the list of moves."""

import numpy as np
import pytest

from runs import MODEL, SETTINGS, digest, small_series
from tetiwd import run_chains, sampler
from tetiwd.io.posterior import from_datatree, to_datatree
from tetiwd.moves import Move
from tetiwd.sampler import MOVES, Chain


def look_around(state, sweep):
    """Changes nothing; reports clusters by epoch, links by boundary, and the rates of the scales."""
    links = [(state.back[t] >= 0).sum() for t in range(1, state.n_epochs)]
    return state.n_clusters, np.array(links), np.arange(4.0)


TOY = Move("toy", look_around, {"toy_clusters": "time", "toy_links": "step", "toy_scales": "scale_move"})


def test_names_are_unique():
    names = [name for move in MOVES for name in move.reports]
    assert len(names) == len(set(names))
    assert len({move.name for move in MOVES}) == len(MOVES)


def test_a_new_move_is_recorded_and_stored(monkeypatch):
    plain = run_chains(small_series(), MODEL, SETTINGS)
    monkeypatch.setattr(sampler, "MOVES", (*MOVES, TOY))
    sample = run_chains(small_series(), MODEL, SETTINGS)
    for one, other in zip(plain.draws, sample.draws, strict=True):
        assert np.array_equal(one.labels, other.labels)
        assert np.array_equal(other.statistics["toy_clusters"], other.n_clusters)
        assert other.statistics["toy_links"].shape == (25, 2)
    tree = to_datatree(sample)
    assert tree["sample_stats"]["toy_links"].dims == ("chain", "draw", "step")
    assert tree["sample_stats"]["toy_scales"].dims == ("chain", "draw", "scale_move")
    again = from_datatree(tree, sample.series, MODEL, SETTINGS)
    assert digest(again) == digest(sample)
    assert again.draws[0].axes == sample.draws[0].axes


def test_splits_and_merges_are_counted():
    """Every split adds a cluster at each epoch it concerns, so that some of both are seen over many sweeps."""
    sample = run_chains(small_series(), MODEL, SETTINGS)
    stored = to_datatree(sample)["sample_stats"]
    for name in ("splits", "merges"):
        assert stored[name].dims == ("chain", "draw", "time")
        assert stored[name].dtype.kind == "i"
        assert (stored[name] >= 0).all()
    assert stored["splits"].sum() + stored["merges"].sum() > 0


@pytest.mark.parametrize("coupled", [False, True])
def test_moves_of_links_rest_until_epochs_are_coupled(coupled):
    chain = Chain(small_series(), MODEL, SETTINGS)
    info = sampler.sweep(chain.state, MODEL, SETTINGS, chain.streams, chain.tuning, coupled=coupled)
    assert set(info) == set(sampler.axes_of_statistics())
    for name in ("link_acceptance", "exchange_acceptance"):
        assert np.isnan(info[name]).all() != coupled


def test_a_move_that_reports_too_little_is_noticed():
    chain = Chain(small_series(), MODEL, SETTINGS)
    silent = Move("silent", lambda state, sweep: [], {"nothing": "time"})
    with pytest.raises(ValueError, match="zip"):
        silent(chain.state, None)
