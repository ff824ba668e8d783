"""Documentation: links lead to files and headings, the files and tests that it names exist, and no line gets lost."""

import re
from urllib.parse import urlsplit

import pytest

import documentation
from documentation import README, ROOT, name_of

PAGES = sorted({*ROOT.glob("*.md"), *documentation.PAGES})
SOURCES = {
    str(path): path.read_text("utf-8")
    for folder in ("src", "experiments", "tests", "tools", "benchmarks", "docs")
    for path in ROOT.glob(f"{folder}/**/*.py")
    if documentation.GENERATED[0] not in path.parents
}
README_WORDS = 500


def text_of(page):
    """The page without code blocks, which may hold brackets of their own."""
    return re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.S | re.M)


def anchors_of(page):
    """The names that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", text_of(page), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links_of(page):
    """Targets of links and pictures."""
    return re.findall(r"\]\(([^)\s]+)\)", text_of(page))


def is_external(target):
    return re.match(r"[a-z]+:", target) is not None


def broken_links(page):
    for target in links_of(page):
        if is_external(target):
            continue
        file, _, anchor = target.partition("#")
        linked = (page.parent / file).resolve() if file else page
        if not linked.exists() or (anchor and anchor not in anchors_of(linked)):
            yield target


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    assert list(broken_links(page)) == []


def test_a_broken_link_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A heading\n[right](#a-heading) [wrong](#another) [missing](none.md)\n", "utf-8")
    assert list(broken_links(page)) == ["#another", "none.md"]


def malformed(target):
    """True for an address outside that nobody could open; none is visited."""
    parts = urlsplit(target)
    return parts.scheme != "https" or re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", parts.netloc) is None


def test_external_links_are_well_formed(record_property):
    external = {target for page in PAGES for target in links_of(page) if is_external(target)}
    assert external, "no page cites the paper"
    record_property("external links", sorted(external))
    assert sorted(filter(malformed, external)) == []


@pytest.mark.parametrize("target", ["http://example.org", "https://nowhere", "https:/doi.org/1", "ftp://example.org"])
def test_a_malformed_link_is_noticed(target):
    assert malformed(target)


def shown(text):
    """What a reader sees: no comments."""
    return re.sub(r"<!--.*?-->", "", text, flags=re.S)


def test_the_readme_is_short():
    assert len(shown(README.read_text("utf-8")).split()) <= README_WORDS


def code_in(page):
    """All that stands between single backticks, except the files that a recipe says to write."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"\bWrite `[^`]+`", "", text_of(page)))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_files_and_tests_that_are_named_exist(page):
    named = {file for code in code_in(page) for file in re.findall(r"[\w/]+\.py\b", code)}
    assert [file for file in sorted(named) if not any(path.endswith(f"/{file}") for path in SOURCES)] == []
    tests = {code for code in code_in(page) if re.fullmatch(r"test_\w+", code)}
    assert [name for name in sorted(tests) if not any(f"def {name}(" in text for text in SOURCES.values())] == []


def lost_lines(page):
    """Lines of text that begin with a percent sign: MyST takes them for comments and leaves them out."""
    return re.findall(r"^ *%.*$", text_of(page), flags=re.M)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_line_is_taken_for_a_comment(page):
    assert lost_lines(page) == []


def test_a_line_taken_for_a_comment_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A heading\nIt rose by 11 to 30\n% in a year.\n```text\n% of a program\n```\n", "utf-8")
    assert lost_lines(page) == ["% in a year."]
