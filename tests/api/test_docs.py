"""Documentation: links lead to files and headings, and the files and tests that it names exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
SOURCES = {
    str(path): path.read_text("utf-8")
    for folder in ("src", "experiments", "tests", "tools", "benchmarks")
    for path in ROOT.glob(f"{folder}/**/*.py")
}
README_WORDS = 500


def text_of(page):
    """The page without code blocks, which may hold brackets of their own."""
    return re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.S | re.M)


def anchors_of(page):
    """The names that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", text_of(page), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(page):
    targets = re.findall(r"\]\(([^)\s]+)\)", text_of(page))
    for target in targets:
        if target.startswith(("http://", "https://")):
            continue
        file, _, anchor = target.partition("#")
        linked = (page.parent / file).resolve() if file else page
        if not linked.exists() or (anchor and anchor not in anchors_of(linked)):
            yield target


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_links_lead_somewhere(page):
    assert list(broken_links(page)) == []


def test_a_broken_link_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A heading\n[right](#a-heading) [wrong](#another) [missing](none.md)\n", "utf-8")
    assert list(broken_links(page)) == ["#another", "none.md"]


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text("utf-8").split()) <= README_WORDS


def code_in(page):
    """All that stands between single backticks, except the files that a recipe says to write."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"\bWrite `[^`]+`", "", text_of(page)))


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_files_and_tests_that_are_named_exist(page):
    named = {file for code in code_in(page) for file in re.findall(r"[\w/]+\.py\b", code)}
    assert [file for file in sorted(named) if not any(path.endswith(f"/{file}") for path in SOURCES)] == []
    tests = {code for code in code_in(page) if re.fullmatch(r"test_\w+", code)}
    assert [name for name in sorted(tests) if not any(f"def {name}(" in text for text in SOURCES.values())] == []
