"""Rates of outcomes by lineage are Beta posteriors of the counts in every draw."""

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.stats import beta

from tetiwd import DataError, Partitions, SettingsError, align, outcomes_by_lineage
from tetiwd.summarize.outcomes import N_RATES

FIRST = [0] * 12 + [1] * 8
SURE = [FIRST]  # one epoch of twenty objects
HAPPENED = [1] * 9 + [0] * 3 + [1] * 2 + [0] * 6


def outcomes_of(draws, clustering, outcome, *, ids=None, **how):
    """Every draw is a list of labels per epoch."""
    by_epoch = [np.array(own) for own in zip(*draws, strict=True)]
    partitions = Partitions.from_labels(by_epoch, ids=None if ids is None else [list(own) for own in ids])
    return outcomes_by_lineage(align(partitions, [np.array(own) for own in clustering]), outcome, **how)


def of_mean(law):
    """Four standard errors of the mean of so many draws from a law."""
    return 4 * law.std() / np.sqrt(N_RATES)


def of_quantile(law, q):
    """Four standard errors of a quantile of so many draws from a law."""
    return 4 * np.sqrt(q * (1 - q) / N_RATES) / law.pdf(law.ppf(q))


def counts(found):
    return list(zip(found.events.tolist(), found.members.tolist(), strict=True))


@pytest.mark.parametrize("prior", [(0.5, 0.5), (2.0, 5.0)])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_where_all_draws_agree_rates_are_beta(prior, level):
    found = outcomes_of([SURE] * 7, SURE, [HAPPENED], prior=prior, level=level)
    assert counts(found) == [(9, 12), (2, 8)]
    table = found.table()
    for row, (y, n) in zip(table.itertuples(), counts(found), strict=True):
        law, tail = beta(prior[0] + y, prior[1] + n - y), (1 - level) / 2
        assert abs(row.rate - law.mean()) < of_mean(law)
        assert abs(row.lower - law.ppf(tail)) < of_quantile(law, tail)
        assert abs(row.upper - law.ppf(1 - tail)) < of_quantile(law, 1 - tail)


def test_probability_of_a_higher_rate_than_that_of_the_rest():
    found = outcomes_of([SURE] * 3, SURE, [HAPPENED]).table().probability_higher_than_rest
    high, low = beta(9.5, 3.5), beta(2.5, 6.5)
    exact = quad(lambda x: high.pdf(x) * low.cdf(x), 0, 1)[0]
    error = 4 * np.sqrt(exact * (1 - exact) / N_RATES)
    assert abs(found[0] - exact) < error
    assert abs(found[1] - (1 - exact)) < error


def test_the_rest_are_all_who_are_not_in_the_lineage_listed_or_not():
    """In the draw four objects of lineage 1 are in a cluster of their own, unknown to the clustering."""
    drawn = [[0] * 12 + [1] * 5 + [2] * 3]
    found = outcomes_of([drawn], SURE, [HAPPENED])
    assert abs(found.rest[:, 0].mean() - beta(2.5, 6.5).mean()) < of_mean(beta(2.5, 6.5))
    rest_of_1 = beta(0.5 + 9, 0.5 + 6)
    assert abs(found.rest[:, 1].mean() - rest_of_1.mean()) < of_mean(rest_of_1)


def test_an_object_at_several_epochs_counts_once_by_id_and_every_time_by_array():
    ids, clustering = ["abc", "abd", "ae"], [[0, 0, 1], [0, 1, 1], [0, 1]]
    outcome = {"a": True, "b": False, "c": True, "d": False, "e": None}
    by_id = outcomes_of([clustering], clustering, outcome, ids=ids)
    assert counts(by_id) == [(1, 2), (1, 3)]  # a, b; b, c, d
    by_array = outcomes_of([clustering], clustering, [[1, 0, 1], [1, 0, 0], [1, None]], ids=ids)
    assert counts(by_array) == [(3, 4), (1, 3)]


def test_an_object_that_leaves_a_lineage_is_still_not_of_its_rest():
    """b was in lineage 0 once; the rest of lineage 0 are those who never were."""
    ids, clustering = ["ab", "ab"], [[0, 1], [0, 0]]
    found = outcomes_of([clustering], clustering, {"a": 1, "b": 1}, ids=ids)
    assert counts(found) == [(2, 2), (1, 1)]
    nobody = beta(0.5, 0.5)
    assert abs(found.rest[:, 0].mean() - nobody.mean()) < of_mean(nobody)


def test_one_epoch_by_itself():
    ids, clustering = ["abc", "abd"], [[0, 0, 1], [1, 1, 1]]
    outcome = {"a": 1, "b": 0, "c": 1, "d": 0}
    for t in (1, -1):  # the larger lineage is number 0
        assert counts(outcomes_of([clustering], clustering, outcome, ids=ids, t=t)) == [(1, 3), (0, 0)]
    assert counts(outcomes_of([clustering], clustering, outcome, ids=ids, t=0)) == [(1, 1), (1, 2)]


@pytest.mark.parametrize("missing", [None, np.nan, float("nan"), np.float32("nan"), pd.NaT, pd.NA])
def test_missing_values_do_not_count(missing):
    values = [missing if i in (0, 11, 19) else value for i, value in enumerate(HAPPENED)]
    assert counts(outcomes_of([SURE], SURE, [values])) == [(8, 10), (2, 7)]


def test_ids_without_an_outcome_and_outcomes_without_an_object_do_not_count():
    found = outcomes_of([[[0, 0, 1]]], [[0, 0, 1]], {"a": 1, "c": 0, "nobody": 1}, ids=["abc"])
    assert counts(found) == [(1, 1), (0, 1)]


