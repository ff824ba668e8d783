"""What a release needs: one version everywhere, wheels for every Python that is promised, files that can be parsed."""

import json
import re
import tomllib
from pathlib import Path

import tetiwd

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def text_of(name):
    return (ROOT / name).read_text("utf-8")


def test_all_files_tell_the_same_version_and_date():
    version = tetiwd.__version__
    newest, date = re.search(r"(?m)^## (\S+) \((\d{4}-\d{2}-\d{2})\)$", text_of("CHANGELOG.md")).groups()
    assert newest == version
    assert re.search(r"(?m)^version: (\S+)$", text_of("CITATION.cff")).group(1) == version
    assert re.search(r"(?m)^date-released: (\S+)$", text_of("CITATION.cff")).group(1) == date
    assert re.search(r'(?m)^  version: "(\S+)"$', text_of("conda/recipe.yaml")).group(1) == version
    experiments = tomllib.loads(text_of("experiments/pyproject.toml"))["project"]
    assert experiments["version"] == version
    assert f"tetiwd=={version}" in experiments["dependencies"]


def test_every_python_that_is_promised_is_tested_and_has_wheels():
    promised = [c.split()[-1] for c in PROJECT["project"]["classifiers"] if re.search(r"Python :: 3\.\d+$", c)]
    assert f">={promised[0]}" == PROJECT["project"]["requires-python"]
    assert [f"cp{python.replace('.', '')}-*" for python in promised] == PROJECT["tool"]["cibuildwheel"]["build"]
    (matrix,) = re.findall(r"python: (\[.*\])", text_of(".github/workflows/test.yml"))
    assert json.loads(matrix) == promised


def test_the_conda_recipe_asks_for_what_the_package_asks_for():
    recipe = text_of("conda/recipe.yaml").split("  run:\n")[1].split("\ntests:")[0]
    wanted = {re.sub(r">=", " >=", need) for need in PROJECT["project"]["dependencies"]}
    wanted = {need.replace("matplotlib ", "matplotlib-base ") for need in wanted}
    assert set(re.findall(r"(?m)^    - (.+)$", recipe)) == wanted | {"python"}


def test_zenodo_knows_title_and_licence():
    zenodo, citation = json.loads(text_of(".zenodo.json")), text_of("CITATION.cff")
    assert f'title: "{zenodo["title"]}"' in citation
    assert zenodo["license"] == PROJECT["project"]["license"]
    assert zenodo["related_identifiers"][0]["identifier"] in citation
