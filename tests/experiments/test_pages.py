"""Pages of experiments: figures at once, tables folded, and a written section takes the place of the one before."""

import importlib.util
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "experiment_docs.py"


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("experiment_docs", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_variant_is_folded_by_itself(tool):
    summary = "- Seed: 0\n\n### small\n\n| a |\n\n### large\n\n| b |\n"
    text = tool.folded_section(["![seen](x.svg)"], "", summary, ["![more](y.svg)"])
    titles = [line.removeprefix(":::{dropdown} ") for line in text.splitlines() if line.startswith(":::{")]
    assert titles == ["The run", "small", "large", "More figures"]
    assert text.index("![seen]") < text.index(":::") < text.index("| a |") < text.index("| b |") < text.index("![more]")
    assert text.count("\n:::\n") == 4
    assert "#" not in text  # headings would be part of the page's contents


def test_one_variant_has_one_fold_and_steps_their_own(tool):
    text = tool.folded_section([], "by step", "- Seed: 0\n\n| a |\n", [])
    assert text.count(":::{dropdown}") == 2
    assert text.index("by step") < text.index("The run, and all its tables") < text.index("| a |")


def test_a_section_replaces_the_one_before(tool):
    page = "# P\n\n<!-- p -->\n\nold\n\n<!-- /p -->\n\nby hand\n"
    once = tool.with_section(page, "p", "new\n")
    assert once == "# P\n\n<!-- p -->\n\nnew\n\n<!-- /p -->\n\nby hand\n"
    assert tool.with_section(once, "p", "new\n") == once
    with pytest.raises(SystemExit, match="no place"):
        tool.with_section(page, "q", "new\n")
