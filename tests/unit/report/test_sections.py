"""Sections of other packages on the page: where they stand, and what the page then says about itself."""

import re

import pytest

from runs import MODEL, SETTINGS, small_series
from tetiwd import run_chains
from tetiwd.analysis import Analysis
from tetiwd.report import Section, report_html
from tetiwd.report.rendering import content_security_policy, script
from tetiwd.report.tables import Cell, Column, Row, Table

TABLE = Table(
    "toy-table", "Toys", "", (Column("Toy", "A thing to play with."),), (Row((Cell("ball"),), None),), "None."
)


@pytest.fixture(scope="module")
def analysis():
    return Analysis(run_chains(small_series(), MODEL, SETTINGS))


class Toy:
    """Makes a section once the analysis is there."""

    def section(self, analysis, *, show_ids=False):
        html = f"<p>{analysis.sample.series.n_epochs} times, ids: {show_ids}</p>"
        return Section("toy", "Toys & games", html, may_hold_ids=show_ids)


def test_a_section_has_a_heading_a_link_its_style_and_its_columns_explained(analysis):
    toy = Section("toy", "Toys & games", "<p>Balls.</p>", (TABLE,), ".toy { color: red; }", "Only a game.", "No balls.")
    page = report_html(analysis, sections=[toy])
    assert '<a href="#toy">Toys &amp; games</a>' in page
    assert re.search(r'(?s)<section id="toy">\s*<h2>Toys &amp; games</h2>\s*<p>Balls.</p>\s*</section>', page)
    sections = re.findall(r'<section id="([^"]+)"', page)
    assert sections.index("sizes") + 1 == sections.index("toy") == sections.index("tables") - 1
    assert "A thing to play with." in page
    assert "Only a game." in page[: page.index("<main>")]
    assert "It holds no ids. No balls." in page
    style = re.search(r"(?s)<style>(.*?)</style>", page).group(1)
    assert ".toy { color: red; }" in style
    assert content_security_policy(style, script()) in page.replace("&#39;", "'")


def test_a_section_is_made_for_the_analysis_and_knows_whether_ids_may_be_shown(analysis):
    assert "3 times, ids: False" in report_html(analysis, sections=[Toy()])
    assert "3 times, ids: True" in report_html(analysis, sections=[Toy()], show_ids=True)


def test_the_page_does_not_claim_to_hold_no_ids_if_a_section_may(analysis):
    ready = Toy().section(analysis, show_ids=True)
    assert "It holds no ids." not in report_html(analysis, sections=[ready])
    assert "It holds no ids." in report_html(analysis, sections=[Toy()])
