"""Constraints from files and in Python: every draw respects them, the run folder keeps them, resume goes on."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from tetiwd import (
    Constraints,
    DataError,
    DistanceSeries,
    Hyperparameters,
    SamplerSettings,
    SettingsError,
    TeTiWD,
    extend,
    load_run,
    run_chains,
)
from tetiwd.cli.program import app
from tetiwd.mode import find_mode

QUICK = ["--draws", "20", "--warmup", "20", "--chains", "2", "--dof", "3", "--threads", "1", "--quiet"]
SETTINGS = SamplerSettings(n_draws=20, n_warmup=20, n_chains=2)
SETTINGS_OF_MODE = SamplerSettings(n_chains=2)


def tetiwd(*words, code=0):
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == code, done.output
    return done


def points():
    rng = np.random.default_rng(0)
    X = 2 * np.eye(3)[rng.integers(3, size=45)] + rng.standard_normal((45, 3))
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    table.insert(0, "year", np.repeat([2001, 2002, 2003], 15))
    table.insert(0, "id", [f"p{i}" for i in range(15)] * 3)
    return table


def respected(sample):
    ties = sample.series.ties
    return all(np.isfinite(ties.log_weight(labels)) for draws in sample.draws for labels in draws.labels)


def test_files_run_folder_and_resume(tmp_path):
    points().to_csv(tmp_path / "x.csv", index=False)
    (tmp_path / "c.csv").write_text(
        "object,other,kind,weight,time,other_time\np0,p1,must,,,\np2,p3,cannot,,,\np4,p5,must,2.5,2002,2002\n"
        "p9,p9,must,,2001,2002\n"
    )
    (tmp_path / "l.csv").write_text("object,label\np6,u\np7,u\np8,v\n")
    known = ["--constraints", tmp_path / "c.csv", "--fixed-labels", tmp_path / "l.csv", "--labels-are-lineages"]
    checked = tetiwd("check", tmp_path / "x.csv", "--time", "year", *known)
    assert "Constraints speak of 25 of the objects." in checked.stdout
    tetiwd("fit", tmp_path / "x.csv", "--time", "year", *known, "--out", tmp_path / "run", *QUICK)
    first = load_run(tmp_path / "run").sample
    assert first.series.ties.across
    assert first.series.ties.weights.tolist() == [2.5]
    assert respected(first)
    tetiwd("resume", tmp_path / "run", "--draws", "30", "--threads", "1", "--quiet")
    longer = load_run(tmp_path / "run").sample
    assert len(longer.draws[0]) == 30
    assert (longer.draws[0].labels[:20] == first.draws[0].labels).all()
    assert respected(longer)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("object,other,kind\np0,p1,perhaps\n", "line 2, column kind: 'perhaps' is no kind of constraint"),
        ("object,other\np0,p1\n", "has no column 'kind'"),
        ("object,other,kind\np0,p1,must\np0,p1,cannot\n", "'p0' at 2001 and 'p1' at 2001 must be together"),
    ],
)
def test_faults_of_files(tmp_path, text, fault):
    points().to_csv(tmp_path / "x.csv", index=False)
    (tmp_path / "c.csv").write_text(text)
    words = [
        "fit",
        tmp_path / "x.csv",
        "--time",
        "year",
        "--constraints",
        tmp_path / "c.csv",
        "--out",
        tmp_path / "run",
    ]
    assert fault in tetiwd(*words, code=3).stderr
    assert not (tmp_path / "run").exists()


def test_estimator():
    table = points()
    known = Constraints(must_link=[("p0", "p1")], cannot_link=[("p2", "p3")])
    model = TeTiWD(dof=3, settings=SETTINGS, constraints=known, n_jobs=1)
    model.fit(table[["a", "b", "c"]], time=table.year, ids=table.id)
    assert respected(model.sample_)


def series():
    table = points()
    return DistanceSeries.from_features(table[["a", "b", "c"]].to_numpy(), time=table.year, ids=table.id.tolist())


def test_draws_do_not_depend_on_threads():
    known = Constraints(labels={"p0": 1, "p1": 1, "p2": 2}, lineages=True)
    one, two = (run_chains(series(), Hyperparameters(dof=3), SETTINGS, constraints=known, n_threads=n) for n in (1, 2))
    assert all((a.labels == b.labels).all() for a, b in zip(one.draws, two.draws, strict=True))
    assert respected(one)


EVERYTHING = Constraints(
    must_link=[("p0", "p1"), ((2001, "p4"), (2003, "p5")), ("p9", "p10", 3.0)],
    cannot_link=[("p2", "p3"), ((2001, "p2"), (2003, "p4"))],
    labels={(2001, "p6"): "u", (2002, "p7"): "u", (2003, "p8"): "v"},
    lineages=True,
)


@pytest.mark.parametrize("geometry", ["moving", "pooled"])
def test_moving_centres_respect_everything(geometry):
    h = Hyperparameters(dof=3, geometry=geometry)
    one, two = (run_chains(series(), h, SETTINGS, constraints=EVERYTHING, n_threads=n) for n in (1, 2))
    assert all((a.labels == b.labels).all() for a, b in zip(one.draws, two.draws, strict=True))
    assert respected(one)
    assert len(np.unique(one.draws[0].labels, axis=0)) > 10  # it moves
    for frozen in one.frozen:
        assert np.isfinite(one.series.ties.log_weight(np.concatenate(frozen.labels)))


def test_lineages_of_moving_centres_pause():
    """A label that nobody has in between is an error of the paper's model only."""
    everyone = {(2002, f"p{i}"): "other" for i in range(15)}
    known = Constraints(labels=everyone | {(2001, "p0"): "u", (2003, "p0"): "u"}, lineages=True)
    sample = run_chains(series(), Hyperparameters(dof=3, geometry="moving"), SETTINGS, constraints=known)
    assert respected(sample)
    with pytest.raises(DataError, match=r"2002 needs an object there.*geometry=\"moving\""):
        run_chains(series(), Hyperparameters(dof=3, geometry="full"), SETTINGS, constraints=known)


