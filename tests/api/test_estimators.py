"""The estimators keep scikit-learn's promises, and say the same as the functions underneath."""

import pickle
from dataclasses import fields
from datetime import date
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from reference import rng_for
from tetiwd import (
    DataError,
    DistanceSeries,
    SamplerSettings,
    SettingsError,
    TeTiWD,
    TiWD,
    coclustering,
    outcomes_by_lineage,
    run_chains,
)
from tetiwd.estimators.common import NoDrawsError
from tetiwd.params import AnswerSettings, Hyperparameters

QUICK = SamplerSettings(n_chains=2, n_warmup=60, n_draws=60, n_anneal=5)
YEARS = np.array([2003] * 20 + [2001] * 24 + [2002] * 22)  # not in order of time


def clusters(seed=1):
    """Features of three clusters far apart, dealt over three years; true clusters."""
    rng = rng_for(seed)
    truth = rng.integers(3, size=len(YEARS))
    return 8.0 * np.eye(3)[truth] + rng.standard_normal((len(YEARS), 3)), truth


@pytest.fixture(scope="module")
def fitted():
    X, truth = clusters()
    return TeTiWD(settings=QUICK).fit(X, time=YEARS), X, truth


def takes_predict_proba_for_classifiers(estimator):
    """Checks of sparse rows end with a look at the tags of classifiers, which clusterers do not have."""
    return dict.fromkeys(("check_estimator_sparse_array", "check_estimator_sparse_matrix"), "see below for sparse rows")


# There is nothing that scikit-learn asks of clusterers of features and that is not kept. Its check of array_api input
# runs only where SCIPY_ARRAY_API is set, and checks of sample weights do not apply: fit takes none.
@parametrize_with_checks(
    [TeTiWD(settings=SamplerSettings(n_chains=1, n_warmup=20, n_draws=20, n_anneal=2))],
    expected_failed_checks=takes_predict_proba_for_classifiers,
)
def test_scikit_learn_is_content(estimator, check):
    check(estimator)


@parametrize_with_checks(
    [TiWD(settings=SamplerSettings(n_chains=1, n_warmup=20, n_draws=20, n_anneal=2))],
    expected_failed_checks=takes_predict_proba_for_classifiers,
)
def test_scikit_learn_is_content_with_one_time(estimator, check):
    check(estimator)


@parametrize_with_checks([TeTiWD(mode="fast", settings=SamplerSettings(n_chains=1))])
def test_scikit_learn_is_content_with_a_quick_look(estimator, check):
    check(estimator)


def test_labels_are_in_the_order_of_the_rows(fitted):
    model, _, truth = fitted
    assert model.times_ == [2001, 2002, 2003]
    assert model.n_clusters_ == [3, 3, 3]
    assert adjusted_rand_score(truth, model.labels_) > 0.95  # across years, so that links are right, too
    for year, own in zip(model.times_, model.labels_by_time_, strict=True):
        assert (model.labels_[year == YEARS] == own).all()


def test_attributes_say_what_the_functions_say(fitted):
    model, X, _ = fitted
    series = DistanceSeries.from_features(X, time=YEARS)
    sample = run_chains(series, Hyperparameters(), QUICK)
    assert (sample.draws[0].labels == model.sample_.draws[0].labels).all()
    assert (model.coclustering_[1] == coclustering(sample, 1)).all()
    assert model.diagnostics_.verdict == sample.diagnostics.verdict
    assert model.lineages_.table()["size at 2001"].sum() == 24
    assert model.forecast(30).n_next == 30
    assert (model.posterior_["posterior"]["labels"].to_numpy()[1] == sample.draws[1].labels).all()


