"""Which model and which degrees of freedom a run takes if none were asked for."""

from dataclasses import replace

import numpy as np
import pytest

from tetiwd import (
    Beta,
    DistanceSeries,
    Gamma,
    Hyperparameters,
    SamplerSettings,
    SettingsError,
    TeTiWD,
    choosing,
    load_run,
    run_chains,
    simulate_independent,
    trials,
)
from tetiwd.choosing import choose
from tetiwd.io.settings import RunSettings
from tetiwd.merit import Merit
from tetiwd.mode import find_mode
from tetiwd.quick_look import look_into
from tetiwd.resolution import Step
from tetiwd.workflow import fit_into

QUICK = SamplerSettings(n_chains=2, n_warmup=20, n_draws=30, anneal=None)
AUTO = Hyperparameters(dof=6)


@pytest.fixture(scope="module")
def series():
    truth = simulate_independent(3, n_by_epoch=(14, 12), n_clusters=2, n_dimensions=6, variance=0.3, step=0.3)
    return DistanceSeries.from_distances(truth.D, squared=True, cross=truth.cross)


@pytest.fixture
def merits(monkeypatch):
    """Pretend that the trials came out like this: clusters, and lineages."""

    def pretend(full, moving, lineages=(0.5, 0.5), pooled=(0.0, 0.0), delta=0.4):
        scores = {"full": (full, lineages[0]), "moving": (moving, lineages[1]), "pooled": pooled}
        monkeypatch.setattr(choosing, "mean_delta", lambda D: delta)
        monkeypatch.setattr(choosing, "try_out", lambda series, models, *_: models)
        monkeypatch.setattr(
            choosing,
            "as_step",
            lambda model: Step((6.0,), scores[model.geometry][1:], Merit(scores[model.geometry][0], 1.0), 1.0),
        )
        monkeypatch.setattr(choosing, "merit_of_lineages", lambda series, labels: Merit(labels[0], 1.0))

    return pretend


@pytest.mark.parametrize(
    ("full", "moving", "taken", "said"),
    [
        (0.3, 0.4, "moving", "so moving centres were used."),
        (0.4, 0.33, "moving", "so moving centres, which are not much worse and know more about lineages, were used."),
        (0.4, 0.3, "full", "so the paper's model was used."),
    ],
)
def test_the_better_one_is_taken_and_ties_go_to_moving_centres(series, merits, full, moving, taken, said):
    merits(full, moving)
    choice = choose(AUTO, series, QUICK)
    assert choice.hyperparameters == replace(AUTO, geometry=taken)
    (remark,) = choice.reasons
    assert f"{full:.3f} and {moving:.3f}" in remark
    assert "0.500 and 0.500" in remark
    assert remark.endswith(said)


def test_trials_are_real_and_the_same_for_any_number_of_threads(series):
    one, two = (choose(AUTO, series, replace(QUICK, seed=4), n_threads=n) for n in (1, 2))
    assert one.hyperparameters == two.hyperparameters
    assert one.reasons == two.reasons
    assert set(one.trials) == {"full", "moving"}
    assert all(0.1 < score <= 1 for found in one.trials.values() for score in (found.clusters, found.lineages))


def test_half_and_twice_the_value_are_tried_with_the_model_that_is_taken(series, monkeypatch):
    tried = []

    def note(series, models, *rest):
        tried.extend((model.geometry, model.dof) for model in models)
        return trials.try_out(series, models, *rest)

    monkeypatch.setattr(choosing, "try_out", note)
    monkeypatch.setattr(choosing, "AS_GOOD", 0.0)  # so that moving centres are taken
    choice = choose(Hyperparameters(), series, QUICK)
    chosen = np.array(choice.hyperparameters.dof)
    (_, here), (_, half), (_, double) = tried
    assert {geometry for geometry, _ in tried} == {"moving"}
    assert np.allclose([here, half, double], np.outer([1, 0.5, 2], chosen))
    assert choice.neighbours is not None
    assert choice.neighbours.sentences()[0] in choice.reasons


def test_moving_centres_are_taken_where_clusters_overlap_too_much_to_tell(series, merits):
    merits(0.01, 0.002, (0.0, 0.0))
    choice = choose(AUTO, series, QUICK)
    assert choice.hyperparameters.geometry == "moving"
    assert "too little to tell" in choice.reasons[0]