def test_both_models_are_tried():
    sample = run_chains(series(), Hyperparameters(dof=3), SETTINGS, constraints=EVERYTHING)
    assert "moving centres" in " ".join(sample.reasons)
    assert respected(sample)


def test_a_quick_look_respects_everything():
    for geometry in ("full", "moving"):
        mode = find_mode(series().bound_by(EVERYTHING), Hyperparameters(dof=3, geometry=geometry), SETTINGS_OF_MODE)
        assert np.isfinite(mode.series.ties.log_weight(mode.state.labels[0]))


def test_moving_centres_on_the_command_line(tmp_path):
    points().to_csv(tmp_path / "x.csv", index=False)
    (tmp_path / "c.csv").write_text("object,other,kind,time,other_time\np0,p1,must,,\np9,p9,must,2001,2003\n")
    words = ["fit", tmp_path / "x.csv", "--time", "year", "--constraints", tmp_path / "c.csv", "--geometry", "moving"]
    tetiwd(*words, "--out", tmp_path / "run", *QUICK)
    first = load_run(tmp_path / "run").sample
    assert first.hyperparameters.geometry == "moving"
    assert respected(first)
    tetiwd("resume", tmp_path / "run", "--draws", "30", "--threads", "1", "--quiet")
    longer = load_run(tmp_path / "run").sample
    assert (longer.draws[0].labels[:20] == first.draws[0].labels).all()
    assert len(longer.draws[0]) == 30
    assert respected(longer)


def test_runs_with_constraints_are_not_extended():
    h, known = Hyperparameters(dof=3, geometry="moving"), Constraints(must_link=[("p0", "p1")])
    sample = run_chains(series(), h, SETTINGS, constraints=known)
    with pytest.raises(SettingsError, match="a run with constraints cannot be extended"):
        extend(sample, series())
    free = run_chains(series().until(1), Hyperparameters(dof=3, geometry="full"), SETTINGS)
    with pytest.raises(SettingsError, match="nor any run by them"):
        extend(free, series().bound_by(known))


def test_lineages_need_links():
    known = Constraints(must_link=[((2001, "p0"), (2002, "p1"))])
    with pytest.raises(SettingsError, match="coupling=False knows no lineages"):
        run_chains(series(), Hyperparameters(dof=3, coupling=False), SETTINGS, constraints=known)


@pytest.mark.parametrize("geometry", ["full", "moving"])
def test_a_start_that_breaks_constraints_is_refused(geometry):
    known = Constraints(must_link=[("p0", "p1")])
    settings = SamplerSettings(n_draws=20, init=[np.arange(15)] * 3)
    with pytest.raises(SettingsError, match="the start does not respect the constraints"):
        run_chains(series(), Hyperparameters(dof=3, geometry=geometry), settings, constraints=known)


@pytest.mark.parametrize("geometry", ["full", "moving"])
def test_the_log_joint_has_the_weights(geometry):
    h = Hyperparameters(dof=3, geometry=geometry)
    plain, weighted = (
        run_chains(series(), h, SETTINGS, constraints=Constraints(must_link=[("p0", "p1", w)])) for w in (1e-12, 30.0)
    )
    together = weighted.series.ties.log_weight(weighted.draws[0].labels[-1])
    assert together == 90  # at three times
    assert weighted.draws[0].log_joint.mean() > plain.draws[0].log_joint.mean() + 60