def test_every_way_in_gives_the_same_clusters():
    X, _ = clusters()
    model = TeTiWD(links="model", settings=QUICK).fit(X, time=YEARS)
    D = ((X[:, None] - X[None]) ** 2).sum(-1)
    years = [2001, 2002, 2003]
    blocks = [D[np.ix_(year == YEARS, year == YEARS)] for year in years]
    told = partial(TeTiWD, dof=model.sample_.hyperparameters.dof, links="model", settings=QUICK)
    pooled = told(metric="precomputed", squared=True).fit(D, time=YEARS)
    plain = told(metric="precomputed", squared=False).fit(np.sqrt(D), time=YEARS)
    listed = told(squared=True).fit(blocks, time=years)
    series = told().fit(DistanceSeries.from_distances(blocks, squared=True, times=years))
    for other in (pooled, plain):
        assert (other.labels_ == model.labels_).all()
    for other in (listed, series):
        assert (other.labels_ == np.concatenate(model.labels_by_time_)).all()
        assert other.times_ == years


def test_only_blocks_within_times_are_read():
    X, _ = clusters()
    D = ((X[:, None] - X[None]) ** 2).sum(-1)
    D[YEARS[:, None] != YEARS] = np.nan
    assert TeTiWD("precomputed", squared=True, settings=QUICK).fit(D, time=YEARS).n_clusters_ == [3, 3, 3]


def test_new_objects_find_their_cluster_or_none(fitted):
    _, X, truth = fitted
    model = TeTiWD(geometry="full", links="model", settings=QUICK).fit(X, time=YEARS)
    new = np.vstack([8.0 * np.eye(3), [[80.0, 80.0, 80.0]]])
    probabilities = model.predict_proba(new, time=2002)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    home = [model.labels_[(truth == c) & (YEARS == 2002)][0] for c in range(3)]
    assert model.predict(new, time=2002).tolist() == [*home, -1]
    D = ((new[:, None] - X[None]) ** 2).sum(-1)
    dof = model.sample_.hyperparameters.dof
    pooled = TeTiWD("precomputed", squared=True, dof=dof, geometry="full", links="model", settings=QUICK)
    pooled.fit(((X[:, None] - X[None]) ** 2).sum(-1), time=YEARS)
    np.testing.assert_allclose(pooled.predict_proba(D, time=2002), probabilities, atol=1e-9)
    np.testing.assert_allclose(pooled.predict_proba(D[:, YEARS == 2002], time=2002), probabilities, atol=1e-9)


def test_one_time_only():
    X, truth = clusters()
    model = TiWD(settings=QUICK).fit(X)
    assert model.n_clusters_ == 3
    assert adjusted_rand_score(truth, model.labels_) > 0.95
    assert model.coclustering_.shape == (len(X), len(X))
    assert model.predict(8.0 * np.eye(3)).tolist() == [model.labels_[truth == c][0] for c in range(3)]
    D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(-1))
    precomputed = TiWD("precomputed", squared=False, dof=model.sample_.hyperparameters.dof[0], settings=QUICK)
    assert (precomputed.fit(D).labels_ == model.labels_).all()
    assert set(TiWD(geometry="isotropic", settings=QUICK).fit_predict(X)) == {0, 1, 2}


def test_columns_are_found_by_name(tmp_path):
    import pandas as pd

    from tetiwd import load_run

    X, _ = clusters()
    table = pd.DataFrame(X * [1, 10, 100], columns=["a", "b", "c"])
    model = TeTiWD(settings=QUICK).fit(table, time=YEARS)
    new = table[:6]
    series = DistanceSeries.from_features(table, time=YEARS)
    of_series = TeTiWD(settings=QUICK).fit(series)
    expected = model.predict_proba(new)
    np.testing.assert_allclose(of_series.predict_proba(new[["c", "a", "b"]]), expected)
    with pytest.raises(DataError, match="no column 'b'"):
        of_series.predict(new.rename(columns={"b": "d"}))
    saved = load_run(model.save(tmp_path / "run"))
    assert saved.sample.series.features.names == ("a", "b", "c")
    assert (saved.clustering.flat == model.analysis_.clustering.flat).all()


def test_pooled_distances_link_clusters_by_place():
    X, truth = clusters()
    D = ((X[:, None] - X[None]) ** 2).sum(-1)
    model = TeTiWD("precomputed", squared=True, settings=QUICK).fit(D, time=YEARS)
    assert adjusted_rand_score(truth, model.labels_) > 0.95


