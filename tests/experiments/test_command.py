"""``tetiwd experiment`` as a user types it."""

import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest
from typer.testing import CliRunner

from tetiwd.cli import app

SMALL = ["--repeats", "2", "--methods", "Ward", "--warmup", "5", "--draws", "5"]


def tetiwd(*args, code=0):
    result = CliRunner().invoke(app, [str(arg) for arg in args])
    assert result.exit_code == code, result.output
    return result


def test_experiment_writes_results_and_goes_on(tmp_path):
    out = tmp_path / "x"
    first = tetiwd("experiment", "control", "--out", out, *SMALL)
    assert "2 runs of 2 methods." in first.stdout
    assert "of Te-TiWD minus that of ..." in first.stdout
    assert "Ward" in first.stdout
    assert "summary.md" in first.stdout
    results = pd.read_csv(out / "results.csv")
    assert results.groupby("method").size().to_dict() == {"Te-TiWD": 6, "Ward": 6}
    before = (out / "results.csv").read_bytes()
    again = tetiwd("experiment", "control", "--out", out, *SMALL)
    assert "2 of them done before" in again.stdout
    assert (out / "results.csv").read_bytes() == before


def test_folder_with_something_else_is_left_alone(tmp_path):
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "mine.txt").write_text("mine")
    result = tetiwd("experiment", "control", "--out", tmp_path / "x", *SMALL, code=6)
    assert "is no experiment" in result.stderr
    assert [path.name for path in (tmp_path / "x").iterdir()] == ["mine.txt"]


def test_unknown_method_is_refused_before_anything_is_written(tmp_path):
    result = tetiwd("experiment", "control", "--out", tmp_path / "x", "--methods", "k-means", code=4)
    assert "there is no method 'k-means'; there are Te-TiWD" in result.stderr
    assert not (tmp_path / "x").exists()


def test_quick_has_its_own_number_of_repeats(tmp_path):
    result = tetiwd("experiment", "control", "--out", tmp_path / "x", "--quick", *SMALL, code=4)
    assert "--quick is --repeats 5, not 2" in result.stderr
    assert not (tmp_path / "x").exists()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_interrupted_run_keeps_what_is_done_and_leaves_no_process(tmp_path):
    out = tmp_path / "x"
    command = [sys.executable, "-m", "tetiwd", "experiment", "control", "--out", str(out)]
    command += ["--repeats", "40", "--methods", "Ward", "--threads", "2"]
    run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while len(list((out / "units").glob("*.csv")) if out.exists() else []) < 3:
        assert run.poll() is None
        time.sleep(0.2)
    os.kill(run.pid, signal.SIGINT)
    _, errors = run.communicate(timeout=120)
    assert run.returncode == 130
    assert "the same command continues" in errors
    left = time.monotonic() + 10  # the tracker of shared things ends a moment after the process that it serves
    while subprocess.run(["pgrep", "-g", str(run.pid)], check=False, capture_output=True).stdout:
        assert time.monotonic() < left
        time.sleep(0.1)
    kept = len(list((out / "units").glob("*.csv")))
    assert 3 <= kept < 40
    finished = subprocess.run(command, check=True, capture_output=True, text=True)
    assert f"{kept} of them done before" in finished.stdout
    assert len(pd.read_csv(out / "results.csv")) == 40 * 2 * 3


@pytest.mark.slow
@pytest.mark.parametrize("design", ["separated", "overlapping", "independent", "unequal", "control"])
def test_quick_experiment(design, tmp_path):
    """Every method is there, our model beats chance everywhere, and linkage and HDBSCAN where clusters overlap."""
    tetiwd("experiment", design, "--quick", "--out", tmp_path / "x")
    results = pd.read_csv(tmp_path / "x" / "results.csv")
    means = results.groupby(["variant", "protocol", "method"]).ari.mean().unstack()
    assert results.method.nunique() == 10
    assert results.groupby(["variant", "protocol"])["repeat"].nunique().eq(5).all()
    assert (means["Te-TiWD"] > 0.2).all()
    if design == "control":
        assert (means >= 0.95).all(axis=None)
    if design in ("overlapping", "independent"):
        for other in ("complete linkage", "single linkage", "HDBSCAN"):
            assert (means["Te-TiWD"] - means[other] > 0.2).all()
