"""Covariates by lineage: planted ones are found, others are not, and intervals cover."""

import numpy as np
import pytest

from reference import SEED
from tetiwd.data.metadata import Metadata
from tetiwd.errors import DataError, SettingsError
from tetiwd.partitions import Partitions
from tetiwd.summarize.alignment import align
from tetiwd.summarize.associations import associations
from tetiwd.summarize.survival import log_rank


def aligned(labels, ids=None, n_draws=1):
    draws = [np.tile(np.asarray(own), (n_draws, 1)) for own in labels]
    return align(Partitions.from_labels(draws, ids=ids), [np.asarray(own) for own in labels])


def test_all_kinds_of_covariates_at_once():
    rng = np.random.default_rng(SEED)
    labels = np.repeat([0, 1, 2], 30)
    columns = {
        "age": (40 + 10 * (labels == 1) + rng.normal(0, 5, 90)).tolist(),
        "sex": rng.choice(["f", "m"], 90).tolist(),
        "died": [str(int(rng.random() < (0.8 if g == 2 else 0.2))) for g in labels],
        "seen": [f"20{10 + 5 * (g == 0) + rng.integers(5)}-03-01" for g in labels],
        "name": [f"n{i}" for i in range(90)],
    }
    found = associations(aligned([labels]), Metadata(columns))
    table = found.table().set_index(["covariate", "value", "lineage"])
    age = table.loc[("age", "", 1)]
    assert age.measure == "Cliff's delta"
    assert 0.5 < age.lower < age.effect < age.upper <= 1
    assert age.q < 1e-6
    assert table.loc[("died", "yes", 2)].measure == "difference of shares"
    assert table.loc[("died", "yes", 2)].effect == pytest.approx(
        table.loc[("died", "yes", 2)].here - table.loc[("died", "yes", 2)].elsewhere
    )
    assert table.loc[("seen", "", 0)].q < 1e-6
    assert set(found.found(0.05).covariate) == {"age", "died", "seen"}
    assert table.xs("sex").q.min() > 0.05
    assert found.remarks == ("name has 90 different words, too many to compare",)


def test_what_changes_for_everybody_distinguishes_nobody():
    """Values that differ only between times, and lineages that live at different times."""
    rng = np.random.default_rng(SEED)
    labels = [rng.choice([0, 1], 60, p=[0.8, 0.2]), rng.choice([0, 1], 60, p=[0.2, 0.8])]
    drift = np.repeat([0.0, 5.0], 60) + rng.normal(size=120)
    table = associations(aligned(labels), Metadata({"drift": drift.tolist()})).table()
    assert table.p.min() > 0.01
    assert np.abs(table.effect).max() < 0.4


def test_returning_objects_count_once():
    """Twenty copies of six objects are no evidence."""
    ids = [[f"p{i}" for i in range(6)]] * 20
    labels = [np.array([0, 0, 0, 1, 1, 1])] * 20
    table = associations(aligned(labels, ids), Metadata({"x": [1.0, 2, 3, 4, 5, 6] * 20})).table()
    assert table.members.tolist() == [3, 3]
    assert table.p.min() > 0.03  # 2 of 20 divisions are as extreme


def test_values_that_change_with_time():
    """A member counts with its values while it is a member."""
    ids = [[f"p{i}" for i in range(40)]] * 2
    labels = [np.repeat([0, 1], 20), np.repeat([1, 0], 20)]
    value = np.concatenate([np.arange(40.0), np.arange(40.0)[::-1]])  # high in lineage 1 at both times
    table = associations(aligned(labels, ids), Metadata({"x": value.tolist()}, varies=True)).table()
    assert np.isnan(table.effect).all()  # everybody has been in both
    mixed = [np.repeat([0, 1, 2], [10, 10, 20]), np.repeat([1, 0, 2], [10, 10, 20])]
    table = associations(aligned(mixed, ids), Metadata({"x": value.tolist()}, varies=True)).table()
    assert np.isfinite(table.effect).all()


