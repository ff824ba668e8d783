"""The section about notes: what it shows, and what it never shows unless it is asked to."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from runs import MODEL, SETTINGS
from small_notes import series_of_notes
from tetiwd import run_chains
from tetiwd.analysis import Analysis
from tetiwd.notes.report import NotesReport
from tetiwd.notes.report.tables import changes_table, clusters_table, words_table
from tetiwd.report import report_html, write_report
from tetiwd.report.rendering import Wording
from tetiwd.summarize.clustering import as_clustering

TOPICS = ("seizure", "scan", "walk")
HOSTILE = "</script><script>window.hit = 1</script>"
TURNED = "\u202e{{ 7 * 7 }}\"><img src=x onerror='window.hit = 1'>"
FEW = 3


def ids(kind, n):
    return [f"person-{kind}-{i:02d}" for i in range(n)]


def made(n_windows, outcomes=True):
    """Three groups; the third has few members, and words and an outcome of its own."""
    said = {person: ["seizure again whenever", "scan shows no change"] for person in ids("a", 12)}
    said |= {person: ["walk every day", "scan shows no change"] for person in ids("b", 14)}
    said |= {person: ["scan secret"] for person in ids("few", FEW)}
    said["person-b-00"] = [*said["person-b-00"], "walk lonely"]
    died = {person: int(person.split("-")[2]) < 10 if "-a-" in person else "-few-" in person for person in said}
    moved = said | {person: ["walk every day"] for person in ids("a", 2)}
    windows = [said, moved, said][:n_windows]
    notes = series_of_notes(windows, topics=TOPICS, outcomes={"died": died} if outcomes else None)
    kind = {"seizure": 0, "walk": 1, "scan": 2}
    labels = [
        np.array([kind[window[person][0].split()[0]] for person in epoch.tolist()])
        for window, epoch in zip(windows, notes.series.ids, strict=True)
    ]
    analysis = Analysis(run_chains(notes.series, MODEL, SETTINGS))
    vars(analysis)["clustering"] = as_clustering(analysis.sample, labels)
    return notes, analysis


class Tags(HTMLParser):
    """Names and attributes of all elements, and the text of the page."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.elements, self.text, self.hidden = [], [], 0
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text.append(data)

    def all(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]


def section(html):
    return re.search(r'(?s)<section id="notes">.*?</section>', html).group()


@pytest.fixture(scope="module")
def world():
    return made(3)


@pytest.fixture(scope="module")
def page(world):
    notes, analysis = world
    return report_html(analysis, sections=[NotesReport(notes)])


def small_lineage(analysis):
    return int(np.argmin(np.bincount(analysis.clustering.flat)))


def test_without_notes_the_page_says_nothing_about_them(world):
    html = report_html(world[1])
    assert "What the notes say" not in html
    assert "sentence of the notes" not in html
    assert "@media screen and (prefers-color-scheme: dark) { .w" not in html


def test_the_section_has_a_place_a_link_and_everything_in_it(world, page):
    tags = Tags(page)
    sections = [attrs["id"] for attrs in tags.all("section")]
    assert sections.index("sizes") + 1 == sections.index("notes") == sections.index("tables") - 1
    assert {"href": "#notes"} in tags.all("a")
    tags_here = Tags(section(page))
    tables = {attrs["data-table"] for attrs in tags_here.all("div") if "data-table" in attrs}
    assert tables == {"notes-words", "notes-clusters", "notes-outcome-0", "notes-changes"}
    clouds = [attrs["aria-label"] for attrs in tags_here.all("svg") if attrs["aria-label"].startswith("Word cloud")]
    assert len(clouds) == 2
    assert any("seizure" in label for label in clouds)
    names = [attrs["id"] for _, attrs in tags.elements if "id" in attrs]
    assert len(names) == len(set(names))
    text = " ".join(tags_here.text)
    assert "windows of one year" in text
    assert "change lineage." in text
    assert "synthetic" not in page
    levels = [int(tag[1]) for tag, _ in tags_here.elements if tag in ("h2", "h3")]
    assert levels[0] == 2
    assert set(levels[1:]) == {3}


def test_chosen_lineages_are_lit_in_clouds_and_tables(world, page):
    text = section(page)
    big = {str(g) for g in range(3)} - {str(small_lineage(world[1]))}
    assert set(re.findall(r'<g data-lineage="(\d)"', text)) >= big
    assert set(re.findall(r'<tr data-lineage="(\d)"', text)) >= big
    style = re.search(r"(?s)<style>(.*?)</style>", page).group(1)
    for g in big:
        assert style.count(f".w{g} {{ fill: #") == 2  # by day and by night


def test_nothing_in_it_needs_what_the_policy_forbids(world):
    notes, analysis = world
    html = report_html(
        analysis, show_ids=True, sections=[NotesReport(notes, synthetic=True, show_text=True, small=True)]
    )
    tags = Tags(html)
    for tag, attrs in tags.elements:
        assert "style" not in attrs
        assert not [name for name in attrs if name.startswith("on")]
        assert tag not in ("link", "iframe", "object", "embed", "base", "form", "foreignobject")
    assert html.count("<style") == 1


