"""The gallery: short scripts, each on its page and on the overview. The build of the documentation runs all of them."""

import runpy

import pytest
from matplotlib import pyplot

from documentation import DOCS

GALLERY = DOCS / "gallery"
SCRIPTS = sorted(GALLERY.glob("*.py"))
FIGURES = sorted(DOCS.rglob("figures/*.py"))  # those of other pages
MOST_LINES = 40


def test_there_are_enough_figures():
    assert len(SCRIPTS) >= 12


@pytest.mark.parametrize("script", [*SCRIPTS, *FIGURES], ids=lambda script: script.stem)
def test_scripts_are_short(script):
    assert len(script.read_text("utf-8").splitlines()) < MOST_LINES


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_every_figure_has_a_page_with_its_code_and_a_picture_on_the_overview(script):
    picture = f"```{{plot}} /gallery/{script.name}\n"
    page = script.with_suffix(".md").read_text("utf-8")
    assert picture in page
    assert f"```{{literalinclude}} {script.name}\n" in page
    overview = (GALLERY / "index.md").read_text("utf-8")
    assert picture in overview
    assert f"\n{script.stem}\n" in overview.partition("{toctree}")[2]


@pytest.mark.parametrize("name", ["alluvial", "transitions"])
def test_scripts_draw_one_figure(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pyplot.close("all")
    with pyplot.rc_context({"backend": "agg"}):
        runpy.run_path(str(GALLERY / f"{name}.py"))
    assert len(pyplot.get_fignums()) == 1
    assert pyplot.gcf().axes[0].has_data()
    pyplot.close("all")
