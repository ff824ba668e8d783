"""Runs that end when their chains agree: always at the same draw, and honest if a budget ends first."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from runs import MODEL, digest, small_series
from tetiwd import SamplerSettings, diagnostics, run_chains
from tetiwd.analysis import Analysis
from tetiwd.checkpoint import Keeper
from tetiwd.diagnostics import Diagnostics, Quantity
from tetiwd.io.posterior import from_datatree, to_datatree
from tetiwd.narrative import narrate
from tetiwd.sampler import Chain
from tetiwd.stopping import FIRST_CHECK, check_points, judge, n_to_discard, reason_to_end, to_discard_before

SETTINGS = SamplerSettings(n_chains=3, n_warmup=40, max_draws=3000, n_anneal=5, geometry_every=7, seed=5)


@pytest.fixture(scope="module")
def series():
    return small_series()


@pytest.fixture(scope="module")
def reference(series):
    return run_chains(series, MODEL, SETTINGS, n_threads=2)


@pytest.fixture
def never_enough(monkeypatch):
    monkeypatch.setattr(diagnostics, "SMALLEST_ESS", 10**9)


def n_drawn(sample):
    return len(sample.draws[0]) + sample.n_discarded


def same(one, other):
    """Draws, where they end, and what comes after them."""
    frozen = [[part.log_joint for part in sample.frozen] for sample in (one, other)]
    return (digest(one), one.ended, one.n_discarded, frozen[0]) == (
        digest(other),
        other.ended,
        other.n_discarded,
        frozen[1],
    )


def test_it_ends_at_the_first_check_point_where_chains_agree(reference, series):
    assert reference.ended == "agreed"
    assert reference.diagnostics.converged
    assert n_drawn(reference) > FIRST_CHECK  # otherwise the fixture shows little
    chains = [Chain(series, MODEL, SETTINGS, i) for i in range(3)]
    for n in check_points(SETTINGS):
        for chain in chains:
            while len(chain.draws) < n:
                chain.step()
        found = judge([chain.draws for chain in chains], series.times, SETTINGS, n)
        assert found.agree == (n == n_drawn(reference))
        if found.agree:
            break
    assert found == reference.diagnostics  # the verdict is the decision


def test_draws_that_are_kept_come_after_tuning_and_after_those_discarded(reference, series):
    chain, tuned = Chain(series, MODEL, SETTINGS, 1), []
    while len(chain.draws) < n_drawn(reference):
        chain.step()
        tuned.append(dict(chain.tuning.steps))
    first, kept = reference.n_discarded, reference.draws[1]
    assert first == n_drawn(reference) // 4 > 0
    assert np.array_equal(chain.draws.labels[first:], kept.labels)
    assert np.array_equal(chain.draws.log_joint[first:], kept.log_joint)
    before, since = tuned[: SETTINGS.n_warmup], tuned[SETTINGS.n_warmup - 1 :]
    assert before[0] != before[-1]
    assert all(steps == since[0] for steps in since)


@pytest.mark.parametrize("n_threads", [1, 4])
def test_the_same_end_for_any_number_of_threads(reference, series, n_threads):
    assert same(run_chains(series, MODEL, SETTINGS, n_threads=n_threads), reference)


@pytest.mark.parametrize("n_done", [(3, 20, 0), (140, 141, 155), (165, 140, 152)], ids=str)
def test_the_same_end_after_an_interruption_anywhere(reference, series, tmp_path, n_done):
    """In warm-up, at the first check point, and between two of them."""
    chains = [Chain(series, MODEL, SETTINGS, i) for i in range(3)]
    keeper = Keeper(tmp_path, series, chains, seconds=0)
    keeper.open(resume=False)
    for chain, n in zip(chains, n_done, strict=True):
        while chain.n_done < n:
            chain.step()
        keeper.save_if_due(chain, now=True)
    assert same(run_chains(series, MODEL, SETTINGS, checkpoint=tmp_path, resume=True), reference)


def test_the_same_end_after_many_interruptions(reference, series, tmp_path):
    last = SETTINGS.n_warmup + n_drawn(reference)

    def soon(began):
        """Stop after some more sweeps, but not while partitions are frozen after the last of them."""
        return lambda where: began + 60 < max(one.n_done for one in where) and min(one.n_done for one in where) < last

    sample, n_runs = run_chains(series, MODEL, SETTINGS, checkpoint=tmp_path, progress=soon(0)), 1
    while not sample.complete:
        assert sample.frozen == []
        began = SETTINGS.n_warmup + max(map(len, sample.draws)) + sample.n_discarded
        sample = run_chains(series, MODEL, SETTINGS, checkpoint=tmp_path, progress=soon(began), resume=True)
        n_runs += 1
    assert n_runs > 1
    assert same(sample, reference)


def test_a_finished_run_is_left_as_it_is(reference, series, tmp_path):
    run_chains(series, MODEL, SETTINGS, checkpoint=tmp_path)
    assert same(run_chains(series, MODEL, SETTINGS, checkpoint=tmp_path, resume=True), reference)


def test_a_budget_that_ends_first_is_told_and_can_be_raised(reference, series, tmp_path):
    tight = replace(SETTINGS, max_draws=110)
    sample = run_chains(series, MODEL, tight, checkpoint=tmp_path)
    assert (sample.ended, n_drawn(sample), sample.n_discarded) == ("draws", 110, 27)
    assert sample.complete
    assert not sample.diagnostics.converged
    said = " ".join(narrate(Analysis(sample)))
    assert "before the MCMC chains agreed, because the budget of draws was used up" in said
    assert "after 110 draws per chain; the first 27 are not used" in said
    assert same(run_chains(series, MODEL, SETTINGS, checkpoint=tmp_path, resume=True), reference)


@pytest.mark.usefixtures("never_enough")
def test_minutes_end_a_run_and_it_can_go_on(series, tmp_path):
    short = replace(SETTINGS, max_minutes=0.01, max_draws=1_000_000)
    sample = run_chains(series, MODEL, short, checkpoint=tmp_path)
    assert sample.ended == "minutes"
    assert sample.complete
    assert not sample.diagnostics.converged
    assert "because its time was up" in " ".join(narrate(Analysis(sample)))
    drawn = [len(draws) + sample.n_discarded for draws in sample.draws]
    budget = replace(SETTINGS, max_draws=max(drawn) + 50)
    longer = run_chains(series, MODEL, budget, checkpoint=tmp_path, resume=True)
    assert (longer.ended, n_drawn(longer)) == ("draws", max(drawn) + 50)
    assert same(longer, run_chains(series, MODEL, budget))


def test_minutes_also_end_a_run_of_fixed_length(series):
    sample = run_chains(series, MODEL, replace(SETTINGS, n_draws=10**6, max_minutes=0.01))
    assert sample.ended == "minutes"
    assert 0 < len(sample.draws[0]) < 10**6


def test_a_fixed_length_is_that_of_a_chain_stepped_by_hand(series):
    fixed = replace(SETTINGS, n_draws=30, thin=2, n_chains=2)
    sample = run_chains(series, MODEL, fixed)
    assert (sample.ended, sample.n_discarded) == ("fixed", 0)
    for index, draws in enumerate(sample.draws):
        chain = Chain(series, MODEL, fixed, index)
        for _ in range(SETTINGS.n_warmup + 60):
            chain.step()
        for name, values in chain.draws.to_arrays().items():
            assert np.array_equal(values, draws.to_arrays()[name]), name


def test_how_many_draws_are_not_kept():
    until_agreed, fixed = SamplerSettings(), SamplerSettings(n_draws=300)
    assert [n_to_discard(until_agreed, n) for n in (100, 125, 4000)] == [25, 31, 1000]
    assert [n_to_discard(replace(until_agreed, n_discarded=30), n) for n in (100, 125, 4000)] == [25, 30, 30]
    assert n_to_discard(replace(until_agreed, n_discarded=0), 4000) == 0
    assert [n_to_discard(fixed, n) for n in (40, 300)] == [0, 0]
    assert [n_to_discard(replace(fixed, n_discarded=100), n) for n in (40, 400)] == [10, 100]


def test_draws_that_a_fixed_run_discards(reference, series, tmp_path):
    """As when a run that has ended by itself is extended."""
    run_chains(series, MODEL, SETTINGS, checkpoint=tmp_path)
    n = len(reference.draws[0]) + 60
    fixed = replace(SETTINGS, n_draws=n, n_discarded=to_discard_before(n))
    sample = run_chains(series, MODEL, fixed, checkpoint=tmp_path, resume=True)
    assert [len(draws) for draws in sample.draws] == [n] * 3
    assert sample.n_discarded == n // 3
    assert same(sample, run_chains(series, MODEL, fixed))


def test_kept_geometry_belongs_to_its_draws(reference, series):
    assert reference.n_discarded % SETTINGS.geometry_every  # otherwise nothing is shifted
    again = from_datatree(to_datatree(reference), series, MODEL, SETTINGS)
    assert (again.ended, again.n_discarded) == (reference.ended, reference.n_discarded)
    assert digest(again) == digest(reference)
    for draws in (*reference.draws, *again.draws):
        assert len(draws.geometry) == len(draws.with_geometry) > 0
        for i, geometry in zip(draws.with_geometry, draws.geometry, strict=True):
            log_det = [np.linalg.slogdet(A)[1] for A in geometry]
            assert log_det == pytest.approx(draws.log_det_A[i])


def test_check_points_grow_up_to_the_budget():
    points = list(check_points(SamplerSettings(max_draws=1000)))
    assert points[:4] == [100, 125, 156, 195]
    assert points[-1] == 1000
    assert all(later <= 1.25 * earlier for earlier, later in pairwise(points))
    assert list(check_points(SamplerSettings(max_draws=30))) == [30]
    assert list(check_points(SamplerSettings(n_draws=300, n_discarded=20))) == [320]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 77, 1000])
def test_what_to_discard_before_so_many_draws(n):
    automatic, first = SamplerSettings(), to_discard_before(n)
    assert n_to_discard(automatic, n + first) == first


def test_a_fixed_run_that_is_cut_short_keeps_most_of_its_draws():
    settings = SamplerSettings(n_draws=9999, n_discarded=3333)
    assert n_to_discard(settings, settings.most_draws) == 3333
    assert n_to_discard(settings, 60) == 15
    assert n_to_discard(SamplerSettings(n_draws=9999), 60) == 0


def test_progress_promises_no_time(series):
    seen = []
    run_chains(series, MODEL, SETTINGS, progress=seen.append)
    assert all(one.at_most for where in seen for one in where)
    assert all(one.n_sweeps == one.n_done and one.done for one in seen[-1])
    assert seen[-1][0].standing.startswith("R-hat 1.0")


def standing(ess, r_hat=1.2):
    """Diagnostics of chains that are worst in one quantity."""
    quantities = (Quantity("k at 1", 3.0, None, None, None), Quantity("alpha", 1.0, r_hat, ess, ess))
    return Diagnostics(quantities, "", False)


@pytest.mark.parametrize(
    ("n", "ess", "ended"),
    [
        (2000, 24.9, "apart"),  # half of 100 would not be reached with all 4000
        (2000, 25.0, None),
        (1999, 1.0, None),  # less than half of the budget
        (3000, 37.0, "apart"),
        (3000, 38.0, None),
        (4000, 1.0, "draws"),
    ],
)
def test_from_half_of_the_budget_on_a_run_ends_if_the_rest_would_not_help(n, ess, ended):
    assert reason_to_end(standing(ess), replace(SETTINGS, max_draws=4000), n) == ended


def test_few_draws_foretell_nothing():
    assert reason_to_end(standing(1.0), replace(SETTINGS, max_draws=1500), 999) is None
    assert reason_to_end(standing(1.0), replace(SETTINGS, max_draws=1500), 1000) == "apart"


def test_chains_that_agree_end_whatever_the_budget():
    agreed = replace(standing(100.0, r_hat=1.0), converged=True)
    assert reason_to_end(agreed, replace(SETTINGS, max_draws=4000), 100) == "agreed"
    assert reason_to_end(agreed, replace(SETTINGS, max_draws=4000), 4000) == "agreed"


@pytest.mark.usefixtures("never_enough")
def test_a_run_far_from_its_goal_ends_says_so_and_can_go_on(series, tmp_path):
    budget = replace(SETTINGS, n_chains=2, max_draws=1800)
    sample = run_chains(series, MODEL, budget, checkpoint=tmp_path)
    first = next(n for n in check_points(budget) if n >= 1000)
    assert (sample.ended, n_drawn(sample), sample.complete) == ("apart", first, True)
    told = " ".join(narrate(Analysis(sample)))
    assert "the MCMC chains agreed: they were so far apart that the whole budget" in told
    assert "At this pace the chains would need about " in told
    assert same(run_chains(series, MODEL, budget, checkpoint=tmp_path, resume=True), sample)
    longer = run_chains(series, MODEL, replace(budget, max_draws=3000), checkpoint=tmp_path, resume=True)
    assert (longer.ended, n_drawn(longer)) == ("apart", next(n for n in check_points(budget) if n >= 1500))