def test_no_ids_no_sentences_and_no_rare_words_unless_asked_for(world, page):
    notes, analysis = world
    assert "person" not in page
    for sentence in set(notes.texts):
        assert sentence not in page
    assert "lonely" not in page
    assert "secret" not in page
    assert "It holds no ids. It holds no sentence of the notes." in page

    with_ids = section(report_html(analysis, show_ids=True, sections=[NotesReport(notes)]))
    assert "person-a-00" in with_ids
    assert "person-a-05" not in with_ids  # has not moved
    assert "seizure again whenever" not in with_ids

    html = report_html(analysis, sections=[NotesReport(notes, show_text=True)])
    assert "seizure again whenever" in html
    assert "person" not in html
    assert "It holds sentences of the notes." in html
    assert "It holds no ids." not in html  # who knows what is in a sentence


def test_small_groups_are_flagged_and_silent_unless_asked_for(world, page):
    notes, analysis = world
    g = small_lineage(analysis)
    assert f"Lineage {g} has fewer than five objects: no words and no rates are given." in page
    assert f"Lineage {g} has fewer than five objects and is left out." in page
    rows = re.search(r'(?s)data-table="notes-outcome-0".*?</table>', page).group()
    assert f'<tr data-lineage="{g}"' not in rows
    assert "1 lineage with fewer than five known outcomes left out." in page
    asked = report_html(analysis, sections=[NotesReport(notes, small=True)])
    rows = re.search(r'(?s)data-table="notes-outcome-0".*?</table>', asked).group()
    assert f'<tr data-lineage="{g}"' in rows
    assert "secret" not in asked  # still only few objects use it
    assert "secret" in report_html(analysis, sections=[NotesReport(notes, small=True, show_text=True)])


def test_few_who_move_are_marked(world):
    notes, analysis = world
    said = NotesReport(notes).findings(analysis)
    table = changes_table(said, Wording(analysis.sample.series.times))
    column = [column.name for column in table.columns].index("Objects")
    assert [(row.cells[column].shown, row.cells[column].flag) for row in table.rows] == [("2", True)] * 2


def test_words_and_texts_stay_text(world):
    notes, analysis = world
    words = tuple({"seizure": HOSTILE, "walk": TURNED}.get(word, word) for word in notes.bags.words)
    texts = tuple(f"{HOSTILE} {TURNED} {'x' * 100_000}" for _ in notes.texts)
    (values,) = notes.notes.outcomes.values()
    hostile = replace(
        notes,
        bags=notes.bags._replace(words=words),
        texts=texts,
        notes=replace(notes.notes, outcomes={f"$\\frac{{$ {HOSTILE}": values}),
    )
    html = report_html(analysis, sections=[NotesReport(hostile, show_text=True)])
    tags = Tags(html)
    assert len(tags.all("script")) == 1
    assert not tags.all("img")
    assert "\u202e" not in html
    assert "{{ 7 * 7 }}" in html  # shown as it is, not computed
    assert "window.hit = 1</script>" in "".join(tags.text)
    assert len(html) < 1_500_000


def test_synthetic_notes_are_called_so(world):
    notes, analysis = world
    html = report_html(analysis, sections=[NotesReport(notes, synthetic=True)])
    assert "synthetic" in html[: html.index("<main>")]
    assert "These notes are synthetic." in section(html)


def test_one_window_and_no_outcomes():
    notes, analysis = made(1, outcomes=False)
    html = report_html(analysis, sections=[NotesReport(notes)])
    text = section(html)
    assert "No object changes lineage from one window to the next." in text
    assert "favourable" not in text
    assert "notes-outcome" not in text
    assert "skip" not in text


def test_one_lineage_only(world):
    notes, analysis = world
    alone = Analysis(analysis.sample)
    vars(alone)["clustering"] = as_clustering(analysis.sample, [np.zeros(n, int) for n in notes.series.n_objects])
    text = section(report_html(alone, sections=[NotesReport(notes)]))
    assert "Word cloud" not in text
    assert "Lineage 0 has fewer than five others to compare with and is left out." in text
    assert "Only one lineage has five or more objects for which “died” is known" in text


def test_tables_are_ordered_and_complete(world):
    notes, analysis = world
    said = NotesReport(notes).findings(analysis)
    for table in (words_table(said), clusters_table(said)):
        assert table.rows
        assert all(len(row.cells) == len(table.columns) for row in table.rows)
        lineages = [row.lineage for row in table.rows]
        assert lineages == sorted(lineages)
    words = words_table(said)
    ratio = [column.name for column in words.columns].index("Odds ratio")
    for row in words.rows:
        assert row.cells[ratio].shown.startswith("≥" if row.cells[2].shown == "more" else "≤")


def test_the_same_notes_make_the_same_file(world, page, tmp_path):
    notes, analysis = world
    written = write_report(analysis, tmp_path, sections=[NotesReport(notes)], origin=["x"])
    assert written.read_text("utf-8").replace('<p class="origin"><bdi>x</bdi></p>\n', "") == page
