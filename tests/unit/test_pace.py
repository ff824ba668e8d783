"""The time that is left: from the latest sweeps, without waiting, and for all chains if they end together."""

from dataclasses import replace

import pytest

from runs import MODEL, SETTINGS, small_series
from tetiwd import run_chains
from tetiwd.pace import Clock, Progress, seconds_for_all

HERE = Progress(
    chain=0, n_done=100, n_sweeps=400, warming_up=False, n_clusters=(3,), log_joint=0.0, seconds_left=3.0,
    seconds_per_sweep=0.01,
)  # fmt: skip


@pytest.fixture
def seconds(monkeypatch):
    """A clock that the test moves: a list with the time."""
    now = [50.0]
    monkeypatch.setattr("tetiwd.pace.time.monotonic", lambda: now[0])
    return now


def sweep(clock, seconds, n_sweeps, each):
    for n in n_sweeps:
        seconds[0] += each
        clock.tick(n)


@pytest.mark.parametrize(("each", "n_needed"), [(0.25, 5), (0.0078125, 21), (500.0, 2)])
def test_a_few_sweeps_or_a_second_tell_the_pace(seconds, each, n_needed):
    clock = Clock()
    assert clock.seconds_per_sweep() is None
    sweep(clock, seconds, [1], 5.0)  # with what is done only once
    sweep(clock, seconds, range(2, n_needed), each)
    assert clock.seconds_per_sweep() is None
    sweep(clock, seconds, [n_needed], each)
    assert clock.seconds_per_sweep() == each


def test_early_sweeps_are_forgotten(seconds):
    clock = Clock()
    sweep(clock, seconds, range(1, 101), 0.25)
    assert clock.seconds_per_sweep() == 0.25
    sweep(clock, seconds, range(101, 401), 1.0)
    assert clock.seconds_per_sweep() == 1.0


def test_waiting_for_others_does_not_count(seconds):
    clock = Clock()
    for first in range(1, 41, 10):
        seconds[0] += 1000.0
        clock.rest()
        sweep(clock, seconds, range(first, first + 10), 0.5)
    assert clock.seconds_per_sweep() == 0.5


def test_sweeps_that_were_seen_together_count_as_many(seconds):
    clock = Clock()
    sweep(clock, seconds, [5000, 5010, 5020], 5.0)  # of a chain elsewhere, which went on from a checkpoint
    assert clock.seconds_per_sweep() == 0.5


def test_time_for_all_chains():
    waiting = replace(HERE, n_done=0, seconds_per_sweep=None, seconds_left=None)
    ended = replace(HERE, n_done=400)
    assert seconds_for_all([waiting, waiting], 2) is None
    assert seconds_for_all([HERE], 1) == pytest.approx(3.0)
    assert seconds_for_all([HERE, HERE, waiting, waiting], 2) == pytest.approx((3 + 3 + 4 + 4) / 2)
    assert seconds_for_all([HERE, ended], 2) == pytest.approx(3.0)  # one chain cannot be shared
    assert seconds_for_all([ended, replace(ended, n_sweeps=390)], 2) == 0


def test_chains_that_take_turns_tell_the_time_of_all():
    told = []

    def note(where):
        told.append(where)
        return len([one for one in where if one.seconds_per_sweep]) >= 3  # stops the run

    settings = replace(SETTINGS, n_chains=4, n_draws=None, max_draws=100_000)
    run_chains(small_series(), MODEL, settings, n_threads=1, progress=note)
    at_work = [one for where in told for one in where if one.seconds_left and one.seconds_per_sweep]
    assert at_work
    for one in at_work:
        alone = one.seconds_per_sweep * (one.n_sweeps - one.n_done)
        assert one.seconds_left > 1.5 * alone  # there are three more, which are as far or less