def test_a_fit_that_fails_leaves_no_fit_behind(fitted):
    model = pickle.loads(pickle.dumps(fitted[0]))
    with pytest.raises(DataError):
        model.fit([np.zeros((4, 4))])
    with pytest.raises(NotFittedError):
        model.predict(fitted[1])


def test_a_stack_of_matrices_is_a_list_of_them():
    X, _ = clusters()
    D = ((X[:20, None] - X[None, :20]) ** 2).sum(-1)
    assert TeTiWD(squared=True, settings=QUICK).fit(np.stack([D, D])).times_ == [0, 1]


def test_similarities_say_where_to_go():
    X, _ = clusters()
    model = TeTiWD(dof=3, settings=QUICK).fit(DistanceSeries.from_similarities([X[:20] @ X[:20].T]))
    with pytest.raises(DataError, match=r"use tetiwd\.classify"):
        model.predict(np.ones((1, 20)))


def test_clone_and_pickle(fitted):
    model, X, _ = fitted
    again = pickle.loads(pickle.dumps(model))
    assert (again.labels_ == model.labels_).all()
    np.testing.assert_array_equal(again.predict_proba(X[:3]), model.predict_proba(X[:3]))
    fresh = clone(model)
    assert fresh.get_params() == model.get_params()
    assert not hasattr(fresh, "labels_")


def test_random_state_decides():
    X, _ = clusters()
    one, same, other = (
        TeTiWD(settings=QUICK, random_state=seed).fit(X, time=YEARS).sample_.draws[0].log_joint for seed in (3, 3, 4)
    )
    assert (one == same).all()
    assert not (one == other).all()
    generator = TeTiWD(settings=QUICK, random_state=np.random.RandomState(1)).fit(X, time=YEARS)
    assert generator.sample_.settings.seed != 0


def test_a_notebook_shows_words_and_picture(fitted):
    model, *_ = fitted
    html = model._repr_mimebundle_()["text/html"]
    assert "3 lineages in all" in html
    assert "<svg" in html
    assert "TeTiWD()" in TeTiWD()._repr_html_()


@pytest.mark.parametrize(
    ("estimator", "data", "message"),
    [
        (TeTiWD("precomputed"), lambda: np.zeros((4, 4)), "whether the distances are squared"),
        (TeTiWD(), lambda: [np.zeros((4, 4))], "whether the distances are squared"),
        (TiWD("precomputed"), lambda: np.zeros((4, 4)), "whether the distances are squared"),
        (TeTiWD(dof="car"), lambda: clusters()[0], "dof must be"),
        (TeTiWD(loss="hinge"), lambda: clusters()[0], 'loss must be "auto", "vi", "binder" or "ari"'),
        (TeTiWD(links="chance"), lambda: clusters()[0], 'links must be "auto"'),
        (TeTiWD(settings={"n_chains": 3}), lambda: clusters()[0], "settings must be SamplerSettings or None"),
        (TeTiWD(n_jobs=0), lambda: clusters()[0], "n_jobs must be a whole number"),
        (TeTiWD(metric="nonsense"), lambda: clusters()[0], "metric 'nonsense' is not one of"),
    ],
)
def test_what_makes_no_sense_is_refused(estimator, data, message):
    with pytest.raises((DataError, SettingsError), match=message):
        estimator.fit(data())


def test_times_that_are_not_there_are_refused(fitted):
    model, X, _ = fitted
    with pytest.raises(DataError, match="there is no time 1999; there are 2001, 2002, 2003"):
        model.predict(X, time=1999)
    with pytest.raises(DataError, match="has its own times and ids"):
        TeTiWD().fit(model.sample_.series, time=[1, 2, 3])


def test_results_folder_of_a_fit(fitted, tmp_path):
    from tetiwd import load_run

    model, *_ = fitted
    path = model.save(tmp_path / "run")
    again = load_run(path)
    assert (again.clustering.flat == model.analysis_.clustering.flat).all()
    assert model.report(tmp_path / "page.html").read_text("utf-8").startswith("<!doctype html>")


