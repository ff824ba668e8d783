"""Moving centres from the doors: estimator, command line, results folder, report."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from tetiwd import (
    DistanceSeries,
    Gamma,
    Hyperparameters,
    SamplerSettings,
    TeTiWD,
    load_run,
    representative,
    run_chains,
    simulate_independent,
)
from tetiwd.analysis import Analysis
from tetiwd.cli.program import app
from tetiwd.narrative import narrate

QUICK = SamplerSettings(n_chains=2, n_warmup=40, n_draws=40, n_anneal=5)


def drifting(n=24, seed=2):
    """Three groups at three times that drift; the third pauses at the second time."""
    rng, X, time = np.random.default_rng(seed), [], []
    centres = 3 * rng.standard_normal((3, 4))
    for t in range(3):
        groups = np.arange(n) % (2 if t == 1 else 3)
        X.append(centres[groups] + 0.3 * rng.standard_normal((n, 4)))
        time += [2000 + t] * n
        centres = centres + 0.4 * rng.standard_normal(centres.shape)
    return np.concatenate(X), np.array(time)


def test_estimator(tmp_path):
    X, time = drifting()
    model = TeTiWD(geometry="moving", settings=QUICK, random_state=1).fit(X, time=time)
    assert [len(set(own)) for own in np.split(model.labels_, 3)] == [3, 2, 3]
    assert set(model.labels_[:24]) == set(model.labels_[48:])
    assert model.predict(X[:3], time=2000).tolist() == model.labels_[:3].tolist()
    page = model.report(tmp_path / "report.html").read_text()
    assert "How lineages move" in page
    assert model.analysis_.forecast.weights.shape[1] == 5


def test_command_line(tmp_path):
    X, time = drifting()
    pd.DataFrame(X, columns=list("abcd")).assign(year=time).to_csv(tmp_path / "x.csv", index=False)
    options = ["--time", "year", "--geometry", "moving", "--draws", "40", "--warmup", "40", "--chains", "2"]
    run = CliRunner().invoke(app, ["fit", str(tmp_path / "x.csv"), "--out", str(tmp_path / "run"), *options])
    assert run.exit_code == 0, run.output
    analysis = load_run(tmp_path / "run")
    assert analysis.sample.hyperparameters.geometry == "moving"
    assert analysis.sample.draws[0].array("rho").shape == (40,)
    pd.DataFrame(X[:2], columns=list("abcd")).to_csv(tmp_path / "new.csv", index=False)
    out = CliRunner().invoke(app, ["predict", str(tmp_path / "run"), str(tmp_path / "new.csv")])
    assert out.exit_code == 0, out.output


def test_displacements_from_a_settings_file(tmp_path):
    X, time = drifting()
    X += 5 * np.random.default_rng(6).standard_normal((3, 4))[time - 2000]
    pd.DataFrame(X, columns=list("abcd")).assign(year=time).to_csv(tmp_path / "x.csv", index=False)
    model = '[model]\ngeometry = "moving"\nshift = { shape = 1.0, scale = 1.0 }\n'
    (tmp_path / "mine.toml").write_text(model)
    options = ["--time", "year", "--draws", "40", "--warmup", "40", "--chains", "2"]
    options += ["--settings", str(tmp_path / "mine.toml"), "--out", str(tmp_path / "run")]
    run = CliRunner().invoke(app, ["fit", str(tmp_path / "x.csv"), *options])
    assert run.exit_code == 0, run.output
    analysis = load_run(tmp_path / "run")
    assert analysis.sample.hyperparameters.shift == Gamma(1.0, 1.0)
    assert analysis.clustering.n_clusters == [3, 2, 3]
    assert set(analysis.clustering.labels[1]) < set(analysis.clustering.labels[0])
    assert set(analysis.clustering.labels[2]) == set(analysis.clustering.labels[0])
    assert "All objects of a time are displaced together" in (tmp_path / "run" / "report.html").read_text()
    pd.DataFrame(X[:2], columns=list("abcd")).to_csv(tmp_path / "new.csv", index=False)
    out = CliRunner().invoke(app, ["predict", str(tmp_path / "run"), str(tmp_path / "new.csv")])
    assert out.exit_code == 0, out.output


@pytest.mark.parametrize("geometry", ["moving", "pooled"])
def test_distances_between_times_are_asked_for(geometry, tmp_path):
    X, _ = drifting()
    for t in range(2):
        D = np.linalg.norm(X[24 * t : 24 * t + 24, None] - X[None, 24 * t : 24 * t + 24], axis=2)
        np.save(tmp_path / f"d_{t}.npy", D)
    files = [str(tmp_path / f"d_{t}.npy") for t in range(2)]
    run = CliRunner().invoke(
        app, ["fit", *files, "--plain", "--geometry", geometry, "--out", str(tmp_path / "run")], catch_exceptions=False
    )
    assert run.exit_code != 0
    assert "distances between times are not known" in run.output.replace("\n", " ")


def test_quick_look(tmp_path):
    X, time = drifting()
    model = TeTiWD(geometry="moving", mode="fast", random_state=1).fit(X, time=time)
    assert [len(set(own)) for own in np.split(model.labels_, 3)] == [3, 2, 3]
    assert set(model.labels_[:24]) == set(model.labels_[48:])  # the lineage that pauses is the same afterwards
    assert model.report(tmp_path / "look.html").exists()


def test_links_and_returns_have_probabilities():
    X, time = drifting()
    model = TeTiWD(geometry="moving", settings=QUICK, random_state=1).fit(X, time=time)
    links = model.lineages_.links()
    back = links[
        [source[1] == 2000 and target[1] == 2002 for source, target in zip(links.source, links.target, strict=True)]
    ]
    assert back.probability.max() > 0.9
    assert links.probability.between(0, 1).all()


@pytest.mark.parametrize(("step", "found_by"), [(0.0, "joint search"), (0.8, "search")])
def test_epochs_are_estimated_together_where_lineages_stay(step, found_by):
    truth = simulate_independent(1, n_by_epoch=(60,) * 3, n_clusters=3, n_dimensions=10, variance=0.1, step=step)
    series = DistanceSeries.from_distances(truth.D, squared=True, cross=truth.cross)
    sample = run_chains(series, Hyperparameters(dof=10, geometry="moving"), QUICK)
    clustering = representative(sample)
    assert clustering.found_by == found_by
    said = " ".join(narrate(Analysis(sample)))
    assert ("for all times at once" in said) == (found_by == "joint search")
    assert ("time by time" in said) == (found_by == "search")