@pytest.mark.parametrize(
    ("lineages", "taken", "said"),
    [
        ((0.2, 0.3), "moving", "so moving centres were used."),
        ((0.3, 0.25), "moving", "so moving centres, which are not much worse and know more about lineages, were used."),
        ((0.3, 0.2), "full", "so the paper's model was used."),
    ],
)
def test_worse_lineages_decide_against_better_clusters(series, merits, lineages, taken, said):
    merits(0.3, 0.4, lineages)
    choice = choose(AUTO, series, QUICK)
    assert choice.hyperparameters.geometry == taken
    assert choice.reasons[0].endswith(said)


@pytest.mark.parametrize(
    ("pooled", "taken", "said"),
    [
        (
            (0.35, 0.6),
            "pooled",
            "those of the paper's model 0.300 (separation × agreement of neighbours), so pooled centres were",
        ),
        ((0.275, 0.1), "pooled", "so pooled centres were used."),
        ((0.265, 0.6), "moving", "so pooled centres were not used."),
    ],
)
def test_on_a_tree_pooled_centres_are_taken_unless_their_clusters_are_worse(series, merits, pooled, taken, said):
    merits(0.3, 0.4, pooled=pooled, delta=0.15)
    choice = choose(AUTO, series, QUICK)
    assert choice.hyperparameters == replace(AUTO, geometry=taken)
    remark = choice.reasons[0]
    assert "mean delta 0.15" in remark
    assert said in remark
    assert ("moving" in choice.trials) == (taken == "moving") == (len(choice.reasons) == 2)


def test_pooled_centres_are_not_tried_elsewhere(series, merits):
    merits(0.3, 0.4, pooled=(0.9, 0.9), delta=0.21)
    choice = choose(AUTO, series, QUICK)
    assert set(choice.trials) == {"full", "moving"}
    assert len(choice.reasons) == 1


def test_where_no_score_says_anything_a_tree_is_not_enough(series, merits):
    merits(0.01, 0.002, (0.0, 0.0), pooled=(0.015, 0.0), delta=0.1)
    choice = choose(AUTO, series, QUICK)
    assert choice.hyperparameters.geometry == "moving"
    assert "too little to tell" in choice.reasons[-1]


def clades(rng, sizes=(20, 18, 16), n_clades=3):
    """Counts of differences along a tree: a clade, a branch of its own for every epoch, and one for every object."""
    clade = [np.arange(n) % n_clades for n in sizes]
    epoch = np.repeat(np.arange(len(sizes)), sizes)
    clade = np.concatenate(clade)
    own = rng.poisson(4, len(clade))
    branch = 60 * (clade[:, None] != clade) + 3 * np.abs(epoch[:, None] - epoch)
    D = (branch + own[:, None] + own) * (1 - np.eye(len(clade)))
    places = [np.flatnonzero(epoch == t) for t in range(len(sizes))]
    return DistanceSeries.from_distances([D[np.ix_(at, at)] for at in places], squared=True, cross=D), clade


def test_clades_are_found_with_pooled_centres():
    series, clade = clades(np.random.default_rng(5))
    choice = choose(Hyperparameters(), series, replace(QUICK, n_warmup=50))
    assert choice.hyperparameters.geometry == "pooled"
    assert choice.delta < 0.1
    assert choice.resolution.best.dof == choice.hyperparameters.dof  # the path is that of the model that was taken
    assert choice.resolution.of_tree
    assert len(np.unique(np.column_stack([np.concatenate(choice.resolution.best.labels), clade]), axis=0)) == 3


@pytest.mark.parametrize(
    ("settings", "taken"),
    [
        ({"geometry": "isotropic"}, "isotropic"),
        ({"coupling": False}, "full"),
        ({"max_clusters": 4}, "full"),
        ({"df_A": 50.0}, "full"),
        ({"df_A": Gamma(2, 10)}, "full"),
        ({"rho": Beta(2, 1)}, "moving"),
        ({"delta": 0.5}, "moving"),
    ],
)
def test_settings_decide_without_a_trial(series, settings, taken, monkeypatch):
    monkeypatch.setattr(choosing, "try_out", lambda *_: pytest.fail("there is nothing to try"))
    choice = choose(Hyperparameters(dof=6, **settings), series, QUICK)
    assert choice.hyperparameters.geometry == taken
    assert choice.reasons == ()


def test_kappa_belongs_to_both_models(series, merits):
    merits(0.3, 0.4)
    choice = choose(Hyperparameters(dof=6, kappa=Gamma(1, 1)), series, QUICK)
    assert set(choice.trials) == {"full", "moving"}
    assert choice.hyperparameters.kappa == Gamma(1, 1)