@pytest.mark.parametrize("as_kind", [bool, int, float, np.bool_, np.int8, np.float64], ids=lambda kind: kind.__name__)
def test_kinds_of_numbers(as_kind):
    assert counts(outcomes_of([SURE], SURE, [[as_kind(v) for v in HAPPENED]])) == [(9, 12), (2, 8)]


def test_uncertain_membership_widens_intervals():
    """In half of the draws the six of lineage 0 without the outcome are in lineage 1: a mixture of two Betas."""
    clustering, other = [[0] * 20 + [1] * 20], [[0] * 14 + [1] * 26]
    outcome = [[1] * 14 + [0] * 26]
    sure = outcomes_of([clustering] * 2, clustering, outcome).table()
    unsure = outcomes_of([clustering, other], clustering, outcome).table()
    assert unsure.upper[0] - unsure.lower[0] > sure.upper[0] - sure.lower[0]
    halves = beta(14.5, 6.5), beta(14.5, 0.5)
    error = 4 * np.sqrt(np.mean([law.var() for law in halves]) / N_RATES)
    assert abs(unsure.rate[0] - np.mean([law.mean() for law in halves])) < error
    for end, q in ((unsure.lower[0], 0.05), (unsure.upper[0], 0.95)):
        assert abs(np.mean([law.cdf(end) for law in halves]) - q) < 4 * np.sqrt(q * (1 - q) / N_RATES)


def test_a_lineage_that_nobody_is_in_has_the_rate_of_the_prior():
    """In the only draw all objects are in lineage 0."""
    found = outcomes_of([[[0] * 20]], SURE, [HAPPENED], prior=(2, 3))
    assert counts(found) == [(9, 12), (2, 8)]  # in the clustering
    law, everybody = beta(2, 3), beta(2 + 11, 3 + 9)
    assert abs(found.rates[:, 1].mean() - law.mean()) < of_mean(law)
    assert abs(found.rest[:, 1].mean() - everybody.mean()) < of_mean(everybody)
    assert abs(found.rest[:, 0].mean() - law.mean()) < of_mean(law)


def test_draws_count_alike():
    """Rates are drawn equally often from every draw, and often enough."""
    three = [SURE, [[0] * 10 + [1] * 10], [[0] * 14 + [1] * 6]]
    found = outcomes_of(three, SURE, [HAPPENED])
    n_each = -(-N_RATES // 3)
    assert found.rates.shape == (3 * n_each, 2)
    for s, (y, n) in enumerate([(9, 12), (9, 10), (11, 14)]):
        law = beta(0.5 + y, 0.5 + n - y)
        own = found.rates[s * n_each : (s + 1) * n_each, 0]
        assert abs(own.mean() - law.mean()) < 4 * law.std() / np.sqrt(n_each)


def test_the_same_seed_gives_the_same_answer():
    one, same, other = (outcomes_of([SURE], SURE, [HAPPENED], seed=seed).rates for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_table_and_name():
    found = outcomes_of([SURE], SURE, [HAPPENED], name="relapse")
    assert list(found.table().columns) == [
        "lineage",
        "events",
        "members",
        "rate",
        "lower",
        "upper",
        "probability_higher_than_rest",
    ]
    assert "relapse: 2 lineages, 11 events" in repr(found)


@pytest.mark.parametrize(
    ("outcome", "message"),
    [
        ([HAPPENED, HAPPENED], r"one array per epoch with \(20,\) entries"),
        ([HAPPENED[:-1]], r"one array per epoch with \(20,\) entries"),
        ([1], r"one array per epoch with \(20,\) entries"),
        (HAPPENED, r"one array per epoch with \(20,\) entries"),
        ([[2, *HAPPENED[1:]]], "True or False, 1 or 0, or missing; found 2"),
        ([["yes", *HAPPENED[1:]]], "found 'yes'"),
        ([[None] * 20], "no outcome of 'outcome' is known"),
        ({"a": 1}, "outcomes by id need ids"),
    ],
)
def test_outcomes_that_make_no_sense_are_refused(outcome, message):
    with pytest.raises(DataError, match=message):
        outcomes_of([SURE], SURE, outcome)


def test_outcomes_of_other_ids_are_refused():
    with pytest.raises(DataError, match="no id of the data has an outcome; the data have 'a'"):
        outcomes_of([[[0, 0, 1]]], [[0, 0, 1]], {"A": 1}, ids=["abc"])
    with pytest.raises(DataError, match="no outcome of 'outcome' is known"):
        outcomes_of([[[0, 1], [0, 0]]], [[0, 1], [0, 0]], {"a": 1}, ids=["ab", "bc"], t=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 95}, "level must lie between 0 and 1"),
        ({"level": np.nan}, "level must lie between 0 and 1"),
        ({"prior": (0, 1)}, "prior must be a positive finite number, not 0"),
        ({"prior": (1, np.inf)}, "prior must be a positive finite number"),
        ({"prior": (1,)}, "prior"),
        ({"prior": 0.5}, "prior"),
        ({"t": 1}, "there is no epoch 1"),
        ({"t": -2}, "there is no epoch -2"),
        ({"t": 0.0}, "there is no epoch 0.0"),
        ({"t": "first"}, "there is no epoch 'first'"),
    ],
)
def test_settings_that_make_no_sense_are_refused(options, message):
    with pytest.raises(SettingsError, match=message):
        outcomes_of([SURE], SURE, [HAPPENED], **options)