def test_p_values_of_static_and_changing_covariates_hold_their_level(monkeypatch):
    """Objects that return, members of one of three lineages most of the time, covariates that know nothing of it."""
    rng = np.random.default_rng(SEED)
    monkeypatch.setattr("tetiwd.summarize.associations.FEWEST_DRAWS", 1)
    monkeypatch.setattr("tetiwd.summarize.associations.MOST_DRAWS", 1)  # intervals do not matter here
    p = {"static": [], "changing": []}
    for _ in range(100):
        n = 30
        home = rng.integers(3, size=n)
        there = [np.flatnonzero(rng.random(n) < 0.7) for _ in range(4)]
        labels = [np.where(rng.random(len(who)) < 0.9, home[who], rng.integers(3, size=len(who))) for who in there]
        own = rng.normal(size=n)
        every = np.concatenate(there)
        columns = {"static": own[every].tolist(), "changing": (own[every] + rng.normal(size=len(every))).tolist()}
        table = associations(aligned(labels, [who.tolist() for who in there]), Metadata(columns)).table()
        for name in p:
            p[name] += table.p[table.covariate == name].dropna().tolist()
    for found in p.values():
        error = np.sqrt(0.05 * 0.95 / 100)  # tests of one data set count as one
        assert np.mean(np.array(found) <= 0.05) <= 0.05 + 3 * error


def test_intervals_cover():
    """Shares of 0.5 here and 0.3 elsewhere: the interval has the difference about nine times in ten."""
    rng = np.random.default_rng(SEED)
    labels, repeats = np.repeat([0, 1], [75, 25]), 80
    columns = {str(i): (rng.random(100) < np.where(labels == 1, 0.5, 0.3)).astype(int).tolist() for i in range(repeats)}
    table = associations(aligned([labels]), Metadata(columns)).table()
    rows = table[table.lineage == 1]
    covers = ((rows.lower <= 0.2) & (rows.upper >= 0.2)).mean()
    assert abs(covers - 0.9) <= 3 * np.sqrt(0.9 * 0.1 / repeats)


def test_log_rank_test_against_its_definition():
    rng = np.random.default_rng(SEED)
    n = 40
    inside = rng.random(n) < 0.4
    time, event = np.ceil(rng.exponential(5, n) * np.where(inside, 0.5, 1)), rng.random(n) < 0.8
    found = log_rank(time, event, inside[:, None], np.zeros(n, dtype=int))
    excess = variance = 0.0
    for t in np.unique(time[event]):
        risk, d = time >= t, ((time == t) & event).sum()
        n_t, n1 = risk.sum(), (risk & inside).sum()
        excess += ((time == t) & event & inside).sum() - d * n1 / n_t
        if n_t > 1:
            variance += d * (n_t - d) / (n_t - 1) * n1 / n_t * (1 - n1 / n_t)
    assert found.excess[0] == pytest.approx(excess)
    assert found.variance[0] == pytest.approx(variance)
    from scipy.stats import CensoredData, logrank

    def censored(some):
        return CensoredData(uncensored=time[some & event], right=time[some & ~event])

    theirs = logrank(censored(inside), censored(~inside))
    assert found.p[0] == pytest.approx(theirs.pvalue)


def test_survival_by_lineage():
    rng = np.random.default_rng(SEED)
    labels = np.repeat([0, 1], 100)
    true = rng.exponential(np.where(labels == 1, 5.0, 10.0))
    columns = {"days": np.minimum(true, 12).tolist(), "died": (true < 12).astype(int).tolist()}
    found = associations(aligned([labels], n_draws=100), Metadata(columns), survival=("days", "died"))
    row = found.table().iloc[1]
    assert row.measure == "hazard ratio"
    assert row.lower < 2 < row.upper
    assert row.q < 0.001
    with pytest.raises(SettingsError, match="two columns"):
        associations(aligned([labels]), Metadata(columns), survival=("days",))
    with pytest.raises(DataError, match="whether the event happened"):
        associations(aligned([labels]), Metadata(columns | {"died": ["x"] * 200}), survival=("days", "died"))
