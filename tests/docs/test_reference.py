"""The reference: it names everything that is public, every description is complete, every example runs."""

import doctest
import inspect
import re
import runpy
from importlib import import_module

import pytest
from matplotlib import pyplot
from numpydoc.docscrape import NumpyDocString

import tetiwd
import tetiwd.plots
from documentation import DOCS, ROOT
from tetiwd.estimators.common import WishartClusterer

PUBLIC = {f"tetiwd.{name}" for name in dir(tetiwd) if name != "__version__"}
DRAWN = [name for name in tetiwd.plots.__all__ if name.startswith("plot_")] + ["save_figures", "lineage_colour"]
FIGURES = {f"tetiwd.plots.{name}" for name in DRAWN}
WITH_DASK = {"tetiwd.hosts.DaskWorkers", "tetiwd.cluster.executor_of"}
BESIDES = {"tetiwd.external.fit_anndata", "tetiwd.hosts.open_series", *WITH_DASK}
EVERY = sorted(PUBLIC | FIGURES | BESIDES)


def found(name):
    module, _, last = name.rpartition(".")
    return getattr(import_module(module), last)


def listed(page):
    """Names in the lists of an API page, by the module that each list is for."""
    module, names = "", set()
    for line in page.splitlines():
        if line.startswith(".. currentmodule:: "):
            module = line.split()[-1]
        elif re.fullmatch(r"   \w+", line):
            names.add(f"{module}.{line.strip()}")
    return names


def test_the_api_page_lists_what_is_public():
    assert listed((DOCS / "reference" / "api.md").read_text("utf-8")) == set(EVERY)


def test_a_missing_name_is_noticed():
    page = ".. currentmodule:: tetiwd\n\n.. autosummary::\n   :toctree: api\n\n   TeTiWD\n"
    assert listed(page) == {"tetiwd.TeTiWD"}


def undescribed(function):
    """What the docstring of a function leaves out: parameters, their types, results."""
    doc = NumpyDocString(inspect.getdoc(function))
    types = {name.strip(" *"): entry.type for entry in doc["Parameters"] for name in entry.name.split(",")}
    signature = inspect.signature(function)
    wanted = [name for name in signature.parameters if name not in ("self", "cls")]
    missing = [name for name in wanted if not types.get(name)]
    returns = signature.return_annotation
    if returns not in (None, "None", inspect.Signature.empty) and not doc["Returns"]:
        missing.append("Returns")
    return missing


@pytest.mark.parametrize("name", [name for name in EVERY if inspect.isfunction(found(name))])
def test_functions_describe_parameters_and_results(name):
    assert undescribed(found(name)) == []


def methods_shown():
    """Methods on the pages of classes, as the configuration of the site lists them."""
    members = runpy.run_path(str(DOCS / "conf.py"))["autosummary_context"]["members_of"]
    return [f"{owner}.{member[:-2]}" for owner, listed in members.items() for member in listed if member.endswith("()")]


@pytest.mark.parametrize("name", methods_shown())
def test_methods_describe_parameters_and_results(name):
    owner, _, method = name.partition(".")
    assert undescribed(inspect.unwrap(getattr(getattr(tetiwd, owner), method))) == []


def test_a_parameter_without_description_is_noticed():
    def square(x: float, y: float) -> float:
        """Square.

        Parameters
        ----------
        x : float
            A number.
        """
        return x * x

    assert undescribed(square) == ["y", "Returns"]


@pytest.mark.parametrize("name", EVERY)
def test_every_name_has_an_example(name):
    assert ">>> " in (found(name).__doc__ or "")


def doctests(owner):
    """Examples in the docstrings of something public and of its methods."""
    return [test for test in doctest.DocTestFinder().find(owner, owner.__name__, globs={}) if test.examples]


@pytest.mark.parametrize("owner", [*map(found, EVERY), WishartClusterer], ids=[*EVERY, "methods of both estimators"])
def test_examples_run(owner, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    for test in doctests(owner):
        runner.run(test, out=said.append)
    pyplot.close("all")
    assert runner.tries > 0
    assert runner.failures == 0, "".join(said)


def test_a_wrong_example_is_noticed():
    test = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, None)
    runner = doctest.DocTestRunner()
    runner.run(test, out=lambda text: None)
    assert runner.failures == 1


@pytest.mark.parametrize("tool", ["command_docs", "settings_docs"])
def test_generated_pages_are_those_of_the_program(tool, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    module = import_module(tool)
    assert module.PAGE.read_text("utf-8") == module.page(), f"run: python tools/{tool}.py"