@pytest.fixture(scope="module")
def looked():
    X, truth = clusters()
    return TeTiWD(mode="fast").fit(X, time=YEARS), truth


def test_a_quick_look_finds_clusters_and_their_lineages(looked):
    model, truth = looked
    assert adjusted_rand_score(truth, model.labels_) > 0.95
    assert model.n_clusters_ == [3, 3, 3]
    assert model.lineages_.table().objects.sum() == len(truth)
    for year, own, membership in zip(model.times_, model.labels_by_time_, model.membership_, strict=True):
        assert (model.labels_[year == YEARS] == own).all()
        assert np.allclose(membership.sum(axis=1), 1)
        assert (membership.argmax(axis=1) == own).all()
    again = TeTiWD(mode="fast", n_jobs=1).fit(clusters()[0], time=YEARS)
    assert np.array_equal(again.labels_, model.labels_)
    assert all(np.array_equal(*pair) for pair in zip(again.membership_, model.membership_, strict=True))


@pytest.mark.parametrize("name", ["posterior_", "coclustering_", "diagnostics_", "sample_"])
def test_a_quick_look_has_nothing_that_only_draws_can_tell(looked, name):
    model, _ = looked
    assert not hasattr(model, name)
    with pytest.raises(SettingsError, match=f'no {name}: mode="fast".*fit with mode="posterior"'):
        getattr(model, name)
    with pytest.raises(SettingsError, match='fit with mode="posterior"'):
        model.forecast()
    for method in ("predict", "predict_proba"):  # hidden as scikit-learn hides methods; the cause says why
        assert not hasattr(model, method)
        with pytest.raises(AttributeError) as caught:
            getattr(model, method)
        assert 'fit with mode="posterior"' in str(caught.value.__cause__)


def test_a_posterior_has_memberships_too(fitted):
    model, _, _ = fitted
    assert model.membership_ is model.analysis_.memberships.probabilities
    assert hasattr(model, "diagnostics_")


def test_a_quick_look_is_saved_shown_and_copied(looked, tmp_path):
    model, _ = looked
    assert "A quick look" in model._repr_html_()
    page = model.report(tmp_path / "page.html").read_text("utf-8")
    assert "A quick look" in page
    assert f'<p class="origin"><bdi>{date.today().isoformat()}</bdi></p>' in page
    assert (model.save(tmp_path / "run") / "labels.csv").is_file()
    assert np.array_equal(pickle.loads(pickle.dumps(model)).labels_, model.labels_)
    assert clone(model).get_params() == model.get_params()


def test_one_time_has_a_quick_look_too():
    X, truth = clusters()
    model = TiWD(mode="fast").fit(X)
    assert adjusted_rand_score(truth, model.labels_) > 0.95
    assert not hasattr(model, "coclustering_")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"mode": "quick"}, 'mode must be "posterior" or "fast"'),
        ({"mode": "fast", "settings": QUICK}, "n_anneal=5 has no effect"),
        ({"mode": "fast", "loss": "binder"}, 'loss="binder" has no effect'),
    ],
)
def test_what_has_no_effect_on_a_quick_look_is_refused(parameters, message):
    with pytest.raises(SettingsError, match=message):
        TeTiWD(**parameters).fit(clusters()[0], time=YEARS)


def test_every_setting_of_model_and_answers_is_a_parameter():
    declared = {field.name for group in (Hyperparameters, AnswerSettings) for field in fields(group)}
    own = {"metric", "squared", "random_state", "n_jobs", "verbose", "settings", "mode", "constraints"}
    assert set(TeTiWD().get_params()) == declared | own
    of_several_times = {"coupling", "kappa", "rho", "delta", "shift", "links", "n_next"}
    assert set(TiWD().get_params()) == declared - of_several_times | own


