"""Planted outliers come out unassigned, and only these, from the estimators to the pages."""

import re

import numpy as np
import pandas as pd
import pytest

from reference import rng_for
from tetiwd import Analysis, SamplerSettings, TeTiWD, TiWD, load_run
from tetiwd.params import AnswerSettings
from tetiwd.report import mode_summary_html, report_html
from tetiwd.report.mode_page import mode_html
from tetiwd.report.rendering import Wording
from tetiwd.report.unassigned import unassigned_table
from tetiwd.summarize.point_estimate import representative

SETTINGS = SamplerSettings(n_chains=2, n_warmup=100, n_draws=100, geometry_every=5)
TIMES = (2001, 2002, 2003)
FAR = ((2001, [0, 0, 0, 20, 0]), (2002, [0, 0, 0, 0, 20]), (2002, [0, 0, 0, -20, 0]), (2003, [0, 0, 0, 0, -20]))


def objects(outliers):
    """Three clear clusters at three times, and objects far away from all; features, times, cluster (−1: none)."""
    rng = rng_for(12)
    cluster, time = np.tile(np.repeat(np.arange(3), 10), 3), np.repeat(TIMES, 30)
    X = 6 * np.eye(3, 5)[cluster] + rng.normal(scale=0.5, size=(90, 5))
    if outliers:
        X = np.vstack([X, [place for _, place in FAR]])
        time, cluster = np.append(time, [when for when, _ in FAR]), np.append(cluster, [-1] * len(FAR))
    mixed = rng.permutation(len(X))
    return X[mixed], time[mixed], cluster[mixed]


@pytest.fixture(scope="module", params=["full", "moving"])
def fitted(request):
    X, time, _ = objects(True)
    return TeTiWD(geometry=request.param, settings=SETTINGS, random_state=1).fit(X, time=time)


@pytest.fixture(scope="module")
def quick():
    X, time, _ = objects(True)
    return TeTiWD(geometry="full", mode="fast", random_state=1).fit(X, time=time)


def check_found(model):
    _, time, cluster = objects(True)
    assert np.array_equal(model.labels_ == -1, cluster == -1)
    pairs = set(zip(model.labels_.tolist(), cluster.tolist(), strict=True))
    assert len(pairs) == 4  # the same clusters under other names
    assert model.n_clusters_ == [3, 3, 3]
    assert len(model.lineages_.table()) == 3
    for t, probability in enumerate(model.unassigned_probability_):
        outlier = cluster[time == TIMES[t]] == -1
        assert probability[outlier].min() > 0.9
        assert probability[~outlier].max() < 0.1


def test_exactly_the_outliers_are_unassigned(fitted):
    check_found(fitted)


def test_a_quick_look_finds_them_too(quick):
    check_found(quick)


@pytest.mark.parametrize("mode", ["posterior", "fast"])
def test_without_outliers_nothing_is_unassigned(mode):
    X, time, _ = objects(False)
    settings = SETTINGS if mode == "posterior" else None
    model = TeTiWD(geometry="full", settings=settings, mode=mode, random_state=1).fit(X, time=time)
    assert model.labels_.min() == 0
    assert model.n_clusters_ == [3, 3, 3]
    said = model.analysis_
    page = report_html(said) if mode == "posterior" else mode_html(said)
    assert "not assigned" not in page.split("<main>")[1].split("</main>")[0]


def test_one_gives_every_object_a_cluster(fitted):
    all_clusters = Analysis(fitted.analysis_.sample, AnswerSettings(min_size=1))
    plain = representative(fitted.analysis_.sample, seed=1)
    for found, whole in zip(all_clusters.clustering.labels, plain.labels, strict=True):
        assert np.array_equal(found, whole)
    assert all_clusters.clustering.n_clusters == [4, 5, 4]
    assert all_clusters.clustering.expected_loss == plain.expected_loss == fitted.analysis_.clustering.expected_loss
    assert not np.concatenate(all_clusters.memberships.unassigned).any()
    assert "not assigned" not in " ".join(re.findall("<li>.*?</li>", report_html(all_clusters)))


def test_one_time():
    X, _, cluster = objects(True)
    model = TiWD(settings=SETTINGS, random_state=1).fit(X)
    assert np.array_equal(model.labels_ == -1, cluster == -1)
    assert model.n_clusters_ == 3
    assert model.unassigned_probability_.shape == (94,)
    assert model.unassigned_probability_[cluster == -1].min() > 0.9


def test_the_files_have_every_object(fitted, quick, tmp_path):
    for model, name in ((fitted, "run"), (quick, "quick")):
        table = pd.read_csv(model.save(tmp_path / name) / "labels.csv")
        assert len(table) == 94
        unassigned = table[table.lineage == -1]
        assert unassigned.time.tolist() == [2001, 2002, 2002, 2003]
        assert (unassigned.unassigned_probability > 0.9).all()
        assert unassigned.next_lineage.isin([0, 1, 2]).all()
        assert (tmp_path / name / "lineages.csv").read_text().count("\n") == 4
    again = load_run(tmp_path / "run")
    assert again.settings.min_size == 2
    assert np.array_equal(again.clustering.flat, fitted.analysis_.clustering.flat)


def test_pages_say_it_without_ids(fitted, quick):
    for page in (report_html(fitted.analysis_), mode_html(quick.analysis_)):
        assert "4 objects were not assigned to a cluster" in page
        table = page.split("Objects not assigned to a cluster</h3>")[1].split("</table>")[0]
        assert table.count("<tr") == 5
        assert ">Id" not in table
        assert page.count('data-lineage="-2"') > 4
    assert "4 objects were not assigned to a cluster" in mode_summary_html(quick.analysis_)
    assert ">Id" in report_html(fitted.analysis_, show_ids=True).split("Objects not assigned to a cluster</h3>")[1]


@pytest.mark.parametrize(
    ("n", "says"), [(1, "was not assigned: the lineage that it"), (4, "were not assigned: the lineage that each")]
)
def test_one_object_is_counted_as_one(fitted, monkeypatch, n, says):
    table = fitted.analysis_.memberships.table()
    kept = [*np.flatnonzero(table.lineage != -1), *np.flatnonzero(table.lineage == -1)[:n]]
    monkeypatch.setattr(type(fitted.analysis_.memberships), "table", lambda self: table.iloc[sorted(kept)])
    assert says in unassigned_table(fitted.analysis_, Wording(fitted.times_), show_ids=False).caption


def test_later_answers_do_without_them(fitted):
    analysis = fitted.analysis_
    assert fitted.forecast().groups == [0, 1, 2, "other", "new"]
    assert {case.cluster for case in analysis.backtest.cases} == {0, 1, 2}
    assert set(analysis.lineages.links().lineage) == {0, 1, 2}
    new = np.vstack([6 * np.eye(3, 5), [[0, 0, 0, 20, 20]]])
    assert fitted.predict(new).tolist()[-1] == -1
    assert set(fitted.predict(new)[:3]) == {0, 1, 2}
    assert fitted.predict_proba(new).shape == (4, 4)


def test_a_size_that_no_lineage_has_leaves_all_unassigned(fitted):
    nothing = Analysis(fitted.analysis_.sample, AnswerSettings(min_size=11))
    assert nothing.clustering.n_lineages == 0
    assert nothing.memberships.table().next_lineage.eq(-1).all()
    assert nothing.lineages.table().empty
    assert nothing.forecast.groups == ["other", "new"]
    assert np.isnan(nothing.backtest.coverage)
    assert "94 objects were not assigned to a cluster" in report_html(nothing)
