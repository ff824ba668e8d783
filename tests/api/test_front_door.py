"""What a user meets first: the import, the names, the demonstration."""

import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

import tetiwd
import tetiwd.report
from tetiwd.cli import app


def test_import_is_light():
    code = "import tetiwd, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"tetiwd.kernels", "sklearn", "pandas", "matplotlib", "xarray", "scipy"} & set(loaded)


@pytest.mark.parametrize("name", [n for n in tetiwd.__all__ if not n.startswith("_")])
def test_every_public_name_exists_and_is_documented(name):
    assert getattr(tetiwd, name).__doc__


def test_type_checkers_know_the_same_names():
    stub = Path(tetiwd.__file__).with_suffix(".pyi").read_text("utf-8")
    known = {name: home for home, name, again in re.findall(r"from (\S+) import (\w+) as (\w+)", stub) if name == again}
    assert known == tetiwd._HOME_OF


def test_the_page_of_a_run_loads_no_other_page():
    code = "import tetiwd.report.page, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"tetiwd.report.mode_page", "tetiwd.report.metadata", "tetiwd.mode_analysis", "matplotlib"} & set(loaded)


@pytest.mark.parametrize("name", tetiwd.report.__all__)
def test_every_name_of_reports_exists_and_type_checkers_know_it(name):
    assert getattr(tetiwd.report, name).__doc__
    known = f"from {tetiwd.report._HOME_OF[name]} import {name} as {name}"
    assert known in Path(tetiwd.report.__file__).read_text("utf-8")
    assert name in dir(tetiwd.report)


def test_unknown_names_are_unknown():
    assert "DistanceSeries" in dir(tetiwd)
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        tetiwd.nonsense  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        tetiwd.report.nonsense  # noqa: B018


def test_the_demo_runs_and_overwrites_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["demo", "--chains", "2", "--warmup", "100", "--draws", "60"])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "penguins-demo" / "run" / "report.html").is_file()
    assert re.search(r"adjusted Rand index 0\.\d\d", result.stdout)
    again = CliRunner().invoke(app, ["demo"])
    assert again.exit_code == 6
    assert "is there already" in again.stderr


@pytest.mark.slow
def test_the_demo_finds_species_and_sexes(tmp_path, monkeypatch):
    """At full length; the example of the README does the same in the fast suite."""
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["demo"])
    assert result.exit_code == 0, result.output
    agreement = re.search(r"adjusted Rand index (0\.\d\d)", result.stdout)
    assert float(agreement[1]) >= 0.65
    assert "All 4 MCMC chains agree." in result.stdout
    table = pd.read_csv(tmp_path / "penguins-demo" / "run" / "lineages.csv")
    assert (table.objects >= 10).sum() == 6  # three species, two sexes