def test_settings_reach_model_and_answers():
    X, time = np.random.default_rng(0).standard_normal((24, 2)), np.repeat([1, 2], 12)
    quick = SamplerSettings(n_chains=1, n_warmup=5, n_draws=5, anneal=None)
    given = {"new_scale": 2.0, "kappa": 0.5, "rho": 0.9, "tau": 0.0, "delta": 0.3, "shift": 0.1}
    model = TeTiWD(dof=2, geometry="moving", at_most=2, level=0.5, n_next=40, settings=quick, **given).fit(X, time=time)
    used = model.sample_.hyperparameters
    assert {name: getattr(used, name) for name in given} == given
    assert max(model.n_clusters_) <= 2
    assert model.forecast().level == 0.5
    assert (model.forecast().n_next, model.analysis_.forecast.n_next, model.forecast(7).n_next) == (40, 40, 7)
    apart = TeTiWD(dof=2, geometry="full", coupling=False, settings=quick).fit(X, time=time)
    assert not apart.sample_.hyperparameters.coupling
    static = TiWD(dof=2, df_A=30.0, tau=0.2, settings=quick).fit(X).sample_.hyperparameters
    assert (static.df_A, static.tau) == (30.0, 0.2)


def test_a_report_with_outcomes_and_figures(tmp_path):
    X, time = np.random.default_rng(0).standard_normal((24, 2)), np.repeat([1, 2], 12)
    quick = SamplerSettings(n_chains=1, n_warmup=5, n_draws=5, anneal=None)
    model = TeTiWD(dof=2, geometry="full", settings=quick).fit(X, time=time, ids=list(range(12)) * 2)
    rates = outcomes_by_lineage(model.analysis_.alignment, {i: i % 2 == 0 for i in range(12)}, name="relapse")
    page = model.report(tmp_path / "page.html", outcomes=rates, figures=tmp_path / "figures")
    assert "relapse" in page.read_text("utf-8")
    assert (tmp_path / "figures" / "outcomes.svg").exists()
    with pytest.raises(DataError, match="outcomes are made by outcomes_by_lineage"):
        model.report(tmp_path / "other.html", outcomes={"a": 1})
    fast = TeTiWD(dof=2, geometry="full", mode="fast").fit(X, time=time)
    with pytest.raises(NoDrawsError, match="there is no report with outcomes or figures"):
        fast.report(tmp_path / "fast.html", figures=tmp_path / "more")


def test_sparse_features_give_what_dense_ones_give():
    from scipy.sparse import csr_array, csr_matrix

    rng = rng_for(77)
    X = rng.integers(0, 3, size=(40, 6)).astype(float) + 8 * np.eye(6)[np.arange(40) % 3]
    settings = SamplerSettings(n_chains=1, n_warmup=5, n_draws=5, anneal=None)
    dense = TiWD(dof=4, settings=settings).fit(X)
    for make in (csr_array, csr_matrix):
        sparse = TiWD(dof=4, settings=settings).fit(make(X))
        assert not sparse.sample_.series.has_matrices
        assert np.array_equal(sparse.labels_, dense.labels_)
        assert np.allclose(sparse.predict_proba(make(X[:3])), dense.predict_proba(X[:3]), atol=1e-6)
    years = np.arange(40) % 2
    model = TeTiWD(dof=4, geometry="full", settings=settings).fit(csr_array(X), time=years)
    assert len(model.labels_) == 40
    with pytest.raises(ValueError, match="NaN"):
        TiWD(settings=settings).fit(csr_array(np.where(X.max() == X, np.nan, X)))
    with pytest.raises(DataError, match="needs a matrix of distances"):
        TiWD(metric="braycurtis", settings=settings).fit(csr_array(X))


def test_a_series_of_one_time_goes_into_tiwd():
    X = rng_for(78).standard_normal((12, 2))
    settings = SamplerSettings(n_chains=1, n_warmup=5, n_draws=5, anneal=None)
    series = DistanceSeries.from_features(X, time=np.zeros(12, dtype=int))
    assert np.array_equal(TiWD(settings=settings).fit(series).labels_, TiWD(settings=settings).fit(X).labels_)
    with pytest.raises(DataError, match="the series has 2 times, and TiWD clusters one; use TeTiWD"):
        TiWD().fit(DistanceSeries.from_features(X, time=np.arange(12) % 2))