def test_without_distances_between_times_it_is_the_papers_model(series):
    apart = replace(series, cross=None)
    assert choose(AUTO, apart, QUICK).hyperparameters.geometry == "full"
    assert choose(AUTO, series.until(1), QUICK).hyperparameters.geometry == "full"


def test_settings_of_both_models_are_refused():
    with pytest.raises(SettingsError, match="no meaning"):
        Hyperparameters(rho=0.5, coupling=False)


def test_every_door_chooses(series, merits, tmp_path):
    merits(0.3, 0.4)
    sample = run_chains(series, AUTO, QUICK)
    assert sample.hyperparameters.geometry == "moving"
    assert "Two models were tried" in sample.reasons[0]
    assert find_mode(series, AUTO, SamplerSettings(n_chains=2)).hyperparameters.geometry == "moving"
    fit_into(tmp_path / "run", series, RunSettings(model=AUTO, sampler=QUICK))
    kept = load_run(tmp_path / "run").sample
    assert kept.hyperparameters.geometry == "moving"
    assert "Two models were tried" in kept.reasons[0]
    assert "Two models were tried" in (tmp_path / "run" / "report.html").read_text()
    X = np.random.default_rng(0).standard_normal((20, 3))
    model = TeTiWD(dof=3.0, settings=QUICK, random_state=0).fit(X, time=np.repeat([1, 2], 10))
    assert model.analysis_.sample.hyperparameters.geometry == "moving"


def test_degrees_of_freedom_come_from_a_path(series, tmp_path):
    open_ = Hyperparameters(geometry="full")
    choice = choose(open_, series, QUICK)
    assert choice.hyperparameters == replace(open_, dof=choice.resolution.best.dof)
    assert choice.reasons == choice.resolution.sentences()
    assert not choice.resolution.of_tree
    fit_into(tmp_path / "run", series, RunSettings(model=open_, sampler=QUICK))
    kept = load_run(tmp_path / "run").sample
    assert kept.hyperparameters.dof == choice.resolution.best.dof
    assert kept.resolution.table().equals(choice.resolution.table())
    assert kept.reasons[: len(choice.reasons)] == choice.reasons
    page = (tmp_path / "run" / "report.html").read_text()
    assert "From coarse to fine" in page
    assert "clusters at a time" in page


def test_the_second_model_is_tried_with_the_degrees_of_freedom_of_the_path(series):
    choice = choose(Hyperparameters(), series, QUICK)
    assert choice.trials["full"].merit == choice.resolution.best.merit.product
    assert choice.hyperparameters.dof == choice.resolution.best.dof
    assert len(choice.reasons) == len(choice.resolution.sentences()) + 1


@pytest.mark.parametrize("dof", ["moments", "spectrum", 4.0])
def test_no_path_if_it_is_said_how_to_find_degrees_of_freedom(series, dof):
    choice = choose(Hyperparameters(dof=dof, geometry="full"), series, QUICK)
    assert choice.resolution is None
    assert choice.hyperparameters.dof_by_epoch(2) == series.dof(dof)


def test_of_large_series_some_objects_are_tried_and_the_report_says_so(series, monkeypatch, tmp_path):
    monkeypatch.setattr(trials, "MOST_TRIED", 25)
    monkeypatch.setattr(trials, "MOST_DRAWN", 21)
    open_ = Hyperparameters(geometry="full")
    choice = choose(open_, series, QUICK)
    path = choice.resolution
    assert choice.hyperparameters.dof == path.best.dof
    assert path.steps[path.usual].dof == series.dof()  # the estimate is that of all objects
    assert [len(labels) for labels in path.best.labels] == [len(rows) for rows in path.part.rows]
    says = "All of this was tried on a sample: 20 of the 26 objects, drawn at random, at most 10 of a time. "
    assert choice.reasons[1].startswith(says)
    assert "In the sample there were" in choice.reasons[2]
    fit_into(tmp_path / "run", series, RunSettings(model=open_, sampler=QUICK))
    kept = load_run(tmp_path / "run").sample
    assert kept.resolution.table().equals(path.table())
    assert kept.resolution.sentences() == path.sentences()
    assert says in (tmp_path / "run" / "report.html").read_text()


def test_a_quick_look_says_why(series, tmp_path):
    look_into(tmp_path / "look", series, RunSettings(model=Hyperparameters(geometry="full")))
    page = (tmp_path / "look" / "report.html").read_text()
    assert "say how fine clusters are" in page
